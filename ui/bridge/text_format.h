// Any thread. How numbers, times and counts are written for people, the same everywhere in the window.
#pragma once

#include <QString>

#include <cstdint>

namespace athanor {

/// Four significant digits: 0.9731, 12.34, 1.230e-4; thin spaces between thousands; "NaN", "∞", "−∞".
QString numberText(double value);
/// A share from 0 to 1 as "97.3 %".
QString percentText(double share);
/// A count with thin spaces between thousands: "12 345".
QString countText(std::int64_t count);
/// "0.4 s", "12 s", "4 min 05 s", "2 h 03 min"; "–" for a negative time (unknown).
QString durationText(double seconds);
/// Local date and time of milliseconds since 1970-01-01 UTC: "2024-05-17 14:03:22".
QString timeText(std::int64_t wallMilliseconds);

} // namespace athanor
