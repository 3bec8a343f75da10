#include "engine/store/run_store.h"

#include "tests/engine/store/store_testing.h"

#include <QTemporaryDir>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace athanor;
using namespace athanor::testing;

namespace {

double valueAt(int writer, std::int64_t step)
{
    return writer + 1.0 / static_cast<double>(step);
}

/// A child process; its exit status is what `work` returns, 99 for an exception.
template <typename Work>
pid_t inChild(Work work)
{
    const pid_t child = fork();
    if (child != 0)
        return child;
    int status = 99;
    try {
        status = work();
    } catch (const std::exception& e) {
        fprintf(stderr, "child: %s\n", e.what());
    }
    _exit(status);
}

int statusOf(pid_t child)
{
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// Flushes `points` points of two series as fast as it can, `perFlush` steps at a time.
int writeRun(const std::filesystem::path& file, int writer, std::int64_t points, std::int64_t perFlush)
{
    RunStore store = openStore(file);
    const RunId run = valueOf(store.startRun({"writer-" + std::to_string(writer), "p", "", "", "", Json::object()}));
    std::vector<SeriesInfo> news{{"train/loss", "", SeriesRole::Essential}, {"grad_norm", "", SeriesRole::Probe}};
    for (std::int64_t step = 1; step <= points; step += perFlush) {
        std::vector<Sample> samples;
        for (std::int64_t at = step; at < step + perFlush && at <= points; ++at) {
            samples.push_back({0, at, valueAt(writer, at)});
            samples.push_back({1, at, -valueAt(writer, at)});
        }
        const Status flushed = store.flush(run, flushOf(news, samples));
        news.clear();
        if (!flushed.ok())
            throw std::runtime_error(flushed.error().text() + flushed.error().details);
    }
    return store.finishRun(run, RunStatus::Finished).ok() ? 0 : 1;
}

} // namespace

class TestRunStoreProcesses : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_file = std::filesystem::path(m_folder->path().toStdString()) / "runs.sqlite";
    }

    void fourProcessesWriteIntoOneStore()
    {
        // They also make it together: nobody opened it before.
        std::vector<pid_t> children;
        for (int writer = 0; writer < 4; ++writer)
            children.push_back(inChild([&] { return writeRun(m_file, writer, 20'000, 97); }));
        for (const pid_t child : children)
            QCOMPARE(statusOf(child), 0);
        RunStore store = openStore(m_file);
        QCOMPARE(valueOf(store.runs()).size(), std::size_t(4));
        for (int writer = 0; writer < 4; ++writer) {
            const RunId run = valueOf(store.findRun("writer-" + std::to_string(writer)));
            const auto points = valueOf(store.points(run, "train/loss"));
            QCOMPARE(points.values.size(), std::size_t(20'000));
            for (std::size_t i = 0; i < points.values.size(); ++i) {
                QCOMPARE(points.steps[i], static_cast<std::int64_t>(i + 1));
                QCOMPARE(points.values[i], valueAt(writer, points.steps[i]));
            }
            QVERIFY(valueOf(store.run(run)).status == RunStatus::Finished);
        }
        const auto report = valueOf(store.verify());
        QVERIFY(report.clean);
        QCOMPARE(report.points, std::int64_t(4 * 2 * 20'000));
    }

    void aKilledWriterLeavesWholeFlushes()
    {
        std::srand(17);
        for (int round = 0; round < 20; ++round) {
            const pid_t child = inChild([&] { return writeRun(m_file, round, 100'000'000, 50); });
            // At any point of opening, starting and flushing.
            usleep(static_cast<useconds_t>(5000 + std::rand() % 60'000));
            kill(child, SIGKILL);
            QCOMPARE(statusOf(child), -SIGKILL);
            auto store = RunStore::open(m_file);
            VERIFY_OK(store);
            const auto report = valueOf(store->verify());
            QVERIFY2(report.clean, report.clean ? "" : (report.problems.empty() ? report.repairs : report.problems)[0].c_str());
        }
        RunStore store = openStore(m_file);
        int withPoints = 0;
        for (const RunInfo& run : valueOf(store.runs())) {
            QVERIFY(run.status == RunStatus::Interrupted);
            const auto summaries = valueOf(store.summaries(run.id));
            if (summaries.empty())
                continue;
            ++withPoints;
            const auto loss = valueOf(store.points(run.id, "train/loss"));
            const auto norm = valueOf(store.points(run.id, "grad_norm"));
            QCOMPARE(loss.values.size() % 50, std::size_t(0)); // a flush is there as a whole or not at all
            QCOMPARE(norm.steps, loss.steps);
            QCOMPARE(summaries[0].count, static_cast<std::int64_t>(loss.values.size()));
        }
        QVERIFY(withPoints > 5);
        QVERIFY(valueOf(store.markInterrupted()) > 0);
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path m_file;
};

QTEST_APPLESS_MAIN(TestRunStoreProcesses)
#include "tst_run_store_processes.moc"
