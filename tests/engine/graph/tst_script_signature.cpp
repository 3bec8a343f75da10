#include "graph_builder.h"

#include "engine/graph/resolved_kind.h"
#include "engine/graph/script_extent.h"
#include "engine/graph/script_spec.h"

#include <QtTest>

using namespace athanor;

namespace {

std::string words(const ScriptSignature& signature)
{
    std::string text;
    for (const ScriptArgument& argument : signature.arguments) {
        text += argument.name;
        text += argument.value == ScriptValue::Tensor           ? " "
                : argument.value == ScriptValue::OptionalTensor ? "? "
                                                                : "* ";
    }
    text += "-> ";
    return text += signature.results ? std::to_string(*signature.results) : std::string("unknown");
}

std::string firstProblem(const std::string& source)
{
    const auto signature = readSignature(source);
    return signature.problems.empty() ? "" : placedText(signature.problems.front());
}

ExtentNames namesForTest()
{
    ExtentNames names;
    names.constant = [](const std::string& name) -> Result<Extent> {
        if (name == "hidden")
            return Extent{7};
        return Error{ErrorCode::InvalidArgument, "no " + name};
    };
    names.size = [](const std::string& argument, std::int64_t axis) -> Result<Extent> {
        if (argument == "x" && axis == 1)
            return Extent{5};
        if (argument == "u")
            return kUnknown;
        return Error{ErrorCode::InvalidArgument, "no axis"};
    };
    return names;
}

NodePorts portsOf(const Json& params, const std::string& kind = "Script")
{
    const Node one{"s", kind, params, Json::object()};
    const auto resolved = resolveKind(Graph(), one, layerCatalog());
    return {resolved->inputs, resolved->outputs};
}

Graph scripted(Json params)
{
    return graphOf({node("x", "Input", {{"field", "features"}}), node("s", "Script", std::move(params)),
                    node("y", "Input", {{"field", "target"}}), node("loss", "MSELoss")},
                   {"x -> s", "s -> loss:input", "y -> loss:target"});
}

const FieldTypes& fieldsForTest()
{
    static const FieldTypes fields{
        {{"features", TensorType{{kBatch, 5}}}, {"target", TensorType{{kBatch, 3}}}}, true};
    return fields;
}

std::vector<Problem> problemsOf(const Json& params)
{
    return checkNetwork(scripted(params), fieldsForTest()).problems;
}

} // namespace

