// GUI thread. Keeps a project's relative paths pointing to the same files when it is saved in another folder.
#pragma once

#include <QString>

namespace athanor {

class ProjectDocument;

/// Rewrites the relative paths of the data graph for a project file in `folder`, as one undo step: relative
/// again when the file lies in that folder, absolute otherwise. False when nothing had to change.
bool relocatePaths(ProjectDocument& document, const QString& folder);

} // namespace athanor
