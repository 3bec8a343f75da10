// A checker that follows a network from edit to edit must say of each graph exactly what a check from nothing says.
#include "edit_maker.h"

#include "engine/graph/graph_checker.h"
#include "engine/project/project.h"

#include <QtTest>

using namespace athanor;

namespace {

// Convolutions with a group, used twice (one in another, one repeated), shared weights, losses; the names are those
// that EditMaker likes.
const char* const kStart = R"({
  "athanor": 1, "name": "start",
  "network": {
    "nodes": [{"id": "a", "kind": "Input", "params": {"field": "image"}},
              {"id": "b", "kind": "Conv2d", "params": {"out_channels": 4, "kernel_size": 3, "padding": 1}},
              {"id": "c", "kind": "BatchNorm2d"},
              {"id": "d", "kind": "Group", "params": {"definition": "Block0", "repeat": 2}},
              {"id": "e", "kind": "Add"}, {"id": "f", "kind": "Shared", "params": {"of": "b"}},
              {"id": "g", "kind": "Flatten"}, {"id": "h", "kind": "Linear", "params": {"out_features": 10}},
              {"id": "i", "kind": "Input", "params": {"field": "label"}}, {"id": "j", "kind": "CrossEntropyLoss"},
              {"id": "k", "kind": "Group", "params": {"definition": "Block1"}}],
    "edges": [["a", "b"], ["b", "c"], ["c", "d:a"], ["d:c", "e"], ["c", "e"], ["e", "k:a"], ["k:c", "g"], ["g", "h"],
              ["h", "j:input"], ["i", "j:target"], ["a", "f"]],
    "groups": [{"name": "Block0", "edges": [["a", "b"], ["b", "c"]],
                "nodes": [{"id": "a", "kind": "GroupInput"},
                          {"id": "b", "kind": "Conv2d", "params": {"out_channels": 4, "kernel_size": 3, "padding": 1}},
                          {"id": "c", "kind": "GroupOutput"}]},
               {"name": "Block1", "edges": [["a", "b:a"], ["b:c", "d"], ["d", "c"]],
                "nodes": [{"id": "a", "kind": "GroupInput"}, {"id": "b", "kind": "Group", "params": {"definition": "Block0"}},
                          {"id": "d", "kind": "MaxPool2d", "params": {"kernel_size": 2}},
                          {"id": "c", "kind": "GroupOutput"}]}]}})";

FieldTypes digits(Extent side)
{
    FieldTypes types;
    types.known = true;
    types.fields["image"] = TensorType{{kBatch, 1, side, side}};
    types.fields["label"] = TensorType{{kBatch}, ElementType::Index, 10};
    return types;
}

Graph startGraph(bool withGroups)
{
    auto loaded = parseProject(kStart);
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    Graph graph = std::move(loaded->project.network);
    if (withGroups)
        return graph;
    // Without anything that is opened, so that the graph is followed as it is.
    for (const char* id : {"d", "f", "k"})
        (void)apply(graph, {edit::RemoveNode{id}});
    for (const char* name : {"Block1", "Block0"})
        (void)apply(graph, {edit::RemoveDefinition{name}});
    (void)apply(graph, {edit::Connect{{{"c", ""}, {"g", ""}}, std::nullopt}});
    return graph;
}

// Edits that change shapes, beside the general ones.
GraphEdit shapeEdit(EditMaker& maker, const Graph& graph)
{
    const auto any = [&](const auto& list) { return list[maker.pick(list.size())]; };
    const NodeId id = graph.nodes().empty() ? NodeId("a") : any(graph.nodes()).id;
    const NodeId other = graph.nodes().empty() ? NodeId("b") : any(graph.nodes()).id;
    constexpr std::array kNames{"out_channels", "kernel_size", "padding", "stride", "out_features", "field", "of", "in_channels"};
    constexpr std::array kKinds{"Conv2d", "Linear", "Concat", "Flatten", "MaxPool2d", "MSELoss", "Input", "LSTM", "Convv2d"};
    const std::array<std::optional<Json>, 8> values{std::nullopt, Json(1), Json(2), Json(4), Json(-3),
                                                    Json("image"), Json("b"),  Json(1'000'000'000)};
    switch (maker.pick(4)) {
    case 0: {
        NodeId name(1, static_cast<char>('a' + maker.pick(16)));
        return {edit::AddNode{{name, any(kKinds), Json{{"out_channels", 2 + maker.pick(3)}, {"kernel_size", 1}}}, {}, {}}};
    }
    case 1:
        return {edit::Connect{{{id, ""}, {other, ""}}, std::nullopt}};
    default:
        return {edit::SetParameter{id, any(kNames), any(values)}};
    }
}

std::string difference(const GraphCheck& one, const GraphCheck& other)
{
    for (std::size_t i = 0; i < std::max(one.problems.size(), other.problems.size()); ++i) {
        const auto text = [&](const GraphCheck& check) {
            return i < check.problems.size() ? problemJson(check.problems[i]).dump() : std::string("nothing");
        };
        if (text(one) != text(other))
            return "problem " + text(one) + " against " + text(other);
    }
    if (one.nodes.size() != other.nodes.size())
        return "another number of nodes";
    for (const auto& [id, node] : one.nodes) {
        const auto same = other.nodes.find(id);
        if (same == other.nodes.end())
            return "no node " + id;
        if (node.outputs != same->second.outputs || node.params != same->second.params ||
            node.parameters != same->second.parameters || node.macs != same->second.macs)
            return "node " + id;
    }
    return one.parameters == other.parameters && one.macs == other.macs ? std::string() : "the sums";
}

} // namespace

class GraphCheckerTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void followsRandomEdits_data();
    void followsRandomEdits();
    void visitsOnlyWhatDepends();
    void goesOnAfterAnException();
};

