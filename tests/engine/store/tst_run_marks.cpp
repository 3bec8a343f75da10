#include "engine/store/run_marks.h"
#include "tests/engine/store/store_testing.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <QTemporaryDir>
#include <QTest>

using namespace athanor;
using namespace athanor::testing;

class TestRunMarks : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path m_file;
    RunId m_first = 0;
    RunId m_second = 0;

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_file = m_folder->filePath("runs.sqlite").toStdString();
        RunStore store = openStore(m_file);
        m_first = valueOf(store.startRun({}));
        m_second = valueOf(store.startRun({}));
    }

    void marksStayAndGo()
    {
        VERIFY_OK(valueOf(RunMarks::open(m_file))
                      .set({{m_first, {"#0072b2", true, false}}, {m_second, {{}, false, true}}}));
        RunMarks marks = valueOf(RunMarks::open(m_file));
        auto all = valueOf(marks.all());
        QCOMPARE(all.size(), 2U);
        QVERIFY(all[m_first] == (RunMark{"#0072b2", true, false}));
        QVERIFY(all[m_second].archived);
        VERIFY_OK(marks.set({{m_first, {}}}));
        QCOMPARE(valueOf(marks.all()).size(), 1U);
    }

    void allOrNone()
    {
        RunMarks marks = valueOf(RunMarks::open(m_file));
        const Status missing = marks.set({{m_first, {{}, true, false}}, {9999, {{}, true, false}}});
        QCOMPARE(missing.error().code, ErrorCode::NotFound);
        QVERIFY(valueOf(marks.all()).empty());
        QCOMPARE(marks.set({{m_first, {"red'; DROP TABLE run; --", false, false}}}).error().code,
                 ErrorCode::InvalidArgument);
    }

    void aStoreFromBeforeGetsTheTable()
    {
        {
            SQLite::Database db(m_file.string(), SQLite::OPEN_READWRITE);
            db.exec("DROP TABLE mark; PRAGMA user_version = 2; PRAGMA wal_checkpoint(TRUNCATE)");
        }
        VERIFY_OK(valueOf(RunMarks::open(m_file)).set({{m_first, {{}, true, false}}}));
    }
};

QTEST_APPLESS_MAIN(TestRunMarks)
#include "tst_run_marks.moc"
