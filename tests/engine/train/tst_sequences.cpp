// Networks over sequences of varying length, and losses with other ports than input and target, through the same
// steps that a run takes.
#include "golden.h"
#include "session_record.h"

#include "engine/train/autocast.h"
#include "engine/train/layers/layer.h"
#include "engine/train/run_parts.h"
#include "engine/script/torch_errors.h"
#include "engine/train/training_step.h"

#include <QtTest>

using namespace athanor;

namespace {

using torch::Tensor;

FieldTypes fieldTypes()
{
    FieldTypes types;
    types.known = true;
    types.fields["tokens"] = {{kBatch, kUnknown}, ElementType::Index, 7};
    types.fields["mask"] = {{kBatch, kUnknown}, ElementType::Index, 2};
    types.fields["label"] = {{kBatch}, ElementType::Index, 2};
    types.fields["features"] = {{kBatch, 3}};
    return types;
}

Json graphJson(const std::vector<Json>& nodes, const std::vector<std::pair<std::string, std::string>>& edges)
{
    Json list = Json::array();
    for (const auto& [from, to] : edges)
        list.push_back({from, to});
    return {{"nodes", nodes}, {"edges", list}};
}

Json input(const std::string& field)
{
    return nodeJson(field, "Input", {{"field", field}});
}

/// Tokens through embedding, positions, a transformer layer and an LSTM, all with the mask.
Json sequenceNetwork(double dropout, bool sparse = false)
{
    return graphJson(
        {input("tokens"), input("mask"), input("label"),
         nodeJson("emb", "Embedding", {{"embedding_dim", 6}, {"sparse", sparse}}),
         nodeJson("pos", "PositionalEncoding", {{"dropout", dropout}}),
         nodeJson("enc", "TransformerEncoderLayer",
                  {{"nhead", 2}, {"dim_feedforward", 8}, {"dropout", dropout}, {"batch_first", true}}),
         nodeJson("lstm", "LSTM", {{"hidden_size", 4}, {"batch_first", true}, {"bidirectional", true}}),
         nodeJson("fc", "Linear", {{"out_features", 2}}), nodeJson("loss", "CrossEntropyLoss")},
        {{"tokens", "emb"},
         {"emb", "pos"},
         {"pos", "enc"},
         {"mask", "enc:src_key_padding_mask"},
         {"enc", "lstm"},
         {"mask", "lstm:mask"},
         {"lstm:last", "fc"},
         {"fc", "loss:input"},
         {"label", "loss:target"}});
}

/// Two sequences of three and five tokens, padded to `steps`.
DataBatch sequences(std::int64_t steps)
{
    DataBatch batch;
    batch.fields["tokens"] = torch::zeros({2, steps}, torch::kLong);
    batch.fields["mask"] = torch::zeros({2, steps}, torch::kLong);
    for (std::int64_t sample = 0; sample < 2; ++sample)
        for (std::int64_t t = 0; t < 3 + 2 * sample; ++t) {
            batch.fields["tokens"][sample][t] = 1 + (3 * t + sample) % 6;
            batch.fields["mask"][sample][t] = 1;
        }
    batch.fields["label"] = torch::tensor({0, 1}, torch::kLong);
    batch.samples = {0, 1};
    return batch;
}

/// A run's parts around a network, without session and data.
class Run {
public:
    explicit Run(Json network, const Json& training = {{"epochs", 1}})
    {
        Json json = spiralProject(training);
        json["network"] = std::move(network);
        m_project = projectOf(json);
        m_check = checkNetwork(m_project.network, fieldTypes());
        for (const auto& problem : m_check.problems)
            throw std::runtime_error(problem.where + ": " + problem.message);
        auto parts = buildRun(m_project, m_check, torch::kCPU);
        if (!parts.ok())
            throw std::runtime_error(parts.error().text());
        m_parts = std::move(*parts);
        m_probes = std::make_unique<ProbeSet>(builtinProbes(), m_sink);
        m_probes->prepare({*m_parts->network, *m_parts->parameters, m_sink, [](const std::string&) {}});
        m_step = std::make_unique<TrainingStep>(StepParts{*m_parts->network, *m_parts->parameters,
                                                          *m_parts->buffers, *m_parts->optimizer, *m_probes,
                                                          m_sink},
                                                m_project.training, torch::Device(torch::kCPU));
    }

    StepOutcome step(const DataBatch& batch)
    {
        m_step->begin(++m_number);
        m_step->addBatch(batch, 1, true);
        return m_step->finish({m_parts->optimizer->groups().front().rate});
    }
    ForwardPass forward(const DataBatch& batch) { return m_parts->network->forward(batch); }
    double loss(const DataBatch& batch) { return forward(batch).loss.item<double>(); }

