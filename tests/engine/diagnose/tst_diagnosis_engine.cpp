#include "engine/diagnose/diagnosis_engine.h"

#include <QTest>

#include <cmath>
#include <functional>
#include <random>
#include <thread>

using namespace athanor;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

enum Index : SeriesIndex { Loss, Rate, StepTime, DataWait };

// A run as the recorder would feed it: one call of addSamples per step.
class Feed {
public:
    Feed()
    {
        engine.addSeries({"train/loss", "", SeriesRole::Essential});
        engine.addSeries({"lr", "", SeriesRole::Essential});
        engine.addSeries({"time/step", "ms", SeriesRole::Machine});
        engine.addSeries({"time/data_wait", "ms", SeriesRole::Machine});
    }
    void step(double loss, double lr = 0.1, double stepMs = 2, double waitMs = 0.1)
    {
        ++at;
        engine.addSamples(std::vector<Sample>{
            {Loss, at, loss}, {Rate, at, lr}, {StepTime, at, stepMs}, {DataWait, at, waitMs}});
    }
    void steps(int count, const std::function<double(int)>& loss)
    {
        for (int i = 0; i < count; ++i)
            step(loss(i));
    }

    DiagnosisEngine engine;
    std::int64_t at = 0;
};

std::vector<std::pair<const char*, std::function<double(int)>>> healthyCurves()
{
    return {
        {"falls", [](int i) { return 2.3 * std::exp(-i / 300.0) + 0.1; }},
        {"flat", [](int) { return 0.693; }},
        {"starts very high and falls", [](int i) { return 1e7 * std::exp(-i / 20.0) + 1; }},
        {"starts at zero", [](int i) { return i < 5 ? 0.0 : 0.8; }},
        {"negative log likelihood", [](int i) { return 3 - 0.02 * i; }},
        {"single spikes", [](int i) { return i % 97 == 50 ? 1e6 : 0.5; }},
        {"a late bump from nearly nothing", [](int i) { return i < 500 ? std::exp(-i / 20.0) : 0.2; }},
        {"a warm-up bump", [](int i) { return i < 20 ? 1.0 + 5 * i : 100 * std::exp(-i / 50.0); }},
        {"heavy-tailed noise",
         [random = std::mt19937(1)](int) mutable {
             return std::exp(std::normal_distribution<double>(0, 2)(random));
         }},
        {"all zero", [](int) { return 0.0; }},
    };
}

} // namespace

