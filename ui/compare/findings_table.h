// GUI thread. What the rules find in each of the compared runs.
#pragma once

#include "engine/compare/comparison.h"

#include <QWidget>

class QCheckBox;
class QLabel;
class QTableWidget;

namespace athanor {

class Theme;

class FindingsTable : public QWidget {
    Q_OBJECT
public:
    explicit FindingsTable(Theme& theme, QWidget* parent = nullptr);
    void show(const Comparison& comparison);
    [[nodiscard]] QTableWidget* table() const { return m_table; }

private:
    void fill();

    Theme& m_theme;
    QCheckBox* m_onlyDifferent;
    QLabel* m_count;
    QTableWidget* m_table;
    std::vector<std::string> m_names;
    std::vector<FindingDifference> m_findings;
};

} // namespace athanor
