// GUI thread. Every colour, font size and icon of the window, in one place; no literals elsewhere.
#pragma once

#include <QColor>
#include <QFont>
#include <QIcon>
#include <QObject>
#include <QString>

class QApplication;

namespace athanor {

enum class ColorRole {
    Surface, ///< behind everything
    Raised,  ///< panels, cards, nodes
    Border,
    Text,
    Muted,
    Accent,
    AccentText, ///< on Accent
    Good,
    Warn,
    Bad,
    Grid, ///< plot grid, canvas dots
    // node families (4 px left edge)
    FamilyInput,
    FamilyLinear,
    FamilyConvolution,
    FamilyPooling,
    FamilyNormalization,
    FamilyActivation,
    FamilyDropout,
    FamilyShape,
    FamilyCombine,
    FamilyEmbedding,
    FamilyRecurrent,
    FamilyAttention,
    FamilyScript,
    FamilyGroup,
    FamilyLoss,
    FamilySource,
    FamilyTransform,
    FamilyOther,
    // Okabe–Ito order, safe for colour-blind eyes
    Series1,
    Series2,
    Series3,
    Series4,
    Series5,
    Series6,
    Series7,
    Series8,
    Count
};

enum class ColorScheme { System, Light, Dark };
enum class FontRole { Small, Body, Title, Mono }; ///< 11, 13, 16, 12 px at 100 %

namespace spacing { ///< the 4 px grid
inline constexpr int kInside = 4;
inline constexpr int kBetween = 8;
inline constexpr int kAround = 16;
inline constexpr int kRadius = 4;
} // namespace spacing

/// Owns the look. Made once in main, handed to whoever paints.
class Theme : public QObject {
    Q_OBJECT
public:
    explicit Theme(QObject* parent = nullptr);
    /// Colours, fonts and icons of a scheme for pictures; the application keeps its own look.
    explicit Theme(ColorScheme scheme);
    void setScheme(ColorScheme scheme); ///< applies Fusion style, palette and style sheet to the application
    [[nodiscard]] ColorScheme scheme() const { return m_scheme; }
    [[nodiscard]] bool isDark() const { return m_dark; }
    [[nodiscard]] QColor color(ColorRole role) const;
    [[nodiscard]] QColor seriesColor(int index) const; ///< Series1–8, repeating
    [[nodiscard]] QFont font(FontRole role) const;
    /// An SVG line icon of resources/icons ("play", "pause"), tinted for the scheme, disabled state dimmed.
    [[nodiscard]] QIcon icon(const QString& name) const;
    [[nodiscard]] QIcon icon(const QString& name, ColorRole tint) const;

Q_SIGNALS:
    void changed();

private:
    void apply();
    ColorScheme m_scheme = ColorScheme::System;
    bool m_dark = false;
};

} // namespace athanor
