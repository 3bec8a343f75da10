#include "ui/graph/comment_item.h"
#include "ui/graph/edge_item.h"
#include "ui/graph/graph_scene.h"

#include <QScopedValueRollback>
#include <QSignalBlocker>

namespace athanor {

std::optional<NodeId> GraphScene::current() const
{
    if (m_selection.part() != m_part || m_selection.nodes().empty()) {
        return std::nullopt;
    }
    return *m_selection.nodes().begin();
}

void GraphScene::selectOnly(const NodeId& id)
{
    m_selection.select(m_part, {id});
}

void GraphScene::selectAll()
{
    std::set<NodeId> ids;
    for (const Node& node : graph().nodes()) {
        ids.insert(node.id);
    }
    m_selection.select(m_part, std::move(ids));
}

void GraphScene::selectEdge(const Edge& edge)
{
    clearSelection();
    if (EdgeItem* item = edgeItem(edge)) {
        item->setSelected(true);
    }
}

void GraphScene::selectComments(const std::set<std::string>& names)
{
    for (const auto& [name, item] : m_comments) {
        item->setSelected(names.contains(name));
    }
}

CanvasChoice GraphScene::choice() const
{
    CanvasChoice choice;
    if (m_selection.part() == m_part) {
        choice.nodes = m_selection.nodes();
    }
    for (const QGraphicsItem* item : selectedItems()) {
        if (const auto* edge = qgraphicsitem_cast<const EdgeItem*>(item)) {
            choice.edges.push_back(edge->edge());
        } else if (const auto* comment = qgraphicsitem_cast<const CommentItem*>(item)) {
            choice.comments.insert(comment->name());
        }
    }
    return choice;
}

void GraphScene::syncSelection()
{
    const QScopedValueRollback guard(m_syncing, true);
    const bool ours = m_selection.part() == m_part;
    {
        const QSignalBlocker quiet(this); // each item would tell of itself; contentChanged() tells of all
        for (const auto& [id, item] : m_nodes) {
            item->setSelected(ours && m_selection.nodes().contains(id));
        }
    }
    Q_EMIT contentChanged();
}

/// Wires are selected only while no node is: a rubber band over a chain means its nodes, and deleting those joins
/// the neighbours, which needs their wires.
void GraphScene::reportSelection()
{
    if (m_syncing) {
        return;
    }
    std::set<NodeId> ids;
    std::vector<EdgeItem*> wires;
    for (QGraphicsItem* item : selectedItems()) {
        if (const auto* node = qgraphicsitem_cast<const NodeItem*>(item)) {
            ids.insert(node->id());
        } else if (auto* edge = qgraphicsitem_cast<EdgeItem*>(item)) {
            wires.push_back(edge);
        }
    }
    if (!ids.empty()) {
        const QScopedValueRollback guard(m_syncing, true);
        for (EdgeItem* wire : wires) {
            wire->setSelected(false);
        }
    }
    m_selection.select(m_part, std::move(ids));
}

void GraphScene::nudgeSelected(const QPointF& delta)
{
    edit::Move move;
    if (m_selection.part() == m_part) {
        for (const NodeId& id : m_selection.nodes()) {
            if (const auto position = graph().positions().find(id); position != graph().positions().end()) {
                move.to[id] = Position{position->second.x + delta.x(), position->second.y + delta.y()};
            }
        }
    }
    if (!move.to.empty()) {
        (void)m_document.push(m_part, GraphEdit{move}, tr("Move the selected nodes"), QStringLiteral("nudge"));
    }
}

void GraphScene::endNudge()
{
    m_document.endMerge();
}

} // namespace athanor
