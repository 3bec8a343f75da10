// Any thread, for as long as it takes to read the points. A comparison, or one run, as a document.
#pragma once

#include "engine/compare/comparison.h"
#include "engine/compare/step_map.h"

#include <filesystem>
#include <string>
#include <vector>

namespace athanor {

struct ReportOptions {
    std::string title;               ///< empty: made of the runs' names
    std::vector<std::string> series; ///< charts; empty: those of loss, metrics and the learning rate
    CurveAxis axis = CurveAxis::Step;
};

/// One HTML document that needs no other file and no network, and shows light or dark as the reader's browser
/// does: runs, what differs, the networks, charts, findings.
Result<std::string> reportHtml(const RunStore& store, const Comparison& comparison,
                               const ReportOptions& options = {});

/// The same written to a file, at once or not at all.
Status writeReport(const std::filesystem::path& file, const RunStore& store, const Comparison& comparison,
                   const ReportOptions& options = {});

} // namespace athanor
