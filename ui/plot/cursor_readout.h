// GUI thread. What the step cursor says in a plot, and how it is painted.
#pragma once

#include "ui/plot/series_reduce.h"

#include <QColor>
#include <QRect>
#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

class QPainter;

namespace athanor {

class Theme;

/// What the cursor shows at a step.
struct CursorReadout {
    struct Row {
        QColor color;
        Qt::PenStyle style = Qt::SolidLine;
        QString label;
        QString value;
        std::optional<PlotPoint> point; ///< where the dot goes
    };
    double step = 0;
    QString head;
    std::vector<Row> rows;
    QStringList notes; ///< texts of the marks at this step
    [[nodiscard]] QStringList lines() const;
};

/// Paints the box beside the cursor, inside `area`. Rows that do not fit are counted in its head line.
void paintReadout(QPainter& painter, const Theme& theme, const CursorReadout& readout, const QRect& area,
                  double cursorX);

} // namespace athanor
