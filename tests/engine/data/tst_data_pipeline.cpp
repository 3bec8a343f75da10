#include "data_test.h"

#include "engine/data/batch.h"

#include <QTemporaryDir>
#include <QtTest>

#include <torch/torch.h>

#include <chrono>
#include <cmath>
#include <map>
#include <thread>

using namespace athanor;
using std::chrono::milliseconds;

namespace {

using Batches = std::vector<std::shared_ptr<DataBatch>>;
using Indices = std::vector<std::int64_t>;

Node synthetic(int samples, const char* kind = "moons")
{
    return node("src", "Synthetic", {{"kind", kind}, {"samples", samples}, {"seed", 3}});
}

Node halves()
{
    return node("split", "Split", {{"train", 0.75}, {"val", 0.25}});
}

Node loader(int batchSize, bool shuffle, bool dropLast = false)
{
    return node("loader", "Loader",
                {{"batch_size", batchSize}, {"shuffle", shuffle}, {"drop_last", dropLast}});
}

std::unique_ptr<DataPipeline> opened(const Project& project, int workers = -1)
{
    Result<std::unique_ptr<DataPipeline>> pipeline = openData(project, workers);
    if (!pipeline)
        throw std::runtime_error(pipeline.error().text());
    return std::move(*pipeline);
}

Batches readAll(DataPipeline& pipeline, DataPart part, std::int64_t epoch, std::int64_t first = 0)
{
    Batches batches;
    const std::unique_ptr<EpochReader> reader = pipeline.read(part, epoch, first);
    while (true) {
        Result<std::shared_ptr<DataBatch>> batch = reader->next({});
        if (!batch)
            throw std::runtime_error(batch.error().text());
        if (!*batch)
            return batches;
        batches.push_back(*batch);
    }
}

Indices samplesOf(const Batches& batches)
{
    Indices all;
    for (const auto& batch : batches)
        all.insert(all.end(), batch->samples.begin(), batch->samples.end());
    return all;
}

bool sameBytes(const torch::Tensor& a, const torch::Tensor& b)
{
    return a.sizes() == b.sizes() && a.dtype() == b.dtype() && a.is_contiguous() && b.is_contiguous() &&
           std::memcmp(a.data_ptr(), b.data_ptr(), a.nbytes()) == 0;
}

bool sameBatches(const Batches& a, const Batches& b)
{
    if (a.size() != b.size())
        return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i]->samples != b[i]->samples || a[i]->fields.size() != b[i]->fields.size())
            return false;
        for (const auto& [name, tensor] : a[i]->fields)
            if (!sameBytes(tensor, b[i]->fields.at(name)))
                return false;
    }
    return true;
}

/// Colour images with everything random on the way: 23 samples of 6×5 pixels.
class RandomImages {
public:
    RandomImages()
    {
        std::string text;
        for (int i = 0; i < 23; ++i)
            for (int column = 0; column < 2; ++column)
                text += std::to_string(i * 10 + column) + (column == 1 ? "\n" : ",");
        const std::filesystem::path folder = m_folder.path().toStdString();
        writeNpy(folder / "x.npy", "|u1", {23, 6, 5, 3}, pixels());
        std::string labels(23 * 8, '\0');
        for (std::size_t i = 0; i < 23; ++i)
            labels[i * 8] = static_cast<char>(i % 4);
        writeNpy(folder / "y.npy", "<i8", {23}, labels);
    }

    [[nodiscard]] Project project(std::uint64_t seed = 1, Json loaderParams = Json::object()) const
    {
        loaderParams.update({{"batch_size", 4}, {"shuffle", true}});
        return dataProject(
            m_folder.path().toStdString(),
            {node("src", "NumpyFile", {{"fields", {{"image", "x.npy"}, {"label", "y.npy"}}}}), halves(),
             node("crop", "RandomCrop", {{"size", {4, 4}}, {"padding", 1}, {"when", "always"}}),
             node("flip", "RandomHorizontalFlip", {{"when", "always"}}), node("tensor", "ToTensor"),
             node("loader", "Loader", loaderParams)},
            {}, seed);
    }

private:
    static std::string pixels()
    {
        std::string bytes;
        for (int i = 0; i < 23 * 6 * 5 * 3; ++i)
            bytes += static_cast<char>(i * 37 % 256);
        return bytes;
    }
    static void writeNpy(const std::filesystem::path& file, const std::string& type, const Indices& shape,
                         const std::string& numbers)
    {
        std::string dims;
        for (const std::int64_t extent : shape)
            dims += std::to_string(extent) + ", ";
        std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + dims + "), }\n";
        writeFile(file, std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' +
                            header + numbers);
    }
    QTemporaryDir m_folder;
};

} // namespace