class TestDiagnosisEngine : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void healthyRunsRaiseNothing_data()
    {
        QTest::addColumn<int>("curve");
        const auto all = healthyCurves();
        for (std::size_t i = 0; i < all.size(); ++i)
            QTest::newRow(all[i].first) << static_cast<int>(i);
    }
    void healthyRunsRaiseNothing()
    {
        QFETCH(int, curve);
        Feed feed;
        feed.steps(2000, healthyCurves()[static_cast<std::size_t>(curve)].second);
        const auto findings = feed.engine.findings();
        QVERIFY2(findings.empty(), findings.empty() ? "" : findings.front().message.c_str());
    }

    void aLossThatIsNotFiniteIsFound_data()
    {
        QTest::addColumn<double>("value");
        QTest::newRow("NaN") << kNaN;
        QTest::newRow("inf") << kInf;
        QTest::newRow("-inf") << -kInf;
    }
    void aLossThatIsNotFiniteIsFound()
    {
        QFETCH(double, value);
        Feed feed;
        feed.steps(40, [](int i) { return 1.0 - 0.01 * i; });
        for (int i = 0; i < 5; ++i)
            feed.step(value, 0.25);
        const auto findings = feed.engine.findings();
        QCOMPARE(findings.size(), std::size_t(1));
        const Finding& finding = findings.front();
        QCOMPARE(finding.rule, std::string("loss/non-finite"));
        QVERIFY(finding.severity == Severity::Error);
        QCOMPARE(finding.series, std::string("train/loss"));
        QCOMPARE(finding.firstStep, std::int64_t(41));
        QCOMPARE(finding.lastStep, std::int64_t(45));
        QCOMPARE(finding.evidence.at("losses"), 5.0);
        QCOMPARE(finding.evidence.at("last_finite_loss"), 0.61);
        QCOMPARE(finding.evidence.at("lr"), 0.1); // the one that led there, not the one of the next step
        QVERIFY(finding.message.find("step 41") != std::string::npos);
        QVERIFY(!finding.why.empty());
        QCOMPARE(finding.fixes.front().edit, std::vector<std::string>{"training.optimizer.lr=0.01"});
    }

    void anAlarmAloneIsFoundAndNamesItsNode_data()
    {
        QTest::addColumn<QString>("place");
        QTest::addColumn<QString>("node");
        QTest::newRow("a parameter") << "conv1.weight" << "conv1";
        QTest::newRow("a parameter in a group") << "block1.conv.bias" << "block1/conv";
        QTest::newRow("a node") << "fc" << "fc";
        QTest::newRow("the loss") << "train/loss" << "";
        QTest::newRow("nowhere") << "" << "";
    }
    void anAlarmAloneIsFoundAndNamesItsNode()
    {
        QFETCH(QString, place);
        QFETCH(QString, node);
        Feed feed;
        feed.steps(10, [](int) { return 1.0; });
        feed.engine.addEvent({9, 0, EventKind::NonFinite, "The first gradient is NaN.", place.toStdString()});
        feed.engine.addEvent({10, 0, EventKind::NonFinite, "The second gradient is NaN.", "other.weight"});
        feed.engine.addEvent({10, 0, EventKind::EpochEnded, "Epoch 1", {}});
        const auto findings = feed.engine.findings();
        QCOMPARE(findings.size(), std::size_t(1));
        QCOMPARE(findings[0].rule, std::string("loss/non-finite"));
        QCOMPARE(findings[0].node, node.toStdString());
        QCOMPARE(findings[0].firstStep, std::int64_t(9));
        QCOMPARE(findings[0].lastStep, std::int64_t(10));
        QCOMPARE(findings[0].evidence.at("alarms"), 2.0);
        QVERIFY(findings[0].message.find("The first gradient is NaN.") != std::string::npos);
    }

    void aLossThatGrowsBeyondMeasureIsFound()
    {
        Feed feed;
        feed.steps(30, [](int) { return 2.0; });
        feed.steps(60, [](int i) { return 2.0 * std::pow(2.0, i); });
        const auto findings = feed.engine.findings();
        QCOMPARE(findings.size(), std::size_t(1));
        QCOMPARE(findings[0].rule, std::string("run/diverged"));
        QVERIFY(findings[0].severity == Severity::Error);
        QCOMPARE(findings[0].evidence.at("early_loss"), 2.0);
        QCOMPARE(findings[0].evidence.at("loss"), 2.0 * std::pow(2.0, 59));
        QCOMPARE(findings[0].evidence.at("growth"), std::pow(2.0, 59));
        QCOMPARE(findings[0].firstStep, std::int64_t(31 + 10)); // 2^10 is the first beyond a thousandfold
        QCOMPARE(findings[0].lastStep, std::int64_t(90));
    }

    void aLossThatExplodesAtOnceIsFound()
    {
        Feed feed;
        feed.steps(40, [](int i) { return 2.3 * std::pow(10.0, 2 * i); });
        const auto findings = feed.engine.findings();
        QCOMPARE(findings.size(), std::size_t(1));
        QCOMPARE(findings[0].rule, std::string("run/diverged"));
        QCOMPARE(findings[0].evidence.at("early_loss"), 2.3);
    }

    void whatFollowsFromACauseIsItsEvidence()
    {
        Feed feed;
        feed.steps(20, [](int) { return 1.0; });
        feed.steps(40, [](int i) { return std::pow(10.0, i); });
        feed.steps(5, [](int) { return kNaN; });
        feed.engine.addEvent({61, 0, EventKind::NonFinite, "The loss is NaN.", "train/loss"});
        const auto findings = feed.engine.findings();
        QCOMPARE(findings.size(), std::size_t(1));
        QCOMPARE(findings[0].rule, std::string("run/diverged"));
        QCOMPARE(findings[0].evidence.at("first_non_finite_step"), 61.0);
    }

    void droppedProbesAreTold()
    {
        Feed feed;
        feed.engine.addDroppedProbes(0, 5);
        QVERIFY(feed.engine.findings().empty());
        feed.engine.addDroppedProbes(40, 100);
        feed.engine.addDroppedProbes(2, 200);
        const auto findings = feed.engine.findings();
        QCOMPARE(findings.size(), std::size_t(1));
        QCOMPARE(findings[0].rule, std::string("run/probes-dropped"));
        QVERIFY(findings[0].severity == Severity::Info);
        QCOMPARE(findings[0].evidence.at("dropped"), 42.0);
        QCOMPARE(findings[0].firstStep, std::int64_t(100));
        QCOMPARE(findings[0].lastStep, std::int64_t(200));
    }

    void waitingForDataIsTold()
    {
        Feed slow;
        for (int i = 0; i < 400; ++i)
            slow.step(1, 0.1, 10, 8);
        const auto findings = slow.engine.findings();
        QCOMPARE(findings.size(), std::size_t(1));
        QCOMPARE(findings[0].rule, std::string("run/data-bound"));
        QVERIFY(findings[0].severity == Severity::Info);
        QVERIFY(std::abs(findings[0].evidence.at("share") - 0.8) < 1e-12);
        QVERIFY(findings[0].message.find("80 %") != std::string::npos);

        Feed quick;
        for (int i = 0; i < 400; ++i)
            quick.step(1, 0.1, 10, i < 15 ? 1000 : 4); // the first batches take their time
        QVERIFY(quick.engine.findings().empty());

        Feed brief;
        for (int i = 0; i < 100; ++i)
            brief.step(1, 0.1, 10, 9);
        QVERIFY(brief.engine.findings().empty());
    }

    void errorsStandBeforeRemarks()
    {
        Feed feed;
        feed.engine.addDroppedProbes(1, 1);
        for (int i = 0; i < 400; ++i)
            feed.step(1, 0.1, 10, 8);
        feed.step(kNaN);
        const auto findings = feed.engine.findings();
        QCOMPARE(findings.size(), std::size_t(3));
        QCOMPARE(findings[0].rule, std::string("loss/non-finite"));
        QCOMPARE(findings[1].rule, std::string("run/probes-dropped")); // earlier than the other remark
        QCOMPARE(findings[2].rule, std::string("run/data-bound"));
    }

    void jsonHasTheFormOfTheContract()
    {
        Finding finding;
        finding.rule = "loss/non-finite";
        finding.severity = Severity::Error;
        finding.firstStep = 3;
        finding.lastStep = 9;
        finding.confidence = 0.5;
        finding.evidence = {{"loss", kNaN}, {"peak", kInf}, {"lr", 0.1}};
        finding.message = "seen";
        finding.why = "because";
        finding.fixes = {{"Lower it.", {"training.optimizer.lr=0.01"}}, {"Look.", {}}};
        QCOMPARE(findingJson(finding).dump(),
                 std::string(R"({"confidence":0.5,"evidence":{"loss":"nan","lr":0.1,"peak":"inf"},"first_step":3,)"
                             R"("fixes":[{"edit":["training.optimizer.lr=0.01"],"text":"Lower it."},)"
                             R"({"edit":[],"text":"Look."}],"last_step":9,"message":"seen","node":null,)"
                             R"("rule":"loss/non-finite","series":null,"severity":"error","why":"because"})"));
        finding.node = "conv1";
        finding.series = "train/loss";
        QCOMPARE(findingJson(finding)["node"].get<std::string>(), std::string("conv1"));
        QCOMPARE(findingJson(finding)["series"].get<std::string>(), std::string("train/loss"));
    }

    void unknownSeriesAreLeftAlone()
    {
        DiagnosisEngine engine;
        engine.addSamples(std::vector<Sample>{{0, 1, kNaN}, {5, 1, kNaN}});
        engine.addSeries({"val/loss", "", SeriesRole::Essential});
        engine.addSamples(std::vector<Sample>{{0, 2, kNaN}});
        QVERIFY(engine.findings().empty());
    }

    void findingsCanBeReadWhileItIsFed()
    {
        Feed feed;
        std::jthread reader([&](const std::stop_token& stop) {
            while (!stop.stop_requested())
                (void)feed.engine.findings();
        });
        feed.steps(3000, [](int i) { return i % 2 ? kNaN : 1.0; });
        QCOMPARE(feed.engine.findings().size(), std::size_t(1));
    }
};

QTEST_APPLESS_MAIN(TestDiagnosisEngine)
#include "tst_diagnosis_engine.moc"
