#include "ui/shell/runs_page.h"

#include "ui/bridge/session_bridge.h"
#include "ui/bridge/text_format.h"
#include "ui/plot/metrics_board.h"
#include "ui/plot/notice_bar.h"
#include "ui/plot/series_source.h"
#include "ui/shell/run_status_delegate.h"
#include "ui/theme/theme.h"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QShortcut>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace athanor {
namespace {

constexpr auto kWidthsKey = "runs/columnWidths";
constexpr int kRowHeight = 28;
constexpr int kMetricWidth = 90; ///< at least; the title counts too

} // namespace

RunsPage::RunsPage(Theme& theme, SessionBridge& bridge, Selection& selection, RunListModel& model,
                   QSettings& settings, QWidget* parent)
    : QWidget(parent), m_model(model), m_bridge(bridge), m_settings(settings)
{
    m_filter.setSourceModel(&model);
    m_board = new MetricsBoard(theme, bridge, selection, settings);
    m_stack = new QStackedWidget;
    m_tablePage = makeTablePage(theme);
    m_emptyPage = makeEmptyPage();
    m_boardPage = makeBoardPage(theme);
    m_stack->addWidget(m_emptyPage);
    m_stack->addWidget(m_tablePage);
    m_stack->addWidget(m_boardPage);
    m_notice = new NoticeBar(theme);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_notice);
    layout->addWidget(m_stack, 1);

    connect(&model, &RunListModel::refreshed, this, [this] {
        m_loaded = true;
        updateCount();
    });
    connect(&model, &RunListModel::failed, m_notice, &NoticeBar::showError);
    connect(&model, &QAbstractItemModel::columnsInserted, this,
            [this](const QModelIndex&, int first, int last) { placeNewColumns(first, last); });
    connect(&m_filter, &QAbstractItemModel::layoutChanged, this, &RunsPage::updateCount);
    connect(&m_filter, &QAbstractItemModel::rowsInserted, this, &RunsPage::updateCount);
    connect(&m_filter, &QAbstractItemModel::rowsRemoved, this, &RunsPage::updateCount);
    connect(&m_filter, &QAbstractItemModel::modelReset, this, &RunsPage::updateCount);
    connect(m_board, &MetricsBoard::placeActivated, this, &RunsPage::placeActivated);
    // A board turns to each run that starts; this one keeps to the run it was opened for.
    connect(&bridge, &SessionBridge::runStarted, this, [this] {
        if (m_shownRun != 0)
            showCurves();
    });
    updateCount();
}

RunsPage::~RunsPage()
{
    saveColumns();
}

QWidget* RunsPage::makeTablePage(Theme& theme)
{
    m_search = new QLineEdit;
    m_search->setObjectName(QStringLiteral("runsSearch"));
    m_search->setPlaceholderText(tr("Filter by name, status, project, tag or note"));
    m_search->setAccessibleName(m_search->placeholderText());
    m_search->setClearButtonEnabled(true);
    m_search->addAction(theme.icon(QStringLiteral("search"), ColorRole::Muted), QLineEdit::LeadingPosition);
    connect(m_search, &QLineEdit::textChanged, &m_filter, &RunListFilter::setText);
    m_count = new QLabel;
    m_count->setObjectName(QStringLiteral("runsCount"));
    m_count->setProperty("look", QStringLiteral("muted"));
    auto* row = new QHBoxLayout;
    row->setContentsMargins(spacing::kBetween, spacing::kBetween, spacing::kBetween, spacing::kBetween);
    row->setSpacing(spacing::kBetween);
    row->addWidget(m_search, 1);
    row->addWidget(m_count);

    makeTable();
    m_table->setItemDelegateForColumn(RunListModel::Status, new RunStatusDelegate(theme, m_table));
    auto* page = new QWidget;
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(row);
    layout->addWidget(m_table, 1);
    return page;
}

