#include "data_test.h"

#include "engine/data/transform_chain.h"
#include "engine/data/transforms/resize.h"

#include <QtTest>

#include <cmath>
#include <map>
#include <numeric>
#include <set>

using namespace athanor;

namespace {

using Shape = std::vector<std::int64_t>;
using Floats = std::vector<float>;
using Bytes = std::vector<std::uint8_t>;

Value bytesOf(const Shape& shape, const Bytes& numbers)
{
    Value value;
    std::memcpy(value.write(Element::UInt8, shape), numbers.data(), numbers.size());
    return value;
}

Value floatsOf(const Shape& shape, const Floats& numbers)
{
    Value value;
    std::memcpy(value.write(Element::Float32, shape), numbers.data(), numbers.size() * sizeof(float));
    return value;
}

FieldLayout layoutOf(const Value& value, const std::string& name = "image")
{
    return {name, value.element(), value.shape(), 0, {}, {}};
}

TransformPtr made(const std::string& kind, const Json& params)
{
    Result<TransformPtr> transform = makeTransform(kind, completeParams(*dataCatalog().find(kind), params));
    if (!transform)
        throw std::runtime_error(transform.error().text());
    return *transform;
}

/// Applies a transform after its layout rule, and holds one against the other.
Value applied(const std::string& kind, const Json& params, const Value& input, std::uint64_t seed = 0)
{
    const TransformPtr transform = made(kind, params);
    const Result<FieldLayout> layout = transform->outputLayout(layoutOf(input));
    if (!layout)
        throw std::runtime_error(layout.error().text());
    Value output;
    SampleRandom random({seed});
    if (const Status status = transform->apply(input, output, random); !status)
        throw std::runtime_error(status.error().text());
    if (output.shape() != layout->shape || output.element() != layout->element)
        throw std::runtime_error("layout and result differ");
    return output;
}

} // namespace

class TestTransforms : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void toTensorMovesChannels();
    void normalizesChannels();
    void normalizesTables();
    void foldsBytesWithoutAnyDifference();
    void centerCrops_data();
    void centerCrops();
    void randomCropPads_data();
    void randomCropPads();
    void randomCropTakesEveryPlaceEqually();
    void flips();
    void worksOnFloatImages();
    void grays();
    void resizesAsPyTorch_data();
    void resizesAsPyTorch();
    void resizesTheShorterEdge_data();
    void resizesTheShorterEdge();
    void roundsBytesHalfUp();
    void namesErrors_data();
    void namesErrors();
};

void TestTransforms::toTensorMovesChannels()
{
    const Value output = applied("ToTensor", Json::object(), bytesOf({1, 2, 3}, {0, 51, 102, 255, 1, 2}));
    QCOMPARE(output.shape(), (Shape{3, 1, 2}));
    QCOMPARE(numbersOf<float>(output), (Floats{0, 1, 51 / 255.0F, 1 / 255.0F, 102 / 255.0F, 2 / 255.0F}));
    QVERIFY(!made("ToTensor", Json::object())->appliesTo(layoutOf(floatsOf({2}, {1, 2}))));
}

void TestTransforms::normalizesChannels()
{
    const Value input = floatsOf({2, 1, 2}, {1, 2, 3, 4});
    const Value each = applied("Normalize", {{"mean", {1, 2}}, {"std", {2, 4}}}, input);
    QCOMPARE(numbersOf<float>(each), (Floats{0, 0.5F, 0.25F, 0.5F}));
    const Value one = applied("Normalize", {{"mean", 1}, {"std", 2}}, input);
    QCOMPARE(numbersOf<float>(one), (Floats{0, 0.5F, 1, 1.5F}));
}

void TestTransforms::normalizesTables()
{
    const Value row =
        applied("Normalize", {{"mean", {1, 2, 3}}, {"std", {1, 2, 4}}}, floatsOf({3}, {2, 4, 7}));
    QCOMPARE(numbersOf<float>(row), (Floats{1, 1, 1}));
    // A sequence of steps × features: the features are the channels.
    const Value steps =
        applied("Normalize", {{"mean", {1, 2}}, {"std", {1, 2}}}, floatsOf({2, 2}, {1, 2, 3, 6}));
    QCOMPARE(numbersOf<float>(steps), (Floats{0, 0, 2, 2}));
}

