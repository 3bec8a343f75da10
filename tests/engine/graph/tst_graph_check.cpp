#include "tests/engine/graph/graph_builder.h"

#include <QtTest>

using namespace athanor;

namespace {

const FieldTypes kDigits{{{"image", floats({1, 28, 28})}, {"label", classIndices(10)}}, true};

// The network of the contract's MNIST example.
Graph digitsNetwork()
{
    return graphOf(
        {node("image", "Input", {{"field", "image"}}),
         node("conv1", "Conv2d", {{"out_channels", 32}, {"kernel_size", 3}, {"padding", 1}}),
         node("bn1", "BatchNorm2d"), node("relu1", "ReLU"), node("pool1", "MaxPool2d", {{"kernel_size", 2}}),
         node("conv2", "Conv2d", {{"out_channels", 64}, {"kernel_size", 3}, {"padding", 1}}),
         node("pool2", "MaxPool2d", {{"kernel_size", 2}}), node("flat", "Flatten"),
         node("fc1", "Linear", {{"out_features", 128}}), node("fc2", "Linear", {{"out_features", 10}}),
         node("label", "Input", {{"field", "label"}}), node("loss", "CrossEntropyLoss")},
        {"image -> conv1", "conv1 -> bn1", "bn1 -> relu1", "relu1 -> pool1", "pool1 -> conv2",
         "conv2 -> pool2", "pool2 -> flat", "flat -> fc1", "fc1 -> fc2", "fc2 -> loss:input",
         "label -> loss:target"});
}

Graph with(Graph graph, const std::vector<GraphEdit>& edits)
{
    for (const GraphEdit& change : edits)
        if (!apply(graph, change).ok())
            qFatal("the test's own edit failed");
    return graph;
}

} // namespace

class GraphCheckTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void soundNetwork();
    void fieldsNotKnownYet();
    void severalFaultsAtOnce();
    void inferenceGoesOnBehindErrors();
    void wrongValueCausesNoFalseAlarms();
    void everyCycleIsNamed();
    void edgesThatDoNotFit();
    void writtenInferredParameters();
    void combining();
    void endsOfTheNetwork();
    void emptyNetwork();
    void recurrentOutputs();
    void hugeNumbersDoNotOverflow();
    void fiveHundredNodes();
};

void GraphCheckTest::soundNetwork()
{
    const GraphCheck check = checkNetwork(digitsNetwork(), kDigits);
    QCOMPARE(linesOf(check.problems), std::string());
    QVERIFY(check.ok());
    // By hand: conv1 32·(1·9)+32, bn1 2·32, conv2 64·(32·9)+64, fc1 3136·128+128, fc2 128·10+10.
    QCOMPARE(check.parameters, 320 + 64 + 18496 + 401536 + 1290);
    // conv1 9·32·28·28, conv2 288·64·14·14, fc1 3136·128, fc2 128·10.
    QCOMPARE(check.macs, 225792 + 3612672 + 401408 + 1280);
    QCOMPARE(check.nodes.at("pool1").outputs[0]->text(), std::string("N×32×14×14"));
    QCOMPARE(check.nodes.at("flat").outputs[0]->text(), std::string("N×3136"));
    QCOMPARE(check.nodes.at("fc1").params["in_features"], Json(3136));
    QCOMPARE(check.nodes.at("conv1").params["stride"], Json({1, 1}));
    QCOMPARE(check.nodes.at("bn1").params["num_features"], Json(32));
    QVERIFY(check.nodes.at("loss").outputs.empty());
}

void GraphCheckTest::fieldsNotKnownYet()
{
    const GraphCheck check = checkNetwork(digitsNetwork(), {});
    QCOMPARE(linesOf(check.problems), std::string());
    // Channels are known all the same.
    QCOMPARE(check.nodes.at("pool2").outputs[0]->text(), std::string("N×64×?×?"));
    QCOMPARE(check.nodes.at("conv2").parameters, std::int64_t(18496));
    QCOMPARE(check.nodes.at("fc2").outputs[0]->text(), std::string("N×10"));
    QCOMPARE(check.nodes.at("fc2").parameters, std::int64_t(1290));
}

