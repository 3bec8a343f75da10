// What the mouse does on the canvas: wires, moves with guides, kinds dropped from the palette.
#include "ui/bridge/graph_placement.h"
#include "ui/graph/canvas_mime.h"
#include "ui/graph/comment_item.h"
#include "ui/graph/edge_item.h"
#include "ui/graph/graph_scene.h"
#include "ui/graph/node_text.h"

#include <QGraphicsSceneDragDropEvent>
#include <QGraphicsSceneHelpEvent>
#include <QGraphicsSceneMouseEvent>
#include <QGraphicsView>
#include <QMimeData>
#include <QPainter>
#include <QToolTip>

namespace athanor {
namespace {

constexpr double kSnapReach = 6;
constexpr double kGrid = 4;
constexpr double kPortReach = 9;    ///< px on the screen
constexpr double kEdgeReach = 12;   ///< scene units around the middle of what is dropped
constexpr std::size_t kGuided = 400; ///< others that are looked at for guides, the nearest in view

const NodeKind* draggedKind(const QMimeData* mime, GraphPart part)
{
    const QByteArray name = mime ? mime->data(QString::fromLatin1(kKindMime)) : QByteArray();
    return name.isEmpty() ? nullptr : catalogOf(part).find(name.toStdString());
}

/// The key of a group; empty for anything else.
QString draggedGroup(const QMimeData* mime, GraphPart part)
{
    const QString key = mime ? QString::fromUtf8(mime->data(QString::fromLatin1(kKindMime))) : QString();
    return part == GraphPart::Network && key.contains(u':') ? key : QString();
}

Rect plain(const QRectF& rect)
{
    return {rect.x(), rect.y(), rect.width(), rect.height()};
}

} // namespace

/// Ports keep their size under the finger when the view is small.
double GraphScene::reach() const
{
    const double zoom = views().isEmpty() ? 1 : views().first()->transform().m11();
    return kPortReach / std::min(1.0, std::max(zoom, 0.25));
}

NodeItem* GraphScene::nodeAt(const QPointF& point) const
{
    for (QGraphicsItem* item : items(point)) {
        if (auto* node = qgraphicsitem_cast<NodeItem*>(item)) {
            return node;
        }
    }
    return nullptr;
}

NodeItem* GraphScene::nodeWithPortAt(const QPointF& point, double reach) const
{
    NodeItem* best = nullptr;
    double nearest = reach;
    const QRectF around(point - QPointF(reach, reach), QSizeF(2 * reach, 2 * reach));
    for (QGraphicsItem* item : items(around, Qt::IntersectsItemBoundingRect)) {
        auto* node = qgraphicsitem_cast<NodeItem*>(item);
        const auto port = node ? node->portAt(point, nearest) : std::nullopt;
        if (port) {
            best = node;
            nearest = QLineF(node->portPoint(*port), point).length();
        }
    }
    return best;
}

EdgeItem* GraphScene::edgeAt(const QPointF& point) const
{
    for (QGraphicsItem* item : items(point)) {
        if (qgraphicsitem_cast<NodeItem*>(item)) {
            return nullptr;
        }
        if (auto* edge = qgraphicsitem_cast<EdgeItem*>(item)) {
            return edge;
        }
    }
    return nullptr;
}

CommentItem* GraphScene::commentAt(const QPointF& point) const
{
    for (QGraphicsItem* item : items(point)) {
        if (auto* comment = qgraphicsitem_cast<CommentItem*>(item)) {
            return comment;
        }
    }
    return nullptr;
}

EdgeItem* GraphScene::edgeInto(const NodeId& node, std::size_t place) const
{
    const auto found = m_edgesOf.find(node);
    if (found == m_edgesOf.end()) {
        return nullptr;
    }
    const auto edge = std::find_if(found->second.begin(), found->second.end(), [&](const EdgeItem* item) {
        return item->edge().to.node == node && item->inputPlace() == place;
    });
    return edge == found->second.end() ? nullptr : *edge;
}

void GraphScene::mousePressEvent(QGraphicsSceneMouseEvent* event)
{
    const bool plainLeft = event->button() == Qt::LeftButton && !(event->modifiers() & (Qt::ControlModifier | Qt::ShiftModifier));
    if (plainLeft && m_wire.press(event->scenePos(), reach())) {
        event->accept();
        return;
    }
    // Shift adds to the selection like Ctrl does; Qt's items know Ctrl only.
    if (event->modifiers().testFlag(Qt::ShiftModifier)) {
        event->setModifiers(event->modifiers() | Qt::ControlModifier);
    }
    QGraphicsScene::mousePressEvent(event);
    m_moving = event->button() == Qt::LeftButton && mouseGrabberItem() != nullptr;
}

void GraphScene::mouseMoveEvent(QGraphicsSceneMouseEvent* event)
{
    if (m_wire.isActive() && !m_wire.byKeys()) {
        m_wire.move(event->scenePos(), reach());
        return;
    }
    QGraphicsScene::mouseMoveEvent(event);
    if (m_moving && event->buttons().testFlag(Qt::LeftButton)) {
        snapDragged();
        markEdge(edgeForDragged());
    }
}

void GraphScene::mouseReleaseEvent(QGraphicsSceneMouseEvent* event)
{
    if (m_wire.isActive() && !m_wire.byKeys()) {
        m_wire.release(event->scenePos());
        return;
    }
    if (event->modifiers().testFlag(Qt::ShiftModifier)) {
        event->setModifiers(event->modifiers() | Qt::ControlModifier);
    }
    QGraphicsScene::mouseReleaseEvent(event);
    if (m_moving && event->button() == Qt::LeftButton) {
        m_moving = false;
        commitMoves();
        setGuides({});
        markEdge(nullptr);
    }
}

/// Corrects where the dragged nodes are by the guides of those that stay.
void GraphScene::snapDragged()
{
    QRectF dragged;
    bool moved = false;
    const QList<QGraphicsItem*> selected = selectedItems();
    for (QGraphicsItem* item : selected) {
        if (auto* node = qgraphicsitem_cast<NodeItem*>(item)) {
            const auto known = graph().positions().find(node->id());
            moved = moved || (known != graph().positions().end() && node->pos() != QPointF(known->second.x, known->second.y));
            dragged |= node->box();
        }
    }
    if (!moved) {
        return;
    }
    std::vector<Rect> others;
    const QRectF near = views().isEmpty() ? dragged.adjusted(-2000, -2000, 2000, 2000)
                                          : views().first()->mapToScene(views().first()->viewport()->rect()).boundingRect();
    for (QGraphicsItem* item : items(near, Qt::IntersectsItemBoundingRect)) {
        const auto* node = qgraphicsitem_cast<NodeItem*>(item);
        if (node && !node->isSelected() && others.size() < kGuided) {
            others.push_back(plain(node->box()));
        }
    }
    Snap snap = snapRect(plain(dragged), others, kSnapReach, kGrid);
    for (QGraphicsItem* item : selected) {
        if (item->flags().testFlag(QGraphicsItem::ItemIsMovable)) {
            item->moveBy(snap.dx, snap.dy);
        }
    }
    setGuides(std::move(snap.guides));
}

void GraphScene::setGuides(std::vector<Guide> guides)
{
    if (!guides.empty() || !m_guides.empty()) {
        m_guides = std::move(guides);
        update();
    }
}

EdgeItem* GraphScene::edgeForDragged() const
{
    const auto selected = selectedItems();
    const auto* node = selected.size() == 1 ? qgraphicsitem_cast<const NodeItem*>(selected.front()) : nullptr;
    if (!node || m_edgesOf.contains(node->id()) || node->places().inputs.empty() || node->places().outputs.empty()) {
        return nullptr;
    }
    const QPointF middle = node->box().center();
    for (QGraphicsItem* item : items(QRectF(middle - QPointF(kEdgeReach, kEdgeReach), QSizeF(2 * kEdgeReach, 2 * kEdgeReach)))) {
        if (auto* edge = qgraphicsitem_cast<EdgeItem*>(item)) {
            return edge;
        }
    }
    return nullptr;
}

void GraphScene::markEdge(EdgeItem* edge)
{
    if (edge == m_markedEdge) {
        return;
    }
    if (m_markedEdge) {
        m_markedEdge->setMarked(false);
    }
    m_markedEdge = edge;
    if (edge) {
        edge->setMarked(true);
    }
}

void GraphScene::commitMoves()
{
    std::map<NodeId, Position> nodes;
    std::map<std::string, Comment> comments;
    for (const QGraphicsItem* item : selectedItems()) {
        if (const auto* node = qgraphicsitem_cast<const NodeItem*>(item)) {
            const auto before = graph().positions().find(node->id());
            if (before != graph().positions().end() && node->pos() != QPointF(before->second.x, before->second.y)) {
                nodes[node->id()] = Position{node->pos().x(), node->pos().y()};
            }
        } else if (const auto* comment = qgraphicsitem_cast<const CommentItem*>(item)) {
            const auto before = graph().comments().find(comment->name());
            if (before != graph().comments().end() && !(comment->shown() == before->second)) {
                comments[comment->name()] = comment->shown();
            }
        }
    }
    if (nodes.empty() && comments.empty()) {
        return;
    }
    const EdgeItem* into = nodes.size() == 1 && comments.empty() ? m_markedEdge : nullptr;
    if (into) {
        const Edge edge = into->edge(); // the item goes with the edit
        m_editor.putIntoEdge(nodes.begin()->first, edge, nodes.begin()->second);
    } else {
        m_editor.place(nodes, comments);
    }
    for (const auto& [id, position] : nodes) {
        placeNode(id); // on the grid, or back where it was
    }
}

void GraphScene::helpEvent(QGraphicsSceneHelpEvent* event)
{
    const NodeItem* node = nodeWithPortAt(event->scenePos(), reach());
    const auto port = node ? node->portAt(event->scenePos(), reach()) : std::nullopt;
    if (!port) {
        QGraphicsScene::helpEvent(event);
        return;
    }
    const PortRef end{node->id(), node->portName(*port)};
    const PortPlace& place = (port->side == PortSide::Input ? node->places().inputs : node->places().outputs)[port->place];
    QString text = port->side == PortSide::Input
                       ? (place.optional ? tr("Input %1 (optional)") : tr("Input %1")).arg(QString::fromStdString(end.port))
                       : tr("Output %1: %2").arg(QString::fromStdString(end.port), typeText(m_editor.typeOf(end)));
    QToolTip::showText(event->screenPos(), text, event->widget());
    event->accept();
}

void GraphScene::dragEnterEvent(QGraphicsSceneDragDropEvent* event)
{
    event->setAccepted(draggedKind(event->mimeData(), m_part) || !draggedGroup(event->mimeData(), m_part).isEmpty());
}

void GraphScene::dragMoveEvent(QGraphicsSceneDragDropEvent* event)
{
    const NodeKind* kind = draggedKind(event->mimeData(), m_part);
    event->setAccepted(kind || !draggedGroup(event->mimeData(), m_part).isEmpty());
    const bool fits = kind && !kind->inputs.empty() && !kind->outputs.empty();
    markEdge(fits ? edgeAt(event->scenePos()) : nullptr);
}

void GraphScene::dragLeaveEvent(QGraphicsSceneDragDropEvent* event)
{
    markEdge(nullptr);
    event->accept();
}

void GraphScene::dropEvent(QGraphicsSceneDragDropEvent* event)
{
    const NodeKind* kind = draggedKind(event->mimeData(), m_part);
    if (const QString group = draggedGroup(event->mimeData(), m_part); !group.isEmpty()) {
        event->acceptProposedAction();
        Q_EMIT groupDropped(group, event->scenePos());
        return;
    }
    if (!kind) {
        event->ignore();
        return;
    }
    const std::optional<Edge> into = m_markedEdge ? std::optional(m_markedEdge->edge()) : std::nullopt;
    markEdge(nullptr);
    if (into) {
        m_editor.addIntoEdge(*kind, *into, event->scenePos());
    } else {
        m_editor.add(*kind, event->scenePos());
    }
    event->acceptProposedAction();
}

void GraphScene::drawForeground(QPainter* painter, const QRectF&)
{
    painter->setPen(QPen(m_style.color(ColorRole::Accent), 0, Qt::DashLine));
    for (const Guide& guide : m_guides) {
        const bool across = guide.axis == Axis::Horizontal;
        painter->drawLine(across ? QPointF(guide.begin, guide.at) : QPointF(guide.at, guide.begin),
                          across ? QPointF(guide.end, guide.at) : QPointF(guide.at, guide.end));
    }
}

} // namespace athanor
