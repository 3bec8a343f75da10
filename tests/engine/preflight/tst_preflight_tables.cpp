#include "preflight_test.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace athanor;

namespace {

/// What a fault must be called, how grave, and words that its message must hold.
struct Expected {
    std::string rule;
    Severity severity = Severity::Warning;
    std::string words;
};

class PreflightTables : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::filesystem::path m_path;

    Project table(const Rows& rows, bool classes = true) { return tableProject(m_path, csvText(rows), classes); }

    void expect(const Project& project, const Expected& expected)
    {
        const PreflightResult result = preflight(project);
        const DataFinding* found = findingOf(result, expected.rule);
        QVERIFY2(found != nullptr, qPrintable("not found; alarms: " + alarms(result)));
        QCOMPARE(found->finding.severity, expected.severity);
        QVERIFY2(found->finding.message.find(expected.words) != std::string::npos, found->finding.message.c_str());
        QVERIFY(!found->finding.why.empty());
        if (expected.severity != Severity::Info)
            QCOMPARE(QString::fromStdString(result.findings.front().finding.rule), QString::fromStdString(expected.rule));
    }

private Q_SLOTS:
    void init()
    {
        m_path = std::filesystem::path(m_folder.path().toStdString()) / QTest::currentTestFunction();
        std::filesystem::create_directories(m_path);
    }

    void healthyTablesAreSilent()
    {
        for (const bool classes : {true, false})
            for (const unsigned seed : {1U, 2U, 3U, 4U}) {
                const PreflightResult result = preflight(table(healthyRows(classes, seed), classes));
                QVERIFY2(alarms(result).isEmpty(), qPrintable(alarms(result)));
                QCOMPARE(result.samples[0], std::int64_t{240});
                QCOMPARE(result.samples[1], std::int64_t{60});
            }
    }

    void oneNanCell()
    {
        std::string csv = csvText(healthyRows());
        const auto line = csv.find('\n', csv.find('\n') + 1) + 1; // the third line, second row
        csv.replace(line, csv.find(',', line) - line, "nan");
        const PreflightResult result = preflight(tableProject(m_path, csv));
        const DataFinding* found = findingOf(result, "data/non-finite");
        QVERIFY(found != nullptr);
        QCOMPARE(found->finding.severity, Severity::Error);
        QCOMPARE(found->sampleCount, std::int64_t{1});
        QCOMPARE(found->samples.at(0).index, std::int64_t{1});
        QVERIFY(found->samples.at(0).name.find("line 3") != std::string::npos);
        QVERIFY(found->finding.message.find("'a'") != std::string::npos);
        QVERIFY(result.hasErrors());
        QCOMPARE(result.problems.size(), std::size_t{1});
    }

    void infiniteCell()
    {
        Rows rows = healthyRows(false);
        rows[7][5] = INFINITY;
        expect(table(rows, false), {"data/non-finite", Severity::Error, "inf"});
    }

    void labelAmongTheFeatures()
    {
        Rows rows = healthyRows();
        for (auto& row : rows)
            row[3] = row[5] * 2 + 1;
        const Project project = table(rows);
        expect(project, {"data/target-leak", Severity::Warning, "'d'"});
        const PreflightResult result = preflight(project);
        const DataFinding* found = findingOf(result, "data/target-leak");
        QCOMPARE(found->finding.fixes.size(), std::size_t{1});
        Project mended = project;
        const std::string edit = found->finding.fixes[0].edit.at(0);
        QVERIFY(setProjectValue(mended, edit.substr(0, edit.find('=')), edit.substr(edit.find('=') + 1)).ok());
        addNetwork(mended, "features", "label", 2);
        QVERIFY2(alarms(preflight(mended)).isEmpty(), qPrintable(alarms(preflight(mended))));
    }

    void targetAmongTheFeatures()
    {
        Rows rows = healthyRows(false);
        for (auto& row : rows)
            row[2] = 3 - 2 * row[5];
        expect(table(rows, false), {"data/target-leak", Severity::Warning, "'c'"});
    }

