#include "engine/compare/step_map.h"

#include <QTest>

using namespace athanor;

class TestStepMap : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void stepsAreThemselves() { QCOMPARE(StepMap::make(CurveAxis::Step, {}, {}).at(17), 17.0); }

    void epochsFollowTheirEnds()
    {
        RunInfo run;
        run.steps = 250;
        run.epochs = 2.5;
        const std::vector<Event> events{{100, 0, EventKind::EpochEnded, {}, {}},
                                        {200, 0, EventKind::EpochEnded, {}, {}}};
        const StepMap map = StepMap::make(CurveAxis::Epoch, run, events);
        QCOMPARE(map.at(50), 0.5);
        QCOMPARE(map.at(200), 2.0);
        QCOMPARE(map.at(250), 2.5);
        QCOMPARE(map.at(300), 3.0);
    }

    void timeFollowsTheEvents()
    {
        RunInfo run;
        run.startedMs = 1'000'000;
        run.steps = 200;
        run.seconds = 30;
        const std::vector<Event> events{{100, 1'010'000, EventKind::EpochEnded, {}, {}},
                                        {150, 900'000, EventKind::Note, {}, {}}, // the clock was set back
                                        {200, 1'030'000, EventKind::EpochEnded, {}, {}}};
        const StepMap map = StepMap::make(CurveAxis::Time, run, events);
        QCOMPARE(map.at(50), 5.0);
        QCOMPARE(map.at(150), 20.0);
        const Curve curve = map.curve({{100, 200}, {1, 2}});
        QCOMPARE(curve.x, (std::vector<double>{10, 30}));
        QCOMPARE(curve.y, (std::vector<double>{1, 2}));
    }

    // An hour's pause: 30 s of training by the run's own count are what the axis shows.
    void aPauseTakesNoTime()
    {
        RunInfo run;
        run.startedMs = 0;
        run.steps = 100;
        run.seconds = 30;
        const std::vector<Event> events{{100, 3'600'000, EventKind::EpochEnded, {}, {}}};
        QCOMPARE(StepMap::make(CurveAxis::Time, run, events).at(100), 30.0);
    }

    void aRunWithoutAnyEventGoesEvenly()
    {
        RunInfo run;
        run.steps = 10;
        run.seconds = 5;
        QCOMPARE(StepMap::make(CurveAxis::Time, run, {}).at(4), 2.0);
        QCOMPARE(StepMap::make(CurveAxis::Epoch, RunInfo{}, {}).at(4), 0.0);
    }
};

QTEST_APPLESS_MAIN(TestStepMap)
#include "tst_step_map.moc"
