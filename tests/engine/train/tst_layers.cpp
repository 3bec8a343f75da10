#include "golden.h"

#include "engine/graph/node_catalog.h"
#include "engine/train/layers/layer.h"
#include "engine/script/torch_errors.h"

#include <QtTest>

using namespace athanor;

namespace {

TensorType typeOf(const Json& dumped)
{
    TensorType type;
    type.dims = dumped["shape"].get<std::vector<Extent>>();
    type.dims.front() = kBatch;
    type.type = dumped["index"].get<bool>() ? ElementType::Index : ElementType::Float;
    return type;
}

/// Parameters as checkNetwork completes them: defaults, and what follows from the input.
Json completed(const NodeKind& kind, const Json& written, const Json& inputs)
{
    ShapeContext context;
    for (const auto& input : inputs)
        context.inputs.emplace_back(typeOf(input));
    Json params = completeParams(kind, written);
    context.params = params;
    const ShapeResult result = kind.shapeRule(context);
    for (const auto& [name, value] : result.inferred.items())
        if (!params.contains(name) || params[name].is_null())
            params[name] = value;
    return params;
}

/// Kind, its number among the kind's cases, and what tells it from the others.
std::string caseName(const Json& golden, int number)
{
    return golden["kind"].get<std::string>() + " " + std::to_string(number) + " " + golden["params"].dump();
}

void addCases(const char* part)
{
    QTest::addColumn<QString>("text");
    int number = 0;
    const Json cases = goldenCases("layer_cases.json");
    for (const auto& golden : cases[part])
        QTest::newRow(caseName(golden, ++number).c_str()) << QString::fromStdString(golden.dump());
}

Json fetched(const QString& text)
{
    return Json::parse(text.toStdString());
}

} // namespace

