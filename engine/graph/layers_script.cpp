#include "engine/graph/catalog_parts.h"
#include "engine/graph/script_spec.h"
#include "engine/graph/shape_rules.h"

#include <algorithm>

namespace athanor {
namespace {

using namespace part;

constexpr const char* kLayerSource = "def forward(self, x: Tensor) -> Tensor:\n    return x\n";
constexpr const char* kLossSource = "def forward(self, input: Tensor, target: Tensor) -> Tensor:\n"
                                    "    return torch.mean((input - target) ** 2)\n";

constexpr const char* kLanguage =
    "\n\n`source` is [TorchScript](https://pytorch.org/docs/stable/jit_language_reference.html), a subset of "
    "Python: `def forward(self, x: Tensor, mask: Optional[Tensor] = None) -> Tensor:`, with `if`, `for` and "
    "`while`, `torch.*` and the methods of Tensor, and other functions beside `forward`. Each argument is an "
    "input port: `Optional[Tensor]` one that may stay open, `List[Tensor]` one that takes any number of "
    "edges. "
    "`self.name` is a tensor of `parameters` or a number of `constants`; `self.training` is true while "
    "training.";

ParamSpec source(const char* standard)
{
    return {.name = "source",
            .type = ParamType::Source,
            .standard = standard,
            .help = "TorchScript with a function forward(self, …); its arguments are the input ports."};
}

std::vector<ParamSpec> declarations()
{
    return {
        {.name = "parameters",
         .type = ParamType::Any,
         .standard = Json::array(),
         .help =
             "Tensors for self.name: [{\"name\": \"weight\", \"shape\": [16, \"x.size(1)\"], \"init\": "
             "\"kaiming_uniform\"}], trained unless \"buffer\" is true. A shape may use x.size(1), constants "
             "and + - * //."},
        {.name = "constants",
         .type = ParamType::Any,
         .standard = Json::object(),
         .help = "Numbers for self.name: {\"hidden\": 16, \"slope\": 0.1}."}};
}

NodePorts scriptPorts(const Json& params, const char* standardSource, bool isLoss)
{
    Json complete = params.is_object() ? params : Json::object();
    if (!complete.contains("source"))
        complete["source"] = standardSource;
    const ScriptSpec spec = readScriptSpec(complete, isLoss);
    static const std::vector<std::string> kTargets{"target", "targets", "label", "labels"};
    NodePorts ports;
    for (const ScriptArgument& argument : spec.signature.arguments)
        ports.inputs.push_back({.name = argument.name,
                                .optional = argument.value == ScriptValue::OptionalTensor,
                                .variadic = argument.value == ScriptValue::TensorList,
                                .isTarget = isLoss && std::find(kTargets.begin(), kTargets.end(),
                                                                argument.name) != kTargets.end()});
    for (const std::string& name : spec.outputs)
        ports.outputs.push_back({name});
    return ports;
}

// Sizes and counts what is declared. What comes out is known only to who can run it.
ShapeResult scriptRule(const ShapeContext& context, bool isLoss)
{
    ScriptSpec spec = readScriptSpec(context.params, isLoss);
    ShapeResult result;
    result.outputs.resize(spec.outputs.size());
    const bool hasSource = context.params.contains("source"); // else it was refused, and that was said
    for (ShapeProblem& problem : spec.problems)
        if (hasSource || problem.parameter != "source")
            result.problems.push_back(std::move(problem));
    Json shapes = Json::object();
    bool known = true;
    for (const ScriptTensor& tensor : spec.tensors) {
        const auto shape = tensorShape(spec, tensor, context.inputs);
        if (!shape.ok()) {
            result.problems.push_back({"parameters", shape.error().message, shape.error().hint});
            known = false;
            continue;
        }
        const Extent count = product(*shape);
        known = known && count != kUnknown;
        if (!tensor.buffer && count > 0)
            result.parameters = sum({result.parameters, count});
        shapes[tensor.name] = *shape;
    }
    if (known)
        result.inferred[kParameterShapes] = std::move(shapes);
    return result;
}

std::vector<std::string> tensorNames(const Json& params, bool isLoss)
{
    std::vector<std::string> names;
    for (const ScriptTensor& tensor : readScriptSpec(params, isLoss).tensors)
        names.push_back(tensor.name);
    return names;
}

NodeKind scriptKind(std::string kind, const char* standardSource, bool isLoss)
{
    NodeKind made;
    made.kind = std::move(kind);
    made.family = isLoss ? NodeFamily::Loss : NodeFamily::Script;
    made.params = {source(standardSource)};
    for (ParamSpec& spec : declarations())
        made.params.push_back(std::move(spec));
    NodePorts ports = scriptPorts(Json::object(), standardSource, isLoss);
    made.inputs = std::move(ports.inputs);
    made.outputs = std::move(ports.outputs);
    made.shapeRule = [isLoss](const ShapeContext& context) { return scriptRule(context, isLoss); };
    made.stateNames = [isLoss](const Json& params) { return tensorNames(params, isLoss); };
    made.portsOf = [standardSource, isLoss](const Json& params) {
        return scriptPorts(params, standardSource, isLoss);
    };
    made.isScript = true;
    return made;
}

NodeKind scriptLayer()
{
    NodeKind kind = scriptKind("Script", kLayerSource, false);
    kind.title = "Layer written in TorchScript";
    kind.help = std::string("Whatever `forward` computes of its inputs.") + kLanguage +
                " A Tuple of tensors gives several output ports, which `outputs` names.";
    kind.params.push_back(
        nullable({.name = "outputs",
                  .type = ParamType::TextList,
                  .help = "Names of the output ports; empty: output, or output1, output2 and so "
                          "on for a Tuple."}));
    return kind;
}

// --- a saved module ---

std::vector<std::string> portNames(const Json& params, const char* name, const char* standard)
{
    const auto it = params.is_object() ? params.find(name) : params.end();
    std::vector<std::string> names;
    if (params.is_object() && it != params.end() && it->is_array())
        for (const Json& entry : *it)
            if (entry.is_string() &&
                std::find(names.begin(), names.end(), entry.get<std::string>()) == names.end())
                names.push_back(entry.get<std::string>());
    return names.empty() ? std::vector<std::string>{standard} : names;
}

NodePorts modulePorts(const Json& params)
{
    NodePorts ports;
    for (const std::string& name : portNames(params, "inputs", "input"))
        ports.inputs.push_back({name});
    for (const std::string& name : portNames(params, "outputs", "output"))
        ports.outputs.push_back({name});
    return ports;
}

ParamSpec names(const char* name, const char* standard, const char* help)
{
    return {.name = name, .type = ParamType::TextList, .standard = Json::array({standard}), .help = help};
}

NodeKind scriptModule()
{
    NodeKind kind;
    kind.kind = "ScriptModule";
    kind.family = NodeFamily::Script;
    kind.title = "Saved TorchScript module";
    kind.help =
        "A module that `torch.jit.save` wrote (Python: `torch.jit.script(model).save(\"model.pt\")`, or "
        "`torch.jit.trace`), with its own weights. Frozen, it stays in evaluation mode: its dropout is off "
        "and its running statistics stand still. Entries of `init` do not reach its weights. A file with "
        "only a state_dict holds no program: draw the network and set `training.weights` instead.";
    kind.params = {
        file("file", "The .pt file that torch.jit.save wrote."),
        boolean("trainable", false, "Train its weights; otherwise they stay as they are in the file."),
        names("inputs", "input", "Names of the input ports, one for each argument of its forward."),
        names("outputs", "output", "Names of the output ports, one for each tensor it returns.")};
    kind.inputs = oneInput();
    kind.outputs = oneOutput();
    kind.shapeRule = [](const ShapeContext& context) {
        ShapeResult result;
        result.outputs.resize(modulePorts(context.params).outputs.size());
        return result;
    };
    kind.portsOf = modulePorts;
    kind.isScript = true;
    return kind;
}

NodeKind scriptLoss()
{
    NodeKind kind = scriptKind("ScriptLoss", kLossSource, true);
    kind.title = "Loss written in TorchScript";
    kind.help =
        std::string("The one number that `forward` returns, which training makes small. An argument called "
                    "target, targets, label or labels takes what the data says; the first argument is the "
                    "network's output.") +
        kLanguage;
    kind.params.push_back(
        real("weight", 1.0, "Factor of this loss in the total, when a network has several.", 0));
    return kind;
}

} // namespace

std::vector<NodeKind> scriptLayers()
{
    return {scriptLayer(), scriptModule(), scriptLoss()};
}

} // namespace athanor
