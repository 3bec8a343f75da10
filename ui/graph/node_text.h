// Any thread (pure functions). What the canvas and the inspector say of nodes, shapes and numbers.
#pragma once

#include "engine/graph/graph_check.h"
#include "ui/bridge/project_document.h"
#include "ui/theme/theme.h"

#include <QString>

namespace athanor {

/// The catalog that a graph's kinds are looked up in.
const NodeCatalog& catalogOf(GraphPart part);

/// Samples in a batch, as the data graph's Loader has it; 32, its default, when it does not say.
std::int64_t batchSizeOf(const Graph& data);

/// "data" or "network", as paths of problems begin.
std::string_view partName(GraphPart part);

/// The colour of a family's edge on the canvas.
ColorRole familyRole(NodeFamily family);

/// The icon of a family in resources/icons, tinted with its colour by whoever draws it.
QString familyIcon(NodeFamily family);

/// The parameters that tell one node from another of its kind, shortest form: "3×3, 32, pad 1". Written
/// values only; empty when everything is standard.
QString keyParameters(const NodeKind* kind, const Node& node);

/// "Conv2d  3×3, 32, pad 1".
QString kindLine(const NodeKind* kind, const Node& node);

/// A sample's shape for the canvas: "32×28×28", "10 classes" for class indices, empty when nothing is known.
QString edgeShapeText(const std::optional<TensorType>& type);

/// The whole type for lists and tooltips: "N×32×28×28", "N (class index, 10 classes)", "unknown".
QString typeText(const std::optional<TensorType>& type);

/// Index of an output port by name; the first for an empty name, -1 for one that the kind does not have.
int outputIndex(const NodeKind* kind, const std::string& port);

/// Three significant digits with a decimal prefix: 7312384 → "7.31 M".
QString shortCountText(std::int64_t count);

} // namespace athanor
