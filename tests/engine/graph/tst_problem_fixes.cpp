#include "engine/graph/problem_fixes.h"
#include "tests/engine/graph/graph_builder.h"

#include <QtTest>

using namespace athanor;

namespace {

FieldTypes digitFields()
{
    return {{{"image", floats({1, 28, 28})}, {"label", classIndices(10)}}, true};
}

GraphCheck checked(const Graph& network, const FieldTypes& fields)
{
    GraphCheck check = checkNetwork(network, fields);
    const FixSetting setting{"network", &layerCatalog(), fields,
                             [&](const Graph& graph) { return checkNetwork(graph, fields); }};
    suggestFixes(network, setting, check.nodes, check.problems);
    return check;
}

/// The texts of the fixes at a place, one a line.
std::string fixesAt(const GraphCheck& check, const std::string& where)
{
    std::string text;
    for (const Problem& problem : check.problems)
        if (problem.where == where)
            for (const SuggestedFix& fix : problem.fixes)
                text += fix.text + "\n";
    return text;
}

Graph fixedBy(const Graph& graph, const GraphCheck& check, const std::string& text)
{
    Graph fixed = graph;
    for (const Problem& problem : check.problems)
        for (const SuggestedFix& fix : problem.fixes)
            if (fix.text == text) {
                if (fix.graph && apply(fixed, fix.graph->edit).ok())
                    return fixed;
                qWarning("the fix cannot be applied: %s", text.c_str());
            }
    qWarning("no such fix: %s\n%s", text.c_str(), linesOf(check.problems).c_str());
    return graph;
}

/// A classifier of digits whose layers stand between the image and the loss in a chain.
Graph chain(std::vector<Node> layers)
{
    std::vector<Node> nodes{node("image", "Input", {{"field", "image"}})};
    std::vector<std::string> edges;
    for (Node& layer : layers) {
        edges.push_back(nodes.back().id + " -> " + layer.id);
        nodes.push_back(std::move(layer));
    }
    edges.push_back(nodes.back().id + " -> loss:input");
    nodes.push_back(node("label", "Input", {{"field", "label"}}));
    nodes.push_back(node("loss", "CrossEntropyLoss"));
    edges.push_back("label -> loss:target");
    return graphOf(std::move(nodes), edges);
}

Node conv(Json more = Json::object())
{
    Json params = {{"out_channels", 8}, {"kernel_size", 3}};
    params.update(more);
    return node("conv", "Conv2d", params);
}

} // namespace

class ProblemFixesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneClickCures_data();
    void oneClickCures();
    void wrongFeaturesAfterTheImagesGrew();
    void lossOfItsOwn();
    void lossByTheLabel_data();
    void lossByTheLabel();
    void shortcutIsProjected();
    void shorterBranchIsPadded();
    void insertedNodesMakeRoom();
    void dataGraphsToo();
    void transformsInTheWrongPlace();
    void wrongCuresAreNotOffered();
    void largeGraphsStayQuick();
    void insideOfGroups();
    void asJson();

private:
    static void row(const char* name, const Graph& graph, const char* where, const char* fix)
    {
        QTest::newRow(name) << graph << QString(where) << QString::fromUtf8(fix);
    }
};

