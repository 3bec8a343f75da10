// What openData says when a data graph cannot be opened.
#include "data_test.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace athanor;

class TestDataErrors : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void namesThePlace_data();
    void namesThePlace();
    void namesTheDifferenceOfParts_data();
    void namesTheDifferenceOfParts();
    void opensTheExamples_data();
    void opensTheExamples();

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    [[nodiscard]] std::filesystem::path folder() const { return m_folder->path().toStdString(); }
};

void TestDataErrors::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    writeFile(folder() / "t.csv", "a,b,y\n1,2,0\n3,4,1\n5,6,0\n7,8,1\n");
}

void TestDataErrors::namesThePlace_data()
{
    QTest::addColumn<QString>("nodes"); // a chain, as JSON [id, kind, params]
    QTest::addColumn<QString>("where");
    QTest::addColumn<QString>("part");
    const QString table = R"(["src", "CsvTable", {"path": "t.csv", "target": "y"}], )";
    const QString loader = R"(, ["loader", "Loader", {"batch_size": 2}])";
    QTest::newRow("no nodes") << ""
                              << "data"
                              << "source";
    QTest::newRow("no loader") << table + R"(["split", "Split", {}])"
                               << "data"
                               << "Loader";
    QTest::newRow("unknown kind") << R"(["src", "CvsTable", {"path": "t.csv"}])" + loader << "data/src"
                                  << "CsvTable";
    QTest::newRow("missing file") << R"(["src", "CsvTable", {"path": "no.csv"}])" + loader << "data/src/path"
                                  << "no.csv";
    QTest::newRow("shares above 1") << table + R"(["split", "Split", {"train": 0.8, "val": 0.3}])" + loader
                                    << "data/split/train"
                                    << "";
    QTest::newRow("no sample for val")
        << table + R"(["split", "Split", {"train": 0.95, "val": 0.05}])" + loader << "data/split/val"
        << "No sample is left for val of the 4";
    QTest::newRow("stratify without classes")
        << R"(["src", "CsvTable", {"path": "t.csv", "target": "y", "task": "regression"}], ["split", "Split", {"stratify": true}])" +
               loader
        << "data/split/stratify"
        << "no classes";
    QTest::newRow("no full batch")
        << table + R"(["split", "Split", {}], ["loader", "Loader", {"batch_size": 8, "drop_last": true}])"
        << "data/loader/batch_size"
        << "No batch is left: batch_size is 8, there are 3";
    QTest::newRow("std of 0") << table + R"(["norm", "Normalize", {"mean": [0, 0], "std": [1, 0]}])" + loader
                              << "data/norm/std"
                              << "";
    QTest::newRow("wrong number of means")
        << table + R"(["norm", "Normalize", {"mean": [0, 0, 0], "std": [1, 1, 1]}])" + loader << "data/norm"
        << "mean has 3 values, but 'features' has 2 channels";
}

void TestDataErrors::namesThePlace()
{
    QFETCH(QString, nodes);
    QFETCH(QString, where);
    QFETCH(QString, part);
    std::vector<Node> list;
    for (const Json& entry : Json::parse(QString("[%1]").arg(nodes).toStdString()))
        list.push_back(node(entry[0], entry[1], entry[2]));
    const auto pipeline = openData(dataProject(folder(), list));
    COMPARE_ERROR(pipeline, where, part);
}

void TestDataErrors::namesTheDifferenceOfParts_data()
{
    QTest::addColumn<QString>("val"); // the text of val.csv
    QTest::addColumn<QString>("part");
    QTest::newRow("columns missing") << "a,y\n1,0\n"
                                     << "It has 1 columns of features, but train has 2";
    QTest::newRow("columns in another order") << "b,a,y\n1,2,0\n"
                                              << "Its column 'b' stands where train has 'a'";
    QTest::newRow("not there") << ""
                               << "";
}

void TestDataErrors::namesTheDifferenceOfParts()
{
    QFETCH(QString, val);
    QFETCH(QString, part);
    if (!val.isEmpty())
        writeFile(folder() / "val.csv", val.toStdString());
    const auto pipeline =
        openData(dataProject(folder(),
                             {node("train", "CsvTable", {{"path", "t.csv"}, {"target", "y"}}),
                              node("val", "CsvTable", {{"path", "val.csv"}, {"target", "y"}}),
                              node("parts", "Parts"), node("loader", "Loader")},
                             {"train -> parts:train", "val -> parts:val", "parts -> loader"}));
    COMPARE_ERROR(pipeline, val.isEmpty() ? "data/val/path" : "data/val", part);
}

void TestDataErrors::opensTheExamples_data()
{
    QTest::addColumn<QString>("file");
    const std::filesystem::path folder = std::filesystem::path(ATHANOR_SOURCE_DIR) / "resources/samples";
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".athanor")
            QTest::newRow(entry.path().stem().c_str()) << QString::fromStdString(entry.path().string());
}

void TestDataErrors::opensTheExamples()
{
    QFETCH(QString, file);
    const Result<LoadedProject> project = loadProject(file.toStdString());
    VERIFY_OK(project);
    const auto pipeline = openData(project->project);
    VERIFY_OK(pipeline);
    QVERIFY((*pipeline)->batchCount(DataPart::Val) > 0);
    QVERIFY((*pipeline)->checkSamples(10, {}).empty());
}

QTEST_APPLESS_MAIN(TestDataErrors)
#include "tst_data_errors.moc"
