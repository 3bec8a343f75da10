// What becomes of broken and unusual files: each is read as documented, or refused with the reason; none ends the
// program.
#include "data_test.h"

#include <QTemporaryDir>
#include <QtTest>

#include <opencv2/imgcodecs.hpp>

#include <functional>
#include <unistd.h>

using namespace athanor;

namespace {

namespace fs = std::filesystem;

std::string hex(const char* digits)
{
    return QByteArray::fromHex(digits).toStdString();
}

/// 8×8, magenta and yellow at full (red), made with Pillow.
const char* const kCmyk =
    "ffd8ffee000e41646f626500640000000000ffdb00430002010101010102010101020202020204030202020205040403"
    "04060506060605060606070908060709070606080b08090a0a0a0a0a06080b0c0b0a0c090a0a0affc000140800080008"
    "044311004d11005911004b1100ffc4001f0000010501010101010100000000000000000102030405060708090a0bffc4"
    "00b5100002010303020403050504040000017d01020300041105122131410613516107227114328191a1082342b1c115"
    "52d1f02433627282090a161718191a25262728292a3435363738393a434445464748494a535455565758595a63646566"
    "6768696a737475767778797a838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2"
    "c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9faffda000e0443004d005900"
    "4b00003f00fdfcafe7febf9ffafdfcafffd9";
const char* const kGzTable = "1f8b080000000000000333d431e232d631e1020047936caf08000000"; // 1,2 and 3,4
const char* const kNpz = // x = arange(6).reshape(3, 2), numpy.savez_compressed
    "504b030414000000080000002100ccca9cbd550000009800000005001400782e6e707901001000980000000000000055000000000000009bec"
    "17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9366a2aea3a09e965f54529498179f5f94920a12774bcc294e058a17672416a402f91ac6"
    "3a0a469a3a0ab50a64032e063068b007120e4004c40d40bcc00100504b0102140314000000080000002100ccca9cbd550000009800000005"
    "0000000000000000000000800100000000782e6e7079504b05060000000001000100330000008c0000000000";
const char* const kPngBomb = // 60,000 × 60,000 in 66 bytes
    "89504e470d0a1a0a0000000d494844520000ea600000ea600800000000a5b92a9e0000000849444154789c030000000001480689d200000000"
    "49454e44ae426082";

std::string idx(std::initializer_list<unsigned> header, const std::string& numbers)
{
    std::string bytes = {'\0', '\0', '\x08', static_cast<char>(header.size())};
    for (const unsigned extent : header)
        for (const unsigned shift : {24U, 16U, 8U, 0U})
            bytes += static_cast<char>(extent >> shift & 0xFFU);
    return bytes + numbers;
}

std::string npy(const std::string& header, const std::string& numbers)
{
    const std::string text = header + "\n";
    std::string bytes = "\x93NUMPY\x01";
    bytes += '\0';
    bytes += static_cast<char>(text.size() & 0xFFU);
    bytes += static_cast<char>(text.size() >> 8U);
    return bytes + text + numbers;
}

std::string npyHeader(const std::string& type, const std::string& shape, const char* fortran = "False")
{
    return "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

std::string encoded(const cv::Mat& image, const char* ending)
{
    std::vector<std::uint8_t> bytes;
    cv::imencode(ending, image, bytes);
    return {bytes.begin(), bytes.end()};
}

cv::Mat grey(int height, int width, int type = CV_8UC1, double value = 100)
{
    return {height, width, type, cv::Scalar::all(value)};
}

std::string repeated(const std::string& text, int times)
{
    std::string all;
    for (int i = 0; i < times; ++i)
        all += text;
    return all;
}

using Check = std::function<void(const Dataset&)>;

/// The file f (or what `prepare` makes), opened; an error text that must come, or what the data must be.
struct Case {
    const char* name;
    const char* kind;
    std::string content;
    Json params;
    const char* error; ///< part of the message or hint; nullptr: it opens
    Check check = {};  ///< of what opens
};

void expect(bool holds, const char* what)
{
    if (!holds)
        throw std::runtime_error(what);
}
#define EXPECT(condition) expect(condition, #condition)

Check rowsAre(std::int64_t rows)
{
    return [rows](const Dataset& data) { EXPECT(data.size() == rows); };
}

/// The first row's features.
Check firstIs(std::vector<float> row)
{
    return [row](const Dataset& data) { EXPECT(numbersOf<float>(data, "features", 0) == row); };
}

std::vector<Case> idxCases()
{
    const std::string good = idx({1, 2, 2}, "abcd");
    const Json params = {{"images", "f"}, {"labels", "labels"}};
    const auto broken = [&](const char* name, std::string content, const char* error) {
        return Case{name, "MnistIdx", std::move(content), params, error};
    };
    return {
        {"idx: sound", "MnistIdx", good, params, nullptr, rowsAre(1)},
        broken("idx: empty", "", "not an IDX file"),
        broken("idx: three bytes", good.substr(0, 3), "not an IDX file"),
        broken("idx: wrong magic", "PK\x03\x04 not this", "not an IDX file"),
        broken("idx: numbers of another type", std::string("\0\0\x0D\x03", 4) + good.substr(4), "another type"),
        broken("idx: labels for images", idx({1}, "a"), "swapped"),
        broken("idx: cut off in the header", good.substr(0, 10), "ends inside its header"),
        broken("idx: cut off", good.substr(0, good.size() - 1), "ends too early"),
        broken("idx: too long", good + "x", "longer than its header"),
        broken("idx: shape bomb", idx({4294967295U, 4294967295U, 4294967295U}, ""), "more numbers than any file"),
        broken("idx: large promise, no bytes", idx({60000, 28, 28}, "abc"), "ends too early"),
        broken("idx: no images", idx({0, 28, 28}, ""), "holds no images"),
        broken("idx: images without pixels", idx({1, 0, 28}, ""), "holds no images"),
        broken("idx: more labels than images", idx({2, 1, 1}, "ab"), "1 labels"),
        broken("idx: no gzip behind its mark", "\x1F\x8B\x08", "damaged .gz"),
        broken("idx: gzip with a bad checksum",
               hex("1f8b080000000000000333d431e232d631e1020047936cae08000000"), "damaged .gz"),
        broken("idx: gzip cut off", hex(kGzTable).substr(0, 20), "damaged .gz"),
    };
}

std::vector<Case> csvCases()
{
    const auto table = [](const char* name, std::string content, Json params, const char* error, Check check = {}) {
        params["path"] = "f";
        return Case{name, "CsvTable", std::move(content), std::move(params), error, std::move(check)};
    };
    const std::string wide = repeated("1,", 9999) + "2\n";
    return {
        table("csv: empty", "", {}, "is empty"),
        table("csv: blank lines only", "\n \n\n", {}, "is empty"),
        table("csv: byte order mark only", "\xEF\xBB\xBF", {}, "is empty"),
        table("csv: header only", "a,b\n", {}, "no rows"),
        table("csv: zero bytes", std::string("1,2\n3,\0\n", 8), {}, "zero bytes"),
        table("csv: byte order mark", "\xEF\xBB\xBF" "a,b\n1,2\n", {{"target", "a"}}, nullptr, rowsAre(1)),
        table("csv: UTF-16", std::string("\xFF\xFE" "1\0,\0" "2\0\n\0", 10), {}, nullptr, firstIs({1, 2})),
        table("csv: UTF-16, big-endian, no mark", std::string("\0" "1\0,\0" "2\0\n", 8), {}, nullptr, firstIs({1, 2})),
        table("csv: UTF-16 cut in a character", std::string("\xFF\xFE" "1\0,", 5), {}, "inside a character"),
        table("csv: Latin-1", "na\xEFve,1\n\xE9t\xE9,2\n", {{"target", 0}}, nullptr,
              [](const Dataset& data) { EXPECT(data.fields()[1].classNames[0] == "naïve"); }),
        table("csv: Latin-1 where UTF-8 is said", "na\xEFve,1\n", {{"target", 0}, {"encoding", "utf-8"}},
              "not UTF-8"),
        table("csv: overlong UTF-8 is Latin-1", "\xC0\xAF,1\n", {{"target", 0}}, nullptr, rowsAre(1)),
        table("csv: ragged, too few", "1,2\n3\n", {}, "line 2: 1 cells"),
        table("csv: ragged, too many", "1,2\n3,4,5\n", {}, "line 2: 3 cells"),
        table("csv: a quote that is never closed", "1,2\n3,\"4\n", {}, "never closed"),
        table("csv: quotes across lines", "x,\"a\nb\"\ny,\"c\"\"d\"\n", {{"header", false}, {"types", {{"0", "category"}}}, {"target", 1}},
              nullptr, [](const Dataset& data) { EXPECT(data.fields()[1].classNames[1] == "c\"d"); }),
        table("csv: line ends of old Macs", "1,2\r3,4\r", {}, nullptr, rowsAre(2)),
        table("csv: line ends of Windows", "1,2\r\n3,4\r\n", {}, nullptr, rowsAre(2)),
        table("csv: no line end at the end", "1,2\n3,4", {}, nullptr, rowsAre(2)),
        table("csv: separator at the end", "1,2,\n3,4,\n", {}, "column 2: the cell is empty"),
        table("csv: 10,000 columns", wide + wide, {}, nullptr,
              [](const Dataset& data) { EXPECT(data.fields()[0].shape[0] == 10000); }),
        table("csv: a missing cell", "1,\n2,3\n", {}, "line 1, column 1: the cell is empty"),
        table("csv: a missing cell, dropped", "1,\n2,3\n", {{"missing", "drop"}}, nullptr, firstIs({2, 3})),
        table("csv: a missing cell, constant", "1,?\n2,3\n", {{"missing", "constant"}, {"fill_value", -1}}, nullptr,
              firstIs({1, -1})),
        table("csv: nothing but missing cells", "1,\n2,\n", {{"missing", "drop"}}, "none is left"),
        table("csv: huge and tiny numbers", "1e999,-1e999,1e-999\n", {}, nullptr,
              firstIs({std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(), 0})),
        table("csv: a number of 400 digits", std::string(400, '1') + ",2\n", {}, nullptr,
              firstIs({std::numeric_limits<float>::infinity(), 2})),
        table("csv: no dates", "2024-02-30,1\n", {{"types", {{"0", "date"}}}, {"header", false}}, "is not a date"),
        table("csv: dates", "1970-01-02,1\n01.02.1970,1\n", {{"types", {{"0", "date"}}}, {"header", false}}, nullptr,
              firstIs({1, 1})),
        table("csv: an unknown type", "1,2\n", {{"types", {{"0", "colour"}}}}, "none of number"),
        table("csv: types of an unknown column", "a,b\n1,2\n", {{"types", {{"c", "date"}}}}, "no column named 'c'"),
        table("csv: a decimal comma", "1,5;2\n2,5;3\n", {}, nullptr, firstIs({1.5F, 2})),
        table("csv: a decimal comma where a point is said", "a;y\n1,5;0\n", {{"decimal", "."}}, "decimal"),
        table("csv: gzip", hex(kGzTable), {}, nullptr, rowsAre(2)),
        table("csv: gzip cut off", hex(kGzTable).substr(0, 22), {}, "damaged .gz"),
        table("csv: only quotes", "\"\"\n\"\"\n", {{"header", false}}, "the cell is empty"),
    };
}

std::vector<Case> npyCases()
{
    const auto array = [](const char* name, std::string content, const char* error, Check check = {}) {
        return Case{name, "NumpyFile", std::move(content), {{"fields", {{"features", "f"}}}}, error, std::move(check)};
    };
    const std::string six(24, '\0');
    const auto zip = [](const char* name, std::string content, const char* member, const char* error,
                        Check check = {}) {
        const std::string file = std::string("f.npz:") + member;
        return Case{name, "NumpyFile", std::move(content), {{"fields", {{"features", file}}}}, error,
                    std::move(check)};
    };
    // Fortran order of [[1, 2], [3, 4]] as bytes: 1 3 2 4.
    const std::string columns = {'\x01', '\x03', '\x02', '\x04'};
    return {
        array("npy: sound", npy(npyHeader("<f4", "(3, 2)"), six), nullptr, rowsAre(3)),
        array("npy: empty", "", "not a .npy file"),
        array("npy: text", "1 2 3\n", "not a .npy file"),
        array("npy: unknown version", "\x93NUMPY\x09" + std::string(20, '\0'), "unknown format version"),
        array("npy: header cut off", npy(npyHeader("<f4", "(3, 2)"), "").substr(0, 30), "header is damaged"),
        array("npy: no dictionary", npy("hello", six), "header is damaged"),
        array("npy: negative extent", npy(npyHeader("<f4", "(-3, 2)"), six), "header is damaged"),
        array("npy: shape bomb", npy(npyHeader("<f8", "(4000000000, 4000000000, 4000000000)"), ""), "damaged or incomplete"),
        array("npy: promises more", npy(npyHeader("<f4", "(4, 2)"), six), "damaged or incomplete"),
        array("npy: Python objects", npy(npyHeader("|O", "(3,)"), six), "Python objects"),
        array("npy: several fields", npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,), }", six),
              "are not read"),
        array("npy: big-endian", npy(npyHeader(">f4", "(3, 2)"), six), "big-endian"),
        array("npy: complex", npy(npyHeader("<c8", "(3,)"), six), "are not read"),
        array("npy: no samples", npy(npyHeader("<f4", "(0, 2)"), ""), "holds no samples"),
        array("npy: one number", npy(npyHeader("<f4", "()"), std::string(4, '\0')), "holds no samples"),
        array("npy: Fortran order", npy(npyHeader("|b1", "(2, 2)", "True"), columns), nullptr, firstIs({1, 2})),
        zip("npz: compressed", hex(kNpz), "x", nullptr, firstIs({0, 1})),
        zip("npz: no such array", hex(kNpz), "y", "holds no array 'y'"),
        zip("npz: cut off", hex(kNpz).substr(0, 60), "x", "damaged"),
        zip("npz: empty", "", "x", "npz"),
        zip("npz: text", "1 2 3 4 5 6 7 8 9 10\n", "x", "damaged"),
    };
}

