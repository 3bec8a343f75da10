// GUI thread. Fixes of a problem as buttons, one below the other.
#pragma once

#include "engine/graph/suggested_fix.h"

#include <QWidget>

#include <vector>

class QVBoxLayout;

namespace athanor {

class Theme;

/// Hidden while there is none that can be applied.
class FixButtons : public QWidget {
    Q_OBJECT
public:
    FixButtons(const Theme& theme, QWidget* parent);
    void show(const std::vector<SuggestedFix>& fixes);

Q_SIGNALS:
    void fixRequested(const athanor::SuggestedFix& fix);

private:
    const Theme& m_theme;
    QVBoxLayout* m_column;
    std::vector<SuggestedFix> m_fixes;
};

} // namespace athanor
