#include "engine/store/run_store.h"

#include "tests/engine/store/store_testing.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <QFile>
#include <QTemporaryDir>

#include <limits>

using namespace athanor;
using namespace athanor::testing;

class TestRunVerify : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_file = std::filesystem::path(m_folder->path().toStdString()) / "runs.sqlite";
        RunStore store = openStore(m_file);
        m_run = valueOf(store.startRun({"a", "p", "", "", "", Json::object()}));
        std::vector<double> values;
        for (int i = 0; i < 1200; ++i)
            values.push_back(i == 700 ? std::numeric_limits<double>::quiet_NaN() : 1.0 / (1 + i));
        const std::vector<SeriesInfo> infos{{"train/loss", "", SeriesRole::Essential}, {"lr", "", SeriesRole::Essential}};
        VERIFY_OK(store.flush(m_run, flushOf(infos, samplesOf(0, 1, values))));
        VERIFY_OK(store.flush(m_run, flushOf({}, samplesOf(1, 1, {0.1}))));
    }

    void aGoodStoreIsClean()
    {
        const auto report = valueOf(openStore(m_file).verify());
        QVERIFY(report.clean);
        QVERIFY(report.problems.empty() && report.repairs.empty());
        QCOMPARE(report.runs, std::int64_t(1));
        QCOMPARE(report.series, std::int64_t(2));
        QCOMPARE(report.points, std::int64_t(1201));
    }

    void wrongSummariesAreMadeAnew_data()
    {
        QTest::addColumn<QString>("change");
        for (const char* change : {"count = 5", "non_finite = 0", "last_step = 1", "last = 7.0", "last = NULL",
                                   "min = -1.0", "max = x'0000000000000080'", "min_step = 3", "max_step = 9"})
            QTest::newRow(change) << QString(change);
    }
    void wrongSummariesAreMadeAnew()
    {
        QFETCH(QString, change);
        const auto before = valueOf(openStore(m_file).summaries(m_run))[0];
        damage(("UPDATE series SET " + change + " WHERE name = 'train/loss'").toStdString());
        RunStore store = openStore(m_file);
        const auto report = valueOf(store.verify());
        QVERIFY(!report.clean);
        QVERIFY(report.problems.empty());
        QCOMPARE(report.repairs.size(), std::size_t(1));
        QVERIFY(report.repairs[0].find("run 1, train/loss") != std::string::npos);
        const auto after = valueOf(store.summaries(m_run))[0];
        QVERIFY(after.count == 1200 && after.nonFinite == 1 && after.lastStep == 1200);
        QVERIFY(sameBits(after.last, before.last) && sameBits(after.min, before.min) && sameBits(after.max, before.max));
        QVERIFY(after.minStep == 1200 && after.maxStep == 1);
        QVERIFY(valueOf(store.verify()).clean);
    }

    void wrongRunsAreReported_data()
    {
        QTest::addColumn<QString>("change");
        QTest::addColumn<QString>("problem");
        QTest::newRow("steps") << "steps = 'abc'" << "run 1: steps is no number";
        QTest::newRow("status") << "status = 'bogus'" << "run 1: there is no status 'bogus'";
        QTest::newRow("environment") << "environment = '{['" << "run 1: its environment is no JSON object";
        QTest::newRow("name") << "name = CAST(x'ff61' AS TEXT)" << "run 1: its name, project or note is no UTF-8";
    }
    void wrongRunsAreReported()
    {
        QFETCH(QString, change);
        QFETCH(QString, problem);
        damage(("UPDATE run SET " + change).toStdString());
        const auto report = valueOf(openStore(m_file).verify());
        QVERIFY(!report.clean);
        QCOMPARE(report.problems, std::vector<std::string>{problem.toStdString()});
    }

    void aMissingTableIsDamage()
    {
        damage("DROP TABLE block");
        RunStore store = openStore(m_file);
        QCOMPARE(valueOf(store.verify()).problems, std::vector<std::string>{"the table block is missing"});
        const Error error = store.points(m_run, "train/loss").error();
        QVERIFY2(error.code == ErrorCode::Unreadable, error.text().c_str());
    }

    void damagedBlocksAreReportedAndLeftAlone_data()
    {
        QTest::addColumn<QString>("change");
        for (const char* change : {"\"values\" = zeroblob(4096)", "\"values\" = x'00'", "crc32 = 1", "count = 511",
                                   "stride = 2", "last_step = 600", "steps = x'01'"})
            QTest::newRow(change) << QString(change);
    }
    void damagedBlocksAreReportedAndLeftAlone()
    {
        QFETCH(QString, change);
        damage(("UPDATE block SET " + change + " WHERE number = 0 AND series_id = 1").toStdString());
        RunStore store = openStore(m_file);
        const auto report = valueOf(store.verify());
        QVERIFY(!report.clean);
        QCOMPARE(report.problems.size(), std::size_t(1));
        QVERIFY2(report.problems[0].find("run 1, train/loss: block 0, steps 1 to") == 0, report.problems[0].c_str());
        QVERIFY(report.repairs.empty()); // the summary is the only witness of the lost points
        QCOMPARE(valueOf(store.summaries(m_run))[0].count, std::int64_t(1200));
        const auto points = store.points(m_run, "train/loss");
        QVERIFY(!points.ok() && points.error().code == ErrorCode::Unreadable);
        QVERIFY(points.error().where.find("train/loss") != std::string::npos);
        QCOMPARE(valueOf(store.points(m_run, "train/loss", 700)).steps.size(), std::size_t(501)); // others are good
        QCOMPARE(valueOf(store.points(m_run, "lr")).values, std::vector<double>{0.1});
    }

    void aMissingBlockIsSeenByTheSummary()
    {
        damage("DELETE FROM block WHERE number = 1 AND series_id = 1");
        const auto report = valueOf(openStore(m_file).verify());
        QVERIFY(!report.clean);
        QCOMPARE(report.repairs.size(), std::size_t(1));
    }

    void rowsWithoutTheirRunAreReported()
    {
        damage("INSERT INTO event (run_id, step, wall_ms, kind, text, place) VALUES (77, 1, 1, 'note', '', '')");
        const auto report = valueOf(openStore(m_file).verify());
        QVERIFY(!report.clean);
        QCOMPARE(report.problems, std::vector<std::string>{"table event has a row that belongs to no run"});
    }

    void aDamagedFileIsReported()
    {
        { // Everything into the main file.
            SQLite::Database db(m_file.string(), SQLite::OPEN_READWRITE);
            db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
        }
        QFile file(QString::fromStdString(m_file.string()));
        QVERIFY(file.open(QIODevice::ReadWrite));
        const qint64 pages = file.size() / 4096;
        for (qint64 page = 5; page < pages; ++page) {
            file.seek(page * 4096);
            file.write(QByteArray(64, '\xa5'));
        }
        file.close();
        auto store = RunStore::open(m_file);
        VERIFY_OK(store);
        const auto report = store->verify();
        VERIFY_OK(report);
        QVERIFY(!report->clean);
        QVERIFY(!report->problems.empty());
        QVERIFY(!store->points(m_run, "train/loss").ok());
    }

private:
    void damage(const std::string& sql) { SQLite::Database(m_file.string(), SQLite::OPEN_READWRITE).exec(sql); }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path m_file;
    RunId m_run = 0;
};

QTEST_APPLESS_MAIN(TestRunVerify)
#include "tst_run_verify.moc"
