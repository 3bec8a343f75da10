// GUI thread (plain data). What part of the data a plot shows, and whether it follows the run.
#pragma once

#include "ui/plot/plot_axis.h"

namespace athanor {

/// Follow: everything so far, growing with the run. Zoomed: the user picked a part; nothing but "follow"
/// brings the rest back. Fixed: the range is locked, gestures do not move it either.
enum class RangeMode { Follow, Zoomed, Fixed };

class PlotViewport {
public:
    [[nodiscard]] RangeMode mode() const { return m_mode; }
    [[nodiscard]] const AxisRange& x() const { return m_x; }
    [[nodiscard]] const AxisRange& y() const { return m_y; }
    [[nodiscard]] ValueScale scale() const { return m_scale; }
    void setScale(ValueScale scale); ///< y fits itself to the data again

    /// Steps of the data; the x range follows them or stays.
    void setDataSteps(double first, double last);
    /// Extremes of what is visible (minimum > maximum: nothing); y fits them unless the user chose it.
    void setVisibleValues(double minimum, double maximum);

    void follow();
    void fix(); ///< locks the present ranges
    void showX(const AxisRange& range);
    void showY(const AxisRange& range);
    void zoomX(double factor, double anchor);
    void zoomY(double factor, double anchor);
    void panX(double share);
    void panY(double share);

private:
    [[nodiscard]] AxisRange wholeX() const;
    bool startZoom();

    RangeMode m_mode = RangeMode::Follow;
    ValueScale m_scale = ValueScale::Linear;
    bool m_yIsChosen = false;
    AxisRange m_data{0, 1};
    AxisRange m_x{0, 1};
    AxisRange m_y{0, 1};
};

} // namespace athanor