void GraphCheckTest::severalFaultsAtOnce()
{
    const Graph graph =
        graphOf({node("image", "Input", {{"field", "imag"}}), node("conv1", "Conv2D", {{"out_channels", 32}}),
                 node("conv2", "Conv2d", {{"out_channels", "many"}, {"kernelsize", 3}, {"padding", -1}}),
                 node("drop", "Dropout", {{"p", 2}}), node("lost", "ReLU"),
                 node("loss", "CrossEntropyLoss", {{"label_smoothing", 0.1}})},
                {"image -> conv1", "image -> conv2", "conv2 -> drop", "drop -> loss:inpt", "conv3 -> drop"});
    const GraphCheck check = checkNetwork(graph, kDigits);
    QVERIFY(!check.ok());
    QCOMPARE(
        linesOf(check.problems),
        std::string("error network/image/field: the data has no field 'imag'\n"
                    "error network/conv1: there is no kind 'Conv2D'\n"
                    "warning network/conv1: leads to no loss, so it learns nothing\n"
                    "error network/conv2/kernelsize: Conv2d has no parameter 'kernelsize'\n"
                    "error network/conv2/out_channels: out_channels must be a whole number, is \"many\"\n"
                    "error network/conv2/padding: padding must be at least 0, is -1\n"
                    "error network/conv2/kernel_size: Conv2d needs kernel_size\n"
                    "error network/drop/p: p must be between 0 and 1, is 2\n"
                    "error network/drop: the edge conv3 → drop names a node 'conv3' that does not exist\n"
                    "error network/lost/input: nothing is connected to its input\n"
                    "warning network/lost: leads to no loss, so it learns nothing\n"
                    "error network/loss/inpt: CrossEntropyLoss has no input 'inpt'\n"
                    "error network/loss/input: nothing is connected to its input\n"
                    "error network/loss/target: nothing is connected to its input target\n"));
    QCOMPARE(problemAt(check, "network/image/field")->hint, std::string("did you mean 'image'?"));
    QCOMPARE(problemAt(check, "network/conv1")->hint, std::string("did you mean 'Conv2d'?"));
    QCOMPARE(problemAt(check, "network/conv2/kernelsize")->hint, std::string("did you mean 'kernel_size'?"));
    QCOMPARE(problemAt(check, "network/loss/inpt")->hint, std::string("did you mean 'input'?"));
}

void GraphCheckTest::inferenceGoesOnBehindErrors()
{
    // Channels that do not fit, and further down features that do not fit: both are found.
    const Graph graph = with(digitsNetwork(), {{edit::SetParameter{"conv2", "in_channels", 16}},
                                               {edit::SetParameter{"fc1", "in_features", 100}},
                                               {edit::SetParameter{"fc2", "out_features", 7}}});
    const GraphCheck check = checkNetwork(graph, kDigits);
    QCOMPARE(
        linesOf(check.problems),
        std::string(
            "error network/conv2/in_channels: expects 16 channels, but gets 32 (N×32×14×14)\n"
            "error network/fc1/in_features: expects 100 features, but gets 3136 (N×3136)\n"
            "error network/loss: the data has 10 classes, but the network yields 7 scores per sample\n"));
    QCOMPARE(check.nodes.at("fc1").outputs[0]->text(), std::string("N×128"));
}

void GraphCheckTest::wrongValueCausesNoFalseAlarms()
{
    // kernel_size is wrong, so what follows has unknown extents: nothing but the value itself is a problem.
    const GraphCheck check =
        checkNetwork(with(digitsNetwork(), {{edit::SetParameter{"conv1", "stride", "big"}}}), kDigits);
    QCOMPARE(
        linesOf(check.problems),
        std::string(
            "error network/conv1/stride: stride must be a whole number or a list of them, is \"big\"\n"));
    QCOMPARE(check.nodes.at("conv1").outputs[0]->text(), std::string("N×32×?×?"));
    QCOMPARE(check.nodes.at("fc2").outputs[0]->text(), std::string("N×10"));
}

void GraphCheckTest::everyCycleIsNamed()
{
    const Graph graph =
        graphOf({node("a", "ReLU"), node("b", "ReLU"), node("c", "Linear", {{"out_features", 0}}),
                 node("d", "Add"), node("e", "ReLU"), node("loss", "MSELoss")},
                {"a -> b", "b -> a", "b -> c", "c -> d", "d -> d", "e -> d", "d -> loss", "e -> loss:target",
                 "b -> e"});
    const GraphCheck check = checkNetwork(graph, {});
    QCOMPARE(linesOf(check.problems),
             std::string("error network/a: lies on a cycle: a → b → a\n"
                         "error network/c/out_features: out_features must be at least 1, is 0\n"
                         "error network/d: lies on a cycle: d → d\n"));
}

