// Any thread. How well a few typed letters fit a text: the filter of the palettes.
#pragma once

#include <QString>

#include <optional>
#include <vector>

namespace athanor {

struct FuzzyMatch {
    int score = 0;              ///< the greater the better
    std::vector<int> positions; ///< of the matched letters in the text
};

/// Matches when all letters of the pattern (spaces aside) occur in the text in this order, whatever their
/// case. Letters at the start of a word and in a row count most. An empty pattern matches everything with 0.
std::optional<FuzzyMatch> fuzzyMatch(const QString& pattern, const QString& text);

} // namespace athanor
