#include "ui/shell/runs_page.h"

#include "ui/bridge/session_bridge.h"
#include "ui/bridge/text_format.h"
#include "ui/compare/compare_page.h"
#include "ui/plot/metrics_board.h"
#include "ui/plot/notice_bar.h"
#include "ui/plot/series_source.h"
#include "ui/shell/run_status_delegate.h"
#include "ui/shell/run_table.h"
#include "ui/theme/theme.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QShortcut>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

namespace athanor {

RunsPage::RunsPage(Theme& theme, SessionBridge& bridge, Selection& selection, RunListModel& model,
                   QSettings& settings, QWidget* parent)
    : QWidget(parent), m_model(model), m_bridge(bridge), m_table(new RunTable(theme, model, settings)),
      m_compare(new ComparePage(theme, settings))
{
    m_board = new MetricsBoard(theme, bridge, selection, settings);
    m_stack = new QStackedWidget;
    m_emptyPage = makeEmptyPage();
    m_boardPage = makeBoardPage(theme);
    for (QWidget* page : std::initializer_list<QWidget*>{m_emptyPage, m_table, m_boardPage, m_compare})
        m_stack->addWidget(page);
    m_notice = new NoticeBar(theme);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_notice);
    layout->addWidget(m_stack, 1);

    connect(&model, &RunListModel::refreshed, this, [this] {
        m_loaded = true;
        m_table->setLoaded();
        updatePage();
    });
    connect(&model, &RunListModel::failed, m_notice, &NoticeBar::showError);
    connect(m_table, &RunTable::openRequested, this, &RunsPage::openRun);
    connect(m_table, &RunTable::compareRequested, this, &RunsPage::compareRuns);
    connect(m_table, &RunTable::importRequested, this, &RunsPage::chooseImport);
    connect(m_table, &RunTable::exportRequested, this, &RunsPage::chooseExport);
    connect(m_compare, &ComparePage::backRequested, this, &RunsPage::showTable);
    connect(m_board, &MetricsBoard::placeActivated, this, &RunsPage::placeActivated);
    // A board turns to each run that starts; this one keeps to the run it was opened for.
    connect(&bridge, &SessionBridge::runStarted, this, [this] {
        if (m_shownRun != 0)
            showCurves();
    });
    updatePage();
}

QWidget* RunsPage::makeEmptyPage()
{
    auto* page = new QWidget;
    auto* title = new QLabel(tr("No runs yet"));
    title->setProperty("look", QStringLiteral("title"));
    auto* text = new QLabel(tr("Each training is kept here with all of its curves."));
    text->setProperty("look", QStringLiteral("muted"));
    auto* start = new QPushButton(tr("Start training"));
    start->setObjectName(QStringLiteral("runsEmptyButton"));
    start->setProperty("look", QStringLiteral("primary"));
    connect(start, &QPushButton::clicked, this, &RunsPage::startRequested);
    auto* layout = new QVBoxLayout(page);
    layout->setSpacing(spacing::kBetween);
    layout->addStretch();
    layout->addWidget(title, 0, Qt::AlignCenter);
    layout->addWidget(text, 0, Qt::AlignCenter);
    layout->addSpacing(spacing::kBetween);
    layout->addWidget(start, 0, Qt::AlignCenter);
    auto* import = new QPushButton(tr("Import runs…"));
    import->setObjectName(QStringLiteral("runsEmptyImport"));
    import->setToolTip(tr("A folder of TensorBoard's event files, CSV, JSON, or a capsule; event files can "
                          "be dropped on the window too"));
    connect(import, &QPushButton::clicked, this, &RunsPage::chooseImport);
    layout->addWidget(import, 0, Qt::AlignCenter);
    layout->addStretch();
    return page;
}

void RunsPage::setExchange(RunExchange& exchange)
{
    m_exchange = &exchange;
    exchange.setStoreFile(m_bridge.storeFile());
    connect(&exchange, &RunExchange::imported, this, &RunsPage::tellImport);
    connect(&exchange, &RunExchange::failed, m_notice, &NoticeBar::showError);
    connect(&exchange, &RunExchange::exported, this, [this](const QString& target) {
        m_notice->showNotice(NoticeBar::Level::Note, tr("The runs are in %1").arg(target));
    });
}

void RunsPage::chooseImport()
{
    if (m_exchange == nullptr)
        return;
    const QStringList files = QFileDialog::getOpenFileNames(
        this, tr("Import runs"), QString(), tr("Runs (*tfevents* *.csv *.json *.capsule);;All files (*)"));
    if (!files.isEmpty())
        m_exchange->importPaths(files);
}

