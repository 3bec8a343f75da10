// TorchScript in the data graph: Lambda and Collate. What comes out is known by hand or from LibTorch's own functions.
#include "data_test.h"

#include "engine/data/batch.h"

#include <QTemporaryDir>
#include <QtTest>

#include <torch/torch.h>

using namespace athanor;

namespace {

using Batches = std::vector<std::shared_ptr<DataBatch>>;

std::unique_ptr<DataPipeline> opened(const Project& project, int workers = 0)
{
    auto pipeline = openData(project, workers);
    if (!pipeline)
        throw std::runtime_error(pipeline.error().text());
    return std::move(*pipeline);
}

Batches readAll(DataPipeline& pipeline, std::int64_t epoch, DataPart part = DataPart::Train)
{
    Batches batches;
    const auto reader = pipeline.read(part, epoch);
    while (true) {
        auto batch = reader->next({});
        if (!batch)
            throw std::runtime_error(batch.error().text());
        if (!*batch)
            return batches;
        batches.push_back(*batch);
    }
}

bool same(const Batches& a, const Batches& b)
{
    if (a.size() != b.size())
        return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        for (const auto& [name, tensor] : a[i]->fields)
            if (!torch::equal(tensor, b[i]->fields.at(name)))
                return false;
    return true;
}

std::string source(const char* arguments, const char* result, const char* body)
{
    return std::string("def forward(self, ") + arguments + ") -> " + result + ":\n" + body;
}

std::string step(const char* expression)
{
    return source("x: Tensor", "Tensor", ("    return " + std::string(expression) + "\n").c_str());
}

class TestDataPrograms : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_dir;
    std::filesystem::path folder() const { return m_dir.path().toStdString(); }

    /// Rows (i, 2 i, −i) with the class i % 3 for i = 0 … 11.
    Project table(std::vector<Node> steps, Json loader = {{"batch_size", 4}})
    {
        std::vector<Node> nodes{node("src", "CsvTable", {{"path", "rows.csv"}, {"target", "kind"}, {"task", "classification"}}),
                                node("split", "Split", {{"train", 1}, {"val", 0}})};
        for (Node& one : steps)
            nodes.push_back(std::move(one));
        nodes.push_back(node("loader", "Loader", std::move(loader)));
        return dataProject(folder(), std::move(nodes));
    }
    Project texts(std::vector<Node> steps, Json loader)
    {
        std::vector<Node> nodes{node("src", "TextFolder", {{"path", "texts"}}), node("split", "Split", {{"train", 1}, {"val", 0}}),
                                node("words", "Tokenize")};
        for (Node& one : steps)
            nodes.push_back(std::move(one));
        nodes.push_back(node("loader", "Loader", std::move(loader)));
        return dataProject(folder(), std::move(nodes));
    }

private Q_SLOTS:
    void initTestCase()
    {
        std::string rows = "a,b,c,kind\n";
        for (int i = 0; i < 12; ++i)
            rows += QStringLiteral("%1,%2,%3,k%4\n").arg(i).arg(2 * i).arg(-i).arg(i % 3).toStdString();
        writeFile(folder() / "rows.csv", rows);
        writeFile(folder() / "texts" / "a" / "1.txt", "x x x x y");
        writeFile(folder() / "texts" / "a" / "2.txt", "x y");
        writeFile(folder() / "texts" / "b" / "3.txt", "x x x");
    }

    void lambdaComputes()
    {
        const auto pipeline = opened(table({node("two", "Lambda", {{"source", step("torch.stack([x[0] + x[1], x[2] * x[2]])")}})}));
        QCOMPARE(pipeline->description().fields.fields.at("features").dims, (std::vector<Extent>{kBatch, 2}));
        const Batches batches = readAll(*pipeline, 0);
        for (const auto& batch : batches)
            for (std::int64_t row = 0; row < batch->size(); ++row) {
                const auto i = static_cast<float>(batch->samples[static_cast<std::size_t>(row)]);
                QCOMPARE(batch->fields.at("features")[row][0].item<float>(), 3 * i);
                QCOMPARE(batch->fields.at("features")[row][1].item<float>(), i * i);
            }
    }