    /// Series of the newest step with their values.
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
    RunParts& parts() { return *m_parts; }
    Tensor gradient(const std::string& name)
    {
        for (const auto& slot : m_parts->parameters->slots())
            if (slot.name == name)
                return slot.gradient;
        throw std::runtime_error("no parameter " + name);
    }

private:
    Project m_project;
    GraphCheck m_check;
    MetricStream m_stream;
    SampleSink m_sink{m_stream};
    std::unique_ptr<RunParts> m_parts;
    std::unique_ptr<ProbeSet> m_probes;
    std::unique_ptr<TrainingStep> m_step;
    std::vector<std::string> m_names;
    std::int64_t m_number = 0;
};

/// Two towers of features that meet in losses.
Json towers(const std::vector<Json>& losses, const std::vector<std::pair<std::string, std::string>>& edges)
{
    std::vector<Json> nodes{input("features"), input("label"), nodeJson("a", "Linear", {{"out_features", 2}}),
                            nodeJson("b", "Linear", {{"out_features", 2}}),
                            nodeJson("c", "Linear", {{"out_features", 2}})};
    nodes.insert(nodes.end(), losses.begin(), losses.end());
    std::vector<std::pair<std::string, std::string>> all{
        {"features", "a"}, {"features", "b"}, {"features", "c"}};
    all.insert(all.end(), edges.begin(), edges.end());
    return graphJson(nodes, all);
}

DataBatch rows()
{
    torch::manual_seed(8);
    DataBatch batch;
    batch.fields["features"] = torch::randn({4, 3});
    batch.fields["label"] = torch::tensor({0, 1, 1, 0}, torch::kLong);
    batch.samples = {0, 1, 2, 3};
    return batch;
}

} // namespace

