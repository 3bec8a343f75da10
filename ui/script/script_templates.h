// Any thread (values). Drafts to start from, and the help beside the editor.
#pragma once

#include "ui/script/script_draft.h"

#include <vector>

namespace athanor {

struct ScriptTemplate {
    QString title;
    ScriptDraft draft;
};

/// Layers for a Script, losses for a ScriptLoss, steps of data for a Lambda and a Collate; each is right as it stands for the inputs that its title names.
std::vector<ScriptTemplate> scriptTemplates(const std::string& kind);

/// Markdown: what a source may say.
QString scriptHelp(const std::string& kind);

} // namespace athanor
