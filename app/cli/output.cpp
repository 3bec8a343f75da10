#include "app/cli/output.h"

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <iostream>

namespace athanor::cli {
namespace {

// Width on a terminal: UTF-8 continuation bytes take no column.
std::size_t columns(const std::string& text)
{
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool looksNumeric(const std::string& text)
{
    return text.find_first_not_of("0123456789.-+e:%") == std::string::npos || text == "nan" || text == "inf" || text == "-inf";
}

} // namespace

void printJson(const Json& document)
{
    // Names of files and columns may hold bytes that are no UTF-8: replaced, so that the document stays valid.
    std::cout << document.dump(1, ' ', false, Json::error_handler_t::replace) << std::endl;
}

Json errorJson(const Error& error)
{
    return {{"message", error.message}, {"where", error.where}, {"hint", error.hint}};
}

int fail(const Common& common, const Error& error)
{
    if (!error.details.empty())
        spdlog::debug("{}", error.details);
    spdlog::error("error: {}", error.text());
    if (common.json)
        printJson({{"error", errorJson(error)}});
    return kImpossible;
}

std::string problemLine(const Problem& problem)
{
    std::string line = std::string(severityName(problem.severity)) + ": ";
    if (!problem.where.empty())
        line += problem.where + ": ";
    line += problem.message;
    if (!problem.hint.empty())
        line += " (" + problem.hint + ")";
    return printable(line);
}

std::string printable(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        // The second half of Latin-1's control characters takes two bytes in UTF-8.
        const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
        if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else if (c < 0x20 || c == 0x7f)
            out += fmt::format("\\x{:02x}", c);
        else if (c == 0xc2 && next >= 0x80 && next < 0xa0)
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[++i]));
        else
            out += text[i];
    }
    return out;
}

Json problemsJson(const std::vector<Problem>& problems)
{
    Json out = Json::array();
    for (const Problem& problem : problems)
        out.push_back(problemJson(problem));
    return out;
}

Result<LoadedProject> loadWithNotes(const ProjectArguments& arguments)
{
    Result<LoadedProject> loaded = loadProject(arguments.file);
    if (!loaded)
        return loaded;
    for (const std::string& setting : arguments.settings) {
        const auto equals = setting.find('='); // there is one: the command line was checked
        const Status status =
            setProjectValue(loaded->project, setting.substr(0, equals), setting.substr(equals + 1));
        if (!status)
            return status.error();
    }
    return loaded;
}

Result<Project> loadProjectWith(const ProjectArguments& arguments)
{
    Result<LoadedProject> loaded = loadWithNotes(arguments);
    if (!loaded)
        return loaded.error();
    for (const Problem& note : loaded->notes)
        spdlog::warn("{}", problemLine(note));
    return std::move(loaded->project);
}

std::string isoTime(std::int64_t wallMilliseconds)
{
    const std::time_t seconds = wallMilliseconds / 1000;
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

std::string durationText(double seconds)
{
    if (!(seconds >= 0))
        return "?";
    const auto whole = static_cast<long long>(std::llround(seconds));
    char text[32];
    if (seconds < 9.95)
        std::snprintf(text, sizeof text, "%.1f s", seconds);
    else if (whole < 60)
        std::snprintf(text, sizeof text, "%lld s", whole);
    else if (whole < 3600)
        std::snprintf(text, sizeof text, "%lld:%02lld", whole / 60, whole % 60);
    else
        std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60, whole % 60);
    return text;
}

std::string numberText(double value)
{
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value > 0 ? "inf" : "-inf";
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

void TextTable::add(std::vector<std::string> row)
{
    for (std::string& cell : row)
        cell = printable(cell);
    m_rows.push_back(std::move(row));
}

std::string TextTable::text() const
{
    std::vector<std::size_t> widths;
    for (const auto& row : m_rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], columns(row[i]));
    }
    std::string out;
    for (const auto& row : m_rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string pad(widths[i] - columns(row[i]), ' ');
            const bool right = &row != &m_rows.front() && looksNumeric(row[i]);
            line += (i ? "  " : "") + (right ? pad + row[i] : row[i] + pad);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    }
    return out;
}

} // namespace athanor::cli
