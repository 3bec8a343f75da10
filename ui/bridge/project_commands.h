// GUI thread. The undo commands of a ProjectDocument.
#pragma once

#include "ui/bridge/project_document.h"

#include <QUndoCommand>

namespace athanor {

/// Commands with the same (not empty) key in the same session become one undo step.
struct MergeTag {
    QString key;
    std::uint64_t session = 0;
    [[nodiscard]] bool joins(const MergeTag& other) const
    {
        return !key.isEmpty() && key == other.key && session == other.session;
    }
};

/// The edits that make the parameters of one graph those of another with the same nodes.
edit::Sequence parameterChanges(const Graph& before, const Graph& after);

/// True when an edit, seen beside its inverse, left everything as it was.
bool changesNothing(const GraphEdit& edit, const GraphEdit& inverse);

/// An edit of one graph with its inverse. Made after the edit was applied, so the first redo() only tells.
class GraphCommand : public QUndoCommand {
public:
    GraphCommand(ProjectDocument& document, GraphPart part, GraphEdit edit, GraphChange applied, const QString& text,
                 MergeTag tag);
    void undo() override;
    void redo() override;
    [[nodiscard]] int id() const override { return 1; }
    bool mergeWith(const QUndoCommand* other) override;

private:
    void run(const GraphEdit& edit, GraphEdit& inverse);
    ProjectDocument& m_document;
    GraphPart m_part;
    GraphEdit m_edit;
    GraphEdit m_inverse;
    std::optional<GraphChange> m_applied; ///< set until the first redo()
    MergeTag m_tag;
};

/// What a ValueCommand can change.
struct SpecState {
    std::string name;
    TrainSpec training;
    bool operator==(const SpecState&) const = default;
};

/// A change of the training part or the name.
class ValueCommand : public QUndoCommand {
public:
    ValueCommand(ProjectDocument& document, SpecState before, SpecState after, const QString& text, MergeTag tag);
    void undo() override;
    void redo() override;
    [[nodiscard]] int id() const override { return 2; }
    bool mergeWith(const QUndoCommand* other) override;

private:
    void assign(const SpecState& state);
    ProjectDocument& m_document;
    SpecState m_before;
    SpecState m_after;
    MergeTag m_tag;
    bool m_first = true; ///< until the first redo(): the merge session goes on
};

} // namespace athanor
