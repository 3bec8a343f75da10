#include "tests/engine/graph/graph_builder.h"

#include <QtTest>

using namespace athanor;

namespace {

Node table(const char* id = "table")
{
    return node(id, "CsvTable", {{"path", "x.csv"}, {"target", "y"}});
}

Node digits()
{
    return node("digits", "MnistIdx", {{"images", "i.gz"}, {"labels", "l.gz"}});
}

// A chain of nodes as they are given.
std::string problemsOf(const std::vector<Node>& nodes)
{
    std::vector<std::string> edges;
    for (std::size_t i = 1; i < nodes.size(); ++i)
        edges.push_back(nodes[i - 1].id + " -> " + nodes[i].id);
    return linesOf(checkData(graphOf(nodes, edges)).problems);
}

} // namespace

class DataCheckTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void soundGraphs();
    void endsOfTheGraph();
    void partsAreToldApartOnce();
    void orderOfTransforms();
    void values();
    void cropsThatDoNotFit();
    void severalFaultsAtOnce();
};

void DataCheckTest::soundGraphs()
{
    QCOMPARE(problemsOf({digits(), node("split", "Split", {{"stratify", true}}), node("tensor", "ToTensor"),
                         node("norm", "Normalize", {{"mean", {0.1307}}, {"std", {0.3081}}}),
                         node("loader", "Loader", {{"batch_size", 64}})}),
             std::string());
    QCOMPARE(
        problemsOf({table(), node("split", "Split"), node("scale", "Standardize"), node("loader", "Loader")}),
        std::string());
    const Graph apart = graphOf({table("a"), table("b"), node("parts", "Parts"), node("loader", "Loader")},
                                {"a -> parts:train", "b -> parts:val", "parts -> loader"});
    const GraphCheck check = checkData(apart);
    QCOMPARE(linesOf(check.problems), std::string());
    QCOMPARE(check.nodes.at("loader").params["prefetch_factor"], Json(2));
    QCOMPARE(check.nodes.at("a").params["task"], Json("classification"));
}

void DataCheckTest::endsOfTheGraph()
{
    QCOMPARE(
        problemsOf({}),
        std::string("error data: the data graph has no source\nerror data: the data graph has no Loader\n"));
    QCOMPARE(problemsOf({node("loader", "Loader")}),
             std::string("error data/loader/input: nothing is connected to its input\nerror data: the data "
                         "graph has no source\n"));
    const Graph two = graphOf(
        {table(), node("split", "Split"), node("first", "Loader"), node("second", "Loader"), table("spare")},
        {"table -> split", "split -> first", "split -> second"});
    QCOMPARE(linesOf(checkData(two).problems),
             std::string("error data/second: is a second Loader\n"
                         "warning data/spare: leads to no Loader, so it is not used\n"));
    const Graph merged = graphOf({table("a"), table("b"), node("split", "Split"), node("loader", "Loader")},
                                 {"a -> split", "b -> split", "split -> loader"});
    QCOMPARE(linesOf(checkData(merged).problems),
             std::string("error data/split/input: 2 edges enter input, which takes one\n"));
}

void DataCheckTest::partsAreToldApartOnce()
{
    QCOMPARE(problemsOf({table(), node("loader", "Loader")}),
             std::string("warning data/loader: all samples are trained on, none are left to validate on\n"));
    QCOMPARE(problemsOf({table(), node("a", "Split"), node("b", "Split"), node("loader", "Loader")}),
             std::string("error data/b: the parts are told apart already before this Split\n"));
    const Graph both =
        graphOf({table(), node("split", "Split"), node("parts", "Parts"), node("loader", "Loader")},
                {"table -> split", "split -> parts:train", "parts -> loader"});
    QCOMPARE(linesOf(checkData(both).problems),
             std::string("error data/parts: the parts are told apart already before this Parts\n"));
    const Graph noTrain = graphOf({table(), node("parts", "Parts"), node("loader", "Loader")},
                                  {"table -> parts:val", "parts -> loader"});
    QCOMPARE(linesOf(checkData(noTrain).problems),
             std::string("error data/parts/train: nothing is connected to its input train\n"));
}

