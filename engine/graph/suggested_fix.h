// Any thread (plain data). A cure that can be applied at once, of a problem or of a finding.
#pragma once

#include "engine/graph/graph_edit.h"

#include <optional>
#include <string>
#include <vector>

namespace athanor {

/// A change of one of the project's two graphs.
struct PartEdit {
    std::string part; ///< "network" or "data"
    GraphEdit edit;
};

struct SuggestedFix {
    std::string text;                    ///< in the imperative: "Insert Flatten before fc1"
    std::vector<std::string> edit = {};  ///< PATH=VALUE as --set takes them
    std::optional<PartEdit> graph = {};  ///< or a change of a graph
    [[nodiscard]] bool canBeApplied() const { return graph.has_value() || !edit.empty(); }
};
/// True when both say and do the same.
bool operator==(const SuggestedFix& a, const SuggestedFix& b);

/// {"text", "edit"}: `edit` is a list of PATH=VALUE, or {"network": [edit, …]} with editJson's entries.
Json fixJson(const SuggestedFix& fix);

/// An edit as a list of single steps, each an object with one key: {"add": node}, {"remove": id},
/// {"connect": [from, to]}, {"disconnect": [from, to]}, {"set": [id, name, value]}, {"unset": [id, name]},
/// {"rename": [from, to]}, {"move": {id: [x, y]}}, and {"in": [group, [step, …]]} for steps inside of a group's
/// definition. Steps that no fix is made of are left out.
Json editJson(const GraphEdit& edit);

} // namespace athanor
