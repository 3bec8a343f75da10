#include "engine/train/script/script_typer.h"

#include "engine/script/script_errors.h"
#include "engine/script/script_guard.h"
#include "engine/train/script/script_program.h"

#include <torch/torch.h>

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>

namespace athanor {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kLongestLoop = std::chrono::seconds(2);
constexpr std::int64_t kFewSamples = 2;
constexpr std::int64_t kMoreSamples = 3;

/// What the trial's inputs hold.
enum class TrialValues {
    Ones,   ///< and the first class
    Random, ///< between 0 and 1, and any class: for programs that cannot do with equal numbers
};

struct TrialRun {
    Tensors outputs;
    std::int64_t macs = 0;
};

/// Compiles and tries one node.
class ScriptInspection {
public:
    ScriptInspection(const NodeKind& kind, const ShapeContext& context,
                     const std::function<bool()>& cancelled)
        : m_kind(kind), m_context(context), m_cancelled(cancelled)
    {}
    ScriptReport make();

private:
    void inspect();
    std::shared_ptr<ScriptProgram> compileSource();
    std::shared_ptr<ScriptProgram> loadModule();
    void checkResults(const ScriptProgram& program);
    void checkModule(const ScriptProgram& program);
    [[nodiscard]] bool inputsKnown() const;
    void tryOut(const ScriptProgram& program);
    TrialRun runOnce(const ScriptProgram& program, std::int64_t samples, TrialValues values) const;
    std::pair<TrialRun, TrialRun> runTwice(const ScriptProgram& program, TrialValues values) const;
    void judge(const TrialRun& few, const TrialRun& more);
    void judgeLoss(const torch::Tensor& value);
    std::optional<TensorType> typeOf(const torch::Tensor& few, const torch::Tensor& more,
                                     const std::string& port);
    void report(const ScriptError& error);
    void report(SourceProblem problem) { m_report.problems.push_back(std::move(problem)); }

