// The small models and functions of the window: findings, tasks, palette, number texts.
#include "ui/bridge/findings_model.h"
#include "ui/bridge/task_list.h"
#include "ui/bridge/text_format.h"
#include "ui/bridge/fuzzy_match.h"
#include "ui/shell/palette_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include <limits>

using namespace athanor;

namespace {

constexpr auto kFailureMode = QAbstractItemModelTester::FailureReportingMode::QtTest;

Finding finding(const char* rule, Severity severity, const char* node)
{
    Finding result;
    result.rule = rule;
    result.severity = severity;
    result.node = node;
    result.message = std::string(rule) + " at " + node;
    result.firstStep = 10;
    result.lastStep = 1200;
    return result;
}

} // namespace

class ListsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void numbers_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("text");
        QTest::newRow("zero") << 0.0 << "0";
        QTest::newRow("share") << 0.97312 << "0.9731";
        QTest::newRow("one and a half") << 1.5 << "1.500";
        QTest::newRow("whole") << 42.0 << "42";
        QTest::newRow("thousands") << 1234567.0 << QStringLiteral("1\u2009234\u2009567");
        QTest::newRow("small") << 1.234e-4 << "1.23e-4";
        QTest::newRow("negative") << -2.5 << QStringLiteral("−2.500");
        QTest::newRow("big") << 1.5e9 << "1.50e9";
        QTest::newRow("nan") << std::numeric_limits<double>::quiet_NaN() << "NaN";
        QTest::newRow("inf") << -std::numeric_limits<double>::infinity() << QStringLiteral("−∞");
    }
    void numbers()
    {
        QFETCH(double, value);
        QFETCH(QString, text);
        QCOMPARE(numberText(value), text);
    }

    void otherTexts()
    {
        QCOMPARE(percentText(0.973), QStringLiteral("97.3\u2009%"));
        QCOMPARE(countText(-1234567), QStringLiteral("−1\u2009234\u2009567"));
        QCOMPARE(countText(999), QStringLiteral("999"));
        QCOMPARE(durationText(-1), QStringLiteral("–"));
        QCOMPARE(durationText(0.44), QStringLiteral("0.4 s"));
        QCOMPARE(durationText(59.4), QStringLiteral("59 s"));
        QCOMPARE(durationText(245), QStringLiteral("4 min 05 s"));
        QCOMPARE(durationText(7380), QStringLiteral("2 h 03 min"));
        QCOMPARE(durationText(273'600), QStringLiteral("3 d 4 h"));
        QCOMPARE(exactText(0.1), QStringLiteral("0.1"));
    }

    void findingsListProblemsFirst()
    {
        FindingsModel model;
        const QAbstractItemModelTester tester(&model, kFailureMode);
        model.setFindings({finding("loss/non-finite", Severity::Error, "fc1")});
        model.setProblems({{"network/conv1/kernel_size", Severity::Warning, "too large", "Use 3."}});
        QCOMPARE(model.rowCount(), 2);
        QVERIFY(!model.isOfRun(0));
        QCOMPARE(model.index(0, FindingsModel::Where).data().toString(),
                 QStringLiteral("network/conv1/kernel_size"));
        QCOMPARE(model.finding(0).fixes.at(0).text, std::string("Use 3."));
        QVERIFY(model.isOfRun(1));
        QCOMPARE(model.index(1, FindingsModel::Where).data().toString(), QStringLiteral("network/fc1"));
        QCOMPARE(model.index(1, FindingsModel::Steps).data().toString(), QStringLiteral("10 – 1\u2009200"));
        QCOMPARE(model.count(Severity::Error), 1);
        QCOMPARE(model.count(Severity::Warning), 1);
        model.setFindings({});
        QCOMPARE(model.rowCount(), 1);
    }

    // A finding that only grows must not take the selection away from who reads it.
    void findingsUpdateInPlace()
    {
        FindingsModel model;
        model.setFindings({finding("a", Severity::Info, "x"), finding("b", Severity::Error, "y")});
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        Finding later = finding("b", Severity::Error, "y");
        later.lastStep = 2000;
        model.setFindings({finding("a", Severity::Info, "x"), later});
        QCOMPARE(reset.count(), 0);
        QCOMPARE(changed.count(), 1);
        QCOMPARE(model.finding(1).lastStep, 2000);
        const QString key = model.index(1, 0).data(FindingsModel::KeyRole).toString();
        model.setFindings({later, finding("a", Severity::Info, "x")});
        QCOMPARE(reset.count(), 1);
        QCOMPARE(model.rowOf(key), 0);
        QCOMPARE(model.rowOf("gone"), -1);
    }

    void quickTasksNeverShow()
    {
        TaskList tasks;
        QSignalSpy inserted(&tasks, &QAbstractItemModel::rowsInserted);
        tasks.end(tasks.begin("quick"));
        QTest::qWait(2 * TaskList::kShowAfterMilliseconds);
        QCOMPARE(inserted.count(), 0);
    }

    void tasksShowProgressAndCancelOnce()
    {
        TaskList tasks;
        const QAbstractItemModelTester tester(&tasks, kFailureMode);
        int cancelled = 0;
        const TaskId id = tasks.begin("long", [&cancelled] { ++cancelled; });
        const TaskId other = tasks.begin("other");
        tasks.setProgress(id, 0.25);
        QTRY_COMPARE(tasks.rowCount(), 2);
        QCOMPARE(tasks.index(0).data(TaskList::ProgressRole).toDouble(), 0.25);
        QVERIFY(tasks.index(0).data(TaskList::SecondsLeftRole).toDouble() > 0);
        QVERIFY(tasks.index(0).data(TaskList::CanCancelRole).toBool());
        QVERIFY(!tasks.index(1).data(TaskList::CanCancelRole).toBool());
        QCOMPARE(tasks.index(1).data(TaskList::SecondsLeftRole).toDouble(), -1.0);
        tasks.cancel(id);
        tasks.cancel(id);
        tasks.cancel(other);
        QCOMPARE(cancelled, 1);
        QVERIFY(!tasks.index(0).data(TaskList::CanCancelRole).toBool());
        tasks.end(id);
        tasks.end(id);
        QCOMPARE(tasks.rowCount(), 1);
        QCOMPARE(tasks.index(0).data().toString(), QStringLiteral("other"));
    }

    void fuzzyMatching()
    {
        QVERIFY(!fuzzyMatch("xyz", "train/loss"));
        QVERIFY(!fuzzyMatch("ssol", "train/loss"));
        QCOMPARE(fuzzyMatch("", "anything")->score, 0);
        QCOMPARE(fuzzyMatch("TL", "train/loss")->positions, (std::vector<int>{0, 6}));
        QCOMPARE(fuzzyMatch("train", "Stop training")->positions, (std::vector<int>{5, 6, 7, 8, 9}));
        QVERIFY(fuzzyMatch("save", "Save")->score > fuzzyMatch("save", "Save as…")->score);
        QVERIFY(fuzzyMatch("rl", "Reset layout")->score > fuzzyMatch("rl", "world")->score);
        QVERIFY(fuzzyMatch("re lay", "Reset layout"));
    }

    void paletteShowsTheBestFirst()
    {
        PaletteModel model;
        const QAbstractItemModelTester tester(&model, kFailureMode);
        std::vector<PaletteEntry> entries;
        for (const char* title : {"grad_norm/conv1", "Close", "conv1  Conv2d"})
            entries.push_back({title, "kind", {}, [] {}});
        model.setEntries(entries);
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(model.index(0).data().toString(), QStringLiteral("grad_norm/conv1")); // unchanged order
        model.setPattern("conv");
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.index(0).data().toString(), QStringLiteral("conv1  Conv2d"));
        model.setPattern("nothing at all");
        QCOMPARE(model.rowCount(), 0);
    }
};

QTEST_MAIN(ListsTest)
#include "tst_lists.moc"
