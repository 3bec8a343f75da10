// GUI thread. How the state of a run is told to people, the same everywhere in the window.
#pragma once

#include "engine/run/run_controller.h"

#include <QString>

namespace athanor {

/// "Training", "Paused", "Stopped"; `status` tells how a finished run ended. Empty while idle.
QString runStateText(SessionState state, RunStatus status);

} // namespace athanor
