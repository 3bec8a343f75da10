#include "engine/graph/flat_graph.h"

#include "engine/graph/groups.h"
#include "engine/graph/name_match.h"
#include "engine/graph/param_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace athanor {
namespace {

constexpr std::size_t kMostNodes = 100'000; ///< of a flattened graph
constexpr std::size_t kDeepest = 64;        ///< groups inside each other

const char* const kPart = "network/"; ///< groups are the network's; a data graph's catalog knows none

} // namespace

// Opens groups level by level. A level is a graph under a prefix: "" or "stage1/block2/".
class Flattener {
public:
    explicit Flattener(const Graph& root) : m_root(root) {}
    FlatGraph run()
    {
        open(m_root, {}, {});
        return std::move(m_flat);
    }
    static Graph inside(const Graph& root, const Graph& definition)
    {
        Graph graph = definition;
        graph.m_definitions = root.m_definitions;
        return graph;
    }

private:
    struct Level {
        const Graph* graph = nullptr;
        std::string prefix;
        std::string definition;     ///< of `graph`
        std::string owner;          ///< prefix of the level whose weights are used here; empty: its own
        std::vector<NodeId> inputs; ///< the definition's ports
        std::vector<NodeId> outputs;
        bool hasPaths = false; ///< an id holds '/', as in old files
    };
    // An instance that was opened.
    struct Opened {
        const Graph* inside = nullptr;
        std::string firstCopy; ///< prefix of its members
        std::string lastCopy;
    };
    using OpenedById = std::unordered_map<NodeId, Opened>;

    void open(const Graph& graph, std::string prefix, std::string definition, std::string owner = {});
    void openNode(const Level& level, const Node& node, OpenedById& opened);
    void openShared(const Level& level, const Node& node, OpenedById& opened);
    std::optional<Opened> openInstance(const Level& level, const Node& node, const Node& instance,
                                       const std::string& owner);
    bool canOpen(const Level& level, const Node& node, const std::string& definition, std::int64_t repeat);
    void checkRepeat(const std::string& id, const Graph& inside, std::int64_t repeat);
    void chain(const Graph& inside, const std::string& before, const std::string& after);
    void addEdges(const Level& level, const OpenedById& opened);
    std::optional<PortRef> flatSource(const Level& level, const OpenedById& opened, const Edge& edge);
    std::optional<PortRef> flatTarget(const Level& level, const OpenedById& opened, const Edge& edge);
    std::optional<NodeId> port(const std::string& instance, const std::vector<NodeId>& ports,
                               const std::string& name, const char* what);
    void addNode(const Level& level, Node node, const NodeId& drawn);
    std::size_t sizeOf(const std::string& definition, std::size_t depth = 0);
    void error(const std::string& flatId, std::string detail, std::string message, std::string hint = {});

    const Graph& m_root;
    FlatGraph m_flat;
    std::vector<std::string> m_open; ///< definitions that are being opened, the outermost first
    std::map<std::string, std::size_t> m_sizes;
};

void Flattener::error(const std::string& flatId, std::string detail, std::string message, std::string hint)
{
    std::string where = kPart + flatId;
    if (!detail.empty())
        where += "/" + detail;
    m_flat.problems.push_back({std::move(where), Severity::Error, std::move(message), std::move(hint)});
}

void Flattener::addNode(const Level& level, Node node, const NodeId& drawn)
{
    m_flat.places[node.id] = {level.definition, drawn};
    m_flat.graph.m_nodes.push_back(std::move(node));
}

void Flattener::open(const Graph& graph, std::string prefix, std::string definition, std::string owner)
{
    Level level{&graph, std::move(prefix), std::move(definition), std::move(owner), {}, {}, false};
    if (!level.definition.empty()) {
        level.inputs = groupInputs(graph);
        level.outputs = groupOutputs(graph);
    }
    level.hasPaths = std::ranges::any_of(
        graph.nodes(), [](const Node& node) { return node.id.find('/') != std::string::npos; });
    OpenedById opened;
    for (const Node& node : graph.nodes())
        openNode(level, node, opened);
    addEdges(level, opened);
}

