#include "engine/preflight/scan.h"
#include "engine/preflight/thresholds.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace athanor {
namespace {

/// SplitMix64's mixing function: the sum of mixed pairs does not depend on their order.
std::uint64_t mixed(std::uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/// Puts an extreme into a short sorted list; `before` says which of two values comes first.
template <typename Before>
void keepExtreme(std::vector<Extreme>& list, const Extreme& extreme, const Before& before)
{
    if (list.size() == limits::kExtremes && !before(extreme.value, list.back().value))
        return;
    const auto place = std::find_if(list.begin(), list.end(),
                                    [&](const Extreme& other) { return before(extreme.value, other.value); });
    list.insert(place, extreme);
    if (list.size() > limits::kExtremes)
        list.pop_back();
}

bool less(float a, float b)
{
    return a < b;
}

bool greater(float a, float b)
{
    return a > b;
}

} // namespace

void Moments::add(float value)
{
    ++count;
    const double distance = value - mean;
    mean += distance / static_cast<double>(count);
    squares += distance * (value - mean);
    least = std::min(least, value);
    most = std::max(most, value);
}

void Moments::merge(const Moments& other)
{
    if (other.count == 0)
        return;
    const auto all = static_cast<double>(count + other.count);
    const double distance = other.mean - mean;
    mean += distance * static_cast<double>(other.count) / all;
    squares += other.squares +
               distance * distance * static_cast<double>(count) * static_cast<double>(other.count) / all;
    count += other.count;
    least = std::min(least, other.least);
    most = std::max(most, other.most);
}

double Moments::deviation() const
{
    return count == 0 ? 0 : std::sqrt(std::max(0.0, squares / static_cast<double>(count)));
}

double Moments::size() const
{
    return std::hypot(mean, deviation());
}

void ColumnScan::note(float value, std::int64_t position)
{
    content += mixed(static_cast<std::uint64_t>(position) * 0x9e3779b97f4a7c15 +
                     std::bit_cast<std::uint32_t>(value));
    if (!std::isfinite(value)) {
        ++notFinite;
        return;
    }
    moments.add(value);
    keepExtreme(smallest, {value, position}, less);
    keepExtreme(largest, {value, position}, greater);
}

void ColumnScan::merge(const ColumnScan& other)
{
    moments.merge(other.moments);
    for (const Extreme& extreme : other.smallest)
        keepExtreme(smallest, extreme, less);
    for (const Extreme& extreme : other.largest)
        keepExtreme(largest, extreme, greater);
    notFinite += other.notFinite;
    content += other.content;
}

void FieldScan::merge(FieldScan&& other)
{
    if (columns.size() < other.columns.size())
        columns.resize(other.columns.size());
    for (std::size_t i = 0; i < other.columns.size(); ++i)
        columns[i].merge(other.columns[i]);
    for (const auto& [value, count] : other.classes)
        classes[value] += count;
    bad.insert(bad.end(), other.bad.begin(), other.bad.end());
    std::ranges::sort(bad, {}, &BadValue::position);
    if (bad.size() > PreflightResult::kMostProblems)
        bad.resize(PreflightResult::kMostProblems);
    badSamples += other.badSamples;
    ignored += other.ignored;
    tokens += other.tokens;
    unknown += other.unknown;
    empty += other.empty;
}

} // namespace athanor
