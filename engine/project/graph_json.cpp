#include "engine/project/graph_json.h"

#include "engine/graph/graph_edit.h"
#include "engine/graph/name_match.h"
#include "engine/graph/param_check.h"

#include <algorithm>

namespace athanor {
namespace {

const std::vector<std::string> kNodeKeys{"id", "kind", "params"};
const std::vector<std::string> kCommentKeys{"text", "color", "rect"};

bool isKnown(const std::vector<std::string>& keys, const std::string& key)
{
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

Error wrong(std::string where, std::string message, std::string hint = {})
{
    return Error{ErrorCode::Unreadable, std::move(message), std::move(where), std::move(hint), {}};
}

// Reads one graph: a part of the project, or the inside of a definition.
class GraphReader {
public:
    /// `part` is the graph's place in the document ("network", "network/groups/Block").
    GraphReader(std::string part, GraphNotes& notes) : m_part(std::move(part)), m_notes(notes) {}
    Result<Graph> read(const Json& graph, const Json& positions, const Json& comments,
                       std::vector<GroupDefinition> definitions);
    /// Positions of nodes that do not exist.
    [[nodiscard]] const Json& strayPositions() const { return m_stray; }

private:
    Result<std::vector<Node>> readNodes(const Json& graph);
    Result<Node> readNode(const Json& json, const std::string& where);
    Result<std::vector<Edge>> readEdges(const Json& graph);
    Result<std::map<NodeId, Position>> readPositions(const Json& entries, const std::vector<Node>& nodes);
    Result<std::map<std::string, Comment>> readComments(const Json& entries);
    Result<Comment> readComment(const Json& json, const std::string& where);
    void noteUnknown(const std::string& where, const std::string& key, const std::vector<std::string>& known)
    {
        noteUnknownKey(m_notes, where, key, known);
    }

    std::string m_part;
    GraphNotes& m_notes;
    Json m_stray = Json::object();
};

Result<Node> GraphReader::readNode(const Json& json, const std::string& where)
{
    if (!json.is_object())
        return wrong(where, "a node must be an object, is " + shortText(json),
                     R"(such as {"id": "conv1", "kind": "Conv2d"})");
    Node node;
    for (const std::string key : {"id", "kind"}) {
        const auto it = json.find(key);
        if (it == json.end() || !it->is_string())
            return wrong(where + "/" + key, it == json.end() ? "the node has no " + key
                                                             : key + " must be a text, is " + shortText(*it));
        (key == "id" ? node.id : node.kind) = it->get<std::string>();
    }
    if (const auto params = json.find("params"); params != json.end()) {
        if (!params->is_object())
            return wrong(m_part + "/" + node.id + "/params",
                         "params must be an object, is " + shortText(*params));
        node.params = *params;
    }
    for (const auto& [key, value] : json.items())
        if (!isKnown(kNodeKeys, key)) {
            node.extra[key] = value;
            noteUnknown(m_part + "/" + node.id + "/" + key, key, kNodeKeys);
        }
    return node;
}

Result<std::vector<Node>> GraphReader::readNodes(const Json& graph)
{
    std::vector<Node> nodes;
    const auto list = graph.find("nodes");
    if (list == graph.end())
        return nodes;
    if (!list->is_array())
        return wrong(m_part + "/nodes", "nodes must be a list, is " + shortText(*list));
    for (std::size_t i = 0; i < list->size(); ++i) {
        auto node = readNode((*list)[i], m_part + "/nodes/" + std::to_string(i));
        if (!node)
            return node.error();
        nodes.push_back(std::move(*node));
    }
    return nodes;
}

Result<std::vector<Edge>> GraphReader::readEdges(const Json& graph)
{
    std::vector<Edge> edges;
    const auto list = graph.find("edges");
    if (list == graph.end())
        return edges;
    if (!list->is_array())
        return wrong(m_part + "/edges", "edges must be a list, is " + shortText(*list));
    for (std::size_t i = 0; i < list->size(); ++i) {
        const Json& pair = (*list)[i];
        const std::string where = m_part + "/edges/" + std::to_string(i);
        if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string())
            return wrong(where, "an edge must be a pair of names, is " + shortText(pair),
                         R"(such as ["conv1", "relu1"])");
        Edge edge{PortRef::parse(pair[0].get<std::string>()), PortRef::parse(pair[1].get<std::string>())};
        if (std::find(edges.begin(), edges.end(), edge) != edges.end())
            m_notes.problems.push_back(
                {where, Severity::Warning,
                 "the edge " + edge.from.text() + " → " + edge.to.text() + " is there twice",
                 "one of the two is dropped"});
        else
            edges.push_back(std::move(edge));
    }
    return edges;
}

Result<std::map<NodeId, Position>> GraphReader::readPositions(const Json& entries,
                                                              const std::vector<Node>& nodes)
{
    std::map<NodeId, Position> positions;
    const std::string place = "layout/" + m_part;
    if (entries.is_null())
        return positions;
    if (!entries.is_object())
        return wrong(place, "must be an object of node names and positions, is " + shortText(entries));
    for (const auto& [id, at] : entries.items()) {
        const bool known =
            std::any_of(nodes.begin(), nodes.end(), [&id = id](const Node& node) { return node.id == id; });
        if (!known) {
            m_stray[id] = at;
            continue;
        }
        if (!at.is_array() || at.size() != 2 || !at[0].is_number() || !at[1].is_number())
            return wrong(place + "/" + id, "a position must be two numbers, is " + shortText(at),
                         "such as [120, 40]");
        positions[id] = {at[0].get<double>(), at[1].get<double>()};
    }
    return positions;
}

Result<Comment> GraphReader::readComment(const Json& json, const std::string& where)
{
    const auto rect = json.is_object() ? json.find("rect") : json.end();
    const bool sound = json.is_object() && rect != json.end() && rect->is_array() && rect->size() == 4 &&
                       std::all_of(rect->begin(), rect->end(), [](const Json& n) { return n.is_number(); });
    if (!sound)
        return wrong(where, "a comment must be an object with a rect of four numbers, is " + shortText(json),
                     R"(such as {"text": "stem", "rect": [0, 0, 240, 120]})");
    Comment comment;
    comment.x = (*rect)[0].get<double>();
    comment.y = (*rect)[1].get<double>();
    comment.width = (*rect)[2].get<double>();
    comment.height = (*rect)[3].get<double>();
    for (const auto& [key, value] : json.items()) {
        if (key == "rect")
            continue;
        if (!isKnown(kCommentKeys, key))
            noteUnknown(where + "/" + key, key, kCommentKeys);
        else if (!value.is_string())
            return wrong(where + "/" + key, key + " must be a text, is " + shortText(value));
        else
            (key == "text" ? comment.text : comment.color) = value.get<std::string>();
    }
    return comment;
}

Result<std::map<std::string, Comment>> GraphReader::readComments(const Json& entries)
{
    std::map<std::string, Comment> comments;
    const std::string place = "layout/comments/" + m_part;
    if (entries.is_null())
        return comments;
    if (!entries.is_object())
        return wrong(place, "must be an object of comments, is " + shortText(entries));
    for (const auto& [name, json] : entries.items()) {
        const std::string where = place + "/" + name;
        if (!isValidNodeId(name))
            return wrong(where, "'" + name + "' cannot be a comment's name",
                         "use letters, digits and _, and start with a letter");
        auto comment = readComment(json, where);
        if (!comment)
            return comment.error();
        comments[name] = std::move(*comment);
    }
    return comments;
}

Result<Graph> GraphReader::read(const Json& graph, const Json& positions, const Json& comments,
                                std::vector<GroupDefinition> definitions)
{
    auto nodes = readNodes(graph);
    if (!nodes)
        return nodes.error();
    auto edges = readEdges(graph);
    if (!edges)
        return edges.error();
    auto places = readPositions(positions, *nodes);
    if (!places)
        return places.error();
    auto boxes = readComments(comments);
    if (!boxes)
        return boxes.error();
    auto built = buildGraph(std::move(*nodes), std::move(*edges), std::move(*places), std::move(*boxes),
                            std::move(definitions));
    if (!built) {
        Error error = built.error();
        error.code = ErrorCode::Unreadable;
        error.where = m_part + "/" + error.where;
        return error;
    }
    return built;
}

// A member of an object; null when it is none, or has none of this name.
const Json& member(const Json& object, const std::string& name)
{
    static const Json kNull;
    const auto it = object.is_object() ? object.find(name) : object.end();
    return object.is_object() && it != object.end() ? *it : kNull;
}

// Reads the groups of a part.
class DefinitionReader {
public:
    DefinitionReader(std::string part, const Json& layout, GraphNotes& notes)
        : m_part(std::move(part)), m_layout(layout), m_notes(notes)
    {}
    Result<std::vector<GroupDefinition>> read(const Json& list);

private:
    Result<GroupDefinition> readOne(const Json& json, const std::string& where);