void DataCheckTest::orderOfTransforms()
{
    const Node norm = node("norm", "Normalize", {{"mean", 0.5}, {"std", 0.5}});
    QCOMPARE(problemsOf({digits(), node("split", "Split"), norm, node("tensor", "ToTensor"),
                         node("loader", "Loader")}),
             std::string("error data/norm: stands before ToTensor, where pixels still are 0 to 255\n"));
    QCOMPARE(
        problemsOf({table(), node("scale", "Standardize"), node("split", "Split"), node("loader", "Loader")}),
        std::string("error data/scale: stands before the parts are told apart, but is measured on the "
                    "training part only\n"));
    QCOMPARE(
        problemsOf({table(), node("split", "Split"), node("tensor", "ToTensor"), node("loader", "Loader")}),
        std::string("error data/tensor: ToTensor works on images, but the data here are a table\n"));
    QCOMPARE(problemsOf({digits(), node("split", "Split"), node("a", "ToTensor"), node("b", "ToTensor"),
                         node("loader", "Loader")}),
             std::string("error data/b: is a second ToTensor: the images would be scaled twice\n"));
    QCOMPARE(problemsOf({digits(), node("split", "Split"), node("loader", "Loader")}),
             std::string("warning data/loader: the images arrive as 0 to 255\n"));
    const auto images = [](std::vector<Node> transforms) {
        std::vector<Node> nodes = {digits(), node("split", "Split")};
        nodes.insert(nodes.end(), transforms.begin(), transforms.end());
        nodes.push_back(node("loader", "Loader"));
        return problemsOf(nodes);
    };
    const Node tensor = node("tensor", "ToTensor");
    QCOMPARE(images({node("erase", "RandomErasing"), tensor}),
             std::string("error data/erase: RandomErasing works on images of floats, but stands before ToTensor\n"));
    QCOMPARE(images({tensor, node("augment", "RandAugment")}),
             std::string("error data/augment: RandAugment works on images of bytes, but stands behind ToTensor\n"));
    QCOMPARE(images({node("scale", "Standardize"), tensor}),
             std::string("error data/scale: stands before ToTensor, where pixels still are 0 to 255\n"));
    QCOMPARE(images({tensor, norm, node("jitter", "ColorJitter")}),
             std::string("warning data/jitter: ColorJitter takes 0 for black and 1 for white, but the images here are "
                         "normalised\n"));
    QCOMPARE(images({tensor, norm, node("again", "Normalize")}),
             std::string("warning data/again: normalises what is normalised already\n"));
    QCOMPARE(images({tensor, node("erase", "RandomErasing"), node("scale", "Standardize")}),
             std::string("warning data/scale: is measured on samples that random transforms have changed\n"));
    QCOMPARE(images({tensor, node("norm", "Normalize", {{"mean", {1, 2, 3}}, {"std", {1, 2, 3}}})}),
             std::string("error data/norm/mean: 3 entries, but the images have 1 channel\n"));
    QCOMPARE(images({node("flip", "RandomHorizontalFlip", {{"when", "always"}}), tensor}),
             std::string("warning data/flip/when: changes the validation and test parts at random, so that their "
                         "figures are not comparable\n"));
    // Arrays may hold anything.
    const Node arrays = node("arrays", "NumpyFile", {{"fields", {{"image", "x.npy"}}}});
    QCOMPARE(problemsOf({arrays, node("split", "Split"), norm, node("loader", "Loader")}), std::string());
}

