// Session thread. Inside engine/train: the makers of the optimizers, one file per family.
#pragma once

#include "engine/train/optimizer.h"

namespace athanor {

std::unique_ptr<Optimizer> makeSgd(const KindSpec& spec, FlatParameters& parameters,
                                   std::vector<OptimizerGroup> groups, UpdatePath path);
std::unique_ptr<Optimizer> makeAdam(const KindSpec& spec, FlatParameters& parameters,
                                    std::vector<OptimizerGroup> groups, UpdatePath path);
std::unique_ptr<Optimizer> makeRAdam(const KindSpec& spec, FlatParameters& parameters,
                                     std::vector<OptimizerGroup> groups, UpdatePath path);
std::unique_ptr<Optimizer> makeNAdam(const KindSpec& spec, FlatParameters& parameters,
                                     std::vector<OptimizerGroup> groups, UpdatePath path);
std::unique_ptr<Optimizer> makeAdamax(const KindSpec& spec, FlatParameters& parameters,
                                      std::vector<OptimizerGroup> groups, UpdatePath path);
std::unique_ptr<Optimizer> makeAdagrad(const KindSpec& spec, FlatParameters& parameters,
                                       std::vector<OptimizerGroup> groups, UpdatePath path);
std::unique_ptr<Optimizer> makeAdadelta(const KindSpec& spec, FlatParameters& parameters,
                                        std::vector<OptimizerGroup> groups, UpdatePath path);
std::unique_ptr<Optimizer> makeRmsprop(const KindSpec& spec, FlatParameters& parameters,
                                       std::vector<OptimizerGroup> groups, UpdatePath path);
std::unique_ptr<Optimizer> makeLion(const KindSpec& spec, FlatParameters& parameters,
                                    std::vector<OptimizerGroup> groups, UpdatePath path);
/// L-BFGS has one state for all parameters, and no groups.
std::unique_ptr<Optimizer> makeLbfgs(const KindSpec& spec, FlatParameters& parameters,
                                     std::vector<OptimizerGroup> groups, UpdatePath path);

} // namespace athanor
