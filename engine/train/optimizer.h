// Session thread. The optimizers over flat parameters, equal to PyTorch's; one file per family in optimizers/.
#pragma once

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/project/train_spec.h"
#include "engine/train/flat_parameters.h"

#include <functional>
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

    /// LBFGS: a step needs the loss and the gradients at other places too.
    [[nodiscard]] virtual bool evaluates() const { return false; }
    /// The step of one that evaluates. Gradients and `loss` are those of the present parameters; `evaluate` computes both
    /// anew after the parameters have moved. False when it came to a loss or a gradient that is not finite; the
    /// parameters and the optimizer's state then are as before.
    virtual bool stepEvaluating(double rate, double loss, const std::function<double()>& evaluate);

    /// Other settings for the same groups, from the next step on: state that they need anew starts at zero.
    void reconfigure(std::vector<OptimizerGroup> groups);
    /// Momentum, or the first of the betas, of all groups (schedules that cycle it).
    void setMomentum(double value);

    /// State by name, as PyTorch names it: "exp_avg/conv1.weight", "step/conv1.weight". Copies.
    [[nodiscard]] virtual std::map<std::string, torch::Tensor> state() const;
    /// Takes a state up again; NotFound when a parameter's state is missing or of another shape.
    virtual Status restore(const std::map<std::string, torch::Tensor>& state);

protected:
    /// What a rule keeps for each parameter.
    struct Memory {
        /// Names of the flat state tensors for these groups, by their index; "" for one that no group needs.
        std::vector<std::string> (*buffers)(const std::vector<OptimizerGroup>& groups) = nullptr;
        /// A number for each parameter beside its count of steps, "" for none; starts at 1.
        std::string scalar;
    };
    Optimizer(FlatParameters& parameters, std::vector<OptimizerGroup> groups, UpdatePath path, Memory memory);

    // Of all but those that evaluate, which move the parameters as a whole.
    /// Prepares update number `step` (1, 2, …) of a slot at this learning rate.
    virtual void prepare(std::size_t /*slot*/, std::int64_t /*step*/, double /*rate*/) {}
    /// Updates a piece of a slot in place.
    virtual void updateSpan(std::size_t /*slot*/, std::int64_t /*offset*/, std::int64_t /*size*/) {}
    /// The same by tensor operations, for a whole slot.
    virtual void updateTensors(std::size_t /*slot*/) {}

    /// A slot's part of a flat tensor, one-dimensional.
    [[nodiscard]] torch::Tensor part(const torch::Tensor& flat, std::size_t slot) const;
    [[nodiscard]] const torch::Tensor& buffer(std::size_t index) const { return m_buffers[index]; }
    [[nodiscard]] bool hasBuffer(std::size_t index) const
    {
        return index < m_buffers.size() && m_buffers[index].defined();
    }
    /// nullptr when no group needs this buffer.
    [[nodiscard]] float* bufferSpan(std::size_t index, std::int64_t offset) const;
    /// Settings of a slot's group.
    [[nodiscard]] const Json& paramsOf(std::size_t slot) const;
    /// weight_decay of a slot: 0 for a bias or a normalization that its group leaves out.
    [[nodiscard]] double weightDecayOf(std::size_t slot) const;
    /// The slot's number called Memory::scalar.
    [[nodiscard]] double& scalar(std::size_t slot) { return m_scalars[slot]; }

    FlatParameters& m_parameters;

private:
    void makeBuffers();
    void stepSpans();

    std::vector<OptimizerGroup> m_groups;
    bool m_fused;
    Memory m_memory;
    std::vector<std::string> m_bufferNames;
    std::vector<torch::Tensor> m_buffers; // undefined where no group needs it
    std::vector<double> m_scalars;        // per slot
    std::vector<std::int64_t> m_steps; // per slot: updates so far
};

/// The optimizer of a spec; an unknown kind is InvalidArgument at training/optimizer/kind.
Result<std::unique_ptr<Optimizer>> makeOptimizer(const KindSpec& spec, std::vector<OptimizerGroup> groups,
                                                 FlatParameters& parameters,
                                                 UpdatePath path = UpdatePath::Automatic);

} // namespace athanor
