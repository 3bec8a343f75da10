#include "engine/graph/graph_structure.h"

#include "engine/graph/groups.h"
#include "engine/graph/name_match.h"
#include "engine/graph/param_check.h"
#include "engine/graph/topological_sort.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace athanor {
namespace {

std::vector<std::string> portNames(const std::vector<PortSpec>& ports)
{
    std::vector<std::string> names;
    for (const PortSpec& port : ports)
        names.push_back(port.name);
    return names;
}

std::string listed(const std::vector<std::string>& names)
{
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : ", ") + name;
    return text;
}

// Index of a port by name; an empty name is the first one.
std::optional<std::size_t> portIndex(const std::vector<PortSpec>& ports, const std::string& name)
{
    if (name.empty())
        return ports.empty() ? std::nullopt : std::optional<std::size_t>(0);
    const auto it =
        std::find_if(ports.begin(), ports.end(), [&](const PortSpec& port) { return port.name == name; });
    return it == ports.end() ? std::nullopt : std::optional(static_cast<std::size_t>(it - ports.begin()));
}

} // namespace

GraphStructure::GraphStructure(const NodeCatalog& catalog, const NodeCatalog& otherCatalog, std::string part)
    : m_catalog(catalog), m_otherCatalog(otherCatalog), m_part(std::move(part))
{}

GraphStructure::GraphStructure(const Graph& graph, const NodeCatalog& catalog, const NodeCatalog& otherCatalog,
                               std::string part)
    : GraphStructure(catalog, otherCatalog, std::move(part))
{
    update(graph);
    setStage(Stage::Around);
}

bool GraphStructure::update(const Graph& graph)
{
    m_gone.clear();
    clear(Stage::Around);
    if (!std::exchange(m_isBuilt, true) || !hasWiringOf(graph)) {
        rebuild(graph);
        return true;
    }
    for (std::size_t i = 0; i < m_nodes.size(); ++i) {
        NodeView& view = m_nodes[i];
        if (view.node == graph.nodes()[i])
            continue;
        view.node = graph.nodes()[i];
        view.check = nullptr;
        checkNode(i, graph);
    }
    return false;
}

// True when all that may have changed are parameters that no port depends on.
bool GraphStructure::hasWiringOf(const Graph& graph) const
{
    const std::vector<Node>& nodes = graph.nodes();
    if (nodes.size() != m_nodes.size() || graph.edges() != m_edges)
        return false;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const NodeView& view = m_nodes[i];
        if (view.node.id != nodes[i].id || view.node.kind != nodes[i].kind)
            return false;
        const bool portsMayChange = view.kind == nullptr || view.kind->portsOf || isShared(view.node);
        if (portsMayChange && !(view.node == nodes[i]))
            return false;
    }
    return true;
}

void GraphStructure::rebuild(const Graph& graph)
{
    for (const Stage stage : {Stage::Edges, Stage::Ends})
        clear(stage);
    takeNodes(graph);
    m_edges = graph.edges();
    setStage(Stage::Edges);
    for (std::size_t i = 0; i < m_nodes.size(); ++i)
        findOwner(i);
    for (std::size_t i = 0; i < m_edges.size(); ++i)
        checkEdge(i, m_edges[i]);
    for (std::size_t i = 0; i < m_nodes.size(); ++i)
        checkInputs(i);
    sortNodes();
}

// Views of nodes that are the same move over; the ports of a shared one are another's, so it is looked at anew.
void GraphStructure::takeNodes(const Graph& graph)
{
    constexpr auto kNew = std::numeric_limits<std::size_t>::max();
    std::vector<NodeView> before = std::exchange(m_nodes, std::vector<NodeView>(graph.nodes().size()));
    std::vector<bool> isLeft(before.size(), true);
    for (std::size_t i = 0; i < m_nodes.size(); ++i) {
        const Node& node = graph.nodes()[i];
        NodeView& view = m_nodes[i];
        const std::size_t old = std::exchange(m_index.try_emplace(node.id, kNew).first->second, i);
        const bool wasThere = old < before.size();
        if (wasThere)
            isLeft[old] = false;
        if (wasThere && !isShared(node) && before[old].node == node) {
            view = std::move(before[old]);
            view.next.clear();
            for (auto& edges : view.inputs)
                edges.clear();
        } else {
            view.node = node;
            checkNode(i, graph);
        }
    }
    for (std::size_t i = 0; i < before.size(); ++i)
        if (isLeft[i]) {
            m_index.erase(before[i].node.id);
            m_gone.push_back(std::move(before[i].node.id));
        }
}

void GraphStructure::clear(Stage stage)
{
    const auto which = static_cast<std::size_t>(stage);
    m_problems[which].clear();
    for (NodeView& view : m_nodes)
        view.problems[which].clear();
}

void GraphStructure::addProblem(std::size_t node, std::string place, Severity severity, std::string message,
                                std::string hint)
{
    std::string where = m_part + "/" + m_nodes[node].node.id;
    if (!place.empty())
        where += "/" + place;
    m_nodes[node].problems[m_stage].push_back({std::move(where), severity, std::move(message), std::move(hint)});
}