void TestTransforms::foldsBytesWithoutAnyDifference()
{
    Bytes all(256 * 3);
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = static_cast<std::uint8_t>(i / 3 + i % 3 * 85);
    const Value picture = bytesOf({16, 16, 3}, all);
    const std::vector<TransformPtr> steps = {
        made("CenterCrop", {{"size", 12}}), made("ToTensor", Json::object()),
        made("Normalize", {{"mean", {0.485, 0.456, 0.406}}, {"std", {0.229, 0.224, 0.225}}}),
        makeAffine({0.1F, -0.2F, 0.3F}, {1.7F, 0.0F, 3.3F}), made("RandomHorizontalFlip", {{"p", 1}})};
    TransformChain folded({layoutOf(picture)});
    std::uint64_t ordinal = 0;
    Value plain = bytesOf({16, 16, 3}, all);
    Value scratch;
    for (const TransformPtr& step : steps) {
        VERIFY_OK(folded.append({step}, {"step", ordinal++}));
        SampleRandom random({0});
        VERIFY_OK(step->apply(plain, scratch, random));
        std::swap(plain, scratch);
    }
    VERIFY_OK(folded.finish());
    Sample sample;
    sample.push_back(bytesOf({16, 16, 3}, all));
    VERIFY_OK(folded.apply(sample, scratch, {}));
    QCOMPARE(sample[0].shape(), plain.shape());
    QVERIFY(std::memcmp(sample[0].bytes(), plain.bytes(), plain.byteCount()) == 0);
}

void TestTransforms::centerCrops_data()
{
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("crop");
    QTest::addColumn<QList<int>>("columns"); // 0: padding
    // round() of Python takes halves to the even neighbour: (5 − 2)/2 → 2, (3 − 2)/2 → 0.
    QTest::newRow("5 to 3") << 5 << 3 << QList<int>{2, 3, 4};
    QTest::newRow("5 to 2") << 5 << 2 << QList<int>{3, 4};
    QTest::newRow("3 to 2") << 3 << 2 << QList<int>{1, 2};
    QTest::newRow("same") << 3 << 3 << QList<int>{1, 2, 3};
    QTest::newRow("padded evenly") << 2 << 4 << QList<int>{0, 1, 2, 0};
    QTest::newRow("padded by 3: more at the end") << 3 << 6 << QList<int>{0, 1, 2, 3, 0, 0};
}

void TestTransforms::centerCrops()
{
    QFETCH(int, width);
    QFETCH(int, crop);
    QFETCH(QList<int>, columns);
    Bytes row(static_cast<std::size_t>(width));
    std::iota(row.begin(), row.end(), 1);
    const Bytes expected(columns.begin(), columns.end());
    QCOMPARE(
        numbersOf<std::uint8_t>(applied("CenterCrop", {{"size", {1, crop}}}, bytesOf({1, width, 1}, row))),
        expected);
    QCOMPARE(
        numbersOf<std::uint8_t>(applied("CenterCrop", {{"size", {crop, 1}}}, bytesOf({width, 1, 1}, row))),
        expected);
}

void TestTransforms::randomCropPads_data()
{
    QTest::addColumn<QString>("params"); // as JSON
    QTest::addColumn<QList<int>>("row");
    // The padded image is as large as the crop: there is one place for it. Values as numpy.pad's.
    QTest::newRow("constant") << R"({"size": [1, 7], "padding": [2, 0], "fill": 9})"
                              << QList<int>{9, 9, 1, 2, 3, 9, 9};
    QTest::newRow("edge") << R"({"size": [1, 7], "padding": [2, 0], "padding_mode": "edge"})"
                          << QList<int>{1, 1, 1, 2, 3, 3, 3};
    QTest::newRow("reflect") << R"({"size": [1, 7], "padding": [2, 0], "padding_mode": "reflect"})"
                             << QList<int>{3, 2, 1, 2, 3, 2, 1};
    QTest::newRow("symmetric") << R"({"size": [1, 7], "padding": [2, 0], "padding_mode": "symmetric"})"
                               << QList<int>{2, 1, 1, 2, 3, 3, 2};
    QTest::newRow("four sides") << R"({"size": [3, 6], "padding": [1, 0, 2, 2], "fill": 5})"
                                << QList<int>{5, 1, 2, 3, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5};
    QTest::newRow("one number for all sides")
        << R"({"size": [3, 5], "padding": 1})" << QList<int>{0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0};
    QTest::newRow("no padding") << R"({"size": [1, 3]})" << QList<int>{1, 2, 3};
}

void TestTransforms::randomCropPads()
{
    QFETCH(QString, params);
    QFETCH(QList<int>, row);
    const Value output =
        applied("RandomCrop", Json::parse(params.toStdString()), bytesOf({1, 3, 1}, {1, 2, 3}));
    QCOMPARE(numbersOf<std::uint8_t>(output), Bytes(row.begin(), row.end()));
}

