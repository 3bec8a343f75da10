// GUI thread. Problems one below the other, with what to do about them.
#pragma once

#include "engine/graph/graph_check.h"

#include <QWidget>

class QVBoxLayout;

namespace athanor {

class Theme;

/// Hidden while there are none. A fix that can be applied is a button below its problem.
class ProblemList : public QWidget {
    Q_OBJECT
public:
    ProblemList(const Theme& theme, QWidget* parent);
    void show(const std::vector<Problem>& problems);

Q_SIGNALS:
    void fixRequested(const athanor::SuggestedFix& fix);

private:
    QWidget* makeRow(const Problem& problem);
    const Theme& m_theme;
    QVBoxLayout* m_column;
    std::vector<Problem> m_problems;
};

} // namespace athanor
