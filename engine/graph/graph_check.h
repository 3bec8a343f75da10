// Any thread. Everything that can be said of a graph without running it.
#pragma once

#include "engine/graph/graph.h"
#include "engine/graph/node_catalog.h"
#include "engine/graph/suggested_fix.h"

namespace athanor {

enum class Severity { Info, Warning, Error };
std::string_view severityName(Severity severity); ///< "info", "warning", "error"

/// A thing wrong with a project (contract: Problem).
struct Problem {
    std::string where; ///< network/conv1/kernel_size, data/split, training/optimizer/lr
    Severity severity = Severity::Error;
    std::string message;
    std::string hint;
    std::vector<SuggestedFix> fixes = {}; ///< certain cures, the best first; see suggestFixes()
    bool operator==(const Problem&) const = default;
};
Json problemJson(const Problem& problem);

struct NodeCheck {
    std::vector<std::optional<TensorType>> outputs; ///< per output port of the kind
    Json params = Json::object();                   ///< complete: defaults and inferred values filled in
    std::int64_t parameters = 0;
    std::int64_t macs = 0;
};

struct GraphCheck {
    std::vector<Problem> problems; ///< all of them, in topological order of their nodes
    /// Members of groups by their flat names (`block1/conv`), and the instances themselves (`block1`) with the sums
    /// of their members.
    std::map<NodeId, NodeCheck> nodes;
    std::int64_t parameters = 0;   ///< sum, trainable
    std::int64_t macs = 0;         ///< sum, per sample
    [[nodiscard]] bool ok() const; ///< no problem of severity Error
};

/// Types of the fields that the data yields: "image" → N×1×28×28. A field that is missing here is unknown
/// (the data could not be read), which is not a problem of the network unless `fieldsKnown`.
struct FieldTypes {
    std::map<std::string, TensorType> fields;
    bool known = false; ///< true: a field that is not in `fields` does not exist
};

/// Checks a network: unknown kind or parameter (with the nearest name), value of a wrong type or out of
/// range, missing input, port taken twice, unknown port, cycle, shape mismatches, wrong element type, no
/// loss, loss without target, nodes that reach no loss (warning), extent ≤ 0. Inference goes on past an
/// error wherever the following shapes can still be known.
/// What comes out of a node that computes a program (Script, ScriptModule) is known only with `typer`.
GraphCheck checkNetwork(const Graph& network, const FieldTypes& fields, const ScriptTyper& typer = {});

/// Checks a data graph's structure and parameters (not the files): at least one source, exactly one
/// Loader, every node on the way to it, the parts told apart once, transforms in a sensible order.
GraphCheck checkData(const Graph& data);

} // namespace athanor