    const NodeKind& m_kind;
    const ShapeContext& m_context;
    const std::function<bool()>& m_cancelled;
    bool m_isModule = false;
    bool m_hasShapes = true; ///< of all declared tensors
    ScriptSpec m_spec;
    ScriptReport m_report;
};

void ScriptInspection::report(const ScriptError& error)
{
    if (error.error().where == "source")
        report(error.problem());
    else
        m_report.others.push_back({error.error().where, error.error().message, error.error().hint});
}

ScriptReport ScriptInspection::make()
{
    m_isModule = m_kind.params.front().type == ParamType::Path;
    m_report.outputs.resize(m_kind.outputs.size());
    try {
        inspect();
    } catch (const ScriptError& error) {
        report(error);
    } catch (...) {
        const Error error = errorFromCurrentException("source");
        m_report.others.push_back({m_isModule ? "file" : "source", error.message, error.hint});
    }
    return std::move(m_report);
}

void ScriptInspection::inspect()
{
    const auto program = m_isModule ? loadModule() : compileSource();
    if (!program)
        return;
    if (m_isModule)
        checkModule(*program);
    else
        checkResults(*program);
    if (m_report.ok() && m_hasShapes && inputsKnown())
        tryOut(*program);
}

std::shared_ptr<ScriptProgram> ScriptInspection::compileSource()
{
    if (!m_context.params.contains("source"))
        return nullptr; // it was refused, and that was said
    m_spec = readScriptSpec(m_context.params, m_kind.isLoss());
    m_report.problems = m_spec.signature.problems;
    for (const ShapeProblem& problem : m_spec.problems)
        if (problem.parameter != "source" || m_spec.signature.problems.empty())
            m_report.others.push_back(problem);
    if (!m_report.ok())
        return nullptr;
    ScriptProgram::Shapes shapes;
    for (const ScriptTensor& tensor : m_spec.tensors) {
        const auto shape = tensorShape(m_spec, tensor, m_context.inputs);
        if (!shape.ok())
            m_report.others.push_back({"parameters", shape.error().message, shape.error().hint});
        const bool known = shape.ok() && std::ranges::find(*shape, kUnknown) == shape->end();
        m_hasShapes = m_hasShapes && known;
        shapes[tensor.name] = known ? *shape : std::vector<std::int64_t>(tensor.shape.size(), 1);
        if (known && !tensor.buffer)
            m_report.parameters += c10::multiply_integers(*shape);
    }
    return ScriptProgram::compile(m_spec, shapes, ScriptFill::Small);
}

std::shared_ptr<ScriptProgram> ScriptInspection::loadModule()
{
    if (!m_context.params.contains("file"))
        return nullptr;
    const std::string file = textParam(m_context.params, kModuleFile);
    auto program = ScriptProgram::load(file, flagParam(m_context.params, "trainable"));
    for (const auto& parameter : program->module()->parameters())
        if (parameter.requires_grad())
            m_report.parameters += parameter.numel();
    return program;
}

void ScriptInspection::checkResults(const ScriptProgram& program)
{
    const int results = program.results();
    const auto ports = static_cast<int>(m_kind.outputs.size());
    if (results == 0)
        report({m_spec.signature.forward, "forward returns something else than tensors",
                "only tensors flow along edges: return Tensor, or Tuple[Tensor, Tensor]"});
    else if (m_kind.isLoss() && results != 1)
        report({m_spec.signature.forward,
                fmt::format("a loss returns one tensor, but forward returns {}", results),
                "return the sum of the parts"});
    else if (!m_kind.isLoss() && results != ports)
        report({m_spec.signature.forward,
                fmt::format("forward returns {} tensor{}, but the node has {} output{}", results,
                            results == 1 ? "" : "s", ports, ports == 1 ? "" : "s"),
                "write what it returns: -> Tuple[Tensor, Tensor], or name the ports in outputs"});
}

void ScriptInspection::checkModule(const ScriptProgram& program)
{
    const auto inputs = static_cast<int>(m_kind.inputs.size());
    const auto outputs = static_cast<int>(m_kind.outputs.size());
    if (inputs < program.requiredArguments() || inputs > program.arguments())
        m_report.others.push_back({"inputs",
                                   fmt::format("the module takes {}, but the node has {} input{}",
                                               program.argumentText(), inputs, inputs == 1 ? "" : "s"),
                                   "name one input for each argument"});
    if (program.results() == 0)
        m_report.others.push_back({"file", "its forward returns something else than tensors",
                                   "wrap the model in one that returns a tensor or a tuple of tensors"});
    else if (program.results() != outputs)
        m_report.others.push_back(
            {"outputs",
             fmt::format("the module returns {} tensor{}, but the node has {} output{}", program.results(),
                         program.results() == 1 ? "" : "s", outputs, outputs == 1 ? "" : "s"),
             "name one output for each tensor"});
}

/// An optional port that nothing enters is known: the script gets None.
bool ScriptInspection::inputsKnown() const
{
    for (std::size_t i = 0; i < m_context.inputs.size(); ++i) {
        const auto& input = m_context.inputs[i];
        const bool open = !m_context.connected.empty() && !m_context.connected[i];
        const bool optional = i < m_kind.inputs.size() && m_kind.inputs[i].optional;
        if (!input && !(open && optional))
            return false;
        if (input && std::ranges::find(input->dims, kUnknown) != input->dims.end())
            return false;
    }
    return true;
}

torch::Tensor trialInput(const TensorType& type, std::int64_t samples, TrialValues values)
{
    auto dims = type.dims;
    std::ranges::replace(dims, kBatch, samples);
    if (type.type == ElementType::Index)
        return values == TrialValues::Ones
                   ? torch::zeros(dims, torch::kLong)
                   : torch::randint(std::max<std::int64_t>(type.classes, 1), dims, torch::kLong);
    return values == TrialValues::Ones ? torch::ones(dims) : torch::rand(dims);
}

TrialRun ScriptInspection::runOnce(const ScriptProgram& program, std::int64_t samples,
                                   TrialValues values) const
{
    // Gradients show whether a loss can be trained for; a layer is only looked at.
    const torch::AutoGradMode gradients(m_kind.isLoss());
    const ScriptTrial trial;
    const auto start = Clock::now();
    const ScriptWatch watch([&, ticks = 0u]() mutable {
        return ++ticks % 64 == 0 && (Clock::now() - start > kLongestLoop || (m_cancelled && m_cancelled()));
    });
    Tensors inputs;
    for (const auto& input : m_context.inputs) {
        inputs.push_back(input ? trialInput(*input, samples, values) : torch::Tensor());
        if (inputs.back().defined() && inputs.back().is_floating_point())
            inputs.back().set_requires_grad(m_kind.isLoss());
    }
    TrialRun run;
    run.outputs = program.run(inputs);
    run.macs = trial.macs();
    return run;
}

std::pair<TrialRun, TrialRun> ScriptInspection::runTwice(const ScriptProgram& program,
                                                         TrialValues values) const
{
    auto few = runOnce(program, kFewSamples, values);
    return {std::move(few), runOnce(program, kMoreSamples, values)};
}

void ScriptInspection::tryOut(const ScriptProgram& program)
{
    std::pair<TrialRun, TrialRun> runs;
    try {
        runs = runTwice(program, TrialValues::Ones);
    } catch (const ScriptError&) {
        if (m_cancelled && m_cancelled())
            return;
        runs = runTwice(program, TrialValues::Random);
    }
    judge(runs.first, runs.second);
}

void ScriptInspection::judge(const TrialRun& few, const TrialRun& more)
{
    m_report.tried = true;
    m_report.macs = std::max<std::int64_t>(more.macs - few.macs, 0);
    if (m_kind.isLoss())
        return judgeLoss(few.outputs.front());
    for (std::size_t i = 0; i < std::min(few.outputs.size(), m_report.outputs.size()); ++i)
        m_report.outputs[i] = typeOf(few.outputs[i], more.outputs[i], m_kind.outputs[i].name);
}

void ScriptInspection::judgeLoss(const torch::Tensor& value)
{
    const SourcePlace& place = m_spec.signature.forward;
    if (value.dim() != 0)
        report({place,
                fmt::format("the loss must be one number, but forward returns {} numbers", value.numel()),
                "end it with .mean() or .sum()"});
    else if (!value.is_floating_point())
        report({place,
                fmt::format("the loss must be a number with a fraction, but is {}",
                            c10::toString(value.scalar_type())),
                "compute it from the float inputs"});
    else if (!value.requires_grad())
        report({place, "no gradient flows from the loss to any of its inputs",
                "comparisons, argmax, round and detach let none through"});
}

/// Extents that follow the number of samples are N; what is neither N nor constant is unknown.
std::optional<TensorType> ScriptInspection::typeOf(const torch::Tensor& few, const torch::Tensor& more,
                                                   const std::string& port)
{
    const auto element = few.scalar_type();
    if (element != torch::kFloat && element != torch::kLong) {
        const std::string message =
            fmt::format("{} is {}, but float32 and int64 flow along edges", port, c10::toString(element));
        if (m_isModule)
            m_report.others.push_back({"file", message, "let the module return float32"});
        else
            report({m_spec.signature.forward, message, "end it with .float() or .long()"});
    }
    if (few.dim() != more.dim())
        return std::nullopt;
    TensorType type;
    type.type = few.is_floating_point() ? ElementType::Float : ElementType::Index;
    for (std::int64_t axis = 0; axis < few.dim(); ++axis) {
        const bool follows = few.size(axis) == kFewSamples && more.size(axis) == kMoreSamples;
        const bool same = few.size(axis) == more.size(axis);
        type.dims.push_back(follows ? kBatch : same ? few.size(axis) : kUnknown);
    }
    return type;
}

// --- reports that were made before ---

class ReportCache {
public:
    std::optional<ScriptReport> find(const std::string& key)
    {
        const std::lock_guard lock(m_mutex);
        const auto found = m_reports.find(key);
        return found == m_reports.end() ? std::nullopt : std::optional(found->second);
    }
    void keep(const std::string& key, const ScriptReport& report)
    {
        constexpr std::size_t kMost = 256; // more than the scripts of any network; a new start costs little
        const std::lock_guard lock(m_mutex);
        if (m_reports.size() >= kMost)
            m_reports.clear();
        m_reports.emplace(key, report);
    }

private:
    std::mutex m_mutex; // guards m_reports
    std::map<std::string, ScriptReport> m_reports;
};

/// Everything that a report depends on.
std::string keyOf(const NodeKind& kind, const ShapeContext& context, const std::filesystem::path& folder)
{
    std::string key = kind.kind + "\n" + context.params.dump(-1, ' ', false, Json::error_handler_t::replace);
    for (std::size_t i = 0; i < context.inputs.size(); ++i) {
        const auto& input = context.inputs[i];
        const bool open = !context.connected.empty() && !context.connected[i];
        key += input ? fmt::format("\n{}{}:{}", input->type == ElementType::Float ? "f" : "i", input->classes,
                                   input->text())
                     : std::string(open ? "\nopen" : "\nunknown");
    }
    for (const PortSpec& port : kind.outputs)
        key += "\n" + port.name;
    if (kind.params.front().type == ParamType::Path) {
        std::error_code failed; // a file that is not there has no size, which is a key too
        const auto file = folder / textParam(context.params, "file");
        key += fmt::format("\n{}:{}:{}", file.string(), std::filesystem::file_size(file, failed),
                           std::filesystem::last_write_time(file, failed).time_since_epoch().count());
    }
    return key;
}

} // namespace

