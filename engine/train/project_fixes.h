// Not the GUI thread (fixes are tried out). Certain cures of a project's problems.
#pragma once

#include "engine/project/project.h"
#include "engine/train/training_session.h"

namespace athanor {

/// Adds fixes to the problems of `check`, which was made of `project` with these fields and this typer: changes
/// of a graph (see suggestFixes()), and PATH=VALUE for the training part. Each was tried.
void suggestProjectFixes(const Project& project, const FieldTypes& fields, const ScriptTyper& typer,
                         ProjectCheck& check);

} // namespace athanor
