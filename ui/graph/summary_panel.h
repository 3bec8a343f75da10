// GUI thread. The network layer by layer: shapes, parameters, MACs, receptive field, memory.
#pragma once

#include "ui/bridge/project_document.h"

#include <QWidget>

class QLabel;
class QSortFilterProxyModel;
class QTableView;
class QToolButton;

namespace athanor {

class SummaryModel;
class Theme;
class WholeNumberBox;

/// Follows the newest check. A row selects its node, a selected node its row. Sorting by the first column gives the
/// order of computation.
class SummaryPanel : public QWidget {
    Q_OBJECT
public:
    /// All references are borrowed and outlive the panel.
    SummaryPanel(ProjectDocument& document, Selection& selection, const Theme& theme, QWidget* parent = nullptr);

    void copyAsText() const;
    void copyAsMarkdown() const;

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeTools();
    void makeTable();
    void refresh();
    void selectNode();
    void followSelection();

    ProjectDocument& m_document;
    Selection& m_selection;
    const Theme& m_theme;
    SummaryModel* m_model = nullptr;
    QSortFilterProxyModel* m_sorted = nullptr;
    QTableView* m_table = nullptr;
    WholeNumberBox* m_batch = nullptr;
    QLabel* m_totals = nullptr;
    QToolButton* m_copy = nullptr;
    bool m_isStale = true;
    bool m_batchIsOwn = false; ///< typed here; else it is the Loader's
    bool m_following = false;
};

} // namespace athanor
