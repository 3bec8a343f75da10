#include "engine/train/script/script_program.h"

#include "engine/graph/param_check.h"
#include "engine/project/project.h"
#include "engine/train/initialize.h"
#include "engine/script/script_compiler.h"
#include "engine/script/script_errors.h"
#include "engine/train/script/script_file.h"
#include "engine/script/script_guard.h"
#include "engine/train/script/script_state.h"

#include <torch/torch.h>

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

namespace athanor {
namespace {

namespace jit = torch::jit;
using torch::Tensor;

ScriptError parameterError(const std::string& message, const std::string& hint = {})
{
    return ScriptError({{}, message, hint}, "parameters");
}

void checkInit(const ScriptTensor& tensor)
{
    const auto* specs = initializerParams(tensor.init);
    if (specs == nullptr)
        throw parameterError(fmt::format("{}: there is no initialiser called {}", tensor.name, tensor.init),
                             "use one of torch.nn.init's, such as kaiming_uniform, normal, zeros");
    const auto problems = checkParams(*specs, tensor.initParams, tensor.init);
    if (!problems.empty())
        throw parameterError(tensor.name + ": " + problems.front().message, problems.front().hint);
}

/// Weights of two axes and more as torch.nn.Linear and torch.nn.Conv2d draw theirs; all else starts at 0.
void fillByDefault(Tensor& tensor, bool buffer)
{
    if (tensor.dim() >= 2 && !buffer)
        fillTensor(tensor, "kaiming_uniform", {{"a", std::sqrt(5.0)}});
}

Tensor makeTensor(const ScriptTensor& spec, const std::vector<std::int64_t>& shape, ScriptFill fill)
{
    if (!spec.init.empty())
        checkInit(spec);
    Tensor tensor = torch::zeros(shape);
    try {
        if (fill == ScriptFill::Small)
            tensor.fill_(0.01);
        else if (!spec.init.empty())
            fillTensor(tensor, spec.init, spec.initParams);
        else
            fillByDefault(tensor, spec.buffer);
    } catch (const std::exception&) {
        const Error error = errorFromCurrentException("parameters");
        throw parameterError(fmt::format("{} cannot be filled: {}", spec.name, error.message),
                             "use an initialiser that fits its shape");
    }
    return tensor.set_requires_grad(!spec.buffer);
}

std::vector<c10::IValue> sourceArguments(const ScriptSignature& signature, const Tensors& inputs)
{
    std::vector<c10::IValue> arguments;
    const auto ranges = argumentRanges(signature, inputs.size());
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        const auto [start, count] = ranges[i];
        if (signature.arguments[i].value == ScriptValue::TensorList) {
            c10::List<Tensor> list;
            for (std::size_t k = start; k < start + count; ++k)
                list.push_back(inputs[k]);
            arguments.emplace_back(std::move(list));
        } else if (inputs[start].defined()) {
            arguments.emplace_back(inputs[start]);
        } else {
            arguments.emplace_back();
        }
    }
    return arguments;
}

Tensors unpacked(const c10::IValue& result)
{
    if (result.isTensor())
        return {result.toTensor()};
    Tensors tensors;
    for (const c10::IValue& element : result.toTupleRef().elements())
        tensors.push_back(element.toTensor());
    return tensors;
}

} // namespace

struct ScriptProgram::Impl {
    std::shared_ptr<ScriptState> state;
    std::string source; ///< empty for a file
    ScriptSignature signature;
    std::string where; ///< the parameter that is to blame: "source", "file"
};

ScriptProgram::ScriptProgram(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
ScriptProgram::~ScriptProgram() = default;

std::shared_ptr<ScriptProgram> ScriptProgram::compile(const ScriptSpec& spec, const Shapes& shapes,
                                                      ScriptFill fill)
{
    std::map<std::string, Tensor> tensors;
    for (const ScriptTensor& tensor : spec.tensors) {
        const auto shape = shapes.find(tensor.name);
        if (shape == shapes.end())
            throw parameterError(fmt::format("the shape of {} is not known", tensor.name),
                                 "connect the inputs that it follows from");
        tensors[tensor.name] = makeTensor(tensor, shape->second, fill);
    }
    auto impl = std::make_unique<Impl>();
    impl->state = std::make_shared<ScriptState>(compileScript(spec, tensors), ScriptMode::Source);
    impl->source = spec.source;
    impl->signature = spec.signature;
    impl->where = "source";
    return std::shared_ptr<ScriptProgram>(new ScriptProgram(std::move(impl)));
}

std::shared_ptr<ScriptProgram> ScriptProgram::load(const std::filesystem::path& file, bool trainable)
{
    auto impl = std::make_unique<Impl>();
    impl->state = std::make_shared<ScriptState>(loadScriptFile(file, trainable),
                                                trainable ? ScriptMode::Trainable : ScriptMode::Frozen);
    impl->where = "file";
    return std::shared_ptr<ScriptProgram>(new ScriptProgram(std::move(impl)));
}

std::shared_ptr<torch::nn::Module> ScriptProgram::module() const
{
    return m_impl->state;
}

int ScriptProgram::results() const
{
    return resultCount(m_impl->state->code());
}

int ScriptProgram::arguments() const
{
    const auto& schema = m_impl->state->code().get_method("forward").function().getSchema();
    return static_cast<int>(schema.arguments().size()) - 1;
}

int ScriptProgram::requiredArguments() const
{
    const auto& all = m_impl->state->code().get_method("forward").function().getSchema().arguments();
    const auto isRequired = [](const c10::Argument& one) { return !one.default_value(); };
    return static_cast<int>(std::ranges::count_if(all, isRequired)) - 1;
}

std::string ScriptProgram::argumentText() const
{
    const auto& all = m_impl->state->code().get_method("forward").function().getSchema().arguments();
    std::string text;
    for (std::size_t i = 1; i < all.size(); ++i)
        text += (i > 1 ? ", " : "") + all[i].name() + (all[i].default_value() ? " (may be missing)" : "");
    return text;
}

Tensors ScriptProgram::run(const Tensors& inputs) const
{
    std::vector<c10::IValue> arguments;
    if (m_impl->where == "source")
        arguments = sourceArguments(m_impl->signature, inputs);
    else
        arguments.assign(inputs.begin(), inputs.end());
    // A program that switches gradients off and forgets to switch them on must not change what follows it.
    const torch::AutoGradMode gradientsAsBefore(torch::GradMode::is_enabled());
    try {
        return unpacked(m_impl->state->run(std::move(arguments)));
    } catch (const PlacedError&) {
        throw;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        throw ScriptError(problemOfMessage(error.what(), m_impl->source), m_impl->where, error.what());
    }
}

} // namespace athanor
