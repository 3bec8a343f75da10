#include "engine/store/run_capsule.h"
#include "engine/store/run_marks.h"
#include "tests/engine/store/store_testing.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <limits>

using namespace athanor;
using namespace athanor::testing;

class TestRunCapsule : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path path(const char* name) const { return m_folder->filePath(name).toStdString(); }

    RunId makeRun(RunStore& store) const
    {
        const NewRun fresh{"it's \"odd\"\n; DROP TABLE run", "p", {}, "{}"};
        const RunId run = valueOf(store.startRun(fresh));
        std::vector<double> values;
        for (int i = 0; i < 2000; ++i)
            values.push_back(i % 7 == 0 ? std::numeric_limits<double>::quiet_NaN() : 1.0 / (i + 1));
        const std::vector<Event> events{{5, 1000, EventKind::Note, "hello", "conv1"}};
        valueOf(store.flush(
            run, flushOf({{"train/loss", "", SeriesRole::Essential}, {"time", "ms", SeriesRole::Machine}},
                         samplesOf(0, 1, values), events)));
        std::filesystem::create_directories(path("checkpoints/a"));
        std::ofstream(path("checkpoints/a/step-10.ckpt"), std::ios::binary)
            << std::string("weights\0of it", 13);
        valueOf(store.addCheckpoint(run, {10, path("checkpoints/a/step-10.ckpt").string(), true, 0.5}));
        valueOf(
            store.addCheckpoint(run, {20, path("checkpoints/a/step-20.ckpt").string(), false, 0.4})); // gone
        valueOf(store.finishRun(run, RunStatus::Finished));
        valueOf(store.setTags(run, {"one", "two"}));
        return run;
    }

private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void travelsBitForBit()
    {
        RunStore store = openStore(path("runs.sqlite"));
        valueOf(store.startRun({})); // ids differ on the two sides
        const RunId run = makeRun(store);
        valueOf(valueOf(RunMarks::open(path("runs.sqlite"))).set({{run, {"#0072b2", true, false}}}));
        const CapsuleReport out = valueOf(exportCapsule(path("runs.sqlite"), run, path("run.capsule")));
        QCOMPARE(out.checkpoints, std::vector<std::string>{"step-10.ckpt"});
        QCOMPARE(out.missing, std::vector<std::string>{"step-20.ckpt"});
        QVERIFY(!std::filesystem::exists(path("run.capsule-wal")));

        std::filesystem::create_directories(path("elsewhere"));
        for (int times = 1; times <= 2; ++times) {
            const CapsuleReport in =
                valueOf(importCapsule(path("elsewhere/other.sqlite"), path("run.capsule")));
            QCOMPARE(in.run, RunId(times));
            const RunStore other = openStore(path("elsewhere/other.sqlite"));
            const RunInfo before = valueOf(store.run(run));
            const RunInfo after = valueOf(other.run(in.run));
            QCOMPARE(after.name, before.name);
            QCOMPARE(after.tags, before.tags);
            QCOMPARE(after.startedMs, before.startedMs);
            QCOMPARE(after.status, before.status);
            const SeriesPoints points = valueOf(other.points(in.run, "train/loss"));
            QVERIFY(sameBits(points.values, valueOf(store.points(run, "train/loss")).values));
            QCOMPARE(valueOf(other.summaries(in.run)).size(), 2U);
            QCOMPARE(valueOf(other.events(in.run))[0].text, std::string("hello"));
            const auto checkpoints = valueOf(other.checkpoints(in.run));
            QCOMPARE(checkpoints.size(), 1U);
            QVERIFY(checkpoints[0].file.starts_with(path("elsewhere/checkpoints").string()));
            std::ifstream file(checkpoints[0].file, std::ios::binary);
            const std::string data{std::istreambuf_iterator<char>(file), {}};
            QCOMPARE(data, std::string("weights\0of it", 13));
            QVERIFY(
                valueOf(valueOf(RunMarks::open(path("elsewhere/other.sqlite"))).all()).at(in.run).starred);
        }
        RunStore other = openStore(path("elsewhere/other.sqlite"));
        QVERIFY(valueOf(other.verify()).clean);
    }

    void aCapsuleIsAStoreToo()
    {
        RunStore store = openStore(path("runs.sqlite"));
        const RunId run = makeRun(store);
        valueOf(exportCapsule(path("runs.sqlite"), run, path("run.capsule")));
        const RunStore capsule = valueOf(RunStore::openToRead(path("run.capsule")));
        QCOMPARE(valueOf(capsule.runs()).size(), 1U);
    }

    void whatIsNoneIsRefusedAndLeavesNothing()
    {
        RunStore store = openStore(path("runs.sqlite"));
        makeRun(store);
        std::ofstream(path("text")) << "not a database at all, but long enough to look like one";
        QCOMPARE(importCapsule(path("runs.sqlite"), path("text")).error().code, ErrorCode::Unreadable);
        std::filesystem::copy_file(path("runs.sqlite"), path("store"));
        QVERIFY(!importCapsule(path("runs.sqlite"), path("store")).ok()); // a store is no capsule
        QCOMPARE(importCapsule(path("runs.sqlite"), path("missing")).error().code, ErrorCode::NotFound);
        QCOMPARE(valueOf(store.runs()).size(), 1U);
        QVERIFY(!std::filesystem::exists(path("runs.sqlite.capsule")));
        QCOMPARE(exportCapsule(path("runs.sqlite"), 999, path("x")).error().code, ErrorCode::NotFound);
        QVERIFY(!std::filesystem::exists(path("x.part")));
    }

    // A capsule from elsewhere cannot write where it wants.
    void noFileLeavesTheFolder()
    {
        RunStore store = openStore(path("runs.sqlite"));
        const RunId run = makeRun(store);
        valueOf(exportCapsule(path("runs.sqlite"), run, path("run.capsule")));
        {
            SQLite::Database db(path("run.capsule").string(), SQLite::OPEN_READWRITE);
            db.exec("UPDATE capsule_file SET name = '../../escaped'; UPDATE checkpoint SET file = "
                    "'../../escaped'");
        }
        QVERIFY(!importCapsule(path("runs.sqlite"), path("run.capsule")).ok());
        QVERIFY(!std::filesystem::exists(path("checkpoints/escaped")) &&
                !std::filesystem::exists(path("escaped")));
        QCOMPARE(valueOf(store.runs()).size(), 1U);
    }

    void aRunThatGoesOnStays()
    {
        RunStore store = openStore(path("runs.sqlite"));
        const RunId run = valueOf(store.startRun({}));
        QCOMPARE(exportCapsule(path("runs.sqlite"), run, path("run.capsule")).error().code, ErrorCode::Busy);
    }
};

QTEST_APPLESS_MAIN(TestRunCapsule)
#include "tst_run_capsule.moc"
