// Rules about how the run goes on this machine; none of them says that the training is wrong.
#include "engine/diagnose/rule.h"

#include <cmath>
#include <utility>

namespace athanor {
namespace {

class ProbesDroppedRule final : public Rule {
public:
    bool reads(SeriesIndex, const SeriesInfo&) override { return false; }
    void sample(const Sample&) override {}
    void droppedProbes(std::uint64_t count, std::int64_t step) override
    {
        if (m_dropped == 0)
            m_firstStep = step;
        m_lastStep = step;
        m_dropped += count;
    }

    std::optional<Finding> finding() const override
    {
        if (m_dropped == 0)
            return std::nullopt;
        Finding out;
        out.rule = "run/probes-dropped";
        out.severity = Severity::Info;
        out.firstStep = m_firstStep;
        out.lastStep = m_lastStep;
        out.evidence = {{"dropped", static_cast<double>(m_dropped)}};
        out.message = std::to_string(m_dropped) + " probe samples were not stored, the first near step " +
                      std::to_string(m_firstStep) + ".";
        out.why = "The training makes numbers faster than they can be recorded. Rather than slow the training "
                  "down, samples of probes are left out; loss, metrics and learning rate are all there.";
        out.fixes = {{"Keep the run store on a faster disk, or close other programs that use the disk.", {}}};
        return out;
    }

private:
    std::uint64_t m_dropped = 0;
    std::int64_t m_firstStep = 0;
    std::int64_t m_lastStep = 0;
};

class DataBoundRule final : public Rule {
public:
    bool reads(SeriesIndex index, const SeriesInfo& info) override
    {
        if (info.name == "time/step")
            m_stepSeries = index;
        else if (info.name == "time/data_wait")
            m_waitSeries = index;
        else
            return false;
        return true;
    }

    void sample(const Sample& sample) override
    {
        if (sample.series == m_stepSeries)
            m_step.add(sample);
        else
            m_wait.add(sample);
    }

    std::optional<Finding> finding() const override
    {
        if (m_step.count < kEnough || m_wait.count < kEnough)
            return std::nullopt;
        const double waited = m_wait.mean();
        const double share = waited / m_step.mean();
        if (!(share > kShare))
            return std::nullopt;
        Finding out;
        out.rule = "run/data-bound";
        out.severity = Severity::Info;
        out.series = "time/data_wait";
        out.firstStep = m_wait.firstStep;
        out.lastStep = m_wait.lastStep;
        out.confidence = 0.9;
        out.evidence = {{"share", share}, {"data_wait_ms", waited}, {"step_ms", m_step.mean()}};
        out.message = "The training waits for data during " + std::to_string(std::lround(100 * share)) +
                      " % of its time.";
        out.why = "Reading and transforming the samples takes longer than the computation of a step, so the "
                  "processor idles between steps. The result is right, it only comes later than it could.";
        out.fixes = {{"Raise num_workers of the Loader.", {}},
                     {"Set cache of the Loader to memory: from the second epoch on no file is read and decoded again.",
                      {}},
                     {"Do costly transforms once, ahead of the training, or make them simpler.", {}}};
        return out;
    }

private:
    // The first steps fill caches and start workers; they say nothing about the run.
    static constexpr std::int64_t kWarmUp = 20;
    static constexpr std::int64_t kEnough = 200;
    static constexpr double kShare = 0.5;

    struct Times {
        std::int64_t seen = 0;
        std::int64_t count = 0;
        std::int64_t firstStep = 0;
        std::int64_t lastStep = 0;
        double sum = 0;

        void add(const Sample& sample)
        {
            if (++seen <= kWarmUp || !std::isfinite(sample.value))
                return;
            if (count++ == 0)
                firstStep = sample.step;
            lastStep = sample.step;
            sum += sample.value;
        }
        [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }
    };

    std::optional<SeriesIndex> m_stepSeries;
    std::optional<SeriesIndex> m_waitSeries;
    Times m_step;
    Times m_wait;
};

} // namespace

std::unique_ptr<Rule> makeProbesDroppedRule()
{
    return std::make_unique<ProbesDroppedRule>();
}

std::unique_ptr<Rule> makeDataBoundRule()
{
    return std::make_unique<DataBoundRule>();
}

} // namespace athanor
