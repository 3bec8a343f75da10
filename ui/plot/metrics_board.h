// GUI thread. The Train mode's main view: the tree of series and a grid of live plots.
#pragma once

#include "engine/base/clock.h"
#include "ui/plot/board_layout.h"
#include "ui/plot/series_source.h"

#include <QTimer>
#include <QWidget>

#include <memory>
#include <vector>

class QSettings;
class QStackedWidget;

namespace athanor {

class EmptyBoard;
class HistoryReader;
class MetricPlot;
class PlotClock;
class PlotGrid;
class Selection;
class SeriesTree;
class SessionBridge;
class StepCursor;
class Theme;

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
    /// Shows a stored run instead of the live one, until the next run starts.
    void showStoredRun(const std::filesystem::path& storeFile, RunId run, const Project& project);

    [[nodiscard]] std::vector<MetricPlot*> plots() const; ///< in the order of the board
    /// Adds a plot of these series and scrolls to it; nullptr when the run has none of them.
    MetricPlot* addPlot(const QStringList& series);
    /// Takes the series from every plot; plots that are empty then go.
    void removeSeries(const QString& series);
    [[nodiscard]] bool shows(const QString& series) const;
    void resetLayout(); ///< back to the default board

    [[nodiscard]] SeriesTree* tree() const { return m_tree; }
    [[nodiscard]] StepCursor* stepCursor() const { return m_cursor; } ///< layer views may share it
    [[nodiscard]] HistoryReader* historyReader() const { return m_reader; }
    [[nodiscard]] PlotClock* plotClock() const { return m_clock; }

Q_SIGNALS:
    void startRequested();       ///< button of the empty board
    void openProjectRequested(); ///< button of the empty board
    void placeActivated(const QString& where); ///< a finding's mark was clicked

private:
    void showLiveRun();
    void showSource(std::shared_ptr<SeriesSource> source, const Project& project);
    void pollStructure();
    void fillPlots();
    MetricPlot* makePlot(const PlotSpec& spec);
    void closePlot(MetricPlot* plot);
    void updateMarks();
    void updateHighlight();
    void selectNodeOf(const QString& series);
    void updateEmptyBoard();
    void restoreLayout();
    void saveLayout();
    [[nodiscard]] QString settingsKey() const;

    Theme& m_theme;
    SessionBridge& m_bridge;
    Selection& m_selection;
    QSettings& m_settings;
    SystemClock m_systemClock;
    PlotClock* m_clock = nullptr;
    HistoryReader* m_reader = nullptr;
    StepCursor* m_cursor = nullptr;
    SeriesTree* m_tree = nullptr;
    PlotGrid* m_grid = nullptr;
    EmptyBoard* m_empty = nullptr;
    QStackedWidget* m_stack = nullptr;

    std::shared_ptr<SeriesSource> m_source;
    bool m_live = false;
    bool m_projectOpen = false;
    std::vector<std::string> m_nodeIds;
    QString m_projectKey;
    BoardLayout m_layout;
    std::uint64_t m_structureVersion = 0;
    QTimer m_structureTimer;
};

} // namespace athanor
