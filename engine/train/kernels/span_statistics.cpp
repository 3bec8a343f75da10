#include "engine/train/kernels/span_statistics.h"

#include "engine/train/kernels/dispatch.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace athanor {
namespace {

// GCC and clang vector types: eight floats are one AVX2 register, or two of SSE on an older processor.
typedef float Floats __attribute__((vector_size(32)));
typedef std::int32_t Ints __attribute__((vector_size(32)));
typedef double Doubles __attribute__((vector_size(64)));
constexpr std::int64_t kLanes = 8;
// Float sums are moved to double after this many values: 64 additions per lane cost no visible accuracy.
constexpr std::int64_t kBlock = 1024;

ATHANOR_KERNEL_BODY void load(Floats& into, const float* from)
{
    std::memcpy(&into, from, sizeof into);
}

ATHANOR_KERNEL_BODY void addTo(Doubles& sum, const Floats& values)
{
    sum += __builtin_convertvector(values, Doubles);
}

ATHANOR_KERNEL_BODY double total(const Doubles& values)
{
    double sum = 0;
    for (int lane = 0; lane < kLanes; ++lane)
        sum += values[lane];
    return sum;
}

/// Accumulators of one interleaved stream of vectors; two streams hide the latency of the additions.
struct Stream {
    Floats sum;
    Floats squares;
    Floats minimum;
    Floats maximum;
    Ints zeros;
};

ATHANOR_KERNEL_BODY void visit(Stream& stream, const float* from, const Floats& shift)
{
    Floats value;
    load(value, from);
    const Floats distance = value - shift;
    stream.sum += distance;
    stream.squares += distance * distance;
    stream.minimum = value < stream.minimum ? value : stream.minimum;
    stream.maximum = value > stream.maximum ? value : stream.maximum;
    stream.zeros -= value == Floats{}; // a true comparison is −1
}

/// A value near the mean, so that squares about it do not cancel.
float shiftFor(const float* values, std::int64_t size)
{
    const std::int64_t sampled = std::min<std::int64_t>(size, 64);
    double sum = 0;
    for (std::int64_t i = 0; i < sampled; ++i)
        sum += values[i];
    const auto shift = static_cast<float>(sum / static_cast<double>(sampled));
    return std::isfinite(shift) ? shift : 0.0F;
}

/// All full vectors of the span; true when everything stayed finite.
ATHANOR_KERNEL_BODY bool vectorStatistics(const float* values, std::int64_t size, SpanStatistics& result)
{
    const float shift = shiftFor(values, size);
    const Floats shifts = Floats{} + shift;
    Doubles sum = {};
    Doubles squares = {};
    const Floats infinite = Floats{} + std::numeric_limits<float>::infinity();
    Stream a{{}, {}, infinite, -infinite, {}};
    Stream b = a;
    std::int64_t i = 0;
    while (i + kLanes <= size) {
        const std::int64_t end = std::min(size, i + kBlock);
        a.sum = a.squares = b.sum = b.squares = Floats{};
        for (; i + 2 * kLanes <= end; i += 2 * kLanes) {
            visit(a, values + i, shifts);
            visit(b, values + i + kLanes, shifts);
        }
        if (i + kLanes <= end) {
            visit(a, values + i, shifts);
            i += kLanes;
        }
        addTo(sum, a.sum + b.sum);
        addTo(squares, a.squares + b.squares);
    }
    double shiftedSum = total(sum);
    double shiftedSquares = total(squares);
    for (int lane = 0; lane < kLanes; ++lane) {
        result.minimum = std::min<double>({result.minimum, a.minimum[lane], b.minimum[lane]});
        result.maximum = std::max<double>({result.maximum, a.maximum[lane], b.maximum[lane]});
        result.zeros += a.zeros[lane] + b.zeros[lane];
    }
    for (; i < size; ++i) {
        const double distance = static_cast<double>(values[i]) - shift;
        shiftedSum += distance;
        shiftedSquares += distance * distance;
        result.minimum = std::min<double>(result.minimum, values[i]);
        result.maximum = std::max<double>(result.maximum, values[i]);
        result.zeros += values[i] == 0 ? 1 : 0;
    }
    const auto count = static_cast<double>(size);
    result.count = size;
    result.mean = shift + shiftedSum / count;
    result.squares = std::max(0.0, shiftedSquares - shiftedSum * shiftedSum / count);
    return std::isfinite(shiftedSquares);
}

/// The rare case: something is not finite, or so large that float squares overflow.
SpanStatistics carefulStatistics(const float* values, std::int64_t size)
{
    SpanStatistics result;
    for (std::int64_t i = 0; i < size; ++i) {
        const double value = values[i];
        if (std::isnan(value)) {
            ++result.nans;
        } else if (std::isinf(value)) {
            ++(value > 0 ? result.positiveInfinities : result.negativeInfinities);
        } else {
            const double distance = value - result.mean;
            result.mean += distance / static_cast<double>(++result.count);
            result.squares += distance * (value - result.mean);
            result.minimum = std::min(result.minimum, value);
            result.maximum = std::max(result.maximum, value);
            result.zeros += value == 0 ? 1 : 0;
        }
    }
    return result;
}

ATHANOR_KERNEL_BODY double squaresBody(const float* values, std::int64_t size)
{
    Doubles sum = {};
    std::int64_t i = 0;
    while (i + kLanes <= size) {
        const std::int64_t end = std::min(size, i + kBlock);
        Floats a = {};
        Floats b = {};
        Floats value;
        for (; i + 2 * kLanes <= end; i += 2 * kLanes) {
            load(value, values + i);
            a += value * value;
            load(value, values + i + kLanes);
            b += value * value;
        }
        if (i + kLanes <= end) {
            load(value, values + i);
            a += value * value;
            i += kLanes;
        }
        addTo(sum, a + b);
    }
    double result = total(sum);
    for (; i < size; ++i)
        result += static_cast<double>(values[i]) * values[i];
    return result;
}

ATHANOR_KERNEL_BODY ChangeSquares changeBody(const float* before, const float* after, std::int64_t size)
{
    Doubles beforeSum = {};
    Doubles changeSum = {};
    std::int64_t i = 0;
    while (i + kLanes <= size) {
        const std::int64_t end = std::min(size, i + kBlock);
        Floats squares = {};
        Floats changes = {};
        for (; i + kLanes <= end; i += kLanes) {
            Floats old;
            Floats now;
            load(old, before + i);
            load(now, after + i);
            const Floats change = now - old;
            squares += old * old;
            changes += change * change;
        }
        addTo(beforeSum, squares);
        addTo(changeSum, changes);
    }
    ChangeSquares result{total(beforeSum), total(changeSum)};
    for (; i < size; ++i) {
        const float change = after[i] - before[i];
        result.before += static_cast<double>(before[i]) * before[i];
        result.change += static_cast<double>(change) * change;
    }
    return result;
}

#if ATHANOR_HAS_AVX2_KERNELS
ATHANOR_AVX2 bool statisticsAvx2(const float* values, std::int64_t size, SpanStatistics& result)
{
    return vectorStatistics(values, size, result);
}
ATHANOR_AVX2 double squaresAvx2(const float* values, std::int64_t size)
{
    return squaresBody(values, size);
}
ATHANOR_AVX2 ChangeSquares changeAvx2(const float* before, const float* after, std::int64_t size)
{
    return changeBody(before, after, size);
}
#endif

bool statisticsPlain(const float* values, std::int64_t size, SpanStatistics& result)
{
    return vectorStatistics(values, size, result);
}

/// Squares of small floats vanish and of large ones overflow; double holds all of them.
double carefulSquares(const float* values, std::int64_t size)
{
    double sum = 0;
    for (std::int64_t i = 0; i < size; ++i)
        sum += static_cast<double>(values[i]) * values[i];
    return sum;
}

// Below this mean square, float squares lose digits as denormals or vanish.
constexpr double kTinyMeanSquare = 1e-33;

bool needsCare(double squares, std::int64_t size)
{
    return !std::isfinite(squares) || squares < kTinyMeanSquare * static_cast<double>(size);
}

} // namespace

