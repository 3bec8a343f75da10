// Not the GUI thread (it computes a step). How far back in time a recurrent layer's gradient reaches. Torch-free.
#pragma once

#include "engine/project/project.h"

#include <vector>

namespace athanor {

struct TimeGradients {
    NodeId node;               ///< a recurrent layer
    std::vector<double> norms; ///< ‖∂loss/∂x_t‖ over the batch, for each time step of its input
};

/// Of every recurrent layer, for the first batch and the initial weights, in evaluation of one forward and one backward
/// pass. Nothing is changed. Empty when there is no recurrent layer.
Result<std::vector<TimeGradients>> timeGradients(const Project& project, int threads, int workers);

} // namespace athanor