void ProblemFixesTest::oneClickCures_data()
{
    QTest::addColumn<Graph>("graph");
    QTest::addColumn<QString>("where");
    QTest::addColumn<QString>("fix");
    const Node flat = node("flat", "Flatten"), fc = node("fc", "Linear", {{"out_features", 10}});
    row("in_features", chain({flat, node("fc", "Linear", {{"out_features", 10}, {"in_features", 512}})}),
        "network/fc/in_features", "Leave in_features empty");
    row("in_channels", chain({conv({{"in_channels", 3}}), flat, fc}), "network/conv/in_channels",
        "Leave in_channels empty");
    row("num_features", chain({conv(), node("bn", "BatchNorm2d", {{"num_features", 9}}), flat, fc}),
        "network/bn/num_features", "Leave num_features empty");
    row("kind", chain({node("conv", "Conv2D", {{"out_channels", 8}, {"kernel_size", 3}}), flat, fc}), "network/conv",
        "Make it a Conv2d");
    row("parameter", chain({node("conv", "Conv2d", {{"out_channels", 8}, {"kernelsize", 3}}), flat, fc}),
        "network/conv/kernelsize", "Rename it to kernel_size");
    row("needless parameter", chain({conv({{"colour", 3}}), flat, fc}), "network/conv/colour", "Remove colour");
    row("no Flatten", chain({conv(), fc}), "network/fc", "Insert Flatten before fc");
    row("no Flatten, pooled", chain({conv(), fc}), "network/fc",
        "Insert AdaptiveAvgPool2d and Flatten before fc");
    row("no Flatten, seen at the loss", chain({conv(), fc}), "network/loss/target", "Insert Flatten before fc");
    row("too small", chain({conv({{"stride", 0}}), flat, fc}), "network/conv/stride", "Set stride to 1");
    row("too large", chain({flat, node("drop", "Dropout", {{"p", 1.5}}), fc}), "network/drop/p", "Set p to 1");
    row("a word", chain({conv({{"bias", "true"}}), flat, fc}), "network/conv/bias", "Set bias to true");
    row("in quotes", chain({conv({{"stride", "2"}}), flat, fc}), "network/conv/stride", "Set stride to 2");
    row("choice", chain({conv({{"padding_mode", "reflct"}}), flat, fc}), "network/conv/padding_mode",
        "Set padding_mode to reflect");
    row("no value", chain({conv({{"stride", Json::object()}}), flat, fc}), "network/conv/stride",
        "Set stride back to its default, 1");
    row("large kernel", chain({conv({{"kernel_size", 31}}), flat, fc}), "network/conv/kernel_size",
        "Set padding to 2");
    row("large kernel, smaller", chain({conv({{"kernel_size", 31}}), flat, fc}), "network/conv/kernel_size",
        "Set kernel_size to 28");
    row("one axis too large", chain({conv({{"kernel_size", {3, 31}}}), flat, fc}), "network/conv/kernel_size",
        "Set kernel_size to [3,28]");
    row("groups", chain({conv(), node("conv2", "Conv2d", {{"out_channels", 12}, {"kernel_size", 3}, {"groups", 3}}),
                         flat, fc}),
        "network/conv2/groups", "Set groups to 2"); // of 2 and 4, which divide both 8 and 12
    row("groups of a norm", chain({conv(), node("norm", "GroupNorm", {{"num_groups", 3}}), flat, fc}),
        "network/norm/num_groups", "Set num_groups to 2");
    row("same with stride", chain({conv({{"padding", "same"}, {"stride", 2}, {"kernel_size", 5}}), flat, fc}),
        "network/conv/padding", "Set padding to 2");
    row("axes of a norm", chain({conv(), node("bn", "BatchNorm1d"), flat, fc}), "network/bn", "Make it a BatchNorm2d");
    row("axes of a norm, flat", chain({flat, node("bn", "BatchNorm2d"), fc}), "network/bn", "Make it a BatchNorm1d");
    row("field", graphOf({node("image", "Input", {{"field", "imag"}}), flat, fc, node("label", "Input", {{"field", "label"}}),
                          node("loss", "CrossEntropyLoss")},
                         {"image -> flat", "flat -> fc", "fc -> loss:input", "label -> loss:target"}),
        "network/image/field", "Set field to image");
    row("no target", graphOf({node("image", "Input", {{"field", "image"}}), flat, fc, node("loss", "CrossEntropyLoss")},
                             {"image -> flat", "flat -> fc", "fc -> loss:input"}),
        "network/loss/target", "Add the Input label and connect it");
    row("target there", graphOf({node("image", "Input", {{"field", "image"}}), flat, fc,
                                 node("y", "Input", {{"field", "label"}}), node("loss", "CrossEntropyLoss")},
                                {"image -> flat", "flat -> fc", "fc -> loss:input"}),
        "network/loss/target", "Connect it to y");
    row("missing input", graphOf({node("image", "Input", {{"field", "image"}}), flat, fc,
                                  node("label", "Input", {{"field", "label"}}), node("loss", "CrossEntropyLoss")},
                                 {"flat -> fc", "fc -> loss:input", "label -> loss:target"}),
        "network/flat/input", "Connect it to image");
    row("two into one", graphOf({node("image", "Input", {{"field", "image"}}), flat, node("a", "Linear", {{"out_features", 8}}),
                                 node("b", "Linear", {{"out_features", 8}}), fc,
                                 node("label", "Input", {{"field", "label"}}), node("loss", "CrossEntropyLoss")},
                                {"image -> flat", "flat -> a", "flat -> b", "a -> fc", "b -> fc", "fc -> loss:input",
                                 "label -> loss:target"}),
        "network/fc/input", "Join them with Add");
    row("join of one", chain({flat, node("add", "Add"), fc}), "network/add/input", "Remove add");
    row("unknown port", graphOf({node("image", "Input", {{"field", "image"}}), flat, fc,
                                 node("label", "Input", {{"field", "label"}}), node("loss", "CrossEntropyLoss")},
                                {"image -> flat", "flat -> fc", "fc -> loss:input", "label -> loss:tagret"}),
        "network/loss/tagret", "Connect label to loss:target");
    row("no such node", graphOf({node("image", "Input", {{"field", "image"}}), flat, fc,
                                 node("label", "Input", {{"field", "label"}}), node("loss", "CrossEntropyLoss")},
                                {"image -> flat", "flat -> fc", "fcc -> loss:input", "label -> loss:target"}),
        "network/loss", "Connect fc to loss:input");
    row("too few scores", chain({flat, node("fc", "Linear", {{"out_features", 7}})}), "network/loss",
        "Give fc 10 outputs");
    row("one hot", graphOf({node("image", "Input", {{"field", "image"}}), flat, fc,
                            node("label", "Input", {{"field", "label"}}), node("loss", "MSELoss")},
                           {"image -> flat", "flat -> fc", "fc -> loss:input", "label -> loss:target"}),
        "network/loss/one_hot", "Set one_hot to true");
}

