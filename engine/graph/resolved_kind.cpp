#include "engine/graph/resolved_kind.h"

namespace athanor {
namespace {

KindPtr borrowed(const NodeKind* kind)
{
    return {std::shared_ptr<const void>(), kind};
}

} // namespace

KindPtr resolveKind(const Graph& /*graph*/, const Node& node, const NodeCatalog& catalog)
{
    const NodeKind* kind = catalog.find(node.kind);
    if (kind == nullptr || !kind->portsOf)
        return borrowed(kind);
    auto own = std::make_shared<NodeKind>(*kind);
    NodePorts ports = kind->portsOf(node.params);
    own->inputs = std::move(ports.inputs);
    own->outputs = std::move(ports.outputs);
    return own;
}

} // namespace athanor
