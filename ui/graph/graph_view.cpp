#include "ui/graph/graph_view.h"

#include "ui/graph/minimap.h"
#include "ui/graph/node_item.h"

#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace athanor {
namespace {

constexpr double kZoomStep = 1.2;       ///< per wheel notch or key
constexpr double kSmallestZoom = 0.1;   ///< unless fitting needs less
constexpr double kReadableZoom = 0.8;   ///< texts of 11 px stay legible
constexpr double kLeastZoom = 1e-3;     ///< a view of no size asks for none at all
constexpr double kFitMargin = 24;
constexpr double kNudge = 4;
constexpr int kShownMargin = 40; ///< px kept around a node that is scrolled to

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

} // namespace

GraphView::GraphView(GraphScene& scene, QWidget* parent) : QGraphicsView(parent), m_scene(scene)
{
    const bool data = scene.part() == GraphPart::Data;
    setObjectName(data ? QStringLiteral("dataCanvas") : QStringLiteral("networkCanvas"));
    setAccessibleName(data ? tr("Data canvas") : tr("Network canvas"));
    setScene(&scene);
    setFrameShape(QFrame::NoFrame);
    setDragMode(RubberBandDrag);
    setRenderHint(QPainter::Antialiasing);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setViewportUpdateMode(SmartViewportUpdate);
    setOptimizationFlag(DontAdjustForAntialiasing); // items leave room for their outlines themselves
    setFocusPolicy(Qt::StrongFocus);
    m_minimap = new Minimap(*this);
    makeEmptyNote();
    connect(&scene, &GraphScene::rebuilt, this, [this] {
        updateEmptyNote();
        showStart();
    });
    connect(&scene, &GraphScene::contentChanged, this, [this] {
        updateSceneRect();
        updateEmptyNote();
        m_minimap->markChanged();
    });
    connect(this, &GraphView::viewChanged, m_minimap, &Minimap::markChanged);
    updateEmptyNote();
}

void GraphView::makeEmptyNote()
{
    m_emptyNote = new QWidget(this);
    m_emptyNote->setObjectName(QStringLiteral("emptyNote"));
    auto* column = new QVBoxLayout(m_emptyNote);
    column->setSpacing(spacing::kAround);
    m_emptyText = new QLabel(m_emptyNote);
    m_emptyText->setObjectName(QStringLiteral("emptyText"));
    m_emptyText->setProperty("look", QStringLiteral("muted"));
    m_emptyText->setAlignment(Qt::AlignCenter);
    m_emptyText->setWordWrap(true);
    m_emptyText->setMinimumWidth(360);
    m_openButton = new QPushButton(tr("Open a project…"), m_emptyNote);
    m_openButton->setObjectName(QStringLiteral("emptyOpenButton"));
    column->addWidget(m_emptyText);
    column->addWidget(m_openButton, 0, Qt::AlignHCenter);
    connect(m_openButton, &QPushButton::clicked, this, &GraphView::openRequested);
}

void GraphView::updateEmptyNote()
{
    const bool empty = m_scene.isEmpty();
    m_emptyNote->setVisible(empty);
    m_minimap->setVisible(!empty);
    if (!empty) {
        return;
    }
    const bool data = m_scene.part() == GraphPart::Data;
    if (!m_scene.projectIsOpen()) {
        m_emptyText->setText(data ? tr("No project is open, so there is no data to show.")
                                  : tr("No project is open, so there is no network to show."));
    } else {
        m_emptyText->setText(data ? tr("This project has no data yet: its file names no source. Open one that has, "
                                       "or add nodes to “data” in the file.")
                                  : tr("This project has no network yet: its file names no layers. Open one that has, "
                                       "or add nodes to “network” in the file."));
    }
    placeOverlays();
}

void GraphView::placeOverlays()
{
    const QRect area = viewport()->geometry();
    m_minimap->move(area.right() - m_minimap->width() - spacing::kBetween,
                    area.bottom() - m_minimap->height() - spacing::kBetween);
    m_emptyNote->adjustSize();
    m_emptyNote->move(area.center() - m_emptyNote->rect().center());
}

/// A view's width of free ground around the nodes, so that every node can be brought to the middle.
void GraphView::updateSceneRect()
{
    const double width = viewport()->width() / zoom();
    const double height = viewport()->height() / zoom();
    setSceneRect(m_scene.nodesRect().adjusted(-width, -height, width, height));
}

double GraphView::smallestZoom() const
{
    const QRectF all = m_scene.nodesRect();
    if (all.isEmpty()) {
        return kSmallestZoom;
    }
    const double width = (viewport()->width() - 2 * kFitMargin) / all.width();
    const double height = (viewport()->height() - 2 * kFitMargin) / all.height();
    return std::min(kSmallestZoom, std::max(kLeastZoom, std::min(width, height)));
}

/// The scene point under `anchor` (viewport px) stays where it is. Qt's own anchors go by the pointer of the
/// system, which is not always where the wheel was turned.
void GraphView::applyZoom(double wish, const QPoint& anchor)
{
    const double target = std::clamp(wish, smallestZoom(), kMaximumZoom);
    if (std::abs(target - zoom()) < 1e-9) {
        return;
    }
    m_framing = Framing::Free;
    const QPointF kept = mapToScene(anchor);
    setTransformationAnchor(NoAnchor);
    setTransform(QTransform::fromScale(target, target));
    updateSceneRect();
    const QPoint moved = mapFromScene(kept) - anchor;
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() + moved.x());
    verticalScrollBar()->setValue(verticalScrollBar()->value() + moved.y());
    Q_EMIT zoomChanged(zoom());
    Q_EMIT viewChanged();
}

void GraphView::setZoom(double zoom)
{
    applyZoom(zoom, viewport()->rect().center());
}