void TestTransforms::randomCropTakesEveryPlaceEqually()
{
    std::map<QByteArray, int> counts;
    const auto count = [&](const Json& params, const Value& input, std::uint64_t draws) {
        counts.clear();
        for (std::uint64_t seed = 0; seed < draws; ++seed) {
            const Value output = applied("RandomCrop", params, input, seed);
            ++counts[QByteArray(reinterpret_cast<const char*>(output.uint8()), output.count())];
        }
    };
    count({{"size", {1, 2}}}, bytesOf({2, 3, 1}, {1, 2, 3, 4, 5, 6}), 4000);
    QCOMPARE(counts.size(), std::size_t{4});
    for (const char* place : {"\1\2", "\2\3", "\4\5", "\5\6"})
        QVERIFY(std::abs(counts[place] - 1000) < 140); // ± 27 (one standard deviation)
    // pad_if_needed as torchvision: the missing pixels on both sides, so the image may lie at three places.
    count({{"size", {1, 4}}, {"pad_if_needed", true}}, bytesOf({1, 2, 1}, {1, 2}), 200);
    QCOMPARE(counts.size(), std::size_t{3});
    for (const char* hex : {"00000102", "00010200", "01020000"})
        QVERIFY(counts.contains(QByteArray::fromHex(hex)));
}

