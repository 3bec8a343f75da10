// GUI thread. The learning rate of a run as its schedule will make it, drawn before the run starts.
#pragma once

#include "engine/project/train_spec.h"
#include "engine/train/schedule.h"

#include <QWidget>

#include <optional>

namespace athanor {

class Theme;

/// A small curve of the rate over the steps, on a logarithmic scale when it spans more than two decades. The mouse, or Left
/// and Right with the focus, read one step off; what cannot be drawn is said instead.
class ScheduleSketch : public QWidget {
    Q_OBJECT
public:
    ScheduleSketch(const Theme& theme, QWidget* parent);

    /// `stepsPerEpoch` 0: unknown, as the data could not be opened. Computes anew only when something changed.
    void showSchedule(const TrainSpec& training, std::int64_t stepsPerEpoch);

    [[nodiscard]] const ScheduleCurve& curve() const { return m_curve; }
    [[nodiscard]] bool isLogarithmic() const { return m_isLogarithmic; }
    /// Below the curve: what is read off, the extent of the whole, or why there is none.
    [[nodiscard]] QString caption() const;

    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    struct Asked {
        std::vector<SchedulerSpec> schedulers;
        KindSpec optimizer;
        std::int64_t stepsPerEpoch = 0;
        std::int64_t steps = 0;
        bool operator==(const Asked&) const = default;
    };
    void compute(const TrainSpec& training, const Asked& asked);
    [[nodiscard]] QRectF plotArea() const;
    [[nodiscard]] QPointF pointAt(std::size_t index, const QRectF& area) const;
    [[nodiscard]] double level(double rate) const; ///< 0 at the lower end of the axis, 1 at the upper one
    void paintCurve(QPainter& painter, const QRectF& area) const;
    void paintReading(QPainter& painter, const QRectF& area) const;
    void read(std::optional<std::size_t> index);

    const Theme& m_theme;
    std::optional<Asked> m_asked;
    ScheduleCurve m_curve;
    QString m_reason; ///< why nothing is drawn
    double m_low = 0; ///< lower end of the axis
    double m_high = 1;
    bool m_isLogarithmic = false;
    std::optional<std::size_t> m_read; ///< the point that is read off
};

} // namespace athanor
