#include "ui/graph/canvas_editor.h"

#include "engine/graph/resolved_kind.h"
#include "ui/bridge/graph_placement.h"
#include "ui/graph/canvas_mime.h"
#include "ui/graph/node_text.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMimeData>

#include <cmath>
#include <deque>

namespace athanor {
namespace {

constexpr double kGrid = 4;
constexpr double kGap = 96;  ///< between a node and the one behind it
constexpr double kRowGap = 32;
constexpr double kCopyOffset = 24;

double snapped(double value)
{
    return std::round(value / kGrid) * kGrid;
}

bool overlaps(const Position& a, const Position& b)
{
    return std::abs(a.x - b.x) < kNodeSize.width && std::abs(a.y - b.y) < kNodeSize.height;
}

QString nameOf(const NodeId& id)
{
    return QString::fromStdString(id);
}

/// Everything that data from `start` flows to, `start` left out.
std::set<NodeId> downstream(const Graph& graph, const NodeId& start)
{
    std::multimap<NodeId, NodeId> next;
    for (const Edge& edge : graph.edges()) {
        next.emplace(edge.from.node, edge.to.node);
    }
    std::set<NodeId> reached;
    std::deque<NodeId> open{start};
    while (!open.empty()) {
        const auto [first, last] = next.equal_range(open.front());
        open.pop_front();
        for (auto follower = first; follower != last; ++follower) {
            if (follower->second != start && reached.insert(follower->second).second) {
                open.push_back(follower->second);
            }
        }
    }
    return reached;
}

ClipPart clipPart(GraphPart part)
{
    return part == GraphPart::Data ? ClipPart::Data : ClipPart::Network;
}

} // namespace

Position cornerOf(const QPointF& centre)
{
    return {snapped(centre.x() - kNodeSize.width / 2), snapped(centre.y() - kNodeSize.height / 2)};
}

QString refusalText(const Error& error)
{
    QString text = QString::fromStdString(error.message);
    if (!error.hint.empty()) {
        text += QStringLiteral("; ") + QString::fromStdString(error.hint);
    }
    return text;
}

CanvasEditor::CanvasEditor(ProjectDocument& document, Selection& selection, GraphPart part)
    : m_document(document), m_selection(selection), m_part(part)
{
}

GraphContext CanvasEditor::context() const
{
    return {graph(), catalogOf(m_part)};
}

std::optional<TensorType> CanvasEditor::typeOf(const PortRef& output) const
{
    const auto& nodes = m_document.shownNodes();
    const auto known = nodes.find(output.node);
    const Node* node = graph().find(output.node);
    if (m_part != GraphPart::Network || known == nodes.end() || !node) {
        return std::nullopt;
    }
    const int index = outputIndex(resolveKind(graph(), *node, catalogOf(m_part)).get(), output.port);
    const bool there = index >= 0 && static_cast<std::size_t>(index) < known->second.outputs.size();
    return there ? known->second.outputs[static_cast<std::size_t>(index)] : std::nullopt;
}

bool CanvasEditor::push(const GraphEdit& edit, const QString& text)
{
    const Status done = m_document.push(m_part, edit, text);
    if (!done) {
        Q_EMIT refused(refusalText(done.error()));
    }
    return done.ok();
}

bool CanvasEditor::push(const Result<GraphEdit>& edit, const QString& text)
{
    if (!edit) {
        Q_EMIT refused(refusalText(edit.error()));
        return false;
    }
    return push(*edit, text);
}

std::optional<NodeId> CanvasEditor::pushNew(const NodeKind& kind, const NodeId& id, const Result<GraphEdit>& edit)
{
    if (!push(edit, tr("Add %1 %2").arg(QString::fromStdString(kind.kind), nameOf(id)))) {
        return std::nullopt;
    }
    m_selection.select(m_part, {id});
    Q_EMIT kindUsed(QString::fromStdString(kind.kind));
    return id;
}

edit::AddNode CanvasEditor::newNode(const NodeKind& kind, const Position& place) const
{
    Node node;
    node.id = newNodeName(graph(), kind);
    node.kind = kind.kind;
    node.params = newNodeParams(kind);
    return {std::move(node), place, std::nullopt};
}

Position CanvasEditor::freePlace(Position wish) const
{
    const auto taken = [&] {
        return std::any_of(graph().positions().begin(), graph().positions().end(),
                           [&](const auto& other) { return overlaps(other.second, wish); });
    };
    while (taken()) {
        wish.y += kNodeSize.height + kRowGap;
    }
    return wish;
}

std::optional<NodeId> CanvasEditor::add(const NodeKind& kind, const QPointF& centre)
{
    const edit::AddNode added = newNode(kind, freePlace(cornerOf(centre)));
    return pushNew(kind, added.node.id, GraphEdit{added});
}

/// Moves what stands at `place` or behind it, and gets its data from `behind`, along the flow.
void CanvasEditor::makeRoom(edit::Sequence& sequence, const NodeId& behind, const Position& place,
                            LayoutDirection flow) const
{
    const bool sideways = flow == LayoutDirection::LeftToRight;
    const double step = sideways ? kNodeSize.width + kGap : kNodeSize.height + kGap;
    edit::Move move;
    bool inTheWay = false;
    for (const NodeId& id : downstream(graph(), behind)) {
        const auto position = graph().positions().find(id);
        if (position == graph().positions().end()) {
            continue;
        }
        const Position& at = position->second;
        inTheWay = inTheWay || overlaps(at, place);
        if (sideways ? at.x > place.x - kNodeSize.width : at.y > place.y - kNodeSize.height) {
            move.to[id] = sideways ? Position{at.x + step, at.y} : Position{at.x, at.y + step};
        }
    }
    if (inTheWay) {
        sequence.edits.push_back(GraphEdit{std::move(move)});
    }
}

std::optional<NodeId> CanvasEditor::addBehind(const NodeKind& kind, const NodeId& after, LayoutDirection flow)
{
    const auto position = graph().positions().find(after);
    if (position == graph().positions().end()) {
        return add(kind, {});
    }
    const bool sideways = flow == LayoutDirection::LeftToRight;
    Position place = position->second;
    (sideways ? place.x : place.y) += sideways ? kNodeSize.width + kGap : kNodeSize.height + kGap;
    edit::Sequence sequence;
    makeRoom(sequence, after, place, flow);
    if (sequence.edits.empty()) {
        place = freePlace(place); // something else stands there
    }
    const edit::AddNode added = newNode(kind, place);
    sequence.edits.push_back(addAfterEdit(context(), after, added));
    return pushNew(kind, added.node.id, GraphEdit{std::move(sequence)});
}

std::optional<NodeId> CanvasEditor::addIntoEdge(const NodeKind& kind, const Edge& edge, const QPointF& centre)
{
    const edit::AddNode added = newNode(kind, cornerOf(centre));
    return pushNew(kind, added.node.id, insertEdit(context(), edge, added.node.id, added));
}

std::optional<NodeId> CanvasEditor::addAtWire(const NodeKind& kind, const WireEnd& end, const QPointF& centre)
{
    const edit::AddNode added = newNode(kind, cornerOf(centre));
    Graph with = graph();
    edit::Sequence sequence{{GraphEdit{added}}};
    if (!apply(with, sequence.edits.front())) {
        return pushNew(kind, added.node.id, sequence.edits.front());
    }
    const GraphContext grown{with, catalogOf(m_part)};
    const auto other = end.isOutput ? bestInput(grown, added.node.id) : firstOutput(grown, added.node.id);
    if (other) {
        const Result<GraphEdit> wire =
            connectEdit(grown, end.isOutput ? Edge{end.port, *other} : Edge{*other, end.port});
        if (wire) {
            sequence.edits.push_back(*wire);
        }
    }
    return pushNew(kind, added.node.id, GraphEdit{std::move(sequence)});
}

bool CanvasEditor::connectPorts(const Edge& edge)
{
    return push(connectEdit(context(), edge), tr("Connect %1 to %2").arg(nameOf(edge.from.node), nameOf(edge.to.node)));
}

bool CanvasEditor::replug(const Edge& old, const Edge& edge)
{
    if (fullInput(context(), old.to) == fullInput(context(), edge.to) &&
        fullOutput(context(), old.from) == fullOutput(context(), edge.from)) {
        return true;
    }
    return push(replugEdit(context(), old, edge), tr("Connect %1 to %2").arg(nameOf(edge.from.node), nameOf(edge.to.node)));
}

bool CanvasEditor::disconnectEdge(const Edge& edge)
{
    return push(GraphEdit{edit::Disconnect{edge}},
                tr("Disconnect %1 from %2").arg(nameOf(edge.to.node), nameOf(edge.from.node)));
}

bool CanvasEditor::putIntoEdge(const NodeId& node, const Edge& edge, const Position& place)
{
    const Result<GraphEdit> inserted = insertEdit(context(), edge, node, std::nullopt);
    if (!inserted) {
        return push(inserted, {});
    }
    const edit::Move move{{{node, place}}};
    return push(GraphEdit{edit::Sequence{{GraphEdit{move}, *inserted}}},
                tr("Put %1 between %2 and %3").arg(nameOf(node), nameOf(edge.from.node), nameOf(edge.to.node)));
}

bool CanvasEditor::remove(const CanvasChoice& choice, Healing healing)
{
    if (choice.isEmpty()) {
        return false;
    }
    const std::vector<NodeId> nodes(choice.nodes.begin(), choice.nodes.end());
    GraphEdit edit = removeEdit(context(), nodes, choice.edges, healing);
    for (const std::string& name : choice.comments) {
        std::get<edit::Sequence>(edit.what).edits.push_back(GraphEdit{edit::SetComment{name, std::nullopt}});
    }
    const auto count = static_cast<int>(nodes.size());
    const QString text = count == 1              ? tr("Delete %1").arg(nameOf(nodes.front()))
                         : count > 1             ? tr("Delete %1 nodes").arg(count)
                         : !choice.edges.empty() ? tr("Delete a wire")
                                                 : tr("Delete a comment");
    return push(edit, text);
}

bool CanvasEditor::rename(const NodeId& from, const NodeId& to)
{
    return push(GraphEdit{edit::Rename{from, to}}, tr("Rename %1 to %2").arg(nameOf(from), nameOf(to)));
}

void CanvasEditor::copy(const CanvasChoice& choice) const
{
    if (choice.nodes.empty() && choice.comments.empty()) {
        return;
    }
    const std::string text = clipText(graph(), clipPart(m_part), {choice.nodes, choice.comments});
    auto* mime = new QMimeData;
    mime->setData(QString::fromLatin1(kGraphMime), QByteArray::fromStdString(text));
    mime->setText(QString::fromStdString(text));
    QGuiApplication::clipboard()->setMimeData(mime);
}

void CanvasEditor::cut(const CanvasChoice& choice)
{
    copy(choice);
    remove(choice, Healing::Join);
}

void CanvasEditor::paste(const QPointF& at)
{
    const QMimeData* mime = QGuiApplication::clipboard()->mimeData();
    const QString own = QString::fromLatin1(kGraphMime);
    const std::string text = mime && mime->hasFormat(own) ? mime->data(own).toStdString()
                             : mime                       ? mime->text().toStdString()
                                                          : std::string();
    const Result<Clip> clip = parseClip(text);
    if (!clip) {
        Q_EMIT refused(tr("There are no nodes on the clipboard."));
        return;
    }
    if (clip->part != clipPart(m_part)) {
        Q_EMIT refused(m_part == GraphPart::Data ? tr("These nodes belong on the network canvas.")
                                                 : tr("These nodes belong on the data canvas."));
        return;
    }
    const auto count = static_cast<int>(clip->graph.nodes().size());
    Position place{snapped(at.x()), snapped(at.y())};
    const auto isTaken = [&] {
        return std::any_of(graph().positions().begin(), graph().positions().end(),
                           [&](const auto& other) { return other.second == place; });
    };
    while (isTaken()) { // pasted here before
        place = {place.x + kCopyOffset, place.y + kCopyOffset};
    }
    pasteClip(*clip, place, count == 1 ? tr("Paste %1").arg(nameOf(clip->graph.nodes().front().id))
                                       : tr("Paste %1 nodes").arg(count));
}

void CanvasEditor::duplicate(const CanvasChoice& choice)
{
    if (choice.nodes.empty() && choice.comments.empty()) {
        return;
    }
    const Result<Clip> clip =
        parseClip(clipText(graph(), clipPart(m_part), {choice.nodes, choice.comments}));
    if (!clip) {
        Q_EMIT refused(refusalText(clip.error()));
        return;
    }
    Clip moved = *clip;
    edit::Move move;
    for (const auto& [id, position] : moved.graph.positions()) {
        move.to[id] = Position{position.x + kCopyOffset, position.y + kNodeSize.height + kRowGap};
    }
    (void)apply(moved.graph, GraphEdit{move}); // only nodes that are there
    for (auto [name, comment] : clip->graph.comments()) {
        comment.x += kCopyOffset;
        comment.y += kNodeSize.height + kRowGap;
        (void)apply(moved.graph, GraphEdit{edit::SetComment{name, comment}});
    }
    const auto count = static_cast<int>(choice.nodes.size());
    pasteClip(moved, std::nullopt, count == 1 ? tr("Duplicate %1").arg(nameOf(*choice.nodes.begin()))
                                              : tr("Duplicate %1 nodes").arg(count));
}

void CanvasEditor::pasteClip(const Clip& clip, const std::optional<Position>& at, const QString& text)
{
    const Paste paste = pasteEdit(graph(), clip, at);
    if (push(paste.edit, text)) {
        m_selection.select(m_part, paste.nodes);
        Q_EMIT commentsPasted(paste.comments);
    }
}

void CanvasEditor::pushMove(edit::Move move, const QString& text)
{
    for (auto& [id, position] : move.to) {
        position = Position{snapped(position->x), snapped(position->y)};
    }
    if (!move.to.empty()) {
        push(GraphEdit{std::move(move)}, text);
    }
}

void CanvasEditor::align(Alignment alignment)
{
    if (m_selection.part() == m_part) {
        pushMove(alignMove(graph(), m_selection.nodes(), alignment), tr("Align %1 nodes").arg(m_selection.nodes().size()));
    }
}

void CanvasEditor::distribute(Axis axis)
{
    if (m_selection.part() == m_part) {
        pushMove(distributeMove(graph(), m_selection.nodes(), axis), tr("Distribute %1 nodes").arg(m_selection.nodes().size()));
    }
}

bool CanvasEditor::place(const std::map<NodeId, Position>& nodes, const std::map<std::string, Comment>& comments)
{
    edit::Move move;
    for (const auto& [id, position] : nodes) {
        move.to[id] = position;
    }
    if (comments.empty()) {
        return move.to.empty() || push(GraphEdit{move}, nodes.size() == 1 ? tr("Move %1").arg(nameOf(nodes.begin()->first))
                                                                          : tr("Move %1 nodes").arg(nodes.size()));
    }
    edit::Sequence sequence;
    if (!move.to.empty()) {
        sequence.edits.push_back(GraphEdit{std::move(move)});
    }
    for (const auto& [name, comment] : comments) {
        sequence.edits.push_back(GraphEdit{edit::SetComment{name, comment}});
    }
    return push(GraphEdit{std::move(sequence)}, nodes.empty() ? tr("Move a comment") : tr("Move nodes and comments"));
}

std::optional<std::string> CanvasEditor::addComment(const QRectF& rect)
{
    std::string name;
    for (int number = 1; name.empty() || graph().comments().contains(name); ++number) {
        name = "note";
        name += std::to_string(number);
    }
    const Comment comment{{}, {}, snapped(rect.x()), snapped(rect.y()), snapped(rect.width()), snapped(rect.height())};
    return push(GraphEdit{edit::SetComment{name, comment}}, tr("Add a comment")) ? std::optional(name) : std::nullopt;
}

void CanvasEditor::setComment(const std::string& name, const Comment& comment, const QString& text)
{
    const auto old = graph().comments().find(name);
    if (old != graph().comments().end() && !(old->second == comment)) {
        push(GraphEdit{edit::SetComment{name, comment}}, text);
    }
}

} // namespace athanor
