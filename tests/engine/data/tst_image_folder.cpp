#include "data_test.h"

#include <QTemporaryDir>
#include <QtTest>

#include <opencv2/imgcodecs.hpp>

#include <cmath>

using namespace athanor;

namespace {

using Bytes = std::vector<std::uint8_t>;
using Shape = std::vector<std::int64_t>;

/// Pixel (x, y) is red 10·x, green 20·y, blue 200.
cv::Mat picture(int height, int width)
{
    cv::Mat image(height, width, CV_8UC3);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            image.at<cv::Vec3b>(y, x) =
                cv::Vec3b(200, static_cast<std::uint8_t>(20 * y), static_cast<std::uint8_t>(10 * x));
    return image;
}

class Folder {
public:
    void add(const std::string& name, const cv::Mat& image) const
    {
        const std::filesystem::path file = path() / name;
        std::filesystem::create_directories(file.parent_path());
        if (!cv::imwrite(file.string(), image))
            throw std::runtime_error("cannot write " + file.string());
    }
    [[nodiscard]] std::filesystem::path path() const { return m_folder.path().toStdString(); }
    [[nodiscard]] OpenedDataset open(Json params = Json::object()) const
    {
        params["path"] = ".";
        return openSource(sourceNode(path(), "ImageFolder", params));
    }

private:
    QTemporaryDir m_folder;
};

/// An EXIF segment that says "turned: the top is at the right" (orientation 6), put behind the JPEG's start.
std::string withOrientation(const std::string& jpeg)
{
    const QByteArray exif =
        QByteArray::fromHex("ffe100224578696600004d4d002a000000080001011200030000000100060000"
                            "00000000");
    return jpeg.substr(0, 2) + exif.toStdString() + jpeg.substr(2);
}

} // namespace

class TestImageFolder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void numbersClassesByName();
    void readsEveryFormat_data();
    void readsEveryFormat();
    void readsOtherKindsOfPixels();
    void turnsImagesAsTheCameraNoted();
    void readsGray();
    void scales();
    void skipsWhatIsNoImage();
    void namesErrors_data();
    void namesErrors();
    void refusesDamagedImages_data();
    void refusesDamagedImages();
    void namesImagesOfAnotherSize();
    void decodesInTheWorkers();
};

void TestImageFolder::numbersClassesByName()
{
    const Folder folder;
    for (const char* name : {"dog/2.png", "dog/1.png", "cat/b.png", "cat/deeper/a.png", "Ant/x.png"})
        folder.add(name, picture(2, 3));
    const OpenedDataset data = folder.open();
    VERIFY_OK(data);
    const Dataset& set = **data;
    QCOMPARE(set.fields()[1].classNames, (std::vector<std::string>{"Ant", "cat", "dog"}));
    QCOMPARE(set.fields()[1].classes, 3);
    QCOMPARE(labelsOf(set), (std::vector<std::int64_t>{0, 1, 1, 2, 2}));
    QStringList names;
    for (std::int64_t i = 0; i < set.size(); ++i)
        names.push_back(QString::fromStdString(set.sampleName(i)));
    QCOMPARE(names, QStringList({"Ant/x.png", "cat/b.png", "cat/deeper/a.png", "dog/1.png", "dog/2.png"}));
    QCOMPARE(numbersOf<std::int64_t>(set, "label", 3), std::vector<std::int64_t>{2});
}

void TestImageFolder::readsEveryFormat_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("tolerance");
    QTest::newRow("png") << "a/x.png" << 0;
    QTest::newRow("bmp") << "a/x.bmp" << 0;
    QTest::newRow("tiff") << "a/x.tiff" << 0;
    QTest::newRow("ppm") << "a/x.ppm" << 0;
    QTest::newRow("jpeg") << "a/x.JPG" << 16;
    QTest::newRow("webp") << "a/x.webp" << 16;
}

void TestImageFolder::readsEveryFormat()
{
    QFETCH(QString, file);
    QFETCH(int, tolerance);
    const Folder folder;
    folder.add(file.toStdString(), picture(8, 12));
    const OpenedDataset data = folder.open();
    VERIFY_OK(data);
    QCOMPARE((*data)->fields()[0].shape, (Shape{8, 12, 3}));
    QCOMPARE((*data)->fields()[0].element, Element::UInt8);
    const Bytes pixels = numbersOf<std::uint8_t>(**data, "image", 0);
    for (std::size_t i = 0; i < pixels.size(); i += 3) {
        const int x = static_cast<int>(i / 3) % 12;
        const int y = static_cast<int>(i / 3) / 12;
        QVERIFY(std::abs(pixels[i] - 10 * x) <= tolerance);
        QVERIFY(std::abs(pixels[i + 1] - 20 * y) <= tolerance);
        QVERIFY(std::abs(pixels[i + 2] - 200) <= tolerance);
    }
}

