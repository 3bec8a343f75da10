#include "engine/store/run_filter.h"

#include "tests/engine/store/store_testing.h"

#include <limits>

using namespace athanor;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

constexpr const char* kProject = R"({
  "athanor": 1, "name": "p",
  "training": {"optimizer": {"kind": "Adam", "lr": 0.0005}, "deterministic": true},
  "data": {"nodes": [{"id": "loader", "kind": "Loader", "params": {"batch_size": 64}}]},
  "network": {"nodes": [{"id": "conv1", "kind": "Conv2d", "params": {"out_channels": 16, "kernel_size": [3, 5]}},
                        {"id": "conv2", "kind": "Conv2d", "params": {"out_channels": 32}}]}
})";

SeriesSummary summaryOf(const std::string& name, double last, double min, double max)
{
    SeriesSummary s;
    s.name = name;
    s.count = 10;
    s.last = last;
    s.min = min;
    s.max = max;
    return s;
}

RunFacts runOf(RunId id, const std::vector<SeriesSummary>& summaries, const char* project = kProject)
{
    RunInfo info;
    info.id = id;
    info.name = "007";
    info.project = "mnist";
    info.status = RunStatus::Finished;
    info.steps = 100;
    info.tags = {"base", "it's \"odd\"\n'; DROP TABLE run; --"};
    return {info, summaries, project};
}

} // namespace

