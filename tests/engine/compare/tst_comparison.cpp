#include "engine/compare/comparison.h"
#include "engine/compare/report_html.h"
#include "engine/compare/report_svg.h"
#include "tests/engine/store/store_testing.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

#include <array>
#include <limits>

using namespace athanor;
using namespace athanor::testing;

namespace {

std::string project(double lr, int units)
{
    return R"({"athanor": 1, "name": "p", "data": {"nodes": [], "edges": []}, "network": {"nodes": [{"id": "fc", "kind": "Linear", "params": {"out_features": )" +
           std::to_string(units) +
           R"(}}, {"id": "act", "kind": "ReLU"}], "edges": [["fc", "act"]]}, "training": {"epochs": 1, "optimizer": {"kind": "SGD", "lr": )" +
           std::to_string(lr) + "}}}";
}

RunId addRun(RunStore& store, const std::string& name, const std::string& text,
             const std::vector<double>& losses)
{
    NewRun fresh;
    fresh.name = name;
    fresh.project = "p";
    fresh.projectText = text;
    const RunId run = valueOf(store.startRun(fresh));
    RunStore::Flush flush;
    const std::vector<SeriesInfo> series{{"train/loss", "", SeriesRole::Essential},
                                         {"time/step", "ms", SeriesRole::Machine}};
    const std::vector<Sample> samples = samplesOf(0, 1, losses);
    flush.newSeries = series;
    flush.samples = samples;
    flush.steps = static_cast<std::int64_t>(losses.size());
    valueOf(store.flush(run, flush));
    valueOf(store.finishRun(run, RunStatus::Finished));
    return run;
}

} // namespace

