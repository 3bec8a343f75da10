#include "data_test.h"

#include <QTemporaryDir>
#include <QtTest>

#include <sys/stat.h>
#include <zlib.h>

using namespace athanor;

namespace {

std::string bigEndian(std::uint32_t value)
{
    return {static_cast<char>(value >> 24U), static_cast<char>(value >> 16U), static_cast<char>(value >> 8U),
            static_cast<char>(value)};
}

std::string idx(const std::vector<std::uint32_t>& dims, const std::string& numbers, char type = 8)
{
    std::string text{0, 0, type, static_cast<char>(dims.size())};
    for (const std::uint32_t extent : dims)
        text += bigEndian(extent);
    return text + numbers;
}

std::string bytes(int count)
{
    std::string text;
    for (int i = 0; i < count; ++i)
        text += static_cast<char>(i);
    return text;
}

std::string compressed(const std::string& text)
{
    QTemporaryDir folder;
    const std::string path = folder.filePath("x.gz").toStdString();
    gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
    return readFile(path);
}

/// Two files; the right ones are three images of 2×2 pixels, 0 … 11, with the labels 2, 0, 4.
class Digits {
public:
    std::string images = idx({3, 2, 2}, bytes(12));
    std::string labels = idx({3}, {2, 0, 4});
    [[nodiscard]] OpenedDataset open() const
    {
        const std::filesystem::path folder = m_folder.path().toStdString();
        writeFile(folder / "images", images);
        writeFile(folder / "labels", labels);
        return openSource(sourceNode(folder, "MnistIdx", {{"images", "images"}, {"labels", "labels"}}));
    }

private:
    QTemporaryDir m_folder;
};

} // namespace

class TestMnistIdx : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsPlainAndCompressed_data();
    void readsPlainAndCompressed();
    void namesErrors_data();
    void namesErrors();
    void namesMissingFiles();
    void namesWhatIsNoFile();
    void readsTheSampleDigits();
};

void TestMnistIdx::readsPlainAndCompressed_data()
{
    QTest::addColumn<bool>("compress");
    QTest::newRow("plain") << false;
    QTest::newRow("gz") << true;
}

void TestMnistIdx::readsPlainAndCompressed()
{
    QFETCH(bool, compress);
    Digits digits;
    if (compress) {
        digits.images = compressed(digits.images);
        digits.labels = compressed(digits.labels);
    }
    const OpenedDataset data = digits.open();
    VERIFY_OK(data);
    const Dataset& set = **data;
    QCOMPARE(set.size(), 3);
    QCOMPARE(set.fields()[0].name, std::string("image"));
    QCOMPARE(set.fields()[0].element, Element::UInt8);
    QCOMPARE(set.fields()[0].shape, (std::vector<std::int64_t>{2, 2, 1}));
    QCOMPARE(numbersOf<std::uint8_t>(set, "image", 2), (std::vector<std::uint8_t>{8, 9, 10, 11}));
    QCOMPARE(labelsOf(set), (std::vector<std::int64_t>{2, 0, 4}));
    QCOMPARE(set.fields()[1].classes, 5);
    QCOMPARE(set.sampleName(1), std::string("images, image 1"));
}