std::vector<Case> imageCases()
{
    const std::string jpeg = encoded(grey(16, 16, CV_8UC3), ".jpg");
    const std::string png = encoded(grey(4, 4), ".png");
    const auto image = [](const char* name, std::string content, const char* error, Check check = {}) {
        return Case{name, "ImageFolder", std::move(content), {{"path", "."}}, error, std::move(check)};
    };
    const auto shapeIs = [](std::vector<std::int64_t> shape) -> Check {
        return [shape](const Dataset& data) {
            EXPECT(data.fields()[0].shape == shape);
            Sample sample;
            EXPECT(data.read(0, sample).ok());
        };
    };
    return {
        image("image: empty", "", "is empty"),
        image("image: text", "no picture at all", "damaged, or no image"),
        image("image: half a JPEG", jpeg.substr(0, jpeg.size() / 2), "cut off"),
        image("image: a JPEG without its end", jpeg.substr(0, jpeg.size() - 2), "cut off"),
        image("image: two bytes of a JPEG", jpeg.substr(0, 2), "damaged"),
        image("image: half a PNG", png.substr(0, png.size() / 2), "cut off"),
        image("image: an animated GIF", "GIF89a" + std::string(40, '\0'), "GIF"),
        image("image: a PNG of 3.6 thousand million pixels", hex(kPngBomb), "178 million"),
        image("image: CMYK", hex(kCmyk), nullptr,
              [](const Dataset& data) {
                  const auto pixels = numbersOf<std::uint8_t>(data, "image", 0);
                  EXPECT(pixels[0] > 200 && pixels[1] < 50 && pixels[2] < 50);
              }),
        image("image: 16 bit, grey", encoded(grey(2, 3, CV_16UC1, 40000), ".png"), nullptr,
              [](const Dataset& data) {
                  EXPECT(data.fields()[0].shape == (std::vector<std::int64_t>{2, 3, 3}));
                  EXPECT(numbersOf<std::uint8_t>(data, "image", 0)[0] == 156); // 40000 / 256
              }),
        image("image: with transparency", encoded(grey(2, 3, CV_8UC4, 50), ".png"), nullptr, shapeIs({2, 3, 3})),
        image("image: 1×1", encoded(grey(1, 1), ".png"), nullptr, shapeIs({1, 1, 3})),
        image("image: 20,000 wide", encoded(grey(1, 20000), ".png"), nullptr, shapeIs({1, 20000, 3})),
        image("image: BMP", encoded(grey(2, 3), ".bmp"), nullptr, shapeIs({2, 3, 3})),
        image("image: TIFF of 16 bit", encoded(grey(2, 3, CV_16UC3, 40000), ".tiff"), nullptr, shapeIs({2, 3, 3})),
        image("image: WebP", encoded(grey(2, 3, CV_8UC3), ".webp"), nullptr, shapeIs({2, 3, 3})),
        image("image: PPM", encoded(grey(2, 3, CV_8UC3), ".ppm"), nullptr, shapeIs({2, 3, 3})),
    };
}

