// GUI thread. The open project with its undo stack; every change of it goes through here.
#pragma once

#include "engine/graph/graph_edit.h"
#include "engine/project/project.h"
#include "engine/train/training_session.h"
#include "ui/bridge/group_place.h"

#include <QObject>
#include <QString>
#include <QUndoStack>

#include <functional>
#include <memory>
#include <set>

namespace athanor {

enum class GraphPart { Data, Network };

/// Makes a check; called on the document's worker thread. Gives up early (any answer) once `cancelled()` is true.
using CheckFunction = std::function<ProjectCheck(const Project& project, const std::function<bool()>& cancelled)>;

class ProjectDocument : public QObject {
    Q_OBJECT
public:
    explicit ProjectDocument(QObject* parent = nullptr);
    ~ProjectDocument() override;

    [[nodiscard]] const Project& project() const { return m_project; }
    /// What the canvas of a part shows: the graph, or the inside of the group that is open, which is a graph like
    /// any other and knows all definitions. push() works on the same.
    [[nodiscard]] const Graph& graph(GraphPart part) const;
    /// The whole graph, whatever is open.
    [[nodiscard]] const Graph& wholeGraph(GraphPart part) const;

    /// The group of the network that is open. All views follow it.
    [[nodiscard]] const GroupPlace& place() const { return m_place; }
    /// Opens a group inside of what is shown; false when the node is none.
    bool openGroup(const NodeId& instance, std::int64_t copy = 0);
    /// Goes to a place; as far as it is there.
    void showPlace(const GroupPath& path);
    /// Opens the groups around the node that a place such as `network/block1/conv/kernel_size` speaks of. Answers
    /// the node's name on the canvas of `part`, and what follows it; nothing when it is of no node of this part.
    std::optional<std::pair<NodeId, std::string>> reveal(GraphPart part, const std::string& where);
    [[nodiscard]] bool isOpen() const { return m_open; } ///< false before the first load
    [[nodiscard]] QString filePath() const;              ///< empty: never saved
    [[nodiscard]] QString displayName() const;
    [[nodiscard]] bool isModified() const { return !m_undo.isClean(); }
    QUndoStack* undoStack() { return &m_undo; }

    /// Replaces the project by the file's; on an error everything stays as it was. Nodes without a position
    /// get one, which does not make the document modified.
    Status load(const QString& file);
    /// Writes the project and remembers `file` as its home; the undo stack is clean then. In another folder than
    /// before, relative paths (of data, and of the weights to start from) are spelled anew as an undo step, so that
    /// they lead to the same files.
    Status save(const QString& file);
    /// What loading had to say: unknown keys that are kept, a migrated version.
    [[nodiscard]] const std::vector<Problem>& notes() const { return m_notes; }
    /// A project that is no file yet (tests, "from my data").
    void setProject(Project project);

    /// Applies an edit as one undo step. Edits with the same `mergeKey` (not empty) in a row become one
    /// step, until endMerge().
    Status push(GraphPart part, const GraphEdit& edit, const QString& text, const QString& mergeKey = {});
    /// The same with an edit of wholeGraph().
    Status pushWhole(GraphPart part, const GraphEdit& edit, const QString& text, const QString& mergeKey = {});
    /// Sets training.* or name by path (see setProjectValue), as one undo step.
    Status setValue(const QString& path, const Json& value, const QString& text, const QString& mergeKey = {});
    void endMerge();

    /// The newest check; made on a worker thread 150 ms after the last change, results that come late are dropped.
    [[nodiscard]] const ProjectCheck& check() const { return m_check; }
    /// What check() says of the network as graph() shows it: by the names and places of the group that is open.
    [[nodiscard]] const std::map<NodeId, NodeCheck>& shownNodes() const;
    [[nodiscard]] std::vector<Problem> shownProblems() const; ///< of the network, the data and the training
    [[nodiscard]] bool isChecking() const;
    /// Another way to check than checkProject() (tests); applies from the next check on.
    void setCheckFunction(CheckFunction function);

Q_SIGNALS:
    void loaded(); ///< another project is here
    void nodeRenamed(athanor::GraphPart part, const std::string& from, const std::string& to); ///< before graphChanged
    void graphChanged(athanor::GraphPart part, const std::set<std::string>& touched, bool semantic);
    void trainingChanged();
    void modifiedChanged(bool modified);
    void checked();      ///< check() is new
    void placeChanged(); ///< another group is open: graph() of the network is another one

private:
    friend class GraphCommand;
    friend class ValueCommand;
    class Checker;
    Graph& mutableGraph(GraphPart part);
    void announce(GraphPart part, const GraphEdit& edit, const GraphChange& change);
    void announceTraining();
    bool keepPaths(const QString& file);
    void adopt(Project project, std::vector<Problem> notes);
    void renewShown();

    Project m_project;
    std::vector<Problem> m_notes;
    bool m_open = false;
    QUndoStack m_undo;
    std::uint64_t m_mergeSession = 0; ///< edits merge only within one session
    GroupPlace m_place;
    Graph m_shown;                            ///< the inside of the open group, while one is open
    std::map<NodeId, NodeCheck> m_shownNodes; ///< the same of the check
    ProjectCheck m_check;
    std::unique_ptr<Checker> m_checker;
};

/// What is selected, shared by all views: select a node anywhere and every view shows it.
class Selection : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    [[nodiscard]] GraphPart part() const { return m_part; }
    [[nodiscard]] const std::set<std::string>& nodes() const { return m_nodes; }
    void select(GraphPart part, std::set<std::string> nodes);
    void clear() { select(m_part, {}); }
    /// Keeps up with a document: renamed nodes stay selected, removed ones leave, loading clears. May be
    /// called by every view that shares the selection; the document outlives it or goes with it.
    void follow(const ProjectDocument& document);

Q_SIGNALS:
    void changed();

private:
    void rename(athanor::GraphPart part, const std::string& from, const std::string& to);
    void dropRemoved(athanor::GraphPart part, const std::set<std::string>& touched);
    const ProjectDocument* m_document = nullptr;
    GraphPart m_part = GraphPart::Network;
    std::set<std::string> m_nodes;
};

} // namespace athanor
