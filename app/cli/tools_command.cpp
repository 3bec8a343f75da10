#include "app/cli/output.h"
#include "engine/train/lr_finder.h"
#include "engine/train/overfit.h"

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
