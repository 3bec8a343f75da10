// Any thread. Inside engine/graph: a graph seen through a catalog, with all that is wrong about its nodes,
// parameters and edges; what both checkNetwork and checkData start from.
#pragma once

#include "engine/graph/graph_check.h"
#include "engine/graph/resolved_kind.h"

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

namespace athanor {

/// One edge as seen from the node that it enters.
struct InputEdge {
    std::size_t node = 0; ///< index in nodes()
    std::size_t port = 0; ///< index in the outputs of that node's kind
};

/// What a problem was found by. What the earlier ones found stays while only later ones are done again.
enum class Stage {
    Node,   ///< the kind and the parameters
    Edges,  ///< the edges, and inputs that have none
    Shapes, ///< what flows in
    Around, ///< what the nodes around it say
    Ends    ///< whether a loss is there and reached
};
inline constexpr std::size_t kStages = 5;
using ProblemsByStage = std::array<std::vector<Problem>, kStages>;

/// What came into a node's rule.
struct SeenInput {
    std::optional<TensorType> type;
    bool connected = false;
    bool operator==(const SeenInput&) const = default;
};

struct NodeView {
    Node node;
    KindPtr kind;                 ///< with the node's own ports; null when no catalog knows it
    Json params = Json::object(); ///< complete; values that are wrong are left out
    bool paramsAreSound = true;   ///< none was wrong, unknown or missing
    /// Per input port of the kind, in the order of the edges; only edges that can be followed.
    std::vector<std::vector<InputEdge>> inputs;
    std::optional<std::size_t> sharedWith; ///< of a Shared: the node whose layer it runs
    std::vector<std::size_t> next;         ///< nodes that this one feeds
    ProblemsByStage problems;

    // Of shape inference (shape_inference.h), kept until the node or what flows into it changes.
    NodeCheck* check = nullptr; ///< null: not inferred yet
    std::vector<SeenInput> seen;
    Json inferred = Json::object();
};

class GraphStructure {
public:
    /// `part` is "network" or "data": the start of every problem's place.
    /// `graph` is flat: no groups (see flat_graph.h).
    GraphStructure(const NodeCatalog& catalog, const NodeCatalog& otherCatalog, std::string part);
    GraphStructure(const Graph& graph, const NodeCatalog& catalog, const NodeCatalog& otherCatalog,
                   std::string part);

    /// Goes over to another graph. Nodes that are the same keep what is known of them: their views move to where
    /// the nodes stand now. False when neither an edge nor the order of the nodes has changed, nor a kind: then the
    /// problems of the stage Ends stay too, else those of all stages behind Node go, and of Shapes those of new nodes.
    bool update(const Graph& graph);
    [[nodiscard]] const std::vector<NodeId>& gone() const { return m_gone; } ///< nodes the last update took away

    [[nodiscard]] std::vector<NodeView>& nodes() { return m_nodes; }
    /// Topological; members of cycles and what follows them at the end, in the order of the file.
    [[nodiscard]] const std::vector<std::size_t>& order() const { return m_order; }

    /// What addProblem() counts to from now on.
    void setStage(Stage stage) { m_stage = static_cast<std::size_t>(stage); }
    void addProblem(std::size_t node, std::string place, Severity severity, std::string message,
                    std::string hint = {});
    void addProblem(Severity severity, std::string message, std::string hint = {}); ///< of the whole graph

    /// Nodes from which one of `ends` can be reached, `ends` included.
    [[nodiscard]] std::vector<bool> reaching(const std::vector<std::size_t>& ends) const;

    /// All problems: the nodes' in order(), then those of the whole graph.
    [[nodiscard]] std::vector<Problem> problems() const;

private:
    [[nodiscard]] bool hasWiringOf(const Graph& graph) const;
    void rebuild(const Graph& graph);
    void takeNodes(const Graph& graph);
    void clear(Stage stage);
    void checkNode(std::size_t index, const Graph& graph);
    void checkEdge(std::size_t index, const Edge& edge);
    std::optional<std::size_t> place(const Edge& edge, std::size_t index, const PortRef& end);
    std::optional<std::size_t> outputPort(std::size_t from, const std::string& port);
    std::optional<std::size_t> inputPort(std::size_t to, const std::string& port);
    void checkInputs(std::size_t index);
    void reportOpenInput(std::size_t index, const PortSpec& port);
    void findOwner(std::size_t index);
    void sortNodes();
    void findCycles();
    void reportCycle(std::vector<std::size_t>::const_iterator begin,
                     std::vector<std::size_t>::const_iterator end);

    const NodeCatalog& m_catalog;
    const NodeCatalog& m_otherCatalog;
    std::string m_part;
    std::vector<NodeView> m_nodes;
    std::vector<Edge> m_edges;
    std::unordered_map<std::string, std::size_t> m_index;
    std::vector<std::size_t> m_order;
    std::vector<NodeId> m_gone;
    ProblemsByStage m_problems; ///< of the whole graph
    std::size_t m_stage = 0;
    bool m_isBuilt = false; ///< there was a graph, if an empty one
};

/// After shape inference: warns of each Linear that gets the image of a convolution: it would work on the rows only, which is allowed
/// and hardly ever meant.
void warnOfImagesIntoLinear(GraphStructure& structure);

} // namespace athanor
