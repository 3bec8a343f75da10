// Values as people type them.
#include "ui/graph/value_text.h"

#include "ui/graph/node_text.h"
#include "ui/graph/problem_places.h"
#include "ui/graph/node_looks.h"

#include <QTest>

using namespace athanor;

class ValueTextTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void reads_data();
    void reads();
    void refuses_data();
    void refuses();
    void writes();
    void keyParametersAreShort();
    void shapes();
    void countsAreShortened();
    void placesOfProblems();
    void freezePatterns();
};

namespace {

ParamSpec specOf(ParamType type, int listSize = 0)
{
    return {.name = "x", .type = type, .minimum = 0, .listSize = listSize};
}

} // namespace

void ValueTextTest::reads_data()
{
    QTest::addColumn<int>("type");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("json");
    const auto row = [](const char* name, ParamType type, const char* text, const char* json) {
        QTest::newRow(name) << static_cast<int>(type) << QString::fromUtf8(text) << QString::fromUtf8(json);
    };
    row("int", ParamType::Int, " 16 ", "16");
    row("real", ParamType::Real, "1e-3", "0.001");
    row("real, whole", ParamType::Real, "2", "2.0");
    row("one for all", ParamType::IntOrList, "3", "3");
    row("commas", ParamType::IntOrList, "3, 5", "[3,5]");
    row("spaces", ParamType::IntOrList, "3 5", "[3,5]");
    row("times", ParamType::IntOrList, "3×5", "[3,5]");
    row("brackets", ParamType::IntOrList, "[3,5]", "[3,5]");
    row("tuple", ParamType::IntOrList, "(3, 5)", "[3,5]");
    row("list of one", ParamType::IntList, "7", "[7]");
    row("reals", ParamType::RealList, "0.5, 1e-2", "[0.5,0.01]");
    row("texts", ParamType::TextList, "a, b c", R"(["a","b c"])");
    row("quoted texts", ParamType::TextList, R"(["a, b", "c"])", R"(["a, b","c"])");
    row("no texts", ParamType::TextList, "", "[]");
    row("column by number", ParamType::IntOrText, "3", "3");
    row("column by name", ParamType::IntOrText, "quality", R"("quality")");
    row("any", ParamType::Any, R"({"a": 1})", R"({"a":1})");
    row("text", ParamType::Text, "val/loss", R"("val/loss")");
}

void ValueTextTest::reads()
{
    QFETCH(int, type);
    QFETCH(QString, text);
    QFETCH(QString, json);
    const Result<Json> value = parseValue(specOf(static_cast<ParamType>(type), 0), text);
    QVERIFY2(value.ok(), value.ok() ? "" : value.error().text().c_str());
    QCOMPARE(QString::fromStdString(value->dump()), json);
}

void ValueTextTest::refuses_data()
{
    QTest::addColumn<int>("type");
    QTest::addColumn<QString>("text");
    const auto row = [](ParamType type, const char* text) {
        QTest::addRow("%d %s", static_cast<int>(type), text) << static_cast<int>(type) << QString::fromUtf8(text);
    };
    for (const char* text : {"", "x", "1.5", "1e-3", "-1"}) {
        row(ParamType::Int, text);
    }
    for (const char* text : {"", "x", "1e", "0,1", "-0.5", "inf"}) {
        row(ParamType::Real, text);
    }
    for (const char* text : {"", "x", "3, x", "3 3 3", "[]", "-1"}) {
        row(ParamType::IntOrList, text);
    }
}

void ValueTextTest::refuses()
{
    QFETCH(int, type);
    QFETCH(QString, text);
    const Result<Json> value = parseValue(specOf(static_cast<ParamType>(type), 2), text);
    QVERIFY(!value.ok());
    QVERIFY(!value.error().message.empty());
}

void ValueTextTest::writes()
{
    QCOMPARE(valueText(Json(1e-5)), QStringLiteral("1e-5"));
    QCOMPARE(valueText(Json(0.1)), QStringLiteral("0.1"));
    QCOMPARE(valueText(Json(1e20)), QStringLiteral("1e20"));
    QCOMPARE(valueText(Json(3)), QStringLiteral("3"));
    QCOMPARE(valueText(Json::array({3, 5})), QStringLiteral("3, 5"));
    QCOMPARE(valueText(Json::array({"a", "b"})), QStringLiteral("a, b"));
    QCOMPARE(valueText(Json::array({"a, b"})), QStringLiteral(R"(["a, b"])"));
    QCOMPARE(valueText(Json()), QString());
}