void RunsPage::chooseExport(const std::vector<RunId>& runs, RunFormat format)
{
    if (m_exchange == nullptr || runs.empty())
        return;
    if (format == RunFormat::Capsule && runs.size() > 1) {
        m_notice->showNotice(NoticeBar::Level::Warning, tr("A capsule holds one run"),
                             tr("Select one run, and export each into a capsule of its own."));
        return;
    }
    const QString target =
        format == RunFormat::Capsule
            ? QFileDialog::getSaveFileName(this, tr("Export run"), tr("run-%1.capsule").arg(runs.front()),
                                           tr("Capsules (*.capsule)"))
            : QFileDialog::getExistingDirectory(this, tr("Folder to export to"));
    if (!target.isEmpty())
        m_exchange->exportRuns(runs, format, target);
}

void RunsPage::tellImport(const ImportReport& report)
{
    m_model.refresh();
    const QString what = report.runs.size() == 1 ? tr("1 run was imported")
                                                 : tr("%1 runs were imported").arg(report.runs.size());
    QStringList remarks;
    for (const auto& [kind, count] : report.leftOut)
        remarks << tr("%1 values of the kind %2 are left out")
                       .arg(countText(count), QString::fromStdString(kind));
    for (const std::string& problem : report.problems)
        remarks << QString::fromStdString(problem);
    m_notice->showNotice(report.problems.empty() ? NoticeBar::Level::Note : NoticeBar::Level::Warning, what,
                         remarks.join(QStringLiteral("; ")));
    if (m_shownRun == 0 && m_stack->currentWidget() != m_compare)
        showTable();
    Q_EMIT imported();
}

QWidget* RunsPage::makeBoardPage(Theme& theme)
{
    auto* back = new QPushButton(tr("All runs"));
    back->setObjectName(QStringLiteral("runsBack"));
    back->setIcon(theme.icon(QStringLiteral("runs")));
    back->setToolTip(tr("Back to the table (Escape)"));
    connect(back, &QPushButton::clicked, this, &RunsPage::showTable);
    m_runTitle = new QLabel;
    m_runTitle->setObjectName(QStringLiteral("runTitle"));
    m_runTitle->setProperty("look", QStringLiteral("title"));
    m_runFacts = new QLabel;
    m_runFacts->setProperty("look", QStringLiteral("muted"));
    auto* row = new QHBoxLayout;
    row->setContentsMargins(spacing::kBetween, spacing::kBetween, spacing::kBetween, spacing::kBetween);
    row->setSpacing(spacing::kAround);
    row->addWidget(back);
    row->addWidget(m_runTitle);
    row->addWidget(m_runFacts);
    row->addStretch();

    auto* page = new QWidget;
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(row);
    layout->addWidget(m_board, 1);
    auto* escape = new QShortcut(Qt::Key_Escape, page);
    escape->setContext(Qt::WidgetWithChildrenShortcut);
    connect(escape, &QShortcut::activated, this, &RunsPage::showTable);
    return page;
}

void RunsPage::openRun(RunId run)
{
    m_shownRun = run;
    m_model.readProject(run, [this, run](const Result<Project>& project) {
        if (run == m_shownRun) // another one may have been opened meanwhile
            showStored(project);
    });
}

void RunsPage::showStored(const Result<Project>& project)
{
    const RunInfo* info = m_model.run(m_model.rowOf(m_shownRun));
    if (!project || info == nullptr) {
        m_shownRun = 0;
        if (!project)
            m_notice->showError(project.error());
        return;
    }
    m_notice->dismiss();
    m_shownProject = *project;
    m_runTitle->setText(QString::fromStdString(info->name));
    m_runFacts->setText(tr("%1, %2 steps in %3, started %4")
                            .arg(runStatusText(info->status), countText(info->steps),
                                 durationText(info->seconds), timeText(info->startedMs)));
    showCurves();
    m_stack->setCurrentWidget(m_boardPage);
    m_board->setFocus();
}

void RunsPage::showCurves()
{
    m_board->showStoredRun({m_bridge.storeFile(), m_shownRun}, m_runTitle->text(), m_shownProject);
}

void RunsPage::compareRuns(const std::vector<RunId>& runs)
{
    m_shownRun = 0;
    m_compare->compare(m_bridge.storeFile(), runs);
    m_stack->setCurrentWidget(m_compare);
    m_compare->setFocus();
}

void RunsPage::showTable()
{
    m_shownRun = 0;
    m_stack->setCurrentWidget(m_table);
    updatePage();
    m_table->view()->setFocus();
}

void RunsPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    m_model.setLive(true);
}

void RunsPage::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    m_model.setLive(false);
}

/// Without any run the table gives way to what to do about that.
void RunsPage::updatePage()
{
    if (m_stack->currentWidget() == m_table || m_stack->currentWidget() == m_emptyPage)
        m_stack->setCurrentWidget(m_loaded && m_model.rowCount() == 0 ? m_emptyPage
                                                                      : static_cast<QWidget*>(m_table));
}

} // namespace athanor
