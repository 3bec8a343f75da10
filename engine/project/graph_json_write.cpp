#include "engine/project/graph_json.h"

#include <cmath>

namespace athanor {
namespace {

Json plainGraphJson(const Graph& graph)
{
    Json nodes = Json::array();
    for (const Node& node : graph.nodes()) {
        Json json = node.extra.is_object() ? node.extra : Json::object();
        json["id"] = node.id;
        json["kind"] = node.kind;
        if (!node.params.empty())
            json["params"] = node.params;
        nodes.push_back(std::move(json));
    }
    Json edges = Json::array();
    for (const Edge& edge : graph.edges())
        edges.push_back(Json::array({edge.from.text(), edge.to.text()}));
    return {{"nodes", std::move(nodes)}, {"edges", std::move(edges)}};
}

// Whole numbers without a decimal point: most positions are.
Json coordinate(double value)
{
    constexpr double kExact = 1e15;
    if (value == std::floor(value) && std::abs(value) < kExact)
        return static_cast<std::int64_t>(value);
    return std::isfinite(value) ? Json(value) : Json(0);
}

Json layoutJson(const Graph& graph)
{
    Json json = Json::object();
    for (const auto& [id, at] : graph.positions())
        json[id] = Json::array({coordinate(at.x), coordinate(at.y)});
    return json;
}

Json commentsJson(const Graph& graph)
{
    Json json = Json::object();
    for (const auto& [name, comment] : graph.comments()) {
        Json& entry = json[name];
        entry["text"] = comment.text;
        entry["rect"] = Json::array({coordinate(comment.x), coordinate(comment.y), coordinate(comment.width),
                                     coordinate(comment.height)});
        if (!comment.color.empty())
            entry["color"] = comment.color;
    }
    return json;
}

} // namespace

Json graphJson(const Graph& graph)
{
    Json json = plainGraphJson(graph);
    for (const GroupDefinition& definition : graph.definitions()) {
        Json group = definition.extra.is_object() ? definition.extra : Json::object();
        group.update(plainGraphJson(definition.graph));
        group["name"] = definition.name;
        json["groups"].push_back(std::move(group));
    }
    return json;
}

void addLayout(Json& layout, const std::string& part, const Graph& graph)
{
    if (Json positions = layoutJson(graph); !positions.empty())
        layout[part] = std::move(positions);
    if (Json comments = commentsJson(graph); !comments.empty())
        layout["comments"][part] = std::move(comments);
    for (const GroupDefinition& definition : graph.definitions()) {
        if (Json positions = layoutJson(definition.graph); !positions.empty())
            layout["groups"][definition.name] = std::move(positions);
        if (Json comments = commentsJson(definition.graph); !comments.empty())
            layout["comments"]["groups"][definition.name] = std::move(comments);
    }
}

} // namespace athanor
