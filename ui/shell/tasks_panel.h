// GUI thread. The Tasks tab: background work with progress, time left and cancel.
#pragma once

#include <QWidget>

class QVBoxLayout;
class QLabel;

namespace athanor {

class TaskList;
class Theme;

class TasksPanel : public QWidget {
    Q_OBJECT
public:
    TasksPanel(Theme& theme, TaskList& tasks, QWidget* parent = nullptr);

private:
    class Row;
    void insertRows(int first, int last);
    void removeRows(int first, int last);
    void updateRows(int first, int last);

    Theme& m_theme;
    TaskList& m_tasks;
    QLabel* m_empty = nullptr;
    QVBoxLayout* m_rowLayout = nullptr;
    std::vector<Row*> m_rows; ///< one per row of the list, in its order
};

} // namespace athanor
