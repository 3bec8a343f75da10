#include "tests/engine/graph/graph_builder.h"

#include <QtTest>

using namespace athanor;

Q_DECLARE_METATYPE(athanor::TensorType)
Q_DECLARE_METATYPE(athanor::Json)

class LossCheck : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void targets_data();
    void targets();
};

void LossCheck::targets_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<Json>("params");
    QTest::addColumn<TensorType>("input");
    QTest::addColumn<TensorType>("target");
    QTest::addColumn<QString>("where"); // "ok" when it fits
    const auto row = [](const char* name, const char* kind, const Json& params, const TensorType& input,
                        const TensorType& target, const char* where) {
        QTest::newRow(name) << kind << params << input << target << where;
    };
    const Json none = Json::object(), oneHot{{"one_hot", true}};
    const char* const ce = "CrossEntropyLoss";
    row("scores and classes", ce, none, floats({10}), classIndices(10), "ok");
    row("classes as a column", ce, none, floats({10}), classIndices(10, {1}), "ok");
    row("number of classes not known", ce, none, floats({10}), classIndices(0), "ok");
    row("fewer classes than scores", ce, none, floats({10}), classIndices(3), "ok");
    row("more classes than scores", ce, none, floats({10}), classIndices(11), "");
    row("one score", ce, none, floats({1}), classIndices(2), "");
    row("segmentation", ce, none, floats({5, 16, 16}), classIndices(5, {16, 16}), "ok");
    row("segmentation of another size", ce, none, floats({5, 16, 16}), classIndices(5, {8, 8}), "target");
    row("label for an image of scores", ce, none, floats({5, 16, 16}), classIndices(5), "target");
    row("probabilities", ce, none, floats({10}), floats({10}), "ok");
    row("regression target", ce, none, floats({10}), floats({1}), "target");
    row("class weights", ce, {{"class_weight", {1, 2, 3}}}, floats({3}), classIndices(3), "ok");
    row("too few class weights", ce, {{"class_weight", {1, 2}}}, floats({3}), classIndices(3),
        "class_weight");
    row("scores are indices", ce, none, classIndices(4, {4}), classIndices(4), "");
    row("nll", "NLLLoss", none, floats({10}), classIndices(10), "ok");
    row("nll takes no probabilities", "NLLLoss", none, floats({10}), floats({10}), "target");

    const char* const bce = "BCEWithLogitsLoss";
    row("binary label", bce, none, floats({1}), classIndices(2), "ok");
    row("binary label without column", bce, none, floats({}), classIndices(2), "ok");
    row("binary label, only one class seen", bce, none, floats({1}), classIndices(1), "ok");
    row("three classes", bce, none, floats({1}), classIndices(3), "target");
    row("two outputs for one label", bce, none, floats({2}), classIndices(2), "target");
    row("many binary targets", bce, none, floats({4}), floats({4}), "ok");
    row("binary targets of another width", bce, none, floats({4}), floats({1}), "target");
    row("one pos_weight for all", bce, {{"pos_weight", {2}}}, floats({4}), floats({4}), "ok");
    row("wrong number of pos_weights", bce, {{"pos_weight", {2, 3}}}, floats({4}), floats({4}), "pos_weight");
    row("probabilities and labels", "BCELoss", none, floats({1}), classIndices(2), "ok");

    row("regression", "MSELoss", none, floats({1}), floats({1}), "ok");
    row("regression without column", "MSELoss", none, floats({1}), floats({}), "ok");
    row("nothing is repeated", "MSELoss", none, floats({8}), floats({1}), "target");
    row("images", "L1Loss", none, floats({3, 8, 8}), floats({3, 8, 8}), "ok");
    row("images of another size", "HuberLoss", none, floats({3, 8, 8}), floats({3, 8, 9}), "target");
    row("label as a number", "MSELoss", none, floats({1}), classIndices(5), "ok");
    row("one hot", "MSELoss", oneHot, floats({10}), classIndices(10), "ok");
    row("one hot forgotten", "MSELoss", none, floats({10}), classIndices(10), "one_hot");
    row("one hot of numbers", "L1Loss", oneHot, floats({10}), floats({10}), "one_hot");
    row("one hot, too few outputs", "MSELoss", oneHot, floats({9}), classIndices(10), "");
    row("smooth l1 has no one hot", "SmoothL1Loss", none, floats({10}), classIndices(10), "target");
}

void LossCheck::targets()
{
    QFETCH(QString, kind);
    QFETCH(Json, params);
    QFETCH(TensorType, input);
    QFETCH(TensorType, target);
    QFETCH(QString, where);
    const Graph graph = graphOf({node("x", "Input", {{"field", "x"}}), node("y", "Input", {{"field", "y"}}),
                                 node("loss", kind.toStdString(), params)},
                                {"x -> loss:input", "y -> loss:target"});
    const GraphCheck check = checkNetwork(graph, {{{"x", input}, {"y", target}}, true});
    if (where == "ok") {
        QCOMPARE(linesOf(check.problems), std::string());
        return;
    }
    QCOMPARE(check.problems.size(), std::size_t(1));
    const std::string place = where.isEmpty() ? "network/loss" : "network/loss/" + where.toStdString();
    QCOMPARE(check.problems[0].where, place);
    QCOMPARE(check.problems[0].severity, Severity::Error);
    QVERIFY(!check.problems[0].hint.empty());
}

QTEST_APPLESS_MAIN(LossCheck)
#include "tst_loss_check.moc"
