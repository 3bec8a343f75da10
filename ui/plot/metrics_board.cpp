#include "ui/plot/metrics_board.h"

#include "engine/graph/flat_graph.h"
#include "ui/bridge/project_document.h"
#include "ui/bridge/session_bridge.h"
#include "ui/plot/empty_board.h"
#include "ui/plot/history_reader.h"
#include "ui/plot/notice_bar.h"
#include "ui/plot/plot_clock.h"
#include "ui/plot/plot_grid.h"
#include "ui/plot/series_tree.h"
#include "ui/plot/step_cursor.h"
#include "ui/theme/theme.h"

#include <QSettings>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace athanor {
namespace {

constexpr std::chrono::milliseconds kLookForSeriesEvery{250};
constexpr int kTreeWidth = 264;
constexpr auto kSplitterKey = "board/splitter";

QString findingText(const Finding& finding)
{
    return MetricsBoard::tr("%1 (from step %2)")
        .arg(QString::fromStdString(finding.message))
        .arg(finding.firstStep);
}

} // namespace

MetricsBoard::MetricsBoard(Theme& theme, SessionBridge& bridge, Selection& selection, QSettings& settings,
                           QWidget* parent)
    : QWidget(parent), m_theme(theme), m_bridge(bridge), m_selection(selection), m_settings(settings),
      m_clock(new PlotClock(systemClock(), this)), m_reader(new HistoryReader(this)), m_cursor(new StepCursor(this)),
      m_tree(new SeriesTree(theme)), m_grid(new PlotGrid(theme)), m_empty(new EmptyBoard(theme)),
      m_notice(new NoticeBar(theme)), m_stack(new QStackedWidget), m_splitter(new QSplitter)
{
    m_stack->addWidget(m_empty);
    m_stack->addWidget(m_grid);
    m_splitter->setObjectName(QStringLiteral("boardSplitter"));
    m_splitter->addWidget(m_tree);
    m_splitter->addWidget(m_stack);
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setSizes({kTreeWidth, width()});
    m_splitter->restoreState(m_settings.value(QLatin1String(kSplitterKey)).toByteArray());
    connect(m_splitter, &QSplitter::splitterMoved, this,
            [this] { m_settings.setValue(QLatin1String(kSplitterKey), m_splitter->saveState()); });
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_notice);
    layout->addWidget(m_splitter, 1);

    connect(m_empty, &EmptyBoard::startRequested, this, &MetricsBoard::startRequested);
    connect(m_empty, &EmptyBoard::openProjectRequested, this, &MetricsBoard::openProjectRequested);
    connect(&m_selection, &Selection::changed, this, [this] { updateHighlight(!m_isSelectingInTree); });
    connect(&m_structureTimer, &QTimer::timeout, this, &MetricsBoard::pollStructure);
    connectTree();
    connectBridge();
    m_structureTimer.start(kLookForSeriesEvery);
    m_clock->start();
    showLiveRun();
}

MetricsBoard::~MetricsBoard()
{
    clearPlots();
}

void MetricsBoard::connectBridge()
{
    connect(&m_bridge, &SessionBridge::runStarted, this, [this] {
        if (m_isLive)
            showLiveRun();
    });
    connect(&m_bridge, &SessionBridge::stateChanged, this, &MetricsBoard::updateEmptyBoard);
    connect(&m_bridge, &SessionBridge::findingsChanged, this, &MetricsBoard::updateMarks);
    connect(&m_bridge, &SessionBridge::eventArrived, this, [this](const Event& event) {
        if (event.kind == EventKind::SettingChanged)
            updateMarks();
    });
}

void MetricsBoard::connectTree()
{
    connect(m_tree, &SeriesTree::additionRequested, this, &MetricsBoard::showSeries);
    connect(m_tree, &SeriesTree::plotRequested, this, &MetricsBoard::addPlot);
    connect(m_tree, &SeriesTree::removalRequested, this, &MetricsBoard::removeSeries);
    connect(m_tree, &SeriesTree::seriesSelected, this, [this](const QString& series) {
        m_isSelectingInTree = true; // the tree stands where the user is
        selectNodeOf(series);
        m_isSelectingInTree = false;
    });
}

void MetricsBoard::setProjectOpen(bool open)
{
    m_isProjectOpen = open;
    updateEmptyBoard();
}

void MetricsBoard::showLiveRun()
{
    m_isLive = true;
    m_loadError.clear();
    const auto series = m_bridge.sharedSeries();
    if (!series) {
        updateEmptyBoard();
        return;
    }
    const StoredRun stored{m_bridge.storeFile(), m_bridge.runId()};
    showSource(std::make_shared<LiveSeriesSource>(series, QString(), stored, m_reader), m_bridge.runProject());
}