class TestDataPipeline : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void describesWhatComesOut();
    void readsInOrder();
    void shufflesBySeedAndEpoch();
    void shufflesUniformly();
    void leavesTheDefaultGeneratorAlone();
    void dropsTheLastBatchOfTrainOnly();
    void isTheSameWithAnyNumberOfWorkers_data();
    void isTheSameWithAnyNumberOfWorkers();
    void restartsAtAnyBatch_data();
    void restartsAtAnyBatch();
    void drawsAnewEachEpoch();
    void standardizesByTheTrainingPart();
    void standardizesImagesByChannel();
    void leavesConstantColumnsAndNonFiniteNumbers();
    void normalizesAsPyTorch();
    void joinsParts();
    void numbersClassesOfAllPartsAlike();
    void appliesTransformsWhenTheySay();
    void readsRawPixelsWithoutToTensor();
    void stopsWaitingAtOnce();
    void stopsEarlyWithWorkers();
    void hasNoBatchesInAnEmptyPart();
};

void TestDataPipeline::describesWhatComesOut()
{
    QTemporaryDir folder;
    writeFile(folder.filePath("t.csv").toStdString(), "w,h,kind\n1,2,a\n3,4,b\n5,6,a\n7,8,b\n");
    const auto pipeline = opened(dataProject(
        folder.path().toStdString(),
        {node("src", "CsvTable", {{"path", "t.csv"}, {"target", "kind"}}), halves(), loader(2, true)}));
    const DataDescription& description = pipeline->description();
    QVERIFY(description.fields.known);
    QCOMPARE(description.fields.fields.size(), std::size_t{2});
    QVERIFY((description.fields.fields.at("features") == TensorType{{kBatch, 2}, ElementType::Float, 0}));
    QVERIFY((description.fields.fields.at("label") == TensorType{{kBatch}, ElementType::Index, 2}));
    QCOMPARE(description.samples[0], 3);
    QCOMPARE(description.samples[1], 1);
    QCOMPARE(description.samples[2], 0);
    QCOMPARE(description.classNames.at("label"), (std::vector<std::string>{"a", "b"}));
    QCOMPARE(description.columnNames.at("features"), (std::vector<std::string>{"w", "h"}));
    QCOMPARE(pipeline->batchSize(), 2);
    QCOMPARE(pipeline->batchCount(DataPart::Train), 2);
}

void TestDataPipeline::readsInOrder()
{
    const auto pipeline = opened(dataProject({}, {synthetic(8), halves(), loader(4, false)}));
    for (const DataPart part : {DataPart::Train, DataPart::Val}) {
        const Batches batches = readAll(*pipeline, part, 0);
        const Indices samples = samplesOf(batches);
        QVERIFY(std::is_sorted(samples.begin(), samples.end()));
        QCOMPARE(static_cast<std::int64_t>(samples.size()),
                 pipeline->description().samples[static_cast<int>(part)]);
        QCOMPARE(samplesOf(readAll(*pipeline, part, 5)), samples);
    }
    const auto batch = readAll(*pipeline, DataPart::Train, 0).front();
    QCOMPARE(batch->size(), 4);
    const torch::Tensor& features = batch->fields.at("features");
    QVERIFY(features.sizes() == torch::IntArrayRef({4, 2}));
    QVERIFY(features.dtype() == torch::kFloat32);
    QVERIFY(batch->fields.at("label").sizes() == torch::IntArrayRef({4}));
    QVERIFY(batch->fields.at("label").dtype() == torch::kInt64);
}