void Flattener::openNode(const Level& level, const Node& node, OpenedById& opened)
{
    const std::string id = level.prefix + node.id;
    if (isGroup(node)) {
        const std::string owner = level.owner.empty() ? std::string() : level.owner + node.id + "/";
        if (const auto instance = openInstance(level, node, node, owner))
            opened[node.id] = *instance;
        return;
    }
    if (isShared(node))
        return openShared(level, node, opened);
    if (isGroupPort(node) && level.definition.empty())
        error(id, {}, node.kind + " stands outside of any group",
              node.kind == kGroupInputKind ? "use Input, or draw it inside a group"
                                           : "draw it inside a group");
    const NodeKind* kind = layerCatalog().find(node.kind);
    const bool keepsNothing =
        isGroupPort(node) || (kind != nullptr && (kind->isLoss() || kind->family == NodeFamily::Input));
    if (level.owner.empty() || keepsNothing)
        return addNode(level, Node{id, node.kind, node.params, node.extra}, node.id);
    addNode(level, Node{id, kSharedKind, {{"of", level.owner + node.id}}, Json::object()}, node.id);
}

void Flattener::openShared(const Level& level, const Node& node, OpenedById& opened)
{
    const std::string id = level.prefix + node.id;
    const std::string& owners = level.owner.empty() ? level.prefix : level.owner;
    const Node* of = level.graph->find(ownerOf(node));
    const auto refuse = [&](std::string message, std::string hint) {
        error(id, "of", std::move(message), std::move(hint));
        addNode(level, Node{id, kSharedKind, node.params, node.extra}, node.id);
    };
    if (of == nullptr) {
        std::vector<std::string> ids;
        for (const Node& other : level.graph->nodes())
            ids.push_back(other.id);
        const std::string name = ownerOf(node);
        return refuse(name.empty() ? "does not say whose weights it shares"
                                   : "there is no node '" + name + "' whose weights could be shared",
                      name.empty() ? "set of to a node's name" : didYouMean(name, ids));
    }
    const NodeKind* kind = layerCatalog().find(of->kind);
    if (isShared(*of))
        return refuse("'" + of->id + "' shares the weights of another node itself",
                      "set of to '" + ownerOf(*of) + "'");
    if (isGroupPort(*of) || (kind != nullptr && (kind->isLoss() || kind->family == NodeFamily::Input)))
        return refuse("a " + of->kind + " has no weights to share", "set of to a layer or a group");
    if (!isGroup(*of))
        return addNode(level, Node{id, kSharedKind, {{"of", owners + of->id}}, node.extra}, node.id);
    if (const auto instance = openInstance(level, node, *of, owners + of->id + "/"))
        opened[node.id] = *instance;
}

// `node` is what is drawn, `instance` the group that it is an instance of: itself, or the one that it shares.
std::optional<Flattener::Opened> Flattener::openInstance(const Level& level, const Node& node,
                                                         const Node& instance, const std::string& owner)
{
    const std::string id = level.prefix + node.id;
    const std::string name = definitionOf(instance);
    const std::int64_t repeat = repeatOf(instance);
    if (&node == &instance)
        for (ShapeProblem& problem :
             checkParams(layerCatalog().find(kGroupKind)->params, node.params, node.kind))
            error(id, std::move(problem.parameter), std::move(problem.message), std::move(problem.hint));
    if (!canOpen(level, node, name, repeat)) {
        addNode(level, Node{id, kGroupKind, node.params, node.extra}, node.id);
        return std::nullopt;
    }
    const Graph& inside = *m_root.definition(name);
    checkRepeat(id, inside, repeat);
    m_open.push_back(name);
    Opened opened{&inside, {}, {}};
    for (std::int64_t copy = 0; copy < repeat; ++copy) {
        const std::string number = repeat > 1 ? fmt::format("{}/", copy) : std::string();
        const std::string prefix = id + "/" + number;
        open(inside, prefix, name, owner.empty() ? std::string() : owner + number);
        if (copy == 0)
            opened.firstCopy = prefix;
        else
            chain(inside, opened.lastCopy, prefix);
        opened.lastCopy = prefix;
    }
    m_open.pop_back();
    OpenedInstance& seen = m_flat.instances[id];
    seen.params = node.params;
    for (const NodeId& output : groupOutputs(inside))
        seen.outputs.push_back(opened.lastCopy + output);
    return opened;
}

