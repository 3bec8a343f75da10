// GUI thread. What the rules find in each of the compared runs.
#pragma once

#include "engine/compare/comparison.h"

#include <QColor>
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
    /// The runs; what is found of them comes when the table is first looked at: it needs all of their points.
    void show(const Comparison& comparison);
    void setProgress(int done, int all);
    void setFindings(const Result<std::vector<FindingDifference>>& findings);
    [[nodiscard]] QTableWidget* table() const { return m_table; }

Q_SIGNALS:
    void findingsWanted();

protected:
    void showEvent(QShowEvent* event) override;

private:
    enum class State { Unread, Asked, Read };
    void fill();
    void ask();

    Theme& m_theme;
    QCheckBox* m_onlyDifferent;
    QLabel* m_count;
    QTableWidget* m_table;
    std::vector<std::string> m_names;
    std::vector<QColor> m_colors;
    std::vector<FindingDifference> m_findings;
    State m_state = State::Unread;
};

} // namespace athanor
