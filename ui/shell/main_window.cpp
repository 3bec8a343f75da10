#include "ui/shell/main_window.h"

#include "ui/bridge/apply_fix.h"
#include "ui/data/preview_panel.h"
#include "ui/graph/build_view.h"
#include "ui/graph/inspector_panel.h"
#include "ui/graph/node_palette.h"
#include "ui/graph/problem_places.h"
#include "ui/graph/summary_panel.h"
#include "ui/plot/metrics_board.h"
#include "ui/plot/notice_bar.h"
#include "ui/plot/training_controls.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/decision.h"
#include "ui/shell/diagnose_page.h"
#include "ui/shell/dock_layouts.h"
#include "ui/shell/findings_panel.h"
#include "ui/shell/log_panel.h"
#include "ui/shell/palette_entries.h"
#include "ui/shell/picture_export.h"
#include "ui/shell/project_flow.h"
#include "ui/shell/run_exchange.h"
#include "ui/shell/runs_page.h"
#include "ui/shell/settings.h"
#include "ui/shell/status_line.h"
#include "ui/shell/tasks_panel.h"
#include "ui/shell/welcome_page.h"
#include "ui/theme/theme.h"

#include <QAction>
#include <QCloseEvent>
#include <QDockWidget>
#include <QMenuBar>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>

#include <utility>

namespace athanor {
namespace {

constexpr QSize kFirstSize(1280, 800);
constexpr std::chrono::milliseconds kJoinTimeout{1000};

} // namespace

MainWindow::MainWindow(Theme& theme, Settings& settings, Setup setup)
    : m_theme(theme), m_settings(settings), m_samplesFolder(std::move(setup.samplesFolder)),
      m_bridge(std::move(setup.sessions)), m_dataCheck(m_tasks)
{
    setObjectName(QStringLiteral("mainWindow"));
    setWindowIcon(theme.icon(QStringLiteral("athanor-color")));
    m_bridge.setStoreFile(setup.storeFile);
    m_runs.setStoreFile(setup.storeFile);
    m_flow = new ProjectFlow(m_document, settings, m_samplesFolder, this);

    makePages();
    m_pictures = new PictureExport(m_document, *m_buildView, theme, settings, this);
    makeDocks();
    makeModeActions();
    makeMenus();
    makeModeBar();
    m_statusLine = new StatusLine(theme, m_document, m_bridge, m_findings, m_tasks);
    setStatusBar(m_statusLine);
    m_palette = new CommandPalette(theme, this);
    wireDocument();
    wireRun();
    wireFindings();
    wireTasks();

    if (!restoreGeometry(settings.windowGeometry()))
        resize(kFirstSize);
    m_layouts = std::make_unique<DockLayouts>(*this, DockLayouts::Docks{m_paletteDock, m_inspectorDock, m_bottomDock}, settings);
    m_layouts->apply(m_mode);
    m_modeActions[static_cast<std::size_t>(m_mode)]->setChecked(true);
    m_welcomePage->setRecentFiles(settings.recentFiles());
    updateTitle();
    updateCanStart();
}

MainWindow::~MainWindow()
{
    // The models are members and outlive the pages, which hold references to them; what they still say on
    // their way out is for nobody.
    m_document.disconnect(this);
    m_bridge.disconnect(this);
    m_findings.disconnect(this);
    m_runs.disconnect(this);
    m_environment.disconnect(this);
    m_dataCheck.disconnect(this);
    delete m_palette;
    delete takeCentralWidget();
    delete m_paletteDock;
    delete m_inspectorDock;
    delete m_bottomDock;
    delete m_statusLine;
}

void MainWindow::makePages()
{
    m_notice = new NoticeBar(m_theme);
    m_notice->setObjectName(QStringLiteral("windowNotice"));
    connect(m_notice, &NoticeBar::placeActivated, this, &MainWindow::goTo);

    m_welcomePage = new WelcomePage(m_theme, m_samplesFolder);
    m_buildView = new BuildView(m_document, m_selection, m_theme);
    m_controls = new TrainingControls(m_theme, m_bridge);
    m_board = new MetricsBoard(m_theme, m_bridge, m_selection, m_settings.store());
    auto* trainPage = new QWidget;
    auto* trainLayout = new QVBoxLayout(trainPage);
    trainLayout->setContentsMargins(0, 0, 0, 0);
    trainLayout->setSpacing(0);
    trainLayout->addWidget(m_controls);
    trainLayout->addWidget(m_board, 1);
    m_diagnosePage = new DiagnosePage(m_theme, m_findings);
    m_runsPage = new RunsPage(m_theme, m_bridge, m_selection, m_runs, m_settings.store());
    auto* exchange = new RunExchange(m_tasks, m_runsPage);
    exchange->watchDrops(*this);
    m_runsPage->setExchange(*exchange);
    connect(m_runsPage, &RunsPage::imported, this, [this] { setMode(Mode::Runs); });

    m_pages = new QStackedWidget;
    m_pages->setObjectName(QStringLiteral("modePages"));
    for (QWidget* page :
         std::initializer_list<QWidget*>{m_welcomePage, m_buildView, trainPage, m_diagnosePage, m_runsPage})
        m_pages->addWidget(page);
    auto* central = new QWidget;
    auto* layout = new QVBoxLayout(central);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_notice);
    layout->addWidget(m_pages, 1);
    setCentralWidget(central);

