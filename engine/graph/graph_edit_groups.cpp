#include "engine/graph/graph_editor.h"
#include "engine/graph/groups.h"
#include "engine/graph/name_match.h"

#include <algorithm>

namespace athanor {
namespace {

// An edit as single steps, sequences opened.
void addSteps(const GraphEdit& edit, std::vector<GraphEdit>& steps)
{
    if (const auto* sequence = std::get_if<edit::Sequence>(&edit.what)) {
        for (const GraphEdit& part : sequence->edits)
            addSteps(part, steps);
    } else {
        steps.push_back(edit);
    }
}

bool isOfDefinitions(const GraphEdit& edit)
{
    return std::holds_alternative<edit::AddDefinition>(edit.what) ||
           std::holds_alternative<edit::RemoveDefinition>(edit.what) ||
           std::holds_alternative<edit::RenameDefinition>(edit.what) ||
           std::holds_alternative<edit::InDefinition>(edit.what);
}

Error noSuchDefinition(const Graph& graph, const std::string& name)
{
    std::vector<std::string> names;
    for (const GroupDefinition& definition : graph.definitions())
        names.push_back(definition.name);
    return refusal(ErrorCode::NotFound, "there is no group '" + name + "'", "groups/" + name,
                   didYouMean(name, names));
}

// Ids of the nodes of one graph that are instances of a definition, or share the weights of one.
std::set<NodeId> instancesIn(const Graph& graph, const std::string& definition)
{
    std::set<NodeId> ids;
    for (const Node& node : graph.nodes())
        if (isGroup(node) && definitionOf(node) == definition)
            ids.insert(node.id);
    for (const Node& node : graph.nodes())
        if (isShared(node) && ids.contains(ownerOf(node)))
            ids.insert(node.id);
    return ids;
}

} // namespace

GroupDefinition* GraphEditor::findDefinition(const std::string& name)
{
    const auto it = std::ranges::find(m_graph.m_definitions, name, &GroupDefinition::name);
    return it == m_graph.m_definitions.end() ? nullptr : &*it;
}

std::vector<Graph*> GraphEditor::allGraphs()
{
    std::vector<Graph*> graphs{&m_graph};
    for (GroupDefinition& definition : m_graph.m_definitions)
        graphs.push_back(&definition.graph);
    return graphs;
}

std::set<NodeId> GraphEditor::usersOf(const std::string& definition) const
{
    std::set<NodeId> users = instancesIn(m_graph, definition);
    for (const GroupDefinition& other : m_graph.m_definitions) {
        const auto held = definitionsUsedBy(m_graph, other.graph);
        if (std::ranges::find(held, definition) != held.end())
            users.merge(instancesIn(m_graph, other.name));
    }
    return users;
}

std::optional<Error> GraphEditor::refuseDefinitionName(const std::string& name)
{
    if (isValidNodeId(name) && name.find('/') == std::string::npos)
        return std::nullopt;
    return refusal(ErrorCode::InvalidArgument, "'" + name + "' cannot be a group's name", "groups/" + name,
                   "use letters, digits and _, and start with a letter");
}

std::optional<Error> GraphEditor::refuseNewDefinition(const std::string& name)
{
    if (auto error = refuseDefinitionName(name))
        return error;
    if (findDefinition(name) != nullptr)
        return refusal(ErrorCode::InvalidArgument, "there is a group '" + name + "' already",
                       "groups/" + name, "choose another name");
    return std::nullopt;
}

Result<GraphChange> GraphEditor::operator()(const edit::AddDefinition& add)
{
    const std::string& name = add.definition.name;
    if (auto error = refuseNewDefinition(name))
        return *std::move(error);
    if (!add.definition.graph.definitions().empty())
        return refusal(ErrorCode::InvalidArgument, "a group holds the definitions of other groups",
                       "groups/" + name, "add each of them by itself");
    auto& all = m_graph.m_definitions;
    const std::size_t index = std::min(add.index.value_or(all.size()), all.size());
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(index), add.definition);
    return GraphChange{GraphEdit{edit::RemoveDefinition{name}}, usersOf(name), true};
}

Result<GraphChange> GraphEditor::operator()(const edit::RemoveDefinition& remove)
{
    const GroupDefinition* definition = findDefinition(remove.name);
    if (definition == nullptr)
        return noSuchDefinition(m_graph, remove.name);
    const auto index = static_cast<std::size_t>(definition - m_graph.m_definitions.data());
    GraphChange change{GraphEdit{edit::AddDefinition{*definition, index}}, usersOf(remove.name), true};
    m_graph.m_definitions.erase(m_graph.m_definitions.begin() + static_cast<std::ptrdiff_t>(index));
    return change;
}

