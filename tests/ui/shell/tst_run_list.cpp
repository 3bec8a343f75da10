// The table of runs over a real store: reading, order, refresh, edits.
#include "ui/bridge/run_list_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <limits>

using namespace athanor;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

/// A finished run with these values of train/loss (none: no such series) and val/accuracy.
RunId addRun(RunStore& store, const std::string& name, const std::vector<double>& loss,
             const std::vector<double>& accuracy = {})
{
    NewRun fresh;
    fresh.name = name;
    fresh.project = "digits";
    fresh.projectText = R"({"athanor": 1, "name": "digits", "data": {"nodes": [], "edges": []},)"
                        R"( "network": {"nodes": [], "edges": []}, "training": {"epochs": 3}})";
    const RunId run = store.startRun(fresh).value();
    std::vector<SeriesInfo> series;
    std::vector<Sample> samples;
    const auto addSeries = [&](const char* series_name, const std::vector<double>& values) {
        if (values.empty())
            return;
        const auto index = static_cast<SeriesIndex>(series.size());
        series.push_back({series_name, {}, SeriesRole::Essential});
        for (std::size_t i = 0; i < values.size(); ++i)
            samples.push_back({index, static_cast<std::int64_t>(i) + 1, values[i]});
    };
    addSeries("train/loss", loss);
    addSeries("val/accuracy", accuracy);
    RunStore::Flush flush;
    flush.newSeries = series;
    flush.samples = samples;
    flush.steps = static_cast<std::int64_t>(loss.size());
    flush.seconds = 12;
    if (!store.flush(run, flush) || !store.finishRun(run, RunStatus::Finished))
        qFatal("the store cannot be written");
    return run;
}

QStringList column(const QAbstractItemModel& model, int column)
{
    QStringList all;
    for (int row = 0; row < model.rowCount(); ++row)
        all << model.index(row, column).data().toString();
    return all;
}

int columnNamed(const QAbstractItemModel& model, const QString& name)
{
    for (int i = 0; i < model.columnCount(); ++i) {
        if (model.headerData(i, Qt::Horizontal).toString() == name)
            return i;
    }
    return -1;
}

} // namespace

class RunListTest : public QObject {
    Q_OBJECT

    std::filesystem::path storeFile() const { return m_folder->filePath("runs.sqlite").toStdString(); }
    RunStore openStore() const { return RunStore::open(storeFile()).value(); }