void TestImageFolder::readsOtherKindsOfPixels()
{
    const Folder folder;
    folder.add("a/1-gray.png", cv::Mat(1, 2, CV_8UC1, cv::Scalar(77)));
    folder.add("a/2-alpha.png", cv::Mat(1, 2, CV_8UC4, cv::Scalar(3, 2, 1, 0)));
    folder.add("a/3-sixteen.png", cv::Mat(1, 2, CV_16UC3, cv::Scalar(0x3000, 0x2000, 0x1000)));
    const OpenedDataset data = folder.open();
    VERIFY_OK(data);
    QCOMPARE(numbersOf<std::uint8_t>(**data, "image", 0), (Bytes{77, 77, 77, 77, 77, 77}));
    QCOMPARE(numbersOf<std::uint8_t>(**data, "image", 1), (Bytes{1, 2, 3, 1, 2, 3}));
    QCOMPARE(numbersOf<std::uint8_t>(**data, "image", 2), (Bytes{0x10, 0x20, 0x30, 0x10, 0x20, 0x30}));
}

void TestImageFolder::turnsImagesAsTheCameraNoted()
{
    const Folder folder;
    cv::Mat image(16, 32, CV_8UC3, cv::Scalar::all(0)); // the left half is white
    image(cv::Rect(0, 0, 16, 16)).setTo(cv::Scalar::all(255));
    folder.add("a/x.jpg", image);
    const std::filesystem::path file = folder.path() / "a/x.jpg";
    writeFile(file, withOrientation(readFile(file)));
    const OpenedDataset data = folder.open();
    VERIFY_OK(data);
    QCOMPARE((*data)->fields()[0].shape, (Shape{32, 16, 3})); // turned clockwise: the upper half is white
    const Bytes pixels = numbersOf<std::uint8_t>(**data, "image", 0);
    QVERIFY(pixels.front() > 250);
    QVERIFY(pixels.back() < 5);
}

void TestImageFolder::readsGray()
{
    const Folder folder;
    folder.add("a/x.png", cv::Mat(1, 1, CV_8UC3, cv::Scalar(0, 255, 0)));
    const OpenedDataset data = folder.open({{"grayscale", true}});
    VERIFY_OK(data);
    QCOMPARE((*data)->fields()[0].shape, (Shape{1, 1, 1}));
    QCOMPARE(numbersOf<std::uint8_t>(**data, "image", 0), Bytes{150});
}

void TestImageFolder::scales()
{
    const Folder folder;
    folder.add("a/1.png", cv::Mat(2, 2, CV_8UC3, cv::Scalar::all(50)));
    folder.add("a/2.png", cv::Mat(9, 5, CV_8UC3, cv::Scalar::all(60)));
    const OpenedDataset data = folder.open({{"size", {3, 4}}});
    VERIFY_OK(data);
    QCOMPARE((*data)->fields()[0].shape, (Shape{3, 4, 3}));
    QCOMPARE(numbersOf<std::uint8_t>(**data, "image", 1), Bytes(36, 60));
}

void TestImageFolder::skipsWhatIsNoImage()
{
    const Folder folder;
    folder.add("a/x.png", picture(2, 2));
    folder.add("loose.png", picture(2, 2));
    folder.add(".cache/x.png", picture(2, 2));
    writeFile(folder.path() / "a/notes.txt", "hello");
    writeFile(folder.path() / "a/.hidden.png", "hello");
    const OpenedDataset data = folder.open();
    VERIFY_OK(data);
    QCOMPARE((*data)->size(), 1);
    QCOMPARE((*data)->fields()[1].classNames, std::vector<std::string>{"a"});
}

void TestImageFolder::namesErrors_data()
{
    QTest::addColumn<QStringList>("files"); // "name=content"
    QTest::addColumn<QString>("part");
    QTest::newRow("no sub-folders") << QStringList{"x.png=1"} << "no sub-folders";
    QTest::newRow("a class without images") << QStringList{"a/x.txt=1"} << "/a holds no images";
    QTest::newRow("no image") << QStringList{"a/x.png=hello"} << "a/x.png: The file is damaged";
    QTest::newRow("empty file") << QStringList{"a/x.png="} << "a/x.png: The file is empty";
}