void TestMnistIdx::namesErrors_data()
{
    QTest::addColumn<QByteArray>("images"); // empty: the right file
    QTest::addColumn<QByteArray>("labels");
    QTest::addColumn<QString>("where");
    QTest::addColumn<QString>("part");
    const std::string right = idx({3, 2, 2}, bytes(12));
    const auto images = [](const char* name, const std::string& file, const char* part) {
        QTest::newRow(name) << QByteArray::fromStdString(file) << QByteArray() << "data/src/images" << part;
    };
    const auto labels = [](const char* name, const std::string& file, const char* part) {
        QTest::newRow(name) << QByteArray() << QByteArray::fromStdString(file) << "data/src/labels" << part;
    };
    images("no IDX file", "P5 2 2 255 ....", "is not an IDX file");
    images("two bytes", std::string(2, '\0'), "is not an IDX file");
    images("labels in the place of images", idx({3}, {2, 0, 4}), "has 1 axes, but images need 3");
    images("labels in the place of images: the cure", idx({3}, {2, 0, 4}), "swapped");
    images("floats", idx({3, 2, 2}, bytes(48), 0x0D), "another type");
    images("header cut off", right.substr(0, 9), "ends inside its header");
    images("numbers cut off", right.substr(0, 20), "promises 12 bytes, it has 4");
    images("gz cut off", compressed(right).substr(0, 30), "damaged");
    std::string large = compressed(idx({200, 28, 28}, std::string(156800, '\7')));
    large[large.size() - 8] = static_cast<char>(large[large.size() - 8] ^ 1);
    images("gz with a wrong checksum", large, "damaged .gz");
    images("too long", right + "x", "longer than its header says");
    images("a huge header", idx({0xFFFFFFFF, 0xFFFF, 0xFFFF}, bytes(12)), "more numbers than any file");
    images("no images", idx({0, 2, 2}, {}), "images");
    labels("too few", idx({2}, {2, 0}), "labels has 2 labels, but images has 3 images");
    labels("images in the place of labels", right, "has 3 axes, but labels need 1");
    std::string broken = compressed(idx({3}, {2, 0, 4}));
    broken[broken.size() - 8] = static_cast<char>(broken[broken.size() - 8] ^ 1); // the checksum
    labels("gz with a wrong checksum", broken, "damaged");
}

void TestMnistIdx::namesErrors()
{
    QFETCH(QByteArray, images);
    QFETCH(QByteArray, labels);
    QFETCH(QString, where);
    QFETCH(QString, part);
    Digits digits;
    if (!images.isEmpty())
        digits.images = images.toStdString();
    if (!labels.isEmpty())
        digits.labels = labels.toStdString();
    const OpenedDataset data = digits.open();
    COMPARE_ERROR(data, where, part);
}

void TestMnistIdx::namesMissingFiles()
{
    QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    writeFile(path / "images.gz", compressed(idx({3, 2, 2}, bytes(12))));
    const OpenedDataset data =
        openSource(sourceNode(path, "MnistIdx", {{"images", "images"}, {"labels", "labels"}}));
    COMPARE_ERROR(data, "data/src/images", QString::fromStdString((path / "images").string()));
    QVERIFY(QString::fromStdString(data.error().hint).contains("images.gz"));
    QCOMPARE(data.error().code, ErrorCode::NotFound);
}

void TestMnistIdx::namesWhatIsNoFile()
{
    QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    QCOMPARE(mkfifo((path / "pipe").c_str(), 0600), 0);
    for (const char* file : {"/dev/zero", "pipe", "."}) { // the first never ends, the second never begins
        const OpenedDataset data = openSource(sourceNode(path, "MnistIdx", {{"images", file}, {"labels", "labels"}}));
        COMPARE_ERROR(data, "data/src/images", QString(file) == "." ? "is a folder" : "is a device, a pipe or a socket");
    }
}

void TestMnistIdx::readsTheSampleDigits()
{
    const std::filesystem::path folder = std::filesystem::path(ATHANOR_SOURCE_DIR) / "resources/samples/data";
    const OpenedDataset data = openSource(
        sourceNode(folder, "MnistIdx",
                   {{"images", "t10k-images-idx3-ubyte.gz"}, {"labels", "t10k-labels-idx1-ubyte.gz"}}));
    VERIFY_OK(data);
    QCOMPARE((*data)->size(), 10000);
    QCOMPARE((*data)->fields()[1].classes, 10);
    const std::vector<std::int64_t> labels = labelsOf(**data);
    // The first labels of the set, and how often each digit is in it, as its page says.
    QCOMPARE(std::vector<std::int64_t>(labels.begin(), labels.begin() + 5),
             (std::vector<std::int64_t>{7, 2, 1, 0, 4}));
    std::vector<int> counts(10);
    for (const std::int64_t label : labels)
        ++counts[static_cast<std::size_t>(label)];
    QCOMPARE(counts, (std::vector<int>{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009}));
}

QTEST_APPLESS_MAIN(TestMnistIdx)
#include "tst_mnist_idx.moc"
