// GUI thread. The window: mode bar, pages, docks, menus, status line; wires the parts, which do not know each other.
#pragma once

#include "engine/train/session.h"
#include "ui/bridge/findings_model.h"
#include "ui/bridge/log_model.h"
#include "ui/bridge/project_document.h"
#include "ui/bridge/run_list_model.h"
#include "ui/bridge/session_bridge.h"
#include "ui/bridge/task_list.h"
#include "ui/graph/group_store.h"
#include "ui/shell/data_check.h"
#include "ui/shell/environment.h"
#include "ui/shell/mode.h"
#include "ui/shell/node_activity.h"

#include <QMainWindow>

#include <filesystem>
#include <memory>
#include <vector>

class QActionGroup;
class QMenu;
class QStackedWidget;
class QTabWidget;

namespace athanor {

class BuildView;
class CommandPalette;
class DiagnosePage;
class DockLayouts;
class FindingsPanel;
class InspectorPanel;
class MetricsBoard;
class NodePalette;
class NoticeBar;
class PictureExport;
class PreviewPanel;
class ProjectFlow;
class RunsPage;
class Settings;
class StatusLine;
class Theme;
class TrainingControls;
class WelcomePage;

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    /// What the window is given from outside; tests give their own.
    struct Setup {
        SessionFactory sessions;
        std::filesystem::path storeFile;
        QString samplesFolder; ///< empty: no samples
    };
    /// `theme` and `settings` outlive the window.
    MainWindow(Theme& theme, Settings& settings, Setup setup);
    ~MainWindow() override;

    void openProject(const QString& file); ///< asks about unsaved changes first
    void startRun();                       ///< trains a copy of the open project
    [[nodiscard]] Mode mode() const { return m_mode; }
    void setMode(Mode mode);
    /// Shows the place a link speaks of: `network/conv1/kernel_size`, `training/optimizer/lr`, a series' name.
    void goTo(const QString& where);
    void openPalette();

    [[nodiscard]] ProjectDocument& document() { return m_document; }
    [[nodiscard]] SessionBridge& bridge() { return m_bridge; }
    [[nodiscard]] Selection& selection() { return m_selection; }
    [[nodiscard]] RunListModel& runs() { return m_runs; }
    [[nodiscard]] FindingsModel& findings() { return m_findings; }
    [[nodiscard]] TaskList& tasks() { return m_tasks; }
    [[nodiscard]] LogModel& log() { return m_log; }
    [[nodiscard]] BuildView* buildView() const { return m_buildView; }
    [[nodiscard]] MetricsBoard* board() const { return m_board; }
    [[nodiscard]] RunsPage* runsPage() const { return m_runsPage; }

protected:
    void closeEvent(QCloseEvent* event) override;

private:
    // main_window.cpp
    void makePages();
    void makeDocks();
    void askBeforeClosing();
    void showNode(GraphPart part, const NodeId& id);
    void showSeries(const QString& series);
    void openRun(RunId run);
    void applyFixOf(const SuggestedFix& fix);
    void goToFinding(int row);
    void updateTitle();
    void updateCanStart();
    enum BottomTab { FindingsTab, LogTab, TasksTab, PreviewTab, SummaryTab };
    void showBottomTab(BottomTab tab);
    void checkData();
    void showDataCheck(const ProjectCheck& check);
    // main_window_wiring.cpp
    void wireDocument();
    void wireRun();
    void wireFindings();
    void wireTasks();
    // main_window_menus.cpp
    void makeModeActions();
    void makeMenus();
    void makeFileMenu();
    void makeEditMenu();
    void makeViewMenu();
    void makeRunMenu();
    void makeHelpMenu();
    QMenu* makeThemeMenu();
    void makeModeBar();
    void makePictureActions(QMenu* menu);
    void fillRecentMenu();
    void fillEditMenu();
    void showHelp(int page);

    Theme& m_theme;
    Settings& m_settings;
    QString m_samplesFolder;

    // The models outlive the widgets that show them, which are deleted in the destructor's body.
    ProjectDocument m_document;
    Selection m_selection;
    SessionBridge m_bridge;
    FindingsModel m_findings;
    LogModel m_log;
    TaskList m_tasks;
    RunListModel m_runs;
    Environment m_environment;
    DataCheck m_dataCheck;
    NodeActivity m_activity;
    GroupStore m_groups{GroupStore::userFolder()};
    TaskId m_checkTask = 0;
    TaskId m_readTask = 0;

    ProjectFlow* m_flow = nullptr;
    NoticeBar* m_notice = nullptr;
    PictureExport* m_pictures = nullptr;
    QStackedWidget* m_pages = nullptr;
    WelcomePage* m_welcomePage = nullptr;
    BuildView* m_buildView = nullptr;
    TrainingControls* m_controls = nullptr;
    MetricsBoard* m_board = nullptr;
    DiagnosePage* m_diagnosePage = nullptr;
    RunsPage* m_runsPage = nullptr;
    InspectorPanel* m_inspector = nullptr;
    FindingsPanel* m_findingsPanel = nullptr;
    PreviewPanel* m_preview = nullptr;
    QDockWidget* m_inspectorDock = nullptr;
    QDockWidget* m_paletteDock = nullptr;
    QDockWidget* m_bottomDock = nullptr;
    QTabWidget* m_bottomTabs = nullptr;
    StatusLine* m_statusLine = nullptr;
    CommandPalette* m_palette = nullptr;
    QMenu* m_recentMenu = nullptr;
    QMenu* m_editMenu = nullptr;
    qsizetype m_ownEditActions = 0; ///< the first of the Edit menu; the canvas's follow
    std::vector<QAction*> m_modeActions;
    std::unique_ptr<DockLayouts> m_layouts;

    Mode m_mode = Mode::Welcome;
    bool m_mayClose = false; ///< the questions are answered
};

} // namespace athanor
