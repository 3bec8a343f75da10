#include "ui/theme/theme.h"

#include "ui/theme/style_sheet.h"
#include "ui/theme/theme_colors.h"
#include "ui/theme/theme_icon.h"
#include "ui/theme/theme_style.h"

#include <QApplication>
#include <QFontDatabase>
#include <QPalette>
#include <QStyleHints>

// The macro must be expanded outside of any namespace.
static void registerResources()
{
    Q_INIT_RESOURCE(resources);
}

namespace athanor {
namespace {

#if QT_VERSION < QT_VERSION_CHECK(6, 5, 0)
// Before Qt 6.5 the palette that the platform set is the only word of the system on the matter, and it is
// gone once the application sets its own.
bool platformPaletteIsDark()
{
    static const bool dark = [] {
        const QPalette palette = QGuiApplication::palette();
        return palette.color(QPalette::WindowText).lightness() > palette.color(QPalette::Window).lightness();
    }();
    return dark;
}
#endif

bool systemIsDark()
{
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
    return QGuiApplication::styleHints()->colorScheme() == Qt::ColorScheme::Dark;
#else
    return platformPaletteIsDark();
#endif
}

QPalette makePalette(bool dark)
{
    const auto color = [dark](ColorRole role) { return themeColor(role, dark); };
    QPalette palette;
    palette.setColor(QPalette::Window, color(ColorRole::Surface));
    palette.setColor(QPalette::WindowText, color(ColorRole::Text));
    palette.setColor(QPalette::Base, color(ColorRole::Raised));
    palette.setColor(QPalette::AlternateBase, color(ColorRole::Surface));
    palette.setColor(QPalette::ToolTipBase, color(ColorRole::Raised));
    palette.setColor(QPalette::ToolTipText, color(ColorRole::Text));
    palette.setColor(QPalette::PlaceholderText, color(ColorRole::Muted));
    palette.setColor(QPalette::Text, color(ColorRole::Text));
    palette.setColor(QPalette::Button, color(ColorRole::Raised));
    palette.setColor(QPalette::ButtonText, color(ColorRole::Text));
    palette.setColor(QPalette::BrightText, color(ColorRole::Bad));
    palette.setColor(QPalette::Light, color(ColorRole::Raised));
    palette.setColor(QPalette::Midlight, color(ColorRole::Grid));
    palette.setColor(QPalette::Mid, color(ColorRole::Border));
    palette.setColor(QPalette::Dark, color(ColorRole::Muted));
    palette.setColor(QPalette::Shadow, dark ? color(ColorRole::Surface).darker() : color(ColorRole::Muted));
    palette.setColor(QPalette::Highlight, color(ColorRole::Accent));
    palette.setColor(QPalette::HighlightedText, color(ColorRole::AccentText));
    palette.setColor(QPalette::Link, color(ColorRole::Accent));
    palette.setColor(QPalette::LinkVisited, color(ColorRole::Accent));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, color(ColorRole::Muted));
    return palette;
}

} // namespace

Theme::Theme(QObject* parent) : QObject(parent)
{
    registerResources();
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
    connect(QGuiApplication::styleHints(), &QStyleHints::colorSchemeChanged, this, [this] {
        if (m_scheme == ColorScheme::System)
            apply();
    });
#endif
    m_dark = systemIsDark();
}

Theme::Theme(ColorScheme scheme) : m_scheme(scheme)
{
    registerResources();
    m_dark = scheme == ColorScheme::System ? systemIsDark() : scheme == ColorScheme::Dark;
}

void Theme::setScheme(ColorScheme scheme)
{
    m_scheme = scheme;
    apply();
}

void Theme::apply()
{
    m_dark = m_scheme == ColorScheme::System ? systemIsDark() : m_scheme == ColorScheme::Dark;
    QApplication::setStyle(new ThemeStyle(*this));
    QApplication::setPalette(makePalette(m_dark));
    QApplication::setFont(font(FontRole::Body));
    qApp->setStyleSheet(styleSheet(m_dark));
    Q_EMIT changed();
}

QColor Theme::color(ColorRole role) const
{
    return themeColor(role, m_dark);
}

QColor Theme::seriesColor(int index) const
{
    constexpr int kCount = 8;
    const int place = ((index % kCount) + kCount) % kCount;
    return color(static_cast<ColorRole>(static_cast<int>(ColorRole::Series1) + place));
}

QFont Theme::font(FontRole role) const
{
    if (role == FontRole::Mono) {
        QFont mono = QFontDatabase::systemFont(QFontDatabase::FixedFont);
        mono.setPixelSize(12);
        return mono;
    }
    QFont font = QFontDatabase::systemFont(QFontDatabase::GeneralFont);
    font.setPixelSize(role == FontRole::Small ? 11 : role == FontRole::Body ? 13 : 16);
    if (role == FontRole::Title)
        font.setWeight(QFont::DemiBold);
    return font;
}

QIcon Theme::icon(const QString& name) const
{
    return icon(name, ColorRole::Text);
}

QIcon Theme::icon(const QString& name, ColorRole tint) const
{
    return QIcon(new ThemeIconEngine(*this, name, tint));
}

} // namespace athanor
