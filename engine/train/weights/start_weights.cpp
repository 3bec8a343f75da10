#include "engine/train/weights/start_weights.h"

#include "engine/base/log.h"
#include "engine/train/compiled_network.h"
#include "engine/train/project_check.h"
#include "engine/script/torch_errors.h"
#include "engine/train/weights/weights_source.h"

#include <torch/torch.h>

#include <algorithm>

namespace athanor {
namespace {

using State = std::vector<std::pair<std::string, at::Tensor>>;

/// Parameters and buffers by state name, in the order of PyTorch's state_dict.
void collectState(torch::nn::Module& module, const std::string& prefix, State& state)
{
    for (const auto& named : module.named_parameters(/*recurse=*/false))
        state.emplace_back(prefix + named.key(), named.value().detach());
    for (const auto& named : module.named_buffers(/*recurse=*/false))
        if (named.value().defined())
            state.emplace_back(prefix + named.key(), named.value());
    for (const auto& child : module.named_children())
        collectState(*child.value(), prefix + child.key() + ".", state);
}

State orderedState(torch::nn::Module& module)
{
    State state;
    collectState(module, "", state);
    return state;
}

std::vector<WeightsTensor> listed(const State& state)
{
    std::vector<WeightsTensor> tensors;
    for (const auto& [name, tensor] : state)
        tensors.push_back(
            {name, tensor.sizes().vec(), typeName(tensor.scalar_type()), tensor.device().str()});
    return tensors;
}

/// Reads all tensors before it copies the first.
void fill(const State& state, WeightsSource& source, const WeightsMapping& mapping)
{
    std::vector<std::pair<at::Tensor, at::Tensor>> copies;
    for (const auto* list : {&mapping.matched, &mapping.renamed})
        for (const auto& pair : *list)
            copies.emplace_back(state[pair.ours].second, source.tensor(pair.theirs));
    const torch::NoGradGuard noGrad;
    for (auto& [into, from] : copies)
        into.copy_(from);
}

Result<std::string> loadFrom(const std::filesystem::path& file, const WeightsMap& byHand,
                             torch::nn::Module& module)
{
    const auto source = openWeights(file);
    if (!source.ok())
        return source.error();
    const auto& contents = (*source)->contents();
    const State state = orderedState(module);
    const auto ours = listed(state);
    const auto mapping = mapWeights(ours, contents.tensors, byHand);
    if (!mapping.ok())
        return mapping.error();
    if (mapping.value().loaded() == 0)
        return nothingFits(*mapping, ours, contents.tensors);
    auto status = behindWall(file.string(), [&]() -> Status {
        fill(state, **source, *mapping);
        return Done{};
    });
    if (!status.ok())
        return status.error();
    std::string text = "Weights from " + file.string() + " (" + weightsFormatName(contents.format);
    text.append(contents.entry.empty() ? "" : ", ").append(contents.entry).append("): ");
    text.append(mappingText(*mapping, ours, contents.tensors));
    for (const auto& note : contents.notes)
        text.append(" ").append(note);
    return text;
}

} // namespace

Result<std::string> loadStartWeights(const Project& project, torch::nn::Module& module)
{
    if (project.training.weights.empty())
        return std::string();
    const auto file = project.folder() / project.training.weights;
    auto text = loadFrom(file, project.training.weightsMap, module);
    if (!text.ok()) {
        Error error = text.error();
        error.message.insert(0, file.string() + ": ");
        if (!error.where.starts_with("training/"))
            error.where = "training/weights";
        return error;
    }
    spdlog::debug("{}", *text);
    return text;
}

Result<WeightsReport> inspectWeights(const Project& project, const std::filesystem::path& file)
{
    auto contents = listWeights(file);
    if (!contents.ok())
        return contents.error();
    const auto opened = openProject(project, 0);
    const auto isError = [](const Problem& problem) { return problem.severity == Severity::Error; };
    const auto error = std::ranges::find_if(opened.check.problems, isError);
    if (error != opened.check.problems.end())
        return Error{ErrorCode::InvalidArgument, error->message, error->where, error->hint, {}};
    auto network = CompiledNetwork::compile(project.network, opened.check.network);
    if (!network.ok())
        return network.error();
    auto ours = listed(orderedState(network->module()));
    auto mapping = mapWeights(ours, contents->tensors, project.training.weightsMap);
    if (!mapping.ok())
        return mapping.error();
    return WeightsReport{std::move(*contents), std::move(ours), std::move(*mapping)};
}

} // namespace athanor
