// GUI thread. The Runs mode: the table of all runs, the curves of the one that was opened, the comparison of several.
#pragma once

#include "ui/bridge/run_list_model.h"
#include "ui/shell/run_exchange.h"

#include <QWidget>

class QLabel;
class QSettings;
class QStackedWidget;

namespace athanor {

class ComparePage;
class MetricsBoard;
class NoticeBar;
class RunTable;
class Selection;
class SessionBridge;
class Theme;

/// The list refreshes itself while the page is visible.
class RunsPage : public QWidget {
    Q_OBJECT
public:
    /// References outlive the page.
    RunsPage(Theme& theme, SessionBridge& bridge, Selection& selection, RunListModel& model,
             QSettings& settings, QWidget* parent = nullptr);

    void openRun(RunId run); ///< shows its curves
    void compareRuns(const std::vector<RunId>& runs);
    void showTable();
    /// What imports and exports; outlives the page.
    void setExchange(RunExchange& exchange);
    [[nodiscard]] MetricsBoard* board() const { return m_board; }
    [[nodiscard]] RunTable* table() const { return m_table; }
    [[nodiscard]] ComparePage* comparePage() const { return m_compare; }

Q_SIGNALS:
    void imported();       ///< runs have come in: they are in the table
    void startRequested(); ///< button of the empty page
    void placeActivated(const QString& where);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    QWidget* makeEmptyPage();
    QWidget* makeBoardPage(Theme& theme);
    void updatePage();
    void chooseImport();
    void chooseExport(const std::vector<RunId>& runs, RunFormat format);
    void tellImport(const ImportReport& report);
    void showStored(const Result<Project>& project);
    void showCurves();

    RunListModel& m_model;
    SessionBridge& m_bridge;
    RunTable* m_table;
    RunExchange* m_exchange = nullptr;
    QStackedWidget* m_stack = nullptr;
    QWidget* m_emptyPage = nullptr;
    QWidget* m_boardPage = nullptr;
    ComparePage* m_compare;
    NoticeBar* m_notice = nullptr;
    QLabel* m_runTitle = nullptr;
    QLabel* m_runFacts = nullptr;
    MetricsBoard* m_board = nullptr;
    RunId m_shownRun = 0;
    Project m_shownProject;
    bool m_loaded = false; ///< the first list is here
};

} // namespace athanor
