#include "engine/data/data_pipeline.h"

#include "engine/data/epoch_reader.h"
#include "engine/data/pipeline_builder.h"
#include "engine/data/sample_check.h"
#include "engine/data/sample_order.h"

#include <algorithm>
#include <exception>
#include <new>
#include <numeric>

namespace athanor {

namespace {

/// Calls `last` once its last batch was handed over.
class GoingAhead final : public EpochReader {
public:
    GoingAhead(std::unique_ptr<EpochReader> reader, std::int64_t batches, std::function<void()> last)
        : m_reader(std::move(reader)), m_left(batches), m_last(std::move(last))
    {}

    Result<std::shared_ptr<DataBatch>> next(std::stop_token stop) override
    {
        auto batch = m_reader->next(std::move(stop));
        if (batch && *batch && --m_left == 0)
            m_last();
        return batch;
    }

private:
    std::unique_ptr<EpochReader> m_reader;
    std::int64_t m_left;
    std::function<void()> m_last;
};

class PartsPipeline final : public DataPipeline {
public:
    explicit PartsPipeline(OpenedData data)
        : m_data(std::move(data)),
          m_meter(std::make_shared<ThroughputMeter>(m_data.parts[0]->stepNodes,
                                                    static_cast<std::size_t>(std::max(1, m_data.workers))))
    {}

    const DataDescription& description() const override { return m_data.description; }
    std::int64_t batchSize() const override { return m_data.batchSize; }

    std::int64_t batchCount(DataPart part) const override
    {
        const std::int64_t samples = samplesPerPass(part);
        const bool drop = m_data.dropLast && part == DataPart::Train;
        return (samples + (drop ? 0 : m_data.batchSize - 1)) / m_data.batchSize;
    }

    std::int64_t samplesPerPass(DataPart part) const override
    {
        return part == DataPart::Train ? m_data.drawn : m_data.description.samples[static_cast<std::size_t>(part)];
    }

    Throughput throughput() const override
    {
        Throughput read = m_meter->read(m_data.workers);
        read.hasCache = m_data.cache.has_value();
        return read;
    }

    std::unique_ptr<EpochReader> read(DataPart part, std::int64_t epoch, std::int64_t firstBatch) override
    {
        const bool goesAhead = m_data.persistentWorkers && m_data.workers > 0 && part == DataPart::Train;
        if (!goesAhead)
            return makeEpochReader(planOf(part, epoch), firstBatch, m_data.workers, m_data.prefetch);
        auto reader = m_ahead && m_aheadEpoch == epoch && firstBatch == 0
                          ? std::move(m_ahead)
                          : makeEpochReader(planOf(part, epoch), firstBatch, m_data.workers, m_data.prefetch);
        m_ahead.reset();
        return std::make_unique<GoingAhead>(std::move(reader), batchCount(part) - firstBatch, [this, epoch] {
            m_ahead = makeEpochReader(planOf(DataPart::Train, epoch + 1), 0, m_data.workers, m_data.prefetch);
            m_aheadEpoch = epoch + 1;
        });
    }

    std::vector<Problem>
    checkSamples(std::size_t limit, const std::function<bool(std::int64_t, std::int64_t)>& progress) override
    {
        return checkAllSamples(m_data, limit, progress);
    }

private:
    [[nodiscard]] ReadPlan planOf(DataPart part, std::int64_t epoch) const
    {
        ReadPlan plan;
        plan.part = m_data.parts[static_cast<std::size_t>(part)];
        plan.batchSize = m_data.batchSize;
        plan.batches = batchCount(part);
        plan.epoch = static_cast<std::uint64_t>(epoch);
        plan.softClasses = m_data.softClasses;
        plan.skipErrors = m_data.skipErrors;
        plan.maxErrors = m_data.maxErrors;
        plan.pinMemory = m_data.pinMemory;
        plan.collate = m_data.collate;
        if (part == DataPart::Train) {
            plan.steps = m_data.batchSteps;
            plan.meter = m_meter;
        }
        if (plan.part)
            plan.order = orderOf(*plan.part, part, plan.epoch);
        if (part == DataPart::Train && !m_data.weights.empty() && m_data.replacement)
            plan.repeats = repetitions(plan.order);
        return plan;
    }

    [[nodiscard]] std::vector<std::int64_t> orderOf(const PartData& data, DataPart part,
                                                    std::uint64_t epoch) const
    {
        if (part != DataPart::Train)
            return data.samples;
        std::vector<std::int64_t> order = positionsOf(data, epoch);
        if (m_data.bucketPool > 0) {
            std::vector<std::int64_t> lengths;
            for (const std::int64_t position : order)
                lengths.push_back(m_data.lengths[static_cast<std::size_t>(position)]);
            bucketByLength(order, lengths, m_data.batchSize, m_data.bucketPool, data.seed, epoch);
        }
        for (std::int64_t& position : order)
            position = data.samples[static_cast<std::size_t>(position)];
        return order;
    }

    /// Places in the training part, as the sampler draws them, shuffled, or as they stand.
    [[nodiscard]] std::vector<std::int64_t> positionsOf(const PartData& data, std::uint64_t epoch) const
    {
        if (!m_data.weights.empty())
            return weightedPositions(m_data.weights, m_data.drawn, m_data.replacement, data.seed, epoch);
        if (m_data.shuffle)
            return shuffledPositions(data.size(), data.seed, epoch);
        std::vector<std::int64_t> order(static_cast<std::size_t>(data.size()));
        std::iota(order.begin(), order.end(), 0);
        return order;
    }

    OpenedData m_data;
    std::shared_ptr<ThroughputMeter> m_meter;
    std::unique_ptr<EpochReader> m_ahead; ///< of the next training pass; null: not begun
    std::int64_t m_aheadEpoch = 0;
};

} // namespace

Result<std::unique_ptr<DataPipeline>> openData(const Project& project, int workers)
{
    try {
        const Result<DataPlan> plan = makeDataPlan(project.data);
        if (!plan)
            return plan.error();
        Result<OpenedData> data = openParts(project, *plan, workers);
        if (!data)
            return data.error();
        return std::unique_ptr<DataPipeline>(std::make_unique<PartsPipeline>(std::move(*data)));
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::OutOfMemory,
                     "There is not enough memory to open the data",
                     "data",
                     "Use fewer samples, or images from a folder, which are read as they are needed",
                     {}};
    } catch (const std::filesystem::filesystem_error& error) {
        return Error{ErrorCode::Unreadable,
                     error.path1().string() + " cannot be read: " + error.code().message(), "data",
                     "Check the permissions and links there", error.what()};
    } catch (const std::exception& exception) {
        return Error{ErrorCode::Internal, "The data could not be opened", "data", {}, exception.what()};
    }
}

} // namespace athanor