class TestComparison : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void saysWhatDiffersAndNothingElse()
    {
        QTemporaryDir folder;
        RunStore store = openStore(folder.filePath("runs.sqlite").toStdString());
        const RunId a = addRun(store, "a", project(0.1, 3), {3, 2, 1});
        const RunId b = addRun(store, "b", project(0.2, 4), {3, 2, std::numeric_limits<double>::quiet_NaN()});
        const std::array<RunId, 2> runs{a, b};
        const Json json = comparisonJson(valueOf(compareRuns(store, runs)));
        QCOMPARE(json["config"].size(), 2U);
        QVERIFY(json["config"][0]["path"] == "network.fc.out_features");
        QVERIFY(json["config"][1]["path"] == "training.optimizer.lr");
        QVERIFY(json["config"][1]["values"].dump() == "[0.1,0.2]");
        QCOMPARE(json["network"].size(), 1U);
        QVERIFY(json["network"][0]["nodes"][0]["node"] == "fc");
        QCOMPARE(json["metrics"].size(), 1U);
        QVERIFY(json["metrics"][0]["last"].dump() == R"([1.0,"nan"])");
        QVERIFY(json["metrics"][0]["min"].dump() == "[1.0,2.0]");

        const std::array<RunId, 2> same{a, a};
        const Json nothing = comparisonJson(valueOf(compareRuns(store, same)));
        QVERIFY(nothing["config"].empty() && nothing["metrics"].empty() && nothing["findings"].empty());
        QVERIFY(nothing["network"][0]["nodes"].empty());
    }

    void runsWithoutAProjectAreCompared()
    {
        QTemporaryDir folder;
        RunStore store = openStore(folder.filePath("runs.sqlite").toStdString());
        const std::array<RunId, 2> runs{addRun(store, "a", "", {1}),
                                        addRun(store, "b", project(0.2, 4), {2})};
        const Comparison comparison = valueOf(compareRuns(store, runs));
        QVERIFY(comparison.settings.empty());
        QVERIFY(comparison.network[0].empty());
        VERIFY_OK(reportHtml(store, comparison));
    }

    void storedLossesAreJudgedAgain()
    {
        QTemporaryDir folder;
        RunStore store = openStore(folder.filePath("runs.sqlite").toStdString());
        std::vector<double> losses(50, 1.0);
        for (std::size_t i = 0; i < losses.size(); ++i)
            losses[i] = 1.0 / static_cast<double>(i + 1);
        std::vector<double> broken = losses;
        broken[20] = std::numeric_limits<double>::quiet_NaN();
        const std::array<RunId, 2> runs{addRun(store, "a", project(0.1, 3), losses),
                                        addRun(store, "b", project(0.1, 3), broken)};
        const Comparison comparison = valueOf(compareRuns(store, runs));
        QCOMPARE(comparison.findings.size(), 1U);
        QCOMPARE(comparison.findings[0].rule, std::string("loss/non-finite"));
        QCOMPARE(comparison.findings[0].steps[0], std::int64_t{-1});
        QCOMPARE(comparison.findings[0].steps[1], std::int64_t{21});
    }

    void findingsMayComeLater()
    {
        QTemporaryDir folder;
        RunStore store = openStore(folder.filePath("runs.sqlite").toStdString());
        const std::array<RunId, 1> runs{
            addRun(store, "a", project(0.1, 3), {3, std::numeric_limits<double>::quiet_NaN(), 1})};
        CompareOptions options;
        options.findings = false;
        Comparison comparison = valueOf(compareRuns(store, runs, options));
        QVERIFY(comparison.findings.empty());
        valueOf(addFindings(store, comparison));
        QCOMPARE(comparison.findings.size(), 1U);
        QVERIFY(comparison.findings[0].inAll());
    }

    void cancelsBetweenRuns()
    {
        QTemporaryDir folder;
        RunStore store = openStore(folder.filePath("runs.sqlite").toStdString());
        const std::array<RunId, 1> runs{addRun(store, "a", project(0.1, 3), {1})};
        CompareOptions options;
        options.cancelled = [] { return true; };
        const auto comparison = compareRuns(store, runs, options);
        QVERIFY(!comparison);
        QCOMPARE(comparison.error().code, ErrorCode::Cancelled);
    }

    // Names may hold anything; a browser must see text, and the document must be well-formed as XML is.
    void reportIsOneSoundDocument()
    {
        QTemporaryDir folder;
        RunStore store = openStore(folder.filePath("runs.sqlite").toStdString());
        const std::string name = "<script>alert('x')</script>\n\"\xF0\x9F\x98\x80\" & more";
        const std::array<RunId, 2> runs{addRun(store, name, project(0.1, 3), {3, 2, 1}),
                                        addRun(store, "b", project(0.1, 5), {3, 9, 1})};
        const Comparison comparison = valueOf(compareRuns(store, runs));
        const std::string file = folder.filePath("report.html").toStdString();
        VERIFY_OK(writeReport(file, store, comparison));
        QFile written(QString::fromStdString(file));
        QVERIFY(written.open(QIODevice::ReadOnly));
        const QByteArray html = written.readAll();
        QVERIFY(!html.contains("<script"));
        QVERIFY(!html.contains("http"));
        QVERIFY(html.contains("&lt;script&gt;"));
        QVERIFY(html.contains("class=\"node changed\""));
        QXmlStreamReader reader(
            html.mid(html.indexOf("<html"))
                .replace("&nbsp;", " ")
                .replace("<meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">",
                         "")
                .replace("<br>", ""));
        int charts = 0;
        while (!reader.atEnd()) {
            if (reader.readNext() == QXmlStreamReader::StartElement && reader.name() == u"svg")
                ++charts;
        }
        QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
        QCOMPARE(charts, 2); // the loss, and the network
    }

    // 0…10 over 0…10 on a drawing area from x = 70 to 748: the line starts and ends there.
    void chartStandsWhereTheNumbersSay()
    {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const std::string svg = chartSvg({{"a", {{0, 5, 10}, {0, nan, 10}}, 0, false}}, "step");
        QVERIFY(svg.find("d=\"M70.0 ") != std::string::npos);
        QVERIFY(svg.find("M748.0 ") !=
                std::string::npos); // a new stroke: the NaN is a gap, no line through it
        QVERIFY(svg.find("class=\"s0 mark\" d=\"M409.0 ") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(TestComparison)
#include "tst_comparison.moc"
