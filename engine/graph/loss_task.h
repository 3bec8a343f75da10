// Any thread. What a loss compares, which decides which metrics go with it.
#pragma once

#include "engine/base/json.h"

#include <string>

namespace athanor {

enum class LossTask {
    Classes, ///< scores N×C… against class indices, or probabilities
    Binary,  ///< one score or probability per target of 0 or 1
    Values,  ///< numbers against numbers
    Other,   ///< none of these: distances, distributions, losses without a target; no metric fits
};

/// Of a loss kind with these parameters; Other for every kind that is not known here.
LossTask lossTask(const std::string& kind, const Json& params);

} // namespace athanor
