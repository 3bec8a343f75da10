// Session thread. A data graph read from its Loader back to its sources: what to open and what to do, as
// plain data.
#pragma once

#include "engine/project/project.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace athanor {

/// A node with complete parameters.
struct PlanNode {
    NodeId id;
    std::string kind;
    Json params;

    [[nodiscard]] Error error(ErrorCode code, const std::string& parameter, std::string message,
                              std::string hint = {}) const;
};

/// A source and the transforms between it and the Parts node (or all up to the Split).
struct PlanBranch {
    PlanNode source;                ///< may be a Join or Zip
    std::vector<PlanBranch> joined; ///< what runs into a Join or Zip, in the order of the edges; no transforms
    std::vector<PlanNode> transforms;
};

struct DataPlan {
    std::array<std::optional<PlanBranch>, 3>
        branches; ///< per DataPart; with a Split, or neither, only the first
    std::optional<PlanNode> split;
    std::vector<PlanNode> transforms; ///< common to all parts
    PlanNode loader;
};

/// Fails with the first problem of checkData, if there is one.
Result<DataPlan> makeDataPlan(const Graph& data);

} // namespace athanor
