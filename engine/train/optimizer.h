// Session thread. SGD, Adam and AdamW over flat parameters, equal to PyTorch's.
#pragma once

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/project/train_spec.h"
#include "engine/train/flat_parameters.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace athanor {

/// A group of parameters with settings of its own. Group 0 takes what no other group's pattern matches.
struct OptimizerGroup {
    std::string match;            ///< glob over state names; empty for group 0
    Json params = Json::object(); ///< complete: the group's settings over the optimizer's
    double rate = 0;              ///< base learning rate, before the schedule
};

/// The optimizer's groups: one, and one more per entry of `groups`.
std::vector<OptimizerGroup> optimizerGroups(const KindSpec& spec);
/// The group of a parameter: the first one whose pattern matches.
std::size_t groupOf(const std::vector<OptimizerGroup>& groups, const std::string& name);

/// How updates are computed: fused kernels when the parameters are in the processor's memory, tensor
/// operations elsewhere (and in the test that holds one against the other).
enum class UpdatePath { Automatic, TensorOperations };

class Optimizer {
public:
    virtual ~Optimizer() = default;
    Optimizer(const Optimizer&) = delete;
    Optimizer& operator=(const Optimizer&) = delete;

    [[nodiscard]] const std::vector<OptimizerGroup>& groups() const { return m_groups; }

    /// Updates every parameter that has a gradient; `rates` holds one learning rate per group.
    void step(const std::vector<double>& rates);

    /// State by name, as PyTorch names it: "exp_avg/conv1.weight", "step/conv1.weight". Copies.
    [[nodiscard]] std::map<std::string, torch::Tensor> state() const;
    /// Takes a state up again; NotFound when a parameter's state is missing or of another shape.
    Status restore(const std::map<std::string, torch::Tensor>& state);

protected:
    /// `buffers` are the names of the flat state tensors that the rule keeps.
    Optimizer(FlatParameters& parameters, std::vector<OptimizerGroup> groups, UpdatePath path,
              std::vector<std::string> buffers);

    /// Prepares update number `step` (1, 2, …) of a slot at this learning rate.
    virtual void prepare(std::size_t slot, std::int64_t step, double rate) = 0;
    /// Updates a piece of a slot in place.
    virtual void updateSpan(std::size_t slot, std::int64_t offset, std::int64_t size) = 0;
    /// The same by tensor operations, for a whole slot.
    virtual void updateTensors(std::size_t slot) = 0;

    /// A slot's part of a flat tensor, one-dimensional.
    [[nodiscard]] torch::Tensor part(const torch::Tensor& flat, std::size_t slot) const;
    [[nodiscard]] const torch::Tensor& buffer(std::size_t index) const { return m_buffers[index]; }
    /// nullptr when no group needs this buffer.
    [[nodiscard]] float* bufferSpan(std::size_t index, std::int64_t offset) const;

    FlatParameters& m_parameters;

private:
    void stepSpans();

    std::vector<OptimizerGroup> m_groups;
    bool m_fused;
    std::vector<std::string> m_bufferNames;
    std::vector<torch::Tensor> m_buffers;
    std::vector<std::int64_t> m_steps; // per slot: updates so far
};

/// The optimizer of a spec; an unknown kind is InvalidArgument at training/optimizer/kind.
Result<std::unique_ptr<Optimizer>> makeOptimizer(const KindSpec& spec, std::vector<OptimizerGroup> groups,
                                                 FlatParameters& parameters,
                                                 UpdatePath path = UpdatePath::Automatic);

} // namespace athanor
