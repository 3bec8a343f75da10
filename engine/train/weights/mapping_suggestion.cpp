#include "engine/train/weights/weights_mapping.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace athanor {
namespace {

/// A table of all pairs is made; larger networks get no suggestion.
constexpr std::size_t kMostPairs = 16'000'000;

std::string_view lastPart(const std::string& name)
{
    return std::string_view(name).substr(name.rfind('.') + 1);
}

/// "weight" to "weight" of the same shape.
bool couldBe(const WeightsTensor& ours, const WeightsTensor& theirs)
{
    return ours.shape == theirs.shape && lastPart(ours.name) == lastPart(theirs.name);
}

} // namespace

/// The longest common sequence of what is missing and what is left over, both in their order.
void suggestMap(WeightsMapping& mapping, const std::vector<WeightsTensor>& ours,
                const std::vector<WeightsTensor>& theirs)
{
    const std::size_t rows = mapping.missing.size(), columns = mapping.leftOver.size();
    if (rows == 0 || columns == 0 || rows > kMostPairs / columns)
        return;
    const auto fits = [&](std::size_t row, std::size_t column) {
        return couldBe(ours[mapping.missing[row]], theirs[mapping.leftOver[column]]);
    };
    // longest[r][c]: of the sequences from row r and column c on.
    const std::size_t width = columns + 1;
    std::vector<std::uint32_t> longest((rows + 1) * width);
    for (std::size_t row = rows; row-- > 0;)
        for (std::size_t column = columns; column-- > 0;)
            longest[row * width + column] = fits(row, column) ? longest[(row + 1) * width + column + 1] + 1
                                                              : std::max(longest[(row + 1) * width + column],
                                                                         longest[row * width + column + 1]);
    if (longest[0] < std::min(rows, columns))
        return; // it would explain neither side
    for (std::size_t row = 0, column = 0; row < rows && column < columns;) {
        if (fits(row, column))
            mapping.suggested[ours[mapping.missing[row++]].name] = theirs[mapping.leftOver[column++]].name;
        else if (longest[(row + 1) * width + column] >= longest[row * width + column + 1])
            ++row;
        else
            ++column;
    }
}

} // namespace athanor
