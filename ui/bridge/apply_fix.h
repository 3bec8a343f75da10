// GUI thread. A suggested fix, applied to the open project.
#pragma once

#include "engine/base/result.h"
#include "engine/graph/suggested_fix.h"

namespace athanor {

class ProjectDocument;

/// Applies the fix as one undo step with its text for a name: its change of a graph, or all of its PATH=VALUE
/// edits or none of them. An unknown path, a value of a wrong type, or a graph that has changed too much since the
/// fix was found is an error.
Status applyFix(ProjectDocument& document, const SuggestedFix& fix);

} // namespace athanor
