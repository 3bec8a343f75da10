#include "engine/graph/resolved_kind.h"

#include "engine/graph/groups.h"

namespace athanor {
namespace {

KindPtr borrowed(const NodeKind* kind)
{
    return {std::shared_ptr<const void>(), kind};
}

KindPtr withPorts(const NodeKind& kind, std::vector<PortSpec> inputs, std::vector<PortSpec> outputs)
{
    auto own = std::make_shared<NodeKind>(kind);
    own->inputs = std::move(inputs);
    own->outputs = std::move(outputs);
    return own;
}

KindPtr ownKind(const NodeKind& kind, const Node& node)
{
    if (!kind.portsOf)
        return borrowed(&kind);
    NodePorts ports = kind.portsOf(node.params);
    return withPorts(kind, std::move(ports.inputs), std::move(ports.outputs));
}

std::vector<PortSpec> portsNamed(const std::vector<NodeId>& names)
{
    std::vector<PortSpec> ports;
    for (const NodeId& name : names)
        ports.push_back({.name = name});
    return ports;
}

} // namespace

KindPtr sharedKind(const NodeKind& owner, const NodeCatalog& catalog)
{
    const NodeKind* shared = catalog.find(kSharedKind);
    if (shared == nullptr)
        return nullptr;
    auto kind = std::make_shared<NodeKind>(*shared);
    kind->inputs = owner.inputs;
    kind->outputs = owner.outputs;
    return kind;
}

KindPtr resolveKind(const Graph& graph, const Node& node, const NodeCatalog& catalog)
{
    const NodeKind* kind = catalog.find(node.kind);
    if (kind == nullptr)
        return nullptr;
    if (isGroup(node)) {
        const Graph* inside = graph.definition(definitionOf(node));
        return inside == nullptr
                   ? borrowed(kind)
                   : withPorts(*kind, portsNamed(groupInputs(*inside)), portsNamed(groupOutputs(*inside)));
    }
    if (node.kind == kGroupInputKind)
        return withPorts(*kind, {}, kind->outputs);
    if (node.kind == kGroupOutputKind)
        return withPorts(*kind, kind->inputs, {});
    if (isShared(node)) {
        const Node* owner = graph.find(ownerOf(node));
        const KindPtr owners =
            owner == nullptr || isShared(*owner) ? nullptr : resolveKind(graph, *owner, catalog);
        return owners == nullptr ? borrowed(kind) : sharedKind(*owners, catalog);
    }
    return ownKind(*kind, node);
}

KindPtr resolveFlatKind(const Graph& flat, const Node& node, const NodeCatalog& catalog)
{
    const NodeKind* kind = isGroup(node) ? nullptr : catalog.find(node.kind);
    if (kind == nullptr)
        return nullptr;
    if (!isShared(node))
        return ownKind(*kind, node);
    const Node* owner = flat.find(ownerOf(node));
    const NodeKind* owners = owner == nullptr || isShared(*owner) ? nullptr : catalog.find(owner->kind);
    return owners == nullptr ? nullptr : sharedKind(*ownKind(*owners, *owner), catalog);
}

} // namespace athanor
