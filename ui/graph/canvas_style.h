// GUI thread. What the items of one canvas share for painting: the theme and its fonts, looked up once.
#pragma once

#include "engine/graph/graph_layout.h"
#include "ui/theme/theme.h"

#include <QFont>

namespace athanor {

/// Below this zoom a node is a box with its colour and an edge a straight line.
inline constexpr double kDetailZoom = 0.4;

struct CanvasStyle {
    explicit CanvasStyle(const Theme& usedTheme) : theme(&usedTheme) { refresh(); }
    /// Fonts anew after a change of the theme.
    void refresh()
    {
        body = theme->font(FontRole::Body);
        small = theme->font(FontRole::Small);
        mono = theme->font(FontRole::Mono);
    }
    [[nodiscard]] QColor color(ColorRole role) const { return theme->color(role); }

    [[nodiscard]] bool isSideways() const { return flow == LayoutDirection::LeftToRight; }

    const Theme* theme; ///< borrowed, outlives the canvas
    QFont body;
    QFont small;
    QFont mono;
    LayoutDirection flow = LayoutDirection::LeftToRight; ///< which sides the ports are on
};

} // namespace athanor
