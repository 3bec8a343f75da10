#include "engine/exchange/event_folder.h"

#include "engine/compare/step_map.h"
#include "engine/exchange/event_file.h"
#include "engine/exchange/imported_run.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <system_error>

namespace athanor {
namespace {

constexpr std::size_t kPointsPerFlush = 100'000;

Status flushPoints(RunStore& store, RunId run, const EventLog& log, RunStore::Flush flush)
{
    std::vector<Sample> samples;
    SeriesIndex index = 0;
    for (const std::string& tag : log.tags) {
        const SeriesPoints& points = log.scalars.at(tag);
        for (std::size_t i = 0; i < points.steps.size(); ++i) {
            samples.push_back({index, points.steps[i], points.values[i]});
            if (samples.size() < kPointsPerFlush)
                continue;
            flush.samples = samples;
            if (Status stored = store.flush(run, flush); !stored)
                return stored;
            flush.newSeries = {};
            flush.events = {};
            samples.clear();
        }
        ++index;
    }
    flush.samples = samples;
    return store.flush(run, flush);
}

Result<RunId> storeLog(const std::filesystem::path& file, const std::string& name,
                       const std::filesystem::path& source, EventLog& log)
{
    const ImportClock clock(static_cast<std::int64_t>(log.firstWall * 1000)); // of seconds
    Result<RunStore> store = RunStore::open(file, clock);
    if (!store)
        return store.error();
    NewRun fresh;
    fresh.name = name;
    fresh.project = "TensorBoard";
    fresh.environment = {{"imported_from", source.string()}};
    const Result<RunId> run = store->startRun(fresh);
    if (!run)
        return run.error();
    std::vector<SeriesInfo> series;
    std::int64_t steps = 0;
    for (const std::string& tag : log.tags) {
        SeriesPoints& points = log.scalars.at(tag);
        sortByStep(points);
        steps = std::max(steps, points.steps.back());
        series.push_back({tag, {}, SeriesRole::Essential});
    }
    std::vector<Event> events;
    for (const EventNote& note : log.notes)
        events.push_back({note.step, static_cast<std::int64_t>(note.wallSeconds * 1000), EventKind::Note,
                          note.text, note.tag});
    RunStore::Flush flush;
    flush.newSeries = series;
    flush.events = events;
    flush.seconds = std::max(0.0, log.lastWall - log.firstWall);
    flush.steps = steps;
    Status stored = flushPoints(*store, *run, log, flush);
    if (stored)
        stored = store->finishRun(*run, RunStatus::Finished);
    if (!stored) {
        const Status ignored = store->finishRun(*run, RunStatus::Failed, "It could not be imported whole");
        static_cast<void>(ignored);
        return stored.error();
    }
    return *run;
}

std::string folderNameOf(const RunInfo& run, std::set<std::string>& used)
{
    std::string name;
    for (const char c : run.name)
        name += static_cast<unsigned char>(c) < 0x20 || c == '/' || c == '\\' || c == 0x7F ? '_' : c;
    if (name.empty() || name == "." || name == "..")
        name = fmt::format("run-{}", run.id);
    constexpr std::size_t kLongest = 200; // file systems end at 255 bytes
    name = name.substr(0, kLongest);
    if (!used.insert(name).second) {
        name += fmt::format("-{}", run.id);
        used.insert(name);
    }
    return name;
}

Status writeRun(const RunStore& store, const RunInfo& info, const std::filesystem::path& file)
{
    const auto summaries = store.summaries(info.id);
    if (!summaries)
        return summaries.error();
    const auto events = store.events(info.id);
    if (!events)
        return events.error();
    const double start = static_cast<double>(info.startedMs) / 1000;
    const StepMap time = StepMap::make(CurveAxis::Time, info, *events);
    auto writer = EventFileWriter::create(file, start);
    if (!writer)
        return writer.error();
    for (const SeriesSummary& summary : *summaries) {
        const auto points = store.points(info.id, summary.name);
        if (!points)
            return points.error();
        for (std::size_t i = 0; i < points->steps.size(); ++i) {
            Status added = writer->addScalar(summary.name, points->steps[i],
                                             start + time.at(points->steps[i]), points->values[i]);
            if (!added)
                return added;
        }
    }
    return writer->close();
}

} // namespace

bool isEventFileName(const std::filesystem::path& file)
{
    return file.filename().string().find("tfevents") != std::string::npos;
}

std::vector<std::filesystem::path> eventFolders(const std::filesystem::path& folder)
{
    std::set<std::filesystem::path> found;
    std::error_code error;
    const auto options = std::filesystem::directory_options::skip_permission_denied;
    for (auto entry = std::filesystem::recursive_directory_iterator(folder, options, error);
         !error && entry != std::filesystem::recursive_directory_iterator(); entry.increment(error)) {
        std::error_code ignored;
        if (isEventFileName(entry->path()) && entry->is_regular_file(ignored))
            found.insert(entry->path().parent_path());
    }
    return {found.begin(), found.end()};
}

Result<ImportReport> importEventFolder(const std::filesystem::path& store,
                                       const std::filesystem::path& folder, const ExchangeProgress& progress)
{
    std::error_code error;
    const bool isFile = std::filesystem::is_regular_file(folder, error);
    const auto folders = isFile ? std::vector{folder} : eventFolders(folder);
    if (folders.empty())
        return Error{ErrorCode::NotFound,
                     "There is no event file here",
                     folder.string(),
                     "Name a folder that TensorBoard could show: its files are called events.out.tfevents.…",
                     {}};
    ImportReport report;
    for (std::size_t i = 0; i < folders.size(); ++i) {
        if (progress.cancelled && progress.cancelled())
            return Error{ErrorCode::Cancelled, "Cancelled", folder.string(), {}, {}};
        if (progress.tell)
            progress.tell(i, folders.size());
        std::vector<std::filesystem::path> files;
        if (isFile)
            files.push_back(folder);
        else
            for (const auto& entry : std::filesystem::directory_iterator(folders[i], error))
                if (isEventFileName(entry.path()))
                    files.push_back(entry.path());
        std::sort(files.begin(), files.end()); // their names hold the time of their making
        EventLog log;
        for (const auto& file : files)
            if (Status read = readEventFile(file, log); !read)
                return read.error();
        const auto relative = isFile ? folder.filename() : folders[i].lexically_relative(folder);
        const std::string name =
            relative == "." ? std::filesystem::absolute(folder).lexically_normal().filename().string()
                            : relative.string();
        const Result<RunId> run = storeLog(store, name.empty() ? "imported" : name, folders[i], log);
        if (!run)
            return run.error();
        report.runs.push_back(*run);
        for (const auto& [tag, points] : log.scalars)
            report.points += static_cast<std::int64_t>(points.steps.size());
        for (const auto& [kind, count] : log.leftOut)
            report.leftOut[kind] += count;
        report.problems.insert(report.problems.end(), log.problems.begin(), log.problems.end());
    }
    return report;
}

Result<std::vector<std::filesystem::path>>
exportEventFolder(const RunStore& store, std::span<const RunId> runs, const std::filesystem::path& folder)
{
    std::vector<std::filesystem::path> files;
    std::set<std::string> used;
    for (const RunId run : runs) {
        const auto info = store.run(run);
        if (!info)
            return info.error();
        const std::filesystem::path home = folder / folderNameOf(*info, used);
        std::error_code error;
        std::filesystem::create_directories(home, error);
        if (error)
            return Error{ErrorCode::Unreadable,
                         "The folder cannot be made: " + error.message(),
                         home.string(),
                         "Choose a folder that can be written to.",
                         {}};
        files.push_back(home / fmt::format("events.out.tfevents.{:010d}.athanor", info->startedMs / 1000));
        if (Status written = writeRun(store, *info, files.back()); !written)
            return written.error();
    }
    return files;
}

} // namespace athanor