void GraphCheckerTest::followsRandomEdits_data()
{
    QTest::addColumn<bool>("groups");
    QTest::newRow("groups and shared weights") << true;
    QTest::newRow("flat") << false;
}

void GraphCheckerTest::followsRandomEdits()
{
    QFETCH(bool, groups);
    int parameterEdits = 0, problems = 0, typed = 0;
    for (unsigned seed = 1; seed <= 100; ++seed) {
        EditMaker maker(seed);
        Graph graph = startGraph(groups);
        GraphChecker checker;
        FieldTypes fields = digits(8);
        std::vector<GraphEdit> undo;
        for (int step = 0; step < 200; ++step) {
            if (maker.pick(30) == 0)
                fields = maker.pick(3) == 0 ? FieldTypes() : digits(4 + static_cast<Extent>(maker.pick(8)));
            if (maker.pick(3) == 0 && !undo.empty()) {
                QVERIFY(apply(graph, undo.back()).ok());
                undo.pop_back();
            } else {
                const GraphEdit edit = maker.pick(3) == 0 ? maker.make(graph) : shapeEdit(maker, graph);
                auto change = apply(graph, edit);
                if (!change)
                    continue;
                parameterEdits += std::holds_alternative<edit::SetParameter>(edit.what);
                undo.push_back(std::move(change->inverse));
            }
            const GraphCheck whole = checkNetwork(graph, fields);
            const std::string wrong = difference(checker.check(graph, fields), whole);
            QVERIFY2(wrong.empty(), (wrong + ", seed " + std::to_string(seed) + ", step " + std::to_string(step)).c_str());
            problems += static_cast<int>(whole.problems.size());
            typed += static_cast<int>(std::ranges::count_if(whole.nodes, [](const auto& entry) {
                return !entry.second.outputs.empty() && entry.second.outputs.front().has_value();
            }));
        }
    }
    // The histories must not have died out.
    QVERIFY(parameterEdits > 1000);
    QVERIFY(problems > 10'000);
    QVERIFY(typed > 10'000);
}

// Marks on the result show which nodes are done again: those lose them.
void GraphCheckerTest::visitsOnlyWhatDepends()
{
    Graph graph = startGraph(false);
    GraphChecker checker;
    auto& nodes = const_cast<GraphCheck&>(checker.check(graph, digits(8))).nodes;
    constexpr std::int64_t kMark = -12'345;
    const auto redone = [&](const GraphEdit& edit) {
        for (auto& [id, node] : nodes)
            node.macs = kMark;
        if (!apply(graph, edit))
            return std::string("refused");
        checker.check(graph, digits(8));
        std::string ids;
        for (const auto& [id, node] : nodes)
            ids += node.macs == kMark ? std::string() : id;
        return ids;
    };
    QCOMPARE(nodes.at("h").params["in_features"], Json(4 * 8 * 8));
    QCOMPARE(redone({edit::SetParameter{"b", "bias", Json(false)}}), std::string("b")); // the same comes out
    QCOMPARE(redone({edit::SetParameter{"h", "out_features", Json(12)}}), std::string("hj"));
    QCOMPARE(redone({edit::SetParameter{"b", "out_channels", Json(5)}}), std::string("bcegh"));
    QCOMPARE(nodes.at("h").params["in_features"], Json(5 * 8 * 8));
    QCOMPARE(redone({edit::AddNode{{"n", "ReLU"}, {}, 0}}), std::string("n"));
    QCOMPARE(redone({edit::Rename{"g", "flat"}}), std::string("flat"));
    QCOMPARE(redone({edit::RemoveNode{"n"}}), std::string());
    QVERIFY(!nodes.contains("n") && !nodes.contains("g"));
}

// A script's typer may throw; the next check must not take half a result for a whole one.
void GraphCheckerTest::goesOnAfterAnException()
{
    Graph graph = startGraph(false);
    GraphChecker checker;
    checker.check(graph, digits(8));
    QVERIFY(apply(graph, {edit::AddNode{{"s", "Script", Json{{"source", "def forward(x: Tensor) -> Tensor:\n    return x\n"}}},
                                        {}, {}}}).ok());
    QVERIFY(apply(graph, {edit::SetParameter{"b", "out_channels", Json(6)}}).ok());
    const ScriptTyper throws = [](const NodeKind&, const ShapeContext&, ShapeResult) -> ShapeResult {
        throw std::runtime_error("cancelled");
    };
    QVERIFY_EXCEPTION_THROWN(checker.check(graph, digits(8), throws), std::runtime_error);
    QCOMPARE(difference(checker.check(graph, digits(8)), checkNetwork(graph, digits(8))), std::string());
}

QTEST_APPLESS_MAIN(GraphCheckerTest)
#include "tst_graph_checker.moc"