void RunsPage::makeTable()
{
    m_table = new QTableView;
    m_table->setObjectName(QStringLiteral("runsTable"));
    m_table->setAccessibleName(tr("Runs"));
    m_table->setModel(&m_filter);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(RunListModel::Started, Qt::DescendingOrder);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setEditTriggers(QAbstractItemView::EditKeyPressed);
    m_table->setTabKeyNavigation(false);
    m_table->setWordWrap(false);
    m_table->setShowGrid(false);
    m_table->setAlternatingRowColors(true);
    m_table->setProperty("look", QStringLiteral("bare"));
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed); // ten thousand rows are not measured
    m_table->verticalHeader()->setDefaultSectionSize(kRowHeight);
    QHeaderView* header = m_table->horizontalHeader();
    header->setSectionsMovable(true);
    header->setHighlightSections(false);
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    restoreColumns();
    connect(m_table, &QTableView::activated, this,
            [this](const QModelIndex& index) { openRun(index.data(RunListModel::RunIdRole).toLongLong()); });
    makeContextMenu();
}

void RunsPage::makeContextMenu()
{
    const auto addEdit = [this](const QString& text, int column) {
        auto* action = new QAction(text, m_table);
        connect(action, &QAction::triggered, this, [this, column] {
            const QModelIndex current = m_table->currentIndex();
            if (current.isValid())
                m_table->edit(current.siblingAtColumn(column));
        });
        m_table->addAction(action);
    };
    auto* open = new QAction(tr("Open curves"), m_table);
    connect(open, &QAction::triggered, this, [this] {
        const QModelIndex current = m_table->currentIndex();
        if (current.isValid())
            openRun(current.data(RunListModel::RunIdRole).toLongLong());
    });
    m_table->addAction(open);
    addEdit(tr("Rename"), RunListModel::Name);
    addEdit(tr("Edit tags"), RunListModel::Tags);
    addEdit(tr("Edit note"), RunListModel::Note);
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
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
    layout->addStretch();
    return page;
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

void RunsPage::showTable()
{
    m_shownRun = 0;
    m_stack->setCurrentWidget(m_tablePage);
    updateCount();
    m_table->setFocus();
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

void RunsPage::updateCount()
{
    const int all = m_model.rowCount();
    const int shown = m_filter.rowCount();
    if (!m_loaded)
        m_count->setText(tr("Reading the runs…"));
    else if (shown == all)
        m_count->setText(all == 1 ? tr("1 run") : tr("%1 runs").arg(countText(all)));
    else
        m_count->setText(tr("%1 of %2 runs").arg(countText(shown), countText(all)));
    if (m_stack->currentWidget() != m_boardPage)
        m_stack->setCurrentWidget(m_loaded && all == 0 ? m_emptyPage : m_tablePage);
}

// Metrics are what one looks for, so they go right after the steps, before tags and note.
void RunsPage::placeNewColumns(int first, int last)
{
    QHeaderView* header = m_table->horizontalHeader();
    const QVariantMap widths = m_settings.value(kWidthsKey).toMap();
    for (int column = first; column <= last; ++column) {
        header->moveSection(header->visualIndex(column), header->visualIndex(RunListModel::Tags));
        const QString name = m_model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        const int wanted = std::max(kMetricWidth, header->sectionSizeHint(column) + spacing::kBetween);
        m_table->setColumnWidth(column, widths.value(name, wanted).toInt());
    }
}

void RunsPage::restoreColumns()
{
    static constexpr int kWidths[] = {170, 110, 130, 160, 90, 80, 120, 220};
    const QVariantMap widths = m_settings.value(kWidthsKey).toMap();
    for (int column = 0; column < m_model.columnCount(); ++column) {
        const QString name = m_model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        const int standard = column < RunListModel::FixedColumns ? kWidths[column] : kMetricWidth;
        m_table->setColumnWidth(column, widths.value(name, standard).toInt());
    }
}

void RunsPage::saveColumns() const
{
    QVariantMap widths = m_settings.value(kWidthsKey).toMap();
    for (int column = 0; column < m_model.columnCount(); ++column)
        widths[m_model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString()] =
            m_table->columnWidth(column);
    m_settings.setValue(kWidthsKey, widths);
}

} // namespace athanor
