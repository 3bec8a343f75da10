#include "engine/doctor/outline.h"

#include "engine/graph/flat_graph.h"

#include <algorithm>
#include <functional>
#include <set>

namespace athanor {
namespace {

bool isOneOf(const OutlineNode& node, std::initializer_list<std::string_view> kinds)
{
    return std::ranges::any_of(kinds, [&](std::string_view kind) { return node.is(kind); });
}

} // namespace

Outline::Outline(const Graph& network, const GraphCheck& check)
{
    const FlatGraph flat = flattened(network);
    std::map<NodeId, std::size_t> places;
    for (const NodeId& id : flat.graph.topologicalOrder()) {
        const Node& node = *flat.graph.find(id);
        OutlineNode outline;
        outline.id = id;
        outline.kind = layerCatalog().find(node.kind);
        if (const auto owner = node.params.find("of"); node.kind == "Shared" && owner != node.params.end() && owner->is_string())
            if (const Node* shared = flat.graph.find(owner->get<std::string>()))
                outline.kind = layerCatalog().find(shared->kind);
        if (const auto checked = check.nodes.find(id); checked != check.nodes.end()) {
            outline.params = checked->second.params;
            if (!checked->second.outputs.empty())
                outline.output = checked->second.outputs.front();
        } else {
            outline.params = node.params;
        }
        for (const Edge& edge : flat.graph.incoming(id)) {
            const auto source = places.find(edge.from.node);
            if (source == places.end())
                continue;
            outline.sources.push_back(source->second);
            outline.ports.push_back(edge.to.port);
            m_nodes[source->second].users.push_back(m_nodes.size());
        }
        places[id] = m_nodes.size();
        m_nodes.push_back(std::move(outline));
    }
}

std::vector<std::size_t> Outline::losses() const
{
    std::vector<std::size_t> losses;
    for (std::size_t i = 0; i < m_nodes.size(); ++i)
        if (m_nodes[i].kind != nullptr && m_nodes[i].kind->isLoss())
            losses.push_back(i);
    return losses;
}

std::optional<std::size_t> Outline::source(std::size_t node, std::string_view port) const
{
    const OutlineNode& at = m_nodes[node];
    for (std::size_t i = 0; i < at.sources.size(); ++i)
        if (at.ports[i] == port || (at.ports[i].empty() && at.kind != nullptr && !at.kind->inputs.empty() &&
                                    at.kind->inputs.front().name == port))
            return at.sources[i];
    return std::nullopt;
}

std::size_t Outline::origin(std::size_t node) const
{
    while (passesOn(m_nodes[node]) && m_nodes[node].sources.size() == 1)
        node = m_nodes[node].sources.front();
    return node;
}

std::vector<std::size_t> Outline::upstream(std::size_t node) const
{
    std::set<std::size_t> seen;
    const std::function<void(std::size_t)> visit = [&](std::size_t at) {
        for (const std::size_t source : m_nodes[at].sources)
            if (seen.insert(source).second)
                visit(source);
    };
    visit(node);
    return {seen.begin(), seen.end()};
}

bool passesOn(const OutlineNode& node)
{
    if (node.kind == nullptr)
        return false;
    return node.kind->family == NodeFamily::Dropout || node.kind->family == NodeFamily::Shape ||
           isOneOf(node, {"Identity", "GroupInput", "GroupOutput"});
}

bool isWeighted(const OutlineNode& node)
{
    return node.kind != nullptr &&
           (node.is("Linear") || node.is("Bilinear") || node.kind->family == NodeFamily::Convolution);
}

bool isNonlinear(const OutlineNode& node)
{
    if (node.kind == nullptr)
        return true; // unknown: it may be anything
    if (passesOn(node) || node.is("Linear") || node.kind->isLoss())
        return false;
    switch (node.kind->family) {
    case NodeFamily::Input:
    case NodeFamily::Convolution:
        return false;
    case NodeFamily::Pooling:
        return !isOneOf(node, {"AvgPool1d", "AvgPool2d", "AvgPool3d", "AdaptiveAvgPool1d", "AdaptiveAvgPool2d",
                               "AdaptiveAvgPool3d"});
    case NodeFamily::Normalization:
        return !node.kind->kind.starts_with("BatchNorm");
    case NodeFamily::Combine:
        return !isOneOf(node, {"Add", "Subtract", "Concat", "Stack", "Mean", "Sum"});
    default:
        return true;
    }
}

bool isRecurrent(const OutlineNode& node)
{
    return isOneOf(node, {"RNN", "LSTM", "GRU"});
}

bool isReluLike(const OutlineNode& node)
{
    return isOneOf(node, {"ReLU", "ReLU6"});
}

double fanIn(const OutlineNode& node)
{
    const auto number = [&](const char* name) {
        const auto found = node.params.find(name);
        return found != node.params.end() && found->is_number() ? found->get<double>() : 0.0;
    };
    if (node.is("Linear"))
        return number("in_features");
    if (node.kind == nullptr || node.kind->family != NodeFamily::Convolution)
        return 0;
    double fan = number("in_channels") / std::max(1.0, number("groups"));
    if (const auto kernel = node.params.find("kernel_size"); kernel != node.params.end()) {
        if (kernel->is_number())
            fan *= kernel->get<double>();
        else if (kernel->is_array())
            for (const Json& extent : *kernel)
                fan *= extent.is_number() ? extent.get<double>() : 1;
    }
    return fan;
}

std::string stateName(const OutlineNode& node, std::string_view parameter)
{
    std::string name = node.id;
    std::replace(name.begin(), name.end(), '/', '.');
    return name + "." + std::string(parameter);
}

} // namespace athanor