void TestTransforms::flips()
{
    const Value input = bytesOf({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    const Bytes mirrored = {3, 4, 1, 2, 7, 8, 5, 6};
    QCOMPARE(numbersOf<std::uint8_t>(applied("RandomHorizontalFlip", {{"p", 1}}, input)), mirrored);
    QCOMPARE(numbersOf<std::uint8_t>(applied("RandomHorizontalFlip", {{"p", 0}}, input)),
             numbersOf<std::uint8_t>(input));
    int count = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed)
        count +=
            numbersOf<std::uint8_t>(applied("RandomHorizontalFlip", {{"p", 0.25}}, input, seed)) == mirrored;
    QVERIFY(std::abs(count - 250) < 70); // ± 13.7 (one standard deviation)
}

void TestTransforms::worksOnFloatImages()
{
    const Value input = floatsOf({2, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}); // C×H×W
    QCOMPARE(numbersOf<float>(applied("RandomHorizontalFlip", {{"p", 1}}, input)),
             (Floats{3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10}));
    QCOMPARE(numbersOf<float>(applied("CenterCrop", {{"size", {2, 1}}}, input)), (Floats{2, 5, 8, 11}));
}

void TestTransforms::grays()
{
    // Pillow's Image.convert("L") of red, green, blue, white and a grey.
    const Value colours = bytesOf({1, 5, 3}, {255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255, 77, 77, 77});
    const Value gray = applied("Grayscale", Json::object(), colours);
    QCOMPARE(gray.shape(), (Shape{1, 5, 1}));
    QCOMPARE(numbersOf<std::uint8_t>(gray), (Bytes{76, 150, 29, 255, 77}));
    const Value three = applied("Grayscale", {{"num_output_channels", 3}}, bytesOf({1, 2, 1}, {5, 6}));
    QCOMPARE(numbersOf<std::uint8_t>(three), (Bytes{5, 5, 5, 6, 6, 6}));
    const Value floats = applied("Grayscale", Json::object(), floatsOf({3, 1, 1}, {1, 0.5F, 0.25F}));
    QCOMPARE(numbersOf<float>(floats)[0], 0.2989F * 1 + 0.587F * 0.5F + 0.114F * 0.25F);
}

void TestTransforms::resizesAsPyTorch_data()
{
    QTest::addColumn<int>("number");
    const Json cases = Json::parse(readFile(dataFolder() / "resize.json"));
    for (std::size_t i = 0; i < cases.size(); ++i)
        QTest::addRow("%s %s to %s", cases[i]["mode"].get<std::string>().c_str(),
                      cases[i]["shape"].dump().c_str(), cases[i]["size"].dump().c_str())
            << static_cast<int>(i);
}

void TestTransforms::resizesAsPyTorch()
{
    QFETCH(int, number);
    const Json test = Json::parse(readFile(dataFolder() / "resize.json"))[static_cast<std::size_t>(number)];
    const auto shape = test["shape"].get<Shape>();
    const auto pixels = test["pixels"].get<Floats>();
    const auto expected = test["floats"].get<Floats>();
    const Json params = {{"size", test["size"]}, {"interpolation", test["mode"]}, {"antialias", true}};
    const Floats floats = numbersOf<float>(applied("Resize", params, floatsOf(shape, pixels)));
    QCOMPARE(floats.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        QVERIFY(std::abs(floats[i] - expected[i]) < 1e-3F);
    // Bytes are rounded after each of the two axes, and limited to 0 … 255.
    const std::int64_t size = shape[1] * shape[2];
    Bytes interleaved(pixels.size());
    for (std::size_t i = 0; i < pixels.size(); ++i)
        interleaved[i % static_cast<std::size_t>(size) * static_cast<std::size_t>(shape[0]) +
                    i / static_cast<std::size_t>(size)] = static_cast<std::uint8_t>(pixels[i]);
    const Value scaled = applied("Resize", params, bytesOf({shape[1], shape[2], shape[0]}, interleaved));
    const Value planes = applied("ToTensor", Json::object(), scaled);
    const auto bytes = test["bytes"].get<std::vector<int>>();
    int different = 0; // by one, where means of few numbers are halves, and float and fixed point round apart
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const int difference = std::abs(static_cast<int>(std::lround(planes.float32()[i] * 255)) - bytes[i]);
        QVERIFY(difference <= 1);
        different += difference;
    }
    QVERIFY(different * 5 <= static_cast<int>(bytes.size()));
}

void TestTransforms::resizesTheShorterEdge_data()
{
    QTest::addColumn<QList<int>>("from");
    QTest::addColumn<QList<int>>("to");
    QTest::newRow("wide") << QList<int>{4, 10} << QList<int>{3, 7}; // int(3 · 10 / 4)
    QTest::newRow("tall") << QList<int>{10, 4} << QList<int>{7, 3};
    QTest::newRow("square") << QList<int>{5, 5} << QList<int>{3, 3};
}

void TestTransforms::resizesTheShorterEdge()
{
    QFETCH(QList<int>, from);
    QFETCH(QList<int>, to);
    const Value input =
        bytesOf({from[0], from[1], 1}, Bytes(static_cast<std::size_t>(from[0] * from[1]), 100));
    for (const Json& size : {Json(3), Json::array({3})}) {
        const Value output = applied("Resize", {{"size", size}}, input);
        QCOMPARE(output.shape(), (Shape{to[0], to[1], 1}));
        QCOMPARE(numbersOf<std::uint8_t>(output), Bytes(static_cast<std::size_t>(to[0] * to[1]), 100));
    }
}

void TestTransforms::roundsBytesHalfUp()
{
    const auto mean = [](std::uint8_t a, std::uint8_t b) {
        return numbersOf<std::uint8_t>(applied("Resize", {{"size", {1, 1}}}, bytesOf({1, 2, 1}, {a, b})))[0];
    };
    QCOMPARE(static_cast<int>(mean(10, 20)), 15);
    QCOMPARE(static_cast<int>(mean(10, 21)), 16);
    QCOMPARE(static_cast<int>(mean(255, 255)), 255);
}

void TestTransforms::namesErrors_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("params");
    QTest::addColumn<bool>("bytes"); // an image of 2×3 pixels, or a row of 3 numbers
    QTest::addColumn<QString>("part");
    QTest::newRow("bytes") << "Normalize"
                           << R"({"mean": 0, "std": 1})" << true << "ToTensor";
    QTest::newRow("entries") << "Normalize"
                             << R"({"mean": [0, 0], "std": 1})" << false
                             << "mean has 2 values, but 'image' has 3 channels";
    QTest::newRow("table") << "CenterCrop"
                           << R"({"size": 2})" << false << "works on images";
    QTest::newRow("gray table") << "Grayscale"
                                << "{}" << false << "works on images";
    QTest::newRow("crop") << "RandomCrop"
                          << R"({"size": [3, 3], "padding": [9, 0]})" << true
                          << "A crop of 3×3 does not fit into an image of 2×21";
}

void TestTransforms::namesErrors()
{
    QFETCH(QString, kind);
    QFETCH(QString, params);
    QFETCH(bool, bytes);
    QFETCH(QString, part);
    const TransformPtr transform = made(kind.toStdString(), Json::parse(params.toStdString()));
    const Value value = bytes ? bytesOf({2, 3, 1}, {1, 2, 3, 4, 5, 6}) : floatsOf({3}, {1, 2, 3});
    const Result<FieldLayout> layout = transform->outputLayout(layoutOf(value));
    QVERIFY(!layout.ok());
    QVERIFY2(QString::fromStdString(layout.error().text()).contains(part), layout.error().text().c_str());
}

QTEST_APPLESS_MAIN(TestTransforms)
#include "tst_transforms.moc"
