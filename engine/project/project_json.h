// Any thread. Inside engine/project: a whole project to and from the file's JSON.
#pragma once

#include "engine/project/project.h"

namespace athanor {

/// Reads a document of the current version.
Result<LoadedProject> projectFromJson(const Json& document);
Json projectJson(const Project& project);

} // namespace athanor
