#include "engine/graph/problem_place.h"

namespace athanor {

std::optional<ProblemPlace> problemPlace(const std::string& where, std::string_view part, const Graph& graph)
{
    if (!where.starts_with(part) || where.size() <= part.size() + 1 || where[part.size()] != '/')
        return std::nullopt;
    const std::string rest = where.substr(part.size() + 1);
    for (std::size_t end = rest.size();; end = rest.find_last_of("/:", end - 1)) {
        if (end == std::string::npos || end == 0)
            return std::nullopt;
        if (graph.find(rest.substr(0, end)) != nullptr)
            return ProblemPlace{rest.substr(0, end), end < rest.size() ? rest.substr(end + 1) : std::string()};
    }
}

} // namespace athanor