void ProblemFixesTest::oneClickCures()
{
    QFETCH(Graph, graph);
    QFETCH(QString, where);
    QFETCH(QString, fix);
    const GraphCheck before = checked(graph, digitFields());
    QVERIFY2(problemAt(before, where.toStdString()) != nullptr, linesOf(before.problems).c_str());
    QVERIFY2(fixesAt(before, where.toStdString()).find(fix.toStdString() + "\n") != std::string::npos,
             (linesOf(before.problems) + "fixes:\n" + fixesAt(before, where.toStdString())).c_str());
    const Graph after = fixedBy(graph, before, fix.toStdString());
    const GraphCheck again = checkNetwork(after, digitFields());
    QVERIFY2(again.ok(), linesOf(again.problems).c_str());
}

// 512 = 8 channels · 8 · 8, but the images have become larger: 8 · 26 · 26 = 5408.
void ProblemFixesTest::wrongFeaturesAfterTheImagesGrew()
{
    const Graph graph = chain({conv(), node("flat", "Flatten"),
                               node("fc", "Linear", {{"out_features", 10}, {"in_features", 512}})});
    const GraphCheck check = checked(graph, digitFields());
    const Problem* problem = problemAt(check, "network/fc/in_features");
    QVERIFY(problem != nullptr);
    QVERIFY2(problem->message.find("512") != std::string::npos && problem->message.find("5408") != std::string::npos,
             problem->message.c_str());
    QCOMPARE(fixesAt(check, "network/fc/in_features"),
             std::string("Leave in_features empty\n"
                         "Insert AdaptiveAvgPool2d to 8×8 before flat\n"));
    const Graph pooled = fixedBy(graph, check, "Insert AdaptiveAvgPool2d to 8×8 before flat");
    const GraphCheck after = checkNetwork(pooled, digitFields());
    QVERIFY2(after.problems.empty(), linesOf(after.problems).c_str());
    QCOMPARE(after.nodes.at("flat").outputs[0]->text(), std::string("N×512"));
}

void ProblemFixesTest::lossOfItsOwn()
{
    const Graph graph = graphOf({node("image", "Input", {{"field", "image"}}), node("flat", "Flatten"),
                                 node("fc", "Linear", {{"out_features", 10}})},
                                {"image -> flat", "flat -> fc"});
    const GraphCheck check = checked(graph, digitFields());
    const Graph after =
        fixedBy(graph, check, "Add CrossEntropyLoss after fc, add the Input label and connect it");
    QVERIFY(checkNetwork(after, digitFields()).problems.empty());
    QCOMPARE(after.nodes().size(), std::size_t(5));
    QVERIFY(after.find("label") != nullptr && after.find("label")->kind == "Input");
}

void ProblemFixesTest::lossByTheLabel_data()
{
    QTest::addColumn<int>("outputs");
    QTest::addColumn<bool>("isFloat");
    QTest::addColumn<int>("classes");
    QTest::addColumn<QString>("loss");
    QTest::newRow("classes") << 3 << false << 3 << "CrossEntropyLoss";
    QTest::newRow("binary, one score") << 1 << false << 2 << "BCEWithLogitsLoss";
    QTest::newRow("binary, two scores") << 2 << false << 2 << "CrossEntropyLoss";
    QTest::newRow("values") << 1 << true << 0 << "MSELoss";
}

