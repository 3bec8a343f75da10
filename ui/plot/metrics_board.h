// GUI thread. The Train mode's main view: the tree of series and a grid of live plots.
#pragma once

#include "ui/plot/board_layout.h"
#include "ui/plot/metric_plot.h"
#include "ui/plot/series_source.h"

#include <QTimer>
#include <QWidget>

#include <map>
#include <memory>
#include <string>
#include <vector>

class QSettings;
class QSplitter;
class QStackedWidget;

namespace athanor {

class EmptyBoard;
class HistoryReader;
class NoticeBar;
class PlotClock;
class PlotGrid;
class Selection;
class SeriesTree;
class SessionBridge;
class StepCursor;
class StoredSeriesSource;
class Theme;
struct Finding;
struct Project;

/// Opens a board of its own for each run: loss, metrics, learning rate, gradient norms, update ratios,
/// activations, BatchNorm, speed. Plots are added from the tree, closed, moved; what the user changed is
/// kept per project in `settings`.
class MetricsBoard : public QWidget {
    Q_OBJECT
public:
    /// References outlive the board.
    MetricsBoard(Theme& theme, SessionBridge& bridge, Selection& selection, QSettings& settings,
                 QWidget* parent = nullptr);
    ~MetricsBoard() override;

    /// Decides what the empty board offers: to start training, or to open a project first.
    void setProjectOpen(bool open);
    /// Shows a stored run instead of the live ones, until showLiveRun().
    void showStoredRun(const StoredRun& stored, const QString& runName, const Project& project);
    void showLiveRun(); ///< the running or last one, and each that starts from now on; so it is at first

    [[nodiscard]] std::vector<MetricPlot*> plots() const; ///< in the order of the board
    /// Adds a plot of these series and scrolls to it; nullptr when the run has none of them.
    MetricPlot* addPlot(const QStringList& series);
    /// Takes the series from every plot; plots that are empty then go.
    void removeSeries(const QString& series);
    [[nodiscard]] bool shows(const QString& series) const;
    /// Brings a plot with the series into view, switching it on there; adds a plot when there is none.
    void showSeries(const QString& series);
    void resetLayout(); ///< back to the default board

    [[nodiscard]] SeriesTree* tree() const { return m_tree; }
    [[nodiscard]] StepCursor* stepCursor() const { return m_cursor; } ///< layer views may share it
    [[nodiscard]] HistoryReader* historyReader() const { return m_reader; }
    [[nodiscard]] PlotClock* plotClock() const { return m_clock; }

Q_SIGNALS:
    void startRequested();       ///< button of the empty board
    void openProjectRequested(); ///< button of the empty board
    void placeActivated(const QString& where); ///< a mark of a finding was clicked

protected:
    void showEvent(QShowEvent* event) override;

private:
    // metrics_board.cpp
    void connectBridge();
    void connectTree();
    void showSource(std::shared_ptr<SeriesSource> source, const Project& project);
    void pollStructure();
    void updateMarks();
    void updateHighlight(bool reveal); ///< `reveal`: scrolls the tree to the selected node's first series
    void selectNodeOf(const QString& series);
    void updateEmptyBoard();
    // metrics_board_plots.cpp
    void fillPlots(); ///< makes the plots that the layout and the run's series call for
    void fillPlot(MetricPlot& plot, const PlotSpec& spec, const PlotContents& contents);
    MetricPlot* makePlot(const PlotSpec& spec);
    void closePlot(const QString& id);
    void dropPlot(const QString& id, const QPoint& globalPosition);
    void movePlot(const QString& id, int places);
    void arrangePlots();
    void updatePlotted();
    void keepOptions(const QString& id);
    void clearPlots();
    void restoreLayout();
    void saveLayout();

    Theme& m_theme;
    SessionBridge& m_bridge;
    Selection& m_selection;
    QSettings& m_settings;
    PlotClock* m_clock;
    HistoryReader* m_reader;
    StepCursor* m_cursor;
    SeriesTree* m_tree;
    PlotGrid* m_grid;
    EmptyBoard* m_empty;
    NoticeBar* m_notice;
    QStackedWidget* m_stack;
    QSplitter* m_splitter;

    std::shared_ptr<SeriesSource> m_source; ///< nullptr: nothing to show
    std::vector<SeriesInfo> m_infos;        ///< of m_source, up to m_structureVersion
    std::uint64_t m_structureVersion = 0;
    bool m_isLive = false;
    bool m_isProjectOpen = false;
    bool m_isSelectingInTree = false;
    QString m_loadError;
    std::vector<std::string> m_nodeIds;
    std::map<std::string, std::string> m_drawnAs; ///< by node: itself, or the outermost group that it lies in
    QString m_projectKey;
    BoardLayout m_layout;
    std::map<QString, MetricPlot*> m_plots; ///< by the id of their spec
    QTimer m_structureTimer;
};

} // namespace athanor
