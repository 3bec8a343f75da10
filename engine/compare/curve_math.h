// Any thread (pure functions). Arithmetic with curves of several runs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace athanor {

/// Points in the order of `x`, which never falls. Values may be NaN and infinite.
struct Curve {
    std::vector<double> x;
    std::vector<double> y;
    [[nodiscard]] bool empty() const { return x.empty(); }
};

/// The value at `x`: that of the point there (of several, the last), else on the straight line between its
/// neighbours. NaN outside of the curve, and beside a neighbour that is not finite.
double valueAt(const Curve& curve, double x);

/// `curve` minus `baseline` at each point of `curve` that lies where the baseline does; no value is made up beyond
/// either end. NaN where either is not finite.
Curve differenceTo(const Curve& curve, const Curve& baseline);

enum class Better { Lower, Higher };

/// At each point the best finite value so far. Points before the first finite value are left out; later ones that
/// are not finite keep the best so far.
Curve bestSoFar(const Curve& curve, Better better);

/// Mean and spread of several curves.
struct Band {
    std::vector<double> x; ///< every x that any of the curves has, each once
    std::vector<double> mean;
    std::vector<double> deviation; ///< sample standard deviation (n − 1); 0 for one curve
    std::vector<double> low;       ///< smallest value
    std::vector<double> high;
    std::vector<std::int64_t> count;     ///< finite values that went in
    std::vector<std::int64_t> nonFinite; ///< curves that are there, but not finite
};

/// Curves count only where they are: one that ended early does not pull the mean of those that went on.
/// x without any finite value are NaN.
Band bandOf(std::span<const Curve> curves);

/// At most about `most` points that keep the first, last, lowest and highest of each of `most` / 4 equal parts of the
/// x range, and the first point there that is not finite: nothing that stands out is lost.
Curve outlined(const Curve& curve, std::size_t most);

} // namespace athanor
