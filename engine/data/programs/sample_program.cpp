#include "engine/data/programs/sample_program.h"

#include "engine/graph/script_spec.h"
#include "engine/script/script_compiler.h"
#include "engine/script/script_errors.h"
#include "engine/script/script_guard.h"

#include <torch/script.h>
#include <torch/torch.h>

#include <omp.h>

namespace athanor {
namespace {

/// LibTorch's operations start no threads of their own while it lives: workers would fight the training for the cores, and
/// sums would depend on how many there are.
class OneThread {
public:
    OneThread() : m_before(omp_get_max_threads()) { omp_set_num_threads(1); }
    ~OneThread() { omp_set_num_threads(m_before); }
    OneThread(const OneThread&) = delete;
    OneThread& operator=(const OneThread&) = delete;

private:
    int m_before;
};

std::vector<torch::Tensor> unpacked(const c10::IValue& result)
{
    if (result.isTensor())
        return {result.toTensor()};
    std::vector<torch::Tensor> tensors;
    for (const c10::IValue& element : result.toTupleRef().elements())
        tensors.push_back(element.toTensor());
    return tensors;
}

c10::IValue packed(const SampleProgram::Argument& argument, ScriptValue value)
{
    if (value != ScriptValue::TensorList)
        return argument.front();
    c10::List<torch::Tensor> list;
    for (const torch::Tensor& tensor : argument)
        list.push_back(tensor);
    return list;
}

} // namespace

struct SampleProgram::Impl {
    ScriptSpec spec;
    torch::jit::Module module;
    int results = 0;
    bool draws = false;
};

SampleProgram::SampleProgram(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
SampleProgram::~SampleProgram() = default;

Result<std::shared_ptr<const SampleProgram>> SampleProgram::compile(const std::string& source)
{
    using Made = Result<std::shared_ptr<const SampleProgram>>;
    return behindWall("source", [&]() -> Made {
        auto impl = std::make_unique<Impl>();
        impl->spec.source = source;
        impl->spec.signature = readSignature(source);
        if (!impl->spec.signature.problems.empty()) {
            const SourceProblem& first = impl->spec.signature.problems.front();
            return invalid(placedText(first), first.hint, "source");
        }
        impl->module = compileScript(impl->spec, {});
        impl->results = resultCount(impl->module);
        if (impl->results == 0)
            return invalid("forward returns something else than tensors", "Return a Tensor, or a Tuple of them", "source");
        impl->draws = athanor::drawsRandomNumbers(*impl->module._ivalue()->compilation_unit());
        impl->module.eval();
        return std::shared_ptr<const SampleProgram>(new SampleProgram(std::move(impl)));
    });
}

const std::vector<ScriptArgument>& SampleProgram::arguments() const
{
    return m_impl->spec.signature.arguments;
}

int SampleProgram::results() const
{
    return m_impl->results;
}

bool SampleProgram::drawsRandomNumbers() const
{
    return m_impl->draws;
}

Result<std::vector<torch::Tensor>> SampleProgram::run(const std::vector<Argument>& arguments, std::uint64_t seed,
                                                      std::chrono::milliseconds limit) const
{
    return behindWall("source", [&]() -> Result<std::vector<torch::Tensor>> {
        const torch::NoGradGuard noGrad;
        const OneThread alone;
        const ScriptTrial ownNumbers(seed);
        const auto end = std::chrono::steady_clock::now() + limit;
        const ScriptWatch watch([end] { return std::chrono::steady_clock::now() > end; });
        std::vector<c10::IValue> values;
        for (std::size_t i = 0; i < arguments.size(); ++i)
            values.push_back(packed(arguments[i], this->arguments()[i].value));
        try {
            return unpacked(m_impl->module.get_method("forward")(std::move(values)));
        } catch (const std::bad_alloc&) {
            throw;
        } catch (const std::exception& error) {
            throw ScriptError(problemOfMessage(error.what(), m_impl->spec.source), "source", error.what());
        }
    });
}

Element elementOf(const torch::Tensor& tensor)
{
    if (tensor.scalar_type() == torch::kUInt8)
        return Element::UInt8;
    const bool isWhole = at::isIntegralType(tensor.scalar_type(), false);
    return isWhole ? Element::Int64 : Element::Float32;
}

torch::Tensor asElement(const torch::Tensor& tensor)
{
    const Element element = elementOf(tensor);
    const auto type = element == Element::UInt8 ? torch::kUInt8 : element == Element::Int64 ? torch::kInt64 : torch::kFloat32;
    return tensor.to(type).contiguous();
}

torch::Tensor tensorOf(const Value& value)
{
    const auto type = value.element() == Element::UInt8   ? torch::kUInt8
                      : value.element() == Element::Int64 ? torch::kInt64
                                                          : torch::kFloat32;
    return torch::from_blob(const_cast<std::byte*>(value.bytes()), value.shape(), type).clone();
}

} // namespace athanor
