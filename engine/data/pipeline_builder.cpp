#include "engine/data/pipeline_builder.h"

#include "engine/data/part_matching.h"
#include "engine/data/sources/source.h"
#include "engine/data/split.h"
#include "engine/data/standardize.h"

#include <algorithm>

namespace athanor {

namespace {

constexpr std::array<const char*, 3> kPartNames = {"train", "val", "test"};

class Builder {
public:
    Builder(const Project& project, const DataPlan& plan) : m_project(project), m_plan(plan) {}

    Result<OpenedData> build(int workers)
    {
        for (const auto step : {&Builder::openSources, &Builder::divide, &Builder::makeChains,
                                &Builder::comparePartLayouts, &Builder::readLoader}) {
            if (const Status status = (this->*step)(); !status)
                return status.error();
        }
        if (workers >= 0)
            m_data.workers = workers;
        describe();
        for (std::size_t part = 0; part < m_parts.size(); ++part)
            m_data.parts[part] = m_parts[part];
        return std::move(m_data);
    }

private:
    Status openSources();
    Status divide();
    Status divideBySplit();
    Status makeChains();
    Result<TransformChain> makeChain(std::size_t part);
    Result<std::vector<TransformPtr>> makeStep(const PlanNode& node, std::size_t part,
                                               const TransformChain& soFar);
    Status comparePartLayouts();
    Status readLoader();
    void describe();
    void countClasses();

    /// A part reads from the branch of its own, or from the only one.
    [[nodiscard]] const PlanBranch& branchOf(std::size_t part) const
    {
        return m_plan.branches[part] ? *m_plan.branches[part] : *m_plan.branches[0];
    }

