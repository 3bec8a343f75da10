#include "golden.h"
#include "session_record.h"

#include "engine/train/run_parts.h"
#include "engine/script/torch_errors.h"
#include "engine/train/training_step.h"

#include <QtTest>

using namespace athanor;

namespace {

/// A network's step without session and data: batches are made by the test.
class Bench {
public:
    explicit Bench(const Json& training, Json network = {}, bool withProbes = true)
    {
        Json json = spiralProject(training);
        if (!network.is_null())
            json["network"] = std::move(network);
        m_project = projectOf(json);
        FieldTypes fields;
        fields.known = true;
        fields.fields["features"] = {{kBatch, 2}};
        fields.fields["label"] = {{kBatch}, ElementType::Index, 2};
        fields.fields["target"] = {{kBatch, 1}};
        const auto check = checkNetwork(m_project.network, fields);
        auto parts = buildRun(m_project, check, torch::kCPU);
        if (!parts.ok())
            throw std::runtime_error(parts.error().text());
        m_parts = std::move(*parts);
        m_probes = std::make_unique<ProbeSet>(withProbes ? builtinProbes() : std::vector<std::unique_ptr<Probe>>{}, m_sink);
        m_probes->prepare({*m_parts->network, *m_parts->parameters, m_sink, [](const std::string&) {}});
        m_step = std::make_unique<TrainingStep>(
            StepParts{*m_parts->network, *m_parts->parameters, *m_parts->buffers, *m_parts->optimizer, *m_probes, m_sink},
            m_project.training, torch::Device(torch::kCPU));
    }

    StepOutcome step(const std::vector<DataBatch>& batches)
    {
        m_step->begin(++m_number);
        for (std::size_t i = 0; i < batches.size(); ++i)
            m_step->addBatch(batches[i], 1.0 / static_cast<double>(batches.size()), i + 1 == batches.size());
        std::vector<double> rates;
        for (const auto& group : m_parts->optimizer->groups())
            rates.push_back(group.rate);
        return m_step->finish(rates);
    }

    RunParts& parts() { return *m_parts; }
    TrainingStep& trainingStep() { return *m_step; }
    std::map<std::string, torch::Tensor> state()
    {
        std::map<std::string, torch::Tensor> copies;
        for (const auto& [name, tensor] : stateOf(m_parts->network->module()))
            copies[name] = tensor.clone();
        return copies;
    }

    /// What was said of the newest step.
    std::map<std::string, double> said()
    {
        m_sink.commit();
        auto batch = m_stream.take(std::chrono::milliseconds(100));
        for (const auto& info : batch.newSeries)
            m_names.push_back(info.name);
        std::map<std::string, double> values;
        for (const auto& sample : batch.samples)
            values[m_names[sample.series]] = sample.value;
        return values;
    }

private:
    Project m_project;
    MetricStream m_stream;
    SampleSink m_sink{m_stream};
    std::unique_ptr<RunParts> m_parts;
    std::unique_ptr<ProbeSet> m_probes;
    std::unique_ptr<TrainingStep> m_step;
    std::vector<std::string> m_names;
    std::int64_t m_number = 0;
};

DataBatch batchOf(std::int64_t size, int seed = 1)
{
    torch::manual_seed(static_cast<std::uint64_t>(seed));
    DataBatch batch;
    batch.fields["features"] = torch::randn({size, 2});
    batch.fields["label"] = torch::randint(0, 2, {size}, torch::kLong);
    batch.fields["target"] = torch::randn({size, 1});
    batch.samples.resize(static_cast<std::size_t>(size));
    return batch;
}

DataBatch brokenBatch(std::int64_t size)
{
    DataBatch batch = batchOf(size);
    batch.fields["features"][1][0] = std::numeric_limits<float>::quiet_NaN();
    return batch;
}

Json linearNetwork()
{
    return networkJson("features", {nodeJson("fc1", "Linear", {{"out_features", 3}}), nodeJson("fc2", "Linear", {{"out_features", 2}})},
                       "CrossEntropyLoss", "label");
}

bool equal(const std::map<std::string, torch::Tensor>& a, const std::map<std::string, torch::Tensor>& b)
{
    return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
        return x.first == y.first && x.second.scalar_type() == y.second.scalar_type() && torch::equal(x.second, y.second);
    });
}

} // namespace

