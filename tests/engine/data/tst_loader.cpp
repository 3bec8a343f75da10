// The Loader: samplers, padding, errors, cache, mixing, and that no number of workers changes a bit.
#include "data_test.h"

#include "engine/data/batch.h"
#include "engine/data/batch_transforms.h"
#include "engine/data/sample_order.h"
#include "engine/data/throughput.h"

#include <QTemporaryDir>
#include <QtTest>

#include <torch/torch.h>

#include <map>
#include <set>

using namespace athanor;

namespace {

using Batches = std::vector<std::shared_ptr<DataBatch>>;

std::unique_ptr<DataPipeline> opened(const Project& project, int workers = 0)
{
    Result<std::unique_ptr<DataPipeline>> pipeline = openData(project, workers);
    if (!pipeline)
        throw std::runtime_error(pipeline.error().text());
    return std::move(*pipeline);
}

Result<Batches> readAll(DataPipeline& pipeline, std::int64_t epoch, std::int64_t first = 0,
                        DataPart part = DataPart::Train)
{
    Batches batches;
    const auto reader = pipeline.read(part, epoch, first);
    while (true) {
        Result<std::shared_ptr<DataBatch>> batch = reader->next({});
        if (!batch)
            return batch.error();
        if (!*batch)
            return batches;
        batches.push_back(*batch);
    }
}

bool same(const Batches& a, const Batches& b)
{
    if (a.size() != b.size())
        return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i]->samples != b[i]->samples || a[i]->fields.size() != b[i]->fields.size())
            return false;
        for (const auto& [name, tensor] : a[i]->fields)
            if (!torch::equal(tensor, b[i]->fields.at(name)))
                return false;
    }
    return true;
}

/// A BMP of 8 × 8 random pixels, 24 bits each.
std::string noisePicture(SampleRandom& random)
{
    constexpr int kBytes = 8 * 8 * 3;
    const auto little = [](std::uint32_t number, int bytes) {
        std::string text;
        for (int i = 0; i < bytes; ++i)
            text.push_back(static_cast<char>((number >> (8 * i)) & 255U));
        return text;
    };
    std::string text = "BM" + little(54 + kBytes, 4) + little(0, 4) + little(54, 4);
    text += little(40, 4) + little(8, 4) + little(8, 4) + little(1, 2) + little(24, 2) + std::string(24, '\0');
    for (int k = 0; k < kBytes; ++k)
        text.push_back(static_cast<char>(random.below(256)));
    return text;
}

/// `counts[c]` pictures of class c.
void writePictures(const std::filesystem::path& folder, const std::vector<int>& counts)
{
    SampleRandom random({5});
    for (std::size_t label = 0; label < counts.size(); ++label)
        for (int i = 0; i < counts[label]; ++i) {
            std::string name = "class";
            name += std::to_string(label);
            std::string file = std::to_string(i);
            file += ".bmp";
            writeFile(folder / name / file, noisePicture(random));
        }
}

class TestLoader : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_dir;
    std::filesystem::path folder() const { return m_dir.path().toStdString(); }

    Project pictures(Json loader, std::vector<Node> before = {})
    {
        std::vector<Node> nodes{node("src", "ImageFolder", {{"path", "pictures"}}),
                                node("split", "Split", {{"train", 0.75}, {"val", 0.25}, {"stratify", true}}),
                                node("crop", "RandomCrop", {{"size", 8}, {"padding", 2}, {"when", "train"}}),
                                node("flip", "RandomHorizontalFlip", {{"when", "train"}}),
                                node("scale", "ToTensor")};
        for (Node& one : before)
            nodes.push_back(std::move(one));
        nodes.push_back(node("loader", "Loader", std::move(loader)));
        return dataProject(folder(), std::move(nodes));
    }