    const Project& m_project;
    const DataPlan& m_plan;
    std::array<std::shared_ptr<Dataset>, 3> m_datasets; // per branch
    std::array<std::shared_ptr<PartData>, 3> m_parts;
    std::map<NodeId, std::vector<TransformPtr>> m_fitted; // Standardize nodes, per input field
    OpenedData m_data;
};

Status Builder::openSources()
{
    for (std::size_t part = 0; part < m_datasets.size(); ++part) {
        if (!m_plan.branches[part])
            continue;
        const PlanNode& source = m_plan.branches[part]->source;
        OpenedDataset dataset = openSource({source.id, source.kind, source.params, m_project.folder()});
        if (!dataset)
            return dataset.error();
        m_datasets[part] = std::move(*dataset);
    }
    std::vector<NamedDataset> opened;
    for (std::size_t part = 0; part < m_datasets.size(); ++part)
        if (m_datasets[part])
            opened.push_back({m_datasets[part].get(), m_plan.branches[part]->source.id});
    return matchParts(opened);
}

Status Builder::divide()
{
    if (m_plan.split)
        return divideBySplit();
    for (std::size_t part = 0; part < m_datasets.size(); ++part) {
        if (!m_datasets[part])
            continue;
        std::vector<std::int64_t> all(static_cast<std::size_t>(m_datasets[part]->size()));
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i] = static_cast<std::int64_t>(i);
        m_parts[part] = std::make_shared<PartData>(PartData{
            m_datasets[part], std::move(all), {}, branchOf(part).source.id, m_project.training.seed});
    }
    return Done{};
}

/// The class of each sample by the field that stratify goes by; empty when there is none.
std::vector<std::int64_t> classesOf(const Dataset& dataset)
{
    const auto& fields = dataset.fields();
    const auto field = std::find_if(fields.begin(), fields.end(), [](const FieldLayout& layout) {
        return layout.element == Element::Int64 && layout.shape.empty();
    });
    std::vector<std::int64_t> classes;
    if (field == fields.end())
        return classes;
    for (std::int64_t index = 0; index < dataset.size(); ++index)
        classes.push_back(dataset.indexValue(static_cast<std::size_t>(field - fields.begin()), index));
    return classes;
}

Status Builder::divideBySplit()
{
    const PlanNode& split = *m_plan.split;
    const std::shared_ptr<Dataset>& dataset = m_datasets[0];
    std::array<double, 3> shares{};
    for (std::size_t part = 0; part < shares.size(); ++part)
        shares[part] = split.params.at(kPartNames[part]).get<double>();
    if (const double sum = shares[0] + shares[1] + shares[2]; sum > 1 + 1e-6)
        return split.error(ErrorCode::InvalidArgument, "train",
                           "The shares of train, val and test add up to more than 1",
                           "Lower one of them; what is left over is not used");
    std::vector<std::int64_t> classes;
    if (split.params.at("stratify").get<bool>()) {
        classes = classesOf(*dataset);
        if (classes.empty())
            return split.error(ErrorCode::InvalidArgument, "stratify",
                               "The data has no classes to stratify by",
                               "Set stratify to false; it is for classification");
    }
    auto parts = splitSamples(dataset->size(), shares, classes, split.params.at("seed").get<std::uint64_t>());
    for (std::size_t part = 0; part < parts.size(); ++part) {
        if (parts[part].empty() && (part == 0 || shares[part] > 0))
            return split.error(ErrorCode::InvalidArgument, kPartNames[part],
                               std::string("No sample is left for ") + kPartNames[part] + " of the " +
                                   std::to_string(dataset->size()) + " there are",
                               "Raise its share");
        if (!parts[part].empty())
            m_parts[part] = std::make_shared<PartData>(PartData{
                dataset, std::move(parts[part]), {}, branchOf(part).source.id, m_project.training.seed});
    }
    return Done{};
}

Status Builder::makeChains()
{
    for (std::size_t part = 0; part < m_parts.size(); ++part) {
        if (!m_parts[part])
            continue;
        Result<TransformChain> chain = makeChain(part);
        if (!chain)
            return chain.error();
        m_parts[part]->chain = std::move(*chain);
    }
    return Done{};
}

Result<TransformChain> Builder::makeChain(std::size_t part)
{
    std::vector<PlanNode> nodes = branchOf(part).transforms;
    nodes.insert(nodes.end(), m_plan.transforms.begin(), m_plan.transforms.end());
    TransformChain chain(m_parts[part]->dataset->fields());
    const std::string here = part == 0 ? "train" : "eval";
    for (std::size_t ordinal = 0; ordinal < nodes.size(); ++ordinal) {
        const PlanNode& node = nodes[ordinal];
        const std::string when = node.params.value("when", "always");
        const Result<std::vector<TransformPtr>> step = makeStep(node, part, chain);
        if (!step)
            return atNode(step.error(), node.id);
        if (when != "always" && when != here)
            continue;
        if (const Status status = chain.append(*step, {node.id, ordinal}); !status)
            return status.error();
    }
    if (const Status status = chain.finish(); !status)
        return status.error();
    return chain;
}

/// The transform for each input field.
Result<std::vector<TransformPtr>> Builder::makeStep(const PlanNode& node, std::size_t part,
                                                    const TransformChain& soFar)
{
    if (node.kind != "Standardize") {
        Result<TransformPtr> transform = makeTransform(node.kind, node.params);
        if (!transform)
            return transform.error();
        return std::vector<TransformPtr>(soFar.inputFields().size(), *transform);
    }
    if (const auto fitted = m_fitted.find(node.id); fitted != m_fitted.end())
        return fitted->second;
    if (part != 0)
        return invalid("It has no training samples to be fitted on",
                       "Put it after the Parts node, so that all parts are scaled alike");
    PartData training = *m_parts[part];
    training.chain = soFar;
    Result<std::vector<TransformPtr>> result = fitStandardize(training);
    if (result)
        m_fitted[node.id] = *result;
    return result;
}

Status Builder::comparePartLayouts()
{
    for (std::size_t part = 1; part < m_parts.size(); ++part) {
        if (!m_parts[part])
            continue;
        const auto& expected = m_parts[0]->chain.layouts();
        const auto& layouts = m_parts[part]->chain.layouts();
        for (std::size_t field = 0; field < expected.size(); ++field)
            if (layouts[field].shape != expected[field].shape)
                return m_plan.loader.error(
                    ErrorCode::InvalidArgument, {},
                    "'" + expected[field].name + "' is " + shapeText(expected[field].shape) +
                        " in train but " + shapeText(layouts[field].shape) + " in " + kPartNames[part],
                    "Give both the same size: a RandomCrop for train needs a CenterCrop or "
                    "Resize for eval");
    }
    return Done{};
}

Status Builder::readLoader()
{
    const Json& params = m_plan.loader.params;
    m_data.batchSize = params.at("batch_size").get<std::int64_t>();
    m_data.shuffle = params.at("shuffle").get<bool>();
    m_data.dropLast = params.at("drop_last").get<bool>();
    m_data.workers = params.at("num_workers").get<int>();
    m_data.prefetch = params.at("prefetch_factor").get<int>();
    const std::int64_t samples = m_parts[0]->size();
    if (m_data.dropLast && m_data.batchSize > samples)
        return m_plan.loader.error(ErrorCode::InvalidArgument, "batch_size",
                                   "No batch is left: batch_size is " + std::to_string(m_data.batchSize) +
                                       ", there are " + std::to_string(samples) +
                                       " training samples, and drop_last drops the incomplete batch",
                                   "Lower batch_size or set drop_last to false");
    return Done{};
}

void Builder::describe()
{
    DataDescription& description = m_data.description;
    description.fields.known = true;
    for (const FieldLayout& layout : m_parts[0]->chain.layouts()) {
        TensorType type;
        type.dims = layout.shape;
        type.dims.insert(type.dims.begin(), kBatch);
        type.type = layout.element == Element::Int64 ? ElementType::Index : ElementType::Float;
        type.classes = layout.classes;
        description.fields.fields[layout.name] = std::move(type);
        if (!layout.classNames.empty())
            description.classNames[layout.name] = layout.classNames;
        if (!layout.columnNames.empty())
            description.columnNames[layout.name] = layout.columnNames;
    }
    for (std::size_t part = 0; part < m_parts.size(); ++part)
        description.samples[part] = m_parts[part] ? m_parts[part]->size() : 0;
    countClasses();
}

/// The validation part may have classes that the training part lacks.
void Builder::countClasses()
{
    for (const auto& part : m_parts) {
        if (!part)
            continue;
        for (const FieldLayout& layout : part->chain.layouts()) {
            std::int64_t& classes = m_data.description.fields.fields.at(layout.name).classes;
            classes = std::max(classes, layout.classes);
        }
    }
}

} // namespace

Result<OpenedData> openParts(const Project& project, const DataPlan& plan, int workers)
{
    return Builder(project, plan).build(workers);
}

} // namespace athanor
