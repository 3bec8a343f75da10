#include "../session_record.h"

#include "engine/train/checkpoint.h"
#include "engine/train/weights/start_weights.h"
#include "engine/train/weights/weights_mapping.h"
#include "engine/train/weights/weights_writer.h"

#include <torch/torch.h>

#include <QTemporaryDir>
#include <QtTest>

#include <fstream>

using namespace athanor;

namespace {

using Tensors = std::vector<WeightsTensor>;

WeightsTensor tensor(const std::string& name, std::vector<std::int64_t> shape)
{
    return {name, std::move(shape), "float32", "cpu"};
}

/// Two layers, as PyTorch names them.
Tensors twoLayers(const std::string& prefix = {})
{
    return {tensor(prefix + "fc1.weight", {4, 3}), tensor(prefix + "fc1.bias", {4}), tensor(prefix + "fc2.weight", {2, 4}),
            tensor(prefix + "fc2.bias", {2})};
}

Json mapped(const Tensors& ours, const Tensors& theirs, const WeightsMap& byHand = {})
{
    const auto mapping = mapWeights(ours, theirs, byHand);
    if (!mapping.ok())
        throw std::runtime_error(mapping.error().text());
    return mappingJson(mapping.value(), ours, theirs);
}

Json pair(const std::string& name, const std::string& from)
{
    return {{"name", name}, {"from", from}};
}

} // namespace

