// Any thread, for as long as it takes. Runs as CSV and JSON files, both ways.
#pragma once

#include "engine/exchange/event_folder.h"

#include <filesystem>
#include <string>

namespace athanor {

/// "series,step,value": one line per stored point, each value as the shortest text that reads back exactly; nan, inf, -inf.
Status exportRunCsv(const RunStore& store, RunId run, const std::filesystem::path& file);
/// {"athanor_run": 1, "name", "project", "project_text", "status", "started_ms", "seconds", "steps", "epochs", "tags", "note",
/// "failure", "environment", "series": [{"name", "unit", "role", "steps", "values"}], "events": […]}: all but the checkpoints.
Status exportRunJson(const RunStore& store, RunId run, const std::filesystem::path& file);

/// A file that one of the two wrote, or a table of other origin with a column `step` and one for each series ("step,loss,
/// accuracy"; empty cells are no points), as a new run that is named as the file. Errors name the line.
Result<ImportReport> importRunFile(const std::filesystem::path& store, const std::filesystem::path& file);

} // namespace athanor
