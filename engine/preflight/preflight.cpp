#include "engine/preflight/preflight.h"

#include "engine/data/fitted_transform.h"
#include "engine/preflight/judge.h"
#include "engine/preflight/memory.h"
#include "engine/preflight/thresholds.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <thread>

namespace athanor {
namespace {

/// What is left of a plan when its steps that are measured on the training part go: with them, one sample that cannot be
/// read keeps the data from being opened at all.
DataPlan withoutFitted(DataPlan plan)
{
    const auto fitted = [](const PlanNode& node) { return isFitted(node.kind, node.params); };
    for (auto& branch : plan.branches)
        if (branch)
            std::erase_if(branch->transforms, fitted);
    std::erase_if(plan.transforms, fitted);
    return plan;
}

/// Some hundred pictures of the training part, spread over it.
std::optional<JpegLattice> latticeOf(const PartData& data, std::size_t field, std::stop_token stop)
{
    constexpr std::int64_t kPictures = 256;
    constexpr std::int64_t kFewest = 8;
    std::vector<std::vector<std::uint8_t>> pictures;
    std::vector<std::array<std::int64_t, 2>> sizes;
    Sample sample;
    const std::int64_t stride = std::max<std::int64_t>(1, data.size() / kPictures);
    for (std::int64_t i = 0; i < data.size() && !stop.stop_requested(); i += stride) {
        try {
            if (!data.dataset->read(data.samples[static_cast<std::size_t>(i)], sample))
                continue;
        } catch (const std::exception&) {
            continue; // the pass itself will say so
        }
        const Value& value = sample[field];
        if (value.shape().size() != 3 || value.shape()[2] != 3 ||
            std::min(value.shape()[0], value.shape()[1]) < 8)
            continue;
        pictures.emplace_back(value.uint8(), value.uint8() + value.count());
        sizes.push_back({value.shape()[0], value.shape()[1]});
    }
    if (static_cast<std::int64_t>(pictures.size()) < kFewest)
        return std::nullopt;
    return findLattice(pictures, sizes);
}

ScanPlan planScan(const OpenedData& data, const DataPlan& graph, const NetworkView& network, int threads)
{
    ScanPlan plan;
    plan.data = &data;
    plan.threads =
        threads > 0 ? threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    const auto isTokenize = [](const PlanNode& node) { return node.kind == "Tokenize"; };
    if (std::ranges::any_of(graph.transforms, isTokenize) ||
        (graph.branches[0] && std::ranges::any_of(graph.branches[0]->transforms, isTokenize)))
        plan.unknownToken = 1; // as Tokenize numbers it
    const auto& fields = data.parts[0]->dataset->fields();
    const auto& layouts = data.parts[0]->chain.layouts();
    for (std::size_t field = 0; field < fields.size(); ++field) {
        const FieldLayout& layout = fields[field];
        const bool stays = field < layouts.size() && layouts[field].name == layout.name;
        if (network.targets.contains(layout.name) && !network.inputs.contains(layout.name)) {
            plan.targets.push_back(field);
            const bool single = layout.shape.empty() || (layout.shape.size() == 1 && layout.shape[0] == 1);
            if (single && stays && !plan.target && layout.element != Element::UInt8)
                plan.target = field;
            continue;
        }
        plan.inputs.push_back(field);
        if (layout.element == Element::UInt8 && layout.shape.size() == 3 && !plan.picture)
            plan.picture = field;
        if (layout.element == Element::Float32 && layout.shape.size() == 1 && layout.shape[0] > 0 && stays &&
            !plan.table)
            plan.table = field;
    }
    return plan;
}

void judgeAll(Judgement& j)
{
    for (const auto rule : {judgeReading, judgeValues, judgeLabels, judgeLabelColumn, judgeInputScale,
                            judgeTargetScale, judgeTargetLeak, judgeCopies, judgeNearCopies, judgeShift,
                            judgeOrder, judgePictures, judgeTexts, judgeOutliers, judgeColumns, judgeBatches})
        rule(j);
    std::ranges::stable_sort(j.result.findings, std::greater{}, [](const DataFinding& found) {
        return std::pair(found.finding.severity, found.finding.confidence);
    });
}

/// Data that do not open are a finding too, as far as it is the data's fault: there is a file, but not what it should be.
Result<PreflightResult> notOpened(const Error& error)
{
    const bool isTheirs = error.code == ErrorCode::Unreadable || error.code == ErrorCode::InvalidArgument;
    constexpr std::string_view kPlace = "data/";
    if (!isTheirs || !error.where.starts_with(kPlace))
        return error;
    PreflightResult result;
    DataFinding found;
    found.finding.rule = "data/unreadable-sample";
    found.finding.severity = Severity::Error;
    found.finding.node =
        error.where.substr(kPlace.size(), error.where.find('/', kPlace.size()) - kPlace.size());
    found.finding.message = error.message;
    found.finding.why = "Nothing can be trained before the data can be read.";
    if (!error.hint.empty())
        found.finding.fixes.push_back({error.hint});
    result.findings.push_back(std::move(found));
    result.problems.push_back({error.where, Severity::Error, error.message, error.hint});
    return result;
}

Result<PreflightResult> lookThrough(const Project& project, const PreflightOptions& options,
                                    std::stop_token stop, const PreflightKey& key,
                                    const std::filesystem::path& memory)
{
    const auto start = std::chrono::steady_clock::now();
    Result<DataPlan> graph = makeDataPlan(project.data);
    if (!graph)
        return graph.error();
    Result<OpenedData> data = openParts(project, *graph, 0);
    if (!data)
        if (Result<OpenedData> plain = openParts(project, withoutFitted(*graph), 0); plain)
            data = std::move(plain);
    if (!data)
        return notOpened(data.error());
    const NetworkView network = viewNetwork(project, data->description.fields);
    ScanPlan plan = planScan(*data, *graph, network, options.threads);
    if (plan.picture && data->parts[0]->dataset->fields()[*plan.picture].shape[2] == 3)
        plan.lattice = latticeOf(*data->parts[0], *plan.picture, stop);
    const std::optional<DataScan> scan = scanData(plan, options.progress, stop);
    if (!scan)
        return Error{ErrorCode::Cancelled, "The pre-flight check was cancelled", {}, {}, {}};
    PreflightResult result;
    for (std::size_t part = 0; part < 3; ++part)
        result.samples[part] = data->parts[part] ? data->parts[part]->size() : 0;
    Judgement judgement{project, *graph, plan, *scan, network, result};
    judgeAll(judgement);
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (options.useMemory && PreflightKey(project).text() == key.text()) // nothing changed meanwhile
        rememberPreflight(memory, key, *data, result);
    return result;
}

} // namespace

bool PreflightResult::hasErrors() const
{
    return std::ranges::any_of(
        findings, [](const DataFinding& found) { return found.finding.severity == Severity::Error; });
}

Result<PreflightResult> runPreflight(const Project& project, const PreflightOptions& options,
                                     std::stop_token stop)
{
    try {
        const PreflightKey key(project);
        const std::filesystem::path memory = options.memory.empty() ? preflightMemory() : options.memory;
        if (options.useMemory)
            if (auto known = recallPreflight(memory, key))
                return std::move(*known);
        return lookThrough(project, options, std::move(stop), key, memory);
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::OutOfMemory,
                     "There is not enough memory to look through the data",
                     "data",
                     "Use fewer samples",
                     {}};
    } catch (const std::exception& exception) {
        return Error{
            ErrorCode::Internal, "The data could not be looked through", "data", {}, exception.what()};
    }
}

} // namespace athanor
