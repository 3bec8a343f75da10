#include "engine/script/script_compiler.h"

#include "engine/graph/name_match.h"
#include "engine/graph/script_limits.h"
#include "engine/script/script_errors.h"
#include "engine/script/script_guard.h"

#include <torch/torch.h>

#include <torch/csrc/jit/frontend/error_report.h>
#include <torch/csrc/jit/frontend/parser.h>
#include <torch/csrc/jit/frontend/resolver.h>
#include <torch/csrc/jit/ir/constants.h>

#include <algorithm>
#include <limits>
#include <numbers>

namespace athanor {
namespace {

namespace jit = torch::jit;
using Values = std::map<std::string, c10::IValue>;
using jit::SourceRange;
using Sugared = std::shared_ptr<jit::SugaredValue>;

const Values& numberNames()
{
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    static const Values names{{"pi", std::numbers::pi},
                              {"e", std::numbers::e},
                              {"tau", 2 * std::numbers::pi},
                              {"inf", kInfinity},
                              {"nan", std::numeric_limits<double>::quiet_NaN()}};
    return names;
}

/// TorchScript writes element types as the numbers of ScalarType.
const Values& typeNames()
{
    static const Values names = [] {
        Values all;
        const auto add = [&](at::ScalarType type, std::initializer_list<const char*> words) {
            for (const char* word : words)
                all[word] = static_cast<std::int64_t>(type);
        };
        add(at::kFloat, {"float", "float32"});
        add(at::kDouble, {"double", "float64"});
        add(at::kHalf, {"half", "float16"});
        add(at::kBFloat16, {"bfloat16"});
        add(at::kByte, {"uint8"});
        add(at::kChar, {"int8"});
        add(at::kShort, {"short", "int16"});
        add(at::kInt, {"int", "int32"});
        add(at::kLong, {"long", "int64"});
        add(at::kBool, {"bool"});
        add(at::kComplexFloat, {"cfloat", "complex64"});
        return all;
    }();
    return names;
}

/// A module's name in a source: numbers that it knows, and LibTorch's operations for all else.
class Namespace : public jit::BuiltinModule {
public:
    Namespace(std::string title, std::vector<const Values*> values)
        : jit::BuiltinModule("aten"), m_title(std::move(title)), m_values(std::move(values))
    {}
    std::string kind() const override { return m_title; }
    Sugared attr(const SourceRange& place, jit::GraphFunction& function, const std::string& field) override
    {
        for (const Values* values : m_values)
            if (const auto found = values->find(field); found != values->end())
                return std::make_shared<jit::SimpleValue>(
                    jit::insertConstant(*function.graph(), found->second, place));
        if (field == "nn" || field == "no_grad" || field == "jit" || field == "optim" ||
            field == "distributions")
            throw jit::ErrorReport(place)
                << m_title << "." << field << " is not there in a script"
                << (field == "nn"        ? ": write torch.relu(x) for torch.nn.functional.relu(x)"
                    : field == "no_grad" ? ": use x.detach()"
                                         : "");
        return jit::BuiltinModule::attr(place, function, field);
    }

private:
    std::string m_title;
    std::vector<const Values*> m_values;
};

/// What the names of a source mean that it does not define itself, plus its plain functions.
class ScriptNames : public jit::Resolver {
public:
    std::map<std::string, jit::Function*> functions;

