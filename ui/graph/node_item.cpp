#include "ui/graph/node_item.h"

#include "ui/bridge/graph_placement.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>
#include <QStyleOptionGraphicsItem>

#include <algorithm>
#include <cmath>

namespace athanor {
namespace {

constexpr double kFamilyWidth = 4;
constexpr double kOutline = 2; ///< of a selected node; half of it lies outside the box
constexpr double kBadgeSize = 14;
constexpr double kActivityHeight = 3;
constexpr double kTextLeft = kFamilyWidth + spacing::kBetween;

const QRectF kBox(0, 0, kNodeSize.width, kNodeSize.height);

QRectF badgeRect(int place)
{
    const double right = kBox.right() - spacing::kInside - place * (kBadgeSize + spacing::kInside);
    return {right - kBadgeSize, kBox.bottom() - kActivityHeight - spacing::kInside - kBadgeSize, kBadgeSize, kBadgeSize};
}

void paintProblemBadge(QPainter& painter, const QRectF& rect, const QColor& fill, const QColor& mark)
{
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawEllipse(rect);
    const double x = rect.center().x();
    painter.setPen(QPen(mark, 2, Qt::SolidLine, Qt::RoundCap));
    painter.drawLine(QPointF(x, rect.top() + 3.5), QPointF(x, rect.top() + 7.5));
    painter.drawPoint(QPointF(x, rect.bottom() - 3.5));
}

void paintLock(QPainter& painter, const QRectF& rect, const QColor& color)
{
    painter.setPen(QPen(color, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawArc(QRectF(rect.center().x() - 3, rect.top() + 1.5, 6, 8), 0, 180 * 16);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawRoundedRect(QRectF(rect.left() + 2.5, rect.top() + 6, rect.width() - 5, 6.5), 1, 1);
}

} // namespace

NodeItem::NodeItem(NodeId id, const CanvasStyle& style) : m_id(std::move(id)), m_style(style)
{
    setFlags(ItemIsMovable | ItemIsSelectable | ItemSendsGeometryChanges);
    setZValue(1); // above the edges
}

void NodeItem::setLook(NodeLook look)
{
    if (look == m_look) {
        return;
    }
    m_look = std::move(look);
    setToolTip(m_look.toolTip);
    update();
}

void NodeItem::setActivity(std::optional<double> gradientNorm)
{
    if (gradientNorm == m_activity) {
        return;
    }
    m_activity = gradientNorm;
    update(QRectF(0, kBox.bottom() - kActivityHeight - 1, kBox.width(), kActivityHeight + 1));
}

QRectF NodeItem::box() const
{
    return kBox.translated(pos());
}

QRectF NodeItem::boundingRect() const
{
    return kBox.adjusted(-kOutline, -kOutline, kOutline, kOutline);
}

QPainterPath NodeItem::shape() const
{
    QPainterPath path;
    path.addRect(kBox);
    return path;
}

double NodeItem::activityShare(double gradientNorm)
{
    constexpr double kLowest = -8;
    constexpr double kHighest = 2;
    if (!std::isfinite(gradientNorm)) {
        return 1;
    }
    if (gradientNorm <= 0) {
        return 0;
    }
    return std::clamp((std::log10(gradientNorm) - kLowest) / (kHighest - kLowest), 0.0, 1.0);
}

void NodeItem::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget*)
{
    const double zoom = QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter->worldTransform());
    const bool selected = option->state.testFlag(QStyle::State_Selected);
    const QColor family = m_style.color(m_look.family);
    const QColor outline = m_style.color(selected                                    ? ColorRole::Accent
                                         : m_look.badge == Severity::Error           ? ColorRole::Bad
                                                                                     : ColorRole::Border);
    if (zoom < kDetailZoom) {
        painter->fillRect(kBox, family);
        if (selected || m_look.badge == Severity::Error) {
            painter->setPen(QPen(outline, kOutline / zoom));
            painter->setBrush(Qt::NoBrush);
            painter->drawRect(kBox);
        }
        return;
    }
    QPainterPath box;
    box.addRoundedRect(kBox, spacing::kRadius, spacing::kRadius);
    painter->fillPath(box, m_style.color(ColorRole::Raised));
    painter->save();
    painter->setClipPath(box, Qt::IntersectClip);
    painter->fillRect(QRectF(0, 0, kFamilyWidth, kBox.height()), family);
    paintActivity(*painter);
    painter->restore();
    painter->setPen(QPen(outline, selected ? kOutline : 1));
    painter->setBrush(Qt::NoBrush);
    painter->drawPath(box);
    paintTexts(*painter);
    paintBadges(*painter);
}

void NodeItem::paintTexts(QPainter& painter) const
{
    const int badges = (m_look.badge ? 1 : 0) + (m_look.frozen ? 1 : 0);
    const double width = kBox.width() - kTextLeft - spacing::kBetween;
    const QRectF nameRow(kTextLeft, 6, width, 20);
    const QRectF kindRow(kTextLeft, 27, width - badges * (kBadgeSize + spacing::kInside), 16);
    painter.setFont(m_style.body);
    painter.setPen(m_style.color(ColorRole::Text));
    painter.drawText(nameRow, Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetricsF(m_style.body).elidedText(m_look.name, Qt::ElideMiddle, nameRow.width()));
    painter.setFont(m_style.small);
    painter.setPen(m_style.color(ColorRole::Muted));
    painter.drawText(kindRow, Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetricsF(m_style.small).elidedText(m_look.kindLine, Qt::ElideRight, kindRow.width()));
}

void NodeItem::paintBadges(QPainter& painter) const
{
    int place = 0;
    if (m_look.badge) {
        const ColorRole role = *m_look.badge == Severity::Error     ? ColorRole::Bad
                               : *m_look.badge == Severity::Warning ? ColorRole::Warn
                                                                    : ColorRole::Accent;
        paintProblemBadge(painter, badgeRect(place++), m_style.color(role), m_style.color(ColorRole::Raised));
    }
    if (m_look.frozen) {
        paintLock(painter, badgeRect(place), m_style.color(ColorRole::Muted));
    }
}

void NodeItem::paintActivity(QPainter& painter) const
{
    if (!m_activity) {
        return;
    }
    const double length = (kBox.width() - kFamilyWidth) * activityShare(*m_activity);
    const ColorRole role = std::isfinite(*m_activity) ? ColorRole::Accent : ColorRole::Bad;
    painter.fillRect(QRectF(kFamilyWidth, kBox.bottom() - kActivityHeight, length, kActivityHeight),
                     m_style.color(role));
}

QVariant NodeItem::itemChange(GraphicsItemChange change, const QVariant& value)
{
    if (change == ItemPositionHasChanged && m_moved) {
        m_moved();
    }
    return QGraphicsItem::itemChange(change, value);
}

} // namespace athanor
