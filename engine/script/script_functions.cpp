#include "engine/script/script_functions.h"

#include <torch/torch.h>

#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <string_view>

namespace athanor {
namespace {

bool isForPeople(std::string_view name)
{
    static constexpr std::array<std::string_view, 17> kInternal{
        "backward", "cudnn",  "miopen", "mkldnn", "_copy",    "sparse", "quantized", "fbgemm", "_mps",
        "xnnpack",  "nested", "thnn",   "slow_",  "jacobian", "sym_",   "q_per",     "qscheme"};
    static constexpr std::array<std::string_view, 6> kRefused{"save",     "from_file",        "manual_seed",
                                                              "set_data", "set_grad_enabled", "seed"};
    if (name.starts_with('_') || std::ranges::find(kRefused, name) != kRefused.end())
        return false;
    return std::ranges::none_of(
        kInternal, [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

/// Texts, lists and dictionaries have functions in the same namespace; only what takes or makes tensors counts.
bool isAboutTensors(const c10::FunctionSchema& schema)
{
    const auto isTensor = [](const c10::Argument& one) {
        return one.type()->str().find("Tensor") != std::string::npos;
    };
    return std::ranges::any_of(schema.arguments(), isTensor) ||
           std::ranges::any_of(schema.returns(), isTensor);
}

bool startsWithTensor(const c10::FunctionSchema& schema)
{
    return !schema.arguments().empty() && schema.arguments()[0].name() == "self" &&
           schema.arguments()[0].type()->kind() == c10::TypeKind::TensorType;
}

std::string signature(const c10::FunctionSchema& schema)
{
    std::ostringstream text;
    text << schema;
    std::string line = text.str();
    const std::string full =
        schema.overload_name().empty() ? schema.name() : schema.name() + "." + schema.overload_name();
    return line.starts_with(full) ? schema.name().substr(6) + line.substr(full.size()) : line;
}

} // namespace

const std::vector<ScriptFunction>& scriptFunctions()
{
    static const std::vector<ScriptFunction> functions = [] {
        std::map<std::string, ScriptFunction> byName;
        for (const auto& operation : torch::jit::getAllOperators()) {
            const c10::FunctionSchema& schema = operation->schema();
            constexpr std::string_view kNamespace = "aten::";
            if (!schema.name().starts_with(kNamespace) ||
                schema.overload_name().find("out") != std::string::npos)
                continue;
            const std::string name = schema.name().substr(kNamespace.size());
            if (!isForPeople(name) || !isAboutTensors(schema))
                continue;
            ScriptFunction& function = byName[name];
            function.name = name;
            function.isMethod = function.isMethod || startsWithTensor(schema);
            function.signatures.push_back(signature(schema));
        }
        std::vector<ScriptFunction> all;
        for (auto& [name, function] : byName)
            all.push_back(std::move(function));
        return all;
    }();
    return functions;
}

} // namespace athanor