void TestDataPipeline::shufflesBySeedAndEpoch()
{
    const auto orderOf = [](std::uint64_t seed, std::int64_t epoch) {
        const auto pipeline = opened(dataProject({}, {synthetic(40), halves(), loader(7, true)}, {}, seed));
        return samplesOf(readAll(*pipeline, DataPart::Train, epoch));
    };
    const Indices first = orderOf(1, 0);
    QCOMPARE(orderOf(1, 0), first);
    QVERIFY(orderOf(1, 1) != first);
    QVERIFY(orderOf(2, 0) != first);
    Indices sorted = first;
    std::sort(sorted.begin(), sorted.end());
    QVERIFY(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end()); // each sample once
    QCOMPARE(sorted.size(), std::size_t{30});
    // The validation part keeps its order.
    const auto pipeline = opened(dataProject({}, {synthetic(40), halves(), loader(7, true)}));
    const Indices val = samplesOf(readAll(*pipeline, DataPart::Val, 3));
    QVERIFY(std::is_sorted(val.begin(), val.end()));
}

void TestDataPipeline::shufflesUniformly()
{
    // All orders of three samples come up about equally often over the epochs.
    const auto pipeline = opened(dataProject({}, {synthetic(3), loader(3, true)}));
    std::map<Indices, int> counts;
    constexpr int kEpochs = 1200;
    for (int epoch = 0; epoch < kEpochs; ++epoch)
        ++counts[samplesOf(readAll(*pipeline, DataPart::Train, epoch))];
    QCOMPARE(counts.size(), std::size_t{6});
    for (const auto& [order, count] : counts)
        QVERIFY(std::abs(count - kEpochs / 6) < 65); // 200 ± 13 (one standard deviation)
}

void TestDataPipeline::leavesTheDefaultGeneratorAlone()
{
    torch::manual_seed(5);
    const torch::Tensor expected = torch::rand({4});
    torch::manual_seed(5);
    const auto pipeline = opened(RandomImages().project(), 2);
    readAll(*pipeline, DataPart::Train, 0);
    QVERIFY(sameBytes(torch::rand({4}), expected));
}

void TestDataPipeline::dropsTheLastBatchOfTrainOnly()
{
    const auto pipeline = opened(dataProject({}, {synthetic(40), halves(), loader(7, true, true)}));
    QCOMPARE(pipeline->batchCount(DataPart::Train), 4); // of 30 samples
    QCOMPARE(pipeline->batchCount(DataPart::Val), 2);   // of 10
    QCOMPARE(readAll(*pipeline, DataPart::Train, 0).size(), std::size_t{4});
    const Batches val = readAll(*pipeline, DataPart::Val, 0);
    QCOMPARE(val.size(), std::size_t{2});
    QCOMPARE(val.back()->size(), 3);
}

void TestDataPipeline::isTheSameWithAnyNumberOfWorkers_data()
{
    QTest::addColumn<int>("workers");
    QTest::addColumn<int>("prefetch");
    QTest::newRow("1") << 1 << 2;
    QTest::newRow("3") << 3 << 2;
    QTest::newRow("3, one ahead") << 3 << 1;
    QTest::newRow("more than batches") << 8 << 4;
}

void TestDataPipeline::isTheSameWithAnyNumberOfWorkers()
{
    QFETCH(int, workers);
    QFETCH(int, prefetch);
    const RandomImages images;
    const auto plain = opened(images.project(), 0);
    const auto pipeline =
        opened(images.project(1, {{"num_workers", workers}, {"prefetch_factor", prefetch}}));
    for (std::int64_t epoch = 0; epoch < 20; ++epoch)
        for (const DataPart part : {DataPart::Train, DataPart::Val})
            QVERIFY(sameBatches(readAll(*plain, part, epoch), readAll(*pipeline, part, epoch)));
}

void TestDataPipeline::restartsAtAnyBatch_data()
{
    QTest::addColumn<int>("workers");
    QTest::newRow("inline") << 0;
    QTest::newRow("3 workers") << 3;
}

void TestDataPipeline::restartsAtAnyBatch()
{
    QFETCH(int, workers);
    const auto pipeline = opened(RandomImages().project(), workers);
    const Batches all = readAll(*pipeline, DataPart::Train, 2);
    QCOMPARE(all.size(), std::size_t{5});
    for (std::size_t first = 0; first <= all.size(); ++first) {
        const Batches tail(all.begin() + static_cast<std::ptrdiff_t>(first), all.end());
        QVERIFY(sameBatches(readAll(*pipeline, DataPart::Train, 2, static_cast<std::int64_t>(first)), tail));
    }
}

