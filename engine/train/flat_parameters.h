// Session thread. All trained parameters as views of one flat tensor, all gradients as views of another, so
// that optimizer, norms and clipping are a few passes over contiguous memory.
#pragma once

#include "engine/data/batch.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace athanor {

/// A parameter before it is laid out; `group` is its optimizer group.
struct NamedParameter {
    std::string name; ///< state name, "conv1.weight"
    torch::Tensor parameter;
    std::size_t group = 0;
    bool isMatrix = true; ///< neither a bias nor a weight of a normalization: what weight decay is meant for
};

/// A parameter in the flat tensors.
struct ParameterSlot {
    std::string name;
    torch::Tensor parameter; ///< a view of values()
    torch::Tensor gradient;  ///< a view of gradients(); the parameter's .grad
    std::size_t group = 0;
    std::int64_t offset = 0;
    std::int64_t size = 0;
    /// The last backward passes reached it. PyTorch leaves the .grad of others None, and its optimizers skip
    /// those; with a preset .grad only its version tells.
    bool hasGradient = false;
    bool isMatrix = true; ///< see NamedParameter
};

/// A contiguous piece of one slot: the unit of parallel work, so that sums do not depend on the threads.
struct SlotChunk {
    std::size_t slot = 0;
    std::int64_t offset = 0; ///< from the start of the flat tensors
    std::int64_t size = 0;
};

class FlatParameters {
public:
    static constexpr std::int64_t kChunk = 16384;

    /// Moves the parameters into flat float32 storage on their device; groups become contiguous, the order
    /// within a group is kept. Each starts at a multiple of 64 bytes, the gaps hold zeros.
    explicit FlatParameters(std::vector<NamedParameter> parameters);

    [[nodiscard]] const std::vector<ParameterSlot>& slots() const { return m_slots; }
    [[nodiscard]] const std::vector<SlotChunk>& chunks() const { return m_chunks; }
    [[nodiscard]] const torch::Tensor& values() const { return m_values; }
    [[nodiscard]] const torch::Tensor& gradients() const { return m_gradients; }
    /// True when the kernels for the processor's memory can be used.
    [[nodiscard]] bool onProcessor() const { return m_values.device().is_cpu(); }

    /// Before the backward passes of a step: one fill.
    void zeroGradients();
    /// After them: finds out which slots were reached.
    void noteGradients();

private:
    std::vector<ParameterSlot> m_slots;
    std::vector<SlotChunk> m_chunks;
    std::vector<std::int64_t> m_versions; // of each slot's gradient when it was zeroed
    torch::Tensor m_values;
    torch::Tensor m_gradients;
};

/// What is known of a step's gradients once they are summed up.
struct GradientNorms {
    std::vector<double> squares; ///< sum of squares per slot; 0 without a gradient
    double total = 0;            ///< √ of their sum
    bool finite = true;          ///< every gradient element is

    static GradientNorms of(std::vector<double> squares);
};

/// ‖w_after − w_before‖² and ‖w_before‖² per slot of one update.
struct UpdateNorms {
    std::vector<double> change;
    std::vector<double> before;
};

/// One pass over gradients in the processor's memory.
GradientNorms gradientNorms(const FlatParameters& parameters);
/// Sums of squares per slot as a double vector on the parameters' own device.
torch::Tensor gradientSquares(const FlatParameters& parameters);

/// One pass over parameters in the processor's memory and a copy of values() from before.
UpdateNorms updateNorms(const FlatParameters& parameters, const torch::Tensor& before);
/// The same as a double tensor slots × (change, before) on the parameters' own device.
torch::Tensor updateSquares(const FlatParameters& parameters, const torch::Tensor& before);

} // namespace athanor
