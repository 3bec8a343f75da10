// GUI thread. The Findings tab: everything that is wrong, a double click goes to the place.
#pragma once

#include <QWidget>

class QStackedLayout;
class QTreeView;

namespace athanor {

class FindingsModel;
class Theme;

class FindingsPanel : public QWidget {
    Q_OBJECT
public:
    FindingsPanel(Theme& theme, FindingsModel& model, QWidget* parent = nullptr);

Q_SIGNALS:
    void findingActivated(int row);

private:
    void updateEmptyState();

    FindingsModel& m_model;
    QStackedLayout* m_stack = nullptr;
    QTreeView* m_view = nullptr;
};

} // namespace athanor