bool Flattener::canOpen(const Level& level, const Node& node, const std::string& definition,
                        std::int64_t repeat)
{
    const std::string id = level.prefix + node.id;
    if (m_root.definition(definition) == nullptr) {
        std::vector<std::string> names;
        for (const GroupDefinition& known : m_root.definitions())
            names.push_back(known.name);
        if (!definition.empty())
            error(id, "definition", "there is no group '" + definition + "'", didYouMean(definition, names));
        return false;
    }
    if (std::ranges::find(m_open, definition) != m_open.end()) {
        std::string path;
        for (const std::string& name : m_open)
            path += name + " → ";
        error(id, "definition", "the group '" + definition + "' would hold itself: " + path + definition,
              "remove this node from it");
        return false;
    }
    if (m_open.size() >= kDeepest) {
        error(id, "definition", fmt::format("lies more than {} groups deep", kDeepest));
        return false;
    }
    if (m_flat.graph.nodes().size() + static_cast<std::size_t>(repeat) * sizeOf(definition) > kMostNodes) {
        error(id, "definition", fmt::format("the network would have more than {} nodes", kMostNodes),
              "repeat less often");
        return false;
    }
    if (!level.hasPaths)
        return true;
    const std::string members = node.id + "/";
    const auto clash = std::ranges::find_if(level.graph->nodes(),
                                            [&](const Node& other) { return other.id.starts_with(members); });
    if (clash == level.graph->nodes().end())
        return true;
    error(id, {}, "the node '" + clash->id + "' has the name of one inside this group",
          "rename one of the two");
    return false;
}

// Nodes of an opened definition.
std::size_t Flattener::sizeOf(const std::string& definition, std::size_t depth)
{
    if (depth > kDeepest)
        return kMostNodes + 1;
    if (const auto known = m_sizes.find(definition); known != m_sizes.end())
        return known->second;
    m_sizes[definition] = 1; // while it is being counted: what holds itself is found while it is opened
    const Graph* graph = m_root.definition(definition);
    std::size_t size = 0;
    for (const Node& node : graph != nullptr ? graph->nodes() : std::vector<Node>()) {
        const Node* of = isShared(node) ? graph->find(ownerOf(node)) : &node;
        const bool opens = of != nullptr && isGroup(*of);
        size += opens ? static_cast<std::size_t>(repeatOf(*of)) * sizeOf(definitionOf(*of), depth + 1) : 1;
        size = std::min(size, kMostNodes + 1);
    }
    return m_sizes[definition] = size;
}

void Flattener::checkRepeat(const std::string& id, const Graph& inside, std::int64_t repeat)
{
    if (repeat > 1 && (groupInputs(inside).empty() || groupOutputs(inside).empty()))
        error(id, "repeat", "a group without an input and an output cannot be repeated",
              "give it both ports, or set repeat to 1");
}

// The first output runs on into the first input; what else enters the first copy enters every copy.
void Flattener::chain(const Graph& inside, const std::string& before, const std::string& after)
{
    const std::vector<NodeId> inputs = groupInputs(inside), outputs = groupOutputs(inside);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const PortRef to{after + inputs[i], {}};
        if (i > 0)
            m_flat.graph.m_edges.push_back({{before + inputs[i], {}}, to});
        else if (!outputs.empty())
            m_flat.graph.m_edges.push_back({{before + outputs.front(), {}}, to});
    }
}

