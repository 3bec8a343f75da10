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
};

QTEST_GUILESS_MAIN(TestCliKill)
#include "tst_cli_kill.moc"
