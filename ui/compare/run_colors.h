// GUI thread (pure functions). Which run has which colour in a comparison, the same in all of its views.
#pragma once

#include <QColor>
#include <QIcon>

#include <cstddef>

namespace athanor {

class Theme;
struct Comparison;

/// The series colours in turn; from the ninth on the same colours with other lines.
QColor runColor(const Theme& theme, std::size_t run);
/// The colour that a person gave the run, else the one of its place.
QColor runColor(const Theme& theme, const Comparison& comparison, std::size_t run);
Qt::PenStyle runPenStyle(std::size_t run);
/// A small square of the colour, for table heads and lists.
QIcon colorIcon(const QColor& color);

} // namespace athanor