    void wideGapGivesTheClassAway()
    {
        Rows rows = healthyRows();
        for (auto& row : rows)
            row[4] = row[5] * 10 + 0.1 * row[4];
        expect(table(rows), {"data/target-leak", Severity::Warning, "'e'"});
    }

    void targetColumnOffByOne()
    {
        // The shape of pima-indians-diabetes.csv: ages in the column before the label.
        Rows rows = healthyRows();
        int age = 0;
        for (auto& row : rows)
            row[4] = 21 + (age += 7) % 45;
        Project project = table(rows);
        QVERIFY(setProjectValue(project, "data.table.target", "e").ok());
        addNetwork(project, "features", "label", 45);
        const PreflightResult result = preflight(project);
        const DataFinding* found = findingOf(result, "data/label-mismatch");
        QVERIFY2(found != nullptr, qPrintable(alarms(result)));
        QVERIFY(found->finding.message.find("off by one") != std::string::npos);
        QCOMPARE(found->finding.fixes.at(0).edit.at(0), std::string("data.table.target=\"y\""));
    }

    void labelsShiftedByOneRow()
    {
        Rows rows = healthyRows(true, 8, 600);
        for (std::size_t i = rows.size() - 1; i > 0; --i)
            rows[i][5] = rows[i - 1][5];
        expect(table(rows), {"data/label-mismatch", Severity::Warning, "shifted by one row"});
    }

    void oneValueFarAway()
    {
        Rows rows = healthyRows();
        rows[40][1] = 5000;
        const Project project = table(rows);
        expect(project, {"data/outlier", Severity::Warning, "'b' is 5000"});
        QCOMPARE(findingOf(preflight(project), "data/outlier")->samples.at(0).index, std::int64_t{40});
    }

    void markForMissingValues()
    {
        Rows rows = healthyRows();
        for (std::size_t i = 0; i < rows.size(); i += 9)
            rows[i][0] = -999;
        expect(table(rows), {"data/outlier", Severity::Warning, "-999"});
    }

    void heavyTailIsNoOutlier()
    {
        Rows rows = healthyRows();
        for (auto& row : rows)
            row[2] = std::exp(1.5 * row[2]);
        const PreflightResult result = preflight(table(rows));
        QVERIFY2(alarms(result).isEmpty(), qPrintable(alarms(result)));
    }

    void oneClassOnly()
    {
        Rows rows = healthyRows();
        for (auto& row : rows)
            row[5] = 1;
        Project project = table(rows);
        expect(project, {"data/label-single-class", Severity::Error, "every training sample"});
    }

    void rareClass()
    {
        Rows rows = healthyRows(true, 5, 600);
        for (std::size_t i = 0; i < rows.size(); ++i)
            rows[i][5] = i % 100 == 0 ? 1 : 0;
        const Project project = table(rows);
        expect(project, {"data/class-imbalance", Severity::Warning, "of the time"});
        Project mended = project;
        const std::string edit = findingOf(preflight(project), "data/class-imbalance")->finding.fixes.at(0).edit.at(0);
        QVERIFY(setProjectValue(mended, edit.substr(0, edit.find('=')), edit.substr(edit.find('=') + 1)).ok());
        QCOMPARE(findingOf(preflight(mended), "data/class-imbalance")->finding.severity, Severity::Info);
    }

    void sortedAndNotShuffled()
    {
        Rows rows = healthyRows();
        std::ranges::sort(rows, {}, [](const auto& row) { return row[5]; });
        Project project = table(rows);
        QVERIFY2(alarms(preflight(project)).isEmpty(), qPrintable(alarms(preflight(project)))); // shuffle is on
        QVERIFY(setProjectValue(project, "data.loader.shuffle", "false").ok());
        expect(project, {"data/sorted-unshuffled", Severity::Warning, "shuffle is off"});
        Rows numbers = healthyRows(false);
        std::ranges::sort(numbers, {}, [](const auto& row) { return row[5]; });
        project = table(numbers, false);
        QVERIFY(setProjectValue(project, "data.loader.shuffle", "false").ok());
        expect(project, {"data/sorted-unshuffled", Severity::Warning, "sorted by 'target'"});
    }