std::vector<Case> otherCases()
{
    const auto list = [](const char* name, std::string content, const char* error) {
        return Case{name, "ImageList", std::move(content), {{"path", "f"}}, error};
    };
    return {
        {"cifar: empty", "Cifar10Binary", "", {{"path", "f"}}, "is empty"},
        {"cifar: cut off", "Cifar10Binary", std::string(3072, '\1'), {{"path", "f"}}, "ends inside image 0"},
        {"cifar: an impossible label", "Cifar10Binary", std::string(3073, '\x0B'), {{"path", "f"}}, "label 11"},
        {"cifar: sound", "Cifar10Binary", std::string(3073, '\x07'), {{"path", "f"}}, nullptr, rowsAre(1)},
        list("list: images that are not there", "no.png,1\n", "cannot be read"),
        list("list: an empty path", "a.png,1\n,2\n", "no file is named"),
        list("list: one column", "a\nb\n", "no column of labels"),
        {"text: zero bytes", "TextCsv", std::string("a,\0\n", 4), {{"path", "f"}, {"text", 0}}, "zero bytes"},
        {"text: an empty label", "TextCsv", "good,1\nbad,\n", {{"path", "f"}, {"text", 0}, {"target", 1}},
         "label is empty"},
        {"window: too long", "SequenceWindows", "1\n2\n3\n", {{"path", "f"}, {"window", 3}}, "need 4"},
    };
}

