// Any thread. Data sets that sit in memory as a whole.
#pragma once

#include "engine/data/dataset.h"

#include <functional>
#include <memory>

namespace athanor {

/// A field with the numbers of all its samples, one after the other.
struct MemoryField {
    FieldLayout layout;
    std::vector<std::byte> numbers;

    [[nodiscard]] float* float32() { return reinterpret_cast<float*>(numbers.data()); }
    [[nodiscard]] std::int64_t* int64() { return reinterpret_cast<std::int64_t*>(numbers.data()); }
};

/// A field of `samples` samples with room for their numbers, zeroed.
MemoryField makeMemoryField(FieldLayout layout, std::int64_t samples);

/// The data set of these fields; `nameOf` says where a sample came from.
std::unique_ptr<Dataset> makeMemoryDataset(std::vector<MemoryField> fields, std::int64_t size,
                                           std::function<std::string(std::int64_t)> nameOf);

} // namespace athanor