    void lambdaSeesPicturesAsBytesAndAsFloats()
    {
        // A BMP of 2 × 1 pixels: blue 10, green 20, red 30, then 40, 50, 60.
        std::string bmp("BM\x3e\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x02\0\0\0\x01\0\0\0\x01\0\x18\0\0\0\0\0\x08\0\0\0", 38);
        bmp += std::string(16, '\0') + "\x0a\x14\x1e\x28\x32\x3c" + std::string(2, '\0');
        for (const char* name : {"p/a/1.bmp", "p/b/2.bmp"})
            writeFile(folder() / name, bmp);
        const auto project = [&](std::vector<Node> steps) {
            std::vector<Node> nodes{node("src", "ImageFolder", {{"path", "p"}})};
            for (Node& one : steps)
                nodes.push_back(std::move(one));
            nodes.push_back(node("loader", "Loader", {{"batch_size", 2}}));
            return dataProject(folder(), std::move(nodes));
        };
        // Bytes, height × width × channels: the first pixel's red is 30.
        auto batch = readAll(*opened(project({node("half", "Lambda", {{"source", step("x[:, :1] // 2")}}), node("scale", "ToTensor")})), 0)[0];
        QVERIFY(torch::allclose(batch->fields.at("image")[0], torch::tensor({15.0F, 10.0F, 5.0F}).view({3, 1, 1}) / 255.0));
        // Floats, channels × height × width.
        batch = readAll(*opened(project({node("scale", "ToTensor"), node("mean", "Lambda", {{"source", step("x.mean(0, keepdim=True)")}})})), 0)[0];
        QVERIFY(torch::allclose(batch->fields.at("image")[0], torch::tensor({20.0F, 50.0F}).view({1, 1, 2}) / 255.0));
    }

    void lambdaOfLabels()
    {
        const auto pipeline = opened(table({node("odd", "Lambda", {{"source", step("x % 2")}, {"on", "label"}})}));
        QCOMPARE(pipeline->description().fields.fields.at("label").classes, std::int64_t{2});
        for (const auto& batch : readAll(*pipeline, 0))
            for (std::int64_t row = 0; row < batch->size(); ++row)
                QCOMPARE(batch->fields.at("label")[row].item<std::int64_t>(),
                         batch->samples[static_cast<std::size_t>(row)] % 3 % 2);
        COMPARE_ERROR(openData(table({node("odd", "Lambda", {{"source", step("x - 1")}, {"on", "label"}})})), "data/odd/source",
                      "class -1");
    }

    /// The numbers depend on seed, epoch and sample, whoever reads it and however often.
    void randomNumbersAreTheSamplesOwn()
    {
        const std::vector<Node> steps{node("noise", "Lambda", {{"source", step("x + torch.randn_like(x) + torch.rand([3])")}}),
                                      node("drop", "Lambda", {{"source", step("torch.dropout(x, 0.5, True)")}})};
        const auto expected = readAll(*opened(table(steps, {{"batch_size", 4}, {"shuffle", true}})), 0);
        torch::manual_seed(99);
        const torch::Tensor before = torch::rand({4});
        torch::manual_seed(99);
        for (const int workers : {0, 1, 3})
            for (const char* cache : {"none", "memory", "disk"}) {
                const auto pipeline = opened(table(steps, {{"batch_size", 4}, {"shuffle", true}, {"cache", cache}}), workers);
                for (int again = 0; again < 2; ++again)
                    QVERIFY(same(readAll(*pipeline, 0), expected));
                QVERIFY2(!same(readAll(*pipeline, 1), expected), "another epoch draws anew, also out of a cache");
            }
        QVERIFY2(torch::equal(torch::rand({4}), before), "the run's own generator was not touched");
        // Noise of samples differs.
        const torch::Tensor rows = expected[0]->fields.at("features");
        QVERIFY(!torch::equal(rows[0], rows[1]));
    }

