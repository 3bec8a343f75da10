// Any thread (pure function). What the network asks of the data.
#pragma once

#include "engine/graph/graph_check.h"
#include "engine/project/project.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace athanor {

/// A loss that compares with a field directly.
struct TargetUse {
    NodeId loss;
    std::string kind;
    std::int64_t classes =
        0;                 ///< that the network's output tells apart; 0: not a loss of classes, or not known
    bool weighted = false; ///< has a weight per class
};

struct NetworkView {
    std::set<std::string> inputs;             ///< fields that enter layers
    std::map<std::string, TargetUse> targets; ///< fields that losses compare with; may be an input too
    std::set<std::string> normalized;         ///< inputs that meet a normalizing layer first
    std::vector<NodeId> batchNorms;
    std::vector<NodeId> needTwo; ///< of these: those that see one value per sample and channel
};

/// `fields` are those that the data yield. A network that is not whole is looked at as far as it goes.
NetworkView viewNetwork(const Project& project, const FieldTypes& fields);

} // namespace athanor
