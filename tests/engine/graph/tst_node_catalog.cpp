#include "engine/graph/node_catalog.h"
#include "engine/graph/param_check.h"

#include <QtTest>

#include <set>
#include <sstream>

using namespace athanor;

namespace {

// The network kinds that saved projects and documentation rely on.
const char* const kLayerKinds = R"(Input Linear Bilinear Identity Flatten Unflatten Reshape Permute Squeeze Unsqueeze Slice Conv1d
Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d MaxPool1d MaxPool2d MaxPool3d
AvgPool1d AvgPool2d AvgPool3d LPPool1d LPPool2d AdaptiveAvgPool1d AdaptiveAvgPool2d
AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d Upsample PixelShuffle
ZeroPad2d ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d
ReplicationPad3d BatchNorm1d BatchNorm2d BatchNorm3d LayerNorm GroupNorm InstanceNorm1d
InstanceNorm2d LocalResponseNorm Dropout Dropout2d AlphaDropout ReLU ReLU6 LeakyReLU PReLU ELU SELU
CELU GELU SiLU Mish Hardswish Hardsigmoid Hardtanh Sigmoid Tanh Softplus Softsign Softmax LogSoftmax
Embedding EmbeddingBag PositionalEncoding RNN LSTM GRU MultiheadAttention TransformerEncoderLayer
TransformerDecoderLayer Add Subtract Multiply Divide MatMul Concat Stack Mean Sum Max Min PadToMatch
CrossEntropyLoss NLLLoss BCELoss BCEWithLogitsLoss MSELoss L1Loss SmoothL1Loss HuberLoss KLDivLoss
PoissonNLLLoss GaussianNLLLoss CosineEmbeddingLoss TripletMarginLoss HingeEmbeddingLoss CTCLoss)";

std::vector<const NodeKind*> allKinds()
{
    std::vector<const NodeKind*> kinds;
    for (const NodeCatalog* catalog : {&layerCatalog(), &dataCatalog()})
        for (const NodeKind& kind : catalog->kinds())
            kinds.push_back(&kind);
    return kinds;
}

ParamSpec spec(ParamType type)
{
    return {.name = "p", .type = type};
}

} // namespace

class NodeCatalogTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void holdsTheKindsOfTheContract();
    void everyKindIsExplained();
    void defaultsAreValid();
    void nearestKind();
    void completesParameters();
    void checksValues_data();
    void checksValues();
    void namesUnknownAndMissing();
    void catalogAsJson();
};

void NodeCatalogTest::holdsTheKindsOfTheContract()
{
    std::istringstream names(kLayerKinds);
    for (std::string kind; names >> kind;)
        QVERIFY2(layerCatalog().find(kind) != nullptr, kind.c_str());
    for (const char* kind : {"MnistIdx", "ImageFolder", "CsvTable", "NumpyFile", "Synthetic", "Split",
                             "Parts", "ToTensor", "Normalize", "Standardize", "Resize", "CenterCrop",
                             "RandomCrop", "RandomHorizontalFlip", "Grayscale", "Loader"})
        QVERIFY2(dataCatalog().find(kind) != nullptr, kind);
    QVERIFY(layerCatalog().find("Loader") == nullptr);
    QVERIFY(layerCatalog().find("MSELoss")->isLoss());
    QVERIFY(!layerCatalog().find("ReLU")->isLoss());
}

void NodeCatalogTest::everyKindIsExplained()
{
    std::set<std::string> seen;
    for (const NodeKind* kind : allKinds()) {
        QVERIFY2(seen.insert(kind->kind).second, kind->kind.c_str());
        QVERIFY2(kind->family != NodeFamily::Unknown && !kind->title.empty(), kind->kind.c_str());
        QVERIFY2(kind->help.size() > 30, kind->kind.c_str());
        std::set<std::string> names;
        for (const ParamSpec& param : kind->params) {
            const std::string what = kind->kind + "." + param.name;
            QVERIFY2(names.insert(param.name).second, what.c_str());
            QVERIFY2(param.help.size() > 8 && param.help.back() == '.', what.c_str());
            QVERIFY2(param.type != ParamType::Choice || param.choices.size() > 1, what.c_str());
        }
        const bool isLayer = layerCatalog().find(kind->kind) != nullptr;
        QCOMPARE(static_cast<bool>(kind->shapeRule), isLayer);
    }
}

