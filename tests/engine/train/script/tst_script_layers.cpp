#include "script_tools.h"

#include <QtTest>

using namespace athanor;

namespace {

Json fetched(const QString& text)
{
    return Json::parse(text.toStdString());
}

std::vector<torch::Tensor> tensorsOf(const Json& list)
{
    std::vector<torch::Tensor> tensors;
    for (const Json& one : list)
        tensors.push_back(one.is_null() ? torch::Tensor() : tensorOf(one));
    return tensors;
}

/// A case's program with its weights, and what it made of the inputs.
struct Built {
    std::shared_ptr<torch::nn::Module> module;
    Tensors inputs;
    Tensors outputs;

    explicit Built(const Json& golden)
    {
        const auto given = tensorsOf(golden["inputs"]);
        const CheckedScript checked(golden["kind"], golden["params"], given);
        for (const auto& input : given)
            inputs.push_back(
                input.defined() && input.is_floating_point() ? input.clone().set_requires_grad(true) : input);
        const bool isLoss = golden["kind"] == "ScriptLoss";
        Layer layer = isLoss ? Layer{} : layerTable().at("Script")(checked.complete());
        LossLayer loss = isLoss ? makeLoss("s", "ScriptLoss", checked.complete()) : LossLayer{};
        module = isLoss ? loss.module : layer.module;
        module->train();
        const torch::NoGradGuard noGrad;
        for (auto& named : module->named_parameters())
            named.value().copy_(tensorOf(golden["state"][named.key()]));
        for (auto& named : module->named_buffers())
            named.value().copy_(tensorOf(golden["state"][named.key()]));
        const torch::AutoGradMode gradients(true);
        outputs = isLoss ? Tensors{loss.forward(inputs).value} : layer.forward(inputs);
    }

    void backward() const
    {
        torch::Tensor total = torch::zeros({});
        for (const auto& output : outputs)
            total = total + (output *
                             torch::cos(torch::arange(output.numel()).view(output.sizes()).to(torch::kFloat)))
                                .sum();
        total.backward();
    }
};

} // namespace