void TestImageFolder::namesErrors()
{
    QFETCH(QStringList, files);
    QFETCH(QString, part);
    const Folder folder;
    for (const QString& file : files)
        writeFile(folder.path() / file.section('=', 0, 0).toStdString(), file.section('=', 1).toStdString());
    const OpenedDataset data = folder.open();
    COMPARE_ERROR(data, "data/src/path", part);
    const OpenedDataset nowhere = openSource(sourceNode(folder.path(), "ImageFolder", {{"path", "no"}}));
    COMPARE_ERROR(nowhere, "data/src/path", QString::fromStdString((folder.path() / "no").string()));
}

void TestImageFolder::refusesDamagedImages_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : {"a/2.png", "a/2.jpg", "a/2.webp", "a/2.tiff", "a/2.bmp"})
        QTest::newRow(name) << name;
}

void TestImageFolder::refusesDamagedImages()
{
    QFETCH(QString, name);
    const Folder folder;
    folder.add("a/1.png", picture(12, 20));
    folder.add(name.toStdString(), picture(12, 20));
    const std::filesystem::path file = folder.path() / name.toStdString();
    const std::string whole = readFile(file);
    for (const std::size_t length : {whole.size() / 2, whole.size() * 3 / 4, whole.size() - 20}) {
        writeFile(file, whole.substr(0, length));
        const OpenedDataset data = folder.open();
        VERIFY_OK(data);
        Sample sample;
        const Status status = (*data)->read(1, sample);
        QVERIFY2(!status.ok(), qPrintable(QString("%1 of %2 bytes").arg(length).arg(whole.size())));
        QCOMPARE(status.error().code, ErrorCode::Unreadable);
    }
}

void TestImageFolder::namesImagesOfAnotherSize()
{
    const Folder folder;
    folder.add("a/1.png", picture(4, 6));
    folder.add("a/2.png", picture(4, 6));
    folder.add("b/1.png", picture(6, 4));
    const auto read = [&](const std::vector<Node>& between) -> Status {
        std::vector<Node> nodes = {node("src", "ImageFolder", {{"path", "."}})};
        nodes.insert(nodes.end(), between.begin(), between.end());
        nodes.push_back(node("loader", "Loader", {{"batch_size", 3}, {"num_workers", 2}}));
        const Result<std::unique_ptr<DataPipeline>> pipeline = openData(dataProject(folder.path(), nodes));
        if (!pipeline)
            return pipeline.error();
        const auto batch = (*pipeline)->read(DataPart::Train, 0)->next({});
        return batch ? Status(Done{}) : Status(batch.error());
    };
    const Status different = read({node("tensor", "ToTensor")});
    COMPARE_ERROR(different, "data/src", "'image' is 3×6×4 in one sample of a batch and 3×4×6 in another");
    QVERIFY(QString::fromStdString(different.error().hint).contains("Resize"));
    // A step that one image does not fit is named, with the image.
    const Status small = read({node("crop", "RandomCrop", {{"size", {4, 6}}}), node("tensor", "ToTensor")});
    COMPARE_ERROR(small, "data/crop/size",
                  "b/1.png (sample 2): A crop of 4×6 does not fit into an image of 6×4");
    VERIFY_OK(read({node("size", "Resize", {{"size", {4, 4}}}), node("tensor", "ToTensor")}));
    VERIFY_OK(read({node("size", "Resize", {{"size", 5}}), node("crop", "CenterCrop", {{"size", 5}}),
                    node("tensor", "ToTensor")}));
}

void TestImageFolder::decodesInTheWorkers()
{
    const Folder folder;
    folder.add("a/1.png", picture(4, 4));
    folder.add("a/2.png", picture(4, 4));
    folder.add("a/3.png", picture(4, 4));
    writeFile(folder.path() / "a/2.png", "broken"); // found when it is read, not when the folder is opened
    const Project project =
        dataProject(folder.path(), {node("src", "ImageFolder", {{"path", "."}}), node("tensor", "ToTensor"),
                                    node("loader", "Loader", {{"batch_size", 1}})});
    for (const int workers : {0, 3}) {
        const Result<std::unique_ptr<DataPipeline>> pipeline = openData(project, workers);
        VERIFY_OK(pipeline);
        const auto reader = (*pipeline)->read(DataPart::Train, 0);
        QVERIFY(reader->next({}).ok());
        const auto second = reader->next({});
        COMPARE_ERROR(second, "data/src", "a/2.png (sample 1): The file is damaged");
        QCOMPARE(second.error().code, ErrorCode::Unreadable);
        QVERIFY(!reader->next({}).ok()); // it stays an error
    }
}

QTEST_APPLESS_MAIN(TestImageFolder)
#include "tst_image_folder.moc"