    void oneColumnDwarfsTheRest()
    {
        Rows rows = healthyRows();
        for (auto& row : rows)
            row[3] *= 1e4;
        Project project = table(rows);
        QVERIFY2(alarms(preflight(project)).isEmpty(), qPrintable(alarms(preflight(project)))); // Standardize is there
        project = dataProject(m_path, {node("table", "CsvTable", {{"path", "table.csv"}, {"target", "y"}}),
                                       node("split", "Split", {{"train", 0.8}, {"val", 0.2}}),
                                       node("loader", "Loader", {{"batch_size", 16}, {"shuffle", true}})});
        addNetwork(project, "features", "label", 2);
        expect(project, {"data/badly-scaled-input", Severity::Warning, "'d'"});
        const PreflightResult result = preflight(project);
        const SuggestedFix& fix = findingOf(result, "data/badly-scaled-input")->finding.fixes.at(0);
        QVERIFY(fix.graph.has_value());
        QVERIFY(apply(project.data, fix.graph->edit).ok());
        QVERIFY2(alarms(preflight(project)).isEmpty(), qPrintable(alarms(preflight(project))));
    }

    void targetFarFromZero()
    {
        Rows rows = healthyRows(false);
        for (auto& row : rows)
            row[5] = row[5] * 1e4 + 5e4;
        expect(table(rows, false), {"data/badly-scaled-target", Severity::Warning, "first loss"});
    }

    void constantAndEqualColumns()
    {
        Rows rows = healthyRows();
        for (auto& row : rows) {
            row[2] = 4;
            row[4] = row[1];
        }
        const Project project = table(rows);
        expect(project, {"data/constant-column", Severity::Info, "'c' is 4"});
        expect(project, {"data/duplicates", Severity::Info, "'b' and 'e'"});
        QVERIFY(alarms(preflight(project)).isEmpty());
    }

    void validationRowsOfTraining()
    {
        const Rows rows = healthyRows();
        writeFile(m_path / "train.csv", csvText(rows));
        writeFile(m_path / "val.csv", csvText({rows.begin(), rows.begin() + 60}));
        expect(partsProject(), {"data/split-leak", Severity::Warning, "60 rows of val (100 %)"});
    }

    void validationScaledUnlikeTraining()
    {
        writeFile(m_path / "train.csv", csvText(healthyRows()));
        Rows rows = healthyRows(true, 77, 80);
        for (auto& row : rows)
            for (std::size_t column = 0; column < 5; ++column)
                row[column] *= 255;
        writeFile(m_path / "val.csv", csvText(rows));
        expect(partsProject(), {"data/split-shift", Severity::Warning, "in val"});
    }

    void validationOfOtherClasses()
    {
        writeFile(m_path / "train.csv", csvText(healthyRows()));
        Rows rows = healthyRows(true, 77, 80);
        for (auto& row : rows)
            row[5] = 2;
        writeFile(m_path / "val.csv", csvText(rows));
        Project project = partsProject();
        addNetwork(project, "features", "label", 3);
        expect(project, {"data/split-shift", Severity::Warning, "classes of 'label'"});
    }

    void lastBatchOfOne()
    {
        Project project = table(healthyRows(true, 5, 301)); // 241 to train on
        addNetwork(project, "features", "label", 2, "BatchNorm1d");
        expect(project, {"model/batchnorm-small-batch", Severity::Error, "241 = 15 × 16 + 1"});
        const PreflightResult result = preflight(project);
        QCOMPARE(findingOf(result, "model/batchnorm-small-batch")->finding.fixes.at(0).edit.at(0), std::string("data.loader.drop_last=true"));
        QVERIFY(setProjectValue(project, "data.loader.drop_last", "true").ok());
        QVERIFY(alarms(preflight(project)).isEmpty());
    }

    void fewSamplesOfManyClasses()
    {
        Rows rows = healthyRows(true, 5, 40);
        for (std::size_t i = 0; i < rows.size(); ++i)
            rows[i][5] = static_cast<double>(i % 15);
        Project project = table(rows);
        addNetwork(project, "features", "label", 15);
        expect(project, {"data/too-few-samples", Severity::Warning, "training samples on average"});
    }

