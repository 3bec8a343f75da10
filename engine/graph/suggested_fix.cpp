#include "engine/graph/suggested_fix.h"

namespace athanor {
namespace {

Json pointJson(const Position& position)
{
    return Json::array({position.x, position.y});
}

Json edgeJson(const Edge& edge)
{
    return Json::array({edge.from.text(), edge.to.text()});
}

Json addJson(const edit::AddNode& add)
{
    Json node = {{"id", add.node.id}, {"kind", add.node.kind}, {"params", add.node.params}};
    if (add.position)
        node["position"] = pointJson(*add.position);
    return {{"add", std::move(node)}};
}

Json moveJson(const edit::Move& move)
{
    Json to = Json::object();
    for (const auto& [id, position] : move.to)
        to[id] = position ? pointJson(*position) : Json();
    return {{"move", std::move(to)}};
}

Json setJson(const edit::SetParameter& set)
{
    return set.value ? Json{{"set", Json::array({set.id, set.name, *set.value})}}
                     : Json{{"unset", Json::array({set.id, set.name})}};
}

void collect(const GraphEdit& edit, Json& steps)
{
    if (const auto* sequence = std::get_if<edit::Sequence>(&edit.what)) {
        for (const GraphEdit& part : sequence->edits)
            collect(part, steps);
    } else if (const auto* inside = std::get_if<edit::InDefinition>(&edit.what)) {
        Json own = Json::array();
        for (const GraphEdit& part : inside->edits)
            collect(part, own);
        steps.push_back({{"in", Json::array({inside->definition, std::move(own)})}});
    } else if (const auto* add = std::get_if<edit::AddNode>(&edit.what)) {
        steps.push_back(addJson(*add));
    } else if (const auto* remove = std::get_if<edit::RemoveNode>(&edit.what)) {
        steps.push_back({{"remove", remove->id}});
    } else if (const auto* connect = std::get_if<edit::Connect>(&edit.what)) {
        steps.push_back({{"connect", edgeJson(connect->edge)}});
    } else if (const auto* disconnect = std::get_if<edit::Disconnect>(&edit.what)) {
        steps.push_back({{"disconnect", edgeJson(disconnect->edge)}});
    } else if (const auto* set = std::get_if<edit::SetParameter>(&edit.what)) {
        steps.push_back(setJson(*set));
    } else if (const auto* rename = std::get_if<edit::Rename>(&edit.what)) {
        steps.push_back({{"rename", Json::array({rename->from, rename->to})}});
    } else if (const auto* move = std::get_if<edit::Move>(&edit.what)) {
        steps.push_back(moveJson(*move));
    }
}

} // namespace

bool operator==(const SuggestedFix& a, const SuggestedFix& b)
{
    return fixJson(a) == fixJson(b);
}

Json fixJson(const SuggestedFix& fix)
{
    Json json = {{"text", fix.text}};
    if (fix.graph)
        json["edit"] = {{fix.graph->part, editJson(fix.graph->edit)}};
    else
        json["edit"] = fix.edit;
    return json;
}

Json editJson(const GraphEdit& edit)
{
    Json steps = Json::array();
    collect(edit, steps);
    return steps;
}

} // namespace athanor