std::optional<NodeId> Flattener::port(const std::string& instance, const std::vector<NodeId>& ports,
                                      const std::string& name, const char* what)
{
    if (name.empty() && !ports.empty())
        return ports.front();
    if (std::ranges::find(ports, name) != ports.end())
        return name;
    std::string hint = didYouMean(name, ports);
    for (const NodeId& known : hint.empty() ? ports : std::vector<NodeId>())
        hint += (hint.empty() ? "there are " : ", ") + known;
    error(instance, name,
          ports.empty() ? fmt::format("the group has no {}", what)
                        : fmt::format("the group has no {} '{}'", what, name),
          std::move(hint));
    return std::nullopt;
}

std::optional<PortRef> Flattener::flatSource(const Level& level, const OpenedById& opened, const Edge& edge)
{
    const NodeId& id = edge.from.node;
    if (std::ranges::find(level.outputs, id) != level.outputs.end()) {
        error(level.prefix + id, {}, "is the group's output: nothing inside the group can follow it",
              "remove the edge that leaves it");
        return std::nullopt;
    }
    const auto instance = opened.find(id);
    if (instance == opened.end())
        return PortRef{level.prefix + id, edge.from.port};
    const auto name =
        port(level.prefix + id, groupOutputs(*instance->second.inside), edge.from.port, "output");
    return name ? std::optional(PortRef{instance->second.lastCopy + *name, {}}) : std::nullopt;
}

std::optional<PortRef> Flattener::flatTarget(const Level& level, const OpenedById& opened, const Edge& edge)
{
    const NodeId& id = edge.to.node;
    if (std::ranges::find(level.inputs, id) != level.inputs.end()) {
        error(level.prefix + id, {}, "is the group's input: nothing inside the group can feed it",
              "remove the edge that enters it");
        return std::nullopt;
    }
    const auto instance = opened.find(id);
    if (instance == opened.end())
        return PortRef{level.prefix + id, edge.to.port};
    const auto name = port(level.prefix + id, groupInputs(*instance->second.inside), edge.to.port, "input");
    return name ? std::optional(PortRef{instance->second.firstCopy + *name, {}}) : std::nullopt;
}

void Flattener::addEdges(const Level& level, const OpenedById& opened)
{
    for (const Edge& edge : level.graph->edges()) {
        auto from = flatSource(level, opened, edge);
        auto to = flatTarget(level, opened, edge);
        if (from && to)
            m_flat.graph.m_edges.push_back({*std::move(from), *std::move(to)});
    }
}

FlatGraph flattened(const Graph& graph)
{
    return Flattener(graph).run();
}

bool hasGroups(const Graph& graph)
{
    return std::ranges::any_of(
        graph.nodes(), [](const Node& node) { return isGroup(node) || isShared(node) || isGroupPort(node); });
}

Graph insideOf(const Graph& graph, const std::string& definition)
{
    const Graph* inside = graph.definition(definition);
    return inside == nullptr ? Graph() : Flattener::inside(graph, *inside);
}

std::vector<DrawnPlace> drawnPath(const Graph& graph, const std::string& flat)
{
    std::vector<DrawnPlace> path;
    const Graph* level = &graph;
    std::string definition;
    std::string rest = flat;
    while (level != nullptr && !rest.empty()) {
        if (level->find(rest) != nullptr) { // names of old files may hold '/'
            path.push_back({definition, rest});
            break;
        }
        const auto slash = rest.find('/');
        const Node* node = level->find(rest.substr(0, slash));
        if (node == nullptr || slash == std::string::npos)
            break;
        path.push_back({definition, node->id});
        const Node* instance = isShared(*node) ? level->find(ownerOf(*node)) : node;
        rest.erase(0, slash + 1);
        if (instance == nullptr || !isGroup(*instance))
            break;
        if (repeatOf(*instance) > 1)
            rest.erase(0, std::min(rest.find('/'), rest.size() - 1) + 1);
        definition = definitionOf(*instance);
        level = graph.definition(definition);
    }
    return path;
}

} // namespace athanor
