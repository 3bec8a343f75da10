// Not the GUI thread (opening data takes time). A project as a whole: its problems, and its opened data.
#pragma once

#include "engine/data/data_pipeline.h"
#include "engine/graph/graph_checker.h"
#include "engine/train/training_session.h"

#include <memory>

namespace athanor {

struct OpenedProject {
    ProjectCheck check;
    std::unique_ptr<DataPipeline> data; ///< null when it could not be opened
};

/// checkProject without fixes, and the data to go on with. Gives up on scripts that take long once `cancelled` says so.
OpenedProject openProject(const Project& project, int workers, GraphChecker& networkChecker,
                          const std::function<bool()>& cancelled);
OpenedProject openProject(const Project& project, int workers, const std::function<bool()>& cancelled = {});

} // namespace athanor
