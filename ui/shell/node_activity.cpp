#include "ui/shell/node_activity.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace athanor {
namespace {

/// grad_norm/block1.conv.weight is of the node block1/conv; empty for other series (grad_norm/total too).
NodeId nodeOfSeries(std::string_view name)
{
    constexpr std::string_view kPrefix = "grad_norm/";
    if (!name.starts_with(kPrefix))
        return {};
    name.remove_prefix(kPrefix.size());
    const auto dot = name.rfind('.');
    if (dot == std::string_view::npos)
        return {};
    NodeId node(name.substr(0, dot));
    std::replace(node.begin(), node.end(), '.', '/');
    return node;
}

} // namespace

std::map<NodeId, double> NodeActivity::newest(const SeriesStore& series)
{
    if (m_store != &series || m_structure != series.structureVersion()) {
        m_store = &series;
        m_structure = series.structureVersion();
        m_sources.clear();
        const std::vector<SeriesInfo> infos = series.infos();
        for (std::size_t i = 0; i < infos.size(); ++i) {
            if (NodeId node = nodeOfSeries(infos[i].name); !node.empty())
                m_sources.push_back({static_cast<SeriesIndex>(i), std::move(node)});
        }
    }
    std::map<NodeId, double> norms;
    for (const Source& source : m_sources) {
        double& norm = norms[source.node];
        norm = std::hypot(norm, series.latest(source.index).value);
    }
    return norms;
}

} // namespace athanor
