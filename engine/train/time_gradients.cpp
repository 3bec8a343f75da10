#include "engine/train/time_gradients.h"

#include "engine/script/torch_errors.h"
#include "engine/train/trial.h"

#include <torch/torch.h>

#include <algorithm>
#include <map>

namespace athanor {
namespace {

/// The nodes that feed a recurrent layer's first port, and which axis of them is time.
struct Watched {
    NodeId layer;
    NodeId source;
    int timeAxis = 0;
};

std::vector<Watched> recurrentLayers(CompiledNetwork& network, const Graph& graph)
{
    std::vector<Watched> watched;
    for (const NetworkNode& node : network.nodes()) {
        if (node.family != NodeFamily::Recurrent)
            continue;
        const Node* drawn = graph.find(node.id);
        if (drawn == nullptr)
            continue; // inside of a group
        const auto edges = graph.incoming(node.id);
        const auto input = std::ranges::find_if(
            edges, [](const Edge& edge) { return edge.to.port.empty() || edge.to.port == "input"; });
        if (input == edges.end())
            continue;
        const auto first = drawn->params.find("batch_first");
        const bool batchFirst = first != drawn->params.end() && first->is_boolean() && first->get<bool>();
        watched.push_back({node.id, input->from.node, batchFirst ? 1 : 0});
    }
    return watched;
}

/// Keeps the outputs of some nodes, with their gradients.
class Keeper final : public NodeObserver {
public:
    explicit Keeper(CompiledNetwork& network) : m_network(network) {}
    void afterNode(std::size_t node, const torch::Tensor& output) override
    {
        if (output.requires_grad()) {
            torch::Tensor kept = output;
            kept.retain_grad();
            m_outputs[m_network.nodes()[node].id] = kept;
        }
    }
    [[nodiscard]] torch::Tensor gradient(const NodeId& id) const
    {
        const auto found = m_outputs.find(id);
        return found == m_outputs.end() ? torch::Tensor() : found->second.grad();
    }

private:
    CompiledNetwork& m_network;
    std::map<NodeId, torch::Tensor> m_outputs;
};

Result<std::vector<TimeGradients>> measure(Trial& trial, const Graph& graph)
{
    CompiledNetwork& network = *trial.parts().network;
    const std::vector<Watched> layers = recurrentLayers(network, graph);
    std::vector<TimeGradients> found;
    if (layers.empty())
        return found;
    Result<DataBatch> batch = trial.next();
    if (!batch)
        return batch.error();
    for (auto& [name, field] : batch->fields)
        if (field.is_floating_point())
            field = field.detach().clone().requires_grad_(true);
    trial.parts().parameters->zeroGradients();
    Keeper keeper(network);
    const ForwardPass pass = network.forward(*batch, &keeper);
    pass.loss.backward();
    for (const Watched& layer : layers) {
        torch::Tensor gradient = keeper.gradient(layer.source);
        if (!gradient.defined() || gradient.dim() != 3)
            continue;
        const auto steps = gradient.transpose(0, layer.timeAxis).reshape({gradient.size(layer.timeAxis), -1});
        const auto norms = steps.to(torch::kDouble).norm(2, 1).contiguous();
        const double* values = norms.data_ptr<double>();
        found.push_back({layer.layer, {values, values + norms.numel()}});
    }
    trial.parts().parameters->zeroGradients();
    return found;
}

} // namespace

Result<std::vector<TimeGradients>> timeGradients(const Project& project, int threads, int workers)
{
    auto trial = Trial::open(project, threads, workers);
    if (!trial)
        return trial.error();
    return behindWall("network", [&] { return measure(**trial, project.network); });
}

} // namespace athanor