class TestScriptSignature : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsArgumentsAndResults_data()
    {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("expected");
        const auto add = [](const char* source, const char* expected) {
            QTest::newRow(source) << QString::fromUtf8(source) << QString::fromUtf8(expected);
        };
        add("def forward(self, x: Tensor) -> Tensor:\n    return x\n", "x -> 1");
        add("def forward(self,x):\n    return x", "x -> unknown");
        add("def forward(self) -> Tensor:\n    return self.weight", "-> 1");
        add("def forward(self, a: torch.Tensor, b : Optional[ Tensor ] = None, *, ) -> Tensor: return a",
            "a b? -> 1");
        add("def forward(self, parts: List[Tensor]) -> Tuple[Tensor, Tensor, Tensor]:\n    pass",
            "parts* -> 3");
        add("def forward(\n    self,\n    x: Tensor,  # the image, (with a bracket\n    m: "
            "typing.Optional[torch.Tensor]"
            " = None,\n) -> Tuple[\n    Tensor,\n    Tensor\n]:\n    return x, x\n",
            "x m? -> 2");
        add("\"\"\"def forward(self, wrong: Tensor)\"\"\"\n# def forward(self, wrong)\ndef other(a: Tensor) "
            "-> Tensor:\n"
            "    return a\ndef forward(self, größe: Tensor) -> Tensor:\n    return größe\n",
            "-> 1");
        add("def helper(self, a):\n    return a\n\ndef forward(self, x: Tensor) -> Tensor:\n    return x",
            "x -> 1");
    }
    void readsArgumentsAndResults()
    {
        QFETCH(QString, source);
        QFETCH(QString, expected);
        QCOMPARE(QString::fromStdString(words(readSignature(source.toStdString()))), expected);
    }

    void namesWhatIsWrongAndWhere_data()
    {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("place");
        QTest::addColumn<QString>("word");
        const auto add = [](const char* source, const char* place, const char* word) {
            QTest::newRow(source) << QString::fromUtf8(source) << QString::fromUtf8(place)
                                  << QString::fromUtf8(word);
        };
        add("", "line 1, column 1", "no function forward");
        add("def backward(self, x):\n    return x", "line 1, column 1", "no function forward");
        add("    def forward(self, x):\n        return x", "line 1, column 5", "left edge");
        add("def forward self, x:\n", "line 1, column 5", "parentheses");
        add("def forward():\n    return 1", "line 1, column 12", "self");
        add("def forward(x: Tensor):\n    return x", "line 1, column 13", "must be self");
        add("def forward(self: Tensor, x: Tensor):\n    return x", "line 1, column 13", "must be self");
        add("def forward(self, x: Tensor, x: Tensor):\n", "line 1, column 30", "two arguments called x");
        add("def forward(self, n: int):\n", "line 1, column 22", "n is a int");
        add("def forward(self,\n            x: Dict[str, Tensor]):\n", "line 2, column 16",
            "only tensors flow");
        add("def forward(self, x: ):\n", "line 1, column 22", "type of x is missing");
        add("def forward(self, x: Tensor y: Tensor):\n", "line 1, column 29", "comma");
        add("def forward(self, x = y z):\n", "line 1, column 1", "");
        add("def forward(self, *args):\n", "line 1, column 19", "* arguments");
        add("def forward(self, 3):\n", "line 1, column 19", "name is missing");
        add("def forward(self, x: Tensor\n    return x", "line 1, column 12", "");
        add("def forward(self, x: Tensor) -> Tensor\n    return x", "line 1, column 39", "colon is missing");
        add("def forward(self, x: Tensor)\n    return x", "line 1, column 29", "colon is missing");
        add("def forward(self, x: Tensor) -> int:\n    return 1", "line 1, column 33", "returns int");
        add("def forward(self, x: Tensor) -> Tuple[Tensor, int]:\n", "line 1, column 33",
            "returns Tuple[Tensor,int]");
        add("# ä ö ü\ndef forward(self, ü: Tensor):\n", "line 2, column 19", "name is missing");
    }
    void namesWhatIsWrongAndWhere()
    {
        QFETCH(QString, source);
        QFETCH(QString, place);
        QFETCH(QString, word);
        const QString problem = QString::fromStdString(firstProblem(source.toStdString()));
        if (word.isEmpty()) // any answer but a crash
            return;
        QVERIFY2(problem.startsWith(place), qPrintable(problem));
        QVERIFY2(problem.contains(word), qPrintable(problem));
    }

    void takesAnyText()
    {
        const std::string source =
            "def forward(self, x: Tensor, m: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:\n"
            "    \"\"\"text\"\"\"\n    return x, 'a\\'b'  # end\n";
        for (std::size_t cut = 0; cut <= source.size(); ++cut) {
            readSignature(source.substr(0, cut));
            readSignature(source.substr(cut));
            std::string changed = source;
            if (cut < source.size())
                changed[cut] = "([{)]}'\"\\#\n\0\xff:"[cut % 14];
            readSignature(changed);
        }
        QCOMPARE(words(readSignature(source)), std::string("x m? -> 2"));
    }

    void computesExtents_data()
    {
        QTest::addColumn<QString>("expression");
        QTest::addColumn<qlonglong>("expected"); // -3: refused
        const auto add = [](const char* text, qlonglong expected) {
            QTest::newRow(text) << QString::fromUtf8(text) << expected;
        };
        add("16", 16);
        add(" 2 + 3*4 ", 14);
        add("(2+3) * 4", 20);
        add("4*hidden - x.size( 1 )", 23);
        add("hidden // 2", 3);
        add("(0-7) // 2 + 10", 6); // rounds down, as in Python
        add("hidden * u.size(0)", kUnknown);
        add("0", 0);
        add("", -3);
        add("2 +", -3);
        add("2 3", -3);
        add("x", -3);
        add("x.size(2)", -3);
        add("x.shape", -3);
        add("other", -3);
        add("1 // 0", -3);
        add("1 - 2", -3);
        add("99999999999999999999", -3);
        add("2147483647 * 2", -3);
        add("2/1", -3);
    }
    void computesExtents()
    {
        QFETCH(QString, expression);
        QFETCH(qlonglong, expected);
        const auto extent = evaluateExtent(expression.toStdString(), namesForTest());
        if (expected == -3)
            QVERIFY(!extent.ok() && !extent.error().message.empty());
        else
            QVERIFY(extent.ok() && *extent == expected);
        QVERIFY(!evaluateExtent(std::string(100000, '('), namesForTest()).ok());
    }

    void portsFollowFromTheSource()
    {
        NodePorts ports = portsOf(Json::object());
        QCOMPARE(ports.inputs.size(), std::size_t{1});
        QCOMPARE(ports.inputs[0].name, std::string("x"));
        QCOMPARE(ports.outputs.at(0).name, std::string("output"));
        const char* source = "def forward(self, q: Tensor, parts: List[Tensor], mask: Optional[Tensor]) -> "
                             "Tuple[Tensor, Tensor]:\n";
        ports = portsOf({{"source", source}});
        QCOMPARE(ports.inputs.size(), std::size_t{3});
        QVERIFY(!ports.inputs[0].optional && !ports.inputs[0].variadic && ports.inputs[1].variadic &&
                ports.inputs[2].optional);
        QCOMPARE(ports.outputs.size(), std::size_t{2});
        QCOMPARE(ports.outputs[1].name, std::string("output2"));
        ports = portsOf({{"source", source}, {"outputs", {"mean", "spread"}}});
        QCOMPARE(ports.outputs[0].name, std::string("mean"));
        ports = portsOf(Json::object(), "ScriptLoss");
        QVERIFY(ports.inputs[1].isTarget && !ports.inputs[0].isTarget && ports.outputs.empty());
        for (const Json& odd : {Json(), Json(3), Json{{"source", 4}, {"outputs", 3}, {"parameters", "x"}}})
            portsOf(odd);
    }

    void countsDeclaredTensors()
    {
        const Json params{
            {"source", "def forward(self, x: Tensor) -> Tensor:\n    return x @ self.w + self.b\n"},
            {"constants", {{"hidden", 3}}},
            {"parameters", Json::array({{{"name", "w"}, {"shape", {"x.size(1)", "hidden"}}},
                                        {{"name", "b"}, {"shape", {"hidden"}}, {"init", "zeros"}},
                                        {{"name", "seen"}, {"shape", {1}}, {"buffer", true}}})}};
        const auto check = checkNetwork(scripted(params), fieldsForTest());
        QVERIFY2(check.ok(), check.problems.empty() ? "" : check.problems[0].message.c_str());
        QCOMPARE(check.nodes.at("s").parameters, std::int64_t{5 * 3 + 3});
        QVERIFY(!check.nodes.at("s").outputs.at(0)); // only running it tells
        QVERIFY(check.nodes.at("s").params.at(kParameterShapes) ==
                (Json{{"w", {5, 3}}, {"b", {3}}, {"seen", {1}}}));
        const auto names = layerCatalog().find("Script")->stateNames(params);
        QVERIFY(names == (std::vector<std::string>{"w", "b", "seen"}));
    }

    void refusesBrokenDeclarations_data()
    {
        QTest::addColumn<QString>("params");
        QTest::addColumn<QString>("where");
        const auto add = [](const char* params, const char* where) {
            QTest::newRow(params) << QString::fromUtf8(params) << QString::fromUtf8(where);
        };
        add(R"j({"parameters": {"w": [1]}})j", "parameters");
        add(R"j({"parameters": [3]})j", "parameters");
        add(R"j({"parameters": [{"shape": [1]}]})j", "parameters");
        add(R"j({"parameters": [{"name": "w"}]})j", "parameters");
        add(R"j({"parameters": [{"name": "w", "shape": [1.5]}]})j", "parameters");
        add(R"j({"parameters": [{"name": "w", "shape": ["x.size(0)"]}]})j", "parameters"); // the batch
        add(R"j({"parameters": [{"name": "w", "shape": ["x.size(7)"]}]})j", "parameters");
        add(R"j({"parameters": [{"name": "w", "shape": ["z.size(1)"]}]})j", "parameters");
        add(R"j({"parameters": [{"name": "w", "shape": [1], "buffer": 1}]})j", "parameters");
        add(R"j({"parameters": [{"name": "w", "shape": [1], "init": 3}]})j", "parameters");
        add(R"j({"parameters": [{"name": "w", "shape": [1], "size": 3}]})j", "parameters");
        add(R"j({"parameters": [{"name": "w", "shape": [1]}, {"name": "w", "shape": [1]}]})j", "parameters");
        add(R"j({"parameters": [{"name": "forward", "shape": [1]}]})j", "parameters");
        add(R"j({"parameters": [{"name": "2w", "shape": [1]}]})j", "parameters");
        add(R"j({"parameters": [{"name": "w", "shape": [-1]}]})j", "parameters");
        add(R"j({"constants": [1]})j", "constants");
        add(R"j({"constants": {"a": "text"}})j", "constants");
        add(R"j({"constants": {"a b": 1}})j", "constants");
        add(R"j({"outputs": ["a", "b"]})j", "outputs");
        add(R"j({"outputs": ["a b"]})j", "outputs");
        add(R"j({"source": 7})j", "source");
        add(R"j({"source": "def forward(self, x: int) -> Tensor:\n    return x"})j", "source");
    }
    void refusesBrokenDeclarations()
    {
        QFETCH(QString, params);
        QFETCH(QString, where);
        const std::string place = "network/s/" + where.toStdString();
        const auto problems = problemsOf(Json::parse(params.toStdString()));
        const auto found = std::find_if(problems.begin(), problems.end(),
                                        [&](const Problem& problem) { return problem.where == place; });
        QVERIFY2(found != problems.end(), problems.empty() ? "no problem" : problems[0].where.c_str());
        QVERIFY(!found->message.empty());
    }

    void theTyperCompletesTheRule()
    {
        int calls = 0;
        const ScriptTyper typer = [&](const NodeKind& kind, const ShapeContext& context, ShapeResult result) {
            ++calls;
            result.outputs.assign(kind.outputs.size(),
                                  TensorType{{kBatch, context.inputs.at(0)->dims.at(1) + 1}});
            return result;
        };
        const auto check = checkNetwork(scripted(Json::object()), fieldsForTest(), typer);
        QCOMPARE(calls, 1);
        QVERIFY(check.nodes.at("s").outputs.at(0) == (TensorType{{kBatch, 6}}));
        QVERIFY(!check.ok()); // 6 against the target's 3
    }
};

QTEST_APPLESS_MAIN(TestScriptSignature)
#include "tst_script_signature.moc"