class TestSequences : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void lengthsMayVaryFromStepToStep()
    {
        Run run(sequenceNetwork(0.1));
        for (const std::int64_t steps : {5, 9, 6}) {
            const auto outcome = run.step(sequences(steps));
            QVERIFY(outcome.finite && outcome.applied);
            const auto values = run.said();
            for (const char* name :
                 {"activation/emb/mean", "activation/pos/std", "activation/enc/zeros", "activation/lstm/max",
                  "grad_norm/enc.self_attn.in_proj_weight", "update_ratio/lstm.weight_hh_l0_reverse"})
                QVERIFY2(values.contains(name) && std::isfinite(values.at(name)), name);
        }
    }

    void paddingChangesNothing()
    {
        Run run(sequenceNetwork(0));
        const double shortest = run.loss(sequences(5));
        QVERIFY(std::abs(run.loss(sequences(11)) - shortest) < 1e-6);
        run.parts().network->module().eval(); // no other path is taken there
        QVERIFY(std::abs(run.loss(sequences(11)) - shortest) < 1e-6);
        auto other = sequences(11);
        other.fields["mask"].fill_(1);
        QVERIFY(std::abs(run.loss(other) - shortest) > 1e-4);
    }

    void trainedStateMovesIntoAnotherNetwork()
    {
        Run trained(sequenceNetwork(0));
        for (int i = 0; i < 3; ++i)
            trained.step(sequences(6));
        Run fresh(sequenceNetwork(0), {{"epochs", 1}, {"seed", 99}});
        QVERIFY(fresh.loss(sequences(6)) != trained.loss(sequences(6)));
        const auto state = stateOf(trained.parts().network->module());
        QCOMPARE(copyState(state, fresh.parts().network->module()).copied, state.size());
        QCOMPARE(fresh.loss(sequences(6)), trained.loss(sequences(6)));
        std::vector<std::string> names;
        for (const auto& [name, tensor] : state)
            if (name.starts_with("enc.self_attn"))
                names.push_back(name);
        QCOMPARE(names,
                 (std::vector<std::string>{"enc.self_attn.in_proj_bias", "enc.self_attn.in_proj_weight",
                                           "enc.self_attn.out_proj.bias", "enc.self_attn.out_proj.weight"}));
    }

    void sparseGradientsArriveInTheFlatOnes()
    {
        Run dense(sequenceNetwork(0)), sparse(sequenceNetwork(0, true));
        for (Run* run : {&dense, &sparse})
            run->step(sequences(5));
        COMPARE_TENSORS(sparse.gradient("emb.weight"), dense.gradient("emb.weight"), 1e-6);
        QVERIFY(dense.gradient("emb.weight")[2].abs().sum().item<float>() > 0);
        QCOMPARE(sparse.said().at("train/loss"), dense.said().at("train/loss"));
    }

    void aMaskThatIsNoneNamesItsNode()
    {
        Run run(sequenceNetwork(0));
        auto batch = sequences(5);
        batch.fields["mask"][1].zero_();
        try {
            run.forward(batch);
            QFAIL("no error");
        } catch (const PlacedError& error) {
            QCOMPARE(error.error().where, std::string("network/lstm"));
            QVERIFY(QString::fromStdString(error.error().message).contains("sample 1"));
        }
    }

    /// Each loss is scaled by its weight in the total; one has no target, one another node's output as its target.
    void lossesOfAllKindsAddUp()
    {
        Run run(towers({nodeJson("near", "TripletMarginLoss", {{"weight", 0.5}}),
                        nodeJson("class", "CrossEntropyLoss", {{"weight", 2}}),
                        nodeJson("same", "MSELoss", {{"weight", 3}}), nodeJson("spread", "GaussianNLLLoss"),
                        nodeJson("soft", "Softplus")},
                       {{"a", "near:anchor"},
                        {"b", "near:positive"},
                        {"c", "near:negative"},
                        {"a", "class:input"},
                        {"label", "class:target"},
                        {"a", "same:input"},
                        {"b", "same:target"},
                        {"c", "soft"},
                        {"a", "spread:input"},
                        {"b", "spread:target"},
                        {"soft", "spread:var"}}),
                {{"epochs", 1}, {"metrics", {"accuracy"}}});
        const auto batch = rows();
        const auto pass = run.forward(batch);
        QCOMPARE(pass.outputs.size(), std::size_t(4));
        std::map<std::string, double> losses;
        double total = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            const LossNode& node = run.parts().network->lossNodes()[i];
            losses[node.id] = pass.outputs[i].value.item<double>();
            total += losses[node.id] * node.weight;
            QCOMPARE(pass.outputs[i].target.defined(), node.id != "near");
        }
        QVERIFY(std::abs(pass.loss.item<double>() - total) < 1e-5);
        // By hand: the mean square of the towers' difference.
        const auto state = stateOf(run.parts().network->module());
        const auto tower = [&](const std::string& id) {
            return torch::linear(batch.fields.at("features"), state.at(id + ".weight"),
                                 state.at(id + ".bias"));
        };
        QVERIFY(std::abs(losses.at("same") - (tower("a") - tower("b")).square().mean().item<double>()) <
                1e-6);

        run.step(batch);
        const auto values = run.said();
        QVERIFY(std::abs(values.at("train/loss") - total) < 1e-5);
        QVERIFY(std::abs(values.at("train/loss/near") - losses.at("near")) < 1e-6);
        QVERIFY(values.contains("train/accuracy"));
        for (const char* name : {"a.weight", "b.weight", "c.weight"})
            QVERIFY2(run.gradient(name).abs().sum().item<float>() > 0,
                     name); // a target that is computed learns too
        QVERIFY(values.contains("activation/a/mean") && values.contains("activation/soft/mean"));
    }

    /// Under autocast the network yields fewer digits than the data has.
    void targetsKeepTheirPrecision()
    {
        for (const char* kind : {"MSELoss", "PoissonNLLLoss", "HingeEmbeddingLoss", "BCEWithLogitsLoss"}) {
            const auto target = torch::tensor({1.0001f, 0.9999f});
            const auto prediction = torch::zeros({2}, torch::kBFloat16);
            const auto loss =
                makeLoss("loss", kind, completeParams(*layerCatalog().find(kind), Json::object()));
            const AutocastScope autocast(Precision::Bf16, torch::kCPU);
            const LossOutput output = loss.forward({prediction, target});
            QVERIFY2(torch::equal(output.target, target), kind);
            QVERIFY2(std::isfinite(output.value.item<double>()), kind);
        }
    }

    /// Metrics of classes and numbers do not go with a loss that compares neither.
    void metricsFitTheLoss()
    {
        for (const char* name : {"accuracy", "f1", "mae", "r2"}) {
            LossNode node;
            node.task = lossTask("TripletMarginLoss", Json::object());
            QVERIFY2(!makeMetric(name, node), name);
            node.task = lossTask("GaussianNLLLoss", Json::object());
            QCOMPARE(makeMetric(name, node) != nullptr,
                     std::string(name) == "mae" || std::string(name) == "r2");
        }
    }
};

QTEST_APPLESS_MAIN(TestSequences)
#include "tst_sequences.moc"