void GraphStructure::addProblem(Severity severity, std::string message, std::string hint)
{
    m_problems[m_stage].push_back({m_part, severity, std::move(message), std::move(hint)});
}

void GraphStructure::checkNode(std::size_t index, const Graph& graph)
{
    NodeView& view = m_nodes[index];
    const Node& node = view.node;
    setStage(Stage::Node);
    view.problems[m_stage].clear();
    view.kind = resolveFlatKind(graph, node, m_catalog);
    if (view.kind == nullptr && m_catalog.find(node.kind) != nullptr) {
        view.params = node.params; // a group that cannot be opened: flattened() said why
        return;
    }
    if (view.kind == nullptr) {
        std::string hint;
        if (m_otherCatalog.find(node.kind) != nullptr)
            hint = "it belongs into the " + std::string(m_part == "network" ? "data" : "network") + " graph";
        else if (const std::string near = m_catalog.nearest(node.kind); !near.empty())
            hint = "did you mean '" + near + "'?";
        addProblem(index, {}, Severity::Error, "there is no kind '" + node.kind + "'", std::move(hint));
        view.params = node.params;
        return;
    }
    view.inputs.resize(view.kind->inputs.size());
    std::vector<std::string> broken;
    for (ShapeProblem& problem : checkParams(view.kind->params, node.params, node.kind)) {
        broken.push_back(problem.parameter);
        addProblem(index, std::move(problem.parameter), Severity::Error, std::move(problem.message),
                   std::move(problem.hint));
    }
    view.params = completeParams(*view.kind, node.params);
    // Not even its default may stand in for a wrong value: shapes made from it would raise false alarms.
    for (const std::string& name : broken)
        view.params.erase(name);
    view.paramsAreSound = broken.empty();
}

void GraphStructure::findOwner(std::size_t index)
{
    NodeView& view = m_nodes[index];
    if (view.kind == nullptr || !isShared(view.node))
        return;
    view.sharedWith = m_index.at(ownerOf(view.node)); // there: else its kind were not known
}

std::optional<std::size_t> GraphStructure::place(const Edge& edge, std::size_t index, const PortRef& end)
{
    const auto it = m_index.find(end.node);
    if (it != m_index.end())
        return it->second;
    std::vector<std::string> ids;
    for (const NodeView& view : m_nodes)
        ids.push_back(view.node.id);
    const NodeId& other = &end == &edge.from ? edge.to.node : edge.from.node;
    const std::string message = "the edge " + edge.from.text() + " → " + edge.to.text() + " names a node '" +
                                end.node + "' that does not exist";
    if (const auto known = m_index.find(other); known != m_index.end())
        addProblem(known->second, {}, Severity::Error, message, didYouMean(end.node, ids));
    else
        m_problems[m_stage].push_back({m_part + "/edges/" + std::to_string(index), Severity::Error, message,
                              didYouMean(end.node, ids)});
    return std::nullopt;
}

std::optional<std::size_t> GraphStructure::outputPort(std::size_t from, const std::string& port)
{
    const KindPtr& kind = m_nodes[from].kind;
    if (kind == nullptr)
        return std::nullopt;
    const auto index = portIndex(kind->outputs, port);
    if (!index && kind->outputs.empty())
        addProblem(from, {}, Severity::Error, kind->kind + " is an end: nothing can follow it",
                   "remove the edge that leaves it");
    else if (!index)
        addProblem(from, port, Severity::Error, kind->kind + " has no output '" + port + "'",
                   "its outputs are " + listed(portNames(kind->outputs)));
    return index;
}

std::optional<std::size_t> GraphStructure::inputPort(std::size_t to, const std::string& port)
{
    const KindPtr& kind = m_nodes[to].kind;
    if (kind == nullptr)
        return std::nullopt;
    const auto index = portIndex(kind->inputs, port);
    if (!index && kind->inputs.empty())
        addProblem(to, {}, Severity::Error, kind->kind + " is a start: nothing can feed it",
                   "remove the edge that enters it");
    else if (!index) {
        const std::string near = didYouMean(port, portNames(kind->inputs));
        addProblem(to, port, Severity::Error, kind->kind + " has no input '" + port + "'",
                   near.empty() ? "its inputs are " + listed(portNames(kind->inputs)) : near);
    }
    return index;
}

void GraphStructure::checkEdge(std::size_t index, const Edge& edge)
{
    const auto from = place(edge, index, edge.from);
    const auto to = place(edge, index, edge.to);
    if (!from || !to)
        return;
    m_nodes[*from].next.push_back(*to);
    const auto output = outputPort(*from, edge.from.port);
    const auto input = inputPort(*to, edge.to.port);
    if (!input)
        return;
    // An edge from a node of unknown kind counts as there; what flows along it is unknown.
    m_nodes[*to].inputs[*input].push_back({*from, output.value_or(0)});
}

