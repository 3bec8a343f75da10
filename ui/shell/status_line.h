// GUI thread. The window's status bar: project, device, progress of the run, findings, background work.
#pragma once

#include <QStatusBar>

class QLabel;
class QProgressBar;
class QToolButton;

namespace athanor {

class FindingsModel;
class ProjectDocument;
class SessionBridge;
class TaskList;
class Theme;

class StatusLine : public QStatusBar {
    Q_OBJECT
public:
    /// References outlive the status line.
    StatusLine(Theme& theme, ProjectDocument& document, SessionBridge& bridge, FindingsModel& findings,
               TaskList& tasks, QWidget* parent = nullptr);

    void setThreads(int threads); ///< 0: not known yet

Q_SIGNALS:
    void findingsRequested(); ///< the findings were clicked
    void tasksRequested();    ///< the bar of background work was clicked

private:
    QLabel* addField(const char* objectName, const QString& toolTip);
    void updateProject();
    void updateRun();
    void updateFindings();
    void updateTasks();

    Theme& m_theme;
    ProjectDocument& m_document;
    SessionBridge& m_bridge;
    FindingsModel& m_findingsModel;
    TaskList& m_taskList;
    int m_threads = 0;
    bool m_showsRun = false; ///< the last run is one of the open project

    QLabel* m_project = nullptr;
    QLabel* m_device = nullptr;
    QLabel* m_state = nullptr;
    QLabel* m_progress = nullptr;
    QLabel* m_timeLeft = nullptr;
    QLabel* m_speed = nullptr;
    QLabel* m_overhead = nullptr;
    QToolButton* m_findings = nullptr;
    QToolButton* m_tasks = nullptr;
    QProgressBar* m_taskBar = nullptr;
};

} // namespace athanor
