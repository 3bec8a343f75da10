// One thread at a time. Checks a network again and again as it is edited, and does only what an edit made necessary.
#pragma once

#include "engine/graph/graph_check.h"

#include <memory>

namespace athanor {

class GraphStructure;

/// Says of each graph exactly what checkNetwork() says. It keeps what it found: after an edit it infers the nodes
/// whose parameters or inputs changed, and goes on behind them only while what comes out changes too. Opening
/// groups is done for the whole graph each time, as is what a program computes (the file it lies in may change).
class GraphChecker {
public:
    GraphChecker();
    ~GraphChecker();
    GraphChecker(const GraphChecker&) = delete;
    GraphChecker& operator=(const GraphChecker&) = delete;

    /// Valid until the next check.
    const GraphCheck& check(const Graph& network, const FieldTypes& fields, const ScriptTyper& typer = {});
    /// The last check; nothing is known afterwards.
    GraphCheck take() &&;

private:
    void checkFlat(const Graph& network, const FieldTypes& fields, const ScriptTyper& typer);

    std::unique_ptr<GraphStructure> m_structure; ///< null: nothing is known
    FieldTypes m_fields;
    GraphCheck m_check;
    std::vector<NodeId> m_instances; ///< in m_check.nodes, which are no nodes of the flat graph
};

} // namespace athanor
