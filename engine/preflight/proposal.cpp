#include "engine/preflight/proposal.h"

#include "engine/data/archive.h"
#include "engine/data/pipeline_builder.h"
#include "engine/preflight/graph_draft.h"
#include "engine/preflight/network_draft.h"
#include "engine/preflight/recognize.h"
#include "engine/preflight/scan.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace athanor {

namespace fs = std::filesystem;

namespace {

constexpr const char* kPartPorts[3] = {"train", "val", "test"};

/// Names a project and its folder-safe id by what was pointed at.
std::string nameOf(const fs::path& input)
{
    fs::path name = input.filename().empty() ? input.parent_path().filename() : input.filename();
    for (int i = 0; i < 2 && name.has_extension() && name.extension().string().size() <= 5; ++i)
        name = name.stem();
    return name.empty() ? "data" : name.string();
}

/// The last rows are validated on: what comes later must not be known before.
void splitByTime(Json& split)
{
    for (const ParamSpec& param : dataCatalog().find("Split")->params)
        if (std::ranges::find(param.choices, "time") != param.choices.end())
            split[param.name] = "time";
}

class Proposer {
public:
    Proposer(fs::path input, fs::path folder, const std::function<void(const ProposalProgress&)>& progress,
             std::stop_token stop)
        : m_input(std::move(input)), m_folder(std::move(folder)), m_progress(progress),
          m_stop(std::move(stop))
    {}

    Result<Proposal> run()
    {
        for (const auto step : {&Proposer::unpack, &Proposer::look, &Proposer::draftData, &Proposer::openAll,
                                &Proposer::draftNetwork}) {
            if (m_stop.stop_requested())
                return Error{ErrorCode::Cancelled, "The import was cancelled", {}, {}, {}};
            if (const Status status = (this->*step)(); !status)
                return status.error();
        }
        return std::move(m_proposal);
    }

private:
    Status unpack();
    Status look();
    Status draftData();
    Status openAll();
    Status draftNetwork();
    void tell(const std::string& doing, double share)
    {
        if (m_progress)
            m_progress({doing, share});
    }

    [[nodiscard]] bool isPictures() const
    {
        return m_found.kind == InputKind::ImageFolder || m_found.kind == InputKind::Idx ||
               m_found.kind == InputKind::CifarBinary || m_found.kind == InputKind::ImageTable ||
               m_found.isPictures;
    }
    [[nodiscard]] bool isText() const
    {
        return m_found.kind == InputKind::TextFolder || m_found.kind == InputKind::TextTable;
    }
    [[nodiscard]] Json relativePaths(const Json& params) const;
    [[nodiscard]] std::string relativePath(const std::string& path) const;
    void addSources(GraphDraft& draft);
    void addTransforms(GraphDraft& draft);
    void addPictureTransforms(GraphDraft& draft);
    void measurePictures();
    Status open();
    [[nodiscard]] Result<DataFacts> facts() const;
    void measureTarget(DataFacts& facts) const;