void TestDataPipeline::drawsAnewEachEpoch()
{
    // The same samples, in the same order, cut and mirrored in another way.
    const auto pipeline = opened(RandomImages().project());
    const Batches first = readAll(*pipeline, DataPart::Val, 0);
    const Batches second = readAll(*pipeline, DataPart::Val, 1);
    QCOMPARE(samplesOf(first), samplesOf(second));
    QVERIFY(!sameBytes(first[0]->fields.at("image"), second[0]->fields.at("image")));
    const auto otherSeed = opened(RandomImages().project(2));
    QVERIFY(!sameBytes(first[0]->fields.at("image"),
                       readAll(*otherSeed, DataPart::Val, 0)[0]->fields.at("image")));
}

/// Two tables: training 1, 2, 3, 6 (mean 3, population standard deviation √3.5), validation far from it.
class TwoTables {
public:
    explicit TwoTables(const std::string& train = "1,0\n2,1\n3,0\n6,1\n",
                       const std::string& val = "1003,1\n-997,0\n")
    {
        writeFile(folder() / "train.csv", train);
        writeFile(folder() / "val.csv", val);
    }
    [[nodiscard]] std::filesystem::path folder() const { return m_folder.path().toStdString(); }
    [[nodiscard]] Project project(const std::vector<Node>& between, Json params = {{"target", -1}}) const
    {
        params["path"] = "train.csv";
        std::vector<Node> nodes = {node("trainset", "CsvTable", params)};
        params["path"] = "val.csv";
        nodes.push_back(node("valset", "CsvTable", params));
        nodes.push_back(node("parts", "Parts"));
        std::vector<std::string> edges = {"trainset -> parts:train", "valset -> parts:val"};
        std::string last = "parts";
        for (const Node& step : between) {
            edges.push_back(last + " -> " + step.id);
            nodes.push_back(step);
            last = step.id;
        }
        nodes.push_back(loader(10, false));
        edges.push_back(last + " -> loader");
        return dataProject(folder(), nodes, edges);
    }

private:
    QTemporaryDir m_folder;
};

void TestDataPipeline::standardizesByTheTrainingPart()
{
    const TwoTables tables;
    const auto pipeline = opened(tables.project({node("scale", "Standardize")}));
    const auto std = static_cast<float>(std::sqrt(3.5));
    const torch::Tensor train = readAll(*pipeline, DataPart::Train, 0)[0]->fields.at("features");
    QVERIFY(sameBytes(train, (torch::tensor({1.0F, 2.0F, 3.0F, 6.0F}).view({4, 1}) - 3.0F) / std));
    // Values of the validation part have no influence: they are scaled by the training part's numbers.
    const torch::Tensor val = readAll(*pipeline, DataPart::Val, 0)[0]->fields.at("features");
    QVERIFY(sameBytes(val, (torch::tensor({1003.0F, -997.0F}).view({2, 1}) - 3.0F) / std));
    // And with a Split: other validation samples, same result for the training samples.
    const auto trained = [](const std::string& outlier) {
        QTemporaryDir folder;
        std::string text;
        for (int i = 0; i < 8; ++i)
            text += std::to_string(i * i) + "," + std::to_string(i % 2) + "\n";
        const std::filesystem::path path = folder.path().toStdString();
        const Node table = node("src", "CsvTable", {{"path", "t.csv"}, {"target", 1}});
        writeFile(path / "t.csv", text);
        const auto plain = opened(dataProject(path, {table, halves(), loader(8, false)}));
        const Indices held = samplesOf(readAll(*plain, DataPart::Val, 0));
        QStringList lines = QString::fromStdString(text).split('\n');
        lines[static_cast<qsizetype>(held[0])] = QString::fromStdString(outlier + ",1");
        writeFile(path / "t.csv", lines.join('\n').toStdString());
        const auto scaled =
            opened(dataProject(path, {table, halves(), node("scale", "Standardize"), loader(8, false)}));
        return readAll(*scaled, DataPart::Train, 0)[0]->fields.at("features");
    };
    QVERIFY(sameBytes(trained("1"), trained("1e30")));
}