void GraphCheckTest::edgesThatDoNotFit()
{
    const Graph graph = with(digitsNetwork(), {{edit::Connect{{{"image", ""}, {"fc1", ""}}, {}}},
                                               {edit::Connect{{{"fc2", "logits"}, {"loss", "weights"}}, {}}},
                                               {edit::Disconnect{{{"label", ""}, {"loss", "target"}}}}});
    const GraphCheck check = checkNetwork(graph, kDigits);
    QCOMPARE(linesOf(check.problems),
             std::string("error network/fc1/input: 2 edges enter input, which takes one\n"
                         "error network/fc2/logits: Linear has no output 'logits'\n"
                         "warning network/label: leads to no loss, so it learns nothing\n"
                         "error network/loss/weights: CrossEntropyLoss has no input 'weights'\n"
                         "error network/loss/target: nothing is connected to its input target\n"));
    const GraphCheck ends =
        checkNetwork(with(digitsNetwork(), {{edit::Connect{{{"loss", ""}, {"extra", ""}}, 0}},
                                            {edit::Connect{{{"fc2", ""}, {"label", ""}}, {}}}}),
                     kDigits);
    QVERIFY(problemAt(ends, "network/label") != nullptr);
    QCOMPARE(problemAt(ends, "network/label")->message, std::string("Input is a start: nothing can feed it"));
    const GraphCheck after =
        checkNetwork(with(digitsNetwork(), {{edit::AddNode{node("relu9", "ReLU"), {}, {}}},
                                            {edit::Connect{{{"loss", ""}, {"relu9", ""}}, {}}}}),
                     kDigits);
    QCOMPARE(problemAt(after, "network/loss")->message,
             std::string("CrossEntropyLoss is an end: nothing can follow it"));
}

void GraphCheckTest::writtenInferredParameters()
{
    const GraphCheck check =
        checkNetwork(with(digitsNetwork(), {{edit::SetParameter{"conv1", "in_channels", 1}},
                                            {edit::SetParameter{"bn1", "num_features", 32}}}),
                     kDigits);
    QCOMPARE(linesOf(check.problems), std::string());
}

void GraphCheckTest::combining()
{
    const auto network = [](const char* kind, const Json& params, const TensorType& a, const TensorType& b) {
        const Graph graph = graphOf(
            {node("a", "Input", {{"field", "a"}}), node("b", "Input", {{"field", "b"}}),
             node("both", kind, params)},
            {"a -> both", std::string("b -> both") + (std::string(kind) == "Subtract" ? ":other" : "")});
        return checkNetwork(graph, {{{"a", a}, {"b", b}}, true});
    };
    const auto shape = [&](const char* kind, const Json& params, const TensorType& a, const TensorType& b) {
        const GraphCheck check = network(kind, params, a, b);
        const Problem* problem = problemAt(check, "network/both");
        problem = problem != nullptr ? problem : problemAt(check, "network/both/dim");
        // "leads to no loss" aside, which is not what this is about
        const bool isError = problem != nullptr && problem->severity == Severity::Error;
        return isError                             ? problem->message
               : check.nodes.at("both").outputs[0] ? check.nodes.at("both").outputs[0]->text()
                                                   : "unknown";
    };
    const Json none = Json::object();
    QCOMPARE(shape("Add", none, floats({8, 4}), floats({8, 4})), std::string("N×8×4"));
    QCOMPARE(shape("Multiply", none, floats({8, 4, 4}), floats({8, 1, 1})), std::string("N×8×4×4"));
    QCOMPARE(shape("Subtract", none, floats({8}), floats({4})),
             std::string("combines element by element, but gets N×8 and N×4"));
    QCOMPARE(shape("Add", none, floats({8}), floats({8, 1})),
             std::string("combines element by element, but gets N×8 and N×8×1"));
    QCOMPARE(shape("Add", none, floats({8}), classIndices(3)),
             std::string("takes numbers, but gets class indices (N)"));
    QCOMPARE(shape("Concat", none, floats({8, 4, 4}), floats({3, 4, 4})), std::string("N×11×4×4"));
    QCOMPARE(shape("Concat", {{"dim", -1}}, floats({8, 4}), floats({8, 6})), std::string("N×8×10"));
    QCOMPARE(shape("Concat", none, floats({8, 4, 4}), floats({3, 4, 5})),
             std::string("joins along axis 1, but gets N×8×4×4 and N×3×4×5"));
    QCOMPARE(shape("Concat", {{"dim", 0}}, floats({8}), floats({8})),
             std::string("dim 0 is the batch: samples cannot be joined to each other"));
    QCOMPARE(shape("Concat", {{"dim", 3}}, floats({8}), floats({8})),
             std::string("dim is 3, but the input has 2 axes"));
}

void GraphCheckTest::endsOfTheNetwork()
{
    const GraphCheck noLoss = checkNetwork(with(digitsNetwork(), {{edit::RemoveNode{"loss"}}}), kDigits);
    QCOMPARE(linesOf(noLoss.problems),
             std::string("error network: the network has no loss, so there is nothing to train for\n"));
    const GraphCheck data =
        checkNetwork(with(digitsNetwork(), {{edit::AddNode{node("split", "Split"), {}, {}}}}), kDigits);
    QCOMPARE(problemAt(data, "network/split")->hint, std::string("it belongs into the data graph"));
    const GraphCheck index =
        checkNetwork(with(digitsNetwork(), {{edit::SetParameter{"image", "field", "label"}}}), kDigits);
    QCOMPARE(problemAt(index, "network/conv1")->message,
             std::string("takes numbers, but gets class indices (N)"));
}