class TestRunFilter : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void decides_data()
    {
        QTest::addColumn<QString>("filter");
        QTest::addColumn<bool>("accepted");
        const std::vector<std::pair<const char*, bool>> cases{
            {"lr < 1e-3 and batch_size >= 64 and val/accuracy > 0.9 and status = finished and tag = \"base\"", true},
            {"lr < 1e-3 and batch_size > 64", false},
            {"training.optimizer.lr == 5e-4", true},
            {"optimizer.kind = Adam", true},
            {"kind = Conv2d", true},
            {"out_channels = 16 and out_channels = 32", true},
            {"out_channels > 32", false},
            {"kernel_size.1 = 5", true},
            {"channels = 16", false}, // no whole part of the path
            {"deterministic = true", true},
            {"val/accuracy.max >= 0.97", true},
            {"val/accuracy.min > 0.2", false},
            {"val/accuracy.count = 10", true},
            {"val/accuracy.best = 0.97", true}, // the highest accuracy is the best one
            {"train/loss.best = 0.1", true},
            {"bias = true", true}, // a default of Conv2d and Linear
            {"nesterov = true", false},
            {"train/loss = nan", true},
            {"train/loss != nan", false},
            {"train/loss < 5", false},
            {"not train/loss < 5", true},
            {"grad/norm = inf and grad/norm > 1e300", true},
            {"grad/norm = -inf", false},
            {"missing = 1", false},
            {"missing != 1", false},
            {"tag = new or status = finished and steps = 99", false}, // and before or
            {"(tag = base or steps = 99) and id=7", true},
            {"name = 007", true}, // a text, though it looks like a number
            {"name = 7", false},
            {"name ~ '00'", true},
            {"project ~ NIST", true},
            {"tag = \"it's \\\"odd\\\"\n'; DROP TABLE run; --\"", true},
            {"'and' = 1 or steps=100", true},
        };
        for (const auto& [text, accepted] : cases)
            QTest::newRow(text) << QString::fromUtf8(text) << accepted;
    }

    void decides()
    {
        QFETCH(QString, filter);
        QFETCH(bool, accepted);
        const auto parsed = RunFilter::parse(filter.toStdString());
        VERIFY_OK(parsed);
        const RunFacts run = runOf(7, {summaryOf("val/accuracy", 0.95, 0.1, 0.97), summaryOf("train/loss", kNaN, 0.1, 2),
                                       summaryOf("grad/norm", kInf, 1, 2)});
        QCOMPARE(parsed->accepts(run), accepted);
    }

    void tellsWhereItIsWrong_data()
    {
        QTest::addColumn<QString>("filter");
        QTest::addColumn<int>("column");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* text, int column, const char* message) {
            QTest::newRow(text) << QString::fromUtf8(text) << column << QString::fromUtf8(message);
        };
        row("", 1, "a name should stand here");
        row("lr", 3, "a comparison should stand behind 'lr'");
        row("lr <", 5, "a value should stand here");
        row("lr < 1 and", 11, "a name should stand here");
        row("lr < 1 steps > 2", 8, "'and' or 'or' should stand here");
        row("(lr < 1", 8, "')' is missing");
        row("lr < 1)", 7, "'and' or 'or' should stand here");
        row("and lr < 1", 1, "a name should stand before 'and'");
        row("name = \"abc", 8, "the closing quote is missing");
        row("status = done", 10, "there is no status 'done'");
        row("lr < 1 and steps > many", 20, "'steps' is a number, 'many' is none");
        row("lr ~ 3", 6, "~ looks for a text");
    }

    void tellsWhereItIsWrong()
    {
        QFETCH(QString, filter);
        QFETCH(int, column);
        QFETCH(QString, message);
        const auto parsed = RunFilter::parse(filter.toStdString());
        QVERIFY(!parsed.ok());
        QCOMPARE(QString::fromStdString(parsed.error().message), message);
        const std::string end = "column " + std::to_string(column);
        QVERIFY2(parsed.error().where.ends_with(end), parsed.error().where.c_str());
    }

    void deepNestingIsRefused()
    {
        QVERIFY(!RunFilter::parse(std::string(100'000, '(') + "id=1").ok());
        std::string nots;
        for (int i = 0; i < 100'000; ++i)
            nots += "not ";
        QVERIFY(!RunFilter::parse(nots + "id=1").ok());
    }

    void misspeltNamesAreTold()
    {
        const std::vector<RunFacts> runs{runOf(1, {summaryOf("val/accuracy", 0.9, 0, 1)})};
        const auto filter = RunFilter::parse("steps > 1 and val/acuracy > 0.5");
        VERIFY_OK(filter);
        const Status checked = filter->checkNames(runs);
        QVERIFY(!checked.ok());
        QCOMPARE(checked.error().where, std::string("filter, column 15"));
        QVERIFY(checked.error().hint.find("'val/accuracy'") != std::string::npos);
        VERIFY_OK(filter->checkNames({}));
        VERIFY_OK(RunFilter::parse("tag = none and lr > 3")->checkNames(runs));
    }

    void damagedProjectsHaveNoParameters()
    {
        for (const char* text : {"", "{", "[]", R"({"training": 3, "data": [], "network": {"nodes": [1, {"id": 2}]}})"}) {
            const RunFacts run = runOf(1, {}, text);
            QVERIFY(run.values("lr").empty());
        }
    }

    void theOrderIsDefined()
    {
        const std::vector<double> values{kNaN, 2, kInf, -1, -kInf, 2};
        std::vector<RunFacts> runs{runOf(10, {})};
        for (std::size_t i = 0; i < values.size(); ++i)
            runs.push_back(runOf(static_cast<RunId>(i), {summaryOf("loss", values[i], 0, 0)}));
        const auto ids = [&] {
            std::vector<RunId> out;
            for (const RunFacts& run : runs)
                out.push_back(run.info().id);
            return out;
        };
        std::vector<RunFacts> kept = runs;
        sortRuns(runs, "loss", false);
        QCOMPARE(ids(), (std::vector<RunId>{3, 1, 5, 4, 2, 0, 10}));
        runs = std::move(kept);
        sortRuns(runs, "loss", true);
        QCOMPARE(ids(), (std::vector<RunId>{1, 5, 3, 2, 4, 0, 10}));
    }
};

QTEST_GUILESS_MAIN(TestRunFilter)
#include "tst_run_filter.moc"
