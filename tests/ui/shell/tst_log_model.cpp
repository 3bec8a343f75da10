// Lines from other threads, batches, the cap, the two levels.
#include "ui/bridge/log_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include <thread>

using namespace athanor;

namespace {

LogEntry entry(LogLevel level, const QString& text)
{
    return {1'700'000'000'000, level, text, {}};
}

QStringList texts(const QAbstractItemModel& model)
{
    QStringList all;
    for (int row = 0; row < model.rowCount(); ++row)
        all << model.index(row, LogModel::Text).data().toString();
    return all;
}

} // namespace

class LogModelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void takesLinesOfTheLogFromAnyThread()
    {
        LogModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        spdlog::default_logger()->set_level(spdlog::level::debug);
        std::thread([] {
            spdlog::info("from elsewhere");
            spdlog::debug("a detail");
        }).join();
        QCOMPARE(model.rowCount(), 0); // only the GUI thread's event loop brings them in
        QTRY_COMPARE(model.rowCount(), 2);
        QCOMPARE(texts(model), (QStringList{"from elsewhere", "a detail"}));
        QCOMPARE(model.index(1, 0).data(LogModel::LevelRole).toInt(), int(LogLevel::Detail));
    }

    void addsInBatches()
    {
        LogModel model;
        QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
        for (int i = 0; i < 5000; ++i)
            model.addEntry(entry(LogLevel::Info, QString::number(i)));
        QTRY_COMPARE(model.rowCount(), 5000);
        QCOMPARE(inserted.count(), 1);
        QCOMPARE(model.index(4999, LogModel::Text).data().toString(), QStringLiteral("4999"));
    }

    void dropsTheOldestLinesWhenFull()
    {
        LogModel model;
        for (int i = 0; i < LogModel::kMaxLines; ++i)
            model.addEntry(entry(LogLevel::Info, QString::number(i)));
        QTRY_COMPARE(model.rowCount(), LogModel::kMaxLines);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.addEntry(entry(LogLevel::Info, QStringLiteral("the newest")));
        QTRY_COMPARE(model.rowCount(), LogModel::kMaxLines - LogModel::kDropLines + 1);
        QCOMPARE(model.index(0, LogModel::Text).data().toString(), QString::number(LogModel::kDropLines));
        QCOMPARE(model.index(model.rowCount() - 1, LogModel::Text).data().toString(),
                 QStringLiteral("the newest"));
    }

    void keepsTheNewestOfABatchThatIsTooLong()
    {
        LogModel model;
        for (int i = 0; i < LogModel::kMaxLines + 10; ++i)
            model.addEntry(entry(LogLevel::Info, QString::number(i)));
        QTRY_COMPARE(model.rowCount(), LogModel::kMaxLines);
        QCOMPARE(model.index(0, LogModel::Text).data().toString(), QStringLiteral("10"));
    }

    void writesEventsForPeople()
    {
        LogModel model;
        model.addEvent({1200, 1'700'000'000'000, EventKind::NonFinite, "the loss is NaN", "train/loss"});
        QTRY_COMPARE(model.rowCount(), 1);
        QCOMPARE(model.index(0, LogModel::Text).data().toString(),
                 QStringLiteral("Step 1\u2009200: the loss is NaN"));
        QCOMPARE(model.index(0, 0).data(LogModel::LevelRole).toInt(), int(LogLevel::Warning));
        QCOMPARE(model.index(0, 0).data(LogModel::WhereRole).toString(), QStringLiteral("train/loss"));
    }

    void filtersByLevelAndText()
    {
        LogModel model;
        LogFilter filter;
        filter.setSourceModel(&model);
        const QAbstractItemModelTester tester(&filter,
                                              QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.addEntry(entry(LogLevel::Detail, QStringLiteral("opened the data")));
        model.addEntry(entry(LogLevel::Info, QStringLiteral("epoch 1 done")));
        model.addEntry(entry(LogLevel::Error, QStringLiteral("the DATA is gone")));
        QTRY_COMPARE(filter.rowCount(), 2);
        QCOMPARE(texts(filter), (QStringList{"epoch 1 done", "the DATA is gone"}));
        filter.setShowsDetail(true);
        QCOMPARE(filter.rowCount(), 3);
        filter.setText(QStringLiteral("data"));
        QCOMPARE(texts(filter), (QStringList{"opened the data", "the DATA is gone"}));
        filter.setShowsDetail(false);
        QCOMPARE(texts(filter), (QStringList{"the DATA is gone"}));
    }

    void mayGoWhileOthersLog()
    {
        std::jthread chatter([](const std::stop_token& stop) {
            while (!stop.stop_requested())
                spdlog::info("line");
        });
        for (int i = 0; i < 20; ++i) {
            LogModel model;
            QTRY_VERIFY(model.rowCount() > 0);
        }
    }
};

QTEST_GUILESS_MAIN(LogModelTest)
#include "tst_log_model.moc"
