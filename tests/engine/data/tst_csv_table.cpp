#include "data_test.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>

using namespace athanor;

namespace {

using Labels = std::vector<std::int64_t>;

/// A table in a folder of its own.
class Table {
public:
    explicit Table(const std::string& text, const std::string& name = "t.csv")
    {
        writeFile(folder() / name, text);
    }
    [[nodiscard]] std::filesystem::path folder() const { return m_folder.path().toStdString(); }
    [[nodiscard]] OpenedDataset open(Json params) const
    {
        if (!params.contains("path"))
            params["path"] = "t.csv";
        return openSource(sourceNode(folder(), "CsvTable", params));
    }

private:
    QTemporaryDir m_folder;
};

} // namespace

class TestCsvTable : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsAClassification();
    void readsARegression();
    void findsTheHeader_data();
    void findsTheHeader();
    void findsTheTarget_data();
    void findsTheTarget();
    void numbersClasses_data();
    void numbersClasses();
    void keepsNonFiniteFeatures();
    void leavesColumnsOut();
    void needsNoTarget();
    void readsCompressedTables();
    void roundsLikeStrtof();
    void namesErrors_data();
    void namesErrors();
    void readsTheExampleTables();
};

void TestCsvTable::readsAClassification()
{
    const Table table("width,height,kind\n1,2,dog\n3,4,cat\n5,6,dog\n");
    const OpenedDataset data = table.open({{"target", "kind"}});
    VERIFY_OK(data);
    const Dataset& set = **data;
    QCOMPARE(set.size(), 3);
    QCOMPARE(set.fields().size(), std::size_t{2});
    const FieldLayout& features = set.fields()[fieldIndex(set, "features")];
    QCOMPARE(features.columnNames, (std::vector<std::string>{"width", "height"}));
    QCOMPARE(features.shape, (std::vector<std::int64_t>{2}));
    QCOMPARE(numbersOf<float>(set, "features", 1), (std::vector<float>{3, 4}));
    const FieldLayout& label = set.fields()[fieldIndex(set, "label")];
    QCOMPARE(label.element, Element::Int64);
    QVERIFY(label.shape.empty());
    QCOMPARE(label.classes, 2);
    QCOMPARE(label.classNames, (std::vector<std::string>{"cat", "dog"}));
    QCOMPARE(labelsOf(set), (Labels{1, 0, 1}));
    QCOMPARE(set.sampleName(1), std::string("t.csv, line 3"));
}

void TestCsvTable::readsARegression()
{
    const Table table("1;2;30.5\n3;4;-1e2\n");
    const OpenedDataset data = table.open({{"target", 2}, {"task", "regression"}});
    VERIFY_OK(data);
    QCOMPARE(numbersOf<float>(**data, "features", 0), (std::vector<float>{1, 2}));
    QCOMPARE(numbersOf<float>(**data, "target", 0), (std::vector<float>{30.5F}));
    QCOMPARE(numbersOf<float>(**data, "target", 1), (std::vector<float>{-100}));
    QCOMPARE((*data)->fields()[fieldIndex(**data, "target")].shape, (std::vector<std::int64_t>{1}));
}

void TestCsvTable::findsTheHeader_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QVariant>("header");
    QTest::addColumn<int>("samples");
    QTest::newRow("words, no number") << "a,b\n1,2\n3,4\n" << QVariant() << 2;
    QTest::newRow("numbers") << "1,2\n3,4\n" << QVariant() << 2;
    QTest::newRow("a number and a class") << "1,cat\n3,dog\n" << QVariant() << 2;
    QTest::newRow("years as names") << "2019,2020\n1,2\n3,4\n" << QVariant(true) << 2;
    QTest::newRow("no header, said so") << "1,2\n3,4\n" << QVariant(false) << 2;
}

void TestCsvTable::findsTheHeader()
{
    QFETCH(QString, text);
    QFETCH(QVariant, header);
    QFETCH(int, samples);
    Json params = {{"target", -1}};
    if (header.isValid())
        params["header"] = header.toBool();
    const OpenedDataset data = Table(text.toStdString()).open(params);
    VERIFY_OK(data);
    QCOMPARE((*data)->size(), samples);
}

void TestCsvTable::findsTheTarget_data()
{
    QTest::addColumn<QString>("target"); // as JSON
    QTest::addColumn<float>("first");    // feature of the first row
    QTest::newRow("by name") << R"("b")" << 1.0F;
    QTest::newRow("by number") << "0" << 2.0F;
    QTest::newRow("from the end") << "-1" << 1.0F;
    QTest::newRow("by number, as text") << R"("1")" << 1.0F;
}