void DataCheckTest::values()
{
    const auto split = [](const Json& params) {
        return problemsOf({table(), node("split", "Split", params), node("loader", "Loader")});
    };
    QCOMPARE(split({{"train", 0.7}, {"val", 0.2}, {"test", 0.1}}), std::string());
    QCOMPARE(split({{"train", 0.9}}),
             std::string("error data/split/train: train, val and test are more than the whole\n"));
    QCOMPARE(split({{"train", 0}}), std::string("error data/split/train: no samples are left to train on\n"));
    QCOMPARE(split({{"train", "all"}}),
             std::string("error data/split/train: train must be a number, is \"all\"\n"));
    const auto numpy = [](const Json& fields) {
        return problemsOf({node("arrays", "NumpyFile", {{"fields", fields}}), node("split", "Split"),
                           node("loader", "Loader")});
    };
    QCOMPARE(numpy({{"image", "x.npy"}}), std::string());
    QCOMPARE(numpy("x.npy"),
             std::string("error data/arrays/fields: fields must be an object of field names and files\n"));
    QCOMPARE(numpy({{"image", 3}, {"a b", "y.npy"}}),
             std::string("error data/arrays/fields: 'a b' cannot be a field's name\n"
                         "error data/arrays/fields/image: must name a .npy file\n"));
    const auto image = [](const char* kind, const Json& params) {
        return problemsOf({digits(), node("split", "Split"), node("tensor", "ToTensor"),
                           node("t", kind, params), node("loader", "Loader")});
    };
    QCOMPARE(image("Normalize", {{"mean", {1, 2}}, {"std", 1}}),
             std::string("error data/t/std: mean has 2 entries, but std has 1\n"));
    QCOMPARE(image("Resize", {{"size", {1, 2, 3}}}),
             std::string("error data/t/size: size must have 1 or 2 entries\n"));
    QCOMPARE(image("RandomCrop", {{"size", 28}, {"padding", {1, 2, 3, 4}}}), std::string());
    QCOMPARE(image("RandomCrop", {{"size", 28}, {"padding", {1, 2, 3}}}),
             std::string("error data/t/padding: padding must have 1, 2 or 4 entries\n"));
    QCOMPARE(image("RandomHorizontalFlip", {{"when", "sometimes"}}),
             std::string("error data/t/when: when must be one of train, eval, always, is \"sometimes\"\n"));
}

void DataCheckTest::cropsThatDoNotFit()
{
    const auto images = [](const Node& first, const Node& second) {
        return problemsOf({digits(), node("split", "Split"), first, second, node("tensor", "ToTensor"),
                           node("loader", "Loader")});
    };
    const auto crop = [](const Json& params) { return node("crop", "RandomCrop", params); };
    const Node resize = node("resize", "Resize", {{"size", {20, 30}}});
    QCOMPARE(images(resize, crop({{"size", {20, 30}}})), std::string());
    QCOMPARE(images(resize, crop({{"size", 24}})),
             std::string("error data/crop/size: a crop of 24×24 does not fit: the images before it are 20×30\n"));
    QCOMPARE(images(resize, crop({{"size", 24}, {"padding", 2}})), std::string());
    QCOMPARE(images(resize, crop({{"size", 24}, {"pad_if_needed", true}})), std::string());
    QCOMPARE(images(node("resize", "Resize", {{"size", 20}}), crop({{"size", 24}})),
             std::string("error data/crop/size: a crop of 24×24 does not fit: the images before it have a shorter "
                         "edge of 20\n"));
    QCOMPARE(images(resize, node("middle", "CenterCrop", {{"size", 24}})),
             std::string("warning data/middle/size: pads with black: the crop is 24×24, the images before it are "
                         "20×30\n"));
}

void DataCheckTest::severalFaultsAtOnce()
{
    const Graph graph =
        graphOf({node("table", "CsvTabel", {{"path", "x.csv"}}),
                 node("digits", "MnistIdx", {{"images", "i.gz"}}), node("split", "Split", {{"val", 2}}),
                 node("linear", "Linear"), node("loader", "Loader", {{"batchsize", 8}, {"batch_size", 0}})},
                {"digits -> split", "split -> loader", "nowhere -> loader"});
    const GraphCheck check = checkData(graph);
    QCOMPARE(linesOf(check.problems),
             std::string(
                 "error data/table: there is no kind 'CsvTabel'\n"
                 "warning data/table: leads to no Loader, so it is not used\n"
                 "error data/digits/labels: MnistIdx needs labels\n"
                 "error data/split/val: val must be between 0 and 1, is 2\n"
                 "error data/linear: there is no kind 'Linear'\n"
                 "warning data/linear: leads to no Loader, so it is not used\n"
                 "error data/loader/batch_size: batch_size must be at least 1, is 0\n"
                 "error data/loader/batchsize: Loader has no parameter 'batchsize'\n"
                 "error data/loader: the edge nowhere → loader names a node 'nowhere' that does not exist\n"
                 "warning data/loader: the images arrive as 0 to 255\n"));
    QCOMPARE(problemAt(check, "data/linear")->hint, std::string("it belongs into the network graph"));
    QCOMPARE(problemAt(check, "data/table")->hint, std::string("did you mean 'CsvTable'?"));
}

QTEST_APPLESS_MAIN(DataCheckTest)
#include "tst_data_check.moc"
