// Output shapes and parameter counts of about a thousand layers against what PyTorch said
// (tests/baseline/make_shape_cases.py).
#include "tests/engine/graph/graph_builder.h"

#include <QtTest>

#include <fstream>

using namespace athanor;

class ShapeCases : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreeWithPyTorch();
};

void ShapeCases::agreeWithPyTorch()
{
    std::ifstream file(ATHANOR_SOURCE_DIR "/tests/data/shape_cases.json");
    QVERIFY(file.is_open());
    const Json cases = Json::parse(file);
    QVERIFY(cases.size() > 900);
    int refused = 0;
    for (const Json& one : cases) {
        const Graph graph =
            graphOf({node("x", "Input", {{"field", "x"}}), node("layer", one["kind"], one["params"])},
                    {"x -> layer"});
        const GraphCheck check =
            checkNetwork(graph, {{{"x", floats(one["input"].get<std::vector<Extent>>())}}, true});
        std::string said;
        for (const Problem& problem : check.problems)
            if (problem.severity == Severity::Error && problem.where.starts_with("network/layer"))
                said += problem.where + ": " + problem.message + "; ";
        const std::string what = one.dump() + " → " + said;
        if (one["output"].is_null()) {
            ++refused;
            QVERIFY2(!said.empty(), what.c_str());
            continue;
        }
        QVERIFY2(said.empty(), what.c_str());
        const NodeCheck& layer = check.nodes.at("layer");
        QVERIFY2(layer.outputs.at(0).has_value(), what.c_str());
        const TensorType expected = floats(one["output"]["shape"].get<std::vector<Extent>>());
        QVERIFY2(layer.outputs[0] == expected, (what + layer.outputs[0]->text()).c_str());
        QVERIFY2(layer.parameters == one["output"]["parameters"].get<std::int64_t>(),
                 (what + std::to_string(layer.parameters)).c_str());
        const NodeKind& kind = *layerCatalog().find(one["kind"].get<std::string>());
        const auto names = kind.stateNames ? kind.stateNames(layer.params) : std::vector<std::string>{};
        QVERIFY2(Json(names) == one["output"]["state"], (what + Json(names).dump()).c_str());
    }
    QVERIFY(refused > 100);
}

QTEST_APPLESS_MAIN(ShapeCases)
#include "tst_shape_cases.moc"
