#include "engine/preflight/proposal.h"

#include "engine/data/data_pipeline.h"
#include "engine/preflight/graph_draft.h"
#include "engine/preflight/network_draft.h"
#include "engine/preflight/recognize.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

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
               m_found.kind == InputKind::CifarBinary || m_found.kind == InputKind::ImageTable;
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
    Status measurePictures();
    Result<DataFacts> facts() const;

    fs::path m_input;
    fs::path m_folder;
    const std::function<void(const ProposalProgress&)>& m_progress;
    std::stop_token m_stop;
    Recognized m_found;
    Proposal m_proposal;
    std::unique_ptr<DataPipeline> m_data;
    std::int64_t m_side = 0; ///< pictures are scaled to it; 0: they have one size
    bool m_isLarge = false;
    bool m_isSmallSet = true;
};

Status Proposer::unpack()
{
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
    m_proposal.notes = m_found.notes;
    m_proposal.project.name = nameOf(m_input);
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
    const std::string base = isPictures()                       ? "pictures"
                             : isText()                         ? "texts"
                             : m_found.kind == InputKind::Numpy ? "arrays"
                                                                : "table";
    const bool isApart = m_found.parts[1] || m_found.parts[2];
    if (!isApart) {
        draft.start(base, m_found.parts[0]->kind, relativePaths(m_found.parts[0]->params));
        Json split = {{"train", 0.8}, {"val", 0.2}, {"seed", 7}};
        if (m_found.isClassification)
            split["stratify"] = true;
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
    const auto& type = m_data->description().fields.fields.at("image");
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
    if (isText())
        return;
    draft.then("scale", "Standardize");
    m_proposal.choices.push_back({"Normalization", "each column to mean 0 and deviation 1",
                                  "measured on the training part", "data/scale"});
}

/// Whether all pictures have one size, and if not, which one they get.
Status Proposer::measurePictures()
{
    const auto& type = m_data->description().fields.fields.at("image");
    constexpr std::int64_t kLargest = 128;
    const bool isLarge = type.dims.size() == 4 && std::max(type.dims[2], type.dims[3]) > kLargest;
    bool differs =
        isLarge || std::ranges::any_of(type.dims, [](Extent extent) { return extent == kUnknown; });
    if (!differs)
        return Done{};
    m_side = kLargest;
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
        const std::int64_t samples = m_data ? m_data->description().samples[0] : 0;
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
    if (const Status status = build(false); !status)
        return status.error();
    Result<std::unique_ptr<DataPipeline>> data = openData(m_proposal.project, 0);
    if (!data)
        return data.error();
    m_data = std::move(*data);
    if (isPictures())
        if (const Status status = measurePictures(); !status)
            return status.error();
    return build(true);
}

Status Proposer::openAll()
{
    tell("Measuring the training part", -1);
    Result<std::unique_ptr<DataPipeline>> data = openData(m_proposal.project, 0);
    if (!data)
        return data.error();
    m_data = std::move(*data);
    return Done{};
}

Result<DataFacts> Proposer::facts() const
{
    const DataDescription& description = m_data->description();
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
    return facts;
}

Status Proposer::draftNetwork()
{
    const Result<DataFacts> known = facts();
    if (!known)
        return known.error();
    Result<NetworkDraft> network = isPictures() ? pictureNetwork(*known)
                                   : isText()   ? textNetwork(*known)
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
