// GUI thread. Plots as files: values as CSV, pictures as PNG, SVG and PDF.
#pragma once

#include "engine/base/result.h"
#include "engine/store/run_store.h"

#include <QSize>
#include <QString>

#include <functional>
#include <string>
#include <vector>

class QPaintDevice;

namespace athanor {

struct NamedPoints {
    std::string name;
    SeriesPoints points;
};

/// "step,a,b": one line per step that any of them has, empty cells where one has none; values read back
/// exactly, "nan", "inf" and "-inf" included. When a step comes twice in a series it has two lines.
QString csvText(const std::vector<NamedPoints>& curves);
Status writeText(const QString& file, const QString& text);

/// Paints on a device of the wanted kind and size; `paint` gets a painter of logical pixels.
using PaintPicture = std::function<void(QPaintDevice& device)>;
/// Writes .png (twice the resolution), .svg or .pdf, by the name's ending.
Status writePicture(const QString& file, const QSize& size, const QString& title, const PaintPicture& paint);

} // namespace athanor
