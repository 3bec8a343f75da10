// The clock's budget, fairness and rate, with time advanced by hand.
#include "ui/plot/plot_clock.h"

#include <QTest>

#include <memory>

using namespace athanor;
using namespace std::chrono_literals;

namespace {

class ManualClock final : public Clock {
public:
    [[nodiscard]] std::chrono::nanoseconds now() const override { return time; }
    [[nodiscard]] std::int64_t wallMilliseconds() const override { return 0; }
    std::chrono::nanoseconds time{0};
};

class Target final : public RefreshTarget {
public:
    Target(ManualClock& clock, std::chrono::nanoseconds cost) : m_clock(clock), m_cost(cost) {}
    [[nodiscard]] bool wantsRefresh() const override { return wants; }
    void refresh() override
    {
        ++refreshed;
        m_clock.time += m_cost;
    }
    [[nodiscard]] std::chrono::nanoseconds paintCost() const override { return painting; }
    void setCost(std::chrono::nanoseconds cost) { m_cost = cost; }

    bool wants = true;
    int refreshed = 0;
    std::chrono::nanoseconds painting{0};

private:
    ManualClock& m_clock;
    std::chrono::nanoseconds m_cost;
};

} // namespace

class TestPlotClock : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void asksOnlyThoseThatWantIt()
    {
        ManualClock time;
        PlotClock clock(time);
        Target still(time, 1ms);
        Target changed(time, 1ms);
        still.wants = false;
        clock.add(&still);
        clock.add(&changed);
        for (int i = 0; i < 10; ++i)
            clock.tick();
        QCOMPARE(still.refreshed, 0);
        QCOMPARE(changed.refreshed, 10);
    }

    void keepsTheBudgetAndTakesTurns()
    {
        ManualClock time;
        PlotClock clock(time);
        std::vector<std::unique_ptr<Target>> targets;
        for (int i = 0; i < 8; ++i) {
            targets.push_back(std::make_unique<Target>(time, 5ms));
            clock.add(targets.back().get());
        }
        for (int i = 0; i < 8; ++i)
            clock.tick(); // what each costs is known after its first turn
        for (auto& target : targets)
            target->refreshed = 0;
        for (int i = 0; i < 40; ++i) {
            const auto before = time.time;
            clock.tick();
            QVERIFY(time.time - before <= PlotClock::kBudget);
        }
        for (const auto& target : targets)
            QCOMPARE(target->refreshed, 10); // two a tick, in turn
        QCOMPARE(clock.interval(), PlotClock::kInterval);
    }

    void countsPaintingAgainstTheBudget()
    {
        ManualClock time;
        PlotClock clock(time);
        Target a(time, 1ms);
        Target b(time, 1ms);
        a.painting = b.painting = 8ms;
        clock.add(&a);
        clock.add(&b);
        clock.tick();
        const int before = a.refreshed + b.refreshed;
        clock.tick();
        QCOMPARE(a.refreshed + b.refreshed - before, 1);
    }

    void halvesTheRateAfterTwoOverrunsAndRestoresIt()
    {
        ManualClock time;
        PlotClock clock(time);
        Target slow(time, 20ms);
        clock.add(&slow);
        clock.tick();
        QCOMPARE(clock.interval(), PlotClock::kInterval);
        clock.tick();
        QCOMPARE(clock.interval(), PlotClock::kInterval * 2);
        for (int i = 0; i < 20; ++i)
            clock.tick();
        QCOMPARE(clock.interval(), PlotClock::kSlowestInterval);

        slow.setCost(2ms);
        for (int i = 0; i < PlotClock::kQuietTicks; ++i)
            clock.tick();
        QCOMPARE(clock.interval(), PlotClock::kSlowestInterval / 2);
        for (int i = 0; i < 10 * PlotClock::kQuietTicks; ++i)
            clock.tick();
        QCOMPARE(clock.interval(), PlotClock::kInterval);
    }

    void oneOverrunAloneChangesNothing()
    {
        ManualClock time;
        PlotClock clock(time);
        Target target(time, 1ms);
        clock.add(&target);
        for (int i = 0; i < 10; ++i) {
            target.setCost(i % 2 == 0 ? 20ms : 1ms);
            clock.tick();
        }
        QCOMPARE(clock.interval(), PlotClock::kInterval);
    }

    void aTargetMayGoAway()
    {
        ManualClock time;
        PlotClock clock(time);
        Target a(time, 1ms);
        Target b(time, 1ms);
        clock.add(&a);
        clock.add(&b);
        clock.tick();
        clock.remove(&a);
        clock.tick();
        QCOMPARE(a.refreshed, 1);
        QCOMPARE(b.refreshed, 2);
        clock.remove(&b);
        clock.tick();
    }
};

QTEST_GUILESS_MAIN(TestPlotClock)
#include "tst_plot_clock.moc"
