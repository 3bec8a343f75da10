// Any thread. Inside engine/graph: a problem with all that is known around it, and the candidates for its cure.
#pragma once

#include "engine/graph/problem_fixes.h"
#include "engine/graph/problem_place.h"
#include "engine/graph/resolved_kind.h"

#include <string>
#include <utility>
#include <vector>

namespace athanor {

class FixContext {
public:
    /// `nodes` are the checks of `graph`'s nodes; `place` is the problem's, nullopt when it is of no node.
    FixContext(const Graph& graph, const FixSetting& setting, const std::map<NodeId, NodeCheck>& nodes,
               const Problem& problem, const std::optional<ProblemPlace>& place);

    [[nodiscard]] const Graph& graph() const { return m_graph; }
    [[nodiscard]] const NodeCatalog& catalog() const { return *m_setting.catalog; }
    [[nodiscard]] const FieldTypes& fields() const { return m_setting.fields; }
    [[nodiscard]] const Problem& problem() const { return m_problem; }
    [[nodiscard]] bool isNetwork() const { return m_setting.part == "network"; }

    [[nodiscard]] const Node* node() const { return m_node; }   ///< of the problem; nullptr: it has none
    [[nodiscard]] const KindPtr& kind() const { return m_kind; } ///< of node(); null when not known
    [[nodiscard]] const std::string& detail() const { return m_detail; } ///< parameter or port

    [[nodiscard]] KindPtr kindOf(const NodeId& id) const; ///< null: no such node, or of an unknown kind
    /// What flows along the edge; nullopt: not known.
    [[nodiscard]] std::optional<TensorType> typeOf(const Edge& edge) const;
    /// Edges that enter a port of a node, an empty port of an edge being the first one.
    [[nodiscard]] std::vector<Edge> edgesInto(const NodeId& id, const std::string& port) const;
    /// The only edge that enters the node's first input; nullopt for none or several.
    [[nodiscard]] std::optional<Edge> mainInput(const NodeId& id) const;
    /// Complete parameters, as the check left them.
    [[nodiscard]] Json paramsOf(const NodeId& id) const;
    [[nodiscard]] bool leadsTo(const NodeId& from, const NodeId& to) const;
    /// A node to be added, with a free name; one of each kind and fix.
    [[nodiscard]] Node newNode(const std::string& kind, Json params = Json::object()) const;

    void offer(std::string text, GraphEdit edit) { m_candidates.emplace_back(std::move(text), std::move(edit)); }
    [[nodiscard]] const std::vector<std::pair<std::string, GraphEdit>>& candidates() const { return m_candidates; }

private:
    const Graph& m_graph;
    const FixSetting& m_setting;
    const std::map<NodeId, NodeCheck>& m_nodes;
    const Problem& m_problem;
    const Node* m_node = nullptr;
    KindPtr m_kind;
    std::string m_detail;
    std::vector<std::pair<std::string, GraphEdit>> m_candidates;
};

// Each offers candidates; none needs to be right, they are tried afterwards.
void offerParameterFixes(FixContext& context); ///< names and values of parameters
void offerNodeFixes(FixContext& context);      ///< another kind, or a layer before it
void offerEdgeFixes(FixContext& context);      ///< missing and needless edges, inputs that do not go together
void offerLossFixes(FixContext& context);      ///< losses and their targets
void offerOrderFixes(FixContext& context);     ///< transforms in the wrong place of the data graph

/// Another node in the place of the one with its name; its edges stay.
GraphEdit replaceNode(const Graph& graph, Node node);

/// Puts nodes one after the other into an edge, with room made on the canvas.
GraphEdit insertOnEdge(const Graph& graph, const Edge& edge, std::vector<Node> nodes);

/// A node like `node` of another kind, with the parameters that the new kind knows.
Node withKind(const Node& node, const NodeKind& kind);

/// A place beside a node, in canvas units.
std::optional<Position> placeBeside(const Graph& graph, const NodeId& id, double dx, double dy);

} // namespace athanor
