// Networks with groups and shared weights, against PyTorch's own modules (tests/baseline/make_group_cases.py).
#include "golden.h"
#include "session_record.h"

#include "engine/train/compiled_network.h"

#include <QtTest>

#include <set>

using namespace athanor;

namespace {

/// The project of a case; only its network matters.
Project projectOfCase(const Json& golden)
{
    return projectOf({{"athanor", 1}, {"name", golden["name"]}, {"network", golden["network"]}});
}

FieldTypes fieldsOf(const Json& golden)
{
    FieldTypes types;
    types.known = true;
    for (const auto& [name, tensor] : golden["fields"].items()) {
        TensorType type;
        type.dims = tensor["shape"].get<std::vector<Extent>>();
        type.dims.front() = kBatch;
        types.fields[name] = type;
    }
    return types;
}

DataBatch batchOf(const Json& golden)
{
    DataBatch batch;
    for (const auto& [name, tensor] : golden["fields"].items())
        batch.fields[name] = tensorOf(tensor);
    for (std::int64_t i = 0; i < golden["fields"]["x"]["shape"][0].get<std::int64_t>(); ++i)
        batch.samples.push_back(i);
    return batch;
}

std::map<std::string, torch::Tensor> stateOfModule(torch::nn::Module& module)
{
    std::map<std::string, torch::Tensor> state;
    for (const auto& named : module.named_parameters())
        state[named.key()] = named.value();
    for (const auto& named : module.named_buffers())
        state[named.key()] = named.value();
    return state;
}

std::string namesOfJson(const Json& object)
{
    std::string names;
    for (const auto& [name, value] : object.items())
        names += name + " ";
    return names;
}

template <typename Map>
std::string namesOfMap(const Map& map)
{
    std::string names;
    for (const auto& [name, value] : map)
        names += name + " ";
    return names;
}

} // namespace

class TestGroups : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void agreesWithPyTorch_data();
    void agreesWithPyTorch();
    void sharedNodesHaveNoWeightsOfTheirOwn();
    void anInstanceCanBeFrozen();
};

void TestGroups::agreesWithPyTorch_data()
{
    QTest::addColumn<QString>("text");
    const Json all = goldenCases("group_cases.json");
    for (const auto& golden : all["cases"])
        QTest::newRow(golden["name"].get<std::string>().c_str()) << QString::fromStdString(golden.dump());
}

void TestGroups::agreesWithPyTorch()
{
    QFETCH(QString, text);
    const Json golden = Json::parse(text.toStdString());
    const Project project = projectOfCase(golden);
    const GraphCheck check = checkNetwork(project.network, fieldsOf(golden));
    QVERIFY2(check.ok(), check.problems.empty() ? "" : check.problems.front().message.c_str());
    auto network = CompiledNetwork::compile(project.network, check);
    QVERIFY2(network.ok(), network.ok() ? "" : network.error().text().c_str());

    auto state = stateOfModule(network->module());
    QCOMPARE(namesOfMap(state), namesOfJson(golden["state"]));
    std::int64_t numbers = 0;
    {
        torch::NoGradGuard noGrad;
        for (auto& [name, tensor] : state)
            tensor.copy_(tensorOf(golden["state"][name]));
    }
    for (const auto& named : network->module().named_parameters())
        numbers += named.value().numel();
    QCOMPARE(check.parameters, numbers);

    network->module().train();
    const ForwardPass pass = network->forward(batchOf(golden));
    QVERIFY(std::abs(pass.loss.item<double>() - golden["loss"].get<double>()) <
            1e-5 * golden["loss"].get<double>());
    pass.loss.backward();
    for (const auto& named : network->module().named_parameters())
        COMPARE_TENSORS(named.value().grad(), tensorOf(golden["gradients"][named.key()]), 2e-5);
    for (const auto& named : network->module().named_buffers())
        COMPARE_TENSORS(named.value(), tensorOf(golden["state_after"][named.key()]), 1e-5);
}

void TestGroups::sharedNodesHaveNoWeightsOfTheirOwn()
{
    const Json all = goldenCases("group_cases.json");
    const Json& golden = all["cases"][2];
    const Project project = projectOfCase(golden);
    auto network = CompiledNetwork::compile(project.network, checkNetwork(project.network, fieldsOf(golden)));
    QVERIFY(network.ok());
    QVERIFY(network->module("left/fc") != nullptr);
    QVERIFY(network->module("right/fc") == nullptr);
    const auto& nodes = network->nodes();
    const auto found = std::ranges::find(nodes, "right/fc", &NetworkNode::id);
    QVERIFY(found != nodes.end());
    QCOMPARE(found->kind, std::string("Linear"));
    // Ports are no layers.
    QVERIFY(
        std::ranges::none_of(nodes, [](const NetworkNode& node) { return node.kind.starts_with("Group"); }));
}

void TestGroups::anInstanceCanBeFrozen()
{
    const Json all = goldenCases("group_cases.json");
    Project project = projectOfCase(all["cases"][0]);
    QVERIFY(setProjectValue(project, "training.freeze", R"(["stage.1*"])").ok());
    for (const Problem& problem : checkTraining(project))
        QVERIFY2(!problem.where.starts_with("training/freeze"), problem.message.c_str());
    QVERIFY(setProjectValue(project, "network.stage.0.fc.bias", "false").ok());
    QVERIFY(setProjectValue(project, "network.stage.norm.eps", "0.5").ok());
    const Graph& inside = *project.network.definition("Residual");
    QCOMPARE(inside.find("fc")->params["bias"].get<bool>(), false);
    QCOMPARE(inside.find("norm")->params["eps"].get<double>(), 0.5);
    QVERIFY(setProjectValue(project, "network.stage.repeat", "2").ok());
    const auto wrong = setProjectValue(project, "network.stage.nrm.eps", "1");
    QCOMPARE(wrong.error().hint, std::string("did you mean 'norm'?"));
}

QTEST_APPLESS_MAIN(TestGroups)
#include "tst_groups.moc"
