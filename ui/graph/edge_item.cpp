#include "ui/graph/edge_item.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPathStroker>
#include <QStyleOptionGraphicsItem>

#include <algorithm>

namespace athanor {
namespace {

constexpr double kArrow = 6;
constexpr double kHoverWidth = 10;

double laneShare(const EdgeLane& lane)
{
    return (lane.index + 1.0) / (lane.count + 1.0);
}

struct Route {
    QPointF start;
    QPointF end;
    QPointF direction;
};

/// Which sides the edge leaves and enters by follows from where the nodes are, so one drawing serves
/// layouts from left to right and from top to bottom.
Route routeBetween(const QRectF& from, const QRectF& to, const EdgeLane& out, const EdgeLane& in)
{
    const double across = to.left() - from.right();
    const double down = to.top() - from.bottom();
    const bool sideways = across >= 0 ? across >= down || down < 0 : down < 0;
    if (sideways) {
        return {{from.right(), from.top() + from.height() * laneShare(out)},
                {to.left(), to.top() + to.height() * laneShare(in)},
                {1, 0}};
    }
    return {{from.left() + from.width() * laneShare(out), from.bottom()},
            {to.left() + to.width() * laneShare(in), to.top()},
            {0, 1}};
}

} // namespace

EdgeItem::EdgeItem(Edge edge, const NodeItem& from, const NodeItem& to, const CanvasStyle& style)
    : m_edge(std::move(edge)), m_from(from), m_to(to), m_style(style)
{
    setAcceptedMouseButtons(Qt::NoButton);
    reroute();
}

void EdgeItem::setLook(EdgeLook look)
{
    if (look == m_look) {
        return;
    }
    m_look = std::move(look);
    setToolTip(m_look.toolTip);
    updateBounds();
    update();
}

void EdgeItem::setLanes(EdgeLane out, EdgeLane in)
{
    if (out == m_out && in == m_in) {
        return;
    }
    m_out = out;
    m_in = in;
    reroute();
}

void EdgeItem::reroute()
{
    const Route route = routeBetween(m_from.box(), m_to.box(), m_out, m_in);
    m_start = route.start;
    m_end = route.end;
    m_direction = route.direction;
    const QPointF gap = m_end - m_start;
    const double along = std::abs(QPointF::dotProduct(gap, m_direction));
    const double reach = std::max(along / 2, std::min(40.0, gap.manhattanLength() / 3));
    m_curve = QPainterPath(m_start);
    m_curve.cubicTo(m_start + m_direction * reach, m_end - m_direction * reach, m_end);
    updateBounds();
}

void EdgeItem::updateBounds()
{
    prepareGeometryChange();
    m_label = {};
    if (!m_look.shape.isEmpty()) {
        const QSizeF size = QFontMetricsF(m_style.mono).size(Qt::TextSingleLine, m_look.shape);
        m_label = QRectF(QPointF(), size + QSizeF(2 * spacing::kInside, 0));
        QPointF centre = m_curve.pointAtPercent(0.5);
        const bool sideways = m_direction.x() != 0;
        if (sideways && std::abs(m_end.x() - m_start.x()) < m_label.width() + 2 * kArrow) {
            // Too close together: above the two nodes instead of half hidden below them.
            centre.setY(std::min(m_from.box().top(), m_to.box().top()) - m_label.height() / 2 - spacing::kInside);
        }
        m_label.moveCenter(centre);
    }
    m_bounds = m_curve.boundingRect().united(m_label).adjusted(-kArrow, -kArrow, kArrow, kArrow);
}

QPainterPath EdgeItem::shape() const
{
    QPainterPathStroker stroker;
    stroker.setWidth(kHoverWidth);
    QPainterPath path = stroker.createStroke(m_curve);
    path.addRect(m_label);
    return path;
}

void EdgeItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*)
{
    const double zoom = QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter->worldTransform());
    const QColor line = m_style.color(m_look.bad ? ColorRole::Bad : ColorRole::Muted);
    painter->setBrush(Qt::NoBrush);
    if (zoom < kDetailZoom) {
        painter->setPen(QPen(line, 0));
        painter->drawLine(m_start, m_end);
        return;
    }
    painter->setPen(QPen(line, m_look.bad ? 2 : 1.2));
    painter->drawPath(m_curve);
    const QPointF side(-m_direction.y(), m_direction.x());
    const QPointF base = m_end - m_direction * kArrow;
    painter->setPen(Qt::NoPen);
    painter->setBrush(line);
    painter->drawPolygon(QPolygonF({m_end, base + side * (kArrow / 2), base - side * (kArrow / 2)}));
    if (!m_look.shape.isEmpty()) {
        painter->fillRect(m_label, m_style.color(ColorRole::Surface));
        painter->setFont(m_style.mono);
        painter->setPen(m_style.color(m_look.bad ? ColorRole::Bad : ColorRole::Text));
        painter->drawText(m_label, Qt::AlignCenter, m_look.shape);
    }
}

} // namespace athanor