    connect(m_welcomePage, &WelcomePage::newRequested, m_flow, &ProjectFlow::createNew);
    connect(m_welcomePage, &WelcomePage::openRequested, m_flow, &ProjectFlow::chooseFile);
    connect(m_welcomePage, &WelcomePage::fileRequested, m_flow, &ProjectFlow::open);
    connect(m_welcomePage, &WelcomePage::sampleRequested, m_flow, &ProjectFlow::open);
    connect(m_buildView, &BuildView::openRequested, m_flow, &ProjectFlow::chooseFile);
    connect(m_buildView, &BuildView::fixRequested, this, &MainWindow::applyFixOf);
    connect(m_board, &MetricsBoard::openProjectRequested, m_flow, &ProjectFlow::chooseFile);
    connect(m_diagnosePage, &DiagnosePage::openRequested, m_flow, &ProjectFlow::chooseFile);
    connect(m_board, &MetricsBoard::startRequested, this, &MainWindow::startRun);
    connect(m_controls, &TrainingControls::startRequested, this, &MainWindow::startRun);
    connect(m_diagnosePage, &DiagnosePage::startRequested, this, &MainWindow::startRun);
    connect(m_runsPage, &RunsPage::startRequested, this, &MainWindow::startRun);
    connect(m_board, &MetricsBoard::placeActivated, this, &MainWindow::goTo);
    connect(m_controls, &TrainingControls::placeActivated, this, &MainWindow::goTo);
    connect(m_diagnosePage, &DiagnosePage::placeActivated, this, &MainWindow::goTo);
    connect(m_runsPage, &RunsPage::placeActivated, this, &MainWindow::goTo);
    connect(m_diagnosePage, &DiagnosePage::fixRequested, this, &MainWindow::applyFixOf);
}

