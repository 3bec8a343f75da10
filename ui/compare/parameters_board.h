// GUI thread. Which settings go with a metric: parallel coordinates, scatter, rank correlation.
#pragma once

#include "engine/compare/comparison.h"
#include "engine/compare/rank_correlation.h"

#include <QWidget>

#include <memory>

class QComboBox;
class QLabel;
class QTableWidget;

namespace athanor {

class ParallelAxes;
class ScatterView;
class Theme;

class ParametersBoard : public QWidget {
    Q_OBJECT
public:
    explicit ParametersBoard(Theme& theme, QWidget* parent = nullptr); ///< the theme outlives it
    void show(std::shared_ptr<const Comparison> comparison);
    [[nodiscard]] const std::vector<ParameterWeight>& weights() const { return m_weights; }
    [[nodiscard]] ParallelAxes* parallel() const { return m_parallel; }
    [[nodiscard]] ScatterView* scatter() const { return m_scatter; }

private:
    void compute();
    void showParameter();
    void setCurrent(int run);
    [[nodiscard]] std::vector<double> metricValues() const;

    Theme& m_theme;
    std::shared_ptr<const Comparison> m_comparison;
    QComboBox* m_metric;
    QComboBox* m_which;
    QLabel* m_run;
    QLabel* m_hint;
    QTableWidget* m_table;
    ParallelAxes* m_parallel;
    ScatterView* m_scatter;
    std::vector<std::vector<std::optional<RunValue>>> m_values; ///< by run, then by setting
    std::vector<ParameterWeight> m_weights;
};

} // namespace athanor
