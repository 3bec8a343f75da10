// Any thread (pure functions). The order of a picture's colours, told by what JPEG left in it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace athanor {

/// Red, green, blue (in whatever order) of H×W pixels, 0–255.
struct PixelView {
    const std::uint8_t* pixels = nullptr;
    std::int64_t height = 0;
    std::int64_t width = 0;
};

/// JPEG keeps the brightness Y = 0.299 R + 0.587 G + 0.114 B of each 8×8 block as multiples of steps, one per
/// frequency (ITU-T T.81). A decoded picture still shows them. When red and blue change places, "Y" is made of
/// the wrong weights and its multiples are gone: so the order of a single picture can be told without knowing
/// what it shows. The method is silent where pictures were scaled after decoding or never were JPEGs.
struct JpegLattice {
    std::array<int, 64> steps{}; ///< 0: none was found for that frequency
    bool turned = false;         ///< most pictures show it with red and blue exchanged
};

/// The steps that most of the pictures share; nothing when there are none. Some hundred pictures are enough.
std::optional<JpegLattice> findLattice(const std::vector<std::vector<std::uint8_t>>& pictures,
                                       const std::vector<std::array<std::int64_t, 2>>& sizes);

/// How much better the lattice shows in the other order than in the one most pictures have, in standard deviations
/// of chance; 0 where nothing can be said.
float turnedEvidence(const JpegLattice& lattice, const PixelView& picture);

} // namespace athanor
