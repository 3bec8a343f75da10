// Session thread. A branch's sources put together: side by side (Zip) or by a key column (Join).
#pragma once

#include "engine/data/data_plan.h"
#include "engine/data/sources/source.h"

namespace athanor {

/// Opens a branch's source, and for a Join or Zip all that runs into it. Relative paths start at `folder`.
/// A field whose name an earlier source has too is called `<id of its source>_<name>`. Errors are at the node
/// that they are about.
OpenedDataset openBranch(const PlanBranch& branch, const std::filesystem::path& folder);

} // namespace athanor
