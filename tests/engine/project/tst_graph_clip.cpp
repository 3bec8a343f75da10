#include "engine/project/graph_clip.h"

#include "engine/graph/graph_edit.h"

#include <QtTest>

using namespace athanor;

namespace {

Project sample()
{
    const char* const text = R"({
      "athanor": 1, "name": "clip",
      "data": {"nodes": [{"id": "digits", "kind": "MnistIdx"}]},
      "network": {
        "nodes": [{"id": "image", "kind": "Input", "params": {"field": "image"}},
                  {"id": "conv1", "kind": "Conv2d", "params": {"out_channels": 8}, "colour": "kept"},
                  {"id": "conv2", "kind": "Conv2d"}, {"id": "relu9", "kind": "ReLU"}],
        "edges": [["image", "conv1"], ["conv1", "conv2"], ["conv2", "relu9"]]},
      "layout": {"network": {"image": [0, 0], "conv1": [100, 50], "conv2": [300, 40]},
                 "comments": {"network": {"note1": {"text": "stem", "color": "Linear", "rect": [90, 30, 400, 100]}}}}})";
    auto loaded = parseProject(text);
    return loaded ? loaded->project : Project{};
}

std::string edgesOf(const Graph& graph)
{
    std::string text;
    for (const Edge& edge : graph.edges())
        text += edge.from.text() + ">" + edge.to.text() + " ";
    return text;
}

} // namespace

class GraphClipTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void keepsNodesEdgesAndPlaces();
    void readsWholeProjects();
    void refusesOtherTexts();
    void pastedNamesAreFree();
    void pastesAtAPlace();
    void undoingAPasteBringsTheGraphBack();
    void commentsAreSavedAndReported();
    void groupsComeWithTheirDefinitions();
    void sharedWeightsStayWithinTheClip();
};

void GraphClipTest::keepsNodesEdgesAndPlaces()
{
    const std::string text = clipText(sample().network, ClipPart::Network, {{"conv1", "conv2"}, {"note1"}});
    const auto clip = parseClip(text);
    QVERIFY2(clip.ok(), clip.ok() ? "" : clip.error().text().c_str());
    QVERIFY(clip->part == ClipPart::Network);
    QCOMPARE(clip->graph.nodes().size(), std::size_t(2));
    QVERIFY(*clip->graph.find("conv1") == *sample().network.find("conv1")); // parameters and unknown keys
    QCOMPARE(edgesOf(clip->graph), std::string("conv1>conv2 "));
    QVERIFY(clip->graph.positions().at("conv2") == (Position{300, 40}));
    QVERIFY(clip->graph.comments() == sample().network.comments());
    QVERIFY(text.find("training") == std::string::npos && text.find("data") == std::string::npos);
}

void GraphClipTest::readsWholeProjects()
{
    const auto whole = parseClip(projectText(sample()));
    QVERIFY(whole.ok() && whole->part == ClipPart::Network && whole->graph == sample().network);
    const auto data = parseClip(clipText(sample().data, ClipPart::Data, {{"digits"}, {}}));
    QVERIFY(data.ok() && data->part == ClipPart::Data && data->graph.find("digits") != nullptr);
}

void GraphClipTest::refusesOtherTexts()
{
    for (const char* text : {"", "hello", "{}", "[1]", R"({"athanor": 1})", R"({"athanor": 99})"}) {
        const auto clip = parseClip(text);
        QVERIFY2(!clip.ok() && !clip.error().message.empty(), text);
    }
}

void GraphClipTest::pastedNamesAreFree()
{
    Project project = sample();
    const auto clip = parseClip(clipText(project.network, ClipPart::Network, {{"conv1", "conv2", "relu9"}, {"note1"}}));
    const Paste paste = pasteEdit(project.network, *clip, std::nullopt);
    QVERIFY(paste.nodes == (std::set<NodeId>{"conv3", "conv4", "relu1"}));
    QVERIFY(paste.comments == (std::set<std::string>{"note2"}));
    QVERIFY(apply(project.network, paste.edit).ok());
    QCOMPARE(edgesOf(project.network), std::string("image>conv1 conv1>conv2 conv2>relu9 conv3>conv4 conv4>relu1 "));
    Graph empty;
    QVERIFY(apply(empty, pasteEdit(empty, *clip, std::nullopt).edit).ok());
    QVERIFY(empty.find("conv1") && empty.find("relu9")); // free there, so they keep their names
}

void GraphClipTest::pastesAtAPlace()
{
    Project project = sample();
    const auto clip = parseClip(clipText(project.network, ClipPart::Network, {{"conv1", "conv2"}, {"note1"}}));
    QVERIFY(apply(project.network, pasteEdit(project.network, *clip, Position{1000, 2000}).edit).ok());
    // The corner of all is (90, 30), the comment's.
    QVERIFY(project.network.positions().at("conv3") == (Position{1010, 2020}));
    QVERIFY(project.network.positions().at("conv4") == (Position{1210, 2010}));
    QCOMPARE(project.network.comments().at("note2").x, 1000.0);
    QCOMPARE(project.network.comments().at("note2").y, 2000.0);
}

