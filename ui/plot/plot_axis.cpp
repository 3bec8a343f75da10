#include "ui/plot/plot_axis.h"

#include "ui/bridge/text_format.h"

#include <algorithm>
#include <cmath>

namespace athanor {
namespace {

constexpr double kPadding = 0.05;
constexpr int kMaxTicks = 1000; // a guard: ranges come from data

/// 1, 2 or 5 times a power of ten, at least `raw`.
double niceStep(double raw)
{
    const double magnitude = std::pow(10, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * magnitude >= raw * (1 - 1e-9))
            return factor * magnitude;
    }
    return 10 * magnitude;
}

QString valueLabel(double value, double step, double largest)
{
    if (std::abs(value) < step * 1e-6)
        return QStringLiteral("0");
    const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
    if (largest >= 1e6 || decimals > 4) {
        const int digits = static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9)) -
                           static_cast<int>(std::floor(std::log10(step) + 1e-9));
        QString text = QString::number(value, 'e', std::clamp(digits, 0, 6));
        const auto e = text.indexOf(QLatin1Char('e'));
        return text.left(e).replace(QLatin1Char('-'), QChar(0x2212)) + QLatin1Char('e') +
               QString::number(text.mid(e + 1).toInt());
    }
    if (decimals == 0)
        return countText(std::llround(value));
    return QString::number(value, 'f', decimals).replace(QLatin1Char('-'), QChar(0x2212));
}

std::vector<double> multiplesIn(const AxisRange& range, double step)
{
    std::vector<double> ticks;
    const double first = std::ceil(range.from / step - 1e-9);
    for (int i = 0; i < kMaxTicks; ++i) {
        const double tick = (first + i) * step;
        if (tick > range.to + step * 1e-9)
            break;
        ticks.push_back(tick);
    }
    return ticks;
}

QString decadeLabel(double value)
{
    const int exponent = static_cast<int>(std::lround(std::log10(value)));
    if (exponent >= -2 && exponent <= 4)
        return exponent < 0 ? QString::number(value, 'f', -exponent) : countText(std::llround(value));
    return QStringLiteral("1e%1").arg(exponent);
}

/// "0.02", "500", "2e-5": for ticks at 1, 2 or 5 times a power of ten.
QString oneDigitLabel(double value)
{
    const int exponent = static_cast<int>(std::floor(std::log10(value) + 1e-9));
    if (exponent >= -3 && exponent <= 5)
        return exponent < 0 ? QString::number(value, 'f', -exponent) : countText(std::llround(value));
    return QStringLiteral("%1e%2").arg(std::lround(value / std::pow(10, exponent))).arg(exponent);
}

/// Ticks at `factors` times each power of ten in the range.
std::vector<double> decadeTicks(const AxisRange& range, std::initializer_list<double> factors, int every)
{
    std::vector<double> ticks;
    const int last = static_cast<int>(std::ceil(std::log10(range.to)));
    for (int exponent = static_cast<int>(std::floor(std::log10(range.from))); exponent <= last; ++exponent) {
        if (exponent % every != 0)
            continue;
        for (const double factor : factors) {
            const double tick = factor * std::pow(10, exponent);
            if (tick >= range.from * (1 - 1e-9) && tick <= range.to * (1 + 1e-9))
                ticks.push_back(tick);
        }
    }
    return ticks;
}

} // namespace

AxisTicks linearTicks(const AxisRange& range, int maxCount, TickKind kind)
{
    AxisTicks ticks;
    if (!(range.width() > 0) || !std::isfinite(range.width()))
        return ticks;
    double step = niceStep(range.width() / std::max(1, maxCount));
    if (kind == TickKind::Steps)
        step = std::max(1.0, step);
    ticks.major = multiplesIn(range, step);
    const double largest = std::max(std::abs(range.from), std::abs(range.to));
    for (double& tick : ticks.major) {
        if (std::abs(tick) < step * 1e-6)
            tick = 0;
        ticks.labels.push_back(kind == TickKind::Steps ? countText(std::llround(tick))
                                                       : valueLabel(tick, step, largest));
    }
    return ticks;
}

AxisTicks logTicks(const AxisRange& range, int maxCount)
{
    AxisTicks ticks;
    if (!(range.from > 0) || !(range.to > range.from))
        return ticks;
    const double decades = std::log10(range.to / range.from);
    if (decades < 0.7)
        return linearTicks(range, maxCount, TickKind::Values);
    const int every = std::max(1, static_cast<int>(std::ceil(decades / std::max(1, maxCount))));
    const auto whole = decadeTicks(range, {1.0}, every);
    if (whole.size() >= 3 || decades > 3) {
        ticks.major = whole;
        for (const double tick : ticks.major)
            ticks.labels.push_back(decadeLabel(tick));
        if (every == 1)
            ticks.minor = decadeTicks(range, {2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0}, 1);
        return ticks;
    }
    ticks.major = decadeTicks(range, {1.0, 2.0, 5.0}, 1);
    for (const double tick : ticks.major)
        ticks.labels.push_back(oneDigitLabel(tick));
    return ticks;
}

AxisRange paddedRange(double minimum, double maximum, ValueScale scale)
{
    if (!std::isfinite(minimum) || !std::isfinite(maximum) || minimum > maximum)
        return scale == ValueScale::Log ? AxisRange{0.1, 10} : AxisRange{0, 1};
    if (scale == ValueScale::Log) {
        const double factor = std::max(1.05, std::pow(maximum / minimum, kPadding));
        const double from = std::max(minimum / factor, std::numeric_limits<double>::denorm_min());
        return {from, std::min(maximum * factor, std::numeric_limits<double>::max())};
    }
    double padding = (maximum - minimum) * kPadding;
    if (!std::isfinite(padding)) // the width of the data overflows
        return {minimum / 2, maximum / 2};
    const double flat = std::max(std::abs(minimum), std::abs(maximum)) * 1e-9;
    if (padding <= flat)
        padding = minimum == 0 && maximum == 0 ? 1 : std::max(std::abs(maximum) * 0.1, std::abs(minimum) * 0.1);
    AxisRange range{minimum - padding, maximum + padding};
    if (minimum >= 0)
        range.from = std::max(range.from, -0.02 * range.to);
    return range;
}

AxisRange zoomedRange(const AxisRange& range, double factor, double anchor, ValueScale scale)
{
    if (scale == ValueScale::Log) {
        return {anchor * std::pow(range.from / anchor, factor), anchor * std::pow(range.to / anchor, factor)};
    }
    return {anchor + (range.from - anchor) * factor, anchor + (range.to - anchor) * factor};
}

AxisRange pannedRange(const AxisRange& range, double share, ValueScale scale)
{
    if (scale == ValueScale::Log) {
        const double factor = std::pow(range.to / range.from, share);
        return {range.from * factor, range.to * factor};
    }
    return {range.from + range.width() * share, range.to + range.width() * share};
}

} // namespace athanor
