#include "ui/shell/sample_card.h"

#include "ui/theme/theme.h"

#include <QPainter>
#include <QSvgRenderer>

#include <utility>

namespace athanor {
namespace {

constexpr QSize kCardSize(212, 204);
constexpr QSize kPlainSize(212, 88); ///< of a card without a picture
constexpr int kPictureHeight = 110; ///< the width inside the card at 16 to 9

} // namespace

SampleCard::SampleCard(const Theme& theme, SampleProject sample, QWidget* parent)
    : QAbstractButton(parent), m_theme(theme), m_sample(std::move(sample))
{
    setObjectName(m_sample.isTemplate ? QStringLiteral("templateCard") : QStringLiteral("sampleCard"));
    setText(m_sample.title);
    setAccessibleName(m_sample.title);
    setAccessibleDescription(m_sample.description);
    setToolTip(m_sample.description);
    setCursor(Qt::PointingHandCursor);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize SampleCard::sizeHint() const
{
    return m_sample.picture.isEmpty() ? kPlainSize : kCardSize;
}

void SampleCard::enterEvent(QEnterEvent* event)
{
    QAbstractButton::enterEvent(event);
    update();
}

void SampleCard::leaveEvent(QEvent* event)
{
    QAbstractButton::leaveEvent(event);
    update();
}

void SampleCard::paintPicture(QPainter& painter, const QRect& area) const
{
    QSvgRenderer renderer(m_sample.picture);
    renderer.setAspectRatioMode(Qt::KeepAspectRatio);
    renderer.render(&painter, area);
}

void SampleCard::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool isLit = underMouse() || hasFocus();
    painter.setPen(QPen(m_theme.color(isLit ? ColorRole::Accent : ColorRole::Border), isLit ? 2 : 1));
    painter.setBrush(m_theme.color(isDown() ? ColorRole::Grid : ColorRole::Raised));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), spacing::kRadius, spacing::kRadius);

    const QRect inner =
        rect().adjusted(spacing::kBetween, spacing::kBetween, -spacing::kBetween, -spacing::kBetween);
    QRect text = inner.adjusted(spacing::kInside, 0, -spacing::kInside, 0);
    if (!m_sample.picture.isEmpty()) {
        paintPicture(painter, QRect(inner.topLeft(), QSize(inner.width(), kPictureHeight)));
        text.setTop(inner.top() + kPictureHeight + spacing::kBetween);
    }
    QFont titleFont = m_theme.font(FontRole::Body);
    titleFont.setWeight(QFont::DemiBold);
    painter.setFont(titleFont);
    painter.setPen(m_theme.color(ColorRole::Text));
    const int titleHeight = painter.fontMetrics().height();
    painter.drawText(text, Qt::AlignLeft | Qt::AlignTop,
                     painter.fontMetrics().elidedText(m_sample.title, Qt::ElideRight, text.width()));
    text.adjust(0, titleHeight + spacing::kInside, 0, 0);
    painter.setFont(m_theme.font(FontRole::Small));
    painter.setPen(m_theme.color(ColorRole::Muted));
    painter.drawText(text, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, m_sample.description);
}

} // namespace athanor
