#include "ui/graph/comment_item.h"

#include <QCursor>
#include <QFontMetricsF>
#include <QGraphicsSceneHoverEvent>
#include <QGraphicsSceneMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QStyleOptionGraphicsItem>

#include <algorithm>
#include <cmath>

namespace athanor {
namespace {

constexpr double kBorder = 6; ///< where the box can be grabbed
constexpr double kHandle = 14;
constexpr double kGrid = 4;
constexpr float kFill = 0.12F;
constexpr int kTextFlags = Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap;

QRectF padded(const QSizeF& size)
{
    return QRectF(QPointF(), size).adjusted(spacing::kBetween, spacing::kInside, -spacing::kBetween, -spacing::kInside);
}

} // namespace

const std::vector<std::pair<std::string, ColorRole>>& commentColors()
{
    static const std::vector<std::pair<std::string, ColorRole>> kColors{
        {"", ColorRole::Muted},
        {"Linear", ColorRole::FamilyLinear},
        {"Convolution", ColorRole::FamilyConvolution},
        {"Pooling", ColorRole::FamilyPooling},
        {"Normalization", ColorRole::FamilyNormalization},
        {"Activation", ColorRole::FamilyActivation},
        {"Combine", ColorRole::FamilyCombine},
        {"Loss", ColorRole::FamilyLoss},
    };
    return kColors;
}

CommentItem::CommentItem(std::string name, const CanvasStyle& style) : m_name(std::move(name)), m_style(style)
{
    setFlags(ItemIsMovable | ItemIsSelectable);
    setAcceptHoverEvents(true);
    setZValue(-1); // below edges and nodes
}

void CommentItem::setComment(const Comment& comment)
{
    prepareGeometryChange();
    m_comment = comment;
    m_size = {std::max(comment.width, kMinimumWidth), std::max(comment.height, kMinimumHeight)};
    setPos(comment.x, comment.y);
    setToolTip(QString::fromStdString(comment.text).toHtmlEscaped());
    update();
}

Comment CommentItem::shown() const
{
    const auto snapped = [](double value) { return std::round(value / kGrid) * kGrid; };
    Comment comment = m_comment;
    if (pos() != QPointF(comment.x, comment.y)) {
        comment.x = snapped(pos().x());
        comment.y = snapped(pos().y());
    }
    if (m_size != QSizeF(std::max(comment.width, kMinimumWidth), std::max(comment.height, kMinimumHeight))) {
        comment.width = snapped(m_size.width());
        comment.height = snapped(m_size.height());
    }
    return comment;
}

QRectF CommentItem::textRect() const
{
    return padded(m_size);
}

QRectF CommentItem::handle() const
{
    return {m_size.width() - kHandle, m_size.height() - kHandle, kHandle, kHandle};
}

QRectF CommentItem::boundingRect() const
{
    return QRectF(QPointF(), m_size).adjusted(-2, -2, 2, 2);
}

QPainterPath CommentItem::shape() const
{
    const QRectF all(QPointF(), m_size);
    QPainterPath path;
    path.addRect(all);
    QPainterPath inside;
    inside.addRect(all.adjusted(kBorder, kBorder, -kBorder, -kBorder));
    path = path.subtracted(inside);
    const double least = QFontMetricsF(m_style.body).height();
    const QRectF text = QFontMetricsF(m_style.body)
                            .boundingRect(textRect(), kTextFlags, QString::fromStdString(m_comment.text));
    QPainterPath grip;
    grip.addRect(QRectF(0, 0, m_size.width(), std::min(m_size.height(), std::max(text.bottom(), least + kBorder))));
    grip.addRect(handle());
    return path.united(grip);
}

void CommentItem::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget*)
{
    const double zoom = QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter->worldTransform());
    const auto& colors = commentColors();
    const auto known = std::find_if(colors.begin(), colors.end(),
                                    [&](const auto& entry) { return entry.first == m_comment.color; });
    const QColor line = m_style.color(known == colors.end() ? ColorRole::Muted : known->second);
    QColor fill = line;
    fill.setAlphaF(kFill);
    const bool selected = option->state.testFlag(QStyle::State_Selected);
    painter->setPen(QPen(selected ? m_style.color(ColorRole::Accent) : line, selected ? 2 : 1));
    painter->setBrush(fill);
    painter->drawRoundedRect(QRectF(QPointF(), m_size), spacing::kRadius, spacing::kRadius);
    if (zoom < kDetailZoom) {
        return;
    }
    painter->setFont(m_style.body);
    painter->setPen(m_style.color(ColorRole::Text));
    painter->drawText(textRect(), kTextFlags, QString::fromStdString(m_comment.text));
    painter->setPen(QPen(line, 1));
    for (const double reach : {4.0, 8.0}) {
        painter->drawLine(QPointF(m_size.width() - 3 - reach, m_size.height() - 3),
                          QPointF(m_size.width() - 3, m_size.height() - 3 - reach));
    }
}

void CommentItem::mousePressEvent(QGraphicsSceneMouseEvent* event)
{
    m_resizing = event->button() == Qt::LeftButton && handle().contains(event->pos());
    QGraphicsItem::mousePressEvent(event);
}

void CommentItem::mouseMoveEvent(QGraphicsSceneMouseEvent* event)
{
    if (m_resizing) {
        resizeTo({event->pos().x(), event->pos().y()});
        return;
    }
    QGraphicsItem::mouseMoveEvent(event);
}

void CommentItem::mouseReleaseEvent(QGraphicsSceneMouseEvent* event)
{
    m_resizing = false;
    QGraphicsItem::mouseReleaseEvent(event);
}

void CommentItem::resizeTo(const QSizeF& size)
{
    prepareGeometryChange();
    m_size = size.expandedTo({kMinimumWidth, kMinimumHeight});
    update();
}

void CommentItem::hoverMoveEvent(QGraphicsSceneHoverEvent* event)
{
    setCursor(handle().contains(event->pos()) ? Qt::SizeFDiagCursor : Qt::SizeAllCursor);
}

} // namespace athanor
