#include "tests/engine/store/store_testing.h"

#include "engine/base/clock.h"

#include <QProcess>
#include <QTemporaryDir>

#include <random>

using namespace athanor;
using namespace athanor::testing;

namespace {

struct Pushed {
    std::int64_t step = 0;
    std::int64_t ms = 0;
};

std::vector<Pushed> readPushed(QProcess& process)
{
    std::vector<Pushed> out;
    for (const QByteArray& line : process.readAllStandardOutput().split('\n')) {
        const auto fields = line.split(' ');
        if (fields.size() == 2)
            out.push_back({fields[0].toLongLong(), fields[1].toLongLong()});
    }
    return out;
}

/// The longest time that the machine did not let the writer run lately: it pushes every millisecond, so a
/// gap is not its own doing and is no fault of the recorder, which was kept from running just the same.
std::int64_t longestGap(const std::vector<Pushed>& pushed, std::int64_t endMs)
{
    std::int64_t gap = endMs - pushed.back().ms;
    for (std::size_t i = pushed.size() - 1; i > 0 && pushed[i].ms > endMs - 2000; --i)
        gap = std::max(gap, pushed[i].ms - pushed[i - 1].ms);
    return gap;
}

} // namespace

class TestKilledRun : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void noMoreThanASecondIsLost()
    {
        constexpr int kRounds = 10;
        constexpr int kAtOnce = 2; // so that 20 die, two at a time within one store
        QTemporaryDir folder;
        const auto file = std::filesystem::path(folder.path().toStdString()) / "runs.sqlite";
        std::mt19937 random(23);
        for (int round = 0; round < kRounds; ++round) {
            std::vector<std::unique_ptr<QProcess>> writers;
            for (int i = 0; i < kAtOnce; ++i) {
                writers.push_back(std::make_unique<QProcess>());
                writers.back()->setProcessChannelMode(QProcess::ForwardedErrorChannel);
                writers.back()->start(ATHANOR_RUN_WRITER, {QString::fromStdString(file.string()), nameOf(round, i)});
                QVERIFY(writers.back()->waitForStarted());
            }
            for (const auto& writer : writers)
                QVERIFY(writer->waitForReadyRead(30'000));
            const int life = 50 + static_cast<int>(random() % 2500);
            for (const auto& writer : writers)
                writer->waitForReadyRead(0);
            QTest::qSleep(life);
            for (int i = 0; i < kAtOnce; ++i) {
                QProcess& writer = *writers[static_cast<std::size_t>(i)];
                const std::int64_t killedMs = systemClock().wallMilliseconds();
                writer.kill();
                QVERIFY(writer.waitForFinished(30'000));
                checkRun(file, nameOf(round, i).toStdString(), readPushed(writer), killedMs);
            }
        }
    }

private:
    static QString nameOf(int round, int writer) { return QString("run %1.%2").arg(round).arg(writer); }

    static void checkRun(const std::filesystem::path& file, const std::string& name, const std::vector<Pushed>& pushed,
                         std::int64_t killedMs)
    {
        QVERIFY(!pushed.empty());
        RunStore store = openStore(file);
        const RunId run = valueOf(store.findRun(name));
        QVERIFY(valueOf(store.run(run)).status == RunStatus::Interrupted);
        const auto report = valueOf(store.verify());
        QVERIFY2(report.clean, report.problems.empty() ? "" : report.problems.front().c_str());

        SeriesPoints loss;
        SeriesPoints norm;
        if (!valueOf(store.summaries(run)).empty()) {
            loss = valueOf(store.points(run, "train/loss"));
            norm = valueOf(store.points(run, "grad_norm"));
        }
        QCOMPARE(norm.steps, loss.steps);
        for (std::size_t i = 0; i < loss.steps.size(); ++i) {
            QCOMPARE(loss.steps[i], static_cast<std::int64_t>(i + 1));
            QCOMPARE(loss.values[i], 1.0 / static_cast<double>(i + 1));
        }
        const std::int64_t allowed = 1000 + longestGap(pushed, killedMs);
        for (const Pushed& one : pushed) {
            const bool mustBeThere = one.ms < killedMs - allowed;
            QVERIFY2(!mustBeThere || one.step <= static_cast<std::int64_t>(loss.steps.size()),
                     qPrintable(QString("step %1 of %2 ms before the end is lost, %3 are stored, %4 ms are allowed")
                                    .arg(one.step).arg(killedMs - one.ms).arg(loss.steps.size()).arg(allowed)));
        }
    }
};

QTEST_GUILESS_MAIN(TestKilledRun)
#include "tst_killed_run.moc"