class TestTrainingStep : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void statesBearPyTorchsNames()
    {
        Json network = networkJson("features", {nodeJson("block1/fc", "Linear", {{"out_features", 4}}), nodeJson("block1/bn", "BatchNorm1d"),
                                                nodeJson("head", "Linear", {{"out_features", 2}})},
                                   "CrossEntropyLoss", "label");
        Bench bench({{"epochs", 1}}, network);
        std::vector<std::string> names;
        for (const auto& [name, tensor] : bench.state())
            names.push_back(name);
        QCOMPARE(names, (std::vector<std::string>{"block1.bn.bias", "block1.bn.num_batches_tracked", "block1.bn.running_mean",
                                                  "block1.bn.running_var", "block1.bn.weight", "block1.fc.bias", "block1.fc.weight",
                                                  "head.bias", "head.weight"}));
    }

    void aWithheldStepLeavesNoTrace_data()
    {
        QTest::addColumn<QString>("policy");
        QTest::newRow("pause") << "pause";
        QTest::newRow("stop") << "stop";
        QTest::newRow("skip") << "skip";
    }
    void aWithheldStepLeavesNoTrace()
    {
        QFETCH(QString, policy);
        Bench bench({{"epochs", 1}, {"optimizer", {{"kind", "Adam"}}}, {"on_non_finite", policy.toStdString()}});
        QVERIFY(bench.step({batchOf(8)}).applied);
        const auto state = bench.state();
        const auto optimizer = bench.parts().optimizer->state();
        const StepOutcome outcome = bench.step({brokenBatch(8)});
        QVERIFY(!outcome.finite && !outcome.applied);
        QCOMPARE(outcome.culprit, std::string("train/loss"));
        QVERIFY2(QString::fromStdString(outcome.complaint).contains("first is that of fc1.weight"), outcome.complaint.c_str());
        QVERIFY(std::isnan(outcome.loss));
        QVERIFY(equal(state, bench.state())); // BatchNorm's statistics too
        QVERIFY(equal(optimizer, bench.parts().optimizer->state()));
        const auto said = bench.said();
        QVERIFY(std::isnan(said.at("train/loss")) && std::isnan(said.at("grad_norm")));
        QCOMPARE(said.at("activation/x/non_finite"), 1.0);
        QVERIFY(bench.step({batchOf(8)}).applied);
    }

    void continueAppliesAllTheSame()
    {
        Bench bench(Json{{"epochs", 1}, {"on_non_finite", "continue"}});
        const StepOutcome outcome = bench.step({brokenBatch(8)});
        QVERIFY(!outcome.finite && outcome.applied);
        QVERIFY(bench.state().at("fc1.weight").isnan().any().item<bool>());
        QVERIFY(bench.state().at("bn1.running_mean").isnan().any().item<bool>());
    }

    void aGradientAloneIsNamed()
    {
        // √|x| as a network has no such node: an overflow in the backward pass alone, through a huge loss weight.
        Json network = linearNetwork();
        network["nodes"].back()["params"] = {{"weight", 1e30}};
        Bench bench({{"epochs", 1}, {"init", {{{"match", "*.weight"}, {"kind", "constant"}, {"value", 1e10}}}}}, network);
        DataBatch batch = batchOf(4);
        batch.fields["features"].fill_(1e-5F);
        const StepOutcome outcome = bench.step({batch});
        QVERIFY(!outcome.finite && std::isfinite(outcome.loss));
        QCOMPARE(outcome.culprit, std::string("fc1.weight"));
    }

    void accumulatedBatchesAreOneLargeOne()
    {
        const DataBatch large = batchOf(12);
        std::vector<DataBatch> parts(3);
        for (std::int64_t i = 0; i < 3; ++i) {
            for (const auto& [name, tensor] : large.fields)
                parts[static_cast<std::size_t>(i)].fields[name] = tensor.slice(0, 4 * i, 4 * i + 4);
            parts[static_cast<std::size_t>(i)].samples.resize(4);
        }
        Bench whole({{"epochs", 1}, {"metrics", {"accuracy"}}}, linearNetwork());
        Bench pieces({{"epochs", 1}, {"metrics", {"accuracy"}}, {"accumulate", 3}}, linearNetwork());
        const auto a = whole.step({large});
        const auto b = pieces.step(parts);
        QVERIFY(std::abs(a.loss - b.loss) < 1e-6);
        for (const auto& [name, tensor] : whole.state())
            COMPARE_TENSORS(pieces.state().at(name), tensor, 1e-6);
        QCOMPARE(pieces.said().at("train/accuracy"), whole.said().at("train/accuracy"));
    }

    void clipsTheNormAsPyTorch()
    {
        Bench plain({{"epochs", 1}, {"optimizer", {{"kind", "SGD"}, {"lr", 1.0}}}}, linearNetwork());
        Bench clipped({{"epochs", 1}, {"optimizer", {{"kind", "SGD"}, {"lr", 1.0}}}, {"clip_grad_norm", 0.01}}, linearNetwork());
        const auto start = plain.state();
        plain.step({batchOf(8)});
        clipped.step({batchOf(8)});
        const double norm = plain.said().at("grad_norm");
        QVERIFY(norm > 0.01);
        QCOMPARE(clipped.said().at("grad_norm"), norm); // before clipping
        const auto after = plain.state();
        for (const auto& [name, tensor] : clipped.state()) {
            const auto whole = after.at(name) - start.at(name);
            COMPARE_TENSORS(tensor - start.at(name), whole * (0.01 / (norm + 1e-6)), 1e-4);
        }
        Bench loose({{"epochs", 1}, {"optimizer", {{"kind", "SGD"}, {"lr", 1.0}}}, {"clip_grad_norm", 1000.0}}, linearNetwork());
        loose.step({batchOf(8)});
        QVERIFY(equal(loose.state(), after));
    }

    void clipsValuesAsPyTorch()
    {
        Bench plain({{"epochs", 1}, {"optimizer", {{"kind", "SGD"}, {"lr", 1.0}}}}, linearNetwork());
        Bench clipped({{"epochs", 1}, {"optimizer", {{"kind", "SGD"}, {"lr", 1.0}}}, {"clip_grad_value", 0.02}}, linearNetwork());
        const auto start = plain.state();
        plain.step({batchOf(8)});
        clipped.step({batchOf(8)});
        for (const auto& [name, tensor] : clipped.state()) {
            const auto whole = plain.state().at(name) - start.at(name);
            COMPARE_TENSORS(tensor - start.at(name), whole.clamp(-0.02, 0.02), 1e-4);
        }
    }

    void frozenParametersStay()
    {
        Bench bench(Json{{"epochs", 1}, {"freeze", {"fc1*"}}});
        const auto before = bench.state();
        bench.step({batchOf(8)});
        const auto after = bench.state();
        QVERIFY(torch::equal(before.at("fc1.weight"), after.at("fc1.weight")));
        QVERIFY(!torch::equal(before.at("fc2.weight"), after.at("fc2.weight")));
        const auto said = bench.said();
        QVERIFY(!said.contains("grad_norm/fc1.weight") && said.contains("grad_norm/fc2.weight"));
        double sum = 0;
        for (const auto& [name, value] : said)
            sum += name.starts_with("grad_norm/") ? value * value : 0;
        QVERIFY(std::abs(std::sqrt(sum) - said.at("grad_norm")) < 1e-9);
    }

    void everythingFrozenCannotBeTrained()
    {
        QVERIFY_EXCEPTION_THROWN(Bench(Json({{"epochs", 1}, {"freeze", {"*"}}})), std::runtime_error);
    }

    void parametersWithoutAGradientAreSkipped()
    {
        // What reaches no loss has no gradient: weight decay and momentum leave it alone, as in PyTorch.
        Json network = linearNetwork();
        network["nodes"].push_back(nodeJson("side", "Linear", {{"out_features", 3}}));
        network["edges"].push_back({"x", "side"});
        Bench bench({{"epochs", 1}, {"optimizer", {{"kind", "AdamW"}, {"weight_decay", 0.5}}}}, network);
        const auto before = bench.state();
        bench.step({batchOf(8)});
        QVERIFY(torch::equal(before.at("side.weight"), bench.state().at("side.weight")));
        QVERIFY(!torch::equal(before.at("fc1.weight"), bench.state().at("fc1.weight")));
        QVERIFY(!bench.said().contains("update_ratio/side.weight"));
        QCOMPARE(bench.parts().optimizer->state().at("step/side.weight").item<int>(), 0);
    }

    void severalLossesAreWeighted()
    {
        Json network = linearNetwork();
        network["nodes"].push_back(nodeJson("value", "Linear", {{"out_features", 1}}));
        network["nodes"].push_back(nodeJson("t", "Input", {{"field", "target"}}));
        network["nodes"].push_back(nodeJson("second", "MSELoss", {{"weight", 0.25}}));
        for (const Json& edge : {Json{"fc1", "value"}, Json{"value", "second:input"}, Json{"t", "second:target"}})
            network["edges"].push_back(edge);
        Bench bench({{"epochs", 1}, {"metrics", {"accuracy", "mae"}}}, network);
        const auto outcome = bench.step({batchOf(8)});
        const auto said = bench.said();
        const double sum = said.at("train/loss/loss") + 0.25 * said.at("train/loss/second");
        QVERIFY(std::abs(outcome.loss - sum) < 1e-6);
        QVERIFY(said.contains("train/accuracy") && said.contains("train/mae"));
    }

    void groupsHaveTheirOwnRates()
    {
        Bench bench({{"epochs", 1}, {"optimizer", {{"kind", "SGD"}, {"lr", 0.5}, {"groups", {{{"match", "fc2*"}, {"lr", 0.0}}}}}}}, linearNetwork());
        const auto before = bench.state();
        bench.step({batchOf(8)});
        QVERIFY(torch::equal(before.at("fc2.weight"), bench.state().at("fc2.weight")));
        QVERIFY(!torch::equal(before.at("fc1.weight"), bench.state().at("fc1.weight")));
        const auto said = bench.said();
        QCOMPARE(said.at("lr"), 0.5);
        QCOMPARE(said.at("lr/fc2*"), 0.0);
    }

    void errorsNameTheirNode()
    {
        Bench bench(Json{{"epochs", 1}});
        const auto failing = [&](const DataBatch& batch) {
            bench.trainingStep().begin(1);
            try {
                bench.trainingStep().addBatch(batch, 1, true);
            } catch (...) {
                return errorFromCurrentException("training");
            }
            return Error{};
        };
        const Error single = failing(batchOf(1));
        QCOMPARE(single.where, std::string("network/bn1"));
        QVERIFY(QString::fromStdString(single.hint).contains("drop_last"));
        QVERIFY(!QString::fromStdString(single.message).contains("Exception raised"));
        DataBatch labels = batchOf(4);
        labels.fields["label"][2] = 7;
        const Error label = failing(labels);
        QCOMPARE(label.where, std::string("network/loss"));
        QVERIFY2(QString::fromStdString(label.hint).contains("label"), label.text().c_str());
        DataBatch wide = batchOf(4);
        wide.fields["features"] = torch::randn({4, 5});
        QCOMPARE(failing(wide).where, std::string("network/fc1"));
    }

    void wideBatchNormsAreSummedUp()
    {
        Json network = networkJson("features", {nodeJson("a", "Linear", {{"out_features", 500}}), nodeJson("bn_a", "BatchNorm1d"),
                                                nodeJson("b", "Linear", {{"out_features", 20}}), nodeJson("bn_b", "BatchNorm1d"),
                                                nodeJson("c", "Linear", {{"out_features", 2}})},
                                   "CrossEntropyLoss", "label");
        Bench bench({{"epochs", 1}}, network);
        bench.step({batchOf(8)});
        const auto said = bench.said();
        QVERIFY(said.contains("bn_running_mean/bn_a/499") && !said.contains("bn_running_mean/bn_b/0"));
        const auto mean = bench.state().at("bn_b.running_mean").to(torch::kDouble);
        QCOMPARE(said.at("bn_running_mean/bn_b/mean"), mean.mean().item<double>());
        QCOMPARE(said.at("bn_running_mean/bn_b/min"), mean.min().item<double>());
        QCOMPARE(said.at("bn_running_var/bn_b/max"), bench.state().at("bn_b.running_var").max().item<double>());
    }
};

QTEST_APPLESS_MAIN(TestTrainingStep)
#include "tst_training_step.moc"