void NodeCatalogTest::defaultsAreValid()
{
    for (const NodeKind* kind : allKinds())
        for (const ParamSpec& param : kind->params) {
            const std::string what = kind->kind + "." + param.name;
            if (param.required || param.inferred)
                QVERIFY2(param.standard.is_null(), what.c_str());
            else
                QVERIFY2(!checkValue(param, param.standard).has_value(), what.c_str());
        }
}

void NodeCatalogTest::nearestKind()
{
    QCOMPARE(layerCatalog().nearest("Conv2D"), std::string("Conv2d"));
    QCOMPARE(layerCatalog().nearest("conv_2d"), std::string("Conv2d"));
    QCOMPARE(layerCatalog().nearest("CrossEntropy"), std::string("CrossEntropyLoss"));
    QCOMPARE(layerCatalog().nearest("Liner"), std::string("Linear"));
    QCOMPARE(layerCatalog().nearest("Flurb"), std::string());
    QCOMPARE(layerCatalog().nearest(std::string(100000, 'x')), std::string());
    QCOMPARE(dataCatalog().nearest("csv_table"), std::string("CsvTable"));
}

void NodeCatalogTest::completesParameters()
{
    const Json full = completeParams(*layerCatalog().find("Conv2d"),
                                     {{"kernel_size", 5}, {"stride", {2}}, {"mystery", "kept"}});
    QCOMPARE(full["kernel_size"], Json({5, 5}));
    QCOMPARE(full["stride"], Json({2, 2}));
    QCOMPARE(full["padding"], Json({0, 0}));
    QCOMPARE(full["bias"], Json(true));
    QCOMPARE(full["mystery"], Json("kept"));
    QVERIFY(!full.contains("out_channels") && !full.contains("in_channels"));
    // A wrong value stays as it is, for the checker to name; a named padding and a null are values.
    const Json odd =
        completeParams(*layerCatalog().find("Conv2d"), {{"kernel_size", "three"}, {"padding", "same"}});
    QCOMPARE(odd["kernel_size"], Json("three"));
    QCOMPARE(odd["padding"], Json("same"));
    QCOMPARE(completeParams(*layerCatalog().find("MaxPool2d"), Json::object())["stride"], Json());
    QCOMPARE(completeParams(*dataCatalog().find("Normalize"), {{"mean", 0.5}})["mean"], Json::array({0.5}));
    QCOMPARE(completeParams(*layerCatalog().find("ReLU"), Json("no object")), Json::object());
}

