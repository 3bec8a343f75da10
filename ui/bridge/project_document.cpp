#include "ui/bridge/project_document.h"

#include "ui/bridge/graph_placement.h"
#include "ui/bridge/project_checker.h"
#include "ui/bridge/project_commands.h"

#include <QFileInfo>

namespace athanor {
namespace {

constexpr int kCheckDelayMilliseconds = 150;

void placeMissing(Graph& graph)
{
    edit::Move move;
    for (const auto& [id, position] : missingPositions(graph)) {
        move.to[id] = position;
    }
    if (!move.to.empty()) {
        // Only existing nodes are named, so it cannot be refused; were it, the canvas would place them itself.
        (void)apply(graph, GraphEdit{move});
    }
}

/// Tells of every rename inside an edit that was applied.
template <typename Report>
void forEachRename(const GraphEdit& edit, const Report& report)
{
    if (const auto* rename = std::get_if<edit::Rename>(&edit.what)) {
        report(*rename);
    } else if (const auto* sequence = std::get_if<edit::Sequence>(&edit.what)) {
        for (const GraphEdit& part : sequence->edits) {
            forEachRename(part, report);
        }
    }
}

} // namespace

ProjectDocument::ProjectDocument(QObject* parent) : QObject(parent)
{
    m_checker = std::make_unique<Checker>(
        std::chrono::milliseconds(kCheckDelayMilliseconds), [this] { return m_project; },
        [this](ProjectCheck check) {
            m_check = std::move(check);
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
    endMerge();
    m_undo.clear();
    m_undo.setClean();
    m_checker->request();
    Q_EMIT loaded();
}

Status ProjectDocument::save(const QString& file)
{
    const Status written = saveProject(m_project, file.toStdString());
    if (!written) {
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
    forEachRename(edit, [&](const edit::Rename& rename) { Q_EMIT nodeRenamed(part, rename.from, rename.to); });
    Q_EMIT graphChanged(part, change.touched, change.semantic);
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
