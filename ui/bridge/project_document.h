// GUI thread. The open project with its undo stack; every change of it goes through here.
#pragma once

#include "engine/graph/graph_edit.h"
#include "engine/project/project.h"
#include "engine/train/training_session.h"

#include <QObject>
#include <QString>
#include <QUndoStack>

#include <memory>
#include <set>

namespace athanor {

enum class GraphPart { Data, Network };

class ProjectDocument : public QObject {
    Q_OBJECT
public:
    explicit ProjectDocument(QObject* parent = nullptr);
    ~ProjectDocument() override;

    [[nodiscard]] const Project& project() const { return m_project; }
    [[nodiscard]] const Graph& graph(GraphPart part) const;
    [[nodiscard]] bool isOpen() const { return m_open; } ///< false before the first load
    [[nodiscard]] QString filePath() const;              ///< empty: never saved
    [[nodiscard]] QString displayName() const;
    [[nodiscard]] bool isModified() const { return !m_undo.isClean(); }
    QUndoStack* undoStack() { return &m_undo; }

    /// Replaces the project by the file's; on an error everything stays as it was.
    Status load(const QString& file);
    Status save(const QString& file);
    /// A project that is no file yet (tests, "from my data").
    void setProject(Project project);

    /// Applies an edit as one undo step. Edits with the same `mergeKey` (not empty) in a row become one
    /// step, until endMerge().
    Status push(GraphPart part, const GraphEdit& edit, const QString& text, const QString& mergeKey = {});
    /// Sets training.* or name by path (see setProjectValue), as one undo step.
    Status setValue(const QString& path, const Json& value, const QString& text, const QString& mergeKey = {});
    void endMerge();

    /// The newest check; made on a worker thread 150 ms after the last change, results that come late are dropped.
    [[nodiscard]] const ProjectCheck& check() const { return m_check; }
    [[nodiscard]] bool isChecking() const;

Q_SIGNALS:
    void loaded(); ///< another project is here
    void graphChanged(athanor::GraphPart part, const std::set<std::string>& touched, bool semantic);
    void trainingChanged();
    void modifiedChanged(bool modified);
    void checked(); ///< check() is new

private:
    friend class GraphCommand;
    friend class ValueCommand;
    struct Checker;
    Project m_project;
    bool m_open = false;
    QUndoStack m_undo;
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

Q_SIGNALS:
    void changed();

private:
    GraphPart m_part = GraphPart::Network;
    std::set<std::string> m_nodes;
};

} // namespace athanor