void GraphClipTest::undoingAPasteBringsTheGraphBack()
{
    Project project = sample();
    const std::string before = projectText(project);
    const auto clip = parseClip(before);
    const auto change = apply(project.network, pasteEdit(project.network, *clip, Position{5, 5}).edit);
    QVERIFY(change.ok());
    QVERIFY(projectText(project) != before);
    QVERIFY(apply(project.network, change->inverse).ok());
    QCOMPARE(projectText(project), before);
}

void GraphClipTest::commentsAreSavedAndReported()
{
    const std::string saved = projectText(sample());
    const auto again = parseProject(saved);
    QVERIFY(again.ok() && again->notes.size() == 1); // the unknown key of conv1, not the comments
    QVERIFY(again->project.network.comments().at("note1") == (Comment{"stem", "Linear", 90, 30, 400, 100}));
    QCOMPARE(projectText(again->project), saved);
    Project without = sample();
    QVERIFY(apply(without.network, {edit::SetComment{"note1", std::nullopt}}).ok());
    QCOMPARE(semanticHash(without), semanticHash(sample()));
    for (const char* comment : {"3", R"({"rect": [1, 2, 3]})", R"({"rect": [0, 0, 1, 1], "text": 4})"}) {
        const std::string text = std::string(R"({"athanor": 1, "layout": {"comments": {"network": {"a": )") + comment + "}}}}";
        const auto broken = parseProject(text);
        QVERIFY2(!broken.ok() && broken.error().where.find("layout/comments/network/a") == 0, comment);
    }
}

void GraphClipTest::groupsComeWithTheirDefinitions()
{
    Graph block = std::move(buildGraph({{"x", "GroupInput"}, {"conv", "Conv2d"}, {"y", "GroupOutput"}},
                                       {{{"x", ""}, {"conv", ""}}, {{"conv", ""}, {"y", ""}}}))
                      .value();
    Graph from;
    QVERIFY(apply(from, {edit::AddDefinition{{"Block", block}, {}}}).ok());
    QVERIFY(apply(from, {edit::AddDefinition{{"Unused", block}, {}}}).ok());
    QVERIFY(apply(from, {edit::AddNode{{"stage", "Group", {{"definition", "Block"}}}, Position{}, {}}}).ok());
    const auto clip = parseClip(clipText(from, ClipPart::Network, {{"stage"}, {}}));
    QVERIFY2(clip.ok(), clip.ok() ? "" : clip.error().text().c_str());
    QCOMPARE(clip->graph.definitions().size(), std::size_t(1));

    Graph empty;
    QVERIFY(apply(empty, pasteEdit(empty, *clip, {}).edit).ok());
    QVERIFY(empty.definition("Block") && *empty.definition("Block") == block);
    QVERIFY(apply(empty, pasteEdit(empty, *clip, {}).edit).ok()); // the same again: one definition, two instances
    QCOMPARE(empty.definitions().size(), std::size_t(1));
    QCOMPARE(empty.nodes().size(), std::size_t(2));

    Graph other; // where the name means something else
    QVERIFY(apply(other, {edit::AddDefinition{{"Block", Graph()}, {}}}).ok());
    QVERIFY(apply(other, pasteEdit(other, *clip, {}).edit).ok());
    QCOMPARE(other.definitions().size(), std::size_t(2));
    const std::string renamed = other.definitions()[1].name;
    QVERIFY(*other.definition("Block") == Graph() && renamed != "Block" && *other.definition(renamed) == block);
    QVERIFY(other.find("stage")->params == Json({{"definition", renamed}}));
}

void GraphClipTest::sharedWeightsStayWithinTheClip()
{
    Graph graph = std::move(buildGraph({{"tower", "Linear"}, {"twin", "Shared", {{"of", "tower"}}}}, {})).value();
    const auto both = parseClip(clipText(graph, ClipPart::Network, {{"tower", "twin"}, {}}));
    const auto twin = parseClip(clipText(graph, ClipPart::Network, {{"twin"}, {}}));
    QVERIFY(both.ok() && twin.ok());
    QVERIFY(apply(graph, pasteEdit(graph, *both, {}).edit).ok());
    QVERIFY(graph.find("twin1")->params == Json({{"of", "tower1"}}));
    QVERIFY(apply(graph, pasteEdit(graph, *twin, {}).edit).ok());
    QVERIFY(graph.find("twin2")->params == Json({{"of", "tower"}}));
}

QTEST_APPLESS_MAIN(GraphClipTest)
#include "tst_graph_clip.moc"
