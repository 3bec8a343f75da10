#include "engine/preflight/jpeg_lattice.h"

#include "engine/preflight/thresholds.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace athanor {
namespace {

constexpr int kSide = 8;
constexpr int kBlock = kSide * kSide;
constexpr std::int64_t kBlocksToJudge = 64; // of a picture: enough to be sure
constexpr std::int64_t kBlocksToLearn = 16; // of each of many pictures
constexpr int kLargestStep = 80;
constexpr double kCounts = 0.6;      // coefficients below this share of a step were rounded to zero
constexpr std::size_t kFewest = 200; // coefficients that a step is told from
constexpr double kShows = 0.5;       // mean cosine of coefficients on the lattice; 0 by chance
constexpr double kAsGood = 0.05;     // divisors of the step show as well: the largest is it
constexpr int kFewestSteps = 8;      // frequencies, for a lattice

using Block = std::array<double, kBlock>;

const std::array<double, kBlock>& cosines()
{
    static const std::array<double, kBlock> table = [] {
        std::array<double, kBlock> made{};
        for (int frequency = 0; frequency < kSide; ++frequency)
            for (int place = 0; place < kSide; ++place)
                made[static_cast<std::size_t>(frequency * kSide + place)] =
                    (frequency == 0 ? std::sqrt(0.125) : 0.5) *
                    std::cos((2 * place + 1) * frequency * std::numbers::pi / 16);
        return made;
    }();
    return table;
}

/// The discrete cosine transform of one block of brightness.
Block transformed(const Block& block)
{
    const auto& table = cosines();
    const auto at = [](int row, int column) { return static_cast<std::size_t>(row * kSide + column); };
    Block rows{};
    Block both{};
    for (int row = 0; row < kSide; ++row)
        for (int frequency = 0; frequency < kSide; ++frequency)
            for (int place = 0; place < kSide; ++place)
                rows[at(row, frequency)] += block[at(row, place)] * table[at(frequency, place)];
    for (int frequency = 0; frequency < kSide; ++frequency)
        for (int column = 0; column < kSide; ++column)
            for (int place = 0; place < kSide; ++place)
                both[at(frequency, column)] += rows[at(place, column)] * table[at(frequency, place)];
    return both;
}

/// Calls `use` with the coefficients of about `most` blocks, spread over the picture.
template <typename Use>
void forBlocks(const PixelView& picture, bool turned, std::int64_t most, const Use& use)
{
    const double red = turned ? 0.114 : 0.299;
    const double blue = turned ? 0.299 : 0.114;
    const std::int64_t across = picture.width / kSide;
    const std::int64_t blocks = across * (picture.height / kSide);
    const std::int64_t stride = std::max<std::int64_t>(1, blocks / most);
    for (std::int64_t number = 0; number < blocks; number += stride) {
        Block block{};
        for (int row = 0; row < kSide; ++row) {
            const std::int64_t y = number / across * kSide + row;
            const std::uint8_t* pixel = picture.pixels + (y * picture.width + number % across * kSide) * 3;
            for (int column = 0; column < kSide; ++column, pixel += 3)
                block[static_cast<std::size_t>(row * kSide + column)] =
                    red * pixel[0] + 0.587 * pixel[1] + blue * pixel[2] - 128;
        }
        use(transformed(block));
    }
}

double phase(double coefficient, int step)
{
    return std::cos(2 * std::numbers::pi * coefficient / step);
}

/// The largest step that the coefficients of one frequency are multiples of; 0: none.
int stepOf(const std::vector<float>& coefficients)
{
    std::array<double, kLargestStep + 1> shows{};
    double best = 0;
    for (int step = 2; step <= kLargestStep; ++step) {
        double sum = 0;
        std::size_t count = 0;
        for (const float coefficient : coefficients)
            if (std::abs(coefficient) > kCounts * step) {
                sum += phase(coefficient, step);
                ++count;
            }
        if (count >= kFewest)
            shows[static_cast<std::size_t>(step)] = sum / static_cast<double>(count);
        best = std::max(best, shows[static_cast<std::size_t>(step)]);
    }
    if (best < kShows)
        return 0;
    for (int step = kLargestStep; step > 1; --step)
        if (shows[static_cast<std::size_t>(step)] > best - kAsGood)
            return step;
    return 0;
}

/// The share of coefficients that lie on the lattice beyond chance, in standard deviations of chance.
double showing(const JpegLattice& lattice, const PixelView& picture, bool turned)
{
    double sum = 0;
    std::int64_t count = 0;
    forBlocks(picture, turned, kBlocksToJudge, [&](const Block& block) {
        for (std::size_t frequency = 0; frequency < block.size(); ++frequency) {
            const int step = lattice.steps[frequency];
            if (step > 0 && std::abs(block[frequency]) > kCounts * step) {
                sum += phase(block[frequency], step);
                ++count;
            }
        }
    });
    return count == 0 ? 0 : sum / std::sqrt(static_cast<double>(count));
}

} // namespace

std::optional<JpegLattice> findLattice(const std::vector<std::vector<std::uint8_t>>& pictures,
                                       const std::vector<std::array<std::int64_t, 2>>& sizes)
{
    std::optional<JpegLattice> best;
    int most = kFewestSteps - 1;
    for (const bool turned : {false, true}) {
        std::array<std::vector<float>, kBlock> coefficients;
        for (std::size_t i = 0; i < pictures.size(); ++i)
            forBlocks({pictures[i].data(), sizes[i][0], sizes[i][1]}, turned, kBlocksToLearn,
                      [&](const Block& block) {
                          for (std::size_t frequency = 0; frequency < block.size(); ++frequency)
                              coefficients[frequency].push_back(static_cast<float>(block[frequency]));
                      });
        JpegLattice lattice;
        lattice.turned = turned;
        int found = 0;
        for (std::size_t frequency = 0; frequency < coefficients.size(); ++frequency) {
            lattice.steps[frequency] = stepOf(coefficients[frequency]);
            found += lattice.steps[frequency] > 0 ? 1 : 0;
        }
        if (found > most) {
            most = found;
            best = lattice;
        }
    }
    return best;
}

float turnedEvidence(const JpegLattice& lattice, const PixelView& picture)
{
    const double other = showing(lattice, picture, !lattice.turned);
    if (other < limits::kOrderLattice)
        return 0;
    return static_cast<float>(other - showing(lattice, picture, lattice.turned));
}

} // namespace athanor
