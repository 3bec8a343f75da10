// lr-find, overfit, schedule, state, sweep, forks: what scripts rely on.
#include "tests/cli/cli_runner.h"

#include <QDir>
#include <QElapsedTimer>
#include <QTest>

#include <csignal>
#include <set>

using namespace athanor::test;
using nlohmann::json;

class TestCliTools : public QObject {
    Q_OBJECT
    CliRunner m_cli;

    json runs() const { return m_cli.run({"runs", "list", "--json"}).json(); }

private Q_SLOTS:
    void learningRateIsFound()
    {
        const QString project = m_cli.project("find");
        const CliResult result = m_cli.run({"lr-find", project, "--json"});
        QCOMPARE(result.exitCode, 0);
        const json found = result.json();
        QVERIFY(found["curve"].size() > 30 && found["curve"][0][0] == 1e-7);
        QVERIFY2(found["suggestion"].is_number(), found["reason"].get<std::string>().c_str());
        const double rate = found["suggestion"].get<double>();
        QVERIFY2(rate > 1e-4 && rate < 1, result.out.constData());
        // A loss that hangs on nothing gives none.
        const json none = m_cli.run({"lr-find", project, "--json", "--set", "training.freeze=[\"fc1.*\",\"fc2.*\"]", "--set",
                                     R"(training.init=[{"match":"fc2.weight","kind":"zeros"}])"}).json();
        QVERIFY(none["suggestion"].is_null() && !none["reason"].get<std::string>().empty());
        QCOMPARE(m_cli.run({"lr-find", project, "--start", "1", "--end", "0.1"}).exitCode, 3);
        QCOMPARE(m_cli.run({"lr-find", project, "--steps", "1"}).exitCode, 2);
        QVERIFY(!QFile::exists(m_cli.path("runs.sqlite"))); // nothing was stored
    }

    void aBatchIsLearntByHeart()
    {
        const CliResult good = m_cli.run({"overfit", m_cli.project("fit"), "--json", "--samples", "12"});
        QCOMPARE(good.exitCode, 0);
        QVERIFY(good.json()["passed"].get<bool>() && good.json()["samples"] == 12);
        QVERIFY(good.json()["loss_last"].get<double>() < 0.1 * good.json()["loss_first"].get<double>());
        const CliResult bad = m_cli.run({"overfit", m_cli.project("fit"), "--json", "--set", "training.optimizer.lr=0"});
        QCOMPARE(bad.exitCode, 1);
        QVERIFY(!bad.json()["passed"].get<bool>());
    }

    void aScheduleIsShownBeforeTheRun()
    {
        const QString project = m_cli.project("plan", {{"epochs", 4}, {"scheduler", {{"kind", "StepLR"}, {"step_size", 2}}}});
        const json plan = m_cli.run({"schedule", project, "--json", "--points", "1000"}).json();
        QCOMPARE(plan["total_steps"].get<int>(), 48); // 180 rows in batches of 16
        QCOMPARE(plan["steps_per_epoch"].get<int>(), 12);
        QCOMPARE(plan["rates"].size(), 48U);
        QCOMPARE(plan["rates"][23].get<double>(), 0.01);
        QVERIFY(std::abs(plan["rates"][24].get<double>() - 0.001) < 1e-12);
    }

    void theStateIsListed()
    {
        const json state = m_cli.run({"state", m_cli.project("state", {{"freeze", {"fc1.*"}}}), "--json"}).json();
        std::set<std::string> found;
        for (const json& tensor : state["tensors"]) {
            QCOMPARE(tensor["device"].get<std::string>(), "cpu");
            found.insert(tensor["part"].get<std::string>() + " " + tensor["name"].get<std::string>() + " " + tensor["type"].get<std::string>());
        }
        for (const char* tensor : {"frozen fc1.weight float32", "parameter fc2.weight float32", "buffer bn.num_batches_tracked int64",
                                   "gradient fc2.bias float32", "optimizer exp_avg_sq/fc2.weight float32"})
            QVERIFY2(found.contains(tensor), tensor);
        QVERIFY(!found.contains("gradient fc1.weight float32"));
    }

    void aGridIsSwept()
    {
        const QString project = m_cli.project("grid");
        const CliResult result = m_cli.run({"sweep", project, "--json", "--steps", "30", "--jobs", "2", "--metric", "val/accuracy", "--grid",
                                            "training.optimizer.lr=0.01,0.0001", "network.fc1.out_features=4,16"});
        QCOMPARE(result.exitCode, 0);
        const json sweep = result.json();
        QCOMPARE(sweep["mode"].get<std::string>(), "max");
        QCOMPARE(sweep["trials"].size(), 4U);
        double best = 0;
        std::set<std::pair<double, int>> tried;
        for (const json& trial : sweep["trials"]) {
            QCOMPARE(trial["status"].get<std::string>(), "done");
            QCOMPARE(trial["steps"].get<int>(), 30);
            best = std::max(best, trial["value"].get<double>());
            tried.insert({trial["settings"]["training.optimizer.lr"].get<double>(), trial["settings"]["network.fc1.out_features"].get<int>()});
            const json shown = m_cli.run({"runs", "show", QString::number(trial["run"].get<int>()), "--json"}).json();
            QCOMPARE(shown["status"].get<std::string>(), "finished");
        }
        QCOMPARE(tried.size(), 4U);
        QCOMPARE(sweep["best"]["value"].get<double>(), best);
        const auto before = runs().size();
        const json again = m_cli.run({"sweep", project, "--json", "--steps", "30", "--jobs", "2", "--metric", "val/accuracy", "--grid",
                                      "training.optimizer.lr=0.01,0.0001", "network.fc1.out_features=4,16"}).json();
        QVERIFY(again["best"] == sweep["best"]);
        QCOMPARE(runs().size(), before); // all was done already
        QCOMPARE(m_cli.run({"sweep", project, "--steps", "30", "--grid", "training.optimizer.lr=0.5"}).exitCode, 3); // another sweep
        QCOMPARE(m_cli.run({"sweep", project, "--grid", "training.optimizer.lrr=1"}).exitCode, 3);
        QCOMPARE(m_cli.run({"sweep", project}).exitCode, 2);
        QCOMPARE(m_cli.run({"sweep", project, "--random", "x", "training.optimizer.lr=1..2"}).exitCode, 2);
        QCOMPARE(m_cli.run({"sweep", project, "--random", "2", "training.optimizer.lr=2..1"}).exitCode, 2);
    }

