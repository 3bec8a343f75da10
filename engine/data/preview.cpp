#include "engine/data/preview.h"

#include "engine/data/data_plan.h"
#include "engine/data/pipeline_builder.h"
#include "engine/graph/graph_edit.h"

#include <algorithm>
#include <exception>
#include <new>

namespace athanor {

namespace {

bool onlyScales(const std::string& kind)
{
    return kind == "Normalize" || kind == "Standardize" || kind == "MinMax";
}

NodeFamily familyOf(const Node& node)
{
    const NodeKind* kind = dataCatalog().find(node.kind);
    return kind != nullptr ? kind->family : NodeFamily::Unknown;
}

/// What a node depends on, itself included.
std::set<NodeId> above(const Graph& graph, const NodeId& node)
{
    std::set<NodeId> found{node};
    std::vector<NodeId> open{node};
    while (!open.empty()) {
        const NodeId next = open.back();
        open.pop_back();
        for (const Edge& edge : graph.incoming(next))
            if (found.insert(edge.from.node).second)
                open.push_back(edge.from.node);
    }
    return found;
}

/// The graph up to a node, ended by a Loader of its own.
Result<Graph> endedAt(const Graph& graph, const NodeId& node)
{
    const std::set<NodeId> kept = above(graph, node);
    std::vector<Node> nodes;
    std::vector<Edge> edges;
    for (const Node& each : graph.nodes())
        if (kept.contains(each.id))
            nodes.push_back(each);
    for (const Edge& edge : graph.edges())
        if (kept.contains(edge.from.node) && kept.contains(edge.to.node))
            edges.push_back(edge);
    if (familyOf(*graph.find(node)) != NodeFamily::Loader) {
        NodeId loader = "loader";
        while (graph.find(loader) != nullptr)
            loader += '_';
        nodes.push_back({loader, "Loader", Json::object(), Json::object()});
        edges.push_back({{node, {}}, {loader, {}}});
    }
    return buildGraph(std::move(nodes), std::move(edges));
}

Error unreadable(ErrorCode code, std::string message, std::string details)
{
    return {code, std::move(message), {}, "Replace it or leave it out", std::move(details)};
}

const Error kCancelled{ErrorCode::Cancelled, "Looking at the data was stopped", {}, {}, {}};

} // namespace

struct DataPreview::Opened {
    struct Way {
        std::vector<PlanNode> steps; ///< transforms in order; the ordinal of a step is its place
        std::vector<NodeId> nodes;   ///< all nodes that lead to the Loader in this part
    };
    Graph graph;
    OpenedData data;
    std::array<Way, 3> ways;
    std::map<NodeId, std::set<NodeId>> above; ///< what each node depends on, itself included

    [[nodiscard]] std::uint64_t stepsThrough(const NodeId& node, std::size_t part) const;
    [[nodiscard]] bool passes(const NodeId& node, std::size_t part) const;
    Status readThrough(std::size_t part, std::uint64_t end, const std::set<std::string>& without,
                       std::int64_t index, std::uint64_t epoch, Sample& sample) const;
};

DataPreview::DataPreview(std::unique_ptr<const Opened> opened) : m_opened(std::move(opened)) {}
DataPreview::~DataPreview() = default;

Result<std::shared_ptr<const DataPreview>> DataPreview::open(const Project& project, const NodeId& node,
                                                             std::stop_token stop)
{
    if (project.data.find(node) == nullptr)
        return Error{ErrorCode::NotFound, "The data graph has no node '" + node + "'", dataPlace(node), {}, {}};
    Result<std::shared_ptr<const DataPreview>> whole = openGraph(project, stop);
    if ((whole && (*whole)->shows(node)) || stop.stop_requested())
        return stop.stop_requested() ? kCancelled : whole;
    Project upTo = project;
    Result<Graph> graph = endedAt(project.data, node);
    if (!graph)
        return graph.error();
    upTo.data = std::move(*graph);
    Result<std::shared_ptr<const DataPreview>> part = openGraph(upTo, stop);
    return stop.stop_requested() ? kCancelled : part;
}

Result<std::shared_ptr<const DataPreview>> DataPreview::openGraph(const Project& project, std::stop_token stop)
{
    const Result<DataPlan> plan = makeDataPlan(project.data);
    if (!plan)
        return plan.error();
    if (stop.stop_requested())
        return kCancelled;
    auto preview = std::make_unique<Opened>();
    try {
        Result<OpenedData> opened = openParts(project, *plan, 0);
        if (!opened)
            return opened.error();
        preview->data = std::move(*opened);
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::OutOfMemory, "There is not enough memory to open the data", "data",
                     "Close other programs, or take a smaller part of the data", {}};
    } catch (const std::exception& exception) {
        return Error{ErrorCode::Unreadable, "The data cannot be opened", "data", "Check its files", exception.what()};
    }
    preview->graph = project.data;
    for (const Node& node : project.data.nodes())
        preview->above[node.id] = above(project.data, node.id);
    for (std::size_t part = 0; part < preview->ways.size(); ++part) {
        if (!preview->data.parts[part])
            continue;
        const PlanBranch& branch = plan->branches[part] ? *plan->branches[part] : *plan->branches[0];
        Opened::Way& way = preview->ways[part];
        way.steps = branch.transforms;
        way.steps.insert(way.steps.end(), plan->transforms.begin(), plan->transforms.end());
        // The source may have others above it, which a look at the joined samples does not show apart.
        way.nodes.push_back(branch.source.id);
        for (const PlanNode& step : way.steps)
            way.nodes.push_back(step.id);
        for (const Node& node : project.data.nodes()) {
            const NodeFamily family = familyOf(node);
            if ((family == NodeFamily::Split || family == NodeFamily::Loader) &&
                preview->above[node.id].contains(branch.source.id) &&
                preview->above[plan->loader.id].contains(node.id))
                way.nodes.push_back(node.id);
        }
    }
    return std::shared_ptr<const DataPreview>(new DataPreview(std::move(preview)));
}

