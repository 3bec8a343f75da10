#include "engine/graph/groups.h"

#include <algorithm>

namespace athanor {
namespace {

std::vector<NodeId> idsOfKind(const Graph& graph, const char* kind)
{
    std::vector<NodeId> ids;
    for (const Node& node : graph.nodes())
        if (node.kind == kind)
            ids.push_back(node.id);
    return ids;
}

} // namespace

std::string writtenText(const Node& node, const char* parameter)
{
    const auto it = node.params.find(parameter);
    return it != node.params.end() && it->is_string() ? it->get<std::string>() : std::string();
}

std::int64_t repeatOf(const Node& instance)
{
    const auto it = instance.params.find("repeat");
    if (it == instance.params.end() || !it->is_number_integer() || *it < 1 || *it > kMostRepeats)
        return 1;
    return it->get<std::int64_t>();
}

std::vector<NodeId> groupInputs(const Graph& definition)
{
    return idsOfKind(definition, kGroupInputKind);
}

std::vector<NodeId> groupOutputs(const Graph& definition)
{
    return idsOfKind(definition, kGroupOutputKind);
}

std::vector<std::string> definitionsUsedBy(const Graph& root, const Graph& body)
{
    std::vector<std::string> names;
    const auto collect = [&](const Graph& graph) {
        for (const Node& node : graph.nodes())
            if (isGroup(node) && std::ranges::find(names, definitionOf(node)) == names.end())
                names.push_back(definitionOf(node));
    };
    collect(body);
    for (std::size_t i = 0; i < names.size(); ++i)
        if (const Graph* inner = root.definition(names[i]))
            collect(*inner);
    return names;
}

void forEachNode(const Graph& root,
                 const std::function<void(const std::string& definition, const Node& node)>& visit)
{
    for (const Node& node : root.nodes())
        visit({}, node);
    for (const GroupDefinition& definition : root.definitions())
        for (const Node& node : definition.graph.nodes())
            visit(definition.name, node);
}

} // namespace athanor
