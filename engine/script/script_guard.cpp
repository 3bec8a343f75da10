#include "engine/script/script_guard.h"

#include "engine/base/log.h"
#include "engine/script/script_errors.h"

#include <torch/torch.h>

#include <ATen/CPUGeneratorImpl.h>
#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/runtime/custom_operator.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/runtime/print_handler.h>
#include <torch/library.h>

#include <algorithm>
#include <mutex>
#include <regex>
#include <set>
#include <string>

namespace athanor {
namespace {

namespace jit = torch::jit;

// --- loops with a way out ---

thread_local const std::function<bool()>* watched = nullptr;
constexpr const char* kTick = "athanor::tick";

void tick(jit::Stack&)
{
    if (watched != nullptr && (*watched)())
        throw std::runtime_error("the loop did not end in time");
}

const jit::RegisterOperators tickOperator({jit::Operator(std::string(kTick) + "() -> ()", tick,
                                                         c10::AliasAnalysisKind::CONSERVATIVE)});

// --- what is refused ---

SourcePlace placeOf(const jit::Node& node, std::string_view source)
{
    const auto& range = node.sourceRange();
    if (!range.source() || range.source()->filename().value_or("") != kScriptFile ||
        range.start() > source.size())
        return {};
    return placeAt(source, range.start(), range.end() - range.start());
}

/// The compiler gives assignments no place.
SourcePlace placeOfAssignment(const std::string& attribute, std::string_view source)
{
    const std::regex pattern("self\\s*\\.\\s*" + attribute + "\\s*[-+*/]?=(?!=)");
    std::cmatch found;
    if (!std::regex_search(source.data(), source.data() + source.size(), found, pattern))
        return {};
    return placeAt(source, static_cast<std::size_t>(found.position(0)),
                   static_cast<std::size_t>(found.length(0)));
}

/// Why an operation may not be used; empty: it may.
std::string refusal(const std::string& operation)
{
    static const std::set<std::string> kFiles{"aten::save", "aten::from_file"};
    static const std::set<std::string> kForeign{"prim::rpc_async", "prim::rpc_sync", "prim::rpc_remote",
                                                "prim::PythonOp", "prim::IgnoredPythonOp"};
    if (kFiles.contains(operation))
        return "a script may not read or write files";
    if (kForeign.contains(operation) || operation.starts_with("c10d::") ||
        operation.starts_with("profiler::"))
        return "a script may not reach out of itself";
    if (operation == "aten::manual_seed")
        return "a script may not seed the random numbers of the whole run";
    if (operation == "prim::fork")
        return "a script may not fork: the order of its random numbers would change from run to run";
    if (operation == "aten::set_data" || operation == "aten::set_")
        return "a script may not exchange the memory of a tensor";
    return {};
}

struct ProgramGuard {
    std::string_view source;
    const std::string& where;
    const std::function<bool(const std::string&)>& assignable;

