// Session thread, torch-free. A watched series: its best value, and how long ago that was.
#pragma once

#include "engine/base/json.h"
#include "engine/project/train_spec.h"

#include <limits>
#include <string>

namespace athanor {

class Monitor {
public:
    Monitor(std::string series, MonitorMode mode, double minDelta = 0);

    [[nodiscard]] const std::string& series() const { return m_series; }
    [[nodiscard]] double best() const { return m_best; } ///< NaN before the first finite value
    [[nodiscard]] int sinceBest() const { return m_sinceBest; } ///< values since then

    /// True when the value is better than the best by more than min_delta. NaN never is.
    bool add(double value);

    [[nodiscard]] Json state() const;
    void restore(const Json& state);

private:
    std::string m_series;
    MonitorMode m_mode;
    double m_minDelta;
    double m_best = std::numeric_limits<double>::quiet_NaN();
    int m_sinceBest = 0;
};

} // namespace athanor