    std::unique_ptr<QTemporaryDir> m_folder;

private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }
    void cleanup() { m_folder.reset(); }

    void storeThatIsNotThereIsAnEmptyList()
    {
        RunListModel model;
        QSignalSpy refreshed(&model, &RunListModel::refreshed);
        QSignalSpy failed(&model, &RunListModel::failed);
        model.setStoreFile(storeFile());
        QVERIFY(refreshed.wait());
        QCOMPARE(model.rowCount(), 0);
        QCOMPARE(failed.count(), 0);
        QVERIFY2(!std::filesystem::exists(storeFile()), "looking at the runs must not make a store");
    }

    void listsRunsNewestFirstWithTheirMetrics()
    {
        RunStore store = openStore();
        addRun(store, "first", {2, 1, 0.5}, {0.7, 0.9, 0.8});
        addRun(store, "second", {3, 4});
        RunListModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setStoreFile(storeFile());
        QTRY_COMPARE(model.columnCount(), RunListModel::FixedColumns + 4);
        QCOMPARE(column(model, RunListModel::Name), (QStringList{"second", "first"}));
        QCOMPARE(column(model, RunListModel::Steps), (QStringList{"2", "3"}));
        QCOMPARE(column(model, columnNamed(model, "train/loss")), (QStringList{"4", "0.5000"}));
        QCOMPARE(column(model, columnNamed(model, "train/loss best")), (QStringList{"3", "0.5000"}));
        QCOMPARE(column(model, columnNamed(model, "val/accuracy")), (QStringList{"", "0.8000"}));
        QCOMPARE(column(model, columnNamed(model, "val/accuracy best")), (QStringList{"", "0.9000"}));
    }

    void sortsFiniteInfiniteNaNMissingBothWays()
    {
        RunStore store = openStore();
        addRun(store, "nan", {kNaN});
        addRun(store, "two", {2});
        addRun(store, "missing", {}, {0.5});
        addRun(store, "minus", {-kInf});
        addRun(store, "ten", {10});
        addRun(store, "plus", {kInf});
        RunListModel model;
        RunListFilter filter;
        filter.setSourceModel(&model);
        const QAbstractItemModelTester tester(&filter,
                                              QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setStoreFile(storeFile());
        QTRY_VERIFY(columnNamed(model, "train/loss") > 0 && columnNamed(model, "val/accuracy") > 0);
        filter.sort(columnNamed(model, "train/loss"), Qt::AscendingOrder);
        QCOMPARE(column(filter, RunListModel::Name),
                 (QStringList{"two", "ten", "minus", "plus", "nan", "missing"}));
        filter.sort(columnNamed(model, "train/loss"), Qt::DescendingOrder);
        QCOMPARE(column(filter, RunListModel::Name),
                 (QStringList{"ten", "two", "plus", "minus", "nan", "missing"}));
    }

    void filtersByEveryWord()
    {
        RunStore store = openStore();
        const RunId run = addRun(store, "wide net", {1});
        addRun(store, "deep net", {1});
        QVERIFY(store.setTags(run, {"baseline"}).ok());
        RunListModel model;
        RunListFilter filter;
        filter.setSourceModel(&model);
        model.setStoreFile(storeFile());
        QTRY_COMPARE(filter.rowCount(), 2);
        QVERIFY(filter.setText("net BASE").ok());
        QCOMPARE(column(filter, RunListModel::Name), QStringList{"wide net"});
        QVERIFY(filter.setText("net nowhere").ok());
        QCOMPARE(filter.rowCount(), 0);
        QVERIFY(filter.setText("finished").ok());
        QCOMPARE(filter.rowCount(), 2);
    }

    void refreshTakesInWhatIsNewAndKeepsTheRest()
    {
        RunStore store = openStore();
        addRun(store, "a", {1});
        RunListModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setStoreFile(storeFile());
        QTRY_VERIFY(columnNamed(model, "train/loss") > 0);
        const QPersistentModelIndex kept = model.index(0, 0);
        addRun(store, "b", {2});
        QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        model.refresh();
        QTRY_COMPARE(column(model, columnNamed(model, "train/loss")), (QStringList{"2", "1"}));
        QCOMPARE(inserted.count(), 1);
        QCOMPARE(reset.count(), 0);
        QCOMPARE(kept.row(), 1);
        QCOMPARE(kept.data().toString(), QStringLiteral("a"));
    }

    void unchangedStoreIsNotReadAgain()
    {
        RunStore store = openStore();
        addRun(store, "a", {1});
        RunListModel model;
        model.setStoreFile(storeFile());
        QTRY_VERIFY(columnNamed(model, "train/loss") > 0);
        QTRY_VERIFY(!model.isReading());
        QSignalSpy refreshed(&model, &RunListModel::refreshed);
        QSignalSpy progress(&model, &RunListModel::progressChanged);
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        model.refresh();
        QVERIFY(refreshed.wait());
        QCOMPARE(progress.count(), 0);
        QCOMPARE(changed.count(), 0);
    }

    void readsMoreRunsThanOneMessageHolds()
    {
        RunStore store = openStore();
        for (int i = 0; i < 450; ++i)
            addRun(store, "run" + std::to_string(i), {double(i)});
        RunListModel model;
        model.setStoreFile(storeFile());
        QTRY_VERIFY_WITH_TIMEOUT(columnNamed(model, "train/loss") > 0 && !model.isReading(), 20'000);
        QCOMPARE(model.rowCount(), 450);
        const int loss = columnNamed(model, "train/loss");
        for (int row = 0; row < 450; ++row)
            QCOMPARE(model.index(row, loss).data(RunListModel::SortRole).toDouble(), 449.0 - row);
    }

    void editsGoToTheStore()
    {
        RunStore store = openStore();
        const RunId run = addRun(store, "a", {1});
        RunListModel model;
        model.setStoreFile(storeFile());
        QTRY_COMPARE(model.rowCount(), 1);
        QVERIFY(model.setData(model.index(0, RunListModel::Name), "better"));
        QVERIFY(model.setData(model.index(0, RunListModel::Tags), "wide, wide,  slow "));
        QVERIFY(model.setData(model.index(0, RunListModel::Note), "to be repeated"));
        QVERIFY(!model.setData(model.index(0, RunListModel::Steps), 5));
        QVERIFY(!model.setData(model.index(0, RunListModel::Name), "  "));
        QCOMPARE(model.index(0, RunListModel::Tags).data().toString(), QStringLiteral("wide, slow"));
        QTRY_COMPARE(store.run(run)->note, std::string("to be repeated"));
        QCOMPARE(store.run(run)->name, std::string("better"));
        QCOMPARE(store.run(run)->tags, (std::vector<std::string>{"wide", "slow"}));
    }

    void fileThatIsNoStoreIsAnError()
    {
        QFile file(QString::fromStdString(storeFile().string()));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(5000, 'x'));
        file.close();
        RunListModel model;
        QSignalSpy failed(&model, &RunListModel::failed);
        model.setStoreFile(storeFile());
        QVERIFY(failed.wait());
        QVERIFY(!failed.at(0).at(0).value<Error>().message.empty());
        QTRY_VERIFY(!model.isReading());
    }

    void readsTheProjectOfARun()
    {
        RunStore store = openStore();
        const RunId run = addRun(store, "a", {1});
        RunListModel model;
        model.setStoreFile(storeFile());
        std::string name;
        std::string missing;
        model.readProject(
            run, [&name](const Result<Project>& project) { name = project ? project->name : "failed"; });
        model.readProject(99, [&missing](const Result<Project>& project) {
            missing = project ? std::string() : project.error().message;
        });
        QTRY_COMPARE(name, std::string("digits"));
        QTRY_VERIFY(!missing.empty());
    }

    void filtersByExpressionsAndTellsWhatIsWrong()
    {
        RunStore store = openStore();
        const RunId low = addRun(store, "low", {0.5}, {0.7});
        addRun(store, "high", {2}, {0.9});
        QVERIFY(store.setTags(low, {"base"}).ok());
        RunListModel model;
        RunListFilter filter;
        filter.setSourceModel(&model);
        model.setStoreFile(storeFile());
        QTRY_VERIFY(model.rowCount() == 2 && model.facts(0) != nullptr && model.facts(1) != nullptr);
        QVERIFY(filter.setText("val/accuracy > 0.8").ok());
        QCOMPARE(column(filter, RunListModel::Name), QStringList{"high"});
        const Status wrong = filter.setText("val/accuracy >");
        QVERIFY(!wrong.ok());
        QVERIFY(QString::fromStdString(wrong.error().where).contains("column 15"));
        QCOMPARE(column(filter, RunListModel::Name), QStringList{"high"}); // as it was
        QVERIFY(filter.setText("tag = base and epochs < 5").ok());
        QCOMPARE(column(filter, RunListModel::Name), QStringList{"low"});
        const Status misspelt = filter.setText("val/acuracy > 0.8");
        QVERIFY(!misspelt.ok());
        QVERIFY(QString::fromStdString(misspelt.error().hint).contains("val/accuracy"));
        QVERIFY(filter.setText("hig").ok());
        QCOMPARE(column(filter, RunListModel::Name), QStringList{"high"});
    }

    void deletesAndTakesItBack()
    {
        RunStore store = openStore();
        const RunId first = addRun(store, "first", {1});
        addRun(store, "second", {1});
        RunListModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setStoreFile(storeFile());
        QTRY_COMPARE(model.rowCount(), 2);
        model.deleteRuns({first});
        QTRY_COMPARE(column(model, RunListModel::Name), QStringList{"second"});
        QCOMPARE(store.runs().value().size(), 1U);
        model.undoStack()->undo();
        QTRY_COMPARE(column(model, RunListModel::Name), (QStringList{"second", "first"}));
        model.undoStack()->redo();
        QTRY_COMPARE(model.rowCount(), 1);
    }

    void hundredsAreDeletedAtOnceAndComeBackWithTheirMetrics()
    {
        RunStore store = openStore();
        std::vector<RunId> runs;
        for (int i = 0; i < 260; ++i)
            runs.push_back(addRun(store, "run", {1.0 * i}));
        RunListModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setStoreFile(storeFile());
        QTRY_VERIFY(model.rowCount() == 260 && model.facts(259) != nullptr);
        model.deleteRuns({runs.begin() + 10, runs.end()});
        QTRY_COMPARE(model.rowCount(), 10);
        QCOMPARE(model.run(0)->id, runs[9]);
        QVERIFY(model.facts(0) != nullptr); // of those that stayed nothing is read again
        model.undoStack()->undo();
        QTRY_COMPARE(model.rowCount(), 260);
        QTRY_COMPARE(model.index(0, RunListModel::FixedColumns).data().toString(), QStringLiteral("259"));
    }

    void textsAndMarksAreUndone()
    {
        RunStore store = openStore();
        const RunId run = addRun(store, "first", {1});
        RunListModel model;
        RunListFilter filter;
        filter.setSourceModel(&model);
        model.setStoreFile(storeFile());
        QTRY_VERIFY(model.rowCount() == 1 && !model.isReading());
        QVERIFY(model.setData(model.index(0, RunListModel::Tags), "a, b"));
        QTRY_COMPARE(store.run(run).value().tags.size(), 2U);
        model.setMarks({run}, "Star", [](RunMark& mark) { mark.starred = true; });
        QVERIFY(model.index(0, 0).data(RunListModel::StarredRole).toBool());
        model.setMarks({run}, "Archive", [](RunMark& mark) { mark.archived = true; });
        QCOMPARE(filter.rowCount(), 0);
        filter.setArchivedShown(true);
        QCOMPARE(filter.rowCount(), 1);
        const auto stored = [this] { return RunMarks::open(storeFile()).value().all().value(); };
        QTRY_VERIFY(stored()[run].archived && stored()[run].starred);
        RunListModel other; // as the next window sees it
        other.setStoreFile(storeFile());
        QTRY_VERIFY(other.rowCount() == 1 && other.mark(0).archived && other.mark(0).starred);
        model.undoStack()->undo();
        model.undoStack()->undo();
        QVERIFY(model.mark(0) == RunMark{});
        model.undoStack()->undo();
        QTRY_VERIFY(store.run(run).value().tags.empty());
    }

    void columnsOfAnyParameterAndMetric()
    {
        RunStore store = openStore();
        addRun(store, "first", {2, 1}, {0.5});
        RunListModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setExtraColumns({"training.epochs", "train/loss.max"});
        model.setStoreFile(storeFile());
        QTRY_VERIFY(model.rowCount() == 1 && model.facts(0) != nullptr);
        QTRY_COMPARE(model.columnCount(), RunListModel::FixedColumns + 4 + 2);
        QCOMPARE(column(model, columnNamed(model, "training.epochs")), QStringList{"3"});
        QCOMPARE(column(model, columnNamed(model, "train/loss.max")), QStringList{"2"});
        QVERIFY(model.factNames().contains("training.optimizer.kind"));
        model.setExtraColumns({"seed"});
        QCOMPARE(columnNamed(model, "training.epochs"), -1);
        QVERIFY(columnNamed(model, "seed") >= 0);
    }
};

QTEST_GUILESS_MAIN(RunListTest)
#include "tst_run_list.moc"
