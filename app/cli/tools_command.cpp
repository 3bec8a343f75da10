#include "app/cli/output.h"
#include "engine/data/data_pipeline.h"
#include "engine/train/lr_finder.h"
#include "engine/train/overfit.h"
#include "engine/train/schedule.h"
#include "engine/train/state_report.h"

#include <spdlog/fmt/fmt.h>

#include <iostream>
#include <unistd.h>

namespace athanor::cli {
namespace {

/// One line on a terminal, redrawn.
std::function<bool(std::int64_t, std::int64_t)> progressLine(const char* what)
{
    if (isatty(STDERR_FILENO) == 0)
        return {};
    return [what](std::int64_t done, std::int64_t all) {
        std::cerr << fmt::format("\r{} {}/{}\x1b[K", what, done, all) << (done == all ? "\r\x1b[K" : "") << std::flush;
        return true;
    };
}

} // namespace

int findLr(const Common& common, const LrFindArguments& arguments)
{
    const Result<Project> project = loadProjectWith(arguments.project);
    if (!project)
        return fail(common, project.error());
    if (arguments.start >= arguments.end)
        return fail(common, {ErrorCode::InvalidArgument, "--start must be below --end", "command line", {}, {}});
    LrFindOptions options;
    options.start = arguments.start;
    options.end = arguments.end;
    options.steps = arguments.steps;
    options.threads = arguments.threads;
    options.progress = progressLine("step");
    const Result<LrCurve> curve = findLearningRate(*project, options);
    if (!curve)
        return fail(common, curve.error());
    if (common.json) {
        Json points = Json::array();
        for (std::size_t i = 0; i < curve->rates.size(); ++i)
            points.push_back(Json::array({curve->rates[i], jsonNumber(curve->losses[i])}));
        printJson({{"suggestion", curve->suggestion ? Json(*curve->suggestion) : Json()},
                   {"reason", curve->reason},
                   {"curve", points}});
        return kDone;
    }
    TextTable table({"lr", "loss", "smoothed"});
    for (std::size_t i = 0; i < curve->rates.size(); i += std::max<std::size_t>(1, curve->rates.size() / 20))
        table.add({numberText(curve->rates[i]), numberText(curve->losses[i]), numberText(curve->smoothed[i])});
    std::cout << table.text() << curve->reason << "\n";
    if (curve->suggestion)
        std::cout << "Suggestion: --set training.optimizer.lr=" << numberText(*curve->suggestion) << "\n";
    else
        std::cout << "No suggestion.\n";
    return kDone;
}

int showState(const Common& common, const ProjectArguments& arguments)
{
    const Result<Project> project = loadProjectWith(arguments);
    if (!project)
        return fail(common, project.error());
    const Result<StateReport> report = listState(*project);
    if (!report)
        return fail(common, report.error());
    Json list = Json::array();
    TextTable table({"tensor", "part", "shape", "type", "device", "bytes"});
    for (const StateTensor& tensor : report->tensors) {
        list.push_back({{"name", tensor.name}, {"part", tensor.part}, {"shape", tensor.shape}, {"type", tensor.type},
                        {"device", tensor.device}, {"bytes", tensor.bytes}});
        table.add({tensor.name, tensor.part, Json(tensor.shape).dump(), tensor.type, tensor.device,
                   std::to_string(tensor.bytes)});
    }
    if (common.json)
        printJson({{"tensors", list}, {"bytes", report->bytes}});
    else
        std::cout << table.text() << report->bytes << " bytes, without activations\n";
    return kDone;
}

int showSchedule(const Common& common, const ScheduleArguments& arguments)
{
    const Result<Project> project = loadProjectWith(arguments.project);
    if (!project)
        return fail(common, project.error());
    const auto data = openData(*project, 0);
    if (!data)
        return fail(common, data.error());
    const TrainSpec& spec = project->training;
    const auto accumulate = static_cast<std::int64_t>(std::max(1, spec.accumulate));
    const std::int64_t perEpoch = ((*data)->batchCount(DataPart::Train) + accumulate - 1) / accumulate;
    const std::int64_t steps = spec.steps.value_or(spec.epochs.value_or(kStandardEpochs) * perEpoch);
    const Result<ScheduleCurve> curve = previewSchedule(spec, perEpoch, steps, static_cast<std::size_t>(arguments.points));
    if (!curve)
        return fail(common, curve.error());
    if (common.json) {
        Json out{{"steps", curve->steps}, {"rates", curve->rates}, {"total_steps", steps}, {"steps_per_epoch", perEpoch}};
        if (!curve->momenta.empty())
            out["momenta"] = curve->momenta;
        printJson(out);
        return kDone;
    }
    TextTable table({"step", "lr", "momentum"});
    for (std::size_t i = 0; i < curve->steps.size(); ++i)
        table.add({std::to_string(curve->steps[i]), numberText(curve->rates[i]),
                   curve->momenta.empty() ? std::string() : numberText(curve->momenta[i])});
    std::cout << table.text();
    return kDone;
}

int overfit(const Common& common, const OverfitArguments& arguments)
{
    const Result<Project> project = loadProjectWith(arguments.project);
    if (!project)
        return fail(common, project.error());
    OverfitOptions options;
    options.samples = arguments.samples;
    options.steps = arguments.steps;
    options.threads = arguments.threads;
    options.progress = progressLine("step");
    const Result<OverfitResult> result = overfitBatch(*project, options);
    if (!result)
        return fail(common, result.error());
    if (common.json)
        printJson({{"passed", result->passed},
                   {"loss_first", jsonNumber(result->lossFirst)},
                   {"loss_last", jsonNumber(result->lossLast)},
                   {"steps", result->steps},
                   {"samples", result->samples}});
    else
        std::cout << (result->passed ? "Passed" : "Not passed") << ": the loss of " << result->samples << " samples went from "
                  << numberText(result->lossFirst) << " to " << numberText(result->lossLast) << " in " << result->steps
                  << " steps.\n"
                  << (result->passed ? "" : "A sound network learns one batch by heart: look at the loss, the labels, the "
                                            "last activation and the learning rate.\n");
    return result->passed ? kDone : kProblems;
}

} // namespace athanor::cli
