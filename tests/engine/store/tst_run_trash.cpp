#include "engine/store/run_trash.h"

#include "tests/engine/store/store_testing.h"
#include "tests/support/manual_clock.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <QTemporaryDir>

#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

using namespace athanor;
using namespace athanor::testing;
using namespace std::chrono_literals;

class TestRunTrash : public QObject {
    Q_OBJECT

    RunId finishedRun(const std::string& name)
    {
        RunStore store = openStore(m_file);
        const RunId run = valueOf(store.startRun({name, "p", "p.athanor", "{}", "h", Json::object()}));
        valueOf(store.flush(run, flushOf({{"train/loss", "", SeriesRole::Essential}}, samplesOf(0, 1, {3, 2, 1}))));
        valueOf(store.finishRun(run, RunStatus::Finished));
        return run;
    }

    /// As a store of the first version is.
    void makeFirstVersion()
    {
        SQLite::Database db(m_file.string(), SQLite::OPEN_READWRITE);
        db.exec("DROP TABLE mark; DROP TABLE trash; PRAGMA user_version = 1; PRAGMA wal_checkpoint(TRUNCATE)");
    }

    std::vector<RunId> listed()
    {
        std::vector<RunId> out;
        for (const RunInfo& run : valueOf(openStore(m_file).runs()))
            out.push_back(run.id);
        return out;
    }

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_file = std::filesystem::path(m_folder->path().toStdString()) / "runs.sqlite";
    }

    void deletedRunsComeBackWhole()
    {
        const RunId first = finishedRun("first");
        const RunId second = finishedRun("second");
        const RunId third = finishedRun("third");
        ManualClock clock(1'000'000);
        RunTrash trash = valueOf(RunTrash::open(m_file, clock));
        VERIFY_OK(trash.put(std::vector{first, second}));
        QCOMPARE(listed(), std::vector<RunId>{third});
        QCOMPARE(valueOf(trash.find("second")), second);
        QVERIFY(!trash.find("third").ok());
        RunStore store = openStore(m_file);
        QVERIFY(!store.findRun("first").ok());
        QCOMPARE(valueOf(store.findRun(std::to_string(first))), first);
        clock.advance(1s);
        VERIFY_OK(trash.put(std::vector{first})); // stays as it was
        const auto runs = valueOf(trash.runs());
        QCOMPARE(runs.size(), 2U);
        QCOMPARE(runs[1].trashedMs, 1'000'000);
        VERIFY_OK(trash.restore(std::vector{first, second}));
        QCOMPARE(listed(), (std::vector<RunId>{third, second, first}));
        QCOMPARE(valueOf(store.points(first, "train/loss")).values, (std::vector<double>{3, 2, 1}));
        QVERIFY(valueOf(store.verify()).clean);
    }

    void allOrNone()
    {
        const RunId run = finishedRun("run");
        RunTrash trash = valueOf(RunTrash::open(m_file));
        QVERIFY(!trash.put(std::vector<RunId>{run, 99}).ok());
        QCOMPARE(listed(), std::vector<RunId>{run});
        VERIFY_OK(trash.put(std::vector{run}));
        QVERIFY(trash.restore(std::vector<RunId>{run, 99}).error().code == ErrorCode::NotFound);
        QVERIFY(trash.purge(std::vector<RunId>{run, 99}).error().code == ErrorCode::NotFound);
        QVERIFY(listed().empty());
        QCOMPARE(valueOf(trash.runs()).size(), 1U);
    }

    void aRunThatGoesOnIsNotDeleted()
    {
        RunStore store = openStore(m_file);
        const RunId run = valueOf(store.startRun({"on", "p", "", "{}", "", Json::object()}));
        RunTrash trash = valueOf(RunTrash::open(m_file));
        QVERIFY(trash.put(std::vector{run}).error().code == ErrorCode::Busy);
        VERIFY_OK(store.finishRun(run, RunStatus::Stopped));
        VERIFY_OK(trash.put(std::vector{run}));
    }

    // One that is resumed comes out of the trash with its first new point, and not before.
    void aResumedRunComesBack()
    {
        RunStore store = openStore(m_file);
        const RunId run = finishedRun("run");
        RunTrash trash = valueOf(RunTrash::open(m_file));
        VERIFY_OK(trash.put(std::vector{run}));
        const RunClaim before = valueOf(store.claimRun(run));
        QVERIFY(listed().empty());
        VERIFY_OK(store.releaseRun(run, before));
        QVERIFY(listed().empty());
        reopen(store, run, 1);
        QCOMPARE(listed(), std::vector<RunId>{run});
    }

    void purgedRunsAreGoneWithTheirOwnCheckpoints()
    {
        const RunId run = finishedRun("run");
        const RunId kept = finishedRun("kept");
        const auto inside = m_file.parent_path() / "checkpoints" / "run-1" / "a.ckpt";
        QTemporaryDir elsewhere;
        const auto outside = std::filesystem::path(elsewhere.path().toStdString()) / "b.ckpt";
        std::filesystem::create_directories(inside.parent_path());
        std::ofstream(inside) << "weights";
        std::ofstream(outside) << "weights";
        RunStore store = openStore(m_file);
        VERIFY_OK(store.addCheckpoint(run, {3, inside.string(), false, 0}));
        VERIFY_OK(store.addCheckpoint(run, {3, outside.string(), false, 0}));
        RunTrash trash = valueOf(RunTrash::open(m_file));
        VERIFY_OK(trash.put(std::vector{run}));
        VERIFY_OK(trash.purge(std::vector{run}));
        QVERIFY(!store.run(run).ok());
        QVERIFY(!std::filesystem::exists(inside.parent_path()));
        QVERIFY(std::filesystem::exists(outside));
        QCOMPARE(listed(), std::vector<RunId>{kept});
        const VerifyReport report = valueOf(store.verify());
        QVERIFY(report.clean && report.series == 1);
    }

    void idsGoBeforeNamesThatLookLikeThem()
    {
        const RunId first = finishedRun("2");
        const RunId second = finishedRun("it's\n\"odd\"'; DROP TABLE run; -- \xF0\x9F\x94\xA5");
        RunTrash trash = valueOf(RunTrash::open(m_file));
        VERIFY_OK(trash.put(std::vector{first, second}));
        QCOMPARE(valueOf(trash.find("2")), second);
        VERIFY_OK(trash.restore(std::vector{second})); // now 2 is a run that is not in the trash, and no other's name
        QVERIFY(trash.find("2").error().code == ErrorCode::NotFound);
        VERIFY_OK(trash.put(std::vector{second}));
        QCOMPARE(valueOf(trash.find("it's\n\"odd\"'; DROP TABLE run; -- \xF0\x9F\x94\xA5")), second);
    }

    void anOlderStoreIsBroughtUpOnceBySeveral()
    {
        const RunId run = finishedRun("old");
        makeFirstVersion();
        std::vector<std::thread> threads;
        std::atomic<int> good = 0;
        for (int i = 0; i < 8; ++i)
            threads.emplace_back([&] { good += RunTrash::open(m_file).ok() ? 1 : 0; });
        for (std::thread& thread : threads)
            thread.join();
        QCOMPARE(good.load(), 8);
        QCOMPARE(listed(), std::vector<RunId>{run});
        SQLite::Database db(m_file.string());
        QCOMPARE(db.execAndGet("PRAGMA user_version").getInt(), 3);
        QVERIFY(db.tableExists("trash"));
    }

    void anOlderStoreThatMayNotBeWrittenIsRead()
    {
        if (::geteuid() == 0)
            QSKIP("The permissions of files do not bind the administrator.");
        const RunId run = finishedRun("old");
        makeFirstVersion();
        const auto folder = m_file.parent_path();
        using std::filesystem::perms;
        std::filesystem::permissions(m_file, perms::owner_read);
        std::filesystem::permissions(folder, perms::owner_read | perms::owner_exec);
        {
            const auto store = RunStore::openToRead(m_file);
            const bool good = store.ok() && store->runs().ok() && store->runs()->size() == 1 && store->findRun("old").ok() &&
                              *store->findRun("old") == run;
            std::filesystem::permissions(folder, perms::owner_all);
            std::filesystem::permissions(m_file, perms::owner_read | perms::owner_write);
            QVERIFY2(good, store.ok() ? "" : store.error().text().c_str());
        }
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path m_file;
};

QTEST_GUILESS_MAIN(TestRunTrash)
#include "tst_run_trash.moc"
