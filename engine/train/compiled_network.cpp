#include "engine/train/compiled_network.h"

#include "engine/graph/flat_graph.h"
#include "engine/graph/groups.h"
#include "engine/graph/name_match.h"
#include "engine/graph/resolved_kind.h"
#include "engine/train/autocast.h"
#include "engine/train/layers/layer.h"
#include "engine/script/torch_errors.h"

#include <torch/torch.h>

#include <algorithm>
#include <map>
#include <set>

namespace athanor {
namespace {

/// An output value of a node, by its place in the list of values of a pass.
using ValueIndex = std::size_t;
constexpr ValueIndex kNoValue = static_cast<ValueIndex>(-1); ///< nothing enters an optional port

/// One input of a node: where its value is, and whether nobody needs it afterwards.
struct Source {
    ValueIndex value = 0;
    bool lastUse = false;
};

struct Step {
    enum class What { Input, Layer, Loss } what = What::Layer;
    std::string field; // Input
    Layer layer;       // Layer
    LossLayer loss;    // Loss
    std::vector<Source> sources;
    ValueIndex firstOutput = 0;
    std::size_t outputs = 0;
    bool fullPrecision = false; // whatever autocast says
};

/// What is being thrown as an Error of a node; a layer may have said in which of its parameters it lies.
Error nodeError(const std::string& where)
{
    Error error = errorFromCurrentException(where);
    if (!error.where.starts_with("network"))
        error.where = error.where.empty() ? where : where + "/" + error.where;
    return error;
}

std::vector<std::string> splitId(const NodeId& id)
{
    std::vector<std::string> parts;
    std::size_t start = 0;
    for (auto slash = id.find('/'); slash != std::string::npos; slash = id.find('/', start)) {
        parts.push_back(id.substr(start, slash - start));
        start = slash + 1;
    }
    parts.push_back(id.substr(start));
    return parts;
}

/// Registers a node's module, making the groups above it as empty modules.
void registerModule(torch::nn::Module& root, const NodeId& id, const std::shared_ptr<torch::nn::Module>& module)
{
    auto parts = splitId(id);
    torch::nn::Module* parent = &root;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        const auto children = parent->named_children();
        const auto* found = children.find(parts[i]);
        parent = found ? found->get() : parent->register_module(parts[i], std::make_shared<torch::nn::Module>()).get();
    }
    parent->register_module(parts.back(), module);
}

/// Half precision as float32.
void makeFull(Tensors& inputs)
{
    for (auto& input : inputs)
        if (input.defined() && (input.scalar_type() == torch::kBFloat16 || input.scalar_type() == torch::kHalf))
            input = input.to(torch::kFloat);
}

std::size_t portIndex(const std::vector<PortSpec>& ports, const std::string& name)
{
    for (std::size_t i = 0; i < ports.size(); ++i)
        if (ports[i].name == name)
            return i;
    return 0; // an empty name is the first port
}

bool isTargetPort(const NodeKind& loss, const std::string& name)
{
    return loss.inputs.at(portIndex(loss.inputs, name)).isTarget;
}

/// Nodes whose every path ends at a loss's target.
std::set<NodeId> targetSide(const Graph& graph, const std::vector<NodeId>& order)
{
    std::set<NodeId> found;
    for (auto id = order.rbegin(); id != order.rend(); ++id) {
        const auto edges = graph.outgoing(*id);
        const auto leadsToTarget = [&](const Edge& edge) {
            const Node* next = graph.find(edge.to.node);
            const KindPtr kind = next ? resolveFlatKind(graph, *next, layerCatalog()) : nullptr;
            return kind && kind->isLoss() ? isTargetPort(*kind, edge.to.port) : found.contains(edge.to.node);
        };
        if (!edges.empty() && std::ranges::all_of(edges, leadsToTarget))
            found.insert(*id);
    }
    return found;
}

} // namespace

struct CompiledNetwork::Impl {
    std::shared_ptr<torch::nn::Module> root = std::make_shared<torch::nn::Module>();
    std::vector<NetworkNode> nodes;
    std::vector<Step> steps; // one per node
    std::vector<LossNode> losses;
    std::map<NodeId, std::shared_ptr<torch::nn::Module>> modules;
    std::vector<std::pair<std::size_t, NodeId>> shared; // steps that run another node's layer
    std::size_t values = 0;

