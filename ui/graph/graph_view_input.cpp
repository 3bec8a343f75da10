// What wheel, mouse, touchpad and keys do to the view.
#include "ui/graph/canvas_actions.h"
#include "ui/graph/comment_item.h"
#include "ui/graph/edge_item.h"
#include "ui/graph/graph_view.h"
#include "ui/graph/node_item.h"

#include <QContextMenuEvent>
#include <QInputDevice>
#include <QKeyEvent>
#include <QMenu>
#include <QNativeGestureEvent>
#include <QScrollBar>
#include <QWheelEvent>

#include <cmath>

namespace athanor {
namespace {

constexpr double kWheelZoom = 1.2; ///< per notch
constexpr double kNudge = 4;

std::optional<Heading> headingOf(int key)
{
    switch (key) {
    case Qt::Key_Left: return Heading::Left;
    case Qt::Key_Right: return Heading::Right;
    case Qt::Key_Up: return Heading::Up;
    case Qt::Key_Down: return Heading::Down;
    default: return std::nullopt;
    }
}

QPointF unitVector(Heading heading)
{
    switch (heading) {
    case Heading::Left: return {-1, 0};
    case Heading::Right: return {1, 0};
    case Heading::Up: return {0, -1};
    case Heading::Down: return {0, 1};
    }
    return {};
}

/// Fingers on a pad tell pixels and phases; a wheel tells notches. X11 gives both devices notches, but names them.
bool isTouchpad(const QWheelEvent& event)
{
    return event.device()->type() == QInputDevice::DeviceType::TouchPad ||
           (!event.pixelDelta().isNull() && event.phase() != Qt::NoScrollPhase);
}

} // namespace

void GraphView::wheelEvent(QWheelEvent* event)
{
    event->accept();
    const bool zooms = event->modifiers().testFlag(Qt::ControlModifier) || !isTouchpad(*event);
    const bool across = event->modifiers().testFlag(Qt::ShiftModifier);
    if (!zooms || across) {
        const QPointF by = event->pixelDelta().isNull() ? QPointF(event->angleDelta()) : QPointF(event->pixelDelta());
        pan(across && by.x() == 0 ? QPointF(by.y(), 0) : by);
        return;
    }
    const double notches = event->angleDelta().y() / 120.0;
    if (notches != 0) {
        applyZoom(zoom() * std::pow(kWheelZoom, notches), event->position().toPoint());
    }
}

void GraphView::pan(const QPointF& by)
{
    m_framing = Framing::Free;
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() - qRound(by.x()));
    verticalScrollBar()->setValue(verticalScrollBar()->value() - qRound(by.y()));
}

bool GraphView::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride && m_scene.wire().byKeys()) {
        event->accept(); // Delete takes a wire out then, not the nodes
        return true;
    }
    return QGraphicsView::event(event);
}

bool GraphView::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::Leave) {
        m_cursor.reset();
    }
    if (event->type() == QEvent::NativeGesture && nativeGesture(*static_cast<QNativeGestureEvent*>(event))) {
        return true;
    }
    return QGraphicsView::viewportEvent(event);
}

bool GraphView::nativeGesture(QNativeGestureEvent& event)
{
    switch (event.gestureType()) {
    case Qt::ZoomNativeGesture:
        applyZoom(zoom() * (1 + event.value()), event.position().toPoint());
        return true;
    case Qt::SmartZoomNativeGesture:
        if (zoom() < 1) {
            applyZoom(1, event.position().toPoint());
        } else {
            fit();
        }
        return true;
    case Qt::PanNativeGesture:
        pan(event.delta());
        return true;
    default:
        return false;
    }
}

void GraphView::mousePressEvent(QMouseEvent* event)
{
    m_cursor = event->position().toPoint();
    if (event->button() == Qt::MiddleButton) {
        m_framing = Framing::Free;
        m_panFrom = event->position().toPoint();
        viewport()->setCursor(Qt::ClosedHandCursor);
        return;
    }
    if (m_scene.wire().byKeys()) {
        m_scene.wire().cancel();
    }
    QGraphicsView::mousePressEvent(event);
}

void GraphView::mouseMoveEvent(QMouseEvent* event)
{
    m_cursor = event->position().toPoint();
    if (m_panFrom) {
        const QPoint moved = event->position().toPoint() - *m_panFrom;
        m_panFrom = event->position().toPoint();
        pan(moved);
        return;
    }
    QGraphicsView::mouseMoveEvent(event);
}

void GraphView::mouseReleaseEvent(QMouseEvent* event)
{
    if (m_panFrom && event->button() == Qt::MiddleButton) {
        m_panFrom.reset();
        viewport()->unsetCursor();
        return;
    }
    QGraphicsView::mouseReleaseEvent(event);
}

void GraphView::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !m_scene.projectIsOpen()) {
        QGraphicsView::mouseDoubleClickEvent(event);
        return;
    }
    const QPointF point = mapToScene(event->position().toPoint());
    if (const NodeItem* node = m_scene.nodeAt(point)) {
        const NodeId id = node->id(); // the item goes when a group opens
        openGroup(id);
        Q_EMIT nodeActivated(id);
    } else if (const EdgeItem* edge = m_scene.edgeAt(point)) {
        quickAddInto(edge->edge());
    } else if (const CommentItem* comment = m_scene.commentAt(point)) {
        editComment(comment->name());
    } else {
        quickAddAt(point, {});
    }
}

