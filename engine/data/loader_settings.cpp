#include "engine/data/loader_settings.h"

#include "engine/data/epoch_reader.h"

#include <algorithm>

namespace athanor {

namespace {

class Settings {
public:
    Settings(const PlanNode& loader, const PartData& training, OpenedData& data)
        : m_loader(loader), m_params(loader.params), m_training(training), m_data(data)
    {}

    Status read()
    {
        m_data.batchSize = m_params.at("batch_size").get<std::int64_t>();
        m_data.shuffle = m_params.at("shuffle").get<bool>();
        m_data.dropLast = m_params.at("drop_last").get<bool>();
        m_data.workers = m_params.at("num_workers").get<int>();
        m_data.prefetch = m_params.at("prefetch_factor").get<int>();
        m_data.skipErrors = m_params.at("on_error") == "skip";
        m_data.maxErrors = m_params.at("max_errors").get<std::int64_t>();
        m_data.pinMemory = m_params.at("pin_memory").get<bool>();
        m_data.persistentWorkers = m_params.at("persistent_workers").get<bool>();
        if (m_params.at("cache") != "none")
            m_data.cache = m_params.at("cache") == "memory" ? CachePlace::Memory : CachePlace::Disk;
        m_data.cacheBytes = static_cast<std::int64_t>(m_params.at("cache_limit").get<double>() * 1e9);
        m_data.drawn = m_training.size();
        for (const auto step : {&Settings::readSampler, &Settings::readBuckets, &Settings::checkBatches})
            if (const Status status = (this->*step)(); !status)
                return status;
        return Done{};
    }

private:
    Status readSampler()
    {
        const auto sampler = m_params.at("sampler").get<std::string>();
        if (sampler == "none")
            return Done{};
        const Result<std::vector<std::int64_t>> labels = trainingLabels();
        if (!labels)
            return labels.error();
        const auto classes = static_cast<std::size_t>(*std::max_element(labels->begin(), labels->end())) + 1;
        std::vector<double> perClass;
        if (sampler == "weighted") {
            if (!m_params.at("weights").is_array())
                return error("weights", "The sampler is 'weighted', but there are no weights", "One for each class");
            perClass = m_params.at("weights").get<std::vector<double>>();
            if (perClass.size() < classes)
                return error("weights",
                             "There are " + std::to_string(perClass.size()) + " weights, but the training part has " +
                                 std::to_string(classes) + " classes",
                             "One for each class, in the order of their numbers");
        } else {
            perClass.assign(classes, 0);
            for (const std::int64_t label : *labels)
                ++perClass[static_cast<std::size_t>(label)];
            for (double& weight : perClass)
                weight = weight > 0 ? 1 / weight : 0;
        }
        for (const std::int64_t label : *labels)
            m_data.weights.push_back(perClass[static_cast<std::size_t>(label)]);
        return readDraws();
    }

    /// The class of each training sample.
    Result<std::vector<std::int64_t>> trainingLabels() const
    {
        const auto& fields = m_training.dataset->fields();
        const auto field = std::find_if(fields.begin(), fields.end(), [](const FieldLayout& layout) {
            return layout.element == Element::Int64 && layout.shape.empty();
        });
        if (field == fields.end())
            return error("sampler", "The data has no classes to draw by", "Set sampler to none");
        std::vector<std::int64_t> labels;
        for (const std::int64_t index : m_training.samples) {
            labels.push_back(m_training.dataset->indexValue(static_cast<std::size_t>(field - fields.begin()), index));
            if (labels.back() < 0)
                return error("sampler",
                             m_training.dataset->sampleName(index) + " has the label " + std::to_string(labels.back()),
                             "A sampler needs a class for every training sample");
        }
        return labels;
    }

    Status readDraws()
    {
        constexpr std::int64_t kMost = std::int64_t{1} << 24; // torch.multinomial's
        m_data.replacement = m_params.at("replacement").get<bool>();
        if (m_params.at("num_samples").is_number())
            m_data.drawn = m_params.at("num_samples").get<std::int64_t>();
        const auto possible =
            std::count_if(m_data.weights.begin(), m_data.weights.end(), [](double weight) { return weight > 0; });
        if (possible == 0)
            return error("weights", "No training sample has a weight above 0", "Raise the weights of its classes");
        if (static_cast<std::int64_t>(m_data.weights.size()) > kMost)
            return error("sampler", "Samplers draw from 16,777,216 samples at most", "Set sampler to none");
        if (!m_data.replacement && m_data.drawn > possible)
            return error("num_samples",
                         "Without replacement only " + std::to_string(possible) + " samples can be drawn, not " +
                             std::to_string(m_data.drawn),
                         "Lower num_samples or set replacement to true");
        return Done{};
    }

    Status readBuckets()
    {
        m_data.bucketPool = m_params.at("bucket_batches").get<std::int64_t>();
        if (m_data.bucketPool == 0)
            return Done{};
        const std::vector<std::string> masks = maskNames(m_training.chain.layouts());
        const auto field = std::find_if(masks.begin(), masks.end(), [](const auto& name) { return !name.empty(); });
        if (field == masks.end())
            return error("bucket_batches", "No field of the data varies in length", "Set it to 0");
        Sample sample;
        Value scratch;
        for (const std::int64_t index : m_training.samples) {
            const Status status = m_training.readSample(index, 0, sample, scratch);
            if (!status && !m_data.skipErrors)
                return status.error();
            m_data.lengths.push_back(
                status ? sample[static_cast<std::size_t>(field - masks.begin())].shape().front() : 0);
        }
        return Done{};
    }

    Status checkBatches()
    {
        if (!m_data.dropLast || m_data.batchSize <= m_data.drawn)
            return Done{};
        return error("batch_size",
                     "No batch is left: batch_size is " + std::to_string(m_data.batchSize) + ", there are " +
                         std::to_string(m_data.drawn) +
                         " training samples, and drop_last drops the incomplete batch",
                     "Lower batch_size or set drop_last to false");
    }

    [[nodiscard]] Error error(const std::string& parameter, std::string message, std::string hint) const
    {
        return m_loader.error(ErrorCode::InvalidArgument, parameter, std::move(message), std::move(hint));
    }

    const PlanNode& m_loader;
    const Json& m_params;
    const PartData& m_training;
    OpenedData& m_data;
};

} // namespace

Status readLoaderSettings(const PlanNode& loader, const PartData& training, OpenedData& data)
{
    return Settings(loader, training, data).read();
}

} // namespace athanor
