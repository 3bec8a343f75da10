// Any thread (a value). The editable graph: nodes with kind and parameters, edges between ports. It knows
// nothing of torch or screens; a network and a data pipeline are both a Graph, over two catalogs.
#pragma once

#include "engine/base/json.h"
#include "engine/base/result.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace athanor {

/// What a person typed: unique in its graph, [A-Za-z_][A-Za-z0-9_]*. Flattened graphs (flat_graph.h) name the
/// members of a group `group/node`.
using NodeId = std::string;

struct Node {
    NodeId id;
    std::string kind;             ///< a NodeCatalog kind, or one that no catalog knows (kept as it is)
    Json params = Json::object(); ///< only what was written; defaults come from the catalog
    Json extra = Json::object();  ///< unknown keys of the file, kept on save
    bool operator==(const Node&) const = default;
};

/// One end of an edge. An empty port is the node's first output or input.
struct PortRef {
    NodeId node;
    std::string port;
    /// `node` or `node:port`, as in the project file.
    [[nodiscard]] std::string text() const { return port.empty() ? node : node + ":" + port; }
    static PortRef parse(std::string_view text);
    auto operator<=>(const PortRef&) const = default;
};

struct Edge {
    PortRef from; ///< an output
    PortRef to;   ///< an input
    auto operator<=>(const Edge&) const = default;
};

/// Where a node is drawn, in canvas units (px at 100 %). Not part of the semantics.
struct Position {
    double x = 0;
    double y = 0;
    bool operator==(const Position&) const = default;
};

/// A box with a text on the canvas, around or beside nodes. Not part of the semantics.
struct Comment {
    std::string text;
    std::string color; ///< a family's name ("Convolution"), so that it follows the theme; empty: grey
    double x = 0;      ///< top left corner, canvas units
    double y = 0;
    double width = 240;
    double height = 120;
    bool operator==(const Comment&) const = default;
};

struct GroupDefinition;

class Graph {
public:
    /// In the order of the file, which is kept.
    [[nodiscard]] const std::vector<Node>& nodes() const { return m_nodes; }
    /// A loaded file's edges may name nodes that do not exist, or form a cycle: checkGraph reports both.
    [[nodiscard]] const std::vector<Edge>& edges() const { return m_edges; }
    [[nodiscard]] const std::map<NodeId, Position>& positions() const { return m_positions; }
    /// By a name that nobody sees ("note1"), valid like a node's.
    [[nodiscard]] const std::map<std::string, Comment>& comments() const { return m_comments; }

    /// What the graph's groups are made of, in the order of the file; names are unique. A definition's own graph
    /// has none: all of them are kept in the outermost graph.
    [[nodiscard]] const std::vector<GroupDefinition>& definitions() const { return m_definitions; }
    /// The graph inside of a group; nullptr when there is no such definition. Valid until the next change.
    [[nodiscard]] const Graph* definition(const std::string& name) const;

    /// nullptr when there is none; valid until the next change.
    [[nodiscard]] const Node* find(const NodeId& id) const;
    [[nodiscard]] std::vector<Edge> incoming(const NodeId& id) const; ///< in the order of the edges
    [[nodiscard]] std::vector<Edge> outgoing(const NodeId& id) const;

    /// Nodes so that each comes after its sources; ties in the order of the file. On a cycle the members
    /// of cycles (and what follows them) are left out: the result is shorter than nodes().
    [[nodiscard]] std::vector<NodeId> topologicalOrder() const;

    bool operator==(const Graph& other) const;

private:
    friend class GraphEditor; // graph_edit.cpp: the only code that changes a graph
    friend class Flattener;   // flat_graph.cpp: builds graphs whose names need not be valid
    std::vector<Node> m_nodes;
    std::vector<Edge> m_edges;
    std::map<NodeId, Position> m_positions;
    std::map<std::string, Comment> m_comments;
    std::vector<GroupDefinition> m_definitions;
};

/// What nodes of the kind Group are made of. Its nodes of the kinds GroupInput and GroupOutput are its ports:
/// their ids are the ports' names, their order among the nodes is the order of the ports.
struct GroupDefinition {
    std::string name; ///< unique in its project, spelled like a node's id, without '/'
    Graph graph;
    Json extra = Json::object(); ///< unknown keys of the file, kept on save
    bool operator==(const GroupDefinition&) const = default;
};

/// True for [A-Za-z_][A-Za-z0-9_]*, with '/' between such parts.
bool isValidNodeId(std::string_view id);

/// An id not in use, made of `wish` ("conv2d") and a number: `conv2d1`, `conv2d2`, …
NodeId freeNodeId(const Graph& graph, std::string_view wish);

/// Hash of what the graph computes: nodes, kinds, parameters, edges; not positions, not the order in the
/// file, not unknown keys, not whether a default was written out. 32 hex digits. `path` respells the
/// values of Path parameters, so that two spellings of one file hash alike.
std::string semanticHash(const Graph& graph, const std::function<std::string(const std::string&)>& path = {});

} // namespace athanor
