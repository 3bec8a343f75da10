// GUI thread. Fusion with our check boxes, our icons and one height for all fields.
#pragma once

#include "ui/theme/theme.h"

#include <QPointer>
#include <QProxyStyle>

namespace athanor {

class ThemeStyle final : public QProxyStyle {
public:
    explicit ThemeStyle(const Theme& theme);

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
    QIcon standardIcon(StandardPixmap icon, const QStyleOption* option, const QWidget* widget) const override;
    QPixmap standardPixmap(StandardPixmap pixmap, const QStyleOption* option,
                           const QWidget* widget) const override;
    QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                           const QWidget* widget) const override;
    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;

private:
    void drawCheckBox(const QStyleOption& option, QPainter& painter) const;
    [[nodiscard]] QIcon ownIcon(StandardPixmap icon) const; ///< null: none of ours

    QPointer<const Theme> m_theme; ///< the application keeps the style longer than the theme
};

} // namespace athanor
