#include "ui/bridge/fuzzy_match.h"

#include <algorithm>

namespace athanor {
namespace {

constexpr int kWordStart = 10;
constexpr int kInARow = 8;
constexpr int kLetter = 1;
constexpr int kTextStart = 5;

bool startsWord(const QString& text, qsizetype at)
{
    if (at == 0)
        return true;
    const QChar before = text[at - 1];
    return !before.isLetterOrNumber() || (before.isLower() && text[at].isUpper());
}

/// Takes for each letter the next occurrence, from `start` on; nothing when the letters run out.
std::optional<FuzzyMatch> matchFrom(const QString& pattern, const QString& text, qsizetype start)
{
    FuzzyMatch match;
    qsizetype at = start;
    for (const QChar letter : pattern) {
        if (letter.isSpace())
            continue;
        while (at < text.size() && text[at].toCaseFolded() != letter.toCaseFolded())
            ++at;
        if (at == text.size())
            return std::nullopt;
        match.score += kLetter;
        if (startsWord(text, at))
            match.score += at == 0 ? kWordStart + kTextStart : kWordStart;
        if (!match.positions.empty() && match.positions.back() == at - 1)
            match.score += kInARow;
        match.positions.push_back(static_cast<int>(at));
        ++at;
    }
    return match;
}

} // namespace

std::optional<FuzzyMatch> fuzzyMatch(const QString& pattern, const QString& text)
{
    const auto first =
        std::find_if(pattern.begin(), pattern.end(), [](QChar letter) { return !letter.isSpace(); });
    if (first == pattern.end())
        return FuzzyMatch{};
    // The greedy walk may start at a poor place ("train" in "stop training": the t of "stop"), so every
    // occurrence of the first letter is tried; texts are short.
    std::optional<FuzzyMatch> best;
    for (qsizetype start = 0; start < text.size(); ++start) {
        if (text[start].toCaseFolded() != first->toCaseFolded())
            continue;
        std::optional<FuzzyMatch> match = matchFrom(pattern, text, start);
        if (!match)
            break; // from later on it cannot match either
        if (!best || match->score > best->score)
            best = std::move(match);
    }
    if (best) // of equal matches the shorter text is the nearer one
        best->score = best->score * 100 - static_cast<int>(std::min<qsizetype>(text.size(), 99));
    return best;
}

} // namespace athanor
