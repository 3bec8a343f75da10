#include "ui/graph/minimap.h"

#include "ui/graph/graph_scene.h"
#include "ui/graph/graph_view.h"

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include <chrono>

namespace athanor {
namespace {

constexpr QSize kSize(176, 112);
constexpr double kMargin = 40; ///< scene units around the nodes
constexpr std::chrono::milliseconds kRefresh{200};

} // namespace

Minimap::Minimap(GraphView& main) : QGraphicsView(&main), m_main(main)
{
    setObjectName(QStringLiteral("minimap"));
    setAccessibleName(tr("Overview"));
    setAccessibleDescription(tr("The whole graph; click or drag to move the view."));
    setScene(main.graphScene());
    setFixedSize(kSize);
    setInteractive(false);
    setFocusPolicy(Qt::NoFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setViewportUpdateMode(QGraphicsView::NoViewportUpdate);
    setCursor(Qt::PointingHandCursor);
    connect(&m_timer, &QTimer::timeout, this, &Minimap::refresh);
    m_timer.start(kRefresh);
}

void Minimap::refresh()
{
    if (!m_changed || !m_main.isVisible()) {
        return;
    }
    m_changed = false;
    const GraphScene& graph = *m_main.graphScene();
    setVisible(!graph.isEmpty());
    if (graph.isEmpty()) {
        return;
    }
    const QRectF shown = graph.nodesRect().adjusted(-kMargin, -kMargin, kMargin, kMargin);
    setSceneRect(shown);
    fitInView(shown, Qt::KeepAspectRatio);
    viewport()->update();
}

void Minimap::drawForeground(QPainter* painter, const QRectF& rect)
{
    const Theme& theme = m_main.graphScene()->theme();
    const QRectF seen = m_main.mapToScene(m_main.viewport()->rect()).boundingRect();
    QColor veil = theme.color(ColorRole::Text);
    veil.setAlphaF(0.10F);
    QPainterPath outside;
    outside.addRect(rect);
    outside.addRect(seen.intersected(rect));
    outside.setFillRule(Qt::OddEvenFill);
    painter->fillPath(outside, veil);
    painter->setPen(QPen(theme.color(ColorRole::Accent), 0));
    painter->setBrush(Qt::NoBrush);
    const double pixel = 1 / transform().m11();
    painter->drawRect(seen.intersected(rect.adjusted(pixel, pixel, -pixel, -pixel)));
}

void Minimap::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton) {
        m_main.centreAt(scenePoint(event->position().toPoint()));
    }
}

void Minimap::mouseMoveEvent(QMouseEvent* event)
{
    if (event->buttons().testFlag(Qt::LeftButton)) {
        m_main.centreAt(scenePoint(event->position().toPoint()));
    }
}

void Minimap::mouseReleaseEvent(QMouseEvent* event)
{
    event->accept(); // not for the canvas below
}

void Minimap::wheelEvent(QWheelEvent* event)
{
    event->accept();
}

} // namespace athanor