void TestCsvTable::findsTheTarget()
{
    QFETCH(QString, target);
    QFETCH(float, first);
    const Table table("a,b\n1,2\n3,4\n");
    const OpenedDataset data =
        table.open({{"target", Json::parse(target.toStdString())}, {"task", "regression"}});
    VERIFY_OK(data);
    QCOMPARE(numbersOf<float>(**data, "features", 0), std::vector<float>{first});
}

void TestCsvTable::numbersClasses_data()
{
    QTest::addColumn<QStringList>("cells");
    QTest::addColumn<QList<int>>("labels");
    QTest::addColumn<QStringList>("names");
    QTest::newRow("0 … K−1 stay") << QStringList{"2", "0", "1", "2"} << QList<int>{2, 0, 1, 2}
                                  << QStringList{"0", "1", "2"};
    QTest::newRow("from 1") << QStringList{"1", "3", "2"} << QList<int>{0, 2, 1}
                            << QStringList{"1", "2", "3"};
    QTest::newRow("numbers count as numbers")
        << QStringList{"10", "9", "-1"} << QList<int>{2, 1, 0} << QStringList{"-1", "9", "10"};
    QTest::newRow("whole numbers, whatever their spelling")
        << QStringList{"1.0", "01", "2"} << QList<int>{0, 0, 1} << QStringList{"1", "2"};
    QTest::newRow("texts by their bytes")
        << QStringList{"b", "B", "a"} << QList<int>{2, 0, 1} << QStringList{"B", "a", "b"};
    QTest::newRow("mixed") << QStringList{"10", "x", "9"} << QList<int>{0, 2, 1}
                           << QStringList{"10", "9", "x"};
}

void TestCsvTable::numbersClasses()
{
    QFETCH(QStringList, cells);
    QFETCH(QList<int>, labels);
    QFETCH(QStringList, names);
    std::string text;
    for (const QString& cell : cells)
        text += "7," + cell.toStdString() + "\n";
    const OpenedDataset data = Table(text).open({{"target", 1}});
    VERIFY_OK(data);
    QCOMPARE(labelsOf(**data), Labels(labels.begin(), labels.end()));
    QStringList found;
    for (const std::string& name : (*data)->fields()[1].classNames)
        found.push_back(QString::fromStdString(name));
    QCOMPARE(found, names);
}

void TestCsvTable::keepsNonFiniteFeatures()
{
    const OpenedDataset data = Table("nan,1\n-inf,0\nInfinity,1\n").open({{"target", 1}});
    VERIFY_OK(data);
    QVERIFY(std::isnan(numbersOf<float>(**data, "features", 0)[0]));
    QCOMPARE(numbersOf<float>(**data, "features", 1)[0], -std::numeric_limits<float>::infinity());
    QCOMPARE(numbersOf<float>(**data, "features", 2)[0], std::numeric_limits<float>::infinity());
}

void TestCsvTable::leavesColumnsOut()
{
    const Table table("id,date,x,y\na,2001-01-01,5,0\nb,2001-01-02,6,1\n");
    const OpenedDataset data = table.open({{"target", "y"}, {"ignore", {"date", "0"}}});
    VERIFY_OK(data);
    QCOMPARE((*data)->fields()[0].columnNames, std::vector<std::string>{"x"});
    QCOMPARE(numbersOf<float>(**data, "features", 1), std::vector<float>{6});
}

void TestCsvTable::needsNoTarget()
{
    const OpenedDataset data = Table("1,2\n3,4\n").open(Json::object());
    VERIFY_OK(data);
    QCOMPARE((*data)->fields().size(), std::size_t{1});
    QCOMPARE(numbersOf<float>(**data, "features", 1), (std::vector<float>{3, 4}));
}

void TestCsvTable::readsCompressedTables()
{
    // printf '1,2\n3,4\n' | gzip -n | xxd -p
    const QByteArray bytes = QByteArray::fromHex("1f8b080000000000000333d431e232d631e1020047936caf08000000");
    const Table table(bytes.toStdString(), "t.csv.gz");
    const OpenedDataset data = table.open({{"path", "t.csv.gz"}, {"target", 1}, {"task", "regression"}});
    VERIFY_OK(data);
    QCOMPARE(numbersOf<float>(**data, "target", 1), std::vector<float>{4});
}