void GraphStructure::checkInputs(std::size_t index)
{
    const NodeView& view = m_nodes[index];
    if (view.kind == nullptr)
        return;
    for (std::size_t port = 0; port < view.inputs.size(); ++port) {
        const PortSpec& spec = view.kind->inputs[port];
        const std::size_t edges = view.inputs[port].size();
        if (edges == 0 && !spec.optional)
            reportOpenInput(index, spec);
        else if (edges > 1 && !spec.variadic)
            addProblem(index, spec.name, Severity::Error,
                       std::to_string(edges) + " edges enter " + spec.name + ", which takes one",
                       m_part == "network" ? "join them with Add or Concat first"
                                           : "join them with Parts first");
        else if (edges == 1 && spec.variadic)
            addProblem(index, spec.name, Severity::Warning, "joins a single input",
                       "connect the others, or remove it");
    }
}

void GraphStructure::reportOpenInput(std::size_t index, const PortSpec& port)
{
    const Node& node = m_nodes[index].node;
    if (!isGroupPort(node))
        return addProblem(index, port.name, Severity::Error,
                          "nothing is connected to " +
                              (port.name == "input" ? "its input" : "its input " + port.name),
                          "draw an edge to it");
    const std::string name = node.id.substr(node.id.rfind('/') + 1); // the place is the port itself then
    if (node.kind == kGroupInputKind)
        addProblem(index, {}, Severity::Error, "nothing is connected to the group's input " + name,
                   "draw an edge to it");
    else
        addProblem(index, {}, Severity::Error, "nothing inside the group leads to its output " + name,
                   "open the group and draw an edge to it");
}

void GraphStructure::sortNodes()
{
    m_order = topologicalSort(m_nodes.size(), [this](std::size_t node) -> const auto& { return m_nodes[node].next; });
    if (m_order.size() == m_nodes.size())
        return;
    std::vector<bool> left(m_nodes.size(), true);
    for (const std::size_t index : m_order)
        left[index] = false;
    for (std::size_t i = 0; i < m_nodes.size(); ++i)
        if (left[i])
            m_order.push_back(i);
    findCycles();
}

// A walk in depth, without recursion: every edge that leads back onto the walk closes a cycle.
void GraphStructure::findCycles()
{
    enum class Seen { Never, OnWalk, Done };
    std::vector<Seen> seen(m_nodes.size(), Seen::Never);
    std::vector<std::size_t> tried(m_nodes.size(), 0); // how many of a node's edges the walk has followed
    for (std::size_t start = 0; start < m_nodes.size(); ++start) {
        if (seen[start] != Seen::Never)
            continue;
        std::vector<std::size_t> walk{start};
        seen[start] = Seen::OnWalk;
        while (!walk.empty()) {
            const std::size_t node = walk.back();
            if (tried[node] == m_nodes[node].next.size()) {
                seen[node] = Seen::Done;
                walk.pop_back();
                continue;
            }
            const std::size_t next = m_nodes[node].next[tried[node]++];
            if (seen[next] == Seen::OnWalk)
                reportCycle(std::find(walk.begin(), walk.end(), next), walk.end());
            if (seen[next] == Seen::Never) {
                seen[next] = Seen::OnWalk;
                walk.push_back(next);
            }
        }
    }
}

void GraphStructure::reportCycle(std::vector<std::size_t>::const_iterator begin,
                                 std::vector<std::size_t>::const_iterator end)
{
    constexpr std::ptrdiff_t kNamed = 8;
    std::string text;
    for (auto it = begin; it != end; ++it)
        if (end - begin <= kNamed || it - begin < kNamed / 2 || end - it <= kNamed / 2)
            text += m_nodes[*it].node.id + " → ";
        else if (it - begin == kNamed / 2)
            text += "… → ";
    addProblem(*begin, {}, Severity::Error, "lies on a cycle: " + text + m_nodes[*begin].node.id,
               "remove one of its edges");
}

std::vector<bool> GraphStructure::reaching(const std::vector<std::size_t>& ends) const
{
    std::vector<std::vector<std::size_t>> before(m_nodes.size());
    for (std::size_t i = 0; i < m_nodes.size(); ++i)
        for (const std::size_t next : m_nodes[i].next)
            before[next].push_back(i);
    std::vector<bool> reaches(m_nodes.size(), false);
    std::vector<std::size_t> open = ends;
    while (!open.empty()) {
        const std::size_t node = open.back();
        open.pop_back();
        if (reaches[node])
            continue;
        reaches[node] = true;
        open.insert(open.end(), before[node].begin(), before[node].end());
    }
    return reaches;
}

std::vector<Problem> GraphStructure::problems() const
{
    std::vector<Problem> all;
    const auto append = [&](const ProblemsByStage& stages) {
        for (const auto& problems : stages)
            all.insert(all.end(), problems.begin(), problems.end());
    };
    for (const std::size_t index : m_order)
        append(m_nodes[index].problems);
    append(m_problems);
    return all;
}

} // namespace athanor
