// Rules about the training loss itself. Growth beyond all measure and non-finite values are two faces of
// one thing, so one rule watches both and reports the one that came first; the other is in its evidence.
#include "engine/diagnose/rule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

namespace athanor {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::string shortNumber(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

/// The node that an alarm's place belongs to: a parameter is addressed as in PyTorch, block1.conv.weight for
/// the node block1/conv. None for the loss itself.
std::string nodeAt(std::string place)
{
    if (place == "train/loss")
        return {};
    if (const auto parameter = place.rfind('.'); parameter != std::string::npos)
        place.erase(parameter);
    std::replace(place.begin(), place.end(), '.', '/');
    return place;
}

/// Where and how often something was seen.
struct Sightings {
    std::int64_t count = 0;
    std::int64_t firstStep = 0;
    std::int64_t lastStep = 0;

    void add(std::int64_t step)
    {
        firstStep = count == 0 ? step : std::min(firstStep, step);
        lastStep = count == 0 ? step : std::max(lastStep, step);
        ++count;
    }
    void add(const Sightings& other)
    {
        if (other.count == 0)
            return;
        firstStep = count == 0 ? other.firstStep : std::min(firstStep, other.firstStep);
        lastStep = count == 0 ? other.lastStep : std::max(lastStep, other.lastStep);
        count += other.count;
    }
};

/// Finds a finite loss that grew beyond all measure and stays there. A spike, a late rise from a very small
/// loss, or a loss that starts high and falls are healthy.
class GrowthWatch {
public:
    static constexpr double kSmallest = 1e-3; ///< a start below this is measured as this

    void add(std::int64_t step, double loss)
    {
        if (m_early < kEarly) {
            m_first[m_early++] = loss;
            m_baseline = baseline();
        }
        const bool beyond = std::abs(loss) > kGrowth * std::max(m_baseline, kSmallest);
        m_streak = beyond ? m_streak + 1 : 0;
        if (m_streak == 1)
            m_streakStart = step;
        if (m_streak < kPersistence)
            return;
        if (m_seen.count == 0)
            m_seen.add(m_streakStart);
        m_seen.add(step);
        m_level = loss;
    }

    [[nodiscard]] const Sightings& seen() const { return m_seen; }
    [[nodiscard]] double level() const { return m_level; }
    /// What the loss was at its start: the smaller of its first value and its early median, so that a run
    /// that explodes within its first steps is measured against where it began.
    [[nodiscard]] double baseline() const
    {
        auto values = m_first;
        for (double& value : values)
            value = std::abs(value);
        const auto end = values.begin() + static_cast<std::ptrdiff_t>(m_early);
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(m_early / 2);
        const double first = values.front();
        std::nth_element(values.begin(), middle, end);
        return std::min(first, *middle);
    }

private:
    static constexpr std::size_t kEarly = 16;
    static constexpr int kPersistence = 10; ///< steps in a row
    static constexpr double kGrowth = 1e3;

    std::array<double, kEarly> m_first{};
    std::size_t m_early = 0;
    double m_baseline = 0;
    int m_streak = 0;
    std::int64_t m_streakStart = 0;
    Sightings m_seen;
    double m_level = kNaN;
};

class LossRule final : public Rule {
public:
    bool reads(SeriesIndex index, const SeriesInfo& info) override
    {
        if (info.name == "train/loss")
            m_lossSeries = index;
        else if (info.name == "lr")
            m_lrSeries = index;
        else
            return false;
        return true;
    }

    void sample(const Sample& sample) override
    {
        if (sample.series == m_lrSeries) {
            if (!isSick())
                m_lr = sample.value; // the one that led here, not what it was changed to afterwards
            return;
        }
        if (std::isfinite(sample.value)) {
            if (m_losses.count == 0)
                m_lastFinite = sample.value;
            m_growth.add(sample.step, sample.value);
        } else {
            m_losses.add(sample.step);
        }
    }

    void event(const Event& event) override
    {
        if (event.kind != EventKind::NonFinite)
            return;
        if (m_alarms.count == 0 || event.step < m_alarms.firstStep) {
            m_alarmText = event.text;
            m_alarmPlace = event.where;
        }
        m_alarms.add(event.step);
    }

    std::optional<Finding> finding() const override
    {
        Sightings nonFinite = m_losses;
        nonFinite.add(m_alarms);
        const Sightings& growth = m_growth.seen();
        if (growth.count > 0 && (nonFinite.count == 0 || growth.firstStep < nonFinite.firstStep))
            return diverged(nonFinite);
        if (nonFinite.count > 0)
            return notFinite(nonFinite);
        return std::nullopt;
    }

private:
    [[nodiscard]] bool isSick() const
    {
        return m_losses.count > 0 || m_alarms.count > 0 || m_growth.seen().count > 0;
    }

    [[nodiscard]] Finding diverged(const Sightings& nonFinite) const
    {
        const double baseline = m_growth.baseline();
        Finding out;
        out.rule = "run/diverged";
        out.severity = Severity::Error;
        out.series = "train/loss";
        out.firstStep = m_growth.seen().firstStep;
        out.lastStep = std::max(m_growth.seen().lastStep, nonFinite.lastStep);
        out.confidence = 0.95;
        out.evidence = {{"early_loss", baseline}, {"loss", m_growth.level()},
                        {"growth", std::abs(m_growth.level()) / std::max(baseline, GrowthWatch::kSmallest)}};
        if (nonFinite.count > 0)
            out.evidence["first_non_finite_step"] = static_cast<double>(nonFinite.firstStep);
        out.message = "train/loss grew from " + shortNumber(baseline) + " to " + shortNumber(m_growth.level()) +
                      " and stays there since step " + std::to_string(out.firstStep) + ".";
        out.why = "Each update made the loss larger instead of smaller. Most often the step size is too large "
                  "for this network and data: the weights overshoot, and the overshoot grows.";
        addFixes(out);
        return out;
    }

    [[nodiscard]] Finding notFinite(const Sightings& nonFinite) const
    {
        const bool lossItself = m_losses.count > 0 && m_losses.firstStep <= nonFinite.firstStep;
        Finding out;
        out.rule = "loss/non-finite";
        out.severity = Severity::Error;
        out.series = "train/loss";
        out.firstStep = nonFinite.firstStep;
        out.lastStep = nonFinite.lastStep;
        out.evidence = {{"losses", static_cast<double>(m_losses.count)},
                        {"alarms", static_cast<double>(m_alarms.count)}};
        if (!std::isnan(m_lastFinite))
            out.evidence["last_finite_loss"] = m_lastFinite;
        out.message = (lossItself ? "train/loss is" : "A value of the training became") +
                      std::string(" NaN or infinite at step ") + std::to_string(out.firstStep) + ".";
        if (!m_alarmText.empty())
            out.message += " " + m_alarmText;
        out.node = nodeAt(m_alarmPlace);
        out.why = "Once a loss or a gradient is NaN or infinite, every weight it updates becomes so too, and "
                  "nothing can be learned any more. Usual causes: a learning rate that is too high, an input "
                  "that is itself not finite, a division by zero or the logarithm of zero.";
        addFixes(out);
        out.fixes.push_back({"Look for NaN, infinite or huge values in the data: `athanor-cli check --data`.", {}});
        return out;
    }

    void addFixes(Finding& out) const
    {
        if (m_lr && std::isfinite(*m_lr) && *m_lr > 0) {
            out.evidence["lr"] = *m_lr;
            const std::string lower = shortNumber(*m_lr / 10);
            out.fixes.push_back({"Lower the learning rate to " + lower + ".", {"training.optimizer.lr=" + lower}});
        } else {
            out.fixes.push_back({"Lower the learning rate by a factor of ten.", {}});
        }
        out.fixes.push_back({"Limit the norm of the gradient.", {"training.clip_grad_norm=1"}});
    }

    std::optional<SeriesIndex> m_lossSeries;
    std::optional<SeriesIndex> m_lrSeries;
    std::optional<double> m_lr;
    double m_lastFinite = kNaN; ///< before the first non-finite loss
    GrowthWatch m_growth;
    Sightings m_losses;
    Sightings m_alarms;
    std::string m_alarmText;
    std::string m_alarmPlace;
};

} // namespace

std::unique_ptr<Rule> makeLossRule()
{
    return std::make_unique<LossRule>();
}

} // namespace athanor
