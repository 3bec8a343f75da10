// GUI thread. A suggested fix, applied to the open project.
#pragma once

#include "engine/diagnose/finding.h"

namespace athanor {

class ProjectDocument;

/// Applies all of the fix's PATH=VALUE edits as one undo step, or none of them: an unknown path or a value of
/// a wrong type is an error.
Status applyFix(ProjectDocument& document, const SuggestedFix& fix);

} // namespace athanor
