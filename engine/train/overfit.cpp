#include "engine/train/overfit.h"

#include "engine/train/trial.h"

#include <torch/torch.h>

#include <cmath>

namespace athanor {
namespace {

void switchDropoutOff(CompiledNetwork& network)
{
    for (const NetworkNode& node : network.nodes())
        if (torch::nn::Module* module = network.module(node.id); module && node.family == NodeFamily::Dropout)
            module->eval();
}

DataBatch firstOf(const DataBatch& batch, std::int64_t samples)
{
    if (samples <= 0 || samples >= batch.size())
        return batch;
    DataBatch fewer = batch;
    for (auto& [name, tensor] : fewer.fields)
        tensor = tensor.slice(0, 0, samples);
    fewer.samples.resize(static_cast<std::size_t>(samples));
    return fewer;
}

} // namespace

Result<OverfitResult> overfitBatch(const Project& project, const OverfitOptions& options)
{
    auto opened = Trial::open(project, options.threads, options.workers);
    if (!opened.ok())
        return opened.error();
    Trial& trial = **opened;
    const auto whole = trial.next();
    if (!whole.ok())
        return whole.error();
    const DataBatch batch = firstOf(*whole, options.samples);
    switchDropoutOff(*trial.parts().network);
    OverfitResult result;
    result.samples = batch.size();
    const auto rates = trial.baseRates();
    for (result.steps = 0; result.steps < options.steps && !result.passed;) {
        const auto outcome = trial.step(batch, rates);
        if (!outcome.ok())
            return outcome.error();
        ++result.steps;
        result.lossLast = outcome->loss;
        if (result.steps == 1)
            result.lossFirst = outcome->loss;
        if (!std::isfinite(outcome->loss))
            break;
        result.passed = result.lossLast <= result.lossFirst - 0.9 * std::abs(result.lossFirst) && result.steps > 1;
        if (options.progress && !options.progress(result.steps, options.steps))
            return Error{ErrorCode::Cancelled, "The test was cancelled.", "training"};
    }
    return result;
}

} // namespace athanor
