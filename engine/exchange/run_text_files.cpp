#include "engine/exchange/run_text_files.h"

#include "engine/exchange/imported_run.h"
#include "engine/project/text_file.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>

namespace athanor {
namespace {

constexpr int kVersion = 1;

std::string exactNumber(double value)
{
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value > 0 ? "inf" : "-inf";
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
    return {text.data(), end.ptr};
}

std::string csvCell(const std::string& text)
{
    if (text.find_first_of(",\"\n\r") == std::string::npos)
        return text;
    std::string out = "\"";
    for (const char c : text)
        out.append(c == '"' ? 2 : 1, c);
    return out + "\"";
}

/// One series on its way in.
struct TextSeries {
    SeriesInfo info;
    SeriesPoints points;
};

struct TextRun {
    NewRun fresh;
    std::vector<TextSeries> series;
    std::vector<Event> events;
    std::int64_t startedMs = 0;
    double seconds = 0;
    std::int64_t steps = 0;
    double epochs = 0;
    RunStatus status = RunStatus::Finished;
    std::string failure;
    std::string note;
    std::vector<std::string> tags;
};

Result<ImportReport> storeTextRun(const std::filesystem::path& file, TextRun run)
{
    const ImportClock clock(run.startedMs);
    Result<RunStore> store = RunStore::open(file, clock);
    if (!store)
        return store.error();
    const Result<RunId> id = store->startRun(run.fresh);
    if (!id)
        return id.error();
    ImportReport report;
    report.runs = {*id};
    std::vector<SeriesInfo> infos;
    std::vector<Sample> samples;
    SeriesIndex index = 0;
    for (TextSeries& series : run.series) {
        infos.push_back(series.info);
        sortByStep(series.points);
        for (std::size_t i = 0; i < series.points.steps.size(); ++i) {
            samples.push_back({index, series.points.steps[i], series.points.values[i]});
            run.steps = std::max(run.steps, series.points.steps[i]);
        }
        ++index;
    }
    report.points = static_cast<std::int64_t>(samples.size());
    RunStore::Flush flush;
    flush.newSeries = infos;
    flush.samples = samples;
    flush.events = run.events;
    flush.seconds = run.seconds;
    flush.steps = run.steps;
    flush.epochs = run.epochs;
    for (const Status& done : {store->flush(*id, flush), store->finishRun(*id, run.status, run.failure),
                               store->setTags(*id, run.tags), store->setNote(*id, run.note)})
        if (!done)
            return done.error();
    return report;
}

Error wrongLine(const std::filesystem::path& file, std::size_t line, const std::string& what)
{
    return {ErrorCode::Unreadable,
            what,
            fmt::format("{}, line {}", file.string(), line),
            "A table has the columns series, step, value, or step and one column for each series.",
            {}};
}

/// The cells of one record; quotes hold commas and line breaks. False at the end of the text.
bool nextRecord(std::string_view& text, std::size_t& line, std::vector<std::string>& cells)
{
    cells.clear();
    if (text.empty())
        return false;
    std::string cell;
    bool isQuoted = false;
    std::size_t i = 0;
    for (; i < text.size(); ++i) {
        const char c = text[i];
        line += c == '\n' ? 1 : 0;
        if (isQuoted) {
            if (c == '"' && i + 1 < text.size() && text[i + 1] == '"')
                cell += text[++i];
            else if (c == '"')
                isQuoted = false;
            else
                cell += c;
        } else if (c == '"') {
            isQuoted = true;
        } else if (c == ',') {
            cells.push_back(std::move(cell));
            cell.clear();
        } else if (c == '\n') {
            ++i;
            break;
        } else if (c != '\r') {
            cell += c;
        }
    }
    text.remove_prefix(i);
    cells.push_back(std::move(cell));
    return true;
}

std::optional<double> numberOf(const std::string& text)
{
    if (text == "nan" || text == "NaN")
        return std::numeric_limits<double>::quiet_NaN();
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> stepOf(const std::string& text)
{
    const auto value = numberOf(text); // other programs write 12.0
    if (!value || *value != std::floor(*value) || std::abs(*value) > 9e15)
        return std::nullopt;
    return static_cast<std::int64_t>(*value);
}

Result<TextRun> readCsv(const std::filesystem::path& file, std::string_view text)
{
    std::size_t line = 0;
    std::vector<std::string> head;
    nextRecord(text, line, head);
    const bool isLong = head == std::vector<std::string>{"series", "step", "value"};
    const auto stepColumn = std::find(head.begin(), head.end(), "step");
    if (!isLong && (stepColumn == head.end() || head.size() < 2))
        return wrongLine(file, 1, "The table has no column 'step' beside others");
    TextRun run;
    std::map<std::string, std::size_t> places;
    const auto add = [&](const std::string& name, std::int64_t step, double value) {
        const auto [place, isNew] = places.try_emplace(name, run.series.size());
        if (isNew)
            run.series.push_back({{name, {}, SeriesRole::Essential}, {}});
        run.series[place->second].points.steps.push_back(step);
        run.series[place->second].points.values.push_back(value);
    };
    std::vector<std::string> cells;
    for (std::size_t start = line + 1; nextRecord(text, line, cells); start = line + 1) {
        if (cells.size() == 1 && cells[0].empty())
            continue;
        if (cells.size() != head.size())
            return wrongLine(file, start,
                             fmt::format("{} cells, where the head has {}", cells.size(), head.size()));
        const auto step = stepOf(cells[isLong ? 1 : static_cast<std::size_t>(stepColumn - head.begin())]);
        if (!step)
            return wrongLine(file, start, "The step is no whole number");
        for (std::size_t i = isLong ? 2 : 0; i < cells.size(); ++i) {
            if ((!isLong && (head[i] == "step" || cells[i].empty())))
                continue;
            const auto value = numberOf(cells[i]);
            if (!value)
                return wrongLine(file, start, "'" + cells[i] + "' is no number");
            add(isLong ? cells[0] : head[i], *step, *value);
        }
    }
    return run;
}

Result<TextRun> readJson(const std::filesystem::path& file, const std::string& text)
{
    const auto unreadable = [&file](const std::string& what) {
        return Error{
            ErrorCode::Unreadable, what, file.string(), "`athanor-cli runs export` writes such files.", {}};
    };
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains("athanor_run"))
        return unreadable("This is no run of Athanor's");
    if (json["athanor_run"] != kVersion)
        return unreadable("The file is of another version");
    try {
        TextRun run;
        run.fresh.name = json.at("name").get<std::string>();
        run.fresh.project = json.at("project").get<std::string>();
        run.fresh.projectText = json.at("project_text").get<std::string>();
        run.fresh.environment = json.at("environment");
        run.startedMs = json.at("started_ms").get<std::int64_t>();
        run.seconds = json.at("seconds").get<double>();
        run.steps = json.at("steps").get<std::int64_t>();
        run.epochs = json.at("epochs").get<double>();
        run.status = runStatusFromName(json.at("status").get<std::string>()).value_or(RunStatus::Finished);
        if (run.status == RunStatus::Running || run.status == RunStatus::Paused)
            run.status = RunStatus::Interrupted; // it does not go on here
        run.failure = json.at("failure").get<std::string>();
        run.note = json.at("note").get<std::string>();
        run.tags = json.at("tags").get<std::vector<std::string>>();
        for (const Json& one : json.at("series")) {
            TextSeries series{
                {one.at("name").get<std::string>(), one.at("unit").get<std::string>(),
                 seriesRoleFromName(one.at("role").get<std::string>()).value_or(SeriesRole::Essential)},
                {}};
            series.points.steps = one.at("steps").get<std::vector<std::int64_t>>();
            for (const Json& value : one.at("values"))
                if (!numberFromJson(value, series.points.values.emplace_back()))
                    return unreadable("'" + series.info.name + "' holds what is no number");
            if (series.points.steps.size() != series.points.values.size())
                return unreadable("'" + series.info.name + "' has not as many steps as values");
            run.series.push_back(std::move(series));
        }
        for (const Json& one : json.at("events"))
            run.events.push_back(
                {one.at("step").get<std::int64_t>(), one.at("wall_ms").get<std::int64_t>(),
                 eventKindFromName(one.at("kind").get<std::string>()).value_or(EventKind::Note),
                 one.at("text").get<std::string>(), one.at("where").get<std::string>()});
        return run;
    } catch (const Json::exception& e) {
        Error error = unreadable("The file lacks a part, or has one of another type");
        error.details = e.what();
        return error;
    }
}

} // namespace

Status exportRunCsv(const RunStore& store, RunId run, const std::filesystem::path& file)
{
    const auto summaries = store.summaries(run);
    if (!summaries)
        return summaries.error();
    std::string text = "series,step,value\n";
    for (const SeriesSummary& summary : *summaries) {
        const auto points = store.points(run, summary.name);
        if (!points)
            return points.error();
        for (std::size_t i = 0; i < points->steps.size(); ++i)
            text += fmt::format("{},{},{}\n", csvCell(summary.name), points->steps[i],
                                exactNumber(points->values[i]));
    }
    return replaceTextFile(file, text);
}

Status exportRunJson(const RunStore& store, RunId run, const std::filesystem::path& file)
{
    const auto info = store.run(run);
    const auto projectText = store.projectText(run);
    const auto summaries = store.summaries(run);
    const auto events = store.events(run);
    if (!info)
        return info.error();
    if (!projectText || !summaries || !events)
        return !projectText ? projectText.error() : !summaries ? summaries.error() : events.error();
    Json json = {{"athanor_run", kVersion},
                 {"name", info->name},
                 {"project", info->project},
                 {"project_text", *projectText},
                 {"status", runStatusName(info->status)},
                 {"started_ms", info->startedMs},
                 {"seconds", info->seconds},
                 {"steps", info->steps},
                 {"epochs", info->epochs},
                 {"tags", info->tags},
                 {"note", info->note},
                 {"failure", info->failure},
                 {"environment", info->environment},
                 {"series", Json::array()},
                 {"events", Json::array()}};
    for (const SeriesSummary& summary : *summaries) {
        const auto points = store.points(run, summary.name);
        if (!points)
            return points.error();
        Json values = Json::array();
        for (const double value : points->values)
            values.push_back(jsonNumber(value));
        json["series"].push_back({{"name", summary.name},
                                  {"unit", summary.unit},
                                  {"role", seriesRoleName(summary.role)},
                                  {"steps", points->steps},
                                  {"values", std::move(values)}});
    }
    for (const Event& event : *events)
        json["events"].push_back({{"step", event.step},
                                  {"wall_ms", event.wallMilliseconds},
                                  {"kind", eventKindName(event.kind)},
                                  {"text", event.text},
                                  {"where", event.where}});
    return replaceTextFile(file, json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

Result<ImportReport> importRunFile(const std::filesystem::path& store, const std::filesystem::path& file)
{
    std::ifstream in(file, std::ios::binary);
    if (!in)
        return Error{ErrorCode::NotFound, "The file cannot be read", file.string(), {}, {}};
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const bool isJson = !text.empty() && text.front() == '{';
    Result<TextRun> run = isJson ? readJson(file, text) : readCsv(file, text);
    if (!run)
        return run.error();
    if (run->fresh.name.empty())
        run->fresh.name = file.stem().string();
    if (!isJson) {
        run->fresh.project = "CSV";
        run->fresh.environment = {{"imported_from", file.string()}};
    }
    return storeTextRun(store, std::move(*run));
}

} // namespace athanor