class TestLayers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyKindOfTheCatalogIsBuilt()
    {
        for (const auto& kind : layerCatalog().kinds()) {
            if (kind.family == NodeFamily::Input || kind.family == NodeFamily::Group)
                continue; // neither runs: groups are opened before the network is built
            if (kind.isLoss())
                QCOMPARE(makeLoss("loss", kind.kind, completeParams(kind, Json::object())).node.kind, kind.kind);
            else
                QVERIFY2(layerTable().contains(kind.kind), kind.kind.c_str());
        }
    }

    void computesAsPyTorch_data() { addCases("layers"); }
    void computesAsPyTorch()
    {
        QFETCH(QString, text);
        const Json golden = fetched(text);
        const auto name = golden["kind"].get<std::string>();
        const Json params = completed(*layerCatalog().find(name), golden["params"], golden["inputs"]);
        torch::manual_seed(1);
        const Layer layer = layerTable().at(name)(params);
        compareState(layer, golden["state"]);

        Tensors inputs;
        for (const auto& input : golden["inputs"])
            inputs.push_back(tensorOf(input));
        inputs[0].set_requires_grad(true);
        for (const auto& kind = *layerCatalog().find(name); inputs.size() < kind.inputs.size();)
            inputs.emplace_back(); // optional ports that nothing enters
        torch::manual_seed(2);
        const Tensors trained = layer.forward(inputs);
        compareOutputs(trained, golden["train"]);
        trained[0].square().sum().backward();
        COMPARE_TENSORS(inputs[0].grad(), tensorOf(golden["gradient"]), 2e-6);

        if (layer.module)
            layer.module->eval();
        torch::NoGradGuard noGrad;
        // A layer without a state does not know of evaluation: nothing is drawn at random there.
        compareOutputs(layer.forward(inputs), golden["eval"]);
    }

    void lossesComputeAsPyTorch_data() { addCases("losses"); }
    void lossesComputeAsPyTorch()
    {
        QFETCH(QString, text);
        const Json golden = fetched(text);
        const auto name = golden["kind"].get<std::string>();
        const LossLayer loss = makeLoss("loss", name, completeParams(*layerCatalog().find(name), golden["params"]));
        auto input = tensorOf(golden["input"]).set_requires_grad(true);
        const auto value = loss.forward({input, tensorOf(golden["target"])}).value;
        QCOMPARE(value.dim(), std::int64_t{0});
        const double expected = golden["loss"].get<double>();
        QVERIFY2(std::abs(value.item<double>() - expected) <= 1e-6 * std::abs(expected), qPrintable(QString::number(value.item<double>())));
        value.backward();
        COMPARE_TENSORS(input.grad(), tensorOf(golden["gradient"]), 2e-6);
    }

    void targetsAreNeverRepeatedSilently_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QString>("params");
        QTest::addColumn<QList<int>>("input");
        QTest::addColumn<QList<int>>("target");
        QTest::addColumn<bool>("index");
        QTest::newRow("N against N x 3") << "MSELoss" << "{}" << QList<int>{4, 3} << QList<int>{4} << false;
        QTest::newRow("N x N by broadcasting") << "MSELoss" << "{}" << QList<int>{4, 1} << QList<int>{4, 4} << false;
        QTest::newRow("one value for all") << "L1Loss" << "{}" << QList<int>{4, 1} << QList<int>{1} << false;
        QTest::newRow("class indices against values") << "MSELoss" << "{}" << QList<int>{4, 3} << QList<int>{4} << true;
        QTest::newRow("two scores for a binary target") << "BCEWithLogitsLoss" << "{}" << QList<int>{4, 2} << QList<int>{4} << true;
        QTest::newRow("two indices per sample") << "CrossEntropyLoss" << "{}" << QList<int>{4, 3} << QList<int>{4, 2} << true;
        QTest::newRow("other probabilities") << "CrossEntropyLoss" << "{}" << QList<int>{4, 3} << QList<int>{4, 2} << false;
        QTest::newRow("one-hot of another batch") << "MSELoss" << R"({"one_hot": true})" << QList<int>{4, 3} << QList<int>{3} << true;
    }
    void targetsAreNeverRepeatedSilently()
    {
        QFETCH(QString, kind);
        QFETCH(QString, params);
        QFETCH(QList<int>, input);
        QFETCH(QList<int>, target);
        QFETCH(bool, index);
        const auto shaped = [](const QList<int>& extents, bool integers) {
            const std::vector<std::int64_t> shape(extents.begin(), extents.end());
            return torch::zeros(shape, integers ? torch::kLong : torch::kFloat);
        };
        const LossLayer loss = makeLoss("loss", kind.toStdString(), fetched(params));
        try {
            loss.forward({shaped(input, false), shaped(target, index)});
            QFAIL("no error");
        } catch (const PlacedError& error) {
            QCOMPARE(error.error().where, std::string("network/loss"));
            QVERIFY(QString::fromStdString(error.error().message).contains("shape"));
        }
    }

private:
    static void compareState(const Layer& layer, const Json& state)
    {
        std::map<std::string, torch::Tensor> ours;
        if (layer.module) {
            for (const auto& named : layer.module->named_parameters())
                ours[named.key()] = named.value();
            for (const auto& named : layer.module->named_buffers())
                if (named.value().defined())
                    ours[named.key()] = named.value();
        }
        QCOMPARE(ours.size(), state.size());
        for (const auto& [name, dumped] : state.items()) {
            QVERIFY2(ours.contains(name), name.c_str());
            // The weights are drawn from the same generator in the same order: the same bits.
            QVERIFY2(torch::equal(ours[name], tensorOf(dumped)), name.c_str());
        }
    }

    static void compareOutputs(const Tensors& ours, const Json& theirs)
    {
        QCOMPARE(ours.size(), theirs.size());
        for (std::size_t i = 0; i < theirs.size(); ++i)
            COMPARE_TENSORS(ours[i], tensorOf(theirs[i]), 2e-6);
    }
};

QTEST_APPLESS_MAIN(TestLayers)
#include "tst_layers.moc"