    /// What a program does in place changes neither the data nor a cache.
    void inPlaceChangesNothingElse()
    {
        const auto pipeline = opened(table({node("more", "Lambda", {{"source", step("x.add_(1.0)")}})}, {{"batch_size", 12}, {"cache", "memory"}}));
        const auto first = readAll(*pipeline, 0);
        const auto second = readAll(*pipeline, 0);
        QVERIFY(same(first, second));
        QCOMPARE(first[0]->fields.at("features")[0][0].item<float>(), static_cast<float>(first[0]->samples[0]) + 1);
    }

    void lambdaErrors_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* name, const std::string& text, const char* says) {
            QTest::newRow(name) << QByteArray::fromStdString(text) << QByteArray(says);
        };
        row("no program", "x + 1", "forward");
        row("unknown name", step("torch.rellu(x)"), "rellu");
        row("two arguments", source("x: Tensor, y: Tensor", "Tensor", "    return x\n"), "one Tensor");
        row("a list", source("x: List[Tensor]", "Tensor", "    return x[0]\n"), "one Tensor");
        row("a number", source("x: Tensor", "int", "    return 3\n"), "only tensors");
        row("refused by an operation", step("torch.matmul(x, torch.ones([7, 7]))"), "line 2");
        row("a file", step("torch.from_file('/etc/passwd')"), "file");
        row("a seed", source("x: Tensor", "Tensor", "    torch.manual_seed(3)\n    return x\n"), "seed");
        row("no end", source("x: Tensor", "Tensor", "    while True:\n        x = x + 1.0\n    return x\n"), "did not end");
        row("an exception", source("x: Tensor", "Tensor", "    raise ValueError('too odd')\n    return x\n"), "too odd");
    }
    void lambdaErrors()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, says);
        COMPARE_ERROR(openData(table({node("own", "Lambda", {{"source", text.toStdString()}})})), "data/own/source", says.constData());
    }

    void errorsOfASampleNameIt()
    {
        const auto pipeline = opened(table({node("own", "Lambda",
                                                 {{"source", source("x: Tensor", "Tensor",
                                                                    "    if float(x[0]) == 7.0:\n        raise ValueError('seven')\n    return x\n")}})}));
        const auto reader = pipeline->read(DataPart::Train, 0);
        Result<std::shared_ptr<DataBatch>> batch = reader->next({});
        for (int i = 0; i < 2 && batch; ++i)
            batch = reader->next({});
        QVERIFY(!batch);
        QCOMPARE(batch.error().where, std::string("data/own/source"));
        QVERIFY2(batch.error().message.find("rows.csv") != std::string::npos && batch.error().message.find("seven") != std::string::npos,
                 batch.error().text().c_str());
        // A shape that depends on the sample is said as well.
        const auto uneven = opened(table({node("own", "Lambda", {{"source", step("x[:1 + int(x[0]) % 2]")}})}));
        bool failed = false;
        const auto other = uneven->read(DataPart::Train, 0);
        for (int i = 0; i < 3 && !failed; ++i)
            failed = !other->next({}).ok();
        QVERIFY(failed);
    }

    void collateStacks()
    {
        const std::string text = source("features: List[Tensor], label: List[Tensor]", "Tuple[Tensor, Tensor, Tensor]",
                                        "    x = torch.stack(features)\n    return x, torch.stack(label), x.sum(1, keepdim=True)\n");
        const auto pipeline = opened(table({node("own", "Collate", {{"source", text}, {"outputs", {"features", "label", "total"}}})}));
        const auto plain = opened(table({}));
        const auto& fields = pipeline->description().fields.fields;
        QCOMPARE(fields.at("features").dims, (std::vector<Extent>{kBatch, 3}));
        QCOMPARE(fields.at("total").dims, (std::vector<Extent>{kBatch, 1}));
        QCOMPARE(fields.at("label").classes, std::int64_t{3});
        QVERIFY(fields.at("label").type == ElementType::Index);
        const auto batches = readAll(*pipeline, 0);
        const auto expected = readAll(*plain, 0);
        QCOMPARE(batches.size(), expected.size());
        for (std::size_t i = 0; i < batches.size(); ++i) {
            QVERIFY(torch::equal(batches[i]->fields.at("features"), expected[i]->fields.at("features")));
            QVERIFY(torch::equal(batches[i]->fields.at("label"), expected[i]->fields.at("label")));
            QVERIFY(torch::allclose(batches[i]->fields.at("total"), expected[i]->fields.at("features").sum(1, true)));
        }
    }

    void collateGetsTextsUnpadded()
    {
        const std::string text = source("tokens: List[Tensor]", "Tuple[Tensor, Tensor]",
                                        "    first: List[Tensor] = []\n    lengths: List[int] = []\n"
                                        "    for one in tokens:\n        first.append(one[:2])\n        lengths.append(one.size(0))\n"
                                        "    return torch.stack(first), torch.tensor(lengths)\n");
        const auto pipeline = opened(texts({node("own", "Collate", {{"source", text}, {"outputs", {"start", "length"}}})}, {{"batch_size", 3}}));
        const auto& fields = pipeline->description().fields.fields;
        QVERIFY(!fields.contains("tokens") && !fields.contains("mask"));
        QCOMPARE(fields.at("start").dims, (std::vector<Extent>{kBatch, 2}));
        const auto batch = readAll(*pipeline, 0)[0];
        QVERIFY(torch::equal(batch->fields.at("start"), torch::tensor({{2, 2}, {2, 3}, {2, 2}}, torch::kInt64)));
        QVERIFY(torch::equal(batch->fields.at("length"), torch::tensor({5, 2, 3}, torch::kInt64)));
        QVERIFY(batch->fields.contains("label") && !batch->fields.contains("mask"));
    }

    void collateDrawsItsOwnNumbers()
    {
        const std::string text = source("features: List[Tensor]", "Tensor", "    x = torch.stack(features)\n    return x + torch.rand_like(x)\n");
        const std::vector<Node> steps{node("own", "Collate", {{"source", text}})};
        const auto expected = readAll(*opened(table(steps)), 0);
        for (const int workers : {1, 3})
            QVERIFY(same(readAll(*opened(table(steps), workers), 0), expected));
        QVERIFY(!same(readAll(*opened(table(steps)), 1), expected));
    }

    void collateErrors_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("where");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* name, const std::string& text, const char* where, const char* says) {
            QTest::newRow(name) << QByteArray::fromStdString(text) << QByteArray(where) << QByteArray(says);
        };
        row("no such field", source("image: List[Tensor]", "Tensor", "    return torch.stack(image)\n"), "source", "features, label");
        row("no list", source("features: Tensor", "Tensor", "    return features\n"), "source", "List[Tensor]");
        row("more results than names", source("features: List[Tensor]", "Tuple[Tensor, Tensor]", "    return features[0], features[0]\n"),
            "outputs", "returns 2");
        row("a row is missing", source("features: List[Tensor]", "Tensor", "    return torch.stack(features)[1:]\n"), "source", "samples");
    }
    void collateErrors()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, where);
        QFETCH(QByteArray, says);
        COMPARE_ERROR(openData(table({node("own", "Collate", {{"source", text.toStdString()}})})),
                      ("data/own/" + where).constData(), says.constData());
    }

    void collateHasItsPlace()
    {
        const Node own = node("own", "Collate", {{"source", source("features: List[Tensor]", "Tensor", "    return torch.stack(features)\n")}});
        Node second = own;
        second.id = "again";
        COMPARE_ERROR(openData(table({own, second})), "data/again", "second");
        COMPARE_ERROR(openData(table({own, node("scale", "Standardize")})), "data/scale", "own");
        VERIFY_OK(openData(table({own, node("mix", "Mixup")})));
    }
};

} // namespace

QTEST_APPLESS_MAIN(TestDataPrograms)
#include "tst_data_programs.moc"
