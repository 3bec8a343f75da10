// Expected values by hand; those of the first network also as counted by torch.autograd.graph.saved_tensors_hooks of
// PyTorch 1.13 (distinct storages that are no parameters; the normalization's mean and deviation aside), which is what
// the rules claim to follow.
#include "engine/graph/activation_memory.h"
#include "tests/engine/graph/graph_builder.h"

#include <QtTest>

using namespace athanor;

namespace {

FieldTypes digits()
{
    return {{{"image", floats({1, 28, 28})}, {"label", classIndices(10)}}, true};
}

ActivationMemory memoryOf(const Graph& graph)
{
    return activationMemory(graph, checkNetwork(graph, digits()));
}

} // namespace

class ActivationMemoryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void smallNetwork()
    {
        const Graph graph = graphOf({node("image", "Input", {{"field", "image"}}),
                                     node("conv", "Conv2d", {{"out_channels", 8}, {"kernel_size", 3}}),
                                     node("bn", "BatchNorm2d"), node("relu", "ReLU"),
                                     node("pool", "MaxPool2d", {{"kernel_size", 2}}), node("flat", "Flatten"),
                                     node("drop", "Dropout"), node("fc", "Linear", {{"out_features", 10}}),
                                     node("label", "Input", {{"field", "label"}}), node("loss", "CrossEntropyLoss")},
                                    {"image -> conv", "conv -> bn", "bn -> relu", "relu -> pool", "pool -> flat", "flat -> drop",
                                     "drop -> fc", "fc -> loss:input", "label -> loss:target"});
        const ActivationMemory memory = memoryOf(graph);
        QCOMPARE(memory.bytes.at("image"), std::int64_t{784 * 4});          // kept by the convolution
        QCOMPARE(memory.bytes.at("conv"), std::int64_t{8 * 26 * 26 * 4});   // kept by the normalization
        QCOMPARE(memory.bytes.at("bn"), std::int64_t{0});                   // ReLU keeps its output instead
        QCOMPARE(memory.bytes.at("relu"), std::int64_t{8 * 26 * 26 * 4});   // once, though the pooling keeps it too
        QCOMPARE(memory.bytes.at("pool"), std::int64_t{8 * 13 * 13 * 8});   // indices
        QCOMPARE(memory.bytes.at("flat"), std::int64_t{0});                 // a view
        QCOMPARE(memory.bytes.at("drop"), std::int64_t{1352 * 4 * 2});      // noise, and the output for the Linear
        QCOMPARE(memory.bytes.at("fc"), std::int64_t{0});
        QCOMPARE(memory.bytes.at("loss"), std::int64_t{10 * 4});            // log-probabilities
        QCOMPARE(memory.bytes.at("label"), std::int64_t{8});
        QCOMPARE(memory.total, std::int64_t{3136 + 21632 * 2 + 10816 + 10816 + 40 + 8});
    }

    void nothingIsKeptBeforeTheFirstParameters()
    {
        const Graph graph = graphOf({node("image", "Input", {{"field", "image"}}), node("relu", "ReLU"),
                                     node("pool", "MaxPool2d", {{"kernel_size", 2}}),
                                     node("conv", "Conv2d", {{"out_channels", 8}, {"kernel_size", 3}})},
                                    {"image -> relu", "relu -> pool", "pool -> conv"});
        const ActivationMemory memory = memoryOf(graph);
        QCOMPARE(memory.bytes.at("image"), std::int64_t{0});
        QCOMPARE(memory.bytes.at("relu"), std::int64_t{0});
        QCOMPARE(memory.bytes.at("pool"), std::int64_t{14 * 14 * 4}); // its output, for the convolution
        QCOMPARE(memory.total, std::int64_t{14 * 14 * 4});
    }

    void joinsKeepOnlyWhatTheyNeed()
    {
        const auto withJoin = [](const char* kind) {
            return graphOf({node("image", "Input", {{"field", "image"}}),
                            node("a", "Conv2d", {{"out_channels", 2}, {"kernel_size", 1}}),
                            node("b", "Conv2d", {{"out_channels", 2}, {"kernel_size", 1}}), node("join", kind)},
                           {"image -> a", "image -> b", "a -> join", "b -> join"});
        };
        QCOMPARE(memoryOf(withJoin("Add")).total, std::int64_t{784 * 4});
        QCOMPARE(memoryOf(withJoin("Multiply")).total, std::int64_t{784 * 4 + 2 * 2 * 784 * 4});
    }

    void unknownShapesAreLeftOut()
    {
        const Graph graph = graphOf({node("image", "Input", {{"field", "image"}}), node("odd", "Zzyzx"),
                                     node("fc", "Linear", {{"out_features", 10}})},
                                    {"image -> odd", "odd -> fc"});
        const ActivationMemory memory = memoryOf(graph);
        QVERIFY(!memory.bytes.contains("odd") && !memory.bytes.contains("fc"));
        QCOMPARE(memory.total, std::int64_t{0});
    }
};

QTEST_APPLESS_MAIN(ActivationMemoryTest)
#include "tst_activation_memory.moc"
