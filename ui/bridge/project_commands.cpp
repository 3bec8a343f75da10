#include "ui/bridge/project_commands.h"

#include "engine/graph/groups.h"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace athanor {
namespace {

bool moveTheSame(const edit::Move& first, const edit::Move& second)
{
    return std::equal(first.to.begin(), first.to.end(), second.to.begin(), second.to.end(),
                      [](const auto& a, const auto& b) { return a.first == b.first; });
}

/// The only edit inside of a group that an edit consists of; nullptr for any other.
const edit::InDefinition* onlyInside(const GraphEdit& edit)
{
    const auto* in = std::get_if<edit::InDefinition>(&edit.what);
    return in && in->edits.size() == 1 ? in : nullptr;
}

/// Two edits in a row as one: the later alone where it overwrites the first, else a sequence.
GraphEdit joined(const GraphEdit& first, const GraphEdit& second)
{
    const auto* move = std::get_if<edit::Move>(&first.what);
    const auto* nextMove = std::get_if<edit::Move>(&second.what);
    if (move && nextMove && moveTheSame(*move, *nextMove)) {
        return second;
    }
    const auto* a = std::get_if<edit::SetParameter>(&first.what);
    const auto* b = std::get_if<edit::SetParameter>(&second.what);
    if (a && b && a->id == b->id && a->name == b->name) {
        return second;
    }
    const auto* in = onlyInside(first);
    const auto* nextIn = onlyInside(second);
    if (in && nextIn && in->definition == nextIn->definition) {
        return GraphEdit{edit::InDefinition{in->definition, {joined(in->edits.front(), nextIn->edits.front())}}};
    }
    return GraphEdit{edit::Sequence{{first, second}}};
}

} // namespace

edit::Sequence parameterChanges(const Graph& before, const Graph& after)
{
    edit::Sequence edits;
    forEachNode(after, [&](const std::string& definition, const Node& node) {
        const Graph* level = definition.empty() ? &before : before.definition(definition);
        const Node* old = level ? level->find(node.id) : nullptr;
        if (!old || old->params == node.params) {
            return;
        }
        const auto add = [&](const std::string& name, std::optional<Json> value) {
            edits.edits.push_back(editInside(definition, {edit::SetParameter{node.id, name, std::move(value)}}));
        };
        for (const auto& [name, value] : node.params.items()) {
            if (!old->params.contains(name) || old->params.at(name) != value) {
                add(name, value);
            }
        }
        for (const auto& [name, value] : old->params.items()) {
            if (!node.params.contains(name)) {
                add(name, std::nullopt);
            }
        }
    });
    return edits;
}

bool changesNothing(const GraphEdit& edit, const GraphEdit& inverse)
{
    if (const auto* set = std::get_if<edit::SetParameter>(&edit.what)) {
        const auto* back = std::get_if<edit::SetParameter>(&inverse.what);
        return back && back->value == set->value;
    }
    if (const auto* move = std::get_if<edit::Move>(&edit.what)) {
        const auto* back = std::get_if<edit::Move>(&inverse.what);
        return back && back->to == move->to;
    }
    if (const auto* rename = std::get_if<edit::Rename>(&edit.what)) {
        return rename->from == rename->to;
    }
    if (const auto *in = onlyInside(edit), *back = onlyInside(inverse); in && back) {
        return changesNothing(in->edits.front(), back->edits.front());
    }
    return false;
}

GraphCommand::GraphCommand(ProjectDocument& document, GraphPart part, GraphEdit edit, GraphChange applied,
                           const QString& text, MergeTag tag)
    : QUndoCommand(text), m_document(document), m_part(part), m_edit(std::move(edit)), m_inverse(applied.inverse),
      m_applied(std::move(applied)), m_tag(std::move(tag))
{
}

void GraphCommand::undo()
{
    run(m_inverse, m_edit);
}

void GraphCommand::redo()
{
    if (m_applied) {
        const GraphChange applied = std::move(*m_applied);
        m_applied.reset();
        m_document.announce(m_part, m_edit, applied);
        return;
    }
    run(m_edit, m_inverse);
}

void GraphCommand::run(const GraphEdit& edit, GraphEdit& inverse)
{
    m_document.endMerge();
    Result<GraphChange> change = apply(m_document.mutableGraph(m_part), edit);
    if (!change) {
        // The graph is as it was when the edit was made, so this is a fault of an inverse, not of the user.
        spdlog::error("undo step cannot be applied: {}", change.error().text());
        setObsolete(true);
        return;
    }
    inverse = change->inverse;
    m_document.announce(m_part, edit, *change);
}

bool GraphCommand::mergeWith(const QUndoCommand* other)
{
    const auto* next = static_cast<const GraphCommand*>(other); // same id()
    if (!m_tag.joins(next->m_tag) || next->m_part != m_part) {
        return false;
    }
    m_edit = joined(m_edit, next->m_edit);
    m_inverse = joined(next->m_inverse, m_inverse);
    setObsolete(changesNothing(m_edit, m_inverse));
    return true;
}

ValueCommand::ValueCommand(ProjectDocument& document, SpecState before, SpecState after, const QString& text,
                           MergeTag tag)
    : QUndoCommand(text), m_document(document), m_before(std::move(before)), m_after(std::move(after)),
      m_tag(std::move(tag))
{
}

void ValueCommand::undo()
{
    m_document.endMerge();
    assign(m_before);
}

void ValueCommand::redo()
{
    if (!m_first) {
        m_document.endMerge();
    }
    m_first = false;
    assign(m_after);
}

void ValueCommand::assign(const SpecState& state)
{
    m_document.m_project.name = state.name;
    m_document.m_project.training = state.training;
    m_document.announceTraining();
}

bool ValueCommand::mergeWith(const QUndoCommand* other)
{
    const auto* next = static_cast<const ValueCommand*>(other); // same id()
    if (!m_tag.joins(next->m_tag)) {
        return false;
    }
    m_after = next->m_after;
    setObsolete(m_before == m_after);
    return true;
}

} // namespace athanor