    void visit(jit::Block& block) const;
    void check(const jit::Node& node) const;
};

void ProgramGuard::check(const jit::Node& node) const
{
    const std::string operation = node.kind().toQualString();
    if (const std::string why = refusal(operation); !why.empty())
        throw ScriptError({placeOf(node, source), why, {}}, where);
    if (node.kind() != c10::prim::SetAttr)
        return;
    const auto owner = node.input(0)->type()->cast<c10::ClassType>();
    if (owner && !owner->is_module())
        return; // an object that lives no longer than the call, such as torch.no_grad()
    const std::string name = node.s(c10::attr::name);
    if (!assignable(name))
        throw ScriptError({placeOfAssignment(name, source),
                           "self." + name + " cannot be assigned: only buffers keep a value",
                           "declare it in parameters with \"buffer\": true"},
                          where);
}

void ProgramGuard::visit(jit::Block& block) const
{
    std::vector<jit::Node*> nodes(block.nodes().begin(), block.nodes().end());
    for (jit::Node* node : nodes) {
        check(*node);
        for (jit::Block* inner : node->blocks())
            visit(*inner);
        if (node->kind() != c10::prim::Loop)
            continue;
        jit::Node* way = block.owningGraph()->create(c10::Symbol::fromQualString(kTick), 0);
        way->setSourceRange(node->sourceRange());
        node->blocks()[0]->prependNode(way);
    }
}

// --- what draws ---

bool wantsGenerator(const c10::Argument& argument)
{
    const auto optional = argument.type()->cast<c10::OptionalType>();
    return optional && optional->getElementType()->kind() == c10::TypeKind::GeneratorType;
}

/// Operations that draw without a generator among their arguments say so by their names.
bool isDrawing(const jit::Node& node)
{
    static const std::set<std::string> kNames{"rand", "randn", "randint", "randperm", "rand_like", "randn_like", "randint_like",
                                              "normal", "bernoulli", "multinomial", "poisson", "rrelu", "binomial"};
    const std::string operation = node.kind().toUnqualString();
    if (kNames.contains(operation) || operation.find("dropout") != std::string::npos)
        return true;
    const jit::Operator* known = node.maybeOperator();
    if (known == nullptr)
        return false;
    const auto& arguments = known->schema().arguments();
    return std::ranges::any_of(arguments, [](const c10::Argument& argument) { return wantsGenerator(argument); });
}

bool drawsIn(const jit::Block& block)
{
    for (const jit::Node* node : block.nodes()) {
        if (isDrawing(*node))
            return true;
        for (const jit::Block* inner : node->blocks())
            if (drawsIn(*inner))
                return true;
    }
    return false;
}

// --- random numbers of their own, and counting ---

struct Trial {
    explicit Trial(std::uint64_t seed) : generator(at::detail::createCPUGenerator(seed)) {}
    at::Generator generator;
    std::int64_t macs = 0;
};
thread_local Trial* trial = nullptr;
constexpr auto kTrialKey = c10::DispatchKey::TESTING_ONLY_GenericMode; // LibTorch's own code never sets it

std::int64_t sizeOf(const c10::IValue& value, std::int64_t axis)
{
    return value.toTensor().size(axis);
}

/// Multiply-accumulates of an operation by its inputs, before they are used up; its output comes afterwards.
std::int64_t productMacs(const std::string& name, c10::ArrayRef<c10::IValue> inputs)
{
    const std::size_t first = name.starts_with("aten::add") || name == "aten::baddbmm" ? 1 : 0;
    if (name == "aten::mm" || name == "aten::addmm" || name == "aten::bmm" || name == "aten::baddbmm")
        return inputs[first].toTensor().numel() * sizeOf(inputs[first + 1], -1);
    if (name == "aten::mv" || name == "aten::addmv" || name == "aten::dot")
        return inputs[first].toTensor().numel();
    return 0;
}

void runInTrial(const c10::OperatorHandle& operation, c10::DispatchKeySet keys, torch::jit::Stack* stack)
{
    const auto& schema = operation.schema();
    const std::size_t count = schema.arguments().size();
    const std::size_t start = stack->size() - count;
    for (std::size_t i = 0; trial != nullptr && i < count; ++i)
        if ((*stack)[start + i].isNone() && wantsGenerator(schema.arguments()[i]))
            (*stack)[start + i] = trial->generator;
    const bool convolves = schema.name() == "aten::convolution";
    torch::Tensor input;
    torch::Tensor weight;
    bool transposed = false;
    if (trial != nullptr)
        trial->macs += productMacs(schema.name(), c10::ArrayRef<c10::IValue>(stack->data() + start, count));
    if (convolves) {
        input = (*stack)[start].toTensor();
        weight = (*stack)[start + 1].toTensor();
        transposed = (*stack)[start + 6].toBool();
    }
    operation.redispatchBoxed(keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, kTrialKey), stack);
    if (trial != nullptr && convolves && weight.size(0) > 0) {
        const auto positions = transposed ? input.numel() : stack->back().toTensor().numel();
        trial->macs += positions * (weight.numel() / weight.size(0));
    }
}

TORCH_LIBRARY_IMPL(_, TESTING_ONLY_GenericMode, library)
{
    library.fallback(torch::CppFunction::makeFromBoxedFunction<&runInTrial>());
}

} // namespace

void prepareScripting()
{
    static std::once_flag once;
    std::call_once(once, [] {
        jit::getExecutorMode() = true;
        jit::getProfilingMode() = false; // with the new executor: operation by operation
        jit::setPrintHandler([](const std::string& text) {
            const auto end = text.find_last_not_of('\n');
            spdlog::info("script: {}", text.substr(0, end == std::string::npos ? 0 : end + 1));
        });
    });
}

void guardProgram(jit::CompilationUnit& program, std::string_view source, const std::string& where,
                  const std::function<bool(const std::string&)>& assignable)
{
    const ProgramGuard guard{source, where, assignable};
    for (jit::Function* function : program.get_functions()) {
        function->ensure_defined();
        if (jit::GraphFunction* body = jit::tryToGraphFunction(*function))
            guard.visit(*body->graph()->block());
    }
}

bool drawsRandomNumbers(const jit::CompilationUnit& program)
{
    for (jit::Function* function : program.get_functions()) {
        const jit::GraphFunction* body = jit::tryToGraphFunction(*function);
        if (body != nullptr && drawsIn(*body->graph()->block()))
            return true;
    }
    return false;
}

ScriptWatch::ScriptWatch(std::function<bool()> stop) : m_stop(std::move(stop)), m_before(watched)
{
    watched = &m_stop;
}

ScriptWatch::~ScriptWatch()
{
    watched = m_before;
}

struct ScriptTrial::Impl {
    explicit Impl(std::uint64_t seed) : own(seed) {}
    Trial own;
    Trial* before = trial;
    c10::impl::IncludeDispatchKeyGuard include{kTrialKey};
};

ScriptTrial::ScriptTrial(std::uint64_t seed) : m_impl(std::make_unique<Impl>(seed))
{
    trial = &m_impl->own;
}

ScriptTrial::~ScriptTrial()
{
    trial = m_impl->before;
}

std::int64_t ScriptTrial::macs() const
{
    return m_impl->own.macs;
}

} // namespace athanor
