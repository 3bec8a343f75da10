// Session thread (tensors never leave it). A network graph as a torch module that is run node by node.
#pragma once

#include "engine/base/result.h"
#include "engine/data/batch.h"
#include "engine/graph/graph_check.h"
#include "engine/graph/loss_task.h"

#include <torch/nn/module.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace athanor {

/// A node in the order of execution; of a group its members, by their flat names (`block1/conv`).
struct NetworkNode {
    NodeId id;
    std::string kind; ///< of a Shared node: the kind whose layer it runs
    NodeFamily family = NodeFamily::Unknown;
    bool feedsOnlyTargets = false; ///< labels and what is computed from them alone
};

struct LossNode {
    NodeId id;
    std::string kind;
    LossTask task = LossTask::Other;
    double weight = 1;         ///< in the total
    bool oneHot = false;       ///< class indices compared as vectors
    std::int64_t ignoreIndex = -100; ///< class index that does not count
    bool sums = false;          ///< adds up over the batch instead of taking its mean
    bool probabilities = false; ///< Binary: the input is a probability (BCELoss), not a score
};

/// What one loss node saw and said.
struct LossOutput {
    torch::Tensor value;  ///< scalar, before its weight
    torch::Tensor input;  ///< what entered the loss's first port: the network's output
    torch::Tensor target; ///< as compared: typed and shaped to the input; undefined where there is none
};

struct ForwardPass {
    torch::Tensor loss; ///< weighted sum of the losses, scalar
    std::vector<LossOutput> outputs; ///< per lossNodes() entry
};

/// Gets the output of each node right after it was computed.
class NodeObserver {
public:
    virtual ~NodeObserver() = default;
    virtual void afterNode(std::size_t node, const torch::Tensor& output) = 0;
};

class CompiledNetwork {
public:
    /// Builds the modules in topological order (ties in the order of the file), so that torch::manual_seed
    /// before it gives the weights that a Python script gets which makes the same modules in that order.
    /// `check` is checkNetwork's answer without errors.
    static Result<CompiledNetwork> compile(const Graph& network, const GraphCheck& check);
    CompiledNetwork(CompiledNetwork&&) noexcept;
    CompiledNetwork& operator=(CompiledNetwork&&) noexcept;
    ~CompiledNetwork();

    [[nodiscard]] const std::vector<NetworkNode>& nodes() const;
    [[nodiscard]] const std::vector<LossNode>& lossNodes() const;

    /// Root of the modules: node `block1/conv` is its submodule `block1.conv`, so names are PyTorch's.
    [[nodiscard]] torch::nn::Module& module();
    /// The module of a node, nullptr when it keeps no state or shares another node's.
    [[nodiscard]] torch::nn::Module* module(const NodeId& node);

    /// Nodes of these globs compute in float32 also within autocast; their inputs are converted.
    void keepInFullPrecision(const std::vector<std::string>& globs);

    /// Runs all nodes on a batch whose tensors are on the module's device. Throws what LibTorch throws, as a
    /// PlacedError that names the node.
    ForwardPass forward(const DataBatch& batch, NodeObserver* observer = nullptr);

private:
    struct Impl;
    explicit CompiledNetwork(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace athanor
