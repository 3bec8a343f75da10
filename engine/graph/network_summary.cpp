#include "engine/graph/network_summary.h"

#include "engine/graph/activation_memory.h"
#include "engine/graph/flat_graph.h"
#include "engine/graph/node_index.h"
#include "engine/graph/shape_rules.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>

namespace athanor {
namespace {

using Cells = std::vector<std::string>;

const char* const kHeader[] = {"Layer (kind)", "Input", "Output", "Parameters", "MACs", "Receptive field", "Memory"};

std::string shapeText(const std::optional<TensorType>& type)
{
    return type ? type->text() : std::string("?");
}

std::optional<TensorType> typeAt(const NodeIndex& nodes, const GraphCheck& check, const PortRef& from)
{
    const auto found = check.nodes.find(from.node);
    const Node* node = nodes.find(from.node);
    if (found == check.nodes.end() || node == nullptr || found->second.outputs.empty())
        return std::nullopt;
    const NodeKind* kind = layerCatalog().find(node->kind);
    std::size_t port = 0;
    if (kind != nullptr && !from.port.empty())
        for (std::size_t i = 0; i < kind->outputs.size(); ++i)
            if (kind->outputs[i].name == from.port)
                port = i;
    return port < found->second.outputs.size() ? found->second.outputs[port] : std::nullopt;
}

std::string joined(const std::vector<std::string>& texts)
{
    std::string text;
    for (const std::string& one : texts)
        text += (text.empty() ? "" : ", ") + one;
    return text;
}

std::vector<Cells> cellsOf(const NetworkSummary& summary)
{
    std::vector<Cells> cells{Cells(std::begin(kHeader), std::end(kHeader))};
    for (const SummaryRow& row : summary.rows)
        cells.push_back({fmt::format("{} ({})", row.node, row.kind), row.input, row.output,
                         groupedNumber(row.parameters), groupedNumber(row.macs), row.fieldText(),
                         row.bytes ? bytesText(*row.bytes) : std::string("?")});
    return cells;
}

// Columns on a screen: UTF-8 continuation bytes take none.
std::size_t width(const std::string& text)
{
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t columns, bool right)
{
    const std::string space(columns - width(text), ' ');
    return right ? space + text : text + space;
}

Cells totals(const NetworkSummary& summary)
{
    return {fmt::format("Parameters: {} ({} in fp32)", groupedNumber(summary.parameters),
                        bytesText(summary.parameterBytes())),
            fmt::format("MACs: {} a sample, {} a batch of {}", groupedNumber(summary.macs),
                        groupedNumber(product({summary.macs, summary.batch})), groupedNumber(summary.batch)),
            fmt::format("Activations kept for the backward pass: {} at batch {}", bytesText(summary.bytes),
                        groupedNumber(summary.batch))};
}

Json fieldJson(const std::optional<ReceptiveField>& field)
{
    if (!field)
        return nullptr;
    Json axes = Json::array();
    for (const FieldAxis& axis : field->axes)
        axes.push_back(axis.whole ? Json("all")
                                  : Json({{"size", axis.size}, {"jump", axis.jump}, {"start", axis.start}}));
    return axes;
}

} // namespace

NetworkSummary summarize(const Graph& network, const GraphCheck& check, std::int64_t batch)
{
    NetworkSummary summary;
    summary.batch = batch;
    summary.parameters = check.parameters;
    summary.macs = check.macs;
    const Graph graph = hasGroups(network) ? flattened(network).graph : network;
    const NodeIndex nodes(graph);
    const auto fields = receptiveFields(graph, check);
    const ActivationMemory memory = activationMemory(graph, check);
    summary.bytes = product({memory.total, batch});
    std::map<NodeId, std::vector<std::string>> inputs;
    for (const Edge& edge : graph.edges())
        inputs[edge.to.node].push_back(shapeText(typeAt(nodes, check, edge.from)));
    for (const NodeId& id : graph.topologicalOrder()) {
        const auto found = check.nodes.find(id);
        if (found == check.nodes.end())
            continue;
        SummaryRow row;
        row.node = id;
        row.kind = nodes.find(id)->kind;
        row.input = joined(inputs[id]);
        std::vector<std::string> outputs;
        for (const auto& output : found->second.outputs)
            outputs.push_back(shapeText(output));
        row.output = joined(outputs);
        row.parameters = found->second.parameters;
        row.macs = found->second.macs;
        if (const auto field = fields.find(id); field != fields.end())
            row.field = field->second;
        if (const auto bytes = memory.bytes.find(id); bytes != memory.bytes.end())
            row.bytes = product({bytes->second, batch});
        else if (found->second.outputs.empty())
            row.bytes = 0;
        summary.rows.push_back(std::move(row));
    }
    return summary;
}

std::string summaryText(const NetworkSummary& summary)
{
    const std::vector<Cells> cells = cellsOf(summary);
    std::array<std::size_t, std::size(kHeader)> widths{};
    for (const Cells& row : cells)
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], width(row[i]));
    std::string text;
    for (const Cells& row : cells) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i)
            line += (i > 0 ? "  " : "") + padded(row[i], widths[i], i >= 3);
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    text += "\n";
    for (const std::string& line : totals(summary))
        text += line + "\n";
    return text;
}

std::string summaryMarkdown(const NetworkSummary& summary)
{
    std::string text;
    const std::vector<Cells> cells = cellsOf(summary);
    for (std::size_t row = 0; row < cells.size(); ++row) {
        for (const std::string& cell : cells[row])
            text += "| " + cell + " ";
        text += "|\n";
        if (row == 0)
            text += "|---|---|---|---:|---:|---:|---:|\n";
    }
    text += "\n";
    for (const std::string& line : totals(summary))
        text += "- " + line + "\n";
    return text;
}

Json summaryJson(const NetworkSummary& summary)
{
    Json layers = Json::array();
    for (const SummaryRow& row : summary.rows)
        layers.push_back({{"node", row.node},
                          {"kind", row.kind},
                          {"input", row.input},
                          {"output", row.output},
                          {"parameters", row.parameters},
                          {"macs", row.macs},
                          {"receptive_field", fieldJson(row.field)},
                          {"memory", row.bytes ? Json(*row.bytes) : Json()}});
    return {{"batch", summary.batch},           {"layers", std::move(layers)},
            {"parameters", summary.parameters}, {"macs", summary.macs},
            {"memory", summary.bytes},          {"parameter_memory", summary.parameterBytes()}};
}

std::string groupedNumber(std::int64_t number)
{
    std::string text = std::to_string(number);
    const std::ptrdiff_t first = number < 0 ? 1 : 0;
    for (auto i = static_cast<std::ptrdiff_t>(text.size()) - 3; i > first; i -= 3)
        text.insert(static_cast<std::size_t>(i), 1, ',');
    return text;
}

std::string bytesText(std::int64_t bytes)
{
    constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 999.5 && unit + 1 < kUnits.size()) {
        value /= 1024;
        ++unit;
    }
    if (unit == 0)
        return fmt::format("{} B", bytes);
    return fmt::format("{:.{}f} {}", value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, kUnits[unit]);
}

} // namespace athanor
