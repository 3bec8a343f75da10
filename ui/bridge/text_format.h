// Any thread. How numbers, times and counts are written for people, the same everywhere in the window:
// sensible digits, thin spaces between thousands, a true minus.
#pragma once

#include <QString>

#include <cstdint>

namespace athanor {

/// "0.01234", "12.3", "1 234 567", "1.23e-4", "NaN", "∞", "−∞". Values from 1e-3 up to 1e7 are written out,
/// with `digits` significant digits (at least all digits of the integer part).
QString numberText(double value, int digits = 4);
/// A number with its unit: "12.3 ms", "97.3 %".
QString numberText(double value, const QString& unit, int digits = 4);
/// A share from 0 to 1 as "97.3 %".
QString percentText(double share, int digits = 3);
/// A count: "1 234 567".
QString countText(std::int64_t count);
/// "0.4 s", "12 s", "4 min 05 s", "2 h 03 min", "3 d 4 h"; "–" for a negative time (unknown).
QString durationText(double seconds);
/// Local date and time of milliseconds since 1970-01-01 UTC: "2024-05-17 14:03:22".
QString timeText(std::int64_t wallMilliseconds);
/// A number for files and for editing: the shortest text that reads back exactly, "nan", "inf", "-inf".
QString exactText(double value);

} // namespace athanor