void GraphView::zoomIn()
{
    setZoom(zoom() * kZoomStep);
}

void GraphView::zoomOut()
{
    setZoom(zoom() / kZoomStep);
}

void GraphView::centreAt(const QPointF& scenePoint)
{
    m_framing = Framing::Free;
    centerOn(scenePoint);
}

void GraphView::fit()
{
    frame(Framing::All);
}

void GraphView::showStart()
{
    frame(Framing::Start);
}

/// Shows the part that is asked for, now and after every change of size: a view that is not laid out yet
/// has some other size first.
void GraphView::frame(Framing framing)
{
    if (framing == Framing::All) {
        frameAll();
    } else if (framing == Framing::Start) {
        frameStart();
    }
    m_framing = framing;
}

void GraphView::frameAll()
{
    const QRectF all = m_scene.nodesRect();
    if (all.isEmpty()) {
        return;
    }
    const double width = (viewport()->width() - 2 * kFitMargin) / all.width();
    const double height = (viewport()->height() - 2 * kFitMargin) / all.height();
    setZoom(std::min({width, height, 1.0}));
    centerOn(all.center());
}

void GraphView::frameStart()
{
    frameAll();
    if (m_scene.isEmpty() || zoom() >= kReadableZoom) {
        return;
    }
    setZoom(kReadableZoom);
    const QRectF all = m_scene.nodesRect();
    const double margin = kFitMargin / kReadableZoom;
    const double halfWidth = viewport()->width() / kReadableZoom / 2;
    const double halfHeight = viewport()->height() / kReadableZoom / 2;
    const bool wide = all.width() + 2 * margin > 2 * halfWidth;
    const bool tall = all.height() + 2 * margin > 2 * halfHeight;
    centerOn(wide ? all.left() - margin + halfWidth : all.center().x(),
             tall ? all.top() - margin + halfHeight : all.center().y());
}

void GraphView::layOut()
{
    m_scene.layOut(m_direction);
    showStart();
}

void GraphView::showNode(const NodeId& id)
{
    if (const NodeItem* item = m_scene.nodeItem(id)) {
        m_framing = Framing::Free;
        ensureVisible(item->box(), kShownMargin, kShownMargin);
    }
}

void GraphView::wheelEvent(QWheelEvent* event)
{
    const double notches = event->angleDelta().y() / 120.0;
    if (notches != 0) {
        applyZoom(zoom() * std::pow(kZoomStep, notches), event->position().toPoint());
    }
    event->accept();
}

void GraphView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::MiddleButton) {
        m_framing = Framing::Free;
        m_panFrom = event->position().toPoint();
        viewport()->setCursor(Qt::ClosedHandCursor);
        return;
    }
    QGraphicsView::mousePressEvent(event);
}

void GraphView::mouseMoveEvent(QMouseEvent* event)
{
    if (m_panFrom) {
        const QPoint moved = event->position().toPoint() - *m_panFrom;
        m_panFrom = event->position().toPoint();
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() - moved.x());
        verticalScrollBar()->setValue(verticalScrollBar()->value() - moved.y());
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

void GraphView::startSpacePan(bool on)
{
    m_framing = on ? Framing::Free : m_framing;
    setInteractive(!on);
    setDragMode(on ? ScrollHandDrag : RubberBandDrag);
}

bool GraphView::pressArrow(const QKeyEvent& event)
{
    const auto heading = headingOf(event.key());
    if (!heading) {
        return false;
    }
    if (event.modifiers().testFlag(Qt::AltModifier)) {
        m_scene.nudgeSelected(unitVector(*heading) * kNudge);
        return true;
    }
    const auto current = m_scene.current();
    const auto target = current ? arrowTarget(m_scene.graph(), *current, *heading)
                                : tabTarget(m_scene.graph(), std::nullopt, TabOrder::Forward);
    if (target) {
        m_scene.selectOnly(*target);
        showNode(*target);
    }
    return true;
}

bool GraphView::pressCommand(const QKeyEvent& event)
{
    const bool control = event.modifiers().testFlag(Qt::ControlModifier);
    switch (event.key()) {
    case Qt::Key_0:
        if (control) {
            setZoom(1);
        }
        return control;
    case Qt::Key_A:
        if (control) {
            m_scene.selectAll();
        }
        return control;
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoomIn(); return true;
    case Qt::Key_Minus: zoomOut(); return true;
    case Qt::Key_F:
        if (!control) {
            fit();
        }
        return !control;
    case Qt::Key_L:
        if (!control) {
            layOut();
        }
        return !control;
    case Qt::Key_Escape: m_scene.clearSelection(); return true;
    default: return false;
    }
}

void GraphView::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Space) {
        if (!event->isAutoRepeat()) {
            startSpacePan(true);
        }
        return;
    }
    if (!pressArrow(*event) && !pressCommand(*event)) {
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

void GraphView::resizeEvent(QResizeEvent* event)
{
    QGraphicsView::resizeEvent(event);
    updateSceneRect();
    frame(m_framing);
    placeOverlays();
    Q_EMIT viewChanged();
}

void GraphView::showEvent(QShowEvent* event)
{
    QGraphicsView::showEvent(event);
    m_minimap->markChanged();
}

void GraphView::scrollContentsBy(int dx, int dy)
{
    QGraphicsView::scrollContentsBy(dx, dy);
    Q_EMIT viewChanged();
}

bool GraphView::focusNextPrevChild(bool next)
{
    const auto target = tabTarget(m_scene.graph(), m_scene.current(), next ? TabOrder::Forward : TabOrder::Backward);
    if (!target) {
        return QGraphicsView::focusNextPrevChild(next);
    }
    m_scene.selectOnly(*target);
    showNode(*target);
    return true;
}

} // namespace athanor
