#include "engine/graph/graph_layout.h"

#include <graphviz/gvc.h>

#include <cmath>
#include <mutex>
#include <unordered_map>

namespace athanor {
namespace {

constexpr double kPointsPerInch = 72; // dot takes node sizes in inches and gives positions in points

// libgvc keeps global state (its error buffer, the cdt allocator): one layout at a time.
std::mutex& graphvizMutex()
{
    static std::mutex mutex;
    return mutex;
}

// One for the process: Graphviz loads its plugins into it, and does not free all of them with it.
GVC_t* sharedContext()
{
    static GVC_t* const context = gvContext();
    return context;
}

// A graph of cgraph's that is laid out and released in the right order; the mutex is held all the while.
class DotGraph {
public:
    DotGraph()
        : m_context(sharedContext()), m_graph(agopen(const_cast<char*>("network"), Agdirected, nullptr))
    {
        agseterr(AGMAX); // its warnings would go to stderr, in the middle of a progress bar
    }
    ~DotGraph()
    {
        if (m_laidOut)
            gvFreeLayout(m_context, m_graph);
        agclose(m_graph);
    }
    DotGraph(const DotGraph&) = delete;
    DotGraph& operator=(const DotGraph&) = delete;

    Agnode_t* addNode(std::size_t number)
    {
        return agnode(m_graph, const_cast<char*>(std::to_string(number).c_str()), 1);
    }
    void addEdge(Agnode_t* from, Agnode_t* to) { agedge(m_graph, from, to, nullptr, 1); }
    void set(void* object, const char* name, const std::string& value)
    {
        agsafeset(object, const_cast<char*>(name), const_cast<char*>(value.c_str()), const_cast<char*>(""));
    }
    Agraph_t* graph() { return m_graph; }
    bool layOut()
    {
        m_laidOut = gvLayout(m_context, m_graph, "dot") == 0;
        return m_laidOut;
    }

private:
    GVC_t* m_context;
    Agraph_t* m_graph;
    bool m_laidOut = false;
};

std::string inches(double pixels)
{
    // Not std::to_string: dot reads numbers in the C locale.
    return Json(std::round(pixels / kPointsPerInch * 1e4) / 1e4).dump();
}

NodeSize sizeOf(const NodeId& id, const std::map<NodeId, NodeSize>& sizes)
{
    const auto it = sizes.find(id);
    return it == sizes.end() ? NodeSize{} : it->second;
}

// Where dot is not to be had (a broken installation): one row, so that every node still can be seen.
std::map<NodeId, Position> oneRow(const Graph& graph, const std::map<NodeId, NodeSize>& sizes,
                                  LayoutDirection direction)
{
    constexpr double kGap = 48;
    std::map<NodeId, Position> positions;
    double at = 0;
    for (const Node& node : graph.nodes()) {
        const bool across = direction == LayoutDirection::LeftToRight;
        positions[node.id] = across ? Position{at, 0} : Position{0, at};
        at += kGap + (across ? sizeOf(node.id, sizes).width : sizeOf(node.id, sizes).height);
    }
    return positions;
}

} // namespace

std::map<NodeId, Position> layoutGraph(const Graph& graph, const std::map<NodeId, NodeSize>& sizes,
                                       LayoutDirection direction)
{
    if (graph.nodes().empty())
        return {};
    const std::lock_guard lock(graphvizMutex());
    DotGraph dot;
    dot.set(dot.graph(), "rankdir", direction == LayoutDirection::LeftToRight ? "LR" : "TB");
    dot.set(dot.graph(), "nodesep", "0.5");
    dot.set(dot.graph(), "ranksep", "0.7");
    std::unordered_map<std::string, Agnode_t*> nodes;
    for (const Node& node : graph.nodes()) {
        Agnode_t* drawn = dot.addNode(nodes.size());
        const NodeSize size = sizeOf(node.id, sizes);
        dot.set(drawn, "shape", "box");
        dot.set(drawn, "fixedsize", "true");
        dot.set(drawn, "label", "");
        dot.set(drawn, "width", inches(size.width));
        dot.set(drawn, "height", inches(size.height));
        nodes.emplace(node.id, drawn);
    }
    for (const Edge& edge : graph.edges()) {
        const auto from = nodes.find(edge.from.node), to = nodes.find(edge.to.node);
        if (from != nodes.end() && to != nodes.end())
            dot.addEdge(from->second, to->second);
    }
    if (!dot.layOut())
        return oneRow(graph, sizes, direction);
    const double height = GD_bb(dot.graph()).UR.y; // dot's y grows upwards
    std::map<NodeId, Position> positions;
    for (const auto& [id, drawn] : nodes) {
        const NodeSize size = sizeOf(id, sizes);
        const pointf centre = ND_coord(drawn);
        positions[id] = {std::round(centre.x - size.width / 2),
                         std::round(height - centre.y - size.height / 2)};
    }
    return positions;
}

} // namespace athanor