    std::string m_part;
    const Json& m_layout;
    GraphNotes& m_notes;
};

Result<GroupDefinition> DefinitionReader::readOne(const Json& json, const std::string& where)
{
    static const std::vector<std::string> kKeys{"name", "nodes", "edges"};
    if (!json.is_object())
        return wrong(where, "a group must be an object, is " + shortText(json),
                     R"(such as {"name": "Block", "nodes": [], "edges": []})");
    GroupDefinition definition;
    const Json& name = member(json, "name");
    if (!name.is_string())
        return wrong(where + "/name",
                     name.is_null() ? "the group has no name" : "name must be a text, is " + shortText(name));
    definition.name = name.get<std::string>();
    const std::string place = m_part + "/groups/" + definition.name;
    for (const auto& [key, value] : json.items())
        if (!isKnown(kKeys, key)) {
            definition.extra[key] = value;
            noteUnknownKey(m_notes, place + "/" + key, key, kKeys);
        }
    GraphReader reader(place, m_notes);
    auto graph = reader.read(json, member(member(m_layout, "groups"), definition.name),
                             member(member(member(m_layout, "comments"), "groups"), definition.name), {});
    if (!graph)
        return graph.error();
    if (!reader.strayPositions().empty())
        m_notes.extraLayout["groups"][definition.name] = reader.strayPositions();
    definition.graph = std::move(*graph);
    return definition;
}

Result<std::vector<GroupDefinition>> DefinitionReader::read(const Json& list)
{
    std::vector<GroupDefinition> definitions;
    if (list.is_null())
        return definitions;
    if (!list.is_array())
        return wrong(m_part + "/groups", "groups must be a list, is " + shortText(list));
    for (std::size_t i = 0; i < list.size(); ++i) {
        auto definition = readOne(list[i], m_part + "/groups/" + std::to_string(i));
        if (!definition)
            return definition.error();
        definitions.push_back(std::move(*definition));
    }
    return definitions;
}

// What the layout says of groups that do not exist is kept.
void keepStrayLayouts(const Json& layout, const std::vector<GroupDefinition>& definitions, GraphNotes& notes)
{
    const auto isStray = [&](const std::string& name) {
        return std::none_of(definitions.begin(), definitions.end(),
                            [&](const GroupDefinition& definition) { return definition.name == name; });
    };
    for (const auto& [name, value] : member(layout, "groups").items())
        if (isStray(name))
            notes.extraLayout["groups"][name] = value;
    for (const auto& [name, value] : member(member(layout, "comments"), "groups").items())
        if (isStray(name))
            notes.extraLayout["comments"]["groups"][name] = value;
}

} // namespace

void noteUnknownKey(GraphNotes& notes, const std::string& where, const std::string& key,
                    const std::vector<std::string>& known)
{
    notes.problems.push_back({where, Severity::Warning,
                              "the key '" + key + "' is unknown; it is kept, but has no effect",
                              didYouMean(key, known)});
}

Result<Graph> graphFromJson(const Json& document, const std::string& part, GraphNotes& notes)
{
    const bool canHaveGroups = part == "network";
    const Json& graph = member(document, part);
    if (document.contains(part) && !graph.is_object())
        return wrong(part, part + " must be an object with nodes and edges, is " + shortText(graph));
    std::vector<std::string> keys{"nodes", "edges"};
    if (canHaveGroups)
        keys.emplace_back("groups");
    for (const auto& [key, value] : graph.items())
        if (!isKnown(keys, key)) {
            notes.extra[key] = value;
            noteUnknownKey(notes, part + "/" + key, key, keys);
        }
    const Json& layout = member(document, "layout");
    for (const Json* all : {&layout, &member(layout, "comments")})
        if (const Json& groups = member(*all, "groups"); !groups.is_null() && !groups.is_object())
            return wrong(all == &layout ? "layout/groups" : "layout/comments/groups",
                         "must be an object with the names of groups, is " + shortText(groups));
    auto definitions =
        DefinitionReader(part, layout, notes).read(canHaveGroups ? member(graph, "groups") : Json());
    if (!definitions)
        return definitions.error();
    if (canHaveGroups)
        keepStrayLayouts(layout, *definitions, notes);
    const Json& comments = member(layout, "comments");
    if (!comments.is_null() && !comments.is_object())
        return wrong("layout/comments", "must be an object with data and network, is " + shortText(comments));
    GraphReader reader(part, notes);
    auto read = reader.read(graph, member(layout, part), member(comments, part), std::move(*definitions));
    if (read && !reader.strayPositions().empty())
        notes.extraLayout[part] = reader.strayPositions();
    return read;
}

} // namespace athanor
