// What a person does with groups and shared weights on a canvas.
#include "ui/graph/canvas_editor.h"

#include "engine/graph/group_edit.h"
#include "engine/graph/groups.h"
#include "ui/bridge/graph_placement.h"
#include "ui/graph/node_text.h"

namespace athanor {
namespace {

constexpr double kSharedGap = 36; ///< between a node and the one that shares its weights, canvas units

QString named(const std::string& name)
{
    return QString::fromStdString(name);
}

} // namespace

bool CanvasEditor::push(const Result<GroupEdit>& made, const QString& text)
{
    if (!made) {
        Q_EMIT refused(refusalText(made.error()));
        return false;
    }
    const Status done = m_document.pushWhole(m_part, made->edit, text);
    if (!done) {
        Q_EMIT refused(refusalText(done.error()));
        return false;
    }
    m_selection.select(m_part, made->nodes);
    return true;
}

const std::string& CanvasEditor::inside() const
{
    return m_document.place().definition;
}

bool CanvasEditor::canOpen(const NodeId& id) const
{
    const Node* node = graph().find(id);
    if (node && isShared(*node)) {
        node = graph().find(ownerOf(*node));
    }
    return m_part == GraphPart::Network && node && isGroup(*node) && graph().definition(definitionOf(*node));
}

void CanvasEditor::open(const NodeId& group)
{
    m_document.openGroup(group);
}

void CanvasEditor::leave()
{
    GroupPath path = m_document.place().path;
    if (!path.empty()) {
        path.pop_back();
        m_document.showPlace(path);
    }
}

bool CanvasEditor::makeGroup(const std::set<NodeId>& nodes)
{
    const Graph& whole = m_document.wholeGraph(m_part);
    const std::string name = freeDefinitionName(whole, "Block");
    const auto count = static_cast<int>(nodes.size());
    return push(athanor::makeGroup(whole, inside(), nodes, name),
                count == 1 ? tr("Make a group of %1").arg(named(*nodes.begin()))
                           : tr("Make a group of %1 nodes").arg(count));
}

bool CanvasEditor::ungroup(const NodeId& instance)
{
    return push(athanor::ungroup(m_document.wholeGraph(m_part), inside(), instance),
                tr("Ungroup %1").arg(named(instance)));
}

bool CanvasEditor::detachGroup(const NodeId& instance)
{
    return push(athanor::detachGroup(m_document.wholeGraph(m_part), inside(), instance),
                tr("Detach %1 from its group").arg(named(instance)));
}

bool CanvasEditor::repeatGroup(const NodeId& instance, int times)
{
    const std::optional<Json> value = times == 1 ? std::nullopt : std::optional(Json(times));
    return push(GraphEdit{edit::SetParameter{instance, "repeat", value}},
                tr("Repeat %1 %2 times").arg(named(instance)).arg(times));
}

bool CanvasEditor::placeGroup(const std::string& definition, const QPointF& centre)
{
    return push(
        athanor::placeGroup(m_document.wholeGraph(m_part), inside(), definition, freePlace(cornerOf(centre))),
        tr("Add %1").arg(named(definition)));
}

bool CanvasEditor::placeAgain(const NodeId& instance)
{
    const Node* node = graph().find(instance);
    const auto position = graph().positions().find(instance);
    if (!node || position == graph().positions().end()) {
        return false;
    }
    const QPointF below(position->second.x + kNodeSize.width / 2,
                        position->second.y + kNodeSize.height * 1.5 + kSharedGap);
    return placeGroup(definitionOf(*node), below);
}

bool CanvasEditor::placeFromLibrary(const LibraryGroup& group, const QPointF& centre)
{
    const Graph& whole = m_document.wholeGraph(m_part);
    const ImportedDefinitions imported = importDefinitions(whole, group.definitions);
    Graph with = whole;
    (void)apply(with, imported.edit); // made for this graph
    Result<GroupEdit> placed =
        athanor::placeGroup(with, inside(), imported.names.at(group.name), freePlace(cornerOf(centre)));
    if (placed) {
        placed->edit = GraphEdit{edit::Sequence{{imported.edit, placed->edit}}};
    }
    return push(placed, tr("Add %1 from the library").arg(named(group.name)));
}

bool CanvasEditor::renameGroup(const NodeId& instance, const std::string& name)
{
    const Node* node = graph().find(instance);
    if (!node) {
        return false;
    }
    const std::string from = definitionOf(*node);
    return push(GraphEdit{edit::RenameDefinition{from, name}},
                tr("Rename the group %1 to %2").arg(named(from), named(name)));
}

bool CanvasEditor::shareWeights(const NodeId& of)
{
    const Node* node = graph().find(of);
    if (!node) {
        return false;
    }
    const NodeId owner = isShared(*node) ? ownerOf(*node) : of;
    std::string stem = owner;
    stem += "_shared";
    const NodeId id = graph().find(stem) ? freeNodeId(graph(), stem) : stem;
    edit::AddNode add{Node{id, kSharedKind, {{"of", owner}}, Json::object()}, std::nullopt, std::nullopt};
    if (const auto position = graph().positions().find(of); position != graph().positions().end()) {
        add.position = freePlace({position->second.x, position->second.y + kNodeSize.height + kSharedGap});
    }
    if (!push(GraphEdit{std::move(add)}, tr("Use the weights of %1 again").arg(named(owner)))) {
        return false;
    }
    m_selection.select(m_part, {id});
    return true;
}

} // namespace athanor
