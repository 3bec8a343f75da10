#include "ui/theme/theme_style.h"

#include <QPainter>
#include <QStyleFactory>
#include <QStyleOption>

#include <algorithm>

namespace athanor {
namespace {

constexpr int kFieldHeight = 28; ///< of combo and spin boxes; line edits have it by the style sheet
constexpr int kIndicatorSize = 14;

} // namespace

ThemeStyle::ThemeStyle(const Theme& theme)
    : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))), m_theme(&theme)
{}

// Fusion derives the frame of a check box from the window's colour, which a dark theme makes invisible.
void ThemeStyle::drawCheckBox(const QStyleOption& option, QPainter& painter) const
{
    const bool isEnabled = option.state.testFlag(State_Enabled);
    const bool isOn = option.state.testFlag(State_On);
    const bool isPartial = option.state.testFlag(State_NoChange);
    const auto color = [this](ColorRole role) { return m_theme->color(role); };
    const QRectF box = QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5);

    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setOpacity(isEnabled ? 1.0 : 0.4);
    const bool isFilled = isOn || isPartial;
    const bool isLit = option.state.testFlag(State_HasFocus) || option.state.testFlag(State_MouseOver);
    painter.setPen(color(isFilled || isLit ? ColorRole::Accent : ColorRole::Muted));
    painter.setBrush(color(isFilled ? ColorRole::Accent : ColorRole::Raised));
    painter.drawRoundedRect(box, 3, 3);
    painter.setPen(QPen(color(ColorRole::AccentText), 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const auto at = [&box](double x, double y) {
        return QPointF(box.left() + x * box.width(), box.top() + y * box.height());
    };
    if (isOn)
        painter.drawPolyline(QPolygonF{at(0.22, 0.52), at(0.42, 0.73), at(0.78, 0.28)});
    else if (isPartial)
        painter.drawLine(at(0.25, 0.5), at(0.75, 0.5));
    painter.restore();
}

void ThemeStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                               const QWidget* widget) const
{
    if (m_theme && (element == PE_IndicatorCheckBox || element == PE_IndicatorItemViewItemCheck))
        drawCheckBox(*option, *painter);
    else
        QProxyStyle::drawPrimitive(element, option, painter, widget);
}

QIcon ThemeStyle::ownIcon(StandardPixmap icon) const
{
    if (!m_theme)
        return {};
    switch (icon) {
    case SP_TitleBarCloseButton:
    case SP_DockWidgetCloseButton:
    case SP_LineEditClearButton:
        return m_theme->icon(QStringLiteral("close"), ColorRole::Muted);
    case SP_TitleBarNormalButton:
        return m_theme->icon(QStringLiteral("copy"), ColorRole::Muted);
    default:
        return {};
    }
}

QIcon ThemeStyle::standardIcon(StandardPixmap icon, const QStyleOption* option, const QWidget* widget) const
{
    const QIcon own = ownIcon(icon);
    return own.isNull() ? QProxyStyle::standardIcon(icon, option, widget) : own;
}

QPixmap ThemeStyle::standardPixmap(StandardPixmap pixmap, const QStyleOption* option,
                                   const QWidget* widget) const
{
    const QIcon own = ownIcon(pixmap);
    if (own.isNull())
        return QProxyStyle::standardPixmap(pixmap, option, widget);
    const int size = pixelMetric(PM_SmallIconSize, option, widget);
    return own.pixmap(QSize(size, size));
}

QSize ThemeStyle::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                                   const QWidget* widget) const
{
    QSize result = QProxyStyle::sizeFromContents(type, option, size, widget);
    if (type == CT_SpinBox || type == CT_ComboBox)
        result.setHeight(std::max(result.height(), kFieldHeight));
    return result;
}

int ThemeStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const
{
    if (metric == PM_IndicatorWidth || metric == PM_IndicatorHeight)
        return kIndicatorSize;
    return QProxyStyle::pixelMetric(metric, option, widget);
}

} // namespace athanor
