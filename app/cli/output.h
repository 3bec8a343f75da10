// Main thread. How athanor-cli prints: one JSON document on stdout, or text for a person; errors to stderr.
#pragma once

#include "app/cli/commands.h"
#include "engine/base/json.h"
#include "engine/graph/graph_check.h"
#include "engine/project/project.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace athanor::cli {

/// The one document of --json.
void printJson(const Json& document);

Json errorJson(const Error& error);

/// Reports that something could not be done (as JSON too when asked for) and gives the exit status.
int fail(const Common& common, const Error& error);

/// One line a problem: "error: network/conv1/stride: … (hint)".
std::string problemLine(const Problem& problem);
Json problemsJson(const std::vector<Problem>& problems);

/// Text of a file or a run as it may stand on a terminal: control characters as \n, \x1b.
std::string printable(std::string_view text);

/// Loads a project and applies --set.
Result<LoadedProject> loadWithNotes(const ProjectArguments& arguments);
/// The same for who does not show the notes: they go to the log.
Result<Project> loadProjectWith(const ProjectArguments& arguments);

std::string isoTime(std::int64_t wallMilliseconds); ///< 2026-01-31T12:00:00Z
std::string durationText(double seconds);           ///< 7 s, 3:05, 1:02:03
std::string numberText(double value);               ///< 4 significant digits, nan, inf

/// Columns of text, numbers right-aligned, padded to the widest cell.
class TextTable {
public:
    explicit TextTable(std::vector<std::string> header) { m_rows.push_back(std::move(header)); }
    void add(std::vector<std::string> row);
    [[nodiscard]] std::string text() const;

private:
    std::vector<std::vector<std::string>> m_rows;
};

} // namespace athanor::cli
