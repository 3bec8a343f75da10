#include "app/cli/sweep_plan.h"

#include "engine/project/text_file.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <charconv>
#include <random>

namespace athanor::cli {
namespace {

constexpr std::size_t kMostTrials = 10'000;

Error wrong(const std::string& text, const std::string& what, const std::string& hint)
{
    return {ErrorCode::InvalidArgument, what, text, hint, {}};
}

bool readNumber(const std::string& text, double& value)
{
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && stopped == end && std::isfinite(value);
}

bool isWhole(const std::string& text)
{
    return !text.empty() && text.find_first_not_of("-0123456789") == std::string::npos;
}

/// At commas that stand in no bracket: [0.9,0.99] is one value.
std::vector<std::string> split(const std::string& text)
{
    std::vector<std::string> parts{""};
    int depth = 0;
    for (const char c : text) {
        depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
        if (c == ',' && depth == 0)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

std::vector<SweepTrial> product(const std::vector<std::pair<std::string, std::vector<std::string>>>& axes)
{
    std::vector<SweepTrial> trials(1);
    for (const auto& [path, values] : axes) {
        std::vector<SweepTrial> more;
        for (const SweepTrial& trial : trials)
            for (const std::string& value : values) {
                more.push_back(trial);
                more.back().settings.emplace_back(path, value);
            }
        trials = std::move(more);
        if (trials.size() > kMostTrials)
            break;
    }
    return trials;
}

std::string drawn(const RandomRange& range, std::mt19937_64& random)
{
    // Not std::uniform_real_distribution, whose numbers differ between libraries.
    const double share = static_cast<double>(random() >> 11) * 0x1.0p-53;
    if (!range.choices.empty())
        return range.choices[static_cast<std::size_t>(share * static_cast<double>(range.choices.size()))];
    if (range.whole && !range.logarithmic)
        return fmt::format("{}", static_cast<std::int64_t>(range.low + std::floor(share * (range.high - range.low + 1))));
    const double value = range.logarithmic ? range.low * std::pow(range.high / range.low, share)
                                           : range.low + share * (range.high - range.low);
    return range.whole ? fmt::format("{}", static_cast<std::int64_t>(std::llround(value))) : fmt::format("{:.6g}", value);
}

Result<std::vector<SweepTrial>> gridTrials(const SweepArguments& arguments)
{
    std::vector<std::pair<std::string, std::vector<std::string>>> axes;
    for (const std::string& text : arguments.grid) {
        std::string path;
        auto values = gridValues(text, path);
        if (!values)
            return values.error();
        axes.emplace_back(path, std::move(*values));
    }
    return product(axes);
}

Result<std::vector<SweepTrial>> randomTrials(const SweepArguments& arguments)
{
    std::int64_t count = 0;
    const std::string& first = arguments.random.front();
    const auto [stopped, error] = std::from_chars(first.data(), first.data() + first.size(), count);
    if (error != std::errc() || stopped != first.data() + first.size() || count < 1)
        return wrong(first, "--random begins with the number of trials", "such as --random 20 training.optimizer.lr=1e-4..1e-1:log");
    std::vector<RandomRange> ranges;
    for (std::size_t i = 1; i < arguments.random.size(); ++i) {
        auto range = randomRange(arguments.random[i]);
        if (!range)
            return range.error();
        ranges.push_back(std::move(*range));
    }
    if (ranges.empty())
        return wrong(first, "--random names nothing to draw", "such as --random 20 training.optimizer.lr=1e-4..1e-1:log");
    std::mt19937_64 random(arguments.seed);
    std::vector<SweepTrial> trials;
    for (std::int64_t i = 0; i < std::min<std::int64_t>(count, kMostTrials + 1); ++i) {
        trials.emplace_back();
        for (const RandomRange& range : ranges)
            trials.back().settings.emplace_back(range.path, drawn(range, random));
    }
    return trials;
}

} // namespace

std::string trialStatusName(TrialStatus status)
{
    switch (status) {
    case TrialStatus::Waiting:
        return "waiting";
    case TrialStatus::Running:
        return "running";
    case TrialStatus::Done:
        return "done";
    case TrialStatus::Failed:
        return "failed";
    case TrialStatus::Dropped:
        break;
    }
    return "dropped";
}

Result<std::vector<std::string>> gridValues(const std::string& text, std::string& path)
{
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
        return wrong(text, "this is no grid", "such as training.optimizer.lr=0.1,0.01");
    path = text.substr(0, equals);
    auto values = split(text.substr(equals + 1));
    if (std::ranges::any_of(values, &std::string::empty))
        return wrong(text, "a value is empty", "such as training.optimizer.lr=0.1,0.01");
    return values;
}

Result<RandomRange> randomRange(const std::string& text)
{
    RandomRange range;
    auto values = gridValues(text, range.path);
    if (!values)
        return values.error();
    const std::string written = text.substr(range.path.size() + 1);
    const auto dots = written.find("..");
    if (dots == std::string::npos) {
        range.choices = std::move(*values);
        return range;
    }
    const std::string low = written.substr(0, dots);
    std::string high = written.substr(dots + 2);
    if (const auto colon = high.find(':'); colon != std::string::npos) {
        if (high.substr(colon) != ":log")
            return wrong(text, fmt::format("'{}' is not known", high.substr(colon + 1)), "only :log may follow a range");
        range.logarithmic = true;
        high.resize(colon);
    }
    range.whole = isWhole(low) && isWhole(high);
    if (!readNumber(low, range.low) || !readNumber(high, range.high) || range.low > range.high)
        return wrong(text, "this is no range", "two numbers in rising order: 0.001..0.1");
    if (range.logarithmic && range.low <= 0)
        return wrong(text, "a logarithmic range begins above 0", "such as 1e-5..1e-1:log");
    return range;
}

Result<std::vector<SweepTrial>> plannedTrials(const Project& project, const SweepArguments& arguments)
{
    if (arguments.grid.empty() == arguments.random.empty())
        return wrong("sweep", "a sweep needs either --grid or --random", "such as --grid training.optimizer.lr=0.1,0.01");
    auto trials = arguments.random.empty() ? gridTrials(arguments) : randomTrials(arguments);
    if (!trials)
        return trials;
    if (trials->size() > kMostTrials)
        return wrong("sweep", fmt::format("there are more than {} trials", kMostTrials), "try fewer values");
    for (const SweepTrial& trial : *trials) {
        Project copy = project;
        for (const auto& [path, value] : trial.settings)
            if (const Status set = setProjectValue(copy, path, value); !set)
                return set.error();
    }
    return trials;
}

Json trialJson(const SweepTrial& trial)
{
    Json settings = Json::object();
    for (const auto& [path, value] : trial.settings) {
        const Json parsed = Json::parse(value, nullptr, false);
        settings[path] = parsed.is_discarded() ? Json(value) : parsed;
    }
    return {{"settings", settings},        {"status", trialStatusName(trial.status)},
            {"run", trial.run},            {"rung", trial.rung},
            {"steps", trial.steps},        {"value", jsonNumber(trial.value)},
            {"seconds", trial.seconds},    {"failure", trial.failure}};
}

Status SweepFile::load(std::vector<SweepTrial>& trials) const
{
    std::error_code ignored;
    if (!std::filesystem::exists(m_file, ignored))
        return Done{};
    const auto text = readTextFile(m_file);
    if (!text)
        return text.error();
    const Json saved = Json::parse(*text, nullptr, false);
    if (!saved.is_object() || saved.value("plan", Json()) != m_plan || saved.value("trials", Json()).size() != trials.size())
        return Error{ErrorCode::InvalidArgument, "This file holds another sweep.", m_file.string(),
                     "Name another one by --state, or begin anew with --fresh."};
    for (std::size_t i = 0; i < trials.size(); ++i) {
        const Json& one = saved["trials"][i];
        SweepTrial& trial = trials[i];
        const std::string status = one.value("status", "");
        for (const auto known : {TrialStatus::Done, TrialStatus::Failed, TrialStatus::Dropped})
            if (status == trialStatusName(known))
                trial.status = known; // what was running or waiting is to be done
        trial.wasRunning = status == trialStatusName(TrialStatus::Running);
        trial.run = one.value("run", std::int64_t(0));
        trial.rung = one.value("rung", 0);
        trial.steps = one.value("steps", std::int64_t(0));
        trial.failure = one.value("failure", "");
        trial.seconds = one.value("seconds", 0.0);
        static_cast<void>(numberFromJson(one.value("value", Json()), trial.value));
    }
    return Done{};
}

Status SweepFile::save(const std::vector<SweepTrial>& trials) const
{
    Json list = Json::array();
    for (const SweepTrial& trial : trials)
        list.push_back(trialJson(trial));
    return replaceTextFile(m_file, Json{{"plan", m_plan}, {"trials", list}}.dump(1) + "\n");
}

} // namespace athanor::cli
