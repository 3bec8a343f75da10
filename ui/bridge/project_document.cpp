#include "ui/bridge/project_document.h"

#include "ui/bridge/graph_placement.h"
#include "ui/bridge/project_checker.h"
#include "ui/bridge/project_commands.h"

#include <QFileInfo>

namespace athanor {
namespace {

constexpr int kCheckDelayMilliseconds = 150;

edit::Move missingMoves(const Graph& graph)
{
    edit::Move move;
    for (const auto& [id, position] : missingPositions(graph)) {
        move.to[id] = position;
    }
    return move;
}

void placeMissing(Graph& graph)
{
    // Only existing nodes are named, so it cannot be refused; were it, the canvas would place them itself.
    (void)apply(graph, GraphEdit{missingMoves(graph)});
    std::vector<GraphEdit> inside;
    for (const GroupDefinition& definition : graph.definitions()) {
        inside.push_back(editInside(definition.name, GraphEdit{missingMoves(definition.graph)}));
    }
    (void)apply(graph, GraphEdit{edit::Sequence{std::move(inside)}});
}

/// Nodes that only one of two graphs has, or that differ in them.
std::set<std::string> differences(const Graph& before, const Graph& after)
{
    std::set<std::string> ids;
    const auto place = [](const Graph& graph, const NodeId& id) {
        const auto position = graph.positions().find(id);
        return position == graph.positions().end() ? std::nullopt : std::optional(position->second);
    };
    for (const auto& [one, other] : {std::pair(&before, &after), std::pair(&after, &before)}) {
        for (const Node& node : one->nodes()) {
            const Node* twin = other->find(node.id);
            if (!twin || !(*twin == node) || place(*one, node.id) != place(*other, node.id)) {
                ids.insert(node.id);
            }
        }
    }
    return ids;
}

/// Tells of every rename of a node inside a definition (empty: in the graph itself) by an edit that was applied.
template <typename Report>
void forEachRename(const GraphEdit& edit, const std::string& definition, const Report& report)
{
    const auto all = [&](const std::vector<GraphEdit>& parts, const std::string& wanted) {
        for (const GraphEdit& part : parts) {
            forEachRename(part, wanted, report);
        }
    };
    if (const auto* rename = std::get_if<edit::Rename>(&edit.what); rename && definition.empty()) {
        report(*rename);
    } else if (const auto* sequence = std::get_if<edit::Sequence>(&edit.what)) {
        all(sequence->edits, definition);
    } else if (const auto* in = std::get_if<edit::InDefinition>(&edit.what); in && in->definition == definition) {
        all(in->edits, {});
    }
}

} // namespace

ProjectDocument::ProjectDocument(QObject* parent) : QObject(parent)
{
    m_checker = std::make_unique<Checker>(
        std::chrono::milliseconds(kCheckDelayMilliseconds), [this] { return m_project; },
        [this](ProjectCheck check) {
            m_check = std::move(check);
            renewShown();
            Q_EMIT checked();
        });
    connect(&m_undo, &QUndoStack::cleanChanged, this, [this](bool clean) { Q_EMIT modifiedChanged(!clean); });
}

ProjectDocument::~ProjectDocument()
{
    // The stack's destructor clears it and would report a change of the clean state from a dying object.
    m_undo.disconnect(this);
}

const Graph& ProjectDocument::graph(GraphPart part) const
{
    return part == GraphPart::Network && !m_place.path.empty() ? m_shown : wholeGraph(part);
}

const Graph& ProjectDocument::wholeGraph(GraphPart part) const
{
    return part == GraphPart::Data ? m_project.data : m_project.network;
}

Graph& ProjectDocument::mutableGraph(GraphPart part)
{
    return part == GraphPart::Data ? m_project.data : m_project.network;
}

QString ProjectDocument::filePath() const
{
    return QString::fromStdString(m_project.file.string());
}

QString ProjectDocument::displayName() const
{
    if (!m_project.name.empty()) {
        return QString::fromStdString(m_project.name);
    }
    return m_project.file.empty() ? tr("Untitled") : QFileInfo(filePath()).completeBaseName();
}

Status ProjectDocument::load(const QString& file)
{
    Result<LoadedProject> read = loadProject(file.toStdString());
    if (!read) {
        return read.error();
    }
    adopt(std::move(read->project), std::move(read->notes));
    return Done{};
}

void ProjectDocument::setProject(Project project)
{
    adopt(std::move(project), {});
}

void ProjectDocument::adopt(Project project, std::vector<Problem> notes)
{
    placeMissing(project.data);
    placeMissing(project.network);
    m_project = std::move(project);
    m_notes = std::move(notes);
    m_open = true;
    m_check = {};
    m_place = {};
    renewShown();
    endMerge();
    m_undo.clear();
    m_undo.setClean();
    m_checker->request();
    Q_EMIT loaded();
}

/// Relative paths start from the project's file: saved in another folder they are spelled anew, as one undo step.
/// False when nothing had to change.
bool ProjectDocument::keepPaths(const QString& file)
{
    const Project moved = relocated(m_project, file.toStdString());
    if (moved.folder() == m_project.folder()) {
        return false;
    }
    const edit::Sequence ofData = parameterChanges(m_project.data, moved.data);
    const edit::Sequence ofNetwork = parameterChanges(m_project.network, moved.network);
    const bool movesWeights = moved.training.weights != m_project.training.weights;
    if (ofData.edits.empty() && ofNetwork.edits.empty() && !movesWeights) {
        return false;
    }
    const QString text = tr("Keep the paths of the data");
    endMerge();
    m_undo.beginMacro(text);
    // Values that are there get another spelling: none of this can be refused.
    if (!ofData.edits.empty()) {
        (void)push(GraphPart::Data, GraphEdit{ofData}, text);
    }
    if (!ofNetwork.edits.empty()) {
        (void)pushWhole(GraphPart::Network, GraphEdit{ofNetwork}, text);
    }
    if (movesWeights) {
        (void)setValue(QStringLiteral("training.weights"), moved.training.weights, text);
    }
    m_undo.endMacro();
    return true;
}

Status ProjectDocument::save(const QString& file)
{
    const bool respelled = keepPaths(file);
    const Status written = saveProject(m_project, file.toStdString());
    if (!written) {
        if (respelled) {
            m_undo.undo();
        }
        return written;
    }
    const bool moved = m_project.file != std::filesystem::path(file.toStdString());
    m_project.file = file.toStdString();
    endMerge();
    m_undo.setClean();
    if (moved) {
        m_checker->request(); // relative paths start elsewhere now
    }
    return Done{};
}

Status ProjectDocument::push(GraphPart part, const GraphEdit& edit, const QString& text, const QString& mergeKey)
{
    const bool inside = part == GraphPart::Network && !m_place.path.empty();
    return pushWhole(part, inside ? editInside(m_place.definition, edit) : edit, text, mergeKey);
}

Status ProjectDocument::pushWhole(GraphPart part, const GraphEdit& edit, const QString& text, const QString& mergeKey)
{
    Result<GraphChange> change = apply(mutableGraph(part), edit);
    if (!change) {
        return change.error();
    }
    if (changesNothing(edit, change->inverse)) {
        return Done{};
    }
    m_undo.push(new GraphCommand(*this, part, edit, *change, text, {mergeKey, m_mergeSession}));
    return Done{};
}

Status ProjectDocument::setValue(const QString& path, const Json& value, const QString& text, const QString& mergeKey)
{
    if (path != "name" && !path.startsWith("training")) {
        return Error{ErrorCode::InvalidArgument, "Only the name and the training part are set by path.",
                     path.toStdString(), "Graphs are changed by edits."};
    }
    Project changed = m_project;
    const Status set = setProjectValue(changed, path.toStdString(), value.dump());
    if (!set) {
        return set;
    }
    const SpecState before{m_project.name, m_project.training};
    const SpecState after{changed.name, changed.training};
    if (before == after) {
        return Done{};
    }
    m_undo.push(new ValueCommand(*this, before, after, text, {mergeKey, m_mergeSession}));
    return Done{};
}

void ProjectDocument::endMerge()
{
    ++m_mergeSession;
}

bool ProjectDocument::isChecking() const
{
    return m_checker->isBusy();
}

void ProjectDocument::setCheckFunction(CheckFunction function)
{
    m_checker->setFunction(std::move(function));
}

void ProjectDocument::announce(GraphPart part, const GraphEdit& edit, const GraphChange& change)
{
    if (change.semantic) {
        m_checker->request();
    }
    const bool inside = part == GraphPart::Network && !m_place.path.empty();
    const std::string definition = inside ? m_place.definition : std::string();
    const GroupPath before = m_place.path;
    std::set<std::string> touched = change.touched;
    const Graph shownBefore = std::move(m_shown);
    renewShown();
    if (inside) {
        touched = differences(shownBefore, m_shown);
    }
    if (m_place.path != before) { // the group that was open is gone
        Q_EMIT placeChanged();
        return;
    }
    forEachRename(edit, definition, [&](const edit::Rename& rename) { Q_EMIT nodeRenamed(part, rename.from, rename.to); });
    Q_EMIT graphChanged(part, touched, change.semantic);
}

/// Follows the place after a change of the network or a new check.
void ProjectDocument::renewShown()
{
    m_place = placeAt(m_project.network, m_place.path);
    m_shownNodes.clear();
    if (m_place.path.empty()) {
        m_shown = {};
        return;
    }
    m_shown = insideOf(m_project.network, m_place.definition);
    for (const Node& node : m_shown.nodes()) {
        if (const auto known = m_check.network.nodes.find(m_place.prefix + node.id); known != m_check.network.nodes.end()) {
            m_shownNodes[node.id] = known->second;
        }
    }
}

bool ProjectDocument::openGroup(const NodeId& instance, std::int64_t copy)
{
    GroupPath path = m_place.path;
    path.push_back({instance, copy});
    if (placeAt(m_project.network, path).path.size() < path.size()) {
        return false;
    }
    showPlace(path);
    return true;
}

void ProjectDocument::showPlace(const GroupPath& path)
{
    const GroupPath before = m_place.path;
    m_place.path = path;
    renewShown();
    if (m_place.path != before) {
        endMerge();
        Q_EMIT placeChanged();
    }
}

std::optional<std::pair<NodeId, std::string>> ProjectDocument::reveal(GraphPart part, const std::string& where)
{
    const std::string prefix = part == GraphPart::Data ? "data/" : "network/";
    if (!where.starts_with(prefix)) {
        return std::nullopt;
    }
    const auto placed = findPlaced(wholeGraph(part), where.substr(prefix.size()));
    if (!placed) {
        return std::nullopt;
    }
    if (part == GraphPart::Network) {
        showPlace(placed->path);
    }
    return std::pair{placed->node, placed->detail};
}

const std::map<NodeId, NodeCheck>& ProjectDocument::shownNodes() const
{
    return m_place.path.empty() ? m_check.network.nodes : m_shownNodes;
}

std::vector<Problem> ProjectDocument::shownProblems() const
{
    if (m_place.path.empty()) {
        return m_check.problems;
    }
    static const std::string kNetwork = "network/";
    std::vector<Problem> problems;
    for (const Problem& problem : m_check.problems) {
        if (!problem.where.starts_with(kNetwork)) {
            problems.push_back(problem);
        } else if (problem.where.starts_with(kNetwork + m_place.prefix)) {
            problems.push_back(problem);
            problems.back().where = kNetwork + problem.where.substr(kNetwork.size() + m_place.prefix.size());
        }
    }
    return problems;
}

void ProjectDocument::announceTraining()
{
    m_checker->request();
    Q_EMIT trainingChanged();
}

void Selection::select(GraphPart part, std::set<std::string> nodes)
{
    if (part == m_part && nodes == m_nodes) {
        return;
    }
    m_part = part;
    m_nodes = std::move(nodes);
    Q_EMIT changed();
}

void Selection::follow(const ProjectDocument& document)
{
    if (m_document == &document) {
        return;
    }
    m_document = &document;
    connect(&document, &ProjectDocument::loaded, this, &Selection::clear);
    connect(&document, &ProjectDocument::placeChanged, this, &Selection::clear);
    connect(&document, &ProjectDocument::nodeRenamed, this, &Selection::rename);
    connect(&document, &ProjectDocument::graphChanged, this, &Selection::dropRemoved);
}

void Selection::rename(GraphPart part, const std::string& from, const std::string& to)
{
    if (part == m_part && m_nodes.contains(from)) {
        std::set<std::string> nodes = m_nodes;
        nodes.erase(from);
        nodes.insert(to);
        select(part, std::move(nodes));
    }
}

void Selection::dropRemoved(GraphPart part, const std::set<std::string>& touched)
{
    if (part != m_part) {
        return;
    }
    std::set<std::string> nodes = m_nodes;
    for (const std::string& id : touched) {
        if (nodes.contains(id) && !m_document->graph(part).find(id)) {
            nodes.erase(id);
        }
    }
    select(part, std::move(nodes));
}

} // namespace athanor