    void labelsFromOne()
    {
        const Project project = arrays([](std::vector<float>&, std::vector<std::int64_t>& labels) {
            for (auto& label : labels)
                ++label;
        });
        expect(project, {"data/label-out-of-range", Severity::Error, "off by one"});
    }

    void labelsFromOneWithRoom()
    {
        Project project = arrays([](std::vector<float>&, std::vector<std::int64_t>& labels) {
            for (auto& label : labels)
                ++label;
        });
        addNetwork(project, "x", "y", 3);
        expect(project, {"data/label-mismatch", Severity::Warning, "start at 1"});
    }

    void labelTooLarge()
    {
        const Project project = arrays([](std::vector<float>&, std::vector<std::int64_t>& labels) { labels[33] = 7; });
        expect(project, {"data/label-out-of-range", Severity::Error, "goes up to 7"});
        const PreflightResult result = preflight(project);
        QCOMPARE(findingOf(result, "data/label-out-of-range")->samples.at(0).index, std::int64_t{33});
    }

    void labelsMissing()
    {
        const Project project = arrays([](std::vector<float>&, std::vector<std::int64_t>& labels) {
            for (std::size_t i = 0; i < labels.size(); i += 4)
                for (std::size_t k = i; k < i + 3 && k < labels.size(); ++k)
                    labels[k] = -100;
        });
        expect(project, {"data/label-mismatch", Severity::Warning, "no label"});
    }

    void inputsAllZero()
    {
        const Project project = arrays([](std::vector<float>& x, std::vector<std::int64_t>&) { std::ranges::fill(x, 0.0F); });
        expect(project, {"data/constant-input", Severity::Error, "the same in all"});
    }

    void inputsScaledTwice()
    {
        const Project project = arrays([](std::vector<float>& x, std::vector<std::int64_t>&) {
            for (float& value : x)
                value /= 255.0F * 255.0F;
        });
        expect(project, {"data/badly-scaled-input", Severity::Warning, "nearly 0"});
    }

    void healthyArraysAreSilent()
    {
        const PreflightResult result = preflight(arrays([](std::vector<float>&, std::vector<std::int64_t>&) {}));
        QVERIFY2(alarms(result).isEmpty(), qPrintable(alarms(result)));
        QCOMPARE(result.classes.size(), std::size_t{1});
        QCOMPARE(result.classes[0].counts[0][0] + result.classes[0].counts[0][1], std::int64_t{240});
    }

private:
    Project partsProject()
    {
        const Json target = {{"target", "y"}};
        Json train = target;
        train["path"] = "train.csv";
        Json val = target;
        val["path"] = "val.csv";
        Project project = dataProject(m_path, {node("train", "CsvTable", train), node("val", "CsvTable", val), node("parts", "Parts"),
                                               node("loader", "Loader", {{"batch_size", 16}, {"shuffle", true}})},
                                      {"train -> parts:train", "val -> parts:val", "parts -> loader"});
        addNetwork(project, "features", "label", 2);
        return project;
    }

    template <typename Change>
    Project arrays(const Change& change)
    {
        std::vector<float> x;
        std::vector<std::int64_t> y;
        for (const auto& row : healthyRows()) {
            for (std::size_t column = 0; column < 5; ++column)
                x.push_back(static_cast<float>(row[column]));
            y.push_back(static_cast<std::int64_t>(row[5]));
        }
        change(x, y);
        writeNpy(m_path / "x.npy", x, "(300, 5)");
        writeNpy(m_path / "y.npy", y, "(300,)");
        Project project = dataProject(m_path, {node("arrays", "NumpyFile", {{"fields", {{"x", "x.npy"}, {"y", "y.npy"}}}}),
                                               node("split", "Split", {{"train", 0.8}, {"val", 0.2}}),
                                               node("loader", "Loader", {{"batch_size", 16}, {"shuffle", true}})});
        addNetwork(project, "x", "y", 2);
        return project;
    }
};

} // namespace

QTEST_GUILESS_MAIN(PreflightTables)
#include "tst_preflight_tables.moc"
