// Any thread (plain data). Ranges of an axis and the ticks on it.
#pragma once

#include "ui/plot/series_reduce.h"

#include <QString>

#include <vector>

namespace athanor {

struct AxisRange {
    double from = 0;
    double to = 1;
    [[nodiscard]] double width() const { return to - from; }
    bool operator==(const AxisRange&) const = default;
};

struct AxisTicks {
    std::vector<double> major;
    std::vector<double> minor;
    std::vector<QString> labels; ///< one per major tick
};

enum class TickKind { Steps, Values };

/// At most about `maxCount` major ticks at 1, 2 or 5 times a power of ten; Steps: whole numbers only.
AxisTicks linearTicks(const AxisRange& range, int maxCount, TickKind kind);
/// Decades, every n-th when there are many; 1, 2, 5 within a decade or two; like linear within less.
AxisTicks logTicks(const AxisRange& range, int maxCount);

/// The range that shows values from `minimum` to `maximum` with a little air; it is never empty and never
/// infinite. Values that are not negative do not get a negative axis.
AxisRange paddedRange(double minimum, double maximum, ValueScale scale);
/// The part of `range` around `anchor`, `factor` times as wide (evenly in the logarithm on a log scale).
AxisRange zoomedRange(const AxisRange& range, double factor, double anchor, ValueScale scale);
/// Moved by `share` of its width.
AxisRange pannedRange(const AxisRange& range, double share, ValueScale scale);

} // namespace athanor
