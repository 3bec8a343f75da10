// GUI thread. The Runs mode: the table of all runs, and the curves of the one that was opened.
#pragma once

#include "ui/bridge/run_list_model.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QPushButton;
class QSettings;
class QStackedWidget;
class QTableView;

namespace athanor {

class MetricsBoard;
class NoticeBar;
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
    ~RunsPage() override; ///< remembers the table's columns

    void openRun(RunId run); ///< shows its curves
    void showTable();
    [[nodiscard]] MetricsBoard* board() const { return m_board; }

Q_SIGNALS:
    void startRequested(); ///< button of the empty page
    void placeActivated(const QString& where);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    QWidget* makeTablePage(Theme& theme);
    QWidget* makeEmptyPage();
    QWidget* makeBoardPage(Theme& theme);
    void makeTable();
    void makeContextMenu();
    void placeNewColumns(int first, int last);
    void restoreColumns();
    void saveColumns() const;
    void updateCount();
    void showStored(const Result<Project>& project);
    void showCurves();

    RunListModel& m_model;
    SessionBridge& m_bridge;
    QSettings& m_settings;
    RunListFilter m_filter;
    QStackedWidget* m_stack = nullptr;
    QWidget* m_tablePage = nullptr;
    QWidget* m_emptyPage = nullptr;
    QWidget* m_boardPage = nullptr;
    QLineEdit* m_search = nullptr;
    QLabel* m_count = nullptr;
    QTableView* m_table = nullptr;
    NoticeBar* m_notice = nullptr;
    QLabel* m_runTitle = nullptr;
    QLabel* m_runFacts = nullptr;
    MetricsBoard* m_board = nullptr;
    RunId m_shownRun = 0;
    Project m_shownProject;
    bool m_loaded = false; ///< the first list is here
};

} // namespace athanor
