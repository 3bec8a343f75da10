// GUI thread. Deleted runs: to be restored, or deleted for good.
#pragma once

#include "ui/bridge/run_list_model.h"

#include <QDialog>

class QLabel;
class QPushButton;
class QTableWidget;

namespace athanor {

class TrashDialog : public QDialog {
    Q_OBJECT
public:
    explicit TrashDialog(RunListModel& model, QWidget* parent = nullptr); ///< the model outlives it

private:
    void read();
    void fill(const Result<std::vector<TrashedRun>>& runs);
    void updateButtons();
    void purge();
    [[nodiscard]] std::vector<RunId> selected() const;

    RunListModel& m_model;
    QTableWidget* m_table;
    QLabel* m_text;
    QPushButton* m_restore;
    QPushButton* m_purge;
};

} // namespace athanor
