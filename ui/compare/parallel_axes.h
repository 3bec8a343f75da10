// GUI thread. Parallel coordinates: one vertical axis per setting and metric, one line per run.
#pragma once

#include <QColor>
#include <QString>
#include <QWidget>

#include <optional>
#include <vector>

namespace athanor {

class Theme;

/// One axis with a place for each run, from 0 (bottom) to 1.
struct ParallelAxis {
    QString title;
    std::vector<std::optional<double>> places; ///< nullopt: the run has no value here, its line has a gap
    QString lowest;                            ///< texts at the ends; of choices all in `marks`
    QString highest;
    std::vector<std::pair<double, QString>> marks;
    bool isLogarithmic = false;
};

/// An axis of numbers; logarithmic when they are positive and span three decades or more.
ParallelAxis numberAxis(const QString& title, const std::vector<std::optional<double>>& values);
/// An axis of texts, in their order.
ParallelAxis choiceAxis(const QString& title, const std::vector<std::optional<QString>>& values);

/// A line that is clicked (or reached with the arrow keys) stands out and is told of.
class ParallelAxes : public QWidget {
    Q_OBJECT
public:
    explicit ParallelAxes(const Theme& theme, QWidget* parent = nullptr); ///< the theme outlives it
    void setRuns(std::vector<QString> names, std::vector<QColor> colors);
    void setAxes(std::vector<ParallelAxis> axes);
    [[nodiscard]] const std::vector<ParallelAxis>& axes() const { return m_axes; }
    void setCurrent(int run); ///< −1: none
    [[nodiscard]] int current() const { return m_current; }
    [[nodiscard]] QPointF pointOf(std::size_t axis,
                                  std::size_t run) const; ///< px; of a run that has a value there
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void currentChanged(int run);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    [[nodiscard]] double xOf(std::size_t axis) const;
    [[nodiscard]] double yOf(double place) const;
    [[nodiscard]] int runAt(const QPointF& position) const;
    void choose(int run);

    const Theme& m_theme;
    std::vector<QString> m_names;
    std::vector<QColor> m_colors;
    std::vector<ParallelAxis> m_axes;
    int m_current = -1;
};

} // namespace athanor
