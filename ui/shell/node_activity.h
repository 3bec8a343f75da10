// GUI thread. The newest gradient norm of each network node, from the series of the run.
#pragma once

#include "engine/graph/graph.h"
#include "engine/metrics/series_store.h"

#include <map>
#include <vector>

namespace athanor {

class NodeActivity {
public:
    /// Norm over all parameters of each node; nodes without parameters are missing.
    std::map<NodeId, double> newest(const SeriesStore& series);

private:
    struct Source {
        SeriesIndex index = 0;
        NodeId node;
    };
    const SeriesStore* m_store = nullptr;
    std::uint64_t m_structure = 0; ///< m_sources is of this version of the store
    std::vector<Source> m_sources;
};

} // namespace athanor
