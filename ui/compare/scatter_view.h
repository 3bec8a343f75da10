// GUI thread. A setting against a metric, one dot per run.
#pragma once

#include "ui/compare/parallel_axes.h"

namespace athanor {

/// Takes the same axes as ParallelAxes: one lies, one stands.
class ScatterView : public QWidget {
    Q_OBJECT
public:
    explicit ScatterView(const Theme& theme, QWidget* parent = nullptr); ///< the theme outlives it
    void setRuns(std::vector<QString> names, std::vector<QColor> colors);
    void setAxes(ParallelAxis x, ParallelAxis y, const QString& remark);
    void setCurrent(int run);
    [[nodiscard]] QString remark() const { return m_remark; }
    /// Px; nullopt for a run that lacks one of the two.
    [[nodiscard]] std::optional<QPointF> pointOf(std::size_t run) const;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void currentChanged(int run);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    const Theme& m_theme;
    std::vector<QString> m_names;
    std::vector<QColor> m_colors;
    ParallelAxis m_x;
    ParallelAxis m_y;
    QString m_remark;
    int m_current = -1;
};

} // namespace athanor