Result<GraphChange> GraphEditor::operator()(const edit::RenameDefinition& rename)
{
    const std::string from = rename.from, to = rename.to;
    GroupDefinition* definition = findDefinition(from);
    if (definition == nullptr)
        return noSuchDefinition(m_graph, from);
    GraphChange change{GraphEdit{edit::RenameDefinition{to, from}}, usersOf(from), true};
    if (from == to)
        return change;
    if (auto error = refuseNewDefinition(to))
        return *std::move(error);
    // Taking a name that instances wait for would attach them unasked, and could not be undone.
    for (const Graph* graph : allGraphs())
        if (!instancesIn(*graph, to).empty())
            return refusal(ErrorCode::InvalidArgument,
                           "'" + *instancesIn(*graph, to).begin() + "' is an instance of '" + to +
                               "' already, though there is no such group",
                           "groups/" + to, "choose another name");
    definition->name = to;
    for (Graph* graph : allGraphs())
        for (Node& node : graph->m_nodes)
            if (isGroup(node) && definitionOf(node) == from)
                node.params["definition"] = to;
    return change;
}

// The edges of all instances follow the new name of a port.
std::optional<Error> GraphEditor::renamePort(const std::string& definition, const edit::Rename& rename,
                                             const std::string& portKind)
{
    if (rename.from == rename.to)
        return std::nullopt;
    const auto end = portKind == kGroupInputKind ? &Edge::to : &Edge::from;
    for (const Graph* graph : allGraphs()) {
        const std::set<NodeId> instances = instancesIn(*graph, definition);
        for (const Edge& edge : graph->m_edges)
            if (instances.contains((edge.*end).node) && (edge.*end).port == rename.to)
                return refusal(ErrorCode::InvalidArgument,
                               "an edge names the port '" + rename.to +
                                   "' already, though the group has none",
                               (edge.*end).text(), "remove that edge first, or choose another name");
    }
    for (Graph* graph : allGraphs()) {
        const std::set<NodeId> instances = instancesIn(*graph, definition);
        for (Edge& edge : graph->m_edges)
            if (instances.contains((edge.*end).node) && (edge.*end).port == rename.from)
                (edge.*end).port = rename.to;
    }
    return std::nullopt;
}

Result<GraphChange> GraphEditor::operator()(const edit::InDefinition& in)
{
    Graph changed = m_graph; // all or none
    GraphEditor editor(changed);
    GroupDefinition* definition = editor.findDefinition(in.definition);
    if (definition == nullptr)
        return noSuchDefinition(m_graph, in.definition);
    edit::InDefinition back{in.definition, {}};
    GraphChange whole;
    whole.semantic = false;
    std::vector<GraphEdit> steps;
    for (const GraphEdit& part : in.edits)
        addSteps(part, steps);
    for (const GraphEdit& step : steps) {
        if (isOfDefinitions(step))
            return refusal(ErrorCode::InvalidArgument, "a group's inside has no definitions of its own",
                           "groups/" + in.definition, "change them in the whole graph");
        const auto* rename = std::get_if<edit::Rename>(&step.what);
        const Node* renamed = rename != nullptr ? definition->graph.find(rename->from) : nullptr;
        const std::string kind = renamed != nullptr && isGroupPort(*renamed) ? renamed->kind : std::string();
        auto change = apply(definition->graph, step);
        if (!change)
            return change.error();
        if (!kind.empty())
            if (auto error = editor.renamePort(in.definition, *rename, kind))
                return *std::move(error);
        back.edits.insert(back.edits.begin(), std::move(change->inverse));
        whole.semantic = whole.semantic || change->semantic;
    }
    m_graph = std::move(changed);
    whole.touched = usersOf(in.definition);
    whole.inverse = GraphEdit{std::move(back)};
    return whole;
}

GraphEdit editInside(const std::string& definition, GraphEdit edit)
{
    if (definition.empty())
        return edit;
    std::vector<GraphEdit> steps;
    addSteps(edit, steps);
    edit::Sequence all;
    for (GraphEdit& step : steps) {
        auto* last = all.edits.empty() ? nullptr : std::get_if<edit::InDefinition>(&all.edits.back().what);
        if (isOfDefinitions(step))
            all.edits.push_back(std::move(step));
        else if (last != nullptr && last->definition == definition)
            last->edits.push_back(std::move(step));
        else
            all.edits.push_back(GraphEdit{edit::InDefinition{definition, {std::move(step)}}});
    }
    return all.edits.size() == 1 ? std::move(all.edits.front()) : GraphEdit{std::move(all)};
}

} // namespace athanor