    void addNode(const Graph& graph, const Node& node, const NodeCheck& check,
                 std::map<NodeId, ValueIndex>& firstOutputs);
    void shareLayers();
    void addModule(const NodeId& id, const std::shared_ptr<torch::nn::Module>& module);
    void markLastUses();
    Tensors gather(const Step& step, std::vector<torch::Tensor>& passing) const;
    void runLoss(const Step& step, const Tensors& inputs, ForwardPass& pass) const;
};

namespace {

/// Where a node's inputs come from, in port order; checkNetwork has made sure that each port has its edges.
std::vector<Source> sourcesOf(const Graph& graph, const Node& node, const NodeKind& kind,
                              const std::map<NodeId, ValueIndex>& firstOutputs)
{
    std::vector<std::vector<Source>> ports(kind.inputs.size());
    for (const auto& edge : graph.incoming(node.id)) {
        const KindPtr from = resolveFlatKind(graph, *graph.find(edge.from.node), layerCatalog());
        const auto value = firstOutputs.at(edge.from.node) + portIndex(from->outputs, edge.from.port);
        ports.at(portIndex(kind.inputs, edge.to.port)).push_back({value});
    }
    std::vector<Source> sources;
    for (std::size_t i = 0; i < ports.size(); ++i) {
        if (ports[i].empty() && !kind.inputs[i].variadic)
            sources.push_back({kNoValue});
        sources.insert(sources.end(), ports[i].begin(), ports[i].end());
    }
    return sources;
}

} // namespace

void CompiledNetwork::Impl::addNode(const Graph& graph, const Node& node, const NodeCheck& check,
                                    std::map<NodeId, ValueIndex>& firstOutputs)
{
    const KindPtr known = resolveFlatKind(graph, node, layerCatalog());
    const NodeKind& kind = *known;
    Step step;
    step.sources = sourcesOf(graph, node, kind, firstOutputs);
    if (isGroupPort(node)) { // passes on what enters it
        firstOutputs[node.id] = step.sources.front().value;
        return;
    }
    const Node* layer = isShared(node) ? graph.find(ownerOf(node)) : &node; // whose layer it runs
    if (layer != &node) {
        shared.emplace_back(steps.size(), layer->id);
    } else if (kind.family == NodeFamily::Input) {
        step.what = Step::What::Input;
        step.field = textParam(check.params, "field");
    } else if (kind.isLoss()) {
        step.what = Step::What::Loss;
        step.loss = makeLoss(node.id, node.kind, check.params);
        losses.push_back(step.loss.node);
        addModule(node.id, step.loss.module);
    } else {
        const auto builder = layerTable().find(node.kind);
        if (builder == layerTable().end())
            throw PlacedError({ErrorCode::Unsupported, "This version cannot run nodes of the kind " + node.kind + ".",
                               "network/" + node.id + "/kind"});
        step.layer = builder->second(check.params);
        addModule(node.id, step.layer.module);
    }
    step.firstOutput = values;
    step.outputs = kind.outputs.size();
    firstOutputs[node.id] = values;
    values += step.outputs;
    nodes.push_back({node.id, layer->kind, resolveFlatKind(graph, *layer, layerCatalog())->family});
    steps.push_back(std::move(step));
}

/// Afterwards, because the node that owns a layer may come after those that share it.
void CompiledNetwork::Impl::shareLayers()
{
    for (const auto& [step, owner] : shared) {
        const auto place = std::ranges::find(nodes, owner, &NetworkNode::id) - nodes.begin();
        steps[step].layer = steps[static_cast<std::size_t>(place)].layer;
    }
}

void CompiledNetwork::Impl::addModule(const NodeId& id, const std::shared_ptr<torch::nn::Module>& module)
{
    if (!module)
        return;
    registerModule(*root, id, module);
    modules[id] = module;
}

void CompiledNetwork::Impl::markLastUses()
{
    std::set<ValueIndex> usedLater;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step)
        for (auto source = step->sources.rbegin(); source != step->sources.rend(); ++source)
            source->lastUse = source->value != kNoValue && usedLater.insert(source->value).second;
}