void NodeCatalogTest::checksValues_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("message"); // empty: fits
    const auto row = [](const char* kind, const char* name, const char* value, const char* message) {
        QTest::newRow((std::string(kind) + "." + name + "=" + value).c_str())
            << kind << name << value << message;
    };
    row("Conv2d", "kernel_size", "3", "");
    row("Conv2d", "kernel_size", "[3, 5]", "");
    row("Conv2d", "kernel_size", "[3]", "");
    row("Conv2d", "kernel_size", "[3, 5, 7]", "must have 2 entries, has 3");
    row("Conv2d", "kernel_size", "[]", "must have 2 entries, has 0");
    row("Conv2d", "kernel_size", "0", "must be at least 1, is 0");
    row("Conv2d", "kernel_size", "[3, -1]", "entry 2 must be at least 1, is -1");
    row("Conv2d", "kernel_size", "3.0", "must be a whole number or a list of them, is 3.0");
    row("Conv2d", "kernel_size", "\"3\"", "must be a whole number or a list of them, is \"3\"");
    row("Conv2d", "kernel_size", "true", "must be a whole number or a list of them, is true");
    row("Conv2d", "kernel_size", "null", "must not be null");
    row("Conv2d", "kernel_size", "99999999999", "must be between 1 and 2147483647, is 99999999999");
    row("Conv2d", "kernel_size", "18446744073709551615",
        "must be a whole number or a list of them, is 18446744073709551615");
    row("Conv2d", "padding", "\"same\"", "");
    row("Conv2d", "padding", "\"sane\"", "must be one of same, valid, is \"sane\"");
    row("Conv2d", "padding", "false",
        "must be a whole number, a list of them, or one of same, valid, is false");
    row("Conv2d", "padding_mode", "\"reflect\"", "");
    row("Conv2d", "padding_mode", "1", "must be one of zeros, reflect, replicate, circular, is 1");
    row("Conv2d", "bias", "1", "must be true or false, is 1");
    row("Conv2d", "in_channels", "null", ""); // follows from the input
    row("Dropout", "p", "0.5", "");
    row("Dropout", "p", "1", "");
    row("Dropout", "p", "1.5", "must be between 0 and 1, is 1.5");
    row("Dropout", "p", "\"0.5\"", "must be a number, is \"0.5\"");
    row("BatchNorm2d", "eps", "0", "must be above 0, is 0");
    row("BatchNorm2d", "momentum", "null", "");
    row("MaxPool2d", "stride", "null", "");
    row("Input", "field", "7", "must be a text, is 7");
    row("Normalize", "mean", "0.5", "");
    row("Normalize", "mean", "[0.5, \"x\"]", "entry 2 must be a number, is \"x\"");
    row("Normalize", "std", "[0.5, 0]", "entry 2 must be above 0, is 0");
    row("Normalize", "std", "[]", "must not be an empty list");
    row("CsvTable", "target", "11", "");
    row("CsvTable", "target", "-1", "");
    row("CsvTable", "target", "\"quality\"", "");
    row("CsvTable", "target", "1.5", "must be a whole number or a name, is 1.5");
    row("CsvTable", "target", "null", "");
    row("CsvTable", "path", "\"\"", "must name a file or folder");
    row("CsvTable", "path", "3", "must be a path, is 3");
    row("CsvTable", "ignore", "[\"id\"]", "");
    row("CsvTable", "ignore", "[\"id\", 3]", "entry 2 must be a text, is 3");
    row("CsvTable", "ignore", "\"id\"", "must be a list of texts, is \"id\"");
}

void NodeCatalogTest::checksValues()
{
    QFETCH(QString, kind);
    QFETCH(QString, name);
    QFETCH(QString, value);
    QFETCH(QString, message);
    const NodeKind* found = layerCatalog().find(kind.toStdString());
    found = found != nullptr ? found : dataCatalog().find(kind.toStdString());
    QVERIFY(found != nullptr && found->param(name.toStdString()) != nullptr);
    const auto problem = checkValue(*found->param(name.toStdString()), Json::parse(value.toStdString()));
    QCOMPARE(QString::fromStdString(problem ? problem->message : ""), message);
}

void NodeCatalogTest::namesUnknownAndMissing()
{
    const auto& conv = layerCatalog().find("Conv2d")->params;
    const auto problems = checkParams(conv, {{"kernelsize", 3}, {"out_channels", 8}}, "Conv2d");
    QCOMPARE(problems.size(), std::size_t(2));
    QCOMPARE(problems[0].parameter, std::string("kernelsize"));
    QCOMPARE(problems[0].hint, std::string("did you mean 'kernel_size'?"));
    QCOMPARE(problems[1].parameter, std::string("kernel_size"));
    QCOMPARE(problems[1].message, std::string("Conv2d needs kernel_size"));
    QVERIFY(checkValue(spec(ParamType::Real), Json(1e308 * 10)).has_value()); // infinite
}

void NodeCatalogTest::catalogAsJson()
{
    const Json json = catalogJson(layerCatalog());
    QCOMPARE(json.size(), layerCatalog().kinds().size());
    const auto conv =
        std::find_if(json.begin(), json.end(), [](const Json& kind) { return kind["kind"] == "Conv2d"; });
    QVERIFY(conv != json.end());
    QCOMPARE((*conv)["family"], Json("Convolution"));
    QCOMPARE((*conv)["inputs"][0]["name"], Json("input"));
    const auto& params = (*conv)["params"];
    const auto stride = std::find_if(params.begin(), params.end(),
                                     [](const Json& param) { return param["name"] == "stride"; });
    QVERIFY(stride != params.end());
    QCOMPARE((*stride)["type"], Json("int or list"));
    QCOMPARE((*stride)["default"], Json(1));
    QCOMPARE((*stride)["minimum"], Json(1.0));
    QCOMPARE((*stride)["list_size"], Json(2));
    QCOMPARE((*stride)["required"], Json(false));
}

QTEST_APPLESS_MAIN(NodeCatalogTest)
#include "tst_node_catalog.moc"
