// GUI thread. The table of all runs: filter, columns, selection, and what can be done with the selected ones.
#pragma once

#include "ui/bridge/run_list_model.h"
#include "ui/shell/run_exchange.h"

#include <QWidget>

#include <vector>

class QLabel;
class QMenu;
class QPushButton;
class QSettings;
class QTableView;
class QToolButton;

namespace athanor {

class RunFilterBox;
class Theme;

class RunTable : public QWidget {
    Q_OBJECT
public:
    /// References outlive the table.
    RunTable(Theme& theme, RunListModel& model, QSettings& settings, QWidget* parent = nullptr);
    ~RunTable() override; ///< remembers the columns

    [[nodiscard]] std::vector<RunId> selectedRuns() const; ///< in the order of the table
    [[nodiscard]] RunListFilter& filter() { return m_filter; }
    [[nodiscard]] QTableView* view() const { return m_table; }
    void setLoaded()
    {
        m_loaded = true;
        updateCount();
    } ///< the first list is here
    void deleteSelected();

Q_SIGNALS:
    void openRequested(athanor::RunId run);
    void compareRequested(const std::vector<athanor::RunId>& runs);
    void exportRequested(const std::vector<athanor::RunId>& runs, athanor::RunFormat format);
    void importRequested();

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    QWidget* makeHead();
    void makeTable();
    void makeActions();
    QMenu* makeColorMenu();
    QMenu* makeExportMenu();
    void applyFilter(const QString& text);
    void updateCount();
    void updateActions();
    void chooseColumns();
    [[nodiscard]] QStringList shownColumns() const;
    void showColumns(const QStringList& shown, const QStringList& extra);
    void placeNewColumns(int first, int last);
    void restoreColumns();
    void saveColumns() const;
    // run_table_views.cpp
    void fillViewsMenu();
    void saveView();
    void showView(const QString& name);

    Theme& m_theme;
    RunListModel& m_model;
    QSettings& m_settings;
    RunListFilter m_filter;
    RunFilterBox* m_box = nullptr;
    QLabel* m_count = nullptr;
    QPushButton* m_compare = nullptr;
    QPushButton* m_delete = nullptr;
    QPushButton* m_undo = nullptr;
    QToolButton* m_views = nullptr;
    QMenu* m_viewsMenu = nullptr;
    QTableView* m_table = nullptr;
    bool m_loaded = false;
};

} // namespace athanor
