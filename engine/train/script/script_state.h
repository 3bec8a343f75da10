// Session thread, or a checking one. Inside engine/train: a torch::jit::Module as a torch::nn::Module, so that
// optimizers, checkpoints, devices and modes treat a script's weights like all others.
#pragma once

#include "engine/train/compiled_network.h" // its torch::nn::Module brings torch::jit::Module along

#include <string>
#include <vector>

namespace athanor {

enum class ScriptMode {
    Source, ///< compiled from a source: weights are drawn, training and evaluation as in the rest of the network
    Trainable, ///< from a file, whose weights are what it starts with
    Frozen,    ///< from a file, always in evaluation mode
};

/// Parameters and buffers are the same tensors as in the code, registered in its order; of tensors that it holds
/// twice (tied weights) the first name counts.
class ScriptState : public torch::nn::Module {
public:
    ScriptState(torch::jit::Module code, ScriptMode mode);

    [[nodiscard]] const torch::jit::Module& code() const { return m_code; }
    /// Its weights came with a file: initialisers leave them alone.
    [[nodiscard]] bool keepsWeights() const { return m_mode != ScriptMode::Source; }
    void train(bool on = true) override;
    c10::IValue run(std::vector<c10::IValue> arguments);

private:
    /// A buffer that the code assigns (self.mean = …). It computes on a copy, so that the tensor which training
    /// knows stays the same one, and is not among what the backward pass needs.
    struct Assigned {
        torch::jit::Module owner;
        std::string name;
        torch::Tensor tensor;
    };
    void findAssigned();

    torch::jit::Module m_code;
    ScriptMode m_mode;
    std::vector<Assigned> m_assigned;
};

} // namespace athanor
