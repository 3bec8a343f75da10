// Any thread. Changes to a graph as data, each with an inverse: the only way to change a Graph.
#pragma once

#include "engine/graph/graph.h"

#include <set>
#include <variant>

namespace athanor {

struct GraphEdit;

namespace edit {
/// Adds a node; `index` is its place in nodes() (none: at the end).
struct AddNode {
    Node node;
    std::optional<Position> position;
    std::optional<std::size_t> index;
};
/// Removes a node with its edges.
struct RemoveNode {
    NodeId id;
};
/// Adds an edge; refused only when structurally impossible (unknown node, same node, cycle, the same edge
/// twice). With `index`, its place in edges() (none: at the end), an edge is put back where it was: only
/// the same edge twice is refused then, because a file may hold edges that nobody could draw.
struct Connect {
    Edge edge;
    std::optional<std::size_t> index;
};
struct Disconnect {
    Edge edge;
};
/// Sets a parameter, or removes it (nullopt) so that the default holds. A null is a value like any other: it
/// stands in the file, and means "none" where the parameter allows it.
struct SetParameter {
    NodeId id;
    std::string name;
    std::optional<Json> value;
};
/// Moves nodes; a node without a position gets one, nullopt takes it away.
struct Move {
    std::map<NodeId, std::optional<Position>> to;
};
/// Renames a node everywhere: its edges follow, and nodes that share its weights. Inside a definition, a port's
/// new name is followed by the edges of all instances.
struct Rename {
    NodeId from;
    NodeId to;
};
/// Writes a comment box; nullopt takes it away.
struct SetComment {
    std::string name;
    std::optional<Comment> comment;
};
/// Adds a definition of groups; `index` is its place in definitions() (none: at the end).
struct AddDefinition {
    GroupDefinition definition;
    std::optional<std::size_t> index;
};
/// Removes a definition; its instances stay, and checkNetwork says that they lack it.
struct RemoveDefinition {
    std::string name;
};
/// Renames a definition everywhere: its instances follow.
struct RenameDefinition {
    std::string from;
    std::string to;
};
/// Changes the graph inside of a definition, and so all of its instances; all or none are applied. Edits of
/// definitions are none of it.
struct InDefinition {
    std::string definition;
    std::vector<GraphEdit> edits;
};
/// Several edits as one; all or none are applied.
struct Sequence {
    std::vector<GraphEdit> edits;
};
} // namespace edit

struct GraphEdit {
    std::variant<edit::AddNode, edit::RemoveNode, edit::Connect, edit::Disconnect, edit::SetParameter,
                 edit::Move, edit::Rename, edit::SetComment, edit::AddDefinition, edit::RemoveDefinition,
                 edit::RenameDefinition, edit::InDefinition, edit::Sequence>
        what;
};

struct GraphChange {
    GraphEdit inverse; ///< applying it brings back the graph from before, byte for byte
    /// Nodes added, removed, changed, moved, renamed (both names), at a changed edge, or instances of a group
    /// whose inside changed.
    std::set<NodeId> touched;
    bool semantic = true; ///< false when only positions or comments changed
};

/// Applies an edit. On an error the graph is unchanged. Whether kinds, ports and values make sense is
/// checkGraph's matter, not this function's: users pass through broken states while they edit.
Result<GraphChange> apply(Graph& graph, const GraphEdit& edit);

/// An edit of insideOf(graph, definition) as an edit of `graph`: what it changes of the nodes happens in the
/// definition, what it changes of definitions in the graph. The edit itself when `definition` is empty.
GraphEdit editInside(const std::string& definition, GraphEdit edit);

/// A graph as a file holds it. Refused are only names that are invalid or there twice (definitions' too); edges may name nodes
/// that do not exist and may form cycles (checkGraph says so). An edge that is there twice is kept once,
/// positions of unknown nodes are dropped.
Result<Graph> buildGraph(std::vector<Node> nodes, std::vector<Edge> edges,
                         std::map<NodeId, Position> positions = {},
                         std::map<std::string, Comment> comments = {},
                         std::vector<GroupDefinition> definitions = {});

} // namespace athanor
