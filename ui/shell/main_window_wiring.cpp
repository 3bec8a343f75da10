// How the window's parts hear of each other.
#include "ui/graph/build_view.h"
#include "ui/graph/inspector_panel.h"
#include "ui/plot/metrics_board.h"
#include "ui/plot/notice_bar.h"
#include "ui/shell/diagnose_page.h"
#include "ui/shell/main_window.h"
#include "ui/shell/project_flow.h"
#include "ui/shell/settings.h"
#include "ui/shell/status_line.h"
#include "ui/shell/welcome_page.h"

#include <QTabWidget>

#include <utility>

namespace athanor {

void MainWindow::wireDocument()
{
    connect(&m_document, &ProjectDocument::loaded, this, [this] {
        m_board->setProjectOpen(true);
        m_diagnosePage->setProjectOpen(true);
        m_notice->dismiss();
        updateTitle();
        updateCanStart();
    });
    connect(&m_document, &ProjectDocument::modifiedChanged, this, &MainWindow::updateTitle);
    connect(&m_document, &ProjectDocument::trainingChanged, this, &MainWindow::updateTitle);
    connect(m_flow, &ProjectFlow::created, this, [this] { setMode(Mode::Build); });
    connect(m_flow, &ProjectFlow::opened, this, [this] { setMode(Mode::Train); });
    connect(m_flow, &ProjectFlow::saved, this, &MainWindow::updateTitle);
    connect(m_flow, &ProjectFlow::failed, m_notice, &NoticeBar::showError);
    connect(m_flow, &ProjectFlow::recentFilesChanged, this,
            [this] { m_welcomePage->setRecentFiles(m_settings.recentFiles()); });
}

void MainWindow::wireRun()
{
    connect(&m_bridge, &SessionBridge::eventArrived, &m_log, &LogModel::addEvent);
    connect(&m_bridge, &SessionBridge::runStarted, this, [this] {
        m_activity = {};
        m_inspector->setRunActive(true);
        m_diagnosePage->setRunActive(true);
        m_findings.setFindings({});
        m_runs.refresh();
    });
    connect(&m_bridge, &SessionBridge::progressChanged, this, [this] {
        if (m_mode == Mode::Build && m_bridge.series() != nullptr)
            m_buildView->setActivity(m_activity.newest(*m_bridge.series()));
    });
    connect(&m_bridge, &SessionBridge::runEnded, this, [this] {
        m_inspector->setRunActive(false);
        m_diagnosePage->setRunActive(false);
        m_runs.refresh();
    });
}

void MainWindow::wireFindings()
{
    connect(&m_document, &ProjectDocument::checked, this, [this] {
        m_findings.setProblems(m_document.check().problems);
        updateCanStart();
    });
    connect(&m_bridge, &SessionBridge::findingsChanged, this,
            [this] { m_findings.setFindings(m_bridge.findings()); });
    connect(m_statusLine, &StatusLine::findingsRequested, this, [this] { showBottomTab(FindingsTab); });
    const auto countInTab = [this] {
        const int count = m_findings.rowCount();
        m_bottomTabs->setTabText(FindingsTab, count == 0 ? tr("Findings") : tr("Findings (%1)").arg(count));
    };
    connect(&m_findings, &QAbstractItemModel::modelReset, this, countInTab);
}

void MainWindow::wireTasks()
{
    const auto beginCheck = [this] {
        if (m_checkTask == 0 && m_document.isChecking())
            m_checkTask = m_tasks.begin(tr("Checking the project"));
    };
    connect(&m_document, &ProjectDocument::loaded, this, beginCheck);
    connect(&m_document, &ProjectDocument::graphChanged, this, beginCheck);
    connect(&m_document, &ProjectDocument::trainingChanged, this, beginCheck);
    connect(&m_document, &ProjectDocument::checked, this, [this] {
        if (!m_document.isChecking())
            m_tasks.end(std::exchange(m_checkTask, 0));
    });
    connect(&m_runs, &RunListModel::readingChanged, this, [this](bool reading) {
        if (reading && m_readTask == 0)
            m_readTask = m_tasks.begin(tr("Reading the runs"), [this] { m_runs.cancelReading(); });
        else if (!reading)
            m_tasks.end(std::exchange(m_readTask, 0));
    });
    connect(&m_runs, &RunListModel::progressChanged, this, [this](int done, int all) {
        m_tasks.setProgress(m_readTask, all > 0 ? static_cast<double>(done) / all : 1.0);
    });
    connect(&m_dataCheck, &DataCheck::finished, this, &MainWindow::showDataCheck);
    connect(&m_environment, &Environment::known, this,
            [this] { m_statusLine->setThreads(m_environment.threads()); });
    connect(m_statusLine, &StatusLine::tasksRequested, this, [this] { showBottomTab(TasksTab); });
}

} // namespace athanor
