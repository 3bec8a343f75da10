// Any thread. NumPy's .npy files, read strictly: numbers only, no pickled objects, nothing is ever executed.
#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace athanor {

/// An array as it stands in the file, brought into C order.
struct NpyArray {
    std::string type; ///< "f4", "f8", "u1", "i4", "i8" or "b1"; little-endian
    std::vector<std::int64_t> shape;
    std::vector<std::byte> numbers;
};

/// Reads format versions 1 to 3. The error says what is wrong with the file; its place is still empty.
Result<NpyArray> readNpy(const std::filesystem::path& file);
/// The array called `name` of a .npz file (numpy.savez, numpy.savez_compressed). One that unpacks to more than 200
/// times the file, and more than 256 MB, is refused.
Result<NpyArray> readNpz(const std::filesystem::path& file, const std::string& name);

} // namespace athanor