private Q_SLOTS:
    void initTestCase() { writePictures(folder() / "pictures", {40, 12, 8}); }

    void workersAndResumingChangeNothing_data()
    {
        QTest::addColumn<bool>("mixed");
        QTest::addColumn<QString>("cache");
        QTest::newRow("augmented, class-balanced") << false << "none";
        QTest::newRow("cached") << false << "memory";
        QTest::newRow("cached on disk") << false << "disk";
        QTest::newRow("with Mixup and CutMix") << true << "none";
    }

    void workersAndResumingChangeNothing()
    {
        QFETCH(bool, mixed);
        QFETCH(QString, cache);
        const std::vector<Node> steps =
            mixed ? std::vector<Node>{node("mix", "Mixup"), node("cut", "CutMix")} : std::vector<Node>{};
        const Project project = pictures(
            {{"batch_size", 7}, {"sampler", "class_balanced"}, {"cache", cache.toStdString()}}, steps);
        const auto reference = opened(pictures({{"batch_size", 7}, {"sampler", "class_balanced"}}, steps), 0);
        for (const int workers : {0, 1, 2, 4}) {
            const auto pipeline = opened(project, workers);
            for (const std::int64_t epoch : {0, 1}) {
                const Result<Batches> expected = readAll(*reference, epoch);
                const Result<Batches> batches = readAll(*pipeline, epoch);
                VERIFY_OK(batches);
                QVERIFY(same(*batches, *expected));
                const Result<Batches> tail = readAll(*pipeline, epoch, 3);
                VERIFY_OK(tail);
                QVERIFY(same(*tail, Batches(expected->begin() + 3, expected->end())));
            }
        }
        QVERIFY(!same(*readAll(*reference, 0), *readAll(*reference, 1)));
    }

    /// Workers that stay, and begin with the next pass while nobody asks for it, change nothing of what is read.
    void workersThatStay()
    {
        const Json settings{{"batch_size", 7}, {"shuffle", true}, {"persistent_workers", true}, {"prefetch_factor", 3}};
        const auto reference = opened(pictures({{"batch_size", 7}, {"shuffle", true}}), 0);
        const auto pipeline = opened(pictures(settings), 2);
        for (const std::int64_t epoch : {0, 1, 2, 1, 7}) { // in turn, and not
            const Result<Batches> batches = readAll(*pipeline, epoch);
            VERIFY_OK(batches);
            QVERIFY(same(*batches, *readAll(*reference, epoch)));
            const Result<Batches> validation = readAll(*pipeline, epoch, 0, DataPart::Val);
            VERIFY_OK(validation);
            QVERIFY(same(*validation, *readAll(*reference, epoch, 0, DataPart::Val)));
        }
        const Result<Batches> tail = readAll(*pipeline, 8, 3);
        VERIFY_OK(tail);
        QCOMPARE(tail->size(), static_cast<std::size_t>(reference->batchCount(DataPart::Train)) - 3);
    }

    void cachesOnDisk()
    {
        const auto pipeline = opened(pictures({{"batch_size", 50}, {"cache", "disk"}}));
        QVERIFY(readAll(*pipeline, 0).ok());
        QCOMPARE(pipeline->throughput().cached, 0);
        QVERIFY(readAll(*pipeline, 1).ok());
        QCOMPARE(pipeline->throughput().cached, 45);
        // Room for a few pictures (8 × 8 × 3 bytes and a label of 8 each) only.
        const auto small = opened(pictures({{"batch_size", 50}, {"cache", "disk"}, {"cache_limit", 1e-6}}));
        const auto first = readAll(*small, 0);
        VERIFY_OK(first);
        const auto second = readAll(*small, 0);
        VERIFY_OK(second);
        QVERIFY(same(*first, *second));
        QCOMPARE(small->throughput().cached, 5); // 1000 / 200
        const QByteArray before = qgetenv("TMPDIR");
        qputenv("TMPDIR", "/nowhere/at/all");
        COMPARE_ERROR(openData(pictures({{"batch_size", 50}, {"cache", "disk"}})), "data/loader/cache", "temporary file");
        before.isNull() ? qunsetenv("TMPDIR") : qputenv("TMPDIR", before);
    }

    void balancesClasses()
    {
        const auto pipeline = opened(
            pictures({{"batch_size", 50}, {"sampler", "class_balanced"}, {"num_samples", 6000}, {"cache", "memory"}}));
        QCOMPARE(pipeline->batchCount(DataPart::Train), 120);
        std::map<std::int64_t, int> counts;
        const Result<Batches> batches = readAll(*pipeline, 0);
        VERIFY_OK(batches);
        for (const auto& batch : *batches) {
            const torch::Tensor label = batch->fields.at("label");
            for (std::int64_t i = 0; i < batch->size(); ++i)
                ++counts[label[i].item<std::int64_t>()];
        }
        // 2000 of each, standard deviation 36.5.
        for (const auto& [label, count] : counts)
            QVERIFY2(std::abs(count - 2000) < 6 * 37, qPrintable(QString::number(count)));
        QCOMPARE(counts.size(), std::size_t{3});
        QVERIFY(pipeline->throughput().cached >= 6000 - 45);
    }

    void repeatedSamplesAreTransformedAnew()
    {
        const auto pipeline =
            opened(pictures({{"batch_size", 400}, {"sampler", "class_balanced"}, {"num_samples", 400}}));
        const Result<Batches> batches = readAll(*pipeline, 0);
        VERIFY_OK(batches);
        const auto& samples = (*batches)[0]->samples;
        const torch::Tensor image = (*batches)[0]->fields.at("image");
        int different = 0;
        int again = 0;
        std::map<std::int64_t, std::int64_t> firstRow;
        for (std::int64_t row = 0; row < 400; ++row) {
            const auto [first, isNew] = firstRow.emplace(samples[static_cast<std::size_t>(row)], row);
            again += isNew ? 0 : 1;
            different += torch::equal(image[row], image[first->second]) ? 0 : 1;
        }
        QVERIFY(again >= 400 - 45);
        QVERIFY(different > again * 9 / 10); // a crop and a flip of 50 possible ones are seldom alike
    }

    void drawsWithoutReplacement()
    {
        const auto drawn = weightedPositions({1, 0, 2, 3}, 3, false, 1, 0);
        QCOMPARE(std::set<std::int64_t>(drawn.begin(), drawn.end()), (std::set<std::int64_t>{0, 2, 3}));
        COMPARE_ERROR(openData(pictures({{"batch_size", 4}, {"sampler", "class_balanced"}, {"replacement", false},
                                         {"num_samples", 46}})),
                      "data/loader/num_samples", "only 45");
        COMPARE_ERROR(openData(pictures({{"batch_size", 4}, {"sampler", "weighted"}, {"weights", Json::array({1, 2})}})),
                      "data/loader/weights", "3 classes");
    }

    void skipsWhatCannotBeRead()
    {
        QTemporaryDir other;
        const std::filesystem::path there = other.path().toStdString();
        writePictures(there / "pictures", {6, 6});
        writeFile(there / "pictures" / "class1" / "3.bmp", "BM that is none");
        const auto project = [&](Json loader) {
            return dataProject(there, {node("src", "ImageFolder", {{"path", "pictures"}}), node("scale", "ToTensor"),
                                       node("loader", "Loader", std::move(loader))});
        };
        QVERIFY(!readAll(*opened(project({{"batch_size", 4}})), 0).ok());
        QVERIFY(!readAll(*opened(project({{"batch_size", 4}, {"on_error", "skip"}, {"max_errors", 0}})), 0).ok());
        for (const int workers : {0, 3}) {
            const auto pipeline = opened(project({{"batch_size", 4}, {"on_error", "skip"}}), workers);
            const Result<Batches> batches = readAll(*pipeline, 0);
            VERIFY_OK(batches);
            QCOMPARE(batches->size(), std::size_t{3});
            QCOMPARE((*batches)[0]->samples, (std::vector<std::int64_t>{0, 1, 2, 3}));
            QCOMPARE((*batches)[2]->samples, (std::vector<std::int64_t>{8, 10, 11})); // 9 is the bad one
            QCOMPARE((*batches)[2]->fields.at("image").size(0), 3);
            QCOMPARE(pipeline->throughput().skipped, 1);
        }
    }

    void mixesAsTorchvision()
    {
        // cutBox: torchvision's RandomCutmix with lambda 0.36, r = 0.5 · √0.64 = 0.4, on 10 wide and 20 high.
        const CutBox box = cutBox(0.36, 2, 19, 10, 20);
        QCOMPARE(box.left, 0);
        QCOMPARE(box.right, 6);
        QCOMPARE(box.top, 11);
        QCOMPARE(box.bottom, 20);

        const BatchTransformPtr mixup = makeBatchTransform("Mixup", {{"p", 1.0}, {"alpha", 1.0}});
        DataBatch batch;
        const torch::Tensor x = torch::arange(12, torch::kFloat32).view({3, 4});
        batch.fields["features"] = x.clone();
        batch.fields["label"] = torch::tensor({0, 2, 1}, torch::kInt64);
        batch.samples = {0, 1, 2};
        VERIFY_OK(labelsToProbabilities(batch, 3));
        const torch::Tensor onehot = batch.fields["label"].clone();
        QVERIFY(torch::equal(onehot, torch::one_hot(torch::tensor({0, 2, 1}, torch::kInt64), 3).to(torch::kFloat32)));
        SampleRandom random({1, 2});
        mixup->apply(batch, random);
        SampleRandom again({1, 2});
        again.uniform();
        const double lambda = drawBeta(1.0, again);
        QVERIFY(torch::allclose(batch.fields["features"], x * lambda + x.roll(1, 0) * (1 - lambda)));
        QVERIFY(torch::allclose(batch.fields["label"], onehot * lambda + onehot.roll(1, 0) * (1 - lambda)));
    }

    void drawsBeta()
    {
        // Mean 1/2 and variance 1 / (4 (2a + 1)).
        for (const double a : {0.2, 1.0, 4.0}) {
            SampleRandom random({7});
            double sum = 0;
            double squares = 0;
            constexpr int kDraws = 40000;
            for (int i = 0; i < kDraws; ++i) {
                const double x = drawBeta(a, random) - 0.5;
                sum += x;
                squares += x * x;
            }
            QVERIFY(std::abs(sum / kDraws) < 0.012);
            QVERIFY(std::abs(squares / kDraws * 4 * (2 * a + 1) - 1) < 0.04);
        }
    }

    void bucketsKeepEverySampleAndTheLastBatch()
    {
        std::vector<std::int64_t> order;
        std::vector<std::int64_t> lengths;
        for (std::int64_t i = 0; i < 23; ++i) {
            order.push_back(i);
            lengths.push_back((i * 7) % 23);
        }
        bucketByLength(order, lengths, 4, 3, 1, 0);
        auto sorted = order;
        std::sort(sorted.begin(), sorted.end());
        for (std::int64_t i = 0; i < 23; ++i)
            QCOMPARE(sorted[static_cast<std::size_t>(i)], i);
        // The batches of the first pool of 12 hold neighbours in length.
        for (std::size_t batch = 0; batch < 3; ++batch) {
            std::vector<std::int64_t> pool(lengths.begin(), lengths.begin() + 12);
            std::sort(pool.begin(), pool.end());
            std::vector<std::int64_t> mine;
            for (std::size_t i = 0; i < 4; ++i)
                mine.push_back(lengths[static_cast<std::size_t>(order[batch * 4 + i])]);
            const auto at = std::find(pool.begin(), pool.end(), mine.front());
            QVERIFY(std::equal(mine.begin(), mine.end(), at));
        }
    }

    void padsWithAMask()
    {
        QTemporaryDir other;
        const std::filesystem::path there = other.path().toStdString();
        writeFile(there / "texts" / "a" / "1.txt", "x x x x y");
        writeFile(there / "texts" / "a" / "2.txt", "x y");
        writeFile(there / "texts" / "b" / "3.txt", "x x x");
        const Project project = dataProject(
            there, {node("src", "TextFolder", {{"path", "texts"}}), node("split", "Split", {{"train", 1}, {"val", 0}}),
                    node("words", "Tokenize"), node("loader", "Loader", {{"batch_size", 3}})});
        const auto pipeline = opened(project);
        const FieldTypes& types = pipeline->description().fields;
        QCOMPARE(types.fields.at("mask").dims, (std::vector<Extent>{kBatch, kUnknown}));
        QCOMPARE(types.fields.at("tokens").dims, (std::vector<Extent>{kBatch, kUnknown}));
        const Result<Batches> batches = readAll(*pipeline, 0);
        VERIFY_OK(batches);
        const auto& fields = (*batches)[0]->fields;
        // x is more frequent than y: 2 and 3; 0 is padding.
        QVERIFY(torch::equal(fields.at("tokens"), torch::tensor({{2, 2, 2, 2, 3}, {2, 3, 0, 0, 0}, {2, 2, 2, 0, 0}},
                                                                torch::kInt64)));
        QVERIFY(torch::equal(fields.at("mask"),
                             torch::tensor({{1, 1, 1, 1, 1}, {1, 1, 0, 0, 0}, {1, 1, 1, 0, 0}}, torch::kFloat32)));
    }

    void judgesThroughput()
    {
        Throughput seen;
        seen.nodes = {{"src", 100, 2.0}, {"crop", 100, 0.5}};
        QCOMPARE(judgeThroughput(seen, 4).bound, Bound::Unknown);
        seen.batches = 100;
        seen.elapsedSeconds = 10;
        seen.waitSeconds = 6;
        seen.workSeconds = 8; // two workers would do it in the 4 s that the training computes
        const Verdict data = judgeThroughput(seen, 4);
        QCOMPARE(data.bound, Bound::Data);
        QCOMPARE(data.slowest, std::string("src"));
        QVERIFY(data.text.find("60 %") != std::string::npos);
        QCOMPARE(data.advice.front(), std::string("Raise num_workers of the Loader from 0 to 2."));
        seen.waitSeconds = 0.5;
        QCOMPARE(judgeThroughput(seen, 4).bound, Bound::Compute);
    }
};

} // namespace

QTEST_GUILESS_MAIN(TestLoader)
#include "tst_loader.moc"