void ValueTextTest::keyParametersAreShort()
{
    const auto line = [](const char* kind, const Json& params, GraphPart part = GraphPart::Network) {
        return kindLine(catalogOf(part).find(kind), Node{"n", kind, params});
    };
    QCOMPARE(line("Conv2d", {{"out_channels", 64}, {"kernel_size", {3, 5}}, {"padding", 1}, {"stride", 2}}),
             QStringLiteral("Conv2d  3×5, 64, stride 2"));
    QCOMPARE(line("Conv2d", {{"out_channels", 8}, {"kernel_size", 1}, {"bias", false}}), QStringLiteral("Conv2d  1×1, 8, no bias"));
    QCOMPARE(line("Conv2d", {{"out_channels", 8}, {"kernel_size", 1}, {"padding", 0}}), QStringLiteral("Conv2d  1×1, 8"));
    QCOMPARE(line("Dropout", {{"p", 0.25}}), QStringLiteral("Dropout  p 0.25"));
    QCOMPARE(line("MnistIdx", {{"images", "../data/t10k.gz"}, {"labels", "l.gz"}}, GraphPart::Data),
             QStringLiteral("MnistIdx  t10k.gz, labels l.gz"));
    QCOMPARE(line("Nothing", {{"a", 1}}), QStringLiteral("Nothing"));
}

void ValueTextTest::shapes()
{
    QCOMPARE(edgeShapeText(TensorType{{kBatch, 32, 28, 28}}), QStringLiteral("32×28×28"));
    QCOMPARE(edgeShapeText(TensorType{{kBatch, 3, kUnknown}}), QStringLiteral("3×?"));
    QCOMPARE(edgeShapeText(TensorType{{kBatch}, ElementType::Index, 10}), QStringLiteral("10 classes"));
    QCOMPARE(edgeShapeText(std::nullopt), QString());
    QCOMPARE(typeText(TensorType{{kBatch, 32, 28, 28}}), QStringLiteral("N×32×28×28"));
}

void ValueTextTest::countsAreShortened()
{
    QCOMPARE(shortCountText(0), QStringLiteral("0"));
    QCOMPARE(shortCountText(999), QStringLiteral("999"));
    QCOMPARE(shortCountText(1000), QStringLiteral("1\u2009k"));
    QCOMPARE(shortCountText(7312384), QStringLiteral("7.31\u2009M"));
    QCOMPARE(shortCountText(999999), QStringLiteral("1\u2009M"));
}

void ValueTextTest::placesOfProblems()
{
    Graph graph;
    for (const char* id : {"conv", "block", "block/conv"}) {
        QVERIFY(apply(graph, GraphEdit{edit::AddNode{Node{id, "ReLU"}, {}, {}}}).ok());
    }
    using Place = std::optional<std::pair<NodeId, std::string>>;
    QVERIFY(nodeOfPath("network/conv/stride", GraphPart::Network, graph) == Place({"conv", "stride"}));
    QVERIFY(nodeOfPath("network/block/conv/stride", GraphPart::Network, graph) == Place({"block/conv", "stride"}));
    QVERIFY(nodeOfPath("network/block/p", GraphPart::Network, graph) == Place({"block", "p"}));
    QVERIFY(nodeOfPath("network/conv", GraphPart::Network, graph) == Place({"conv", ""}));
    QVERIFY(!nodeOfPath("network/nothing/p", GraphPart::Network, graph));
    QVERIFY(!nodeOfPath("data/conv", GraphPart::Network, graph));
    QVERIFY(!nodeOfPath("network", GraphPart::Network, graph));
    QVERIFY(!nodeOfPath("", GraphPart::Network, graph));
}

void ValueTextTest::freezePatterns()
{
    QVERIFY(freezes("conv*", "conv1"));
    QVERIFY(freezes("conv1.weight", "conv1"));
    QVERIFY(freezes("block1.*", "block1/conv"));
    QVERIFY(freezes("conv?.*", "conv1"));
    QVERIFY(!freezes("conv1.bias", "conv1"));
    QVERIFY(!freezes("conv1", "conv10"));
}

QTEST_APPLESS_MAIN(ValueTextTest)
#include "tst_value_text.moc"