void SpanStatistics::merge(const SpanStatistics& other)
{
    minimum = std::min(minimum, other.minimum);
    maximum = std::max(maximum, other.maximum);
    zeros += other.zeros;
    nans += other.nans;
    positiveInfinities += other.positiveInfinities;
    negativeInfinities += other.negativeInfinities;
    if (other.count == 0)
        return;
    const auto mine = static_cast<double>(count);
    const auto theirs = static_cast<double>(other.count);
    const double distance = other.mean - mean;
    squares += other.squares + distance * distance * mine * theirs / (mine + theirs);
    mean += distance * theirs / (mine + theirs);
    count += other.count;
}

SpanStatistics spanStatistics(const float* values, std::int64_t size)
{
    SpanStatistics result;
    if (size <= 0)
        return result;
#if ATHANOR_HAS_AVX2_KERNELS
    const bool finite =
        processorHasAvx2() ? statisticsAvx2(values, size, result) : statisticsPlain(values, size, result);
#else
    const bool finite = statisticsPlain(values, size, result);
#endif
    const bool varies = result.minimum < result.maximum;
    return finite && !(varies && needsCare(result.squares, size)) ? result : carefulStatistics(values, size);
}

double sumOfSquares(const float* values, std::int64_t size)
{
#if ATHANOR_HAS_AVX2_KERNELS
    const double squares = processorHasAvx2() ? squaresAvx2(values, size) : squaresBody(values, size);
#else
    const double squares = squaresBody(values, size);
#endif
    return needsCare(squares, size) ? carefulSquares(values, size) : squares;
}

ChangeSquares changeSquares(const float* before, const float* after, std::int64_t size)
{
#if ATHANOR_HAS_AVX2_KERNELS
    ChangeSquares squares =
        processorHasAvx2() ? changeAvx2(before, after, size) : changeBody(before, after, size);
#else
    ChangeSquares squares = changeBody(before, after, size);
#endif
    if (needsCare(squares.before, size))
        squares.before = carefulSquares(before, size);
    if (needsCare(squares.change, size)) {
        squares.change = 0;
        for (std::int64_t i = 0; i < size; ++i) {
            const float change = after[i] - before[i];
            squares.change += static_cast<double>(change) * change;
        }
    }
    return squares;
}

} // namespace athanor