std::vector<Case> allCases()
{
    std::vector<Case> all;
    for (const auto& cases : {idxCases(), csvCases(), npyCases(), imageCases(), otherCases()})
        all.insert(all.end(), cases.begin(), cases.end());
    return all;
}

} // namespace

class TestBrokenInput : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void opensOrSaysWhy_data();
    void opensOrSaysWhy();
    void hasManyCases() { QVERIFY(allCases().size() >= 60); }
    void walksLinkLoopsOnce();
    void namesFoldersThatMayNotBeRead();
    void refusesWhatIsNoFile();
};

void TestBrokenInput::opensOrSaysWhy_data()
{
    QTest::addColumn<int>("number");
    int number = 0;
    for (const Case& one : allCases())
        QTest::newRow(one.name) << number++;
}

void TestBrokenInput::opensOrSaysWhy()
{
    QFETCH(int, number);
    const Case one = allCases()[static_cast<std::size_t>(number)];
    const QTemporaryDir temporary;
    const fs::path folder = temporary.path().toStdString();
    const std::string kind = one.kind;
    const bool npz = kind == "NumpyFile" && one.params.dump().find(".npz") != std::string::npos;
    // The decoders go by the content, not by the name.
    writeFile(folder / (kind == "ImageFolder" ? "class/f.png" : npz ? "f.npz" : "f"), one.content);
    writeFile(folder / "labels", idx({1}, "\x01"));
    const OpenedDataset data = openSource(sourceNode(folder, kind, one.params));
    if (one.error == nullptr) {
        VERIFY_OK(data);
        if (one.check)
            one.check(**data);
        return;
    }
    QVERIFY2(!data.ok(), "no error");
    const QString text = QString::fromStdString(data.error().text());
    QVERIFY2(text.contains(one.error), qPrintable(text));
    QVERIFY2(data.error().where.starts_with("data/src"), data.error().where.c_str());
}