class TestScriptLayers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void computesWhatPythonComputes_data()
    {
        QTest::addColumn<QString>("text");
        const Json golden = goldenCases("script_cases.json");
        for (const auto& one : golden["cases"])
            QTest::newRow(one["name"].get<std::string>().c_str()) << QString::fromStdString(one.dump());
    }
    void computesWhatPythonComputes()
    {
        QFETCH(QString, text);
        const Json golden = fetched(text);
        const Built built(golden);
        const auto expected = tensorsOf(golden["outputs"]);
        QCOMPARE(built.outputs.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i)
            COMPARE_TENSORS(built.outputs[i], expected[i], 1e-5);
        built.backward();
        const auto gradients = tensorsOf(golden["input_gradients"]);
        for (std::size_t i = 0; i < gradients.size(); ++i)
            if (gradients[i].defined())
                COMPARE_TENSORS(built.inputs[i].grad(), gradients[i], 1e-5);
        QCOMPARE(built.module->named_parameters().size(), golden["gradients"].size());
        for (const auto& named : built.module->named_parameters())
            COMPARE_TENSORS(named.value().grad(), tensorOf(golden["gradients"][named.key()]), 1e-5);
        for (const auto& named : built.module->named_buffers())
            COMPARE_TENSORS(named.value(), tensorOf(golden["state_after"][named.key()]), 1e-6);
    }

    void typesWhatItComputes_data() { computesWhatPythonComputes_data(); }
    void typesWhatItComputes()
    {
        QFETCH(QString, text);
        const Json golden = fetched(text);
        const CheckedScript checked(golden["kind"], golden["params"], tensorsOf(golden["inputs"]));
        const ScriptReport report = checked.report();
        for (const auto& problem : report.problems)
            QFAIL(placedText(problem).c_str());
        for (const auto& problem : report.others)
            QFAIL(problem.message.c_str());
        std::int64_t parameters = 0;
        for (const auto& [name, tensor] : golden["gradients"].items())
            parameters += tensorOf(tensor).numel();
        QCOMPARE(report.parameters, parameters);
        QCOMPARE(checked.rule.parameters, parameters);
        if (golden["kind"] == "ScriptLoss")
            return;
        const auto expected = tensorsOf(golden["outputs"]);
        QCOMPARE(report.outputs.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i)
            QCOMPARE(QString::fromStdString(report.outputs[i]->text()),
                     QString::fromStdString(typeOf(expected[i]).text()));
    }

    void drawsInTheOrderOfTheDeclaration()
    {
        const Json golden = goldenCases("script_cases.json")["draws"];
        const CheckedScript checked("Script", golden["params"], {torch::ones({2, 3})});
        torch::manual_seed(golden["seed"].get<std::uint64_t>());
        const Layer layer = layerTable().at("Script")(checked.complete());
        const auto parameters = layer.module->named_parameters();
        QCOMPARE(parameters.keys()[0], std::string("second"));
        for (const auto& named : parameters)
            COMPARE_TENSORS(named.value(), tensorOf(golden["state"][named.key()]), 1e-7);
        COMPARE_TENSORS(layer.module->named_buffers()["seen"], tensorOf(golden["state"]["seen"]), 0);
    }

    void tellsTheBatchFromConstants()
    {
        const auto typeText = [](const std::string& body) {
            const ScriptReport report = reportOf("def forward(self, x: Tensor) -> Tensor:\n" + body);
            if (!report.ok())
                return report.problems.empty() ? report.others[0].message : placedText(report.problems[0]);
            return report.outputs.at(0) ? report.outputs[0]->text() : std::string("unknown");
        };
        QCOMPARE(typeText("    return x\n"), std::string("N×3×4"));
        QCOMPARE(typeText("    return x.transpose(0, 1)\n"), std::string("3×N×4"));
        QCOMPARE(typeText("    return torch.ones(2, 3)\n"), std::string("2×3"));
        QCOMPARE(typeText("    return x.flatten(0, 1)\n"), std::string("?×4"));
        QCOMPARE(typeText("    return x.argmax(2)\n"), std::string("N×3"));
        QCOMPARE(typeText("    if x.size(0) > 2:\n        return x\n    return x.sum(2)\n"),
                 std::string("unknown"));
        QCOMPARE(typeText("    return x[:, 0]\n"), std::string("N×4"));
    }

    void unknownInputsGiveUnknownOutputs()
    {
        const CheckedScript checked("Script",
                                    {{"source", "def forward(self, x: Tensor) -> Tensor:\n    return x\n"}},
                                    {torch::Tensor()});
        const ScriptReport report = checked.report();
        QVERIFY(report.ok());
        QVERIFY(!report.outputs.at(0) && !report.tried);
        // An error in the source is found all the same.
        const CheckedScript broken("Script",
                                   {{"source", "def forward(self, x: Tensor) -> Tensor:\n    return z\n"}},
                                   {torch::Tensor()});
        QCOMPARE(broken.report().problems.size(), std::size_t{1});
    }

    void countsProducts()
    {
        const Json params{{"source", "def forward(self, x: Tensor) -> Tensor:\n"
                                     "    y = torch.conv1d(x, self.kernel, padding=1)\n"
                                     "    return torch.matmul(y.flatten(1), self.weight)\n"},
                          {"parameters", Json::array({{{"name", "kernel"}, {"shape", {5, 3, 3}}},
                                                      {{"name", "weight"}, {"shape", {"5*x.size(2)", 7}}}})}};
        const ScriptReport report = CheckedScript("Script", params, {torch::ones({2, 3, 4})}).report();
        QVERIFY(report.ok());
        QCOMPARE(report.macs, std::int64_t{5 * 4 * 3 * 3 + 20 * 7}); // one output position costs 3·3 products
        QCOMPARE(report.parameters, std::int64_t{45 + 140});
    }

    void tryingLeavesTheRandomNumbersAlone()
    {
        const std::string source =
            "def forward(self, x: Tensor) -> Tensor:\n"
            "    noise = torch.randn_like(x) + torch.rand(x.size(0), 3, 4) + torch.normal(0.0, 1.0, [4])\n"
            "    kept = torch.bernoulli(torch.full_like(x, 0.5))\n"
            "    return torch.dropout(x * kept + noise, 0.5, self.training)\n";
        torch::manual_seed(3);
        const auto expected = torch::rand({4});
        torch::manual_seed(3);
        const ScriptReport report = reportOf(source);
        QVERIFY(report.ok());
        QCOMPARE(report.outputs.at(0)->text(), std::string("N×3×4"));
        QVERIFY(torch::equal(torch::rand({4}), expected));
    }

    void evaluationIsNoTraining()
    {
        const CheckedScript checked("Script",
                                    {{"source", "def forward(self, x: Tensor) -> Tensor:\n"
                                                "    return torch.dropout(x, 0.5, self.training)\n"}},
                                    {torch::ones({2, 50})});
        const Layer layer = layerTable().at("Script")(checked.complete());
        const auto ones = torch::ones({2, 50});
        layer.module->train();
        QVERIFY(!torch::equal(layer.forward({ones})[0], ones));
        layer.module->eval();
        QVERIFY(torch::equal(layer.forward({ones})[0], ones));
    }
};

QTEST_APPLESS_MAIN(TestScriptLayers)
#include "tst_script_layers.moc"
