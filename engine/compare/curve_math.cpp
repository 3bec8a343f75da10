#include "engine/compare/curve_math.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace athanor {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// The same points with each x once: of several the last, which is the newest.
Curve lastOfEach(const Curve& curve)
{
    Curve out;
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
        if (!out.x.empty() && out.x.back() == curve.x[i]) {
            out.y.back() = curve.y[i];
        } else {
            out.x.push_back(curve.x[i]);
            out.y.push_back(curve.y[i]);
        }
    }
    return out;
}

/// Walks along a curve whose x are unique and asked for in rising order.
class Walker {
public:
    explicit Walker(const Curve& curve) : m_curve(curve) {}

    [[nodiscard]] bool covers(double x) const
    {
        return !m_curve.empty() && x >= m_curve.x.front() && x <= m_curve.x.back();
    }
    double at(double x)
    {
        if (!covers(x))
            return kNaN;
        while (m_next < m_curve.x.size() && m_curve.x[m_next] < x)
            ++m_next;
        if (m_curve.x[m_next] == x)
            return m_curve.y[m_next];
        const double before = m_curve.y[m_next - 1];
        const double after = m_curve.y[m_next];
        if (!std::isfinite(before) || !std::isfinite(after))
            return kNaN;
        const double share = (x - m_curve.x[m_next - 1]) / (m_curve.x[m_next] - m_curve.x[m_next - 1]);
        return before + share * (after - before);
    }

private:
    const Curve& m_curve;
    std::size_t m_next = 0;
};

struct Moments {
    std::int64_t count = 0;
    std::int64_t nonFinite = 0;
    double mean = 0;
    double squares = 0; ///< sum of squared distances from the mean (Welford)
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();

    void add(double value)
    {
        if (!std::isfinite(value)) {
            ++nonFinite;
            return;
        }
        ++count;
        const double distance = value - mean;
        mean += distance / static_cast<double>(count);
        squares += distance * (value - mean);
        low = std::min(low, value);
        high = std::max(high, value);
    }
};

} // namespace

double valueAt(const Curve& curve, double x)
{
    const Curve unique = lastOfEach(curve);
    return Walker(unique).at(x);
}

Curve differenceTo(const Curve& curve, const Curve& baseline)
{
    const Curve unique = lastOfEach(baseline);
    Walker walker(unique);
    Curve out;
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
        if (!walker.covers(curve.x[i]))
            continue;
        const double base = walker.at(curve.x[i]);
        const bool known = std::isfinite(curve.y[i]) && std::isfinite(base);
        out.x.push_back(curve.x[i]);
        out.y.push_back(known ? curve.y[i] - base : kNaN);
    }
    return out;
}

Curve bestSoFar(const Curve& curve, Better better)
{
    Curve out;
    double best = kNaN;
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
        const double value = curve.y[i];
        if (std::isfinite(value) &&
            (std::isnan(best) || (better == Better::Lower ? value < best : value > best)))
            best = value;
        if (std::isnan(best))
            continue;
        out.x.push_back(curve.x[i]);
        out.y.push_back(best);
    }
    return out;
}

Band bandOf(std::span<const Curve> curves)
{
    std::vector<Curve> unique;
    Band band;
    for (const Curve& curve : curves) {
        unique.push_back(lastOfEach(curve));
        band.x.insert(band.x.end(), unique.back().x.begin(), unique.back().x.end());
    }
    std::sort(band.x.begin(), band.x.end());
    band.x.erase(std::unique(band.x.begin(), band.x.end()), band.x.end());
    std::vector<Walker> walkers;
    for (const Curve& curve : unique)
        walkers.emplace_back(curve);
    for (const double x : band.x) {
        Moments moments;
        for (Walker& walker : walkers)
            if (walker.covers(x))
                moments.add(walker.at(x));
        const bool some = moments.count > 0;
        const auto count = static_cast<double>(moments.count);
        band.count.push_back(moments.count);
        band.nonFinite.push_back(moments.nonFinite);
        band.mean.push_back(some ? moments.mean : kNaN);
        band.deviation.push_back(!some                ? kNaN
                                 : moments.count == 1 ? 0
                                                      : std::sqrt(moments.squares / (count - 1)));
        band.low.push_back(some ? moments.low : kNaN);
        band.high.push_back(some ? moments.high : kNaN);
    }
    return band;
}

Curve outlined(const Curve& curve, std::size_t most)
{
    const std::size_t parts = std::max<std::size_t>(1, most / 4);
    if (curve.x.size() <= most || curve.x.size() <= 4)
        return curve;
    const double from = curve.x.front();
    const double width = (curve.x.back() - from) / static_cast<double>(parts);
    const auto partOf = [&](double x) {
        return width > 0 ? std::min(parts - 1, static_cast<std::size_t>((x - from) / width)) : 0;
    };
    Curve out;
    for (std::size_t start = 0; start < curve.x.size();) {
        const std::size_t part = partOf(curve.x[start]);
        std::size_t end = start;
        std::size_t low = start;
        std::size_t high = start;
        std::size_t bad = curve.x.size();
        for (; end < curve.x.size() && partOf(curve.x[end]) == part; ++end) {
            if (!std::isfinite(curve.y[end])) {
                bad = std::min(bad, end);
                continue;
            }
            if (!(curve.y[low] <= curve.y[end]))
                low = end;
            if (!(curve.y[high] >= curve.y[end]))
                high = end;
        }
        std::vector<std::size_t> kept{start, low, high, end - 1};
        if (bad < curve.x.size())
            kept.push_back(bad);
        std::sort(kept.begin(), kept.end());
        kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
        for (const std::size_t i : kept) {
            out.x.push_back(curve.x[i]);
            out.y.push_back(curve.y[i]);
        }
        start = end;
    }
    return out;
}

} // namespace athanor