void MainWindow::makeDocks()
{
    setDockOptions(QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks |
                   QMainWindow::AnimatedDocks);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    m_inspector = new InspectorPanel(m_document, m_selection, m_theme);
    m_inspectorDock = new QDockWidget(tr("Inspector"), this);
    m_inspectorDock->setObjectName(QStringLiteral("inspectorDock"));
    m_inspectorDock->setWidget(m_inspector);

    m_buildView->shelf().setStore(m_settings.store());
    m_buildView->useGroups(m_groups);
    auto* palette = new NodePalette(m_theme, m_buildView->shelf());
    m_buildView->usePalette(*palette);
    m_paletteDock = new QDockWidget(tr("Palette"), this);
    m_paletteDock->setObjectName(QStringLiteral("paletteDock"));
    m_paletteDock->setWidget(palette);

    m_findingsPanel = new FindingsPanel(m_theme, m_findings);
    auto* log = new LogPanel(m_theme, m_log);
    m_bottomTabs = new QTabWidget;
    m_bottomTabs->setObjectName(QStringLiteral("bottomTabs"));
    m_bottomTabs->setDocumentMode(true);
    m_bottomTabs->addTab(m_findingsPanel, tr("Findings"));
    m_bottomTabs->addTab(log, tr("Log"));
    m_bottomTabs->addTab(new TasksPanel(m_theme, m_tasks), tr("Tasks"));
    m_preview = new PreviewPanel(m_theme, m_document, m_selection, m_tasks, m_settings.store());
    m_bottomTabs->addTab(m_preview, tr("Samples"));
    m_bottomTabs->addTab(new SummaryPanel(m_document, m_selection, m_theme), tr("Summary"));
    m_bottomDock = new QDockWidget(tr("Findings, log, tasks and samples"), this);
    m_bottomDock->setObjectName(QStringLiteral("bottomDock"));
    m_bottomDock->setWidget(m_bottomTabs);
    addDockWidget(Qt::LeftDockWidgetArea, m_paletteDock);
    addDockWidget(Qt::RightDockWidgetArea, m_inspectorDock);
    addDockWidget(Qt::BottomDockWidgetArea, m_bottomDock);

    connect(m_findingsPanel, &FindingsPanel::findingActivated, this, &MainWindow::goToFinding);
    connect(m_findingsPanel, &FindingsPanel::fixRequested, this, &MainWindow::applyFixOf);
    connect(m_inspector, &InspectorPanel::fixRequested, this, &MainWindow::applyFixOf);
    connect(log, &LogPanel::placeActivated, this, &MainWindow::goTo);
    connect(m_preview, &PreviewPanel::placeActivated, this, &MainWindow::goTo);
    connect(m_bottomTabs, &QTabWidget::currentChanged, this, [this](int tab) {
        constexpr int kPreviewHeight = 300; // a row of pictures with their labels
        if (tab == PreviewTab && m_bottomDock->isVisible() && m_bottomDock->height() < kPreviewHeight)
            resizeDocks({m_bottomDock}, {kPreviewHeight}, Qt::Vertical);
    });
    connect(m_inspector, &InspectorPanel::liveSettingChanged, this,
            [this](const QString& path, const Json& value) {
                if (path == u"training.optimizer.lr" && value.is_number())
                    m_bridge.post(command::SetLearningRate{value.get<double>()});
                else
                    m_bridge.post(command::ChangeSetting{path.toStdString(), value});
            });
}

void MainWindow::openProject(const QString& file)
{
    m_flow->open(file);
}

void MainWindow::startRun()
{
    if (!m_controls->startAction()->isEnabled())
        return;
    setMode(Mode::Train);
    const Status started = m_bridge.start(m_document.project(), RunOptions{});
    if (!started)
        m_controls->showError(started.error());
}

void MainWindow::setMode(Mode mode)
{
    m_modeActions[static_cast<std::size_t>(mode)]->setChecked(true);
    if (mode == m_mode)
        return;
    m_layouts->remember(m_mode);
    m_mode = mode;
    m_pages->setCurrentIndex(static_cast<int>(mode));
    m_layouts->apply(mode);
    if (mode == Mode::Train && !m_bridge.isActive())
        m_controls->findChild<QWidget*>(QStringLiteral("startButton"))->setFocus();
    else
        m_pages->currentWidget()->setFocus();
}

void MainWindow::goTo(const QString& where)
{
    const std::string path = where.toStdString();
    for (const GraphPart part : {GraphPart::Network, GraphPart::Data}) {
        if (const auto node = m_document.reveal(part, path)) {
            showNode(part, node->first);
            m_inspectorDock->show();
            m_inspector->showPlace(where);
            return;
        }
    }
    if (path.starts_with("training")) {
        setMode(Mode::Build);
        m_selection.clear();
        m_inspectorDock->show();
        m_inspector->showPlace(where);
        return;
    }
    if (path == "network" || path == "data" || path.starts_with("network/") || path.starts_with("data/")) {
        setMode(Mode::Build); // of the graph as a whole, or of a node that is gone
        m_buildView->showPart(path.starts_with("data") ? GraphPart::Data : GraphPart::Network);
        return;
    }
    showSeries(where);
}