void GraphCheckTest::emptyNetwork()
{
    QCOMPARE(linesOf(checkNetwork(Graph(), kDigits).problems),
             std::string("error network: the network has no loss, so there is nothing to train for\n"));
}

void GraphCheckTest::recurrentOutputs()
{
    const auto network = [](const Json& params, const char* port) {
        return graphOf(
            {node("x", "Input", {{"field", "image"}}), node("lstm", "LSTM", params),
             node("fc", "Linear", {{"out_features", 2}}), node("y", "Input", {{"field", "label"}}),
             node("loss", "CrossEntropyLoss")},
            {"x -> lstm", std::string("lstm") + port + " -> fc", "fc -> loss:input", "y -> loss:target"});
    };
    const FieldTypes fields{{{"image", floats({15, 2})}, {"label", classIndices(2)}}, true};
    const GraphCheck last =
        checkNetwork(network({{"hidden_size", 32}, {"batch_first", true}}, ":last"), fields);
    QCOMPARE(linesOf(last.problems), std::string());
    QCOMPARE(last.nodes.at("lstm").outputs[0]->text(), std::string("N×15×32"));
    QCOMPARE(last.nodes.at("lstm").outputs[1]->text(), std::string("N×32"));
    QCOMPARE(last.nodes.at("lstm").parameters, std::int64_t(4 * 32 * (2 + 32 + 2)));
    const GraphCheck all = checkNetwork(network({{"hidden_size", 32}}, ""), fields);
    QVERIFY(problemAt(all, "network/lstm/batch_first") != nullptr);
    QVERIFY(problemAt(all, "network/loss/target") != nullptr); // one label for 15 scores
}

void GraphCheckTest::hugeNumbersDoNotOverflow()
{
    const Json big = 2147483647;
    std::vector<Node> nodes{node("x", "Input", {{"field", "image"}})};
    std::vector<std::string> edges;
    std::string last = "x";
    const auto add = [&](const std::string& id, const char* kind, const Json& params) {
        nodes.push_back(node(id, kind, params));
        edges.push_back(last + " -> " + id);
        last = id;
    };
    add("up1", "ConvTranspose2d",
        {{"out_channels", big},
         {"kernel_size", big},
         {"stride", big},
         {"output_padding", 2147483646},
         {"dilation", big}});
    add("conv", "Conv2d", {{"out_channels", big}, {"kernel_size", big}, {"padding", big}, {"dilation", big}});
    add("pool", "MaxPool2d", {{"kernel_size", big}, {"dilation", big}, {"padding", 1073741823}});
    add("adapt", "AdaptiveAvgPool2d", {{"output_size", big}});
    add("flat", "Flatten", Json::object());
    add("fc", "Linear", {{"out_features", big}});
    add("rnn", "LSTM",
        {{"hidden_size", big}, {"num_layers", big}, {"batch_first", true}, {"bidirectional", true}});
    const GraphCheck check = checkNetwork(graphOf(nodes, edges),
                                          {{{"image", floats({2147483647, 2147483647, 2147483647})}}, true});
    QVERIFY(!check.ok());
    for (const auto& [id, one] : check.nodes)
        QVERIFY2(one.parameters >= 0 && one.macs >= 0, id.c_str());
    QVERIFY(check.parameters > 0 && check.macs >= 0);
}

void GraphCheckTest::fiveHundredNodes()
{
    std::vector<Node> nodes{node("x", "Input", {{"field", "image"}})};
    std::vector<std::string> edges;
    for (int i = 0; i < 250; ++i) {
        const std::string conv = numbered("conv", i), act = numbered("act", i);
        nodes.push_back(node(conv, "Conv2d", {{"out_channels", 8}, {"kernel_size", 3}, {"padding", "same"}}));
        nodes.push_back(node(act, "ReLU"));
        edges.push_back((i == 0 ? "x" : numbered("act", i - 1)) + " -> " + conv);
        edges.push_back(conv + " -> " + act);
    }
    const Graph graph = graphOf(nodes, edges);
    QBENCHMARK
    {
        const GraphCheck check = checkNetwork(graph, kDigits);
        QCOMPARE(check.nodes.at("act249").outputs[0]->text(), std::string("N×8×28×28"));
    }
}

QTEST_APPLESS_MAIN(GraphCheckTest)
#include "tst_graph_check.moc"