void TestDataPipeline::standardizesImagesByChannel()
{
    const RandomImages images;
    Project project = images.project();
    const std::vector<Node> nodes = project.data.nodes();
    const auto plain =
        opened(dataProject(project.folder(), {nodes[0], nodes[1], nodes[4], loader(100, false)}));
    const auto scaled = opened(dataProject(
        project.folder(), {nodes[0], nodes[1], nodes[4], node("scale", "Standardize"), loader(100, false)}));
    const torch::Tensor x = readAll(*plain, DataPart::Train, 0)[0]->fields.at("image").to(torch::kFloat64);
    const torch::Tensor mean = x.mean(torch::IntArrayRef{0, 2, 3}, true);
    const torch::Tensor std = x.std(torch::IntArrayRef{0, 2, 3}, /*unbiased=*/false, /*keepdim=*/true);
    const torch::Tensor expected = ((x - mean) / std).to(torch::kFloat32);
    QVERIFY(
        torch::allclose(readAll(*scaled, DataPart::Train, 0)[0]->fields.at("image"), expected, 1e-5, 1e-6));
}

void TestDataPipeline::leavesConstantColumnsAndNonFiniteNumbers()
{
    const TwoTables tables("7,1,0\n7,nan,1\n7,3,0\n7,inf,1\n", "9,5,0\n");
    const auto pipeline = opened(tables.project({node("scale", "Standardize")}));
    const torch::Tensor train = readAll(*pipeline, DataPart::Train, 0)[0]->fields.at("features");
    QVERIFY((train.select(1, 0) == 0).all().item<bool>());
    const float* second = train.data_ptr<float>() + 1; // mean 2, deviation 1 of what is finite
    QCOMPARE(second[0], -1.0F);
    QVERIFY(std::isnan(second[2]));
    QCOMPARE(second[4], 1.0F);
    QVERIFY(std::isinf(second[6]));
    const torch::Tensor val = readAll(*pipeline, DataPart::Val, 0)[0]->fields.at("features");
    QVERIFY(sameBytes(val, torch::tensor({2.0F, 3.0F}).view({1, 2})));
}

void TestDataPipeline::normalizesAsPyTorch()
{
    // Every byte through ToTensor and Normalize, against the same operations of LibTorch: bit for bit.
    const RandomImages images;
    Project project = images.project();
    const std::vector<Node> nodes = project.data.nodes();
    const std::vector<double> mean = {0.485, 0.456, 0.406};
    const std::vector<double> std = {0.229, 0.224, 0.225};
    const auto raw = opened(dataProject(project.folder(), {nodes[0], loader(100, false)}));
    const auto normal = opened(dataProject(
        project.folder(), {nodes[0], node("tensor", "ToTensor"),
                           node("norm", "Normalize", {{"mean", mean}, {"std", std}}), loader(100, false)}));
    const torch::Tensor bytes = readAll(*raw, DataPart::Train, 0)[0]->fields.at("image").to(torch::kUInt8);
    const torch::Tensor m = torch::tensor(mean, torch::kFloat32).view({3, 1, 1});
    const torch::Tensor s = torch::tensor(std, torch::kFloat32).view({3, 1, 1});
    const torch::Tensor expected = bytes.to(torch::kFloat32).div(255).sub(m).div(s);
    QVERIFY(sameBytes(readAll(*normal, DataPart::Train, 0)[0]->fields.at("image"), expected));
}

void TestDataPipeline::joinsParts()
{
    const TwoTables tables;
    const auto pipeline = opened(tables.project({}));
    QCOMPARE(pipeline->description().samples[0], 4);
    QCOMPARE(pipeline->description().samples[1], 2);
    QCOMPARE(samplesOf(readAll(*pipeline, DataPart::Val, 0)), (Indices{0, 1}));
    const torch::Tensor val = readAll(*pipeline, DataPart::Val, 0)[0]->fields.at("features");
    QVERIFY(sameBytes(val, torch::tensor({1003.0F, -997.0F}).view({2, 1})));
}

