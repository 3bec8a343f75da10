// Any thread, torch-free. One vectorized pass over a span of floats, for measurements of live tensors.
#pragma once

#include <cstdint>
#include <limits>

namespace athanor {

/// What one pass over floats finds. Mean and squares are of the finite values; the counts say whether
/// there are others.
struct SpanStatistics {
    std::int64_t count = 0; ///< finite ones
    double mean = 0;
    double squares = 0; ///< sum of squared distances from the mean
    double minimum = std::numeric_limits<double>::infinity();
    double maximum = -std::numeric_limits<double>::infinity();
    std::int64_t zeros = 0; ///< +0 and -0
    std::int64_t nans = 0;
    std::int64_t positiveInfinities = 0;
    std::int64_t negativeInfinities = 0;

    [[nodiscard]] std::int64_t nonFinite() const { return nans + positiveInfinities + negativeInfinities; }
    /// Joins the statistics of two disjoint spans (Chan et al.); exact in the counts, so a fixed order of
    /// joining gives the same bits whatever the number of threads.
    void merge(const SpanStatistics& other);
};

/// Statistics of `size` floats. Sums go through float lanes into double every 1024 values, about a value
/// near the mean: relative error of mean and deviation below 1e-6 (of the deviation), also when the mean
/// is a thousand times the deviation.
SpanStatistics spanStatistics(const float* values, std::int64_t size);

/// Sum of squares, accurate to 1e-6; finite whenever every value is finite (it does not overflow as float
/// would), NaN or infinite exactly when a value is.
double sumOfSquares(const float* values, std::int64_t size);

/// Sums of squares of `before` and of `after − before`, the difference rounded to float first as PyTorch
/// would compute it.
struct ChangeSquares {
    double before = 0;
    double change = 0;
};
ChangeSquares changeSquares(const float* before, const float* after, std::int64_t size);

} // namespace athanor