/// Over the thing under the cursor; by key, over what is selected. What is asked about becomes selected, unless it
/// is part of the selection.
void GraphView::contextMenuEvent(QContextMenuEvent* event)
{
    event->accept();
    if (!m_scene.projectIsOpen()) {
        return;
    }
    const bool byKey = event->reason() == QContextMenuEvent::Keyboard;
    const auto current = m_scene.current();
    const NodeItem* node = byKey ? (current ? m_scene.nodeItem(*current) : nullptr)
                                 : m_scene.nodeAt(mapToScene(event->pos()));
    const EdgeItem* edge = byKey ? nullptr : m_scene.edgeAt(mapToScene(event->pos()));
    const CommentItem* comment = byKey ? nullptr : m_scene.commentAt(mapToScene(event->pos()));
    QMenu* menu = nullptr;
    if (node) {
        if (!node->isSelected()) {
            m_scene.clearSelection();
            m_scene.selectOnly(node->id());
        }
        menu = m_actions->nodeMenu();
    } else if (edge) {
        m_scene.selectEdge(edge->edge());
        menu = m_actions->edgeMenu(edge->edge());
    } else if (comment) {
        m_scene.clearSelection();
        m_scene.selectComments({comment->name()});
        menu = m_actions->commentMenu(comment->name());
    } else {
        menu = m_actions->canvasMenu();
    }
    menu->popup(byKey && node ? viewport()->mapToGlobal(mapFromScene(node->box().bottomLeft())) : event->globalPos());
}

void GraphView::startSpacePan(bool on)
{
    m_framing = on ? Framing::Free : m_framing;
    setInteractive(!on);
    setDragMode(on ? ScrollHandDrag : RubberBandDrag);
}

bool GraphView::pressWireKey(const QKeyEvent& event)
{
    WireTool& wire = m_scene.wire();
    if (!wire.isActive()) {
        return false;
    }
    const auto heading = headingOf(event.key());
    if (heading) {
        wire.aim(*heading);
        return true;
    }
    switch (event.key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter: wire.accept(); return true;
    case Qt::Key_Delete: wire.cut(); return true;
    case Qt::Key_Escape: wire.cancel(); return true;
    default: return false;
    }
}

void GraphView::goTo(const std::optional<NodeId>& node)
{
    if (node) {
        m_scene.selectOnly(*node);
        showNode(*node);
    }
}

bool GraphView::pressArrow(const QKeyEvent& event)
{
    const auto heading = headingOf(event.key());
    const bool others = event.modifiers() & (Qt::ControlModifier | Qt::ShiftModifier);
    if (!heading || others) {
        return false;
    }
    if (event.modifiers().testFlag(Qt::AltModifier)) {
        m_scene.nudgeSelected(unitVector(*heading) * kNudge);
        return true;
    }
    const auto current = m_scene.current();
    goTo(current ? arrowTarget(m_scene.graph(), *current, *heading)
                 : tabTarget(m_scene.graph(), std::nullopt, TabOrder::Forward));
    return true;
}

bool GraphView::pressPlainKey(const QKeyEvent& event)
{
    switch (event.key()) {
    case Qt::Key_Home: goTo(tabTarget(m_scene.graph(), std::nullopt, TabOrder::Forward)); return true;
    case Qt::Key_End: goTo(tabTarget(m_scene.graph(), std::nullopt, TabOrder::Backward)); return true;
    case Qt::Key_Escape:
        if (m_scene.selectedItems().isEmpty()) {
            leaveGroup();
        }
        m_scene.clearSelection();
        return true;
    default: break;
    }
    const bool modified = event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier);
    const QString text = event.text();
    if (modified || text.isEmpty() || !text.front().isLetter() || !m_scene.projectIsOpen()) {
        return false;
    }
    quickAdd(text);
    return true;
}

void GraphView::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Space) {
        if (!event->isAutoRepeat()) {
            startSpacePan(true);
        }
        return;
    }
    if (!pressWireKey(*event) && !pressArrow(*event) && !pressPlainKey(*event)) {
        QGraphicsView::keyPressEvent(event);
    }
}

void GraphView::keyReleaseEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Space) {
        if (!event->isAutoRepeat()) {
            startSpacePan(false);
        }
        return;
    }
    if (event->key() == Qt::Key_Alt) {
        m_scene.endNudge();
    }
    QGraphicsView::keyReleaseEvent(event);
}

void GraphView::focusInEvent(QFocusEvent* event)
{
    QGraphicsView::focusInEvent(event);
    Q_EMIT focused();
}

void GraphView::focusOutEvent(QFocusEvent* event)
{
    startSpacePan(false); // its key release goes elsewhere
    m_scene.endNudge();
    QGraphicsView::focusOutEvent(event);
}

bool GraphView::focusNextPrevChild(bool next)
{
    if (m_scene.wire().byKeys()) {
        if (next) {
            m_scene.wire().nextInput();
        } else {
            m_scene.wire().nextOutput();
        }
        return true;
    }
    const auto target = tabTarget(m_scene.graph(), m_scene.current(), next ? TabOrder::Forward : TabOrder::Backward);
    if (!target) {
        return QGraphicsView::focusNextPrevChild(next);
    }
    goTo(target);
    return true;
}

} // namespace athanor
