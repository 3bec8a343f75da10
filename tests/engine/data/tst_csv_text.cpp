#include "engine/data/sources/csv_text.h"

#include <QtTest>

#include <cmath>
#include <limits>

using namespace athanor;

namespace {

QStringList cells(const CsvText& table, std::size_t row)
{
    QStringList list;
    for (const std::string_view cell : table.row(row))
        list.push_back(QString::fromUtf8(cell.data(), static_cast<qsizetype>(cell.size())));
    return list;
}

} // namespace

class TestCsvText : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findsTheSeparator_data();
    void findsTheSeparator();
    void cutsCells_data();
    void cutsCells();
    void countsLinesAsAnEditorDoes();
    void keepsTheGivenSeparator();
    void namesTheLineOfAnOpenQuote();
    void refusesBinaryFiles();
    void refusesOtherEncodings_data();
    void refusesOtherEncodings();
    void readsNumbers_data();
    void readsNumbers();
};

void TestCsvText::findsTheSeparator_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("separator");
    QTest::newRow("comma") << "1,2\n3,4\n"
                           << ",";
    QTest::newRow("semicolon, decimal commas") << "1,5;2,5;3,5\n1;2,25;3\n"
                                               << ";";
    QTest::newRow("tab") << "a\tb c\n1\t2 3\n"
                         << "\t";
    QTest::newRow("bar") << "1|2|3\n4|5|6"
                         << "|";
    QTest::newRow("blanks") << "  1.0   2.0\n  3.0  -4.0\n"
                            << " ";
    QTest::newRow("blanks in the cells of a comma table") << "new york,1 2\nlos angeles,3 4\n"
                                                          << ",";
    QTest::newRow("separators in quotes do not count") << "\"a;b;c\",1\n\"d;e;f\",2\n"
                                                       << ",";
    QTest::newRow("one column") << "1\n2\n"
                                << ",";
}

void TestCsvText::findsTheSeparator()
{
    QFETCH(QString, text);
    QFETCH(QString, separator);
    const Result<CsvText> table = CsvText::parse(text.toStdString());
    QVERIFY(table.ok());
    QCOMPARE(QString(table->separator()), separator);
}

void TestCsvText::cutsCells_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("first");
    QTest::addColumn<int>("rows");
    QTest::newRow("line ends of Windows") << "1,2\r\n3,4\r\n" << QStringList{"1", "2"} << 2;
    QTest::newRow("no line end at the end") << "1,2\n3,4" << QStringList{"1", "2"} << 2;
    QTest::newRow("blank lines are left out") << "\n1,2\n\n  \n3,4\n\n" << QStringList{"1", "2"} << 2;
    QTest::newRow("blanks around cells") << " 1 ,\t2 \n" << QStringList{"1", "2"} << 1;
    QTest::newRow("byte order mark") << QString::fromUtf8("\xEF\xBB\xBF") + "a,b\n"
                                     << QStringList{"a", "b"} << 1;
    QTest::newRow("quotes") << "\"a, b\",\" c \",\"say \"\"hi\"\"\"\n"
                            << QStringList{"a, b", " c ", "say \"hi\""} << 1;
    QTest::newRow("line end in quotes") << "\"a\nb\",1\n\"c\",2\n" << QStringList{"a\nb", "1"} << 2;
    QTest::newRow("empty cells") << ",1,,\n" << QStringList{"", "1", "", ""} << 1;
    QTest::newRow("empty cell at the very end") << "1,2\n1," << QStringList{"1", "2"} << 2;
    QTest::newRow("empty text") << "" << QStringList{} << 0;
}

void TestCsvText::cutsCells()
{
    QFETCH(QString, text);
    QFETCH(QStringList, first);
    QFETCH(int, rows);
    const Result<CsvText> table = CsvText::parse(text.toStdString());
    QVERIFY(table.ok());
    QCOMPARE(static_cast<int>(table->rowCount()), rows);
    if (rows > 0)
        QCOMPARE(cells(*table, 0), first);
    for (std::size_t row = 1; row < table->rowCount(); ++row)
        QCOMPARE(table->row(row).size(), table->row(0).size());
}

