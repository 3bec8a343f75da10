// GUI thread. The searchable tree of a run's series.
#pragma once

#include "ui/plot/series_tree_model.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QLineEdit;
class QTreeView;

namespace athanor {

/// Checking a row, a double click or Enter asks for a plot of the series, or takes it away. Twice a second
/// the values of the rows in sight are painted anew; the others cost nothing.
class SeriesTree : public QWidget {
    Q_OBJECT
public:
    explicit SeriesTree(Theme& theme, QWidget* parent = nullptr);

    void setSource(std::shared_ptr<SeriesSource> source);
    void setPlotted(const std::set<QString>& series) { m_model->setPlotted(series); }
    /// Series that stand out (of the selected node); the first one is scrolled to when `reveal` is set.
    void setHighlighted(const std::set<QString>& series, bool reveal);
    void pollStructure(); ///< takes in new series

    [[nodiscard]] SeriesTreeModel* model() const { return m_model; }
    [[nodiscard]] QTreeView* view() const { return m_view; }
    [[nodiscard]] int refreshedRows() const { return m_refreshedRows; } ///< by the last refresh (tests)
    void refreshValues();

Q_SIGNALS:
    void additionRequested(const QString& series); ///< to be shown somewhere
    void plotRequested(const QStringList& series); ///< a plot of their own, all in one
    void removalRequested(const QString& series);
    void seriesSelected(const QString& series); ///< the current row became one by the user

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    void toggle(const QModelIndex& proxyIndex);
    void openMenu(const QPoint& position);
    void filter(const QString& text);
    void updateCount();

    SeriesTreeModel* m_model;
    SeriesTreeFilter* m_filter;
    QLineEdit* m_search;
    QTreeView* m_view;
    QLabel* m_count;
    QTimer m_timer;
    int m_refreshedRows = 0;
    bool m_isRevealing = false;
};

} // namespace athanor
