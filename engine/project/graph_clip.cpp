#include "engine/project/graph_clip.h"

#include "engine/graph/group_edit.h"
#include "engine/graph/groups.h"
#include "engine/project/json_text.h"
#include "engine/project/project_json.h"

#include <algorithm>
#include <cctype>
#include <limits>

namespace athanor {
namespace {

const char* nameOf(ClipPart part)
{
    return part == ClipPart::Data ? "data" : "network";
}

Graph chosenPart(const Graph& graph, const ClipChoice& choice)
{
    std::vector<Node> nodes;
    std::copy_if(graph.nodes().begin(), graph.nodes().end(), std::back_inserter(nodes),
                 [&](const Node& node) { return choice.nodes.contains(node.id); });
    std::vector<Edge> edges;
    std::copy_if(graph.edges().begin(), graph.edges().end(), std::back_inserter(edges), [&](const Edge& edge) {
        return choice.nodes.contains(edge.from.node) && choice.nodes.contains(edge.to.node);
    });
    std::map<std::string, Comment> comments;
    for (const auto& [name, comment] : graph.comments())
        if (choice.comments.contains(name))
            comments[name] = comment;
    std::vector<GroupDefinition> definitions;
    for (const Node& node : nodes)
        for (GroupDefinition& definition : withItsDefinitions(graph, isGroup(node) ? definitionOf(node) : ""))
            if (std::ranges::find(definitions, definition.name, &GroupDefinition::name) == definitions.end())
                definitions.push_back(std::move(definition));
    // Cannot fail: the names come from a graph.
    return std::move(buildGraph(std::move(nodes), std::move(edges), graph.positions(), std::move(comments),
                                std::move(definitions)))
        .value();
}

// `conv12` → `conv`, so that the copy of conv12 is conv13 and not conv121. A group's members keep its name.
std::string stemOf(const NodeId& id)
{
    std::size_t end = id.size();
    while (end > 1 && std::isdigit(static_cast<unsigned char>(id[end - 1])) != 0)
        --end;
    return id[end - 1] == '/' ? id : id.substr(0, end);
}

NodeId freeName(const NodeId& wish, const std::set<std::string>& taken)
{
    if (!taken.contains(wish))
        return wish;
    const std::string stem = stemOf(wish);
    for (int number = 1;; ++number)
        if (NodeId id = stem + std::to_string(number); !taken.contains(id))
            return id;
}

std::set<std::string> takenNames(const Graph& graph)
{
    std::set<std::string> taken;
    for (const Node& node : graph.nodes())
        taken.insert(node.id);
    for (const Edge& edge : graph.edges()) // also those that lead to no node: the name would attach them
        taken.insert({edge.from.node, edge.to.node});
    return taken;
}

Position offsetTo(const Graph& clip, const std::optional<Position>& at)
{
    constexpr double kFar = std::numeric_limits<double>::max();
    Position corner{kFar, kFar};
    for (const auto& [id, position] : clip.positions())
        corner = {std::min(corner.x, position.x), std::min(corner.y, position.y)};
    for (const auto& [name, comment] : clip.comments())
        corner = {std::min(corner.x, comment.x), std::min(corner.y, comment.y)};
    return at && corner.x < kFar ? Position{at->x - corner.x, at->y - corner.y} : Position{};
}

} // namespace

std::string clipText(const Graph& graph, ClipPart part, const ClipChoice& choice)
{
    Project piece;
    (part == ClipPart::Data ? piece.data : piece.network) = chosenPart(graph, choice);
    const Json all = projectJson(piece);
    Json text = {{"athanor", all.at("athanor")}, {nameOf(part), all.at(nameOf(part))}};
    if (const auto layout = all.find("layout"); layout != all.end())
        text["layout"] = *layout;
    return documentText(text);
}

Result<Clip> parseClip(std::string_view text)
{
    auto loaded = parseProject(text);
    if (!loaded)
        return loaded.error();
    Project& project = loaded->project;
    const auto isEmpty = [](const Graph& graph) { return graph.nodes().empty() && graph.comments().empty(); };
    if (!isEmpty(project.network))
        return Clip{ClipPart::Network, std::move(project.network)};
    if (!isEmpty(project.data))
        return Clip{ClipPart::Data, std::move(project.data)};
    return Error{ErrorCode::Unreadable, "the text holds no nodes", {}, "copy nodes on a canvas first", {}};
}

Paste pasteEdit(const Graph& graph, const Clip& clip, const std::optional<Position>& at)
{
    Paste paste;
    edit::Sequence sequence;
    const Position offset = offsetTo(clip.graph, at);
    std::set<std::string> taken = takenNames(graph);
    std::map<NodeId, NodeId> names;
    for (const Node& original : clip.graph.nodes()) {
        names[original.id] = freeName(original.id, taken);
        taken.insert(names[original.id]);
        paste.nodes.insert(names[original.id]);
    }
    const ImportedDefinitions groups = importDefinitions(graph, clip.graph.definitions());
    sequence.edits.push_back(groups.edit);
    for (const Node& original : clip.graph.nodes()) {
        Node node = original;
        node.id = names[original.id];
        if (const auto group = groups.names.find(definitionOf(node)); isGroup(node) && group != groups.names.end())
            node.params["definition"] = group->second;
        if (const auto owner = names.find(ownerOf(node)); isShared(node) && owner != names.end())
            node.params["of"] = owner->second;
        std::optional<Position> position;
        if (const auto known = clip.graph.positions().find(original.id); known != clip.graph.positions().end())
            position = Position{known->second.x + offset.x, known->second.y + offset.y};
        sequence.edits.push_back({edit::AddNode{std::move(node), position, std::nullopt}});
    }
    std::size_t place = graph.edges().size();
    for (Edge edge : clip.graph.edges()) {
        if (!names.contains(edge.from.node) || !names.contains(edge.to.node))
            continue;
        edge.from.node = names[edge.from.node];
        edge.to.node = names[edge.to.node];
        // With a place: a clip may hold a cycle that its source was broken with, and keeps it.
        sequence.edits.push_back({edit::Connect{std::move(edge), place++}});
    }
    std::set<std::string> comments;
    for (const auto& [name, comment] : graph.comments())
        comments.insert(name);
    for (auto [name, comment] : clip.graph.comments()) {
        const std::string own = freeName(name, comments);
        comments.insert(own);
        paste.comments.insert(own);
        comment.x += offset.x;
        comment.y += offset.y;
        sequence.edits.push_back({edit::SetComment{own, std::move(comment)}});
    }
    paste.edit = GraphEdit{std::move(sequence)};
    return paste;
}

} // namespace athanor
