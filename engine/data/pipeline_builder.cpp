#include "engine/data/pipeline_builder.h"

#include "engine/data/batch.h"
#include "engine/data/batch_builder.h"
#include "engine/data/fitted_transform.h"
#include "engine/data/loader_settings.h"
#include "engine/data/part_matching.h"
#include "engine/data/programs/collate.h"
#include "engine/data/sources/joined.h"
#include "engine/data/split.h"

#include <algorithm>

namespace athanor {

namespace {

constexpr std::array<const char*, 3> kPartNames = {"train", "val", "test"};

/// Of a field in batches of two and of three samples.
TensorType collatedType(const torch::Tensor& two, const torch::Tensor& three)
{
    TensorType type;
    type.dims = two.sizes().vec();
    for (std::size_t axis = 0; axis < type.dims.size(); ++axis)
        if (two.dim() != three.dim() || type.dims[axis] != three.size(static_cast<std::int64_t>(axis)))
            type.dims[axis] = kUnknown;
    type.dims[0] = kBatch;
    type.type = two.scalar_type() == torch::kInt64 ? ElementType::Index : ElementType::Float;
    return type;
}

class Builder {
public:
    Builder(const Project& project, const DataPlan& plan) : m_project(project), m_plan(plan) {}

    Result<OpenedData> build(int workers)
    {
        for (const auto step : {&Builder::openSources, &Builder::divide, &Builder::learn, &Builder::makeChains,
                                &Builder::comparePartLayouts, &Builder::readLoader}) {
            if (const Status status = (this->*step)(); !status)
                return status.error();
        }
        if (workers >= 0)
            m_data.workers = workers;
        describe();
        if (const Status status = describeCollated(); !status)
            return status.error();
        for (std::size_t part = 0; part < m_parts.size(); ++part)
            m_data.parts[part] = m_parts[part];
        return std::move(m_data);
    }

private:
    Status openSources();
    Status divide();
    Status divideBySplit();
    Status learn();
    Status makeChains();
    Result<TransformChain> makeChain(std::size_t part);
    Result<std::vector<TransformPtr>> makeStep(const PlanNode& node, std::size_t part,
                                               const TransformChain& soFar);
    Status comparePartLayouts();
    Status readLoader();
    Status addBatchStep(const PlanNode& node, std::uint64_t ordinal);
    Status addCollate(const PlanNode& node, std::uint64_t ordinal, const TransformChain& chain);
    Status describeCollated();
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
    std::map<NodeId, std::vector<TransformPtr>> m_fitted; // fitted nodes, per input field
    OpenedData m_data;
};

Status Builder::openSources()
{
    for (std::size_t part = 0; part < m_datasets.size(); ++part) {
        if (!m_plan.branches[part])
            continue;
        OpenedDataset dataset = openBranch(*m_plan.branches[part], m_project.folder());
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

Status Builder::divideBySplit()
{
    const PlanNode& split = *m_plan.split;
    const std::shared_ptr<Dataset>& dataset = m_datasets[0];
    Result<DividedSamples> divided = divideSamples(*dataset, split.params);
    if (!divided)
        return atNode(divided.error(), split.id);
    m_data.description.leftOut = divided->leftOut;
    for (std::size_t part = 0; part < divided->parts.size(); ++part)
        if (!divided->parts[part].empty())
            m_parts[part] = std::make_shared<PartData>(PartData{
                dataset, std::move(divided->parts[part]), {}, branchOf(part).source.id, m_project.training.seed});
    return Done{};
}

/// What the sources fill in and number is measured on the training part alone.
Status Builder::learn()
{
    for (std::size_t part = 0; part < m_datasets.size(); ++part) {
        if (!m_datasets[part])
            continue;
        if (const Status status = m_datasets[part]->learnFrom(*m_parts[0]->dataset, m_parts[0]->samples); !status)
            return atNode(status.error(), branchOf(part).source.id);
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
    m_parts[part]->stepNodes = {m_parts[part]->source};
    NodeId batchStep;
    const std::string here = part == 0 ? "train" : "eval";
    for (std::size_t ordinal = 0; ordinal < nodes.size(); ++ordinal) {
        const PlanNode& node = nodes[ordinal];
        m_parts[part]->stepNodes.push_back(node.id);
        if (isBatchKind(node.kind)) {
            batchStep = node.id;
            if (part == 0)
                if (const Status status = addBatchStep(node, ordinal); !status)
                    return status.error();
            continue;
        }
        if (node.kind == "Collate") {
            if (const Status status = addCollate(node, ordinal, chain); !status)
                return status.error();
            continue;
        }
        if (m_data.collate.collate && part == 0)
            batchStep = m_data.collate.origin.node;
        if (!batchStep.empty())
            return node.error(ErrorCode::InvalidArgument, {},
                              "stands behind '" + batchStep + "', which makes whole batches",
                              "Place it before");
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
    if (!isFitted(node.kind, node.params)) {
        Result<TransformPtr> transform = makeTransform(node.kind, node.params);
        if (!transform)
            return transform.error();
        return std::vector<TransformPtr>(soFar.fieldsFor(**transform).size(), *transform);
    }
    if (const auto fitted = m_fitted.find(node.id); fitted != m_fitted.end())
        return fitted->second;
    if (part != 0)
        return invalid("It has no training samples to be fitted on",
                       "Put it after the Parts node, so that all parts are scaled alike");
    PartData training = *m_parts[part];
    training.chain = soFar;
    Result<std::vector<TransformPtr>> result = fitTransform(node, training);
    if (result)
        m_fitted[node.id] = *result;
    return result;
}

bool mayMeet(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](std::int64_t x, std::int64_t y) {
        return x == y || x == kVaries || y == kVaries;
    });
}

Status Builder::comparePartLayouts()
{
    for (std::size_t part = 1; part < m_parts.size(); ++part) {
        if (!m_parts[part])
            continue;
        const auto& expected = m_parts[0]->chain.layouts();
        const auto& layouts = m_parts[part]->chain.layouts();
        for (std::size_t field = 0; field < expected.size(); ++field)
            if (!mayMeet(layouts[field].shape, expected[field].shape))
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
    if (const Status status = readLoaderSettings(m_plan.loader, *m_parts[0], m_data); !status)
        return status;
    for (const auto& part : m_parts) {
        if (!part || !m_data.cache)
            continue;
        auto cache = SampleCache::make(*m_data.cache, part->dataset->size(), m_data.cacheBytes);
        if (!cache)
            return m_plan.loader.error(cache.error().code, "cache", cache.error().message, cache.error().hint);
        part->cache = std::move(*cache);
    }
    return Done{};
}

/// One for all parts: their fields are alike.
Status Builder::addCollate(const PlanNode& node, std::uint64_t ordinal, const TransformChain& chain)
{
    if (m_data.collate.collate && m_data.collate.origin.node == node.id)
        return Done{};
    if (m_data.collate.collate)
        return node.error(ErrorCode::InvalidArgument, {}, "is a second Collate: the samples are together already behind '" +
                              m_data.collate.origin.node + "'", "Do both in one");
    std::vector<FieldLayout> layouts = chain.layouts();
    auto collate = Collate::make(node.params, layouts);
    if (!collate)
        return atNode(collate.error(), node.id);
    m_data.collate = {std::move(*collate), {node.id, ordinal}};
    return Done{};
}

/// What a Collate makes is known by making it, of a few samples: extents that do not depend on their number are fixed.
Status Builder::describeCollated()
{
    if (!m_data.collate.collate)
        return Done{};
    std::vector<std::shared_ptr<DataBatch>> tried;
    for (const std::int64_t count : {2, 3}) {
        ReadPlan plan;
        plan.part = m_parts[0];
        plan.order.assign(m_parts[0]->samples.begin(),
                          m_parts[0]->samples.begin() + std::min<std::ptrdiff_t>(count, std::ssize(m_parts[0]->samples)));
        plan.batchSize = count;
        plan.batches = 1;
        plan.skipErrors = m_data.skipErrors;
        plan.maxErrors = count;
        plan.collate = m_data.collate;
        BatchBuilder builder(plan, 0);
        auto built = builder.build(0, {});
        if (!built)
            return built.error();
        tried.push_back(built->batch);
    }
    auto& fields = m_data.description.fields.fields;
    std::map<std::string, TensorType> before = fields;
    for (const FieldLayout& layout : m_parts[0]->chain.layouts())
        if (m_data.collate.collate->takes(layout.name))
            fields.erase(layout.name);
    for (const std::string& name : m_data.collate.collate->outputs()) {
        fields[name] = collatedType(tried[0]->fields.at(name), tried[1]->fields.at(name));
        if (const auto known = before.find(name); known != before.end() && fields[name].type == ElementType::Index)
            fields[name].classes = known->second.classes;
    }
    return Done{};
}

/// Steps on batches stand behind all others, since what they make is no sample any more.
Status Builder::addBatchStep(const PlanNode& node, std::uint64_t ordinal)
{
    const auto& layouts = m_parts[0]->dataset->fields();
    const auto label = std::find_if(layouts.begin(), layouts.end(), [](const FieldLayout& layout) {
        return layout.name == "label" && layout.element == Element::Int64 && layout.shape.empty();
    });
    if (label == layouts.end())
        return node.error(ErrorCode::InvalidArgument, {}, "The data has no label to mix",
                          "Mixup and CutMix work on classification data; remove it");
    if (node.kind == "CutMix" && std::none_of(layouts.begin(), layouts.end(), [](const FieldLayout& layout) {
            return layout.name == "image" && layout.shape.size() == 3;
        }))
        return node.error(ErrorCode::InvalidArgument, {}, "The data has no images to cut from",
                          "Use Mixup, which works on all numbers");
    for (const auto& part : m_parts) {
        if (!part)
            continue;
        const auto& fields = part->dataset->fields();
        m_data.softClasses =
            std::max(m_data.softClasses, fields[static_cast<std::size_t>(label - layouts.begin())].classes);
    }
    if (m_data.softClasses < 1)
        return node.error(ErrorCode::InvalidArgument, {}, "It is not known how many classes the labels have",
                          "Use a source that names its classes");
    m_data.batchSteps.push_back({makeBatchTransform(node.kind, node.params), {node.id, ordinal}});
    return Done{};
}

void Builder::describe()
{
    DataDescription& description = m_data.description;
    description.fields.known = true;
    for (const FieldLayout& layout : m_parts[0]->chain.layouts()) {
        TensorType type;
        type.dims = layout.shape;
        std::replace(type.dims.begin(), type.dims.end(), kVaries, kUnknown);
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
    for (const std::string& mask : maskNames(m_parts[0]->chain.layouts(), m_data.collate.collate.get()))
        if (!mask.empty())
            description.fields.fields[mask] = TensorType{{kBatch, kUnknown}};
    if (m_data.softClasses > 0)
        description.fields.fields["label"] = TensorType{{kBatch, m_data.softClasses}};
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