void MetricsBoard::showStoredRun(const StoredRun& stored, const QString& runName, const Project& project)
{
    m_isLive = false;
    m_loadError.clear();
    auto source = std::make_shared<StoredSeriesSource>(stored, runName, *m_reader);
    connect(source.get(), &StoredSeriesSource::listLoaded, this, &MetricsBoard::pollStructure);
    connect(source.get(), &StoredSeriesSource::loadFailed, this, [this](const QString& message) {
        m_loadError = message;
        updateEmptyBoard();
    });
    showSource(std::move(source), project);
}

void MetricsBoard::showSource(std::shared_ptr<SeriesSource> source, const Project& project)
{
    clearPlots();
    m_source = std::move(source);
    m_infos.clear();
    m_structureVersion = 0;
    m_nodeIds.clear();
    const Graph network = flattened(project.network).graph; // series are named after the members of groups
    m_drawnAs.clear();
    for (const Node& node : network.nodes()) {
        m_nodeIds.push_back(node.id);
        const auto path = drawnPath(project.network, node.id);
        m_drawnAs[node.id] = path.empty() ? node.id : path.front().node;
    }
    m_projectKey = QString::fromStdString(project.file.empty() ? project.name : project.file.string());
    restoreLayout();
    m_tree->setSource(m_source);
    pollStructure();
    updateEmptyBoard();
}

void MetricsBoard::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    pollStructure();
}

void MetricsBoard::pollStructure()
{
    // A board that nobody has seen yet makes no plots.
    if (!m_source || !isVisible() || m_source->structureVersion() == m_structureVersion)
        return;
    m_structureVersion = m_source->structureVersion();
    m_infos = m_source->infos();
    m_tree->pollStructure();
    fillPlots();
    updateHighlight(false);
    updateMarks();
    updateEmptyBoard();
}

void MetricsBoard::updateMarks()
{
    std::vector<PlotMark> marks;
    if (m_isLive) {
        for (const Event& event : m_bridge.events()) {
            if (event.kind == EventKind::SettingChanged)
                marks.push_back({event.step, PlotMark::Kind::Edit, QString::fromStdString(event.text), {}});
        }
        for (const Finding& finding : m_bridge.findings()) {
            if (finding.severity == Severity::Info)
                continue;
            const auto kind = finding.severity == Severity::Error ? PlotMark::Kind::Error : PlotMark::Kind::Warning;
            const QString where = finding.node.empty() ? QStringLiteral("finding/") + QString::fromStdString(finding.rule)
                                                       : QStringLiteral("network/") + QString::fromStdString(finding.node);
            marks.push_back({finding.firstStep, kind, findingText(finding), where});
        }
    }
    for (const auto& [id, plot] : m_plots)
        plot->setMarks(marks);
}

void MetricsBoard::updateHighlight(bool reveal)
{
    std::set<std::string> series;
    std::set<QString> names;
    if (m_selection.part() == GraphPart::Network && !m_selection.nodes().empty()) {
        for (const SeriesInfo& info : m_infos) {
            const std::string node = nodeOfSeries(info.name, m_nodeIds);
            if (!node.empty() && m_selection.nodes().contains(m_drawnAs.at(node))) {
                series.insert(info.name);
                names.insert(QString::fromStdString(info.name));
            }
        }
    }
    m_tree->setHighlighted(names, reveal);
    for (const auto& [id, plot] : m_plots)
        plot->setHighlighted(series);
}

void MetricsBoard::selectNodeOf(const QString& series)
{
    const std::string node = nodeOfSeries(series.toStdString(), m_nodeIds);
    if (!node.empty())
        m_selection.select(GraphPart::Network, {m_drawnAs.at(node)});
}

void MetricsBoard::updateEmptyBoard()
{
    if (!m_infos.empty()) {
        m_stack->setCurrentWidget(m_grid);
        if (!m_loadError.isEmpty())
            m_notice->showNotice(NoticeBar::Level::Error, tr("A series could not be read."), m_loadError);
        return;
    }
    m_stack->setCurrentWidget(m_empty);
    if (!m_loadError.isEmpty())
        m_empty->setReason(EmptyBoard::Reason::LoadFailed, m_loadError);
    else if (!m_isLive)
        m_empty->setReason(EmptyBoard::Reason::Loading);
    else if (m_bridge.isActive())
        m_empty->setReason(EmptyBoard::Reason::NoSeriesYet);
    else
        m_empty->setReason(m_isProjectOpen ? EmptyBoard::Reason::NoRun : EmptyBoard::Reason::NoProject);
}

} // namespace athanor
