#include "engine/train/tensor_statistics.h"

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace athanor {
namespace {

constexpr std::int64_t kPiece = 65536;
// Waking another thread costs about as much as reading this many pieces.
constexpr std::int64_t kPiecesPerThread = 2;

SpanStatistics collect(const float* values, std::int64_t size)
{
    const std::int64_t pieces = (size + kPiece - 1) / kPiece;
    if (pieces <= 1)
        return spanStatistics(values, size);
    std::vector<SpanStatistics> parts(static_cast<std::size_t>(pieces));
    at::parallel_for(0, pieces, kPiecesPerThread, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = begin; i < end; ++i)
            parts[i] = spanStatistics(values + i * kPiece, std::min(kPiece, size - i * kPiece));
    });
    SpanStatistics all = parts.front();
    for (std::int64_t i = 1; i < pieces; ++i)
        all.merge(parts[i]);
    return all;
}

TensorStatistics finished(const SpanStatistics& span, std::int64_t size)
{
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const auto elements = static_cast<double>(size);
    TensorStatistics result;
    result.zeros = static_cast<double>(span.zeros) / elements;
    result.nonFinite = static_cast<double>(span.nonFinite());
    result.mean = span.mean;
    result.deviation = size > 1 ? std::sqrt(span.squares / (elements - 1)) : kNan;
    result.minimum = span.negativeInfinities > 0 ? -kInfinity : span.minimum;
    result.maximum = span.positiveInfinities > 0 ? kInfinity : span.maximum;
    if (span.nonFinite() == 0)
        return result;
    result.deviation = kNan;
    if (span.nans > 0 || (span.positiveInfinities > 0 && span.negativeInfinities > 0))
        result.mean = kNan;
    else
        result.mean = span.positiveInfinities > 0 ? kInfinity : -kInfinity;
    if (span.nans > 0)
        result.minimum = result.maximum = kNan;
    return result;
}

} // namespace

TensorStatistics tensorStatistics(const torch::Tensor& tensor)
{
    torch::Tensor floats = tensor.detach();
    if (floats.scalar_type() != torch::kFloat)
        floats = floats.to(torch::kFloat);
    if (!floats.is_non_overlapping_and_dense())
        floats = floats.contiguous(); // else every element lies in one block, in whatever order
    return finished(collect(floats.data_ptr<float>(), floats.numel()), floats.numel());
}

torch::Tensor deviceStatistics(const torch::Tensor& tensor)
{
    torch::NoGradGuard noGrad;
    const auto values = tensor.detach().to(torch::kFloat).flatten();
    const auto elements = static_cast<double>(values.numel());
    const auto wide = [](const torch::Tensor& scalar) { return scalar.to(torch::kDouble); };
    return torch::stack({wide(values.mean()), wide(values.std()), wide(values.min()), wide(values.max()),
                         wide(values.eq(0).sum()) / elements, wide(values.isfinite().logical_not().sum())});
}

} // namespace athanor