void TestCsvText::countsLinesAsAnEditorDoes()
{
    const Result<CsvText> table = CsvText::parse("a,b\n\n\"x\ny\",2\n3,4\n");
    QVERIFY(table.ok());
    QCOMPARE(table->rowCount(), std::size_t{3});
    QCOMPARE(table->line(0), 1);
    QCOMPARE(table->line(1), 3);
    QCOMPARE(table->line(2), 5);
}

void TestCsvText::keepsTheGivenSeparator()
{
    const Result<CsvText> table = CsvText::parse("1,5;2,5\n", ',');
    QVERIFY(table.ok());
    QCOMPARE(cells(*table, 0), QStringList({"1", "5;2", "5"}));
}

void TestCsvText::namesTheLineOfAnOpenQuote()
{
    const Result<CsvText> table = CsvText::parse("1,2\n3,\"4\n5,6\n");
    QVERIFY(!table.ok());
    QVERIFY(QString::fromStdString(table.error().message).contains("line 2"));
}

void TestCsvText::refusesBinaryFiles()
{
    const Result<CsvText> table = CsvText::parse(std::string("PK\x03\x04\0\0", 6));
    QVERIFY(!table.ok());
    QCOMPARE(table.error().code, ErrorCode::Unreadable);
}

void TestCsvText::refusesOtherEncodings_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("good");
    QTest::newRow("UTF-8: é € 𝄞") << QByteArray("a\n\xC3\xA9,\xE2\x82\xAC,\xF0\x9D\x84\x9E\n") << true;
    QTest::newRow("Latin-1") << QByteArray("a\n\xE9,1\n") << false;
    QTest::newRow("cut off") << QByteArray("a\n\xE2\x82") << false;
    QTest::newRow("longer than needed") << QByteArray("a\n\xC0\xAF\n") << false;
    QTest::newRow("beyond Unicode") << QByteArray("a\n\xF5\x80\x80\x80\n") << false;
}

void TestCsvText::refusesOtherEncodings()
{
    QFETCH(QByteArray, text);
    QFETCH(bool, good);
    const Result<CsvText> table = CsvText::parse(text.toStdString());
    QCOMPARE(table.ok(), good);
    if (!good)
        QVERIFY(QString::fromStdString(table.error().message).startsWith("Line 2"));
}

void TestCsvText::readsNumbers_data()
{
    constexpr double kInf = std::numeric_limits<double>::infinity();
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("isNumber");
    QTest::addColumn<double>("value");
    const auto number = [](const char* text, double value) { QTest::newRow(text) << text << true << value; };
    number("12", 12);
    number("-0.5", -0.5);
    number("+2", 2);
    number(".5", 0.5);
    number("1e-3", 0.001);
    number("1E5", 1e5);
    number("inf", kInf);
    number("-Infinity", -kInf);
    number("nan", kNan);
    number("NaN", kNan);
    number("1e999", kInf);
    number("1e-999", 0);
    number("0.1", 0.1);
    for (const char* text : {"", "abc", "1.2.3", "1,5", "0x10", "1 2", "+-1", "++1", "-", "e5", "12px", "NA"})
        QTest::newRow(qPrintable(QString("'%1'").arg(text))) << text << false << 0.0;
}

void TestCsvText::readsNumbers()
{
    QFETCH(QString, text);
    QFETCH(bool, isNumber);
    QFETCH(double, value);
    const std::string cell = text.toStdString();
    const std::optional<double> number = cellNumber(cell);
    QCOMPARE(number.has_value(), isNumber);
    if (isNumber)
        QVERIFY(std::isnan(value) ? std::isnan(*number) : *number == value);
}

QTEST_APPLESS_MAIN(TestCsvText)
#include "tst_csv_text.moc"
