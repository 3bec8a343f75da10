#include "app/cli/output.h"
#include "engine/store/run_store.h"
#include "engine/train/weights/export_weights.h"
#include "engine/train/weights/start_weights.h"

#include <algorithm>
#include <charconv>
#include <iostream>

namespace athanor::cli {
namespace {

void printTensors(const WeightsContents& contents)
{
    TextTable table({"tensor", "shape", "type", "device"});
    for (const WeightsTensor& tensor : contents.tensors)
        table.add({tensor.name, extentsText(tensor.shape), tensor.type, tensor.device});
    std::cout << table.text() << "\n"
              << contents.tensors.size() << " tensors (" << weightsFormatName(contents.format)
              << (contents.entry.empty() ? "" : ", ") << contents.entry << ")\n";
    for (const std::string& note : contents.notes)
        std::cout << note << "\n";
}

/// The checkpoint that `wanted` names, of those whose files are still there.
Result<CheckpointInfo> chooseCheckpoint(std::vector<CheckpointInfo> checkpoints, const std::string& wanted)
{
    std::erase_if(checkpoints, [](const CheckpointInfo& one) { return !std::filesystem::exists(one.file); });
    if (checkpoints.empty())
        return Error{ErrorCode::NotFound,
                     "The run has no checkpoint.",
                     {},
                     "Train it again, or choose another run.",
                     {}};
    if (wanted == "newest")
        return checkpoints.back();
    if (wanted == "best") {
        const auto best =
            std::find_if(checkpoints.rbegin(), checkpoints.rend(), [](const auto& one) { return one.best; });
        return best != checkpoints.rend() ? *best : checkpoints.back();
    }
    std::int64_t step = -1;
    const char* end = wanted.data() + wanted.size();
    const auto parsed = std::from_chars(wanted.data(), end, step);
    const auto found = std::ranges::find(checkpoints, step, &CheckpointInfo::step);
    if (parsed.ec == std::errc() && parsed.ptr == end && found != checkpoints.end())
        return *found;
    std::string steps;
    for (const CheckpointInfo& one : checkpoints)
        steps.append(steps.empty() ? "" : ", ").append(std::to_string(one.step));
    return Error{ErrorCode::NotFound,
                 "There is no checkpoint '" + wanted + "'.",
                 "--checkpoint",
                 "Use best, newest, or one of the steps " + steps + ".",
                 {}};
}

Result<CheckpointInfo> checkpointOf(const Common& common, const ExportArguments& arguments)
{
    const Result<RunStore> store = RunStore::openToRead(common.store);
    if (!store)
        return store.error();
    const Result<RunId> id = store->findRun(arguments.run);
    if (!id)
        return id.error();
    auto checkpoints = store->checkpoints(*id);
    if (!checkpoints)
        return checkpoints.error();
    return chooseCheckpoint(std::move(*checkpoints), arguments.checkpoint);
}

} // namespace

int listWeights(const Common& common, const WeightsArguments& arguments)
{
    if (arguments.project.file.empty()) {
        const Result<WeightsContents> contents = athanor::listWeights(arguments.file);
        if (!contents)
            return fail(common, contents.error());
        if (common.json) {
            Json out = weightsJson(*contents);
            out["file"] = arguments.file.string();
            printJson(out);
        } else {
            printTensors(*contents);
        }
        return kDone;
    }
    const Result<Project> project = loadProjectWith(arguments.project);
    if (!project)
        return fail(common, project.error());
    const Result<WeightsReport> report = inspectWeights(*project, arguments.file);
    if (!report)
        return fail(common, report.error());
    const WeightsReport& found = *report;
    const bool fits = found.mapping.loaded() > 0;
    if (common.json) {
        Json out = weightsJson(found.file);
        out["file"] = arguments.file.string();
        out["mapping"] = mappingJson(found.mapping, found.network, found.file.tensors);
        printJson(out);
    } else {
        printTensors(found.file);
        std::cout << "\n"
                  << (fits ? mappingText(found.mapping, found.network, found.file.tensors)
                           : nothingFits(found.mapping, found.network, found.file.tensors).text())
                  << "\n";
        for (const auto& [name, from] : found.mapping.suggested)
            std::cout << "by order and shape " << name << " could be " << from << "\n";
    }
    return fits ? kDone : kProblems;
}

int exportRun(const Common& common, const ExportArguments& arguments)
{
    const Result<CheckpointInfo> checkpoint = checkpointOf(common, arguments);
    if (!checkpoint)
        return fail(common, checkpoint.error());
    const CheckpointInfo& from = *checkpoint;
    const auto target = arguments.to == "safetensors" ? WeightsTarget::Safetensors : WeightsTarget::StateDict;
    const Result<std::size_t> tensors = exportWeights(from.file, target, arguments.file,
                                                      arguments.averaged ? WeightsChoice::Averaged : WeightsChoice::Trained);
    if (!tensors)
        return fail(common, tensors.error());
    if (common.json)
        printJson({{"file", arguments.file.string()},
                   {"verified", true}, // exportWeights has compared every bit of what it read back
                   {"max_difference", 0.0},
                   {"tensors", *tensors},
                   {"checkpoint", from.file},
                   {"step", from.step},
                   {"best", from.best}});
    else
        std::cout << *tensors << " tensors of step " << from.step << (from.best ? " (the best)" : "")
                  << " written to " << arguments.file.string() << " and read back bit for bit\n";
    return kDone;
}

} // namespace athanor::cli
