#include "data_test.h"

#include "engine/data/sources/npy_reader.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cstring>

using namespace athanor;

namespace {

Result<NpyArray> readFixture(const std::string& name)
{
    return readNpy(dataFolder() / "npy" / (name + ".npy"));
}

template <typename T>
std::vector<T> numbersOf(const NpyArray& array)
{
    std::vector<T> numbers(array.numbers.size() / sizeof(T));
    std::memcpy(numbers.data(), array.numbers.data(), array.numbers.size());
    return numbers;
}

/// f(0), f(1), … f(23): what make_npy.py fills its arrays with.
template <typename T, typename F>
std::vector<T> filled(F f)
{
    std::vector<T> numbers;
    for (int i = 0; i < 24; ++i)
        numbers.push_back(static_cast<T>(f(i)));
    return numbers;
}

} // namespace

class TestNpyReader : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsEveryType();
    void readsFortranOrder();
    void readsEveryVersion();
    void refuses_data();
    void refuses();
    void refusesDamagedFiles_data();
    void refusesDamagedFiles();
    void survivesAnyCutAndAnyChange();
};

void TestNpyReader::readsEveryType()
{
    const std::vector<std::int64_t> shape = {2, 3, 4};
    for (const char* name : {"f4", "f8", "i4", "i8", "u1", "bool"}) {
        const Result<NpyArray> array = readFixture(name);
        VERIFY_OK(array);
        QCOMPARE(array->shape, shape);
    }
    QCOMPARE(numbersOf<float>(*readFixture("f4")), filled<float>([](int i) { return i / 4.0F; }));
    QCOMPARE(numbersOf<double>(*readFixture("f8")), filled<double>([](int i) { return i / 3.0; }));
    QCOMPARE(numbersOf<std::int32_t>(*readFixture("i4")), filled<std::int32_t>([](int i) { return i - 5; }));
    QCOMPARE(numbersOf<std::int64_t>(*readFixture("i8")),
             filled<std::int64_t>([](int i) { return i * std::int64_t{10000000000}; }));
    QCOMPARE(numbersOf<std::uint8_t>(*readFixture("u1")), filled<std::uint8_t>([](int i) { return i * 10; }));
    QCOMPARE(numbersOf<std::uint8_t>(*readFixture("bool")),
             filled<std::uint8_t>([](int i) { return i % 3 == 0; }));
}

void TestNpyReader::readsFortranOrder()
{
    QCOMPARE(numbersOf<float>(*readFixture("fortran")), filled<float>([](int i) { return i; }));
    QCOMPARE(numbersOf<std::int64_t>(*readFixture("fortran_i8")),
             (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}));
}

void TestNpyReader::readsEveryVersion()
{
    for (const char* name : {"version2", "version3"})
        QCOMPARE(numbersOf<float>(*readFixture(name)), (std::vector<float>{1.5F, -2.5F}));
}

void TestNpyReader::refuses_data()
{
    QTest::addColumn<QString>("part");
    QTest::newRow("big_endian") << "big-endian";
    QTest::newRow("half") << "<f2";
    QTest::newRow("text") << "<U2";
    QTest::newRow("objects") << "Python objects";
    QTest::newRow("structured") << "several fields";
}

void TestNpyReader::refuses()
{
    QFETCH(QString, part);
    const Result<NpyArray> array = readFixture(QTest::currentDataTag());
    COMPARE_ERROR(array, "", part);
    QVERIFY(!array.error().hint.empty());
}

void TestNpyReader::refusesDamagedFiles_data()
{
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::newRow("magic") << QByteArray("NUMPY") << QByteArray("NUMPX");
    QTest::newRow("version") << QByteArray("NUMPY\x01", 6) << QByteArray("NUMPY\x09", 6);
    QTest::newRow("no dictionary") << QByteArray("{'descr'") << QByteArray("('descr'");
    QTest::newRow("key missing") << QByteArray("'shape'") << QByteArray("'shape_");
    QTest::newRow("another key") << QByteArray("'shape'") << QByteArray("'sheep'");
    QTest::newRow("negative extent") << QByteArray("(2, 3") << QByteArray("(-2,3");
    QTest::newRow("more than there is") << QByteArray("(2, 3") << QByteArray("(9, 3");
    QTest::newRow("less than there is") << QByteArray("(2, 3") << QByteArray("(1, 3");
    QTest::newRow("beyond 64 bits") << QByteArray("(2, 3, 4), }      ") << QByteArray("(9999999999999999)");
    QTest::newRow("no bool") << QByteArray("False") << QByteArray("Fales");
}

void TestNpyReader::refusesDamagedFiles()
{
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    QByteArray bytes = QByteArray::fromStdString(readFile(dataFolder() / "npy" / "f4.npy"));
    QVERIFY(bytes.contains(from));
    bytes.replace(from, to);
    QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath("x.npy").toStdString();
    writeFile(file, bytes.toStdString());
    const Result<NpyArray> array = readNpy(file);
    QVERIFY(!array.ok());
    QCOMPARE(array.error().code, ErrorCode::Unreadable);
}

void TestNpyReader::survivesAnyCutAndAnyChange()
{
    const std::string whole = readFile(dataFolder() / "npy" / "f4.npy");
    QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath("x.npy").toStdString();
    for (std::size_t length = 0; length < whole.size(); ++length) {
        writeFile(file, whole.substr(0, length));
        QVERIFY(!readNpy(file).ok());
    }
    constexpr std::size_t kHeader = 128;
    for (std::size_t at = 0; at < kHeader; ++at) {
        for (const char c : {'\xff', '(', '9'}) {
            std::string changed = whole;
            changed[at] = c;
            writeFile(file, changed);
            const Result<NpyArray> array = readNpy(file); // an error, or an array of the right size: no crash
            QVERIFY(!array.ok() || array->numbers.size() == 24 * sizeof(float));
        }
    }
}

QTEST_APPLESS_MAIN(TestNpyReader)
#include "tst_npy_reader.moc"