void ProblemFixesTest::lossByTheLabel()
{
    QFETCH(int, outputs);
    QFETCH(bool, isFloat);
    QFETCH(int, classes);
    QFETCH(QString, loss);
    const char* field = isFloat ? "target" : "label";
    const FieldTypes fields{{{"features", floats({4})}, {field, isFloat ? floats({1}) : classIndices(classes)}}, true};
    const Graph graph = graphOf({node("features", "Input", {{"field", "features"}}),
                                 node("y", "Input", {{"field", field}}),
                                 node("fc", "Linear", {{"out_features", outputs}})},
                                {"features -> fc"});
    const GraphCheck check = checked(graph, fields);
    const std::string first = fixesAt(check, "network").substr(0, fixesAt(check, "network").find('\n'));
    QCOMPARE(first, "Add " + loss.toStdString() + " after fc, connect it to y");
    QVERIFY(checkNetwork(fixedBy(graph, check, first), fields).problems.empty());
}

// A block that halves the image and doubles the channels: its shortcut needs a 1×1 convolution of stride 2.
void ProblemFixesTest::shortcutIsProjected()
{
    const Graph graph = graphOf(
        {node("image", "Input", {{"field", "image"}}), conv({{"padding", 1}}),
         node("down", "Conv2d", {{"out_channels", 16}, {"kernel_size", 3}, {"stride", 2}, {"padding", 1}}),
         node("add", "Add"), node("flat", "Flatten"), node("fc", "Linear", {{"out_features", 10}}),
         node("label", "Input", {{"field", "label"}}), node("loss", "CrossEntropyLoss")},
        {"image -> conv", "conv -> down", "down -> add", "conv -> add", "add -> flat", "flat -> fc",
         "fc -> loss:input", "label -> loss:target"});
    const GraphCheck check = checked(graph, digitFields());
    const std::string text = "Insert a 1×1 Conv2d with 16 channels after conv";
    const Graph after = fixedBy(graph, check, text);
    QVERIFY(checkNetwork(after, digitFields()).problems.empty());
    const std::vector<Edge> joined = after.incoming("add");
    QCOMPARE(joined.size(), std::size_t(2));
    QCOMPARE(joined[0].from.node, std::string("down")); // the order of the edges is kept
    const Node* inserted = after.find(joined[1].from.node);
    QVERIFY(inserted->params == Json({{"out_channels", 16}, {"kernel_size", 1}, {"stride", {2, 2}}}));
}

// Two branches whose images differ by two pixels a side: the smaller is padded to match the other, not the reverse.
void ProblemFixesTest::shorterBranchIsPadded()
{
    const Graph graph = graphOf(
        {node("image", "Input", {{"field", "image"}}), conv({{"padding", 1}}),
         node("small", "Conv2d", {{"out_channels", 8}, {"kernel_size", 3}}), node("cat", "Concat"),
         node("flat", "Flatten"), node("fc", "Linear", {{"out_features", 10}}),
         node("label", "Input", {{"field", "label"}}), node("loss", "CrossEntropyLoss")},
        {"image -> conv", "conv -> small", "small -> cat", "conv -> cat", "cat -> flat", "flat -> fc",
         "fc -> loss:input", "label -> loss:target"});
    const GraphCheck check = checked(graph, digitFields());
    QVERIFY(!check.ok());
    const Graph after = fixedBy(graph, check, "Insert PadToMatch after small");
    const GraphCheck cured = checkNetwork(after, digitFields());
    QVERIFY(cured.problems.empty());
    const std::string inserted = after.incoming("cat").front().from.node;
    QCOMPARE(after.find(inserted)->kind, std::string("PadToMatch"));
    const std::vector<Edge> into = after.incoming(inserted);
    QCOMPARE(into.size(), std::size_t(2));
    QCOMPARE(into[0].from.node, std::string("small"));
    QCOMPARE(into[1].from.node, std::string("conv"));
    QCOMPARE(cured.nodes.at(inserted).outputs.front()->dims, check.nodes.at("conv").outputs.front()->dims);
}