    fs::path m_input;
    std::string m_name; ///< of what was pointed at
    fs::path m_folder;
    const std::function<void(const ProposalProgress&)>& m_progress;
    std::stop_token m_stop;
    Recognized m_found;
    Proposal m_proposal;
    std::optional<OpenedData> m_data;
    std::int64_t m_side = 0; ///< pictures are scaled to it; 0: they have one size
};

/// An archive is unpacked beside the project, into a folder that was not there before.
Status Proposer::unpack()
{
    m_name = nameOf(m_input);
    std::error_code ignored;
    if (!isArchive(m_input) || !fs::is_regular_file(m_input, ignored))
        return Done{};
    fs::path folder = m_folder / m_name;
    for (int number = 2; fs::exists(folder, ignored); ++number)
        folder = m_folder / fmt::format("{}-{}", m_name, number);
    const auto told = [&](const UnpackProgress& p) {
        tell("Unpacking " + m_input.filename().string(),
             p.size > 0 ? static_cast<double>(p.read) / static_cast<double>(p.size) : -1);
    };
    const Result<std::int64_t> files = unpackArchive(m_input, folder, m_stop, told);
    if (!files) {
        fs::remove_all(folder, ignored); // half of the data would be taken for all of them the next time
        return files.error();
    }
    m_proposal.notes.push_back(fmt::format("{} was unpacked: {} files in {}", m_input.filename().string(),
                                           *files, folder.filename().string()));
    m_input = folder;
    return Done{};
}

Status Proposer::look()
{
    tell("Looking at the files", -1);
    Result<Recognized> found = recognize(m_input);
    if (!found)
        return found.error();
    m_found = std::move(*found);
    m_proposal.kind = m_found.kind;
    m_proposal.recognized = "This is " + m_found.what + ".";
    m_proposal.choices = m_found.choices;
    std::ranges::move(m_found.notes, std::back_inserter(m_proposal.notes));
    m_proposal.project.name = m_name;
    m_proposal.project.file = m_folder / (m_proposal.project.name + ".athanor");
    return Done{};
}

std::string Proposer::relativePath(const std::string& path) const
{
    const fs::path relative = fs::path(path).lexically_relative(m_folder);
    return relative.empty() ? path : relative.generic_string();
}

/// The same parameters with every path as it is spelled from the project's folder.
Json Proposer::relativePaths(const Json& params) const
{
    if (params.is_string()) {
        const auto text = params.get<std::string>();
        return fs::path(text).is_absolute() ? Json(relativePath(text)) : params;
    }
    if (!params.is_structured())
        return params;
    Json changed = params;
    for (Json& value : changed)
        value = relativePaths(value);
    return changed;
}

void Proposer::addSources(GraphDraft& draft)
{
    const std::string base = isPictures()                            ? "pictures"
                             : isText()                              ? "texts"
                             : m_found.kind == InputKind::Numpy      ? "arrays"
                             : m_found.kind == InputKind::TimeSeries ? "series"
                                                                     : "table";
    const bool isApart = m_found.parts[1] || m_found.parts[2];
    if (!isApart) {
        draft.start(base, m_found.parts[0]->kind, relativePaths(m_found.parts[0]->params));
        Json split = {{"train", 0.8}, {"val", 0.2}, {"seed", 7}};
        if (m_found.isClassification)
            split["stratify"] = true;
        if (m_found.kind == InputKind::TimeSeries)
            splitByTime(split);
        draft.then("split", "Split", split);
        m_proposal.choices.push_back({"Split",
                                      m_found.isClassification
                                          ? "80 % to train on, 20 % to validate on, each class alike"
                                          : "80 % to train on, 20 % to validate on",
                                      "there is one set only", "data/split"});
        return;
    }
    // A test set without a validation set serves as one: something must tell when it is best to stop.
    if (!m_found.parts[1]) {
        std::swap(m_found.parts[1], m_found.parts[2]);
        m_proposal.notes.push_back(
            "The test part serves to validate on; keep another one apart for a last judgement");
    }
    draft.start("parts", "Parts");
    for (std::size_t part = 0; part < 3; ++part) {
        if (!m_found.parts[part])
            continue;
        const std::string id = fmt::format("{}_{}", base, kPartPorts[part]);
        draft.start(id, m_found.parts[part]->kind, relativePaths(m_found.parts[part]->params));
        draft.connect(id, fmt::format("parts:{}", kPartPorts[part]));
    }
    draft.goOnFrom("parts");
    m_proposal.choices.push_back(
        {"Split", "as the data are apart already", "there is a set of its own to validate on", "data/parts"});
}

void Proposer::addPictureTransforms(GraphDraft& draft)
{
    const auto& type = m_data->description.fields.fields.at("image");
    const bool isColour = type.dims.size() == 4 && type.dims[1] == 3;
    const std::int64_t side = m_side > 0              ? m_side
                              : type.dims.size() == 4 ? std::min(type.dims[2], type.dims[3])
                                                      : 0;
    const bool isSquare = m_side > 0 || (type.dims.size() == 4 && type.dims[2] == type.dims[3]);
    if (m_side > 0) {
        draft.then("resize", "Resize", {{"size", {m_side, m_side}}});
        m_proposal.choices.push_back({"Size", fmt::format("{}×{}", m_side, m_side),
                                      "pictures of a batch must have one size", "data/resize"});
    }
    const bool isNatural = isColour && m_found.kind != InputKind::Idx;
    if (isSquare && side >= 8) {
        const std::int64_t padding = std::max<std::int64_t>(1, side / (isNatural ? 8 : 14));
        draft.then("crop", "RandomCrop", {{"size", {side, side}}, {"padding", {padding}}});
    }
    if (isNatural)
        draft.then("flip", "RandomHorizontalFlip");
    m_proposal.choices.push_back({"Augmentation",
                                  isNatural ? "moved by a few pixels and mirrored at random, in training only"
                                            : "moved by a few pixels at random, in training only",
                                  isNatural ? "a picture moved or mirrored shows the same thing"
                                            : "letters and digits must not be mirrored",
                                  isSquare ? "data/crop" : "data/flip"});
    draft.then("tensor", "ToTensor");
    draft.then("normalize", "Standardize");
    m_proposal.choices.push_back({"Normalization", "each colour to mean 0 and deviation 1",
                                  "measured on the training part", "data/normalize"});
}

void Proposer::addTransforms(GraphDraft& draft)
{
    if (isPictures()) {
        addPictureTransforms(draft);
        return;
    }
    if (isText()) {
        draft.then("tokens", "Tokenize", {{"max_tokens", 20000}, {"min_frequency", 2}, {"max_length", 600}});
        m_proposal.choices.push_back({"Words", "the 20,000 most frequent that occur twice, 600 of each text",
                                      "the vocabulary is made of the training part", "data/tokens"});
        return;
    }
    draft.then("scale", "Standardize");
    m_proposal.choices.push_back({"Normalization", "each column to mean 0 and deviation 1",
                                  "measured on the training part", "data/scale"});
}

/// Pictures of different or large sizes are scaled to one.
void Proposer::measurePictures()
{
    constexpr std::int64_t kLargest = 128;
    constexpr std::int64_t kLooked = 64;
    const PartData& train = *m_data->parts[0];
    const auto& fields = train.dataset->fields();
    const auto field =
        static_cast<std::size_t>(std::ranges::find(fields, "image", &FieldLayout::name) - fields.begin());
    std::set<std::vector<std::int64_t>> shapes;
    std::vector<std::int64_t> sides;
    Sample sample;
    for (std::int64_t i = 0; i < train.size(); i += std::max<std::int64_t>(1, train.size() / kLooked)) {
        if (!train.dataset->read(train.samples[static_cast<std::size_t>(i)], sample) ||
            field >= sample.size())
            continue;
        shapes.insert(sample[field].shape());
        sides.push_back(std::min(sample[field].shape()[0], sample[field].shape()[1]));
    }
    if (sides.empty())
        return;
    std::ranges::nth_element(sides, sides.begin() + static_cast<std::ptrdiff_t>(sides.size() / 2));
    const std::int64_t median = sides[sides.size() / 2];
    const auto& first = *shapes.begin();
    if (shapes.size() == 1 && std::max(first[0], first[1]) <= kLargest)
        return;
    m_side = 16;
    for (const std::int64_t side : {32, 48, 64, 96, 128})
        if (side <= median)
            m_side = side;
}

/// Reads the data as the project is now.
Status Proposer::open()
{
    const Result<DataPlan> plan = makeDataPlan(m_proposal.project.data);
    if (!plan)
        return plan.error();
    Result<OpenedData> data = openParts(m_proposal.project, *plan, 0);
    if (!data)
        return data.error();
    m_data = std::move(*data);
    return Done{};
}

Status Proposer::draftData()
{
    const std::vector<ProposalChoice> before = m_proposal.choices;
    const std::vector<std::string> notes = m_proposal.notes;
    const Recognized found = m_found;
    const auto build = [&](bool full) -> Status {
        m_proposal.choices = before;
        m_proposal.notes = notes;
        m_found = found;
        GraphDraft draft;
        addSources(draft);
        if (full)
            addTransforms(draft);
        const std::int64_t samples = m_data ? m_data->description.samples[0] : 0;
        const std::int64_t batch = isPictures() ? 64 : samples > 2000 && !isText() ? 128 : 32;
        Json loader = {{"batch_size", batch}, {"shuffle", true}, {"num_workers", isPictures() ? 2 : 1}};
        if (isPictures() && samples >= 2 * batch)
            loader["drop_last"] = true; // BatchNorm must not meet a batch of one
        draft.then("loader", "Loader", std::move(loader));
        m_proposal.choices.push_back({"Loader", fmt::format("batches of {}, shuffled each epoch", batch),
                                      fmt::format("{} samples to train on", samples), "data/loader"});
        Result<Graph> graph = draft.build();
        if (!graph)
            return graph.error();
        m_proposal.project.data = std::move(*graph);
        return Done{};
    };
    tell("Opening the data", -1);
    // What happens to pictures depends on their sizes, which are seen only once the data are open.
    if (const Status status = build(!isPictures()); !status)
        return status.error();
    if (const Status status = open(); !status)
        return status.error();
    if (isPictures())
        measurePictures();
    return build(true);
}

Status Proposer::openAll()
{
    tell("Measuring the training part", -1);
    return open();
}

Result<DataFacts> Proposer::facts() const
{
    const DataDescription& description = m_data->description;
    DataFacts facts;
    facts.samples = description.samples[0];
    const auto& fields = description.fields.fields;
    if (const auto label = fields.find("label");
        label != fields.end() && label->second.type == ElementType::Index)
        facts.classes = std::max<std::int64_t>(2, label->second.classes);
    if (const auto image = fields.find("image"); image != fields.end() && image->second.dims.size() == 4) {
        facts.height = image->second.dims[2];
        facts.width = image->second.dims[3];
    }
    if (const auto table = fields.find("features"); table != fields.end() && table->second.dims.size() == 2)
        facts.columns = table->second.dims[1];
    facts.mask = fields.contains("mask");
    if (facts.classes == 0)
        measureTarget(facts);
    return facts;
}

void Proposer::measureTarget(DataFacts& facts) const
{
    constexpr std::int64_t kLooked = 5000;
    const PartData& train = *m_data->parts[0];
    const auto& fields = train.dataset->fields();
    const auto field =
        static_cast<std::size_t>(std::ranges::find(fields, "target", &FieldLayout::name) - fields.begin());
    Moments moments;
    Sample sample;
    for (std::int64_t i = 0; i < train.size() && field < fields.size();
         i += std::max<std::int64_t>(1, train.size() / kLooked))
        if (train.dataset->read(train.samples[static_cast<std::size_t>(i)], sample))
            for (std::int64_t k = 0; k < sample[field].count(); ++k)
                moments.add(sample[field].float32()[k]);
    facts.targetMean = moments.mean;
    facts.targetDeviation = std::max(1e-6, moments.deviation());
    facts.outputs = field < fields.size() ? std::max<std::int64_t>(1, elementCount(fields[field].shape)) : 1;
}

Status Proposer::draftNetwork()
{
    const Result<DataFacts> known = facts();
    if (!known)
        return known.error();
    Result<NetworkDraft> network = isPictures()                            ? pictureNetwork(*known)
                                   : isText()                              ? textNetwork(*known)
                                   : m_found.kind == InputKind::TimeSeries ? seriesNetwork(*known)
                                                                           : tableNetwork(*known);
    if (!network)
        return network.error();
    Project& project = m_proposal.project;
    project.network = std::move(network->graph);
    project.training = std::move(network->training);
    std::ranges::move(network->choices, std::back_inserter(m_proposal.choices));
    return Done{};
}

const char* kindName(InputKind kind)
{
    switch (kind) {
    case InputKind::ImageFolder:
        return "image_folder";
    case InputKind::ImageTable:
        return "image_table";
    case InputKind::Table:
        return "table";
    case InputKind::TimeSeries:
        return "time_series";
    case InputKind::Idx:
        return "idx";
    case InputKind::CifarBinary:
        return "cifar_binary";
    case InputKind::Numpy:
        return "numpy";
    case InputKind::TextFolder:
        return "text_folder";
    case InputKind::TextTable:
        return "text_table";
    }
    return "";
}

} // namespace

Result<Proposal> proposeProject(const fs::path& input, const fs::path& projectFolder,
                                const std::function<void(const ProposalProgress&)>& progress,
                                std::stop_token stop)
{
    try {
        return Proposer(fs::absolute(input).lexically_normal(),
                        fs::absolute(projectFolder).lexically_normal(), progress, std::move(stop))
            .run();
    } catch (const std::exception& exception) {
        return Error{
            ErrorCode::Internal, "The data could not be looked at", input.string(), {}, exception.what()};
    }
}

Json proposalJson(const Proposal& proposal)
{
    Json choices = Json::array();
    for (const ProposalChoice& choice : proposal.choices)
        choices.push_back(
            {{"what", choice.what}, {"chosen", choice.chosen}, {"why", choice.why}, {"place", choice.place}});
    return {{"kind", kindName(proposal.kind)},
            {"recognized", proposal.recognized},
            {"choices", std::move(choices)},
            {"notes", proposal.notes}};
}

} // namespace athanor
