#include "ui/graph/node_item.h"

#include "ui/bridge/graph_placement.h"

#include <QFontMetricsF>
#include <QLineF>
#include <QPainter>
#include <QPainterPath>
#include <QStyleOptionGraphicsItem>

#include <algorithm>
#include <cmath>

namespace athanor {
namespace {

constexpr double kFamilyWidth = 4;
constexpr double kOutline = 2; ///< of a selected node; half of it lies outside the box
constexpr double kPortRadius = 3.5;
constexpr double kTargetRadius = 6; ///< of the port that a wire would end at
constexpr double kBadgeSize = 14;
constexpr double kActivityHeight = 3;
constexpr double kPileStep = 4; ///< how far the sheets of a group's pile show
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
    const double room = std::max({kOutline, kTargetRadius + 1, 2 * kPileStep + 1});
    return kBox.adjusted(-room, -room, room, room);
}

void NodeItem::setPlaces(NodePlaces places)
{
    if (places == m_places) {
        return;
    }
    m_places = std::move(places);
    update();
}

const std::vector<PortPlace>& NodeItem::placesOn(PortSide side) const
{
    return side == PortSide::Input ? m_places.inputs : m_places.outputs;
}

const std::string& NodeItem::portName(PortHit port) const
{
    return placesOn(port.side).at(port.place).port;
}

/// Spread evenly over their side; one place is its middle.
QPointF NodeItem::localPort(PortHit port) const
{
    const double count = std::max<double>(1, static_cast<double>(placesOn(port.side).size()));
    const double share = (static_cast<double>(port.place) + 1) / (count + 1);
    const bool input = port.side == PortSide::Input;
    if (m_style.isSideways()) {
        return {input ? kBox.left() : kBox.right(), kBox.top() + kBox.height() * share};
    }
    return {kBox.left() + kBox.width() * share, input ? kBox.top() : kBox.bottom()};
}

QPointF NodeItem::portPoint(PortHit port) const
{
    return localPort(port) + pos();
}

std::optional<PortHit> NodeItem::portAt(const QPointF& scenePoint, double reach) const
{
    std::optional<PortHit> best;
    double nearest = reach;
    for (const PortSide side : {PortSide::Input, PortSide::Output}) {
        for (std::size_t place = 0; place < placesOn(side).size(); ++place) {
            const double distance = QLineF(portPoint({side, place}), scenePoint).length();
            if (distance <= nearest) {
                nearest = distance;
                best = PortHit{side, place};
            }
        }
    }
    return best;
}

void NodeItem::setTarget(TargetMark mark, std::optional<PortHit> port)
{
    if (mark == m_target && port == m_targetPort) {
        return;
    }
    m_target = mark;
    m_targetPort = port;
    update();
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
    const QColor line = outline(selected);
    const bool marked = selected || m_target != TargetMark::None;
    if (zoom < kDetailZoom) {
        painter->fillRect(kBox, family);
        if (marked || m_look.badge == Severity::Error) {
            painter->setPen(QPen(line, kOutline / zoom));
            painter->setBrush(Qt::NoBrush);
            painter->drawRect(kBox);
        }
        return;
    }
    if (m_look.isGroup) {
        paintPile(*painter);
    }
    QPainterPath box;
    box.addRoundedRect(kBox, spacing::kRadius, spacing::kRadius);
    painter->fillPath(box, m_style.color(ColorRole::Raised));
    painter->save();
    painter->setClipPath(box, Qt::IntersectClip);
    painter->fillRect(QRectF(0, 0, kFamilyWidth, kBox.height()), family);
    paintActivity(*painter);
    painter->restore();
    painter->setPen(QPen(line, marked ? kOutline : 1, m_look.isShared ? Qt::DashLine : Qt::SolidLine));
    painter->setBrush(Qt::NoBrush);
    painter->drawPath(box);
    paintTexts(*painter);
    paintBadges(*painter);
    paintPorts(*painter);
}

/// The edges of two sheets below a group's.
void NodeItem::paintPile(QPainter& painter) const
{
    painter.setPen(QPen(m_style.color(ColorRole::Muted), 1));
    painter.setBrush(m_style.color(ColorRole::Raised));
    for (const double shift : {2 * kPileStep, kPileStep}) {
        painter.drawRoundedRect(kBox.translated(shift, shift), spacing::kRadius, spacing::kRadius);
    }
}

QColor NodeItem::outline(bool selected) const
{
    if (m_target != TargetMark::None) {
        return m_style.color(m_target == TargetMark::Accepts ? ColorRole::Good : ColorRole::Bad);
    }
    return m_style.color(selected                          ? ColorRole::Accent
                         : m_look.badge == Severity::Error ? ColorRole::Bad
                                                           : ColorRole::Border);
}

/// Outputs are dots; inputs that nothing feeds are rings, the others have an arrow's head.
void NodeItem::paintPorts(QPainter& painter) const
{
    const QColor line = m_style.color(ColorRole::Muted);
    for (const PortSide side : {PortSide::Input, PortSide::Output}) {
        for (std::size_t place = 0; place < placesOn(side).size(); ++place) {
            const PortPlace& port = placesOn(side)[place];
            if (side == PortSide::Input && port.taken) {
                continue;
            }
            const QColor fill = side == PortSide::Output && port.taken ? line : m_style.color(ColorRole::Raised);
            painter.setPen(QPen(line, 1.2, port.optional ? Qt::DotLine : Qt::SolidLine));
            painter.setBrush(fill);
            painter.drawEllipse(localPort({side, place}), kPortRadius, kPortRadius);
        }
    }
    if (m_targetPort && m_targetPort->place < placesOn(m_targetPort->side).size()) {
        painter.setPen(QPen(outline(false), kOutline));
        painter.setBrush(m_style.color(ColorRole::Raised));
        painter.drawEllipse(localPort(*m_targetPort), kTargetRadius - 1, kTargetRadius - 1);
    }
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
