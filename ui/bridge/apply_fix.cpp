#include "ui/bridge/apply_fix.h"

#include "ui/bridge/project_commands.h"

namespace athanor {
namespace {

struct PathValue {
    std::string path;
    std::string value;
};

Result<PathValue> splitEdit(const std::string& text)
{
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
        return Error{ErrorCode::InvalidArgument, "A fix is written PATH=VALUE.", text, {}, {}};
    return PathValue{text.substr(0, equals), text.substr(equals + 1)};
}

/// The value as --set reads it: JSON, or a bare word taken as text.
Json valueOf(const std::string& text)
{
    Json value = Json::parse(text, nullptr, false);
    return value.is_discarded() ? Json(text) : value;
}

} // namespace

Status applyFix(ProjectDocument& document, const SuggestedFix& fix)
{
    if (fix.graph) {
        const GraphPart part = fix.graph->part == "data" ? GraphPart::Data : GraphPart::Network;
        document.endMerge();
        return document.pushWhole(part, fix.graph->edit, QString::fromStdString(fix.text));
    }
    Project changed = document.project();
    std::vector<PathValue> ofTraining;
    for (const std::string& text : fix.edit) {
        const Result<PathValue> edit = splitEdit(text);
        if (!edit)
            return edit.error();
        const Status set = setProjectValue(changed, edit->path, edit->value);
        if (!set)
            return set;
        if (!edit->path.starts_with("network.") && !edit->path.starts_with("data."))
            ofTraining.push_back(*edit);
    }
    // Everything fits: from here on nothing is refused, and the steps of the stack become one.
    const QString text = QString::fromStdString(fix.text);
    document.undoStack()->beginMacro(text);
    Status done = Done{};
    for (const PathValue& edit : ofTraining) {
        if (done)
            done = document.setValue(QString::fromStdString(edit.path), valueOf(edit.value), text);
    }
    for (const GraphPart part : {GraphPart::Data, GraphPart::Network}) {
        const Graph& after = part == GraphPart::Data ? changed.data : changed.network;
        edit::Sequence edits = parameterChanges(document.wholeGraph(part), after);
        if (done && !edits.edits.empty())
            done = document.pushWhole(part, {std::move(edits)}, text);
    }
    document.undoStack()->endMacro();
    return done;
}

} // namespace athanor
