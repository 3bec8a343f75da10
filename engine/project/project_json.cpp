#include "engine/project/project_json.h"

#include "engine/graph/graph_edit.h"
#include "engine/graph/name_match.h"
#include "engine/graph/param_check.h"
#include "engine/project/json_text.h"
#include "engine/project/train_spec_json.h"

#include <algorithm>
#include <cmath>

namespace athanor {
namespace {

const std::vector<std::string> kTopKeys{"athanor", "name", "data", "network", "training", "layout"};
const std::vector<std::string> kGraphKeys{"nodes", "edges"};
const std::vector<std::string> kNodeKeys{"id", "kind", "params"};

bool isKnown(const std::vector<std::string>& keys, const std::string& key)
{
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

Error wrong(std::string where, std::string message, std::string hint = {})
{
    return Error{ErrorCode::Unreadable, std::move(message), std::move(where), std::move(hint), {}};
}

class ProjectReader {
public:
    Result<LoadedProject> read(const Json& document);

private:
    Result<Graph> readGraph(const Json& document, const std::string& part);
    Result<std::vector<Node>> readNodes(const Json& graph, const std::string& part);
    Result<Node> readNode(const Json& json, const std::string& where, const std::string& part);
    Result<std::vector<Edge>> readEdges(const Json& graph, const std::string& part);
    Result<std::map<NodeId, Position>> readPositions(const Json& document, const std::string& part,
                                                     const std::vector<Node>& nodes);
    Status readLayout(const Json& document);
    void noteUnknown(const std::string& where, const std::string& key, const std::vector<std::string>& known);

    LoadedProject m_loaded;
};

void ProjectReader::noteUnknown(const std::string& where, const std::string& key,
                                const std::vector<std::string>& known)
{
    m_loaded.notes.push_back({where, Severity::Warning,
                              "the key '" + key + "' is unknown; it is kept, but has no effect",
                              didYouMean(key, known)});
}

Result<Node> ProjectReader::readNode(const Json& json, const std::string& where, const std::string& part)
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
            return wrong(part + "/" + node.id + "/params",
                         "params must be an object, is " + shortText(*params));
        node.params = *params;
    }
    for (const auto& [key, value] : json.items())
        if (!isKnown(kNodeKeys, key)) {
            node.extra[key] = value;
            noteUnknown(part + "/" + node.id + "/" + key, key, kNodeKeys);
        }
    return node;
}

Result<std::vector<Node>> ProjectReader::readNodes(const Json& graph, const std::string& part)
{
    std::vector<Node> nodes;
    const auto list = graph.find("nodes");
    if (list == graph.end())
        return nodes;
    if (!list->is_array())
        return wrong(part + "/nodes", "nodes must be a list, is " + shortText(*list));
    for (std::size_t i = 0; i < list->size(); ++i) {
        auto node = readNode((*list)[i], part + "/nodes/" + std::to_string(i), part);
        if (!node)
            return node.error();
        nodes.push_back(std::move(*node));
    }
    return nodes;
}

Result<std::vector<Edge>> ProjectReader::readEdges(const Json& graph, const std::string& part)
{
    std::vector<Edge> edges;
    const auto list = graph.find("edges");
    if (list == graph.end())
        return edges;
    if (!list->is_array())
        return wrong(part + "/edges", "edges must be a list, is " + shortText(*list));
    for (std::size_t i = 0; i < list->size(); ++i) {
        const Json& pair = (*list)[i];
        const std::string where = part + "/edges/" + std::to_string(i);
        if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string())
            return wrong(where, "an edge must be a pair of names, is " + shortText(pair),
                         R"(such as ["conv1", "relu1"])");
        Edge edge{PortRef::parse(pair[0].get<std::string>()), PortRef::parse(pair[1].get<std::string>())};
        if (std::find(edges.begin(), edges.end(), edge) != edges.end())
            m_loaded.notes.push_back(
                {where, Severity::Warning,
                 "the edge " + edge.from.text() + " → " + edge.to.text() + " is there twice",
                 "one of the two is dropped"});
        else
            edges.push_back(std::move(edge));
    }
    return edges;
}

// Positions of the part's nodes; those of other names stay in the project's `extra`.
Result<std::map<NodeId, Position>> ProjectReader::readPositions(const Json& document, const std::string& part,
                                                                const std::vector<Node>& nodes)
{
    std::map<NodeId, Position> positions;
    const auto layout = document.find("layout");
    if (layout == document.end() || !layout->is_object() || !layout->contains(part))
        return positions;
    const Json& entries = (*layout)[part];
    if (!entries.is_object())
        return wrong("layout/" + part,
                     "must be an object of node names and positions, is " + shortText(entries));
    for (const auto& [id, at] : entries.items()) {
        const bool known =
            std::any_of(nodes.begin(), nodes.end(), [&](const Node& node) { return node.id == id; });
        if (!known) {
            m_loaded.project.extra["layout"][part][id] = at;
            continue;
        }
        if (!at.is_array() || at.size() != 2 || !at[0].is_number() || !at[1].is_number())
            return wrong("layout/" + part + "/" + id, "a position must be two numbers, is " + shortText(at),
                         "such as [120, 40]");
        positions[id] = {at[0].get<double>(), at[1].get<double>()};
    }
    return positions;
}