void TestCsvTable::roundsLikeStrtof()
{
    // numpy.float32(text) of each.
    const OpenedDataset data = Table("0.1,16777217,3.4028235e38,1e-45\n0,0,0,0\n").open(Json::object());
    VERIFY_OK(data);
    QCOMPARE(numbersOf<float>(**data, "features", 0),
             (std::vector<float>{0.1F, 16777216.0F, 3.4028235e38F, 1.4e-45F}));
}

void TestCsvTable::namesErrors_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("params"); // as JSON
    QTest::addColumn<QString>("where");
    QTest::addColumn<QString>("part");
    const auto row = [](const char* name, const char* text, const char* params, const char* where,
                        const char* part) {
        QTest::newRow(name) << text << params << QString("data/src/") + where << part;
    };
    row("missing file", "1,2\n", R"({"path": "no.csv"})", "path", "no.csv");
    row("missing file, the text says where it looked", "1,2\n", R"({"path": "no/no.csv"})", "path",
        "no/no.csv");
    row("a folder", "1,2\n", R"({"path": "."})", "path", "is a folder, not a file");
    row("empty", "", "{}", "path", "t.csv is empty");
    row("only a header", "a,b\n", R"({"header": true})", "path", "no rows");
    row("ragged", "1,2\n3,4\n5\n", "{}", "path", "line 3: 1 cells, but line 1 has 2");
    row("open quote", "1,\"2\n3,4\n", "{}", "path", "line 1");
    row("unknown column", "height,width\n1,2\n", R"({"target": "widht"})", "target", "'width'");
    row("name without header", "1,2\n", R"({"target": "y"})", "target", "header");
    row("number out of range", "1,2\n", R"({"target": 2})", "target", "0 to 1");
    row("number out of range, from the end", "1,2\n", R"({"target": -3})", "target", "no column -3");
    row("unknown ignored column", "a,b\n1,2\n", R"({"target": "a", "ignore": ["c"]})", "ignore", "'c'");
    row("target ignored", "a,b\n1,2\n", R"({"target": "a", "ignore": ["a"]})", "ignore", "target");
    row("nothing left", "a,b\n1,2\n", R"({"target": "a", "ignore": ["b"]})", "ignore", "no column left");
    row("one column only", "a\n1\n2\n", R"({"target": "a"})", "path", "separator");
    row("text feature", "a,b,y\n1,2,0\n3,red,1\n", R"({"target": "y"})", "path",
        "line 3, column 1 ('b'): 'red'");
    row("text feature: the cure", "a,b,y\n1,2,0\n3,red,1\n", R"({"target": "y"})", "path", "ignore");
    row("empty cell", "a,b,y\n1,2,0\n,3,1\n", R"({"target": "y"})", "path",
        "line 3, column 0 ('a'): the cell is empty");
    row("decimal comma", "a;y\n1,5;0\n", R"({"target": "y", "decimal": "."})", "path", "decimal point");
    row("text target of a regression", "a,y\n1,2\n2,big\n", R"({"target": "y", "task": "regression"})",
        "path", "line 3, column 1 ('y'): 'big'");
    row("empty class", "a,y\n1,x\n2,\n", R"({"target": "y"})", "path", "line 3");
    row("class that is nan", "a,y\n1,0\n2,nan\n", R"({"target": "y"})", "path", "line 3: the class is nan");
}

void TestCsvTable::namesErrors()
{
    QFETCH(QString, text);
    QFETCH(QString, params);
    QFETCH(QString, where);
    QFETCH(QString, part);
    const Table table(text.toStdString());
    const OpenedDataset data = table.open(Json::parse(params.toStdString()));
    COMPARE_ERROR(data, where, part);
}

void TestCsvTable::readsTheExampleTables()
{
    const std::filesystem::path samples =
        std::filesystem::path(ATHANOR_SOURCE_DIR) / "resources/samples/data";
    const OpenedDataset iris =
        openSource(sourceNode(samples, "CsvTable", {{"path", "iris.csv"}, {"target", 4}}));
    VERIFY_OK(iris);
    QCOMPARE((*iris)->size(), 150);
    QCOMPARE((*iris)->fields()[1].classes, 3);
    QCOMPARE(numbersOf<float>(**iris, "features", 149), (std::vector<float>{5.9F, 3.0F, 5.1F, 1.8F}));
    QCOMPARE(labelsOf(**iris)[149], 2);
}

QTEST_APPLESS_MAIN(TestCsvTable)
#include "tst_csv_table.moc"
