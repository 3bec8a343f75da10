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

} // namespace

EdgeItem::EdgeItem(Edge edge, const NodeItem& from, const NodeItem& to, const CanvasStyle& style)
    : m_edge(std::move(edge)), m_from(from), m_to(to), m_style(style)
{
    setFlag(ItemIsSelectable);
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

void EdgeItem::setPlaces(std::size_t out, std::size_t in)
{
    m_out = out;
    m_in = in;
    reroute();
}

void EdgeItem::setMarked(bool marked)
{
    if (marked != m_marked) {
        m_marked = marked;
        update();
    }
}

void EdgeItem::reroute()
{
    const QPointF start = m_from.portPoint({PortSide::Output, m_out});
    const QPointF end = m_to.portPoint({PortSide::Input, m_in});
    const QPointF direction = m_style.isSideways() ? QPointF(1, 0) : QPointF(0, 1);
    if (start == m_start && end == m_end && direction == m_direction) {
        return;
    }
    m_start = start;
    m_end = end;
    m_direction = direction;
    m_curve = wireCurve(start, end, direction);
    updateBounds();
}

QPointF EdgeItem::middle() const
{
    if (m_curve.elementCount() < 4) {
        return (m_start + m_end) / 2;
    }
    // The curve is one cubic: (p0 + 3·p1 + 3·p2 + p3) / 8 halfway. pointAtPercent() measures its length first.
    return (m_start + m_end + 3 * (QPointF(m_curve.elementAt(1)) + QPointF(m_curve.elementAt(2)))) / 8;
}

void EdgeItem::updateBounds()
{
    prepareGeometryChange();
    m_shape.clear();
    m_label = {};
    if (!m_look.shape.isEmpty()) {
        const QSizeF size = QFontMetricsF(m_style.mono).size(Qt::TextSingleLine, m_look.shape);
        m_label = QRectF(QPointF(), size + QSizeF(2 * spacing::kInside, 0));
        QPointF centre = middle();
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
    if (m_shape.isEmpty()) {
        QPainterPathStroker stroker;
        stroker.setWidth(kHoverWidth);
        m_shape = stroker.createStroke(m_curve);
        m_shape.addRect(m_label);
    }
    return m_shape;
}

void EdgeItem::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget*)
{
    const double zoom = QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter->worldTransform());
    const bool lit = m_marked || option->state.testFlag(QStyle::State_Selected);
    const QColor line = m_style.color(lit ? ColorRole::Accent : m_look.bad ? ColorRole::Bad : ColorRole::Muted);
    painter->setBrush(Qt::NoBrush);
    if (zoom < kDetailZoom) {
        painter->setPen(QPen(line, lit ? 2 / zoom : 0));
        painter->drawLine(m_start, m_end);
        return;
    }
    painter->setPen(QPen(line, m_marked ? 3 : lit || m_look.bad ? 2 : 1.2));
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

QPainterPath wireCurve(const QPointF& start, const QPointF& end, const QPointF& direction)
{
    const QPointF gap = end - start;
    const double along = QPointF::dotProduct(gap, direction);
    // Backwards the curve swings out, so that it can be told from an edge the other way.
    const double reach = along >= 0 ? std::max(along / 2, std::min(40.0, gap.manhattanLength() / 3))
                                    : std::min(160.0, 40 - along / 3);
    QPainterPath curve(start);
    curve.cubicTo(start + direction * reach, end - direction * reach, end);
    return curve;
}

} // namespace athanor
