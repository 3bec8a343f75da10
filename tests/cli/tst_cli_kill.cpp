// kill -9 at random moments: at most a second of points is lost, the store stays clean.
#include "tests/cli/cli_runner.h"

#include <QDateTime>
#include <QElapsedTimer>
#include <QTest>

#include <random>

using namespace athanor::test;
using nlohmann::json;

class TestCliKill : public QObject {
    Q_OBJECT
    CliRunner m_cli;

    // The steps of train/loss that are stored now.
    std::vector<qint64> storedSteps(const QString& run) const
    {
        const CliResult result = m_cli.run({"runs", "series", run, "train/loss", "--json"});
        return result.exitCode == 0 ? result.json()["series"]["train/loss"]["steps"].get<std::vector<qint64>>() : std::vector<qint64>{};
    }

private Q_SLOTS:
    void killedRunsLoseAtMostASecond()
    {
        std::mt19937 random(20);
        for (int i = 0; i < 20; ++i) {
            const QString name = QString("killed%1").arg(i);
            QProcess process;
            m_cli.start(process, {"train", m_cli.project(name, {{"epochs", 1000000}, {"checkpoint", {{"every", 1000000000}}}}), "--name", name, "--threads", "1"});
            // Until the first points are stored: starting costs more than a second on a busy machine.
            QElapsedTimer waiting;
            waiting.start();
            while (storedSteps(name).empty() && waiting.elapsed() < 60000)
                QTest::qWait(50);
            QTest::qWait(std::uniform_int_distribution<int>(0, 1500)(random));
            process.kill();
            const qint64 killedMs = QDateTime::currentMSecsSinceEpoch();
            process.waitForFinished();

            const json show = m_cli.run({"runs", "show", name, "--json"}).json();
            QCOMPARE(show["status"].get<std::string>(), "interrupted");
            const qint64 lost = killedMs - show["stored_until_ms"].get<qint64>();
            QVERIFY2(lost <= 1000, qPrintable(QString("run %1 lost %2 ms of points").arg(name).arg(lost)));
            const std::vector<qint64> steps = storedSteps(name);
            QVERIFY(!steps.empty());
            for (std::size_t k = 0; k < steps.size(); ++k)
                QCOMPARE(steps[k], static_cast<qint64>(k) + 1); // every step up to the last flush, without a gap
            QVERIFY(m_cli.run({"runs", "verify", "--json"}).json()["clean"].get<bool>());
        }
    }

    /// With all that a run draws, counts and averages.
    void aRunThatIsKilledAgainAndAgainIsTheSame()
    {
        const json training{{"epochs", nullptr}, {"steps", 8000}, {"accumulate", 3}, {"averaging", {{"decay", 0.99}, {"use_buffers", true}}}, {"hash_every", 25},
                            {"checkpoint", {{"every", 60}}}, {"scheduler", {{"kind", "OneCycleLR"}, {"max_lr", 0.05}}},
                            {"grad_noise", {{"eta", 0.001}}}, {"grad_scaler", {{"init_scale", 1e36}, {"growth_interval", 30}}}, {"validate_every", 500}};
        const QString project = m_cli.project("again", training);
        QCOMPARE(m_cli.run({"train", project, "--name", "whole", "--threads", "1", "--no-probes"}).exitCode, 0);
        std::mt19937 random(7);
        QStringList command{"train", project, "--name", "cut", "--threads", "1", "--no-probes"};
        int kills = 0;
        for (bool ended = false; !ended && kills < 60; ++kills) {
            QProcess process;
            m_cli.start(process, command);
            const auto reached = [&] {
                const json shown = m_cli.run({"runs", "show", "cut", "--json"}).json();
                return shown.contains("checkpoints") && !shown["checkpoints"].empty();
            };
            while (kills == 0 && process.state() == QProcess::Running && !reached())
                QTest::qWait(20);
            ended = process.waitForFinished(std::uniform_int_distribution<int>(300, 1500)(random));
            process.kill();
            process.waitForFinished();
            command = {"train", project, "--resume", "cut", "--threads", "1", "--no-probes"};
        }
        QCOMPARE(m_cli.run({"train", project, "--resume", "cut", "--threads", "1", "--no-probes"}).exitCode, 0);
        QVERIFY(kills > 1);
        const auto series = [&](const char* run) { return m_cli.run({"runs", "series", run, "--json"}).json()["series"]; };
        const json whole = series("whole"), cut = series("cut");
        for (const auto& [name, points] : whole.items())
            QVERIFY2(cut.contains(name) && cut[name] == points, name.c_str());
        QCOMPARE(cut.size(), whole.size());
    }
};

QTEST_GUILESS_MAIN(TestCliKill)
#include "tst_cli_kill.moc"