void ProblemFixesTest::insertedNodesMakeRoom()
{
    Graph graph = chain({conv(), node("fc", "Linear", {{"out_features", 10}})});
    double x = 0;
    for (const char* id : {"image", "conv", "fc", "loss"}) {
        QVERIFY(apply(graph, {edit::Move{{{id, Position{x, 40}}}}}).ok());
        x += 260;
    }
    const Graph after = fixedBy(graph, checked(graph, digitFields()), "Insert Flatten before fc");
    std::string inserted = after.incoming("fc").front().from.node;
    QCOMPARE(after.positions().at(inserted).x, 520.0);
    QCOMPARE(after.positions().at(inserted).y, 40.0);
    QCOMPARE(after.positions().at("fc").x, 780.0);
    QCOMPARE(after.positions().at("loss").x, 1040.0);
    QCOMPARE(after.positions().at("conv").x, 260.0);
}

void ProblemFixesTest::dataGraphsToo()
{
    const Graph graph = graphOf({node("digits", "MnistIdx", {{"images", "i"}, {"labels", "l"}}),
                                 node("split", "Split", {{"trian", 0.8}, {"val", 0.2}}),
                                 node("loader", "Loader", {{"batch_size", 0}})},
                                {"digits -> split", "split -> loader"});
    GraphCheck check = checkData(graph);
    suggestFixes(graph, {"data", &dataCatalog(), {}, &checkData}, check.nodes, check.problems);
    QVERIFY2(fixesAt(check, "data/split/trian").starts_with("Rename it to train\n"), linesOf(check.problems).c_str());
    QVERIFY(fixesAt(check, "data/loader/batch_size").starts_with("Set batch_size to 1\n"));
}

void ProblemFixesTest::transformsInTheWrongPlace()
{
    const auto fixes = [](const std::vector<Node>& transforms, const std::string& where) {
        std::vector<Node> nodes = {node("digits", "MnistIdx", {{"images", "i"}, {"labels", "l"}}), node("split", "Split")};
        nodes.insert(nodes.end(), transforms.begin(), transforms.end());
        nodes.push_back(node("loader", "Loader"));
        std::vector<std::string> edges;
        for (std::size_t i = 1; i < nodes.size(); ++i)
            edges.push_back(nodes[i - 1].id + " -> " + nodes[i].id);
        const Graph graph = graphOf(nodes, edges);
        GraphCheck check = checkData(graph);
        suggestFixes(graph, {"data", &dataCatalog(), {}, &checkData}, check.nodes, check.problems);
        return fixesAt(check, where);
    };
    const Node tensor = node("tensor", "ToTensor");
    const Node norm = node("norm", "Normalize", {{"mean", 0.5}, {"std", 0.5}});
    QCOMPARE(fixes({norm, tensor}, "data/norm"), std::string("Move it behind tensor\n"));
    QCOMPARE(fixes({tensor, node("augment", "RandAugment")}, "data/augment"), std::string("Move it before tensor\n"));
    QCOMPARE(fixes({tensor, node("again", "ToTensor")}, "data/again"), std::string("Remove again\n"));
    QCOMPARE(fixes({tensor, norm, node("jitter", "ColorJitter")}, "data/jitter").substr(0, 20),
             std::string("Move it before norm\n"));
}

// Where several cures are as good as each other none is certain, and what cures nothing is not offered.
void ProblemFixesTest::wrongCuresAreNotOffered()
{
    const Graph open = graphOf({node("image", "Input", {{"field", "image"}}), node("image2", "Input", {{"field", "image"}}),
                                node("flat", "Flatten"), node("fc", "Linear", {{"out_features", 10}}),
                                node("label", "Input", {{"field", "label"}}), node("loss", "CrossEntropyLoss")},
                               {"flat -> fc", "fc -> loss:input", "label -> loss:target"});
    QCOMPARE(fixesAt(checked(open, digitFields()), "network/flat/input"), std::string());
    const Graph nothing = chain({node("odd", "Zzyzx"), node("flat", "Flatten"), node("fc", "Linear", {{"out_features", 10}})});
    QCOMPARE(fixesAt(checked(nothing, digitFields()), "network/odd"), std::string());
    const Graph incomplete = chain({node("flat", "Flatten"), node("fc", "Linear")});
    QCOMPARE(fixesAt(checked(incomplete, digitFields()), "network/fc/out_features"), std::string());
}

