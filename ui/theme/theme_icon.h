// GUI thread. Line icons drawn from SVG at the very size and scale of the screen, in a colour of the theme.
#pragma once

#include "ui/theme/theme.h"

#include <QIconEngine>
#include <QPointer>

namespace athanor {

/// Asks the theme for its colour each time it draws, so icons handed out before follow a change of scheme.
class ThemeIconEngine final : public QIconEngine {
public:
    ThemeIconEngine(const Theme& theme, QString name, ColorRole tint);

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override;
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override;
    [[nodiscard]] QIconEngine* clone() const override;
    QString key() const override;
    bool isNull() override;

private:
    [[nodiscard]] QColor color(QIcon::Mode mode) const;

    QPointer<const Theme> m_theme;
    QString m_name;
    ColorRole m_tint;
};

} // namespace athanor
