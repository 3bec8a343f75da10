#include "engine/graph/group_edit.h"
#include "engine/graph/groups.h"

#include <algorithm>

namespace athanor {
namespace {

bool sameContent(const Graph& a, const Graph& b)
{
    return a.nodes() == b.nodes() && a.edges() == b.edges();
}

// `graph` with its instances bound to the new names of their definitions.
Graph renamed(const Graph& graph, const std::map<std::string, std::string>& names)
{
    std::vector<Node> nodes = graph.nodes();
    for (Node& node : nodes)
        if (const auto name = names.find(definitionOf(node)); isGroup(node) && name != names.end())
            node.params["definition"] = name->second;
    // Cannot fail: the names are those of a graph.
    return std::move(buildGraph(std::move(nodes), graph.edges(), graph.positions(), graph.comments()))
        .value();
}

// Each after those that it holds; what holds itself comes anywhere.
std::vector<GroupDefinition> innermostFirst(const std::vector<GroupDefinition>& definitions)
{
    std::vector<GroupDefinition> sorted;
    std::vector<bool> taken(definitions.size(), false);
    const auto isReady = [&](const GroupDefinition& definition) {
        return std::ranges::all_of(definition.graph.nodes(), [&](const Node& node) {
            if (!isGroup(node))
                return true;
            for (std::size_t i = 0; i < definitions.size(); ++i)
                if (definitions[i].name == definitionOf(node))
                    return static_cast<bool>(taken[i]);
            return true;
        });
    };
    while (sorted.size() < definitions.size()) {
        std::size_t next = definitions.size();
        for (std::size_t i = 0; i < definitions.size(); ++i)
            if (!taken[i] && (next == definitions.size() || isReady(definitions[i]))) {
                next = i;
                if (isReady(definitions[i]))
                    break;
            }
        taken[next] = true;
        sorted.push_back(definitions[next]);
    }
    return sorted;
}

} // namespace

std::vector<GroupDefinition> withItsDefinitions(const Graph& graph, const std::string& definition)
{
    std::vector<GroupDefinition> all;
    const Graph* body = graph.definition(definition);
    if (body == nullptr)
        return all;
    const auto held = definitionsUsedBy(graph, *body);
    for (const GroupDefinition& other : graph.definitions())
        if (other.name == definition || std::ranges::find(held, other.name) != held.end())
            all.push_back(other);
    return innermostFirst(all);
}

ImportedDefinitions importDefinitions(const Graph& graph, const std::vector<GroupDefinition>& definitions)
{
    ImportedDefinitions imported;
    edit::Sequence steps;
    Graph after = graph; // so that two newcomers do not take the same name
    for (const GroupDefinition& definition : innermostFirst(definitions)) {
        GroupDefinition own{definition.name, renamed(definition.graph, imported.names), definition.extra};
        const Graph* there = after.definition(own.name);
        if (there != nullptr && sameContent(*there, own.graph)) {
            imported.names[definition.name] = own.name;
            continue;
        }
        own.name = freeDefinitionName(after, own.name);
        imported.names[definition.name] = own.name;
        GraphEdit add{edit::AddDefinition{std::move(own), {}}};
        if (apply(after, add)) // refused only for names that no file may hold
            steps.edits.push_back(std::move(add));
    }
    imported.edit = GraphEdit{std::move(steps)};
    return imported;
}

} // namespace athanor
