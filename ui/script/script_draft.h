// Any thread (values). What the script editor edits, and what is known around it.
#pragma once

#include "engine/graph/resolved_kind.h"

#include <QString>

#include <map>
#include <optional>
#include <string>

namespace athanor {

/// A script node while it is being edited.
struct ScriptDraft {
    std::string kind = "Script";  ///< Script, ScriptLoss; Lambda, Collate
    Json params = Json::object(); ///< as they are to be written: source, parameters, constants, outputs, …
    bool operator==(const ScriptDraft&) const = default;
};

/// Whether the script works on data: it has a source only, no tensors or constants of its own.
bool isOfData(const ScriptDraft& draft);

/// What enters the node in its network, by port; nullopt: something enters, its type is not known.
using ScriptInputs = std::map<std::string, std::optional<TensorType>>;

/// The draft's kind with its own ports (a Script that does the same, for data), and what is known of them: what reportScript() takes.
struct ResolvedDraft {
    KindPtr kind;
    ShapeContext context;
};
/// A port that nothing enters counts as connected with something unknown, unless it may stay open.
ResolvedDraft resolveDraft(const ScriptDraft& draft, const ScriptInputs& inputs);

/// Initialisers as people write them: `normal(std=0.02)` ↔ {"kind": "normal", "std": 0.02}, `zeros` ↔ "zeros", "" ↔
/// null. A text that cannot be read comes back as it is, for the check to complain about.
QString initText(const Json& init);
Json initFromText(const QString& text);

/// Shapes as people write them: `16, x.size(1)` ↔ [16, "x.size(1)"].
QString shapeText(const Json& shape);
Json shapeFromText(const QString& text);

} // namespace athanor
