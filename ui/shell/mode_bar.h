// GUI thread. The bar on the left: five modes, and under them run, pause, step, stop.
#pragma once

#include "ui/shell/mode.h"

#include <QFrame>

class QAction;
class QVBoxLayout;

namespace athanor {

class ModeBar : public QFrame {
    Q_OBJECT
public:
    /// `modes` are the checkable actions of kModes, in that order; `runActions` go below them.
    ModeBar(const std::vector<QAction*>& modes, const std::vector<QAction*>& runActions,
            QWidget* parent = nullptr);

private:
    void addButton(QAction* action, Qt::ToolButtonStyle style, int iconSize);

    QVBoxLayout* m_layout = nullptr;
};

} // namespace athanor
