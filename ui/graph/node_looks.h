// GUI thread (pure functions). What the nodes and edges of a graph show, worked out from the document.
#pragma once

#include "engine/graph/resolved_kind.h"
#include "ui/graph/edge_item.h"
#include "ui/graph/problem_places.h"

#include <unordered_map>

namespace athanor {

/// Looks at one state of the document; valid while that state lasts.
class NodeLooks {
public:
    NodeLooks(const ProjectDocument& document, GraphPart part);
    [[nodiscard]] NodeLook node(const Node& node) const;
    [[nodiscard]] EdgeLook edge(const Edge& edge) const;

private:
    [[nodiscard]] const NodeCheck* check(const NodeId& id) const;
    [[nodiscard]] KindPtr kindOf(const Node& node) const;
    [[nodiscard]] NodeId flatName(const NodeId& id) const;
    [[nodiscard]] const Node* ownerNode(const Node& shared) const;
    [[nodiscard]] bool isFrozen(const Node& node) const;
    [[nodiscard]] QString nodeToolTip(const Node& node, const NodeKind* kind) const;
    [[nodiscard]] const Problem* reason(const Edge& edge) const;

    const ProjectDocument& m_document;
    GraphPart m_part;
    std::map<NodeId, std::vector<NodeProblem>> m_problems;
    std::unordered_map<NodeId, const Node*> m_nodes;
};

/// Whether a pattern of `training.freeze` (a glob over state names such as `conv1.weight`) holds a node's
/// weights still.
bool freezes(const std::string& pattern, const NodeId& node);

/// Lines of plain text as a tooltip that wraps.
QString wrappedToolTip(const QString& plain);

} // namespace athanor