Tensors CompiledNetwork::Impl::gather(const Step& step, std::vector<torch::Tensor>& passing) const
{
    Tensors inputs;
    for (const auto& source : step.sources) {
        if (source.value == kNoValue)
            inputs.emplace_back();
        else if (source.lastUse)
            inputs.push_back(std::move(passing[source.value]));
        else
            inputs.push_back(passing[source.value]);
    }
    return inputs;
}

void CompiledNetwork::Impl::runLoss(const Step& step, const Tensors& inputs, ForwardPass& pass) const
{
    LossOutput output = step.loss.forward(inputs);
    const double weight = step.loss.node.weight;
    const auto weighted = weight == 1 ? output.value : output.value * weight;
    pass.loss = pass.loss.defined() ? pass.loss + weighted : weighted;
    pass.outputs.push_back(std::move(output));
}

CompiledNetwork::CompiledNetwork(std::unique_ptr<Impl> impl)
    : m_impl(std::move(impl))
{
}
CompiledNetwork::CompiledNetwork(CompiledNetwork&&) noexcept = default;
CompiledNetwork& CompiledNetwork::operator=(CompiledNetwork&&) noexcept = default;
CompiledNetwork::~CompiledNetwork() = default;

Result<CompiledNetwork> CompiledNetwork::compile(const Graph& network, const GraphCheck& check)
{
    std::string where = "network";
    try {
        auto impl = std::make_unique<Impl>();
        std::map<NodeId, ValueIndex> firstOutputs;
        const Graph flat = flattened(network).graph;
        const auto order = flat.topologicalOrder();
        for (const auto& id : order) {
            where = "network/" + id;
            impl->addNode(flat, *flat.find(id), check.nodes.at(id), firstOutputs);
        }
        impl->shareLayers();
        const auto targets = targetSide(flat, order);
        for (auto& node : impl->nodes)
            node.feedsOnlyTargets = targets.contains(node.id);
        impl->markLastUses();
        return CompiledNetwork(std::move(impl));
    } catch (...) {
        return nodeError(where);
    }
}

const std::vector<NetworkNode>& CompiledNetwork::nodes() const
{
    return m_impl->nodes;
}

const std::vector<LossNode>& CompiledNetwork::lossNodes() const
{
    return m_impl->losses;
}

torch::nn::Module& CompiledNetwork::module()
{
    return *m_impl->root;
}

torch::nn::Module* CompiledNetwork::module(const NodeId& node)
{
    const auto found = m_impl->modules.find(node);
    return found == m_impl->modules.end() ? nullptr : found->second.get();
}

void CompiledNetwork::keepInFullPrecision(const std::vector<std::string>& globs)
{
    for (std::size_t i = 0; i < m_impl->steps.size(); ++i)
        m_impl->steps[i].fullPrecision = std::ranges::any_of(
            globs, [&](const std::string& glob) { return matchesGlob(glob, m_impl->nodes[i].id); });
}

ForwardPass CompiledNetwork::forward(const DataBatch& batch, NodeObserver* observer)
{
    ForwardPass pass;
    std::vector<torch::Tensor> passing(m_impl->values);
    std::size_t i = 0;
    try {
        for (; i < m_impl->steps.size(); ++i) {
            const Step& step = m_impl->steps[i];
            if (step.what == Step::What::Input) {
                passing[step.firstOutput] = batch.fields.at(step.field);
                if (observer)
                    observer->afterNode(i, passing[step.firstOutput]);
                continue;
            }
            const AutocastPause pause(step.fullPrecision);
            Tensors inputs = m_impl->gather(step, passing);
            if (pause.active())
                makeFull(inputs);
            if (step.what == Step::What::Loss) {
                m_impl->runLoss(step, inputs, pass);
                continue;
            }
            std::ranges::move(step.layer.forward(std::move(inputs)),
                              passing.begin() + static_cast<std::ptrdiff_t>(step.firstOutput));
            if (observer)
                observer->afterNode(i, passing[step.firstOutput]);
        }
    } catch (...) {
        throw PlacedError(nodeError("network/" + m_impl->nodes[i].id));
    }
    return pass;
}

} // namespace athanor
