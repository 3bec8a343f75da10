#include "engine/exchange/run_text_files.h"
#include "tests/engine/store/store_testing.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <limits>

using namespace athanor;
using namespace athanor::testing;

class TestRunTextFiles : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path path(const char* name) const { return m_folder->filePath(name).toStdString(); }
    std::filesystem::path write(const char* name, const QByteArray& bytes) const
    {
        QFile file(m_folder->filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            throw std::runtime_error("the test cannot write");
        return path(name);
    }
    RunId makeRun(RunStore& store) const
    {
        const NewRun fresh{"odd, \"name\"\nof two lines", "p", {}, "{\"athanor\": 1}"};
        const RunId run = valueOf(store.startRun(fresh));
        const std::vector<double> values{0.1, std::numeric_limits<double>::quiet_NaN(),
                                         -std::numeric_limits<double>::infinity(), 1e-300, -0.0};
        valueOf(
            store.flush(run, flushOf({{"odd, \"series\"", "ms", SeriesRole::Probe}}, samplesOf(0, 1, values),
                                     {{3, 99, EventKind::Note, "text", "conv1"}})));
        valueOf(store.finishRun(run, RunStatus::Diverged, "why"));
        valueOf(store.setTags(run, {"t"}));
        return run;
    }

private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void jsonComesBackWhole()
    {
        RunStore store = openStore(path("runs.sqlite"));
        const RunId run = makeRun(store);
        VERIFY_OK(exportRunJson(store, run, path("run.json")));
        const ImportReport report = valueOf(importRunFile(path("other.sqlite"), path("run.json")));
        RunStore other = openStore(path("other.sqlite"));
        const RunInfo before = valueOf(store.run(run));
        const RunInfo after = valueOf(other.run(report.runs[0]));
        QCOMPARE(after.name, before.name);
        QCOMPARE(after.status, RunStatus::Diverged);
        QCOMPARE(after.failure, std::string("why"));
        QCOMPARE(after.startedMs, before.startedMs);
        QCOMPARE(after.tags, before.tags);
        QCOMPARE(valueOf(other.projectText(after.id)), std::string("{\"athanor\": 1}"));
        QVERIFY(sameBits(valueOf(other.points(after.id, "odd, \"series\"")).values,
                         valueOf(store.points(run, "odd, \"series\"")).values));
        QCOMPARE(valueOf(other.summaries(after.id))[0].unit, std::string("ms"));
        QCOMPARE(valueOf(other.events(after.id))[0].where, std::string("conv1"));
    }

    void csvComesBackExactly()
    {
        RunStore store = openStore(path("runs.sqlite"));
        const RunId run = makeRun(store);
        VERIFY_OK(exportRunCsv(store, run, path("run.csv")));
        const ImportReport report = valueOf(importRunFile(path("other.sqlite"), path("run.csv")));
        QCOMPARE(report.points, 5);
        const RunStore other = openStore(path("other.sqlite"));
        QVERIFY(sameBits(valueOf(other.points(report.runs[0], "odd, \"series\"")).values,
                         valueOf(store.points(run, "odd, \"series\"")).values));
        QCOMPARE(valueOf(other.run(report.runs[0])).name, std::string("run"));
    }

    void tablesOfOtherPrograms()
    {
        const auto file =
            write("log.csv", "epoch,step,train_loss,val_loss\r\n0,1,0.5,\r\n0,2.0,0.25,0.75\r\n\r\n");
        const ImportReport report = valueOf(importRunFile(path("runs.sqlite"), file));
        const RunStore store = openStore(path("runs.sqlite"));
        QCOMPARE(valueOf(store.points(report.runs[0], "train_loss")).values,
                 (std::vector<double>{0.5, 0.25}));
        QCOMPARE(valueOf(store.points(report.runs[0], "val_loss")).steps, std::vector<std::int64_t>{2});
        QCOMPARE(valueOf(store.run(report.runs[0])).steps, 2);
    }

    void whatIsWrongIsToldByItsLine_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("where");
        QTest::newRow("no step") << QByteArray("a,b\n1,2\n") << "line 1";
        QTest::newRow("no number") << QByteArray("step,a\n1,2\n2,x\n") << "line 3";
        QTest::newRow("cells") << QByteArray("step,a\n1,2,3\n") << "line 2";
        QTest::newRow("half a step") << QByteArray("series,step,value\na,1.5,2\n") << "line 2";
        QTest::newRow("json") << QByteArray("{\"athanor_run\": 1}") << "file";
        QTest::newRow("version") << QByteArray("{\"athanor_run\": 99}") << "file";
        QTest::newRow("empty") << QByteArray() << "line 1";
    }
    void whatIsWrongIsToldByItsLine()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, where);
        const auto report = importRunFile(path("runs.sqlite"), write("file", text));
        QVERIFY(!report.ok());
        QVERIFY2(report.error().where.find(where.toStdString()) != std::string::npos,
                 report.error().text().c_str());
        QVERIFY(!std::filesystem::exists(path("runs.sqlite")));
    }
};

QTEST_APPLESS_MAIN(TestRunTextFiles)
#include "tst_run_text_files.moc"