class TestWeightsMapping : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void byName()
    {
        Tensors theirs = twoLayers();
        theirs[2].shape = {10, 4}; // another head
        theirs.pop_back();
        theirs.push_back(tensor("extra.weight", {1}));
        const Json report = mapped(twoLayers(), theirs);
        QVERIFY(report["matched"] == Json({"fc1.weight", "fc1.bias"}));
        QVERIFY(report["renamed"].empty() && report["prefix"].is_null());
        QVERIFY(report["shape_differs"] ==
                Json::array({{{"name", "fc2.weight"}, {"shape", {2, 4}}, {"from", "fc2.weight"}, {"file_shape", {10, 4}}}}));
        QVERIFY(report["missing"] == Json::array({{{"name", "fc2.bias"}, {"shape", {2}}}}));
        QVERIFY(report["left_over"] == Json::array({{{"name", "extra.weight"}, {"shape", {1}}}}));
    }

    void throughAPrefix_data()
    {
        QTest::addColumn<QString>("ours");
        QTest::addColumn<QString>("theirs");
        QTest::newRow("DataParallel") << "" << "module.";
        QTest::newRow("Lightning") << "" << "model.";
        QTest::newRow("net") << "" << "net.";
        QTest::newRow("compiled") << "" << "_orig_mod.";
        QTest::newRow("wrapped twice") << "" << "module.model.";
        QTest::newRow("any common one") << "" << "classifier.mlp.";
        QTest::newRow("ours in a group") << "backbone." << "";
        QTest::newRow("both") << "backbone." << "module.";
        QTest::newRow("both, deeper") << "block.inner." << "module.trunk.";
    }
    void throughAPrefix()
    {
        QFETCH(QString, ours);
        QFETCH(QString, theirs);
        const Tensors mine = twoLayers(ours.toStdString());
        const Json report = mapped(mine, twoLayers(theirs.toStdString()));
        QVERIFY(report["prefix"] == Json({{"taken", theirs.toStdString()}, {"put", ours.toStdString()}}));
        QCOMPARE(report["renamed"].size(), std::size_t{4});
        QVERIFY(report["renamed"][0] == pair(mine[0].name, theirs.toStdString() + "fc1.weight"));
        QVERIFY(report["matched"].empty() && report["missing"].empty() && report["left_over"].empty());
    }

    void aPrefixOfSomeOnly()
    {
        Tensors theirs = twoLayers("encoder.");
        theirs.push_back(tensor("decoder.fc1.weight", {4, 9}));
        const Json report = mapped(twoLayers(), theirs);
        QCOMPARE(report["renamed"].size(), std::size_t{4});
        QVERIFY(report["left_over"] == Json::array({{{"name", "decoder.fc1.weight"}, {"shape", {4, 9}}}}));
    }

    void doesNotGuessBetweenTwo()
    {
        Tensors theirs = twoLayers("student.");
        for (auto& other : twoLayers("teacher."))
            theirs.push_back(other);
        const Json report = mapped(twoLayers(), theirs);
        QVERIFY(report["renamed"].empty() && report["prefix"].is_null());
        QCOMPARE(report["missing"].size(), std::size_t{4});
    }

    void namesThatFitStayBeforeAPrefix()
    {
        Tensors theirs = twoLayers();
        theirs.push_back(tensor("aux.fc1.weight", {4, 3}));
        const Json report = mapped(twoLayers(), theirs);
        QCOMPARE(report["matched"].size(), std::size_t{4});
        QVERIFY(report["prefix"].is_null());
        QCOMPARE(report["left_over"].size(), std::size_t{1});
    }

    void aHeadOfAnotherSizeIsNamedThroughThePrefix()
    {
        Tensors theirs = twoLayers("module.");
        theirs[2].shape = {10, 4};
        const Json report = mapped(twoLayers(), theirs);
        QCOMPARE(report["renamed"].size(), std::size_t{3});
        QCOMPARE(report["shape_differs"][0]["from"].get<std::string>(), std::string("module.fc2.weight"));
        QVERIFY(report["missing"].empty());
    }

    void byHand()
    {
        const Tensors theirs{tensor("features.0.weight", {4, 3}), tensor("features.0.bias", {4}), tensor("fc2.weight", {2, 4}),
                             tensor("fc2.bias", {2})};
        const WeightsMap map{{"fc1.weight", "features.0.weight"}, {"fc1.bias", "features.0.bias"}};
        const Json report = mapped(twoLayers(), theirs, map);
        QVERIFY(report["renamed"] == Json::array({pair("fc1.weight", "features.0.weight"), pair("fc1.bias", "features.0.bias")}));
        QVERIFY(report["matched"] == Json({"fc2.weight", "fc2.bias"}));
        QVERIFY(report["left_over"].empty());
        const auto ours = mapWeights(twoLayers(), theirs, {{"fc1.weigth", "fc2.bias"}});
        QVERIFY(!ours.ok() && ours.error().where == "training/weights_map");
        QVERIFY(QString::fromStdString(ours.error().hint).contains("fc1.weight"));
        const auto file = mapWeights(twoLayers(), theirs, {{"fc1.weight", "features.0.weigt"}});
        QVERIFY(!file.ok());
        QVERIFY(QString::fromStdString(file.error().hint).contains("features.0.weight"));
    }

    void suggestsByOrderAndShape()
    {
        const Tensors theirs{tensor("features.0.weight", {4, 3}), tensor("features.0.bias", {4}), tensor("features.9.running_var", {4}),
                             tensor("features.1.weight", {2, 4}), tensor("features.1.bias", {2})};
        const auto mapping = mapWeights(twoLayers(), theirs, {});
        QVERIFY(mapping.ok());
        QCOMPARE(mapping.value().loaded(), std::size_t{0});
        QCOMPARE(mapping.value().suggested, (WeightsMap{{"fc1.weight", "features.0.weight"},
                                                        {"fc1.bias", "features.0.bias"},
                                                        {"fc2.weight", "features.1.weight"},
                                                        {"fc2.bias", "features.1.bias"}}));
        QCOMPARE(mapWeights(twoLayers(), theirs, mapping.value().suggested).value().loaded(), std::size_t{4});
        const Error error = nothingFits(mapping.value(), twoLayers(), theirs);
        for (const char* part : {"fc1.weight [4, 3]", "features.0.bias [4]"})
            QVERIFY2(QString::fromStdString(error.message).contains(part), error.message.c_str());
        QVERIFY(QString::fromStdString(error.hint).contains("weights_map"));
        QVERIFY(mapped(twoLayers(), {tensor("w", {7})})["suggested"].empty());
    }

    void manyTensorsTakeNoTime()
    {
        Tensors ours, theirs;
        for (int i = 0; i < 20000; ++i) {
            const std::string name = "layers." + std::to_string(i) + ".weight";
            ours.push_back(tensor(name, {i + 1}));
            theirs.push_back(tensor("module." + name, {i + 1}));
        }
        QCOMPARE(mapWeights(ours, theirs, {}).value().renamed.size(), std::size_t{20000});
    }

    /// What a run loads, what it says, and that all else starts as it would without a file.
    void aRunLoadsWhatFits()
    {
        QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath("w.safetensors").toStdString();
        const auto weight = torch::arange(32, torch::kHalf).view({16, 2}); // half: copied into single precision
        std::ofstream(file, std::ios::binary) << safetensorsBytes(
            {{"module.fc1.weight", weight}, {"module.fc1.bias", torch::ones({16})}, {"module.fc2.weight", torch::ones({5, 16})}});
        const Json training{{"weights", file.string()}, {"optimizer", {{"kind", "SGD"}, {"lr", 0.0}}}, {"checkpoint", {{"every", 1}}}};
        SessionOptions options;
        options.threads = 1;
        options.steps = 1;
        options.checkpointFolder = folder.filePath("checkpoints").toStdString();
        std::filesystem::path checkpoint;
        options.checkpointWritten = [&](const CheckpointWritten& written) { checkpoint = written.file; };
        const Record record = runSession(spiralProject(training), options);
        QVERIFY2(record.state == SessionState::Finished, record.problems.empty() ? "" : record.problems.back().message.c_str());
        const Event* note = record.saying("w.safetensors");
        QVERIFY(note != nullptr && note->kind == EventKind::Note);
        const QString said = QString::fromStdString(note->text);
        for (const char* part : {"w.safetensors", "2 of the network's 9 tensors", "2 of them renamed (prefix 'module.' taken off)",
                                 "fc2.weight [2, 16] against [5, 16]", "bn1.weight"})
            QVERIFY2(said.contains(part), qPrintable(said));
        QCOMPARE(note->where, std::string("training/weights"));

        const auto loaded = loadState(checkpoint);
        QVERIFY(torch::equal(loaded.at("fc1.weight"), weight.to(torch::kFloat)));
        QVERIFY(torch::equal(loaded.at("fc1.bias"), torch::ones({16})));
        Json fresh = training;
        fresh.erase("weights");
        runSession(spiralProject(fresh), options);
        QVERIFY(torch::equal(loaded.at("fc2.weight"), loadState(checkpoint).at("fc2.weight")));
        QVERIFY(!torch::equal(loaded.at("fc1.weight"), loadState(checkpoint).at("fc1.weight")));

        // A run goes on without the file that it once started from.
        runSession(spiralProject(training), options);
        std::filesystem::remove(file);
        options.steps = 2;
        options.resumeFrom = checkpoint;
        QCOMPARE(runSession(spiralProject(training), options).state, SessionState::Finished);
    }

    void aRunThatNothingFitsFails()
    {
        QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath("w.safetensors").toStdString();
        std::ofstream(file, std::ios::binary) << safetensorsBytes({{"other", torch::ones({7})}});
        SessionOptions options;
        options.threads = 1;
        options.steps = 1;
        const Record record = runSession(spiralProject({{"weights", file.string()}}), options);
        QCOMPARE(record.state, SessionState::Failed);
        const auto& problem = record.problems.back();
        QCOMPARE(problem.where, std::string("training/weights"));
        for (const char* part : {"w.safetensors", "fc1.weight [16, 2]", "other [7]"})
            QVERIFY2(QString::fromStdString(problem.message).contains(part), problem.message.c_str());
    }

private:
    static std::map<std::string, torch::Tensor> loadState(const std::filesystem::path& file)
    {
        auto checkpoint = loadCheckpoint(file);
        if (!checkpoint.ok())
            throw std::runtime_error(checkpoint.error().text());
        return std::move(checkpoint->state);
    }
};

QTEST_APPLESS_MAIN(TestWeightsMapping)
#include "tst_weights_mapping.moc"
