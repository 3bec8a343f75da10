// GUI thread. The Findings tab: everything that is wrong, with what cures it; Enter goes to the place.
#pragma once

#include "engine/graph/suggested_fix.h"

#include <QWidget>

#include <array>

class QHBoxLayout;
class QSortFilterProxyModel;
class QStackedLayout;
class QToolButton;
class QTreeView;

namespace athanor {

class FindingsModel;
class Theme;

/// Rows can be hidden by severity. Enter or a double click goes to a row's place, Ctrl+Enter applies its first fix.
class FindingsPanel : public QWidget {
    Q_OBJECT
public:
    FindingsPanel(Theme& theme, FindingsModel& model, QWidget* parent = nullptr);

    /// Goes to the next row that is shown (`step` 1) or the one before (−1), around the ends.
    void goToNext(int step);

Q_SIGNALS:
    void findingActivated(int row); ///< of the model
    void fixRequested(const athanor::SuggestedFix& fix);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void makeFilters(QHBoxLayout* row);
    void makeView();
    void activate(const QModelIndex& shown);
    void updateFilter();
    void updateFixes();
    void updateCounts();
    [[nodiscard]] int currentRow() const; ///< of the model, −1 for none

    Theme& m_theme;
    FindingsModel& m_model;
    QSortFilterProxyModel* m_shown = nullptr;
    QStackedLayout* m_stack = nullptr;
    QTreeView* m_view = nullptr;
    std::array<QToolButton*, 3> m_filters{}; ///< by Severity
    QToolButton* m_fix = nullptr;       ///< the first fix of the current row
    QToolButton* m_moreFixes = nullptr; ///< there while it has others
};

} // namespace athanor
