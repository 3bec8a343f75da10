#include "engine/graph/activation_memory.h"

#include "engine/graph/groups.h"
#include "engine/graph/node_index.h"
#include "engine/graph/shape_rules.h"

#include <algorithm>
#include <set>
#include <vector>

namespace athanor {
namespace {

constexpr std::int64_t kFloatBytes = 4;
constexpr std::int64_t kIndexBytes = 8;

/// What the backward pass of a kind needs.
struct Kept {
    bool inputs = false;
    bool output = false;
    std::int64_t beside = 0; ///< bytes for each element of the output
    bool isView = false;     ///< the output is the input's memory
};

bool isOneOf(const std::string& kind, std::initializer_list<const char*> kinds)
{
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

// Gates and states of one layer and direction, per hidden element and step.
std::int64_t gatesOf(const std::string& kind)
{
    return kind == "LSTM" ? 6 : kind == "GRU" ? 5 : 2;
}

Kept recurrent(const std::string& kind, const Json& params)
{
    const std::int64_t layers = params.value("num_layers", Json(1)).is_number_integer()
                                    ? params.value("num_layers", Json(1)).get<std::int64_t>()
                                    : 1;
    return {true, false, gatesOf(kind) * layers * kFloatBytes, false};
}

Kept pooled(const std::string& kind)
{
    const bool hasIndices = kind.find("MaxPool") != std::string::npos;
    return {true, false, hasIndices ? kIndexBytes : 0, false};
}

Kept activated(const std::string& kind)
{
    if (isOneOf(kind, {"ReLU", "Sigmoid", "Tanh", "Softmax", "LogSoftmax"}))
        return {false, true, 0, false};
    return {true, false, kind == "Softsign" ? kFloatBytes : 0, false};
}

Kept combined(const std::string& kind)
{
    if (isOneOf(kind, {"Multiply", "Divide", "MatMul"}))
        return {true, false, 0, false};
    return {isOneOf(kind, {"Max", "Min"}), isOneOf(kind, {"Max", "Min"}), 0, false};
}

Kept keptBy(const NodeKind& kind, const Json& params)
{
    if (isOneOf(kind.kind, {"Identity", "GroupInput", "GroupOutput"}))
        return {false, false, 0, true};
    switch (kind.family) {
    case NodeFamily::Convolution:
    case NodeFamily::Linear:
    case NodeFamily::Normalization:
        return {true, false, 0, false};
    case NodeFamily::Pooling:
        return pooled(kind.kind);
    case NodeFamily::Activation:
        return activated(kind.kind);
    case NodeFamily::Dropout:
        return {false, false, kind.kind == "Dropout2d" || params.value("p", Json()) == 0 ? 0 : kFloatBytes, false};
    case NodeFamily::Shape:
        return {false, false, 0, isOneOf(kind.kind, {"Flatten", "Unflatten", "Reshape", "Permute", "Squeeze",
                                                     "Unsqueeze", "Slice"})};
    case NodeFamily::Combine:
        return combined(kind.kind);
    case NodeFamily::Embedding:
        return {true, false, 0, false};
    case NodeFamily::Recurrent:
        return recurrent(kind.kind, params);
    case NodeFamily::Attention: // query, key, value, what is attended to; a feed-forward part as much again
        return {true, false, (kind.kind == "MultiheadAttention" ? 4 : 12) * kFloatBytes, false};
    case NodeFamily::Loss: // log-probabilities, or the two that are compared
        return {!isOneOf(kind.kind, {"CrossEntropyLoss"}), false, 0, false};
    case NodeFamily::Script:
        return {true, true, 0, false};
    default:
        return {};
    }
}

Extent elements(const std::optional<TensorType>& type)
{
    if (!type || type->dims.empty() || type->dims.front() != kBatch)
        return kUnknown;
    return product(std::span(type->dims).subspan(1));
}

class MemoryWalk {
public:
    MemoryWalk(const Graph& graph, const GraphCheck& check) : m_graph(graph), m_nodes(graph), m_check(check) {}
    ActivationMemory run();

private:
    struct Tensor {
        NodeId owner; ///< whose memory it is: a view has its source's
        Extent elements = kUnknown;
        std::int64_t elementBytes = kFloatBytes;
    };
    void visit(const NodeId& id);
    void keep(const Tensor& tensor);
    void add(const NodeId& id, Extent bytes);

    const Graph& m_graph;
    NodeIndex m_nodes;
    const GraphCheck& m_check;
    std::map<NodeId, std::vector<const Edge*>> m_entering;
    std::map<NodeId, Tensor> m_outputs;
    std::set<NodeId> m_learning; ///< nodes whose output has a gradient
    std::set<NodeId> m_kept;
    ActivationMemory m_memory;
};

void MemoryWalk::add(const NodeId& id, Extent bytes)
{
    if (bytes >= 0)
        m_memory.bytes[id] = sum({m_memory.bytes[id], bytes});
}

void MemoryWalk::keep(const Tensor& tensor)
{
    if (m_kept.insert(tensor.owner).second)
        add(tensor.owner, product({tensor.elements, tensor.elementBytes}));
}

void MemoryWalk::visit(const NodeId& id)
{
    const Node& drawn = *m_nodes.find(id);
    const Node* owner = isShared(drawn) ? m_nodes.find(ownerOf(drawn)) : &drawn;
    const NodeKind* kind = owner != nullptr ? layerCatalog().find(owner->kind) : nullptr;
    const auto check = m_check.nodes.find(id);
    if (kind == nullptr || check == m_check.nodes.end())
        return;
    const auto settings = m_check.nodes.find(owner->id);
    const Kept kept = keptBy(*kind, settings == m_check.nodes.end() ? check->second.params : settings->second.params);
    std::vector<Tensor> inputs;
    bool learns = check->second.parameters > 0 || (settings != m_check.nodes.end() && settings->second.parameters > 0);
    for (const Edge* edge : m_entering[id]) {
        const auto source = m_outputs.find(edge->from.node);
        if (source != m_outputs.end())
            inputs.push_back(source->second);
        learns = learns || m_learning.contains(edge->from.node);
    }
    Tensor output{id};
    if (!check->second.outputs.empty() && check->second.outputs.front()) {
        output.elements = elements(check->second.outputs.front());
        if (check->second.outputs.front()->type == ElementType::Index)
            output.elementBytes = kIndexBytes;
    }
    if (kept.isView && !inputs.empty())
        output.owner = inputs.front().owner;
    if (output.elements >= 0)
        m_memory.bytes.try_emplace(id, 0);
    if (learns) {
        m_learning.insert(id);
        if (kept.inputs)
            std::for_each(inputs.begin(), inputs.end(), [&](const Tensor& tensor) { keep(tensor); });
        if (kept.output)
            keep(output);
        add(id, product({output.elements, kept.beside}));
        if (kind->kind == "CrossEntropyLoss" && inputs.size() == 2) { // its log-probabilities and the target
            add(id, product({inputs[0].elements, kFloatBytes}));
            keep(inputs[1]);
        }
    }
    m_outputs[id] = output;
}

ActivationMemory MemoryWalk::run()
{
    for (const Edge& edge : m_graph.edges())
        m_entering[edge.to.node].push_back(&edge);
    for (const NodeId& id : m_graph.topologicalOrder())
        visit(id);
    for (const auto& [id, bytes] : m_memory.bytes)
        m_memory.total = sum({m_memory.total, bytes});
    return std::move(m_memory);
}

} // namespace

ActivationMemory activationMemory(const Graph& flatNetwork, const GraphCheck& check)
{
    return MemoryWalk(flatNetwork, check).run();
}

} // namespace athanor
