// Any thread. Shapes as they are inferred before any tensor exists.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace athanor {

/// One extent; kBatch stands for the batch size N, which no rule may depend on, kUnknown for an extent
/// that could not be inferred (an earlier problem, a length that differs from sample to sample).
using Extent = std::int64_t;
inline constexpr Extent kBatch = -1;
inline constexpr Extent kUnknown = -2;

enum class ElementType { Float, Index }; ///< float32 values, or int64 (class indices, token ids)

/// What flows along an edge. `dims` includes the batch axis first: {kBatch, 3, 32, 32}.
/// An empty optional<TensorType> means "not known because of an earlier problem".
struct TensorType {
    std::vector<Extent> dims;
    ElementType type = ElementType::Float;
    /// Index only: number of classes or vocabulary size when the data tells, else 0.
    std::int64_t classes = 0;

    [[nodiscard]] int rank() const { return static_cast<int>(dims.size()); }
    /// "N×3×32×32" ("?" for unknown extents).
    [[nodiscard]] std::string text() const;
    bool operator==(const TensorType&) const = default;
};

} // namespace athanor