void TestBrokenInput::walksLinkLoopsOnce()
{
    const QTemporaryDir temporary;
    const fs::path folder = temporary.path().toStdString();
    writeFile(folder / "a/x.png", encoded(grey(2, 2), ".png"));
    fs::create_directory_symlink(folder, folder / "a/loop");
    fs::create_directory_symlink(folder / "a", folder / "a/self");
    fs::create_symlink(folder / "nowhere.png", folder / "a/broken.png");
    const OpenedDataset data = openSource(sourceNode(folder, "ImageFolder", {{"path", "."}}));
    VERIFY_OK(data);
    QCOMPARE((*data)->size(), 1);
}

void TestBrokenInput::namesFoldersThatMayNotBeRead()
{
    if (geteuid() == 0)
        QSKIP("root may read everything");
    const QTemporaryDir temporary;
    const fs::path folder = temporary.path().toStdString();
    writeFile(folder / "a/x.png", encoded(grey(2, 2), ".png"));
    writeFile(folder / "t.csv", "1,2\n");
    fs::permissions(folder / "a", fs::perms::none);
    fs::permissions(folder / "t.csv", fs::perms::none);
    const OpenedDataset images = openSource(sourceNode(folder, "ImageFolder", {{"path", "."}}));
    const OpenedDataset table = openSource(sourceNode(folder, "CsvTable", {{"path", "t.csv"}}));
    fs::permissions(folder / "a", fs::perms::owner_all);
    COMPARE_ERROR(images, "data/src/path", "cannot be read");
    COMPARE_ERROR(table, "data/src/path", "cannot be opened");
}

void TestBrokenInput::refusesWhatIsNoFile()
{
    for (const char* kind : {"CsvTable", "Cifar10Binary"}) {
        const OpenedDataset data = openSource(sourceNode("/", kind, {{"path", "/dev/zero"}}));
        COMPARE_ERROR(data, "data/src/path", "a device");
    }
}

QTEST_APPLESS_MAIN(TestBrokenInput)
#include "tst_broken_input.moc"