/// A problem of the project is where it is; a finding of a run is explained.
void MainWindow::goToFinding(int row)
{
    const QString place = m_findings.index(row, 0).data(FindingsModel::PlaceRole).toString();
    if (!m_findings.isOfRun(row) && !place.isEmpty()) {
        goTo(place);
        return;
    }
    m_diagnosePage->showFinding(row);
    setMode(Mode::Diagnose);
}

void MainWindow::showNode(GraphPart part, const NodeId& id)
{
    setMode(Mode::Build);
    m_buildView->showNode(part, id);
}

void MainWindow::showSeries(const QString& series)
{
    setMode(Mode::Train);
    m_board->showSeries(series);
}

void MainWindow::openRun(RunId run)
{
    setMode(Mode::Runs);
    m_runsPage->openRun(run);
}

void MainWindow::applyFixOf(const SuggestedFix& fix)
{
    const Status applied = applyFix(m_document, fix);
    if (!applied) {
        m_notice->showError(applied.error());
        return;
    }
    m_notice->showNotice(
        NoticeBar::Level::Note, tr("The project was changed: %1").arg(QString::fromStdString(fix.text)),
        m_bridge.isActive() ? tr("It applies from the next run on. Edit, Undo takes it back.")
                            : tr("Edit, Undo takes it back."));
}

void MainWindow::updateTitle()
{
    setWindowModified(m_document.isOpen() && m_document.isModified());
    setWindowTitle(m_document.isOpen() ? tr("%1[*] – Athanor").arg(m_document.displayName()) : tr("Athanor"));
}

void MainWindow::updateCanStart()
{
    if (!m_document.isOpen())
        m_controls->setCanStart(false, tr("Open a project first."));
    else if (!m_document.isChecking() && !m_document.check().ok())
        m_controls->setCanStart(false, tr("The project has errors; see the findings."));
    else
        m_controls->setCanStart(true);
}

void MainWindow::showBottomTab(BottomTab tab)
{
    m_bottomTabs->setCurrentIndex(tab);
    m_bottomDock->show();
    m_bottomDock->raise();
}

void MainWindow::checkData()
{
    if (!m_document.isOpen())
        return;
    m_dataCheck.start(m_document.project());
    showBottomTab(TasksTab);
}

void MainWindow::showDataCheck(const ProjectCheck& check)
{
    m_findings.setProblems(check.problems);
    if (check.problems.empty()) {
        m_notice->showNotice(NoticeBar::Level::Note, tr("Every sample was read, and none is wrong."));
        return;
    }
    showBottomTab(FindingsTab);
}

void MainWindow::openPalette()
{
    fillEditMenu();
    std::vector<PaletteEntry> entries = actionEntries(*menuBar(), m_theme);
    const auto append = [&entries](std::vector<PaletteEntry> more) {
        entries.insert(entries.end(), std::make_move_iterator(more.begin()),
                       std::make_move_iterator(more.end()));
    };
    append(
        nodeEntries(m_document, m_theme, [this](GraphPart part, const NodeId& id) { showNode(part, id); }));
    append(seriesEntries(m_bridge, m_theme, [this](const QString& series) { showSeries(series); }));
    append(runEntries(m_runs, m_theme, [this](RunId run) { openRun(run); }));
    m_palette->open(std::move(entries));
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    const bool mayClose = m_mayClose || (!m_bridge.isActive() && !m_document.isModified());
    if (!mayClose) {
        event->ignore(); // the answers come later, and close again
        askBeforeClosing();
        return;
    }
    m_bridge.stopAndWait(kJoinTimeout);
    m_layouts->remember(m_mode);
    m_settings.setWindowGeometry(saveGeometry());
    event->accept();
}

void MainWindow::askBeforeClosing()
{
    const auto closeForGood = [this] {
        m_mayClose = true;
        close();
    };
    if (!m_bridge.isActive()) {
        m_flow->guard(closeForGood);
        return;
    }
    askDecision(this, tr("Stop the training?"),
                tr("A run is going on. When it is stopped, all it has done so far is kept."),
                {tr("Stop and quit"), tr("Keep training")}, [this, closeForGood](int choice) {
                    if (choice == 0)
                        m_flow->guard(closeForGood);
                });
}

} // namespace athanor