// The work is bounded by nodes checked again, not by the number of problems.
void ProblemFixesTest::largeGraphsStayQuick()
{
    std::vector<Node> layers{node("flat", "Flatten")};
    for (int i = 0; i < 3000; ++i)
        layers.push_back(node(numbered("fc", i), "Linear", {{"out_features", 10}, {"in_features", 5}}));
    const Graph graph = chain(std::move(layers));
    const FieldTypes fields = digitFields();
    GraphCheck check = checkNetwork(graph, fields);
    QCOMPARE(check.problems.size(), std::size_t(3000));
    int checks = 0;
    const FixSetting setting{"network", &layerCatalog(), fields, [&](const Graph& changed) {
                                 ++checks;
                                 return checkNetwork(changed, fields);
                             }};
    suggestFixes(graph, setting, check.nodes, check.problems);
    QVERIFY(!check.problems.front().fixes.empty());
    QVERIFY(check.problems.back().fixes.empty());
    QVERIFY2(checks <= 14, QByteArray::number(checks).constData());
}

// The definition is mended, and with it every instance.
void ProblemFixesTest::insideOfGroups()
{
    GroupDefinition block;
    block.name = "Block";
    block.graph = graphOf({node("in", "GroupInput"), conv({{"padding", 1}, {"kernel_sise", 3}}), node("bn", "BatchNorm1d"),
                           node("out", "GroupOutput")},
                          {"in -> conv", "conv -> bn", "bn -> out"});
    const Graph graph = std::move(buildGraph(
        {node("image", "Input", {{"field", "image"}}), node("one", "Group", {{"definition", "Block"}}),
         node("two", "Group", {{"definition", "Block"}}), node("flat", "Flatten"),
         node("fc", "Linear", {{"out_features", 10}}), node("label", "Input", {{"field", "label"}}),
         node("loss", "CrossEntropyLoss")},
        {{{"image", {}}, {"one", {}}}, {{"one", {}}, {"two", {}}}, {{"two", {}}, {"flat", {}}}, {{"flat", {}}, {"fc", {}}},
         {{"fc", {}}, {"loss", "input"}}, {{"label", {}}, {"loss", "target"}}},
        {}, {}, {block})).value();
    const GraphCheck check = checked(graph, digitFields());
    QVERIFY2(fixesAt(check, "network/one/bn").starts_with("Make it a BatchNorm2d\n"), linesOf(check.problems).c_str());
    QVERIFY(fixesAt(check, "network/one/conv/kernel_sise").starts_with("Remove kernel_sise\n"));
    Graph after = fixedBy(graph, check, "Make it a BatchNorm2d");
    after = fixedBy(after, checked(after, digitFields()), "Remove kernel_sise");
    const GraphCheck again = checkNetwork(after, digitFields());
    QVERIFY2(again.ok(), linesOf(again.problems).c_str());
    for (const Problem& problem : check.problems)
        if (problem.where == "network/one/bn")
            QVERIFY(fixJson(problem.fixes[0])["edit"]["network"][0]["in"][0] == "Block");
}

void ProblemFixesTest::asJson()
{
    const Graph graph = chain({conv({{"in_channels", 3}}), node("fc", "Linear", {{"out_features", 10}})});
    const GraphCheck check = checked(graph, digitFields());
    const Json wrong = problemJson(*problemAt(check, "network/conv/in_channels"));
    QVERIFY(wrong["fixes"][0] == Json({{"text", "Leave in_channels empty"},
                                       {"edit", {{"network", {{{"unset", {"conv", "in_channels"}}}}}}}}));
    const Json flat = problemJson(*problemAt(check, "network/fc"));
    const Json& steps = flat["fixes"][0]["edit"]["network"];
    QVERIFY(steps[0] == Json({{"disconnect", {"conv", "fc"}}}));
    QVERIFY(steps[1]["add"]["kind"] == "Flatten");
    const Json name = steps[1]["add"]["id"];
    QVERIFY(steps[2] == Json({{"connect", Json::array({"conv", name})}}));
    QVERIFY(steps[3] == Json({{"connect", Json::array({name, "fc"})}}));
    const SuggestedFix setting{"Lower it", {"training.optimizer.lr=0.01"}};
    QVERIFY(fixJson(setting) == Json({{"text", "Lower it"}, {"edit", {"training.optimizer.lr=0.01"}}}));
    QVERIFY(setting.canBeApplied() && !SuggestedFix{"Look"}.canBeApplied());
    QVERIFY(setting == setting && !(setting == check.problems[0].fixes[0]));
}

QTEST_APPLESS_MAIN(ProblemFixesTest)
#include "tst_problem_fixes.moc"