Result<Graph> ProjectReader::readGraph(const Json& document, const std::string& part)
{
    const auto it = document.find(part);
    const Json empty = Json::object();
    const Json& graph = it == document.end() ? empty : *it;
    if (!graph.is_object())
        return wrong(part, part + " must be an object with nodes and edges, is " + shortText(graph));
    for (const auto& [key, value] : graph.items())
        if (!isKnown(kGraphKeys, key)) {
            m_loaded.project.extra[part][key] = value;
            noteUnknown(part + "/" + key, key, kGraphKeys);
        }
    auto nodes = readNodes(graph, part);
    if (!nodes)
        return nodes.error();
    auto edges = readEdges(graph, part);
    if (!edges)
        return edges.error();
    auto positions = readPositions(document, part, *nodes);
    if (!positions)
        return positions.error();
    auto built = buildGraph(std::move(*nodes), std::move(*edges), std::move(*positions));
    if (!built) {
        Error error = built.error();
        error.code = ErrorCode::Unreadable;
        error.where = part + "/" + error.where;
        return error;
    }
    return built;
}

Status ProjectReader::readLayout(const Json& document)
{
    const auto layout = document.find("layout");
    if (layout == document.end())
        return Done{};
    if (!layout->is_object())
        return wrong("layout", "layout must be an object, is " + shortText(*layout));
    for (const auto& [key, value] : layout->items())
        if (key != "data" && key != "network") {
            m_loaded.project.extra["layout"][key] = value;
            noteUnknown("layout/" + key, key, {"data", "network"});
        }
    return Done{};
}

Result<LoadedProject> ProjectReader::read(const Json& document)
{
    Project& project = m_loaded.project;
    if (const auto name = document.find("name"); name != document.end()) {
        if (!name->is_string())
            return wrong("name", "name must be a text, is " + shortText(*name));
        project.name = name->get<std::string>();
    }
    for (const auto& [key, value] : document.items())
        if (!isKnown(kTopKeys, key)) {
            project.extra[key] = value;
            noteUnknown(key, key, kTopKeys);
        }
    for (const auto& [part, graph] :
         {std::pair("data", &project.data), std::pair("network", &project.network)}) {
        auto read = readGraph(document, part);
        if (!read)
            return read.error();
        *graph = std::move(*read);
    }
    if (Status layout = readLayout(document); !layout)
        return layout.error();
    if (const auto training = document.find("training"); training != document.end()) {
        auto spec = trainSpecFromJson(*training, m_loaded.notes);
        if (!spec)
            return spec.error();
        project.training = std::move(*spec);
    }
    return std::move(m_loaded);
}

Json graphJson(const Graph& graph)
{
    Json nodes = Json::array();
    for (const Node& node : graph.nodes()) {
        Json json = node.extra.is_object() ? node.extra : Json::object();
        json["id"] = node.id;
        json["kind"] = node.kind;
        if (!node.params.empty())
            json["params"] = node.params;
        nodes.push_back(std::move(json));
    }
    Json edges = Json::array();
    for (const Edge& edge : graph.edges())
        edges.push_back(Json::array({edge.from.text(), edge.to.text()}));
    return {{"nodes", std::move(nodes)}, {"edges", std::move(edges)}};
}

// Whole numbers without a decimal point: most positions are.
Json coordinate(double value)
{
    constexpr double kExact = 1e15;
    if (value == std::floor(value) && std::abs(value) < kExact)
        return static_cast<std::int64_t>(value);
    return std::isfinite(value) ? Json(value) : Json(0);
}

Json layoutJson(const Graph& graph)
{
    Json json = Json::object();
    for (const auto& [id, at] : graph.positions())
        json[id] = Json::array({coordinate(at.x), coordinate(at.y)});
    return json;
}

} // namespace

Result<LoadedProject> projectFromJson(const Json& document)
{
    return ProjectReader().read(document);
}

Json projectJson(const Project& project)
{
    Json layout = Json::object();
    if (Json data = layoutJson(project.data); !data.empty())
        layout["data"] = std::move(data);
    if (Json network = layoutJson(project.network); !network.empty())
        layout["network"] = std::move(network);
    Json document = {{"athanor", kProjectVersion},
                     {"name", project.name},
                     {"data", graphJson(project.data)},
                     {"network", graphJson(project.network)},
                     {"training", trainSpecJson(project.training, TrainingDetail::Written)}};
    if (!layout.empty())
        document["layout"] = std::move(layout);
    return merged(project.extra, document);
}

} // namespace athanor