    Sugared resolveValue(const std::string& name, jit::GraphFunction&, const SourceRange&) override
    {
        static const std::vector<std::string> kExceptions{
            "Exception", "RuntimeError", "ValueError", "IndexError", "TypeError", "NotImplementedError"};
        if (name == "torch")
            return std::make_shared<Namespace>("torch", std::vector{&typeNames(), &numberNames()});
        if (name == "math")
            return std::make_shared<Namespace>("math", std::vector{&numberNames()});
        if (std::ranges::find(kExceptions, name) != kExceptions.end())
            return std::make_shared<jit::ExceptionValue>(name);
        const auto found = functions.find(name);
        return found == functions.end() ? nullptr : std::make_shared<jit::FunctionValue>(found->second);
    }
    c10::TypePtr resolveType(const std::string&, const SourceRange&) override { return nullptr; }
};

// --- parsing ---

/// A parser that stopped says nothing of its column, but it stands where it stopped.
SourceProblem problemAtParser(const std::string& message, jit::Parser& parser, const std::string& source)
{
    SourceProblem problem = problemOfMessage(message, source);
    if (message.find("INTERNAL ASSERT") != std::string::npos) {
        problem.message = "this is no TorchScript";
        problem.hint = "formatted texts (f\"…\"), lambda, try, yield and classes are not there in a script";
    }
    if (message.find("valid token") != std::string::npos && problem.place.line > 0) {
        problem.message = "this means nothing here";
        return problem; // the parser stands before it
    }
    const auto& token = parser.lexer().cur();
    std::size_t start = std::min(token.range.start(), source.size());
    const bool isLayout = token.kind == jit::TK_NEWLINE || token.kind == jit::TK_INDENT ||
                          token.kind == jit::TK_DEDENT || token.kind == jit::TK_EOF;
    if (isLayout) { // what is missing is missing at the end of the line before
        const auto end = source.find_last_not_of(" \t\r\n", start == 0 ? 0 : start - 1);
        start = end == std::string::npos ? 0 : end + 1;
    }
    problem.place = placeAt(source, start, isLayout ? 0 : token.range.end() - start);
    return problem;
}

struct Definitions {
    std::vector<jit::Def> methods;
    std::vector<jit::Def> functions;
};

/// As the compiler wants it: lines end in "\n", the last one too. No place moves by that.
std::string tidied(std::string source)
{
    std::erase(source, '\r');
    if (!source.ends_with('\n'))
        source += '\n';
    return source;
}

Definitions parse(const std::string& written)
{
    const std::string source = tidied(written);
    if (auto excess = excessOf(source))
        throw ScriptError(*std::move(excess), "source");
    Definitions definitions;
    std::optional<jit::Parser> parser;
    try {
        parser.emplace(std::make_shared<jit::Source>(source, std::string(kScriptFile), 1));
        while (parser->lexer().cur().kind != jit::TK_EOF) {
            const jit::Def def(parser->parseFunction(true));
            const auto arguments = def.decl().params();
            const bool isMethod = arguments.size() > 0 && (*arguments.begin()).ident().name() == "self";
            (isMethod ? definitions.methods : definitions.functions).push_back(def);
        }
    } catch (const std::exception& error) {
        if (parser)
            throw ScriptError(problemAtParser(error.what(), *parser, source), "source", error.what());
        throw ScriptError(problemOfMessage(error.what(), source), "source", error.what());
    }
    return definitions;
}

// --- compiling ---

/// What `self` is while the source is compiled.
struct ScriptSelf : jit::Self {
    explicit ScriptSelf(c10::ClassTypePtr classType) : m_class(std::move(classType)) {}
    Sugared makeSugared(jit::Value* value) const override
    {
        value->setType(m_class);
        return std::make_shared<jit::SimpleValue>(value);
    }
    c10::ClassTypePtr getClassType() const override { return m_class; }

private:
    c10::ClassTypePtr m_class;
};

void define(jit::Module& module, const Definitions& definitions)
{
    const auto unit = module._ivalue()->compilation_unit();
    const auto names = std::make_shared<ScriptNames>();
    const auto resolvers = [&](const std::vector<jit::Def>& defs) {
        return std::vector<jit::ResolverPtr>(defs.size(), names);
    };
    // Functions first; they find one another through the unit, whatever their order.
    const auto functions = unit->define(c10::QualifiedName("__torch__.functions"), {}, {},
                                        definitions.functions, resolvers(definitions.functions), nullptr);
    for (jit::Function* function : functions)
        names->functions[function->name()] = function;
    const ScriptSelf self(module.type());
    unit->define(module.type()->name(), {}, {}, definitions.methods, resolvers(definitions.methods), &self);
}

void addConstant(jit::Module& module, const ScriptConstant& constant)
{
    if (constant.value.is_boolean())
        module.register_attribute(constant.name, c10::BoolType::get(), constant.value.get<bool>());
    else if (constant.value.is_number_float())
        module.register_attribute(constant.name, c10::FloatType::get(), constant.value.get<double>());
    else
        module.register_attribute(constant.name, c10::IntType::get(), constant.value.get<std::int64_t>());
}

/// What may have been meant by "self has no 'weigth'".
std::string nearMember(std::string_view message, const ScriptSpec& spec)
{
    constexpr std::string_view kStart = "self has no '";
    if (!message.starts_with(kStart))
        return {};
    std::vector<std::string> members{"training"};
    for (const ScriptTensor& tensor : spec.tensors)
        members.push_back(tensor.name);
    for (const ScriptConstant& constant : spec.constants)
        members.push_back(constant.name);
    const auto name = message.substr(kStart.size());
    return didYouMean(name.substr(0, name.find('\'')), members);
}

} // namespace

int resultCount(const jit::Module& module)
{
    const c10::TypePtr type = module.get_method("forward").function().getSchema().returns().at(0).type();
    if (type->kind() == c10::TypeKind::TensorType)
        return 1;
    const auto tuple = type->cast<c10::TupleType>();
    const auto isTensor = [](const c10::TypePtr& element) {
        return element->kind() == c10::TypeKind::TensorType;
    };
    if (!tuple || !std::ranges::all_of(tuple->elements(), isTensor))
        return 0;
    return static_cast<int>(tuple->elements().size());
}

jit::Module compileScript(const ScriptSpec& spec, const std::map<std::string, torch::Tensor>& tensors)
{
    prepareScripting();
    const Definitions definitions = parse(spec.source);
    try {
        jit::Module module("Script");
        for (const ScriptTensor& tensor : spec.tensors) {
            if (tensor.buffer)
                module.register_buffer(tensor.name, tensors.at(tensor.name));
            else
                module.register_parameter(tensor.name, tensors.at(tensor.name), false);
        }
        for (const ScriptConstant& constant : spec.constants)
            addConstant(module, constant);
        module.register_attribute("training", c10::BoolType::get(), true);
        define(module, definitions);
        const auto isBuffer = [&](const std::string& name) {
            return std::ranges::any_of(
                spec.tensors, [&](const ScriptTensor& one) { return one.name == name && one.buffer; });
        };
        guardProgram(*module._ivalue()->compilation_unit(), spec.source, "source", isBuffer);
        return module;
    } catch (const PlacedError&) {
        throw;
    } catch (const std::exception& error) {
        SourceProblem problem = problemOfMessage(error.what(), spec.source);
        if (const std::string near = nearMember(problem.message, spec); !near.empty())
            problem.hint = near;
        throw ScriptError(std::move(problem), "source", error.what());
    }
}

} // namespace athanor
