// One thread at a time, not the GUI thread. Checks a project again and again as it is edited.
#pragma once

#include "engine/graph/graph_checker.h"
#include "engine/train/training_session.h"

namespace athanor {

/// What checkProject() without reading samples says; of the network only what an edit made necessary is done again.
class ProjectChecker {
public:
    /// Gives up on what takes long once `cancelled` says so.
    ProjectCheck check(const Project& project, const std::function<bool()>& cancelled = {});

private:
    GraphChecker m_network;
};

} // namespace athanor
