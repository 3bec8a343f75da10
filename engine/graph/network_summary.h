// Any thread (pure functions). A network layer by layer as a table, in the manner of torchinfo.
#pragma once

#include "engine/graph/graph_check.h"
#include "engine/graph/receptive_field.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace athanor {

struct SummaryRow {
    NodeId node; ///< members of groups by their flat names
    std::string kind;
    std::string input;  ///< "N×1×28×28", several joined by ", "; "?" where not known
    std::string output; ///< empty for a loss
    std::int64_t parameters = 0;
    std::int64_t macs = 0; ///< per sample
    std::optional<ReceptiveField> field;
    std::optional<std::int64_t> bytes; ///< kept for the backward pass, the whole batch
    [[nodiscard]] std::string fieldText() const { return field ? field->text() : std::string("–"); }
};

struct NetworkSummary {
    std::int64_t batch = 1;
    std::vector<SummaryRow> rows; ///< in the order of computation
    std::int64_t parameters = 0;
    std::int64_t macs = 0;  ///< per sample
    std::int64_t bytes = 0; ///< kept for the backward pass, the whole batch
    [[nodiscard]] std::int64_t parameterBytes() const { return 4 * parameters; } ///< fp32
};

/// `check` is checkNetwork's of this network; `batch` at least 1.
NetworkSummary summarize(const Graph& network, const GraphCheck& check, std::int64_t batch);

/// Columns padded to the widest cell, totals below.
std::string summaryText(const NetworkSummary& summary);
/// The same as a Markdown table.
std::string summaryMarkdown(const NetworkSummary& summary);
/// {"batch", "layers": [{"node", "kind", "input", "output", "parameters", "macs", "receptive_field", "memory"}],
/// "parameters", "macs", "memory", "parameter_memory"}; memory in bytes, what is not known is null;
/// "receptive_field" is a list with {"size", "jump", "start"}, or "all", for each axis of the input.
Json summaryJson(const NetworkSummary& summary);

/// 1,234,567.
std::string groupedNumber(std::int64_t number);
/// Three significant digits and a binary unit: 1.21 MiB.
std::string bytesText(std::int64_t bytes);

} // namespace athanor
