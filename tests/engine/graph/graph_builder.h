// Tests only. Small graphs in few words.
#pragma once

#include "engine/graph/graph_check.h"
#include "engine/graph/graph_edit.h"

#include <QtTest>

#include <initializer_list>
#include <string>
#include <vector>

/// So that a failed comparison shows both texts.
template <>
inline char* QTest::toString(const std::string& text)
{
    return qstrdup(text.c_str());
}

namespace athanor {

inline Node node(std::string id, std::string kind, Json params = Json::object())
{
    return Node{std::move(id), std::move(kind), std::move(params), Json::object()};
}

/// "n7".
inline std::string numbered(const char* stem, int number)
{
    std::string text = stem;
    return text += std::to_string(number);
}

/// Edges as "a -> b:port".
inline Graph graphOf(std::vector<Node> nodes, const std::vector<std::string>& edges)
{
    std::vector<Edge> list;
    for (const std::string& text : edges) {
        const auto arrow = text.find(" -> ");
        list.push_back({PortRef::parse(text.substr(0, arrow)), PortRef::parse(text.substr(arrow + 4))});
    }
    return std::move(buildGraph(std::move(nodes), std::move(list))).value();
}

inline TensorType floats(std::vector<Extent> dims)
{
    dims.insert(dims.begin(), kBatch);
    return {std::move(dims), ElementType::Float, 0};
}

inline TensorType classIndices(std::int64_t classes, std::vector<Extent> dims = {})
{
    dims.insert(dims.begin(), kBatch);
    return {std::move(dims), ElementType::Index, classes};
}

/// The problems as "severity where: message" lines, for comparisons that say what was found.
inline std::string linesOf(const std::vector<Problem>& problems)
{
    std::string text;
    for (const Problem& problem : problems)
        text +=
            std::string(severityName(problem.severity)) + " " + problem.where + ": " + problem.message + "\n";
    return text;
}

inline const Problem* problemAt(const GraphCheck& check, const std::string& where)
{
    for (const Problem& problem : check.problems)
        if (problem.where == where)
            return &problem;
    return nullptr;
}

} // namespace athanor
