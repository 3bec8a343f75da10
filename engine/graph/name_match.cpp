#include "engine/graph/name_match.h"

#include <fnmatch.h>

#include <algorithm>
#include <cctype>

namespace athanor {
namespace {

std::string folded(std::string_view name)
{
    std::string text;
    for (const char c : name)
        if (c != '_' && c != '-' && c != ' ')
            text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

// Insertions, deletions, replacements and swaps of neighbours.
std::size_t editDistance(const std::string& a, const std::string& b)
{
    std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i)
        cost[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j)
        cost[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    }
    return cost[a.size()][b.size()];
}

} // namespace

std::string nearestName(std::string_view name, const std::vector<std::string>& candidates)
{
    constexpr std::size_t kLongestName = 64; // nobody mistypes more, and the distance is quadratic
    if (name.empty() || name.size() > kLongestName)
        return {};
    const std::string wanted = folded(name);
    std::string best;
    std::size_t bestDistance = std::max<std::size_t>(1, wanted.size() / 3) + 1;
    for (const std::string& candidate : candidates) {
        const std::string text = folded(candidate);
        const std::size_t difference =
            text.size() > wanted.size() ? text.size() - wanted.size() : wanted.size() - text.size();
        if (difference >= bestDistance)
            continue;
        const std::size_t distance = editDistance(wanted, text);
        if (distance < bestDistance) {
            bestDistance = distance;
            best = candidate;
        }
    }
    return best;
}

std::string didYouMean(std::string_view name, const std::vector<std::string>& candidates)
{
    const std::string near = nearestName(name, candidates);
    return near.empty() ? std::string() : "did you mean '" + near + "'?";
}

bool matchesGlob(const std::string& pattern, const std::string& text)
{
    return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

} // namespace athanor
