// Any thread (pure functions). What two pictures are compared by.
#pragma once

#include <array>
#include <cstdint>

namespace athanor {

struct PictureMarks {
    std::uint64_t look = 0; ///< difference hash: is each of 9×8 grey cells brighter than its neighbour
    std::array<std::uint8_t, 64> small{}; ///< 8×8 cells, grey
    bool blank = false;                   ///< every pixel has one and the same colour
};

/// Of H×W×C bytes, C 1 or more (the first three are red, green, blue). A cell is the mean of its pixels; of large
/// pictures every cell looks at no more than 16×16 of them.
PictureMarks pictureMarks(const std::uint8_t* pixels, std::int64_t height, std::int64_t width,
                          std::int64_t channels);

/// Bits in which two difference hashes differ.
int lookDistance(std::uint64_t a, std::uint64_t b);

/// Mean difference of two small pictures, 0–255, once their brightness was made equal.
double smallDistance(const std::array<std::uint8_t, 64>& a, const std::array<std::uint8_t, 64>& b);

/// Standard deviation of a small picture, 0–128.
double smallContrast(const std::array<std::uint8_t, 64>& small);

} // namespace athanor
