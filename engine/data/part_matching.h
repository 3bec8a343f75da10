// Session thread. Sources that meet in a Parts node must mean the same by their fields and classes.
#pragma once

#include "engine/data/dataset.h"

namespace athanor {

struct NamedDataset {
    Dataset* dataset;
    std::string source; ///< id of its node
};

/// Holds the fields and columns of all sources against the first one's, and numbers named classes alike in
/// all of them: the classes of all parts together, sorted.
Status matchParts(const std::vector<NamedDataset>& parts);

} // namespace athanor
