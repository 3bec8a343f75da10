// A project's network with given weights on given inputs, for comparison with PyTorch.
// Usage: network_probe PROJECT WEIGHTS, with {"field": {"shape": […], "values": […], "index": bool}} as input.
// Prints {"parameters", "state": {name: shape}, "outputs": per loss what enters it}, in evaluation mode.
#include "engine/train/project_check.h"
#include "engine/train/run_parts.h"

#include <torch/torch.h>

#include <iostream>

namespace athanor {
namespace {

torch::Tensor tensorOf(const Json& json)
{
    const auto shape = json.at("shape").get<std::vector<std::int64_t>>();
    if (json.value("index", false))
        return torch::tensor(json.at("values").get<std::vector<std::int64_t>>()).view(shape);
    return torch::tensor(json.at("values").get<std::vector<double>>(), torch::kFloat64).to(torch::kFloat32).view(shape);
}

Json numbersOf(const torch::Tensor& tensor)
{
    const auto flat = tensor.detach().to(torch::kFloat64).contiguous().view({-1});
    return std::vector<double>(flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel());
}

int probe(Project project, const char* weights)
{
    project.training.weights = weights;
    const OpenedProject opened = openProject(project, 0);
    auto built = buildRun(project, opened.check.network, torch::kCPU);
    if (!built.ok()) {
        std::cerr << built.error().text() << '\n';
        return 1;
    }
    CompiledNetwork& network = *(*built)->network;
    network.module().eval();
    DataBatch batch;
    const Json inputs = Json::parse(std::cin);
    for (const auto& [field, value] : inputs.items())
        batch.fields[field] = tensorOf(value);
    const torch::NoGradGuard noGradients;
    const ForwardPass pass = network.forward(batch);
    Json answer{{"parameters", 0}, {"state", Json::object()}, {"outputs", Json::array()}};
    std::int64_t parameters = 0;
    for (const auto& parameter : network.module().parameters())
        parameters += parameter.numel();
    answer["parameters"] = parameters;
    for (const auto& [name, tensor] : stateOf(network.module()))
        answer["state"][name] = tensor.sizes().vec();
    for (const LossOutput& output : pass.outputs)
        answer["outputs"].push_back(numbersOf(output.input));
    std::cout << answer.dump() << '\n';
    return 0;
}

} // namespace
} // namespace athanor

int main(int count, char** arguments)
{
    using namespace athanor;
    if (count != 3)
        return 2;
    auto project = loadProject(arguments[1]);
    if (!project.ok()) {
        std::cerr << project.error().text() << '\n';
        return 1;
    }
    return probe(std::move(project->project), arguments[2]);
}
