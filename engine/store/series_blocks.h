// Any thread (pure functions). How the points of a series are packed into blocks (docs/run-store.md).
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace athanor {

/// A block as it stands in the store. Steps never fall within a block.
struct PackedBlock {
    std::int64_t count = 0;
    std::int64_t firstStep = 0;
    std::int64_t lastStep = 0;
    std::optional<std::int64_t> stride; ///< steps are firstStep + i * stride, and `steps` is empty
    std::uint32_t crc32 = 0;            ///< of `steps`, then `values`
    std::string steps;  ///< without a stride: count − 1 differences, unsigned LEB128
    std::string values; ///< count IEEE doubles, 8 bytes each, least significant byte first
};

struct UnpackedBlock {
    std::vector<std::int64_t> steps;
    std::vector<double> values;
};

/// `steps` and `values` have the same size, at least 1; steps never fall.
PackedBlock packBlock(std::span<const std::int64_t> steps, std::span<const double> values);

/// An Unreadable error when the block is damaged.
Result<UnpackedBlock> unpackBlock(const PackedBlock& block);

} // namespace athanor