void TestDataPipeline::numbersClassesOfAllPartsAlike()
{
    const TwoTables tables("1,cat\n2,dog\n3,cat\n", "4,dog\n5,ant\n");
    const auto pipeline = opened(tables.project({}));
    QCOMPARE(pipeline->description().classNames.at("label"), (std::vector<std::string>{"ant", "cat", "dog"}));
    QCOMPARE(pipeline->description().fields.fields.at("label").classes, 3);
    const auto labels = [&](DataPart part) { return readAll(*pipeline, part, 0)[0]->fields.at("label"); };
    QVERIFY(sameBytes(labels(DataPart::Train), torch::tensor({1, 2, 1}, torch::kInt64)));
    QVERIFY(sameBytes(labels(DataPart::Val), torch::tensor({2, 0}, torch::kInt64)));
    // A class that only one part has.
    const TwoTables numbers("1,0\n2,2\n3,1\n", "4,2\n");
    const auto second = opened(numbers.project({}));
    QVERIFY(sameBytes(readAll(*second, DataPart::Val, 0)[0]->fields.at("label"),
                      torch::tensor({2}, torch::kInt64)));
}

void TestDataPipeline::appliesTransformsWhenTheySay()
{
    const TwoTables tables;
    const auto scaled = [&](const char* when) {
        return node(std::string("for_") + when, "Normalize", {{"mean", {1}}, {"std", {2}}, {"when", when}});
    };
    const auto first = [](DataPipeline& pipeline, DataPart part) {
        return readAll(pipeline, part, 0)[0]->fields.at("features")[0].item<float>();
    };
    const auto train = opened(tables.project({scaled("train")}));
    QCOMPARE(first(*train, DataPart::Train), 0.0F);
    QCOMPARE(first(*train, DataPart::Val), 1003.0F);
    const auto eval = opened(tables.project({scaled("eval")}));
    QCOMPARE(first(*eval, DataPart::Train), 1.0F);
    QCOMPARE(first(*eval, DataPart::Val), 501.0F);
}

void TestDataPipeline::readsRawPixelsWithoutToTensor()
{
    const RandomImages images;
    const std::vector<Node> nodes = images.project().data.nodes();
    const auto pipeline = opened(dataProject(images.project().folder(), {nodes[0], loader(1, false)}));
    const torch::Tensor image = readAll(*pipeline, DataPart::Train, 0)[1]->fields.at("image");
    QVERIFY(image.sizes() == torch::IntArrayRef({1, 3, 6, 5}));
    QVERIFY(image.dtype() == torch::kFloat32);
    // Number (sample 1, row 2, column 3, channel 1) of the file.
    QCOMPARE(image[0][1][2][3].item<float>(), static_cast<float>((((1 * 6 + 2) * 5 + 3) * 3 + 1) * 37 % 256));
}

void TestDataPipeline::stopsWaitingAtOnce()
{
    std::stop_source source;
    source.request_stop();
    for (const int workers : {0, 2}) {
        const auto pipeline = opened(dataProject({}, {synthetic(100000), loader(100000, true)}), workers);
        const auto reader = pipeline->read(DataPart::Train, 0);
        const Result<std::shared_ptr<DataBatch>> batch = reader->next(source.get_token());
        QVERIFY(!batch.ok());
        QCOMPARE(batch.error().code, ErrorCode::Cancelled);
        QVERIFY(reader->next({}).ok()); // and it can go on
    }
}

void TestDataPipeline::stopsEarlyWithWorkers()
{
    const auto pipeline = opened(dataProject({}, {synthetic(200000), loader(64, true)}), 3);
    for (int i = 0; i < 20; ++i) {
        const auto reader = pipeline->read(DataPart::Train, i);
        QVERIFY(reader->next({}).ok());
        // The reader goes while its workers are at work: it joins them, and no batch is lost or leaked.
    }
    std::stop_source source;
    const auto reader = pipeline->read(DataPart::Train, 0);
    std::jthread stopper([&] {
        std::this_thread::sleep_for(milliseconds(20));
        source.request_stop();
    });
    Result<std::shared_ptr<DataBatch>> batch = reader->next(source.get_token());
    while (batch && *batch)
        batch = reader->next(source.get_token());
    QVERIFY(batch.ok() ? *batch == nullptr : batch.error().code == ErrorCode::Cancelled);
}

void TestDataPipeline::hasNoBatchesInAnEmptyPart()
{
    const auto pipeline = opened(dataProject({}, {synthetic(8), loader(4, false)}), 2);
    QCOMPARE(pipeline->batchCount(DataPart::Val), 0);
    QVERIFY(readAll(*pipeline, DataPart::Val, 0).empty());
    QVERIFY(readAll(*pipeline, DataPart::Train, 0, 99).empty());
}

QTEST_APPLESS_MAIN(TestDataPipeline)
#include "tst_data_pipeline.moc"
