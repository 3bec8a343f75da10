// Any thread. Inside engine/graph: a graph seen through a catalog, with all that is wrong about its nodes,
// parameters and edges; what both checkNetwork and checkData start from.
#pragma once

#include "engine/graph/graph_check.h"
#include "engine/graph/resolved_kind.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace athanor {

/// One edge as seen from the node that it enters.
struct InputEdge {
    std::size_t node = 0; ///< index in nodes()
    std::size_t port = 0; ///< index in the outputs of that node's kind
};

struct NodeView {
    const Node* node = nullptr;
    KindPtr kind;                 ///< with the node's own ports; null when no catalog knows it
    Json params = Json::object(); ///< complete; values that are wrong are left out
    bool paramsAreSound = true;   ///< none was wrong, unknown or missing
    /// Per input port of the kind, in the order of the edges; only edges that can be followed.
    std::vector<std::vector<InputEdge>> inputs;
    std::optional<std::size_t> sharedWith; ///< of a Shared: the node whose layer it runs
    std::vector<std::size_t> next;         ///< nodes that this one feeds
    std::vector<Problem> problems;
};

class GraphStructure {
public:
    /// `part` is "network" or "data": the start of every problem's place.
    /// `graph` is flat: no groups (see flat_graph.h).
    GraphStructure(const Graph& graph, const NodeCatalog& catalog, const NodeCatalog& otherCatalog,
                   std::string part);

    [[nodiscard]] std::vector<NodeView>& nodes() { return m_nodes; }
    /// Topological; members of cycles and what follows them at the end, in the order of the file.
    [[nodiscard]] const std::vector<std::size_t>& order() const { return m_order; }

    void addProblem(std::size_t node, std::string place, Severity severity, std::string message,
                    std::string hint = {});
    void addProblem(Severity severity, std::string message, std::string hint = {}); ///< of the whole graph

    /// Nodes from which one of `ends` can be reached, `ends` included.
    [[nodiscard]] std::vector<bool> reaching(const std::vector<std::size_t>& ends) const;

    /// All problems: the nodes' in order(), then those of the whole graph.
    [[nodiscard]] std::vector<Problem> takeProblems();

private:
    void checkNode(std::size_t index, const Graph& graph, const NodeCatalog& catalog,
                   const NodeCatalog& otherCatalog);
    void checkEdge(std::size_t index, const Edge& edge);
    std::optional<std::size_t> place(const Edge& edge, std::size_t index, const PortRef& end);
    std::optional<std::size_t> outputPort(std::size_t from, const std::string& port);
    std::optional<std::size_t> inputPort(std::size_t to, const std::string& port);
    void checkInputs(std::size_t index);
    void reportOpenInput(std::size_t index, const PortSpec& port);
    void findOwner(std::size_t index);
    void sortNodes(const Graph& graph);
    void findCycles();
    void reportCycle(std::vector<std::size_t>::const_iterator begin,
                     std::vector<std::size_t>::const_iterator end);

    std::string m_part;
    std::vector<NodeView> m_nodes;
    std::unordered_map<std::string, std::size_t> m_index;
    std::vector<std::size_t> m_order;
    std::vector<Problem> m_problems;
};

/// Warns of each Linear that gets the image of a convolution: it would work on the rows only, which is allowed
/// and hardly ever meant.
void warnOfImagesIntoLinear(GraphStructure& structure, const std::map<NodeId, NodeCheck>& checks);

} // namespace athanor