ScriptReport reportScript(const NodeKind& kind, const ShapeContext& context,
                          const std::filesystem::path& folder, const std::function<bool()>& cancelled)
{
    static ReportCache cache;
    const std::string key = keyOf(kind, context, folder);
    if (auto known = cache.find(key))
        return *std::move(known);
    ShapeContext own = context;
    if (own.params.contains("file"))
        own.params[kModuleFile] = std::filesystem::absolute(folder / textParam(own.params, "file")).string();
    ScriptReport report = ScriptInspection(kind, own, cancelled).make();
    if (cancelled && cancelled())
        return {};
    cache.keep(key, report);
    return report;
}

ScriptTyper makeScriptTyper(std::filesystem::path folder, std::function<bool()> cancelled)
{
    return [folder = std::move(folder), cancelled = std::move(cancelled)](
               const NodeKind& kind, const ShapeContext& context, ShapeResult fromRule) {
        ScriptReport report = reportScript(kind, context, folder, cancelled);
        ShapeResult result = std::move(fromRule);
        result.problems = std::move(report.others);
        for (const SourceProblem& problem : report.problems)
            result.problems.push_back({"source", placedText(problem), problem.hint});
        if (!report.outputs.empty())
            result.outputs = std::move(report.outputs);
        result.parameters = report.parameters;
        result.macs = report.macs;
        if (context.params.contains("file"))
            result.inferred[kModuleFile] =
                std::filesystem::absolute(folder / textParam(context.params, "file")).string();
        return result;
    };
}

} // namespace athanor