bool DataPreview::Opened::passes(const NodeId& node, std::size_t part) const
{
    const std::vector<NodeId>& nodes = ways[part].nodes;
    return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

bool DataPreview::shows(const NodeId& node) const
{
    return m_opened->passes(node, 0) || m_opened->passes(node, 1) || m_opened->passes(node, 2);
}

std::array<std::int64_t, 3> DataPreview::sizes(const NodeId& node) const
{
    std::array<std::int64_t, 3> sizes{};
    for (std::size_t part = 0; part < sizes.size(); ++part)
        if (m_opened->data.parts[part] && m_opened->passes(node, part))
            sizes[part] = m_opened->data.parts[part]->size();
    return sizes;
}

bool DataPreview::isTransform(const NodeId& node) const
{
    const Node* found = m_opened->graph.find(node);
    return found != nullptr && familyOf(*found) == NodeFamily::Transform;
}

bool DataPreview::isActive(const NodeId& node, DataPart part) const
{
    for (const PlanNode& step : m_opened->ways[static_cast<std::size_t>(part)].steps)
        if (step.id == node) {
            const std::string when = step.params.value("when", "always");
            return when == "always" || when == (part == DataPart::Train ? "train" : "eval");
        }
    return true;
}

/// The chain is a line, so what lies at or above a node is its beginning.
std::uint64_t DataPreview::Opened::stepsThrough(const NodeId& node, std::size_t part) const
{
    const std::set<NodeId>& needed = above.at(node);
    std::uint64_t steps = 0;
    while (steps < ways[part].steps.size() && needed.contains(ways[part].steps[steps].id))
        ++steps;
    return steps;
}

std::vector<FieldLayout> DataPreview::layouts(const NodeId& node, DataPart part) const
{
    const auto place = static_cast<std::size_t>(part);
    const TransformChain& chain = m_opened->data.parts[place]->chain;
    const bool atEnd = familyOf(*m_opened->graph.find(node)) == NodeFamily::Loader;
    return atEnd ? chain.layouts() : chain.layoutsBefore(m_opened->stepsThrough(node, place));
}

Status DataPreview::Opened::readThrough(std::size_t part, std::uint64_t end, const std::set<std::string>& without,
                                std::int64_t index, std::uint64_t epoch, Sample& sample) const
{
    const PartData& data = *this->data.parts[part];
    Value scratch;
    Status status = Done{};
    try {
        status = data.dataset->read(index, sample);
        if (status)
            status = data.chain.applyBefore(end, without, sample, scratch,
                                            {data.seed, epoch, static_cast<std::uint64_t>(index)});
    } catch (const std::bad_alloc&) {
        status = unreadable(ErrorCode::OutOfMemory, "There is not enough memory to read it", {});
    } catch (const std::exception& exception) {
        status = unreadable(ErrorCode::Unreadable, "It cannot be read", exception.what());
    }
    if (status)
        return status;
    Error error = status.error();
    if (error.where.empty())
        error.where = dataPlace(data.source);
    error.message.insert(0, data.dataset->sampleName(index) + ": ");
    return error;
}

Result<PreviewSample> DataPreview::read(const NodeId& node, DataPart part, std::int64_t position,
                                        std::uint64_t epoch) const
{
    const auto place = static_cast<std::size_t>(part);
    if (position < 0 || position >= sizes(node)[place])
        return Error{ErrorCode::InvalidArgument, "There is no such sample at this node", dataPlace(node), {}, {}};
    const PartData& data = *m_opened->data.parts[place];
    PreviewSample result;
    result.index = data.samples[static_cast<std::size_t>(position)];
    result.name = data.dataset->sampleName(result.index);
    Result<Sample> after = readAfter(node, part, position, epoch);
    if (!after)
        return after.error();
    result.after = std::move(*after);
    const std::uint64_t end = m_opened->stepsThrough(node, place);
    if (isTransform(node) && end > 0)
        if (const Status status = m_opened->readThrough(place, end - 1, {}, result.index, epoch, result.before); !status)
            return status.error();
    std::set<std::string> scaling;
    for (std::uint64_t step = 0; step < end; ++step)
        if (onlyScales(m_opened->ways[place].steps[step].kind))
            scaling.insert(m_opened->ways[place].steps[step].id);
    if (!scaling.empty())
        if (const Status status = m_opened->readThrough(place, end, scaling, result.index, epoch, result.picture); !status)
            result.picture.clear(); // a step behind cannot do without; the numbers themselves are shown then
    return Result<PreviewSample>(std::move(result));
}

Result<Sample> DataPreview::readAfter(const NodeId& node, DataPart part, std::int64_t position,
                                      std::uint64_t epoch) const
{
    const auto place = static_cast<std::size_t>(part);
    const PartData& data = *m_opened->data.parts[place];
    const std::int64_t index = data.samples[static_cast<std::size_t>(position)];
    Sample sample;
    if (familyOf(*m_opened->graph.find(node)) == NodeFamily::Loader) {
        Value scratch;
        if (const Status status = data.readSample(index, epoch, sample, scratch); !status)
            return status.error();
        return Result<Sample>(std::move(sample)); // a copy would borrow from what goes away
    }
    if (const Status status = m_opened->readThrough(place, m_opened->stepsThrough(node, place), {}, index, epoch, sample); !status)
        return status.error();
    return Result<Sample>(std::move(sample));
}

std::int64_t DataPreview::positionOf(const NodeId& node, DataPart part, std::int64_t index) const
{
    const auto place = static_cast<std::size_t>(part);
    if (sizes(node)[place] == 0)
        return -1;
    const std::vector<std::int64_t>& samples = m_opened->data.parts[place]->samples;
    const auto found = std::find(samples.begin(), samples.end(), index);
    return found == samples.end() ? -1 : found - samples.begin();
}

Result<std::vector<PreviewClasses>> DataPreview::classCounts(std::stop_token stop) const
{
    std::vector<PreviewClasses> all;
    const std::vector<FieldLayout>& fields = m_opened->data.parts[0]->dataset->fields();
    for (std::size_t field = 0; field < fields.size(); ++field) {
        if (fields[field].element != Element::Int64 || !fields[field].shape.empty())
            continue;
        PreviewClasses classes{fields[field].name, fields[field].classNames, {}};
        for (std::size_t part = 0; part < m_opened->data.parts.size(); ++part) {
            if (!m_opened->data.parts[part])
                continue;
            std::vector<std::int64_t>& counts = classes.counts[part];
            counts.resize(static_cast<std::size_t>(std::max<std::int64_t>(fields[field].classes, 0)));
            for (const std::int64_t index : m_opened->data.parts[part]->samples) {
                if (stop.stop_requested())
                    return kCancelled;
                // Labels that are no class are the check's matter; a number of them could be of any size.
                const std::int64_t value = m_opened->data.parts[part]->dataset->indexValue(field, index);
                if (value >= 0 && value < (std::int64_t{1} << 20)) {
                    counts.resize(std::max(counts.size(), static_cast<std::size_t>(value) + 1));
                    ++counts[static_cast<std::size_t>(value)];
                }
            }
        }
        all.push_back(std::move(classes));
    }
    return all;
}

} // namespace athanor