    void whatFailsIsToldAndTheRestGoesOn()
    {
        const CliResult result = m_cli.run({"sweep", m_cli.project("fails"), "--json", "--steps", "5", "--grid", "training.device=cpu,cuda:77"});
        QCOMPARE(result.exitCode, 0);
        const json trials = result.json()["trials"];
        QCOMPARE(trials[0]["status"].get<std::string>(), "done");
        QCOMPARE(trials[1]["status"].get<std::string>(), "failed");
        QVERIFY(!trials[1]["failure"].get<std::string>().empty());
    }

    void halvingTrainsTheBetterOnesOn()
    {
        const CliResult result = m_cli.run({"sweep", m_cli.project("halving"), "--json", "--halving", "10", "--eta", "3", "--seed", "4", "--random", "9",
                                            "training.optimizer.lr=1e-5..1e-1:log"});
        QCOMPARE(result.exitCode, 0);
        std::multiset<int> steps;
        double previous = 0;
        const json sweep = result.json();
        for (const json& trial : sweep["trials"]) {
            steps.insert(trial["steps"].get<int>());
            const double rate = trial["settings"]["training.optimizer.lr"].get<double>();
            QVERIFY(rate >= 1e-5 && rate <= 1e-1 && rate != previous);
            previous = rate;
        }
        QCOMPARE(steps.count(10), 6U);
        QCOMPARE(steps.count(30), 2U);
        QCOMPARE(steps.count(90), 1U);
        QCOMPARE(sweep["best"]["steps"].get<int>(), 90);
    }

    void aSweepGoesOnAfterCtrlCAndAfterAKill()
    {
        const QString project = m_cli.project("long", {{"checkpoint", {{"every", 500}}}});
        const QStringList command{"sweep", project, "--json", "--steps", "6000", "--grid", "training.optimizer.lr=0.01,0.001,0.0001"};
        for (const int signal : {SIGINT, SIGKILL}) {
            QProcess process;
            m_cli.start(process, command);
            QElapsedTimer waiting;
            waiting.start();
            const auto named = [&] {
                for (const json& run : runs())
                    if (run["name"].get<std::string>().starts_with("long sweep/") && run["steps"].get<int>() > 700 && run["status"] == "running")
                        return true;
                return false;
            };
            while (process.state() == QProcess::Running && waiting.elapsed() < 60000 && !named())
                QTest::qWait(20);
            QCOMPARE(process.state(), QProcess::Running);
            ::kill(static_cast<pid_t>(process.processId()), signal);
            QVERIFY(process.waitForFinished(60000));
            if (signal == SIGINT)
                QVERIFY(json::parse(process.readAllStandardOutput().toStdString())["cancelled"].get<bool>());
            waiting.restart();
            const auto running = [&] {
                for (const json& run : runs())
                    if (run["status"] == "running")
                        return true;
                return false;
            };
            while (running() && waiting.elapsed() < 30000) // the children end with their parent
                QTest::qWait(50);
            QVERIFY(!running());
        }
        const CliResult result = m_cli.run(command, 240000);
        QCOMPARE(result.exitCode, 0);
        const json sweep = result.json();
        for (const json& trial : sweep["trials"]) {
            QCOMPARE(trial["status"].get<std::string>(), "done");
            QCOMPARE(trial["steps"].get<int>(), 6000);
        }
    }

    void aForkIsARunOfItsOwn()
    {
        const QString project = m_cli.project("fork", {{"epochs", nullptr}, {"steps", 40}, {"checkpoint", {{"every", 10}, {"keep", 10}}}, {"averaging", {{"decay", 0.9}}}});
        QCOMPARE(m_cli.run({"train", project, "--name", "origin", "--threads", "1"}).exitCode, 0);
        QCOMPARE(m_cli.run({"train", project, "--fork", "origin@20", "--name", "same", "--threads", "1"}).exitCode, 0);
        const auto series = [&](const char* run) {
            return m_cli.run({"runs", "series", run, "train/loss", "--from", "21", "--json"}).json()["series"];
        };
        QVERIFY(series("origin") == series("same"));
        const CliResult other = m_cli.run({"train", project, "--fork", "origin@30", "--name", "other", "--set", "training.optimizer.lr=0.1", "--json"});
        QCOMPARE(other.exitCode, 0);
        QCOMPARE(other.json()["steps"].get<int>(), 40);
        QCOMPARE(m_cli.run({"train", project, "--fork", "origin@21"}).exitCode, 3);
        QCOMPARE(m_cli.run({"train", project, "--fork", "origin", "--resume", "origin"}).exitCode, 2);
        QCOMPARE(m_cli.run({"export", "origin", "--to", "safetensors", "--averaged", "-o", m_cli.path("ema.safetensors")}).exitCode, 0);
        QVERIFY(QFile::exists(m_cli.path("ema.safetensors")));
    }
};

QTEST_GUILESS_MAIN(TestCliTools)
#include "tst_cli_tools.moc"
