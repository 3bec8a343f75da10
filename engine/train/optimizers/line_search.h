// Session thread. Inside engine/train: the length of an iteration of L-BFGS.
#pragma once

#include "engine/data/batch.h"

#include <functional>

namespace athanor {

/// A place along a direction: how far, the loss, the gradient, and its part along the direction. In float32 where
/// PyTorch has a tensor: the course of a search hangs on every bit.
struct LinePoint {
    float length = 0;
    double loss = 0;
    torch::Tensor gradient;
    float slope = 0;
};

/// A length that fulfils the strong Wolfe conditions, or the best that was found in 25 evaluations: torch.optim.LBFGS's
/// `strong_wolfe`. `start` is at length 0, `at` evaluates another one, `longest` is the direction's largest entry.
LinePoint searchLine(const LinePoint& start, float firstLength, float longest,
                     const std::function<LinePoint(float length)>& at);

} // namespace athanor
