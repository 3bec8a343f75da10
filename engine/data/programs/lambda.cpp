#include "engine/data/programs/sample_program.h"
#include "engine/data/transforms/transform.h"

#include <torch/torch.h>

#include <algorithm>
#include <cstring>

namespace athanor {
namespace {

/// Extents that stand for one that varies while the program is tried: what comes out varies where the two answers differ.
constexpr std::int64_t kShort = 5;
constexpr std::int64_t kLong = 7;
constexpr std::int64_t kMostClasses = 10'000; // that are asked for one by one

torch::Tensor madeUp(const FieldLayout& layout, std::int64_t varying)
{
    std::vector<std::int64_t> shape = layout.shape;
    std::ranges::replace(shape, kVaries, varying);
    const auto type = layout.element == Element::UInt8   ? torch::kUInt8
                      : layout.element == Element::Int64 ? torch::kInt64
                                                         : torch::kFloat32;
    return torch::ones(shape, type);
}

/// torchvision.transforms.Lambda with TorchScript for the function.
class Lambda final : public Transform {
public:
    Lambda(std::shared_ptr<const SampleProgram> program, bool isForLabels)
        : m_program(std::move(program)), m_isForLabels(isForLabels)
    {}

    Result<FieldLayout> outputLayout(const FieldLayout& input) const override
    {
        auto first = tried(madeUp(input, kShort));
        if (!first)
            return first.error();
        auto second = tried(madeUp(input, kLong));
        if (!second)
            return second.error();
        if (first->dim() != second->dim())
            return invalid("it returns tensors of " + std::to_string(first->dim()) + " and of " +
                               std::to_string(second->dim()) + " axes",
                           "The number of axes must not depend on the length of a sample", "source");
        FieldLayout output = input;
        output.element = elementOf(*first);
        output.shape = first->sizes().vec();
        for (std::size_t axis = 0; axis < output.shape.size(); ++axis)
            if (output.shape[axis] != second->size(static_cast<std::int64_t>(axis)))
                output.shape[axis] = kVaries;
        if (output.shape != input.shape)
            output.columnNames.clear();
        if (const Status status = nameClasses(input, output); !status)
            return status.error();
        return output;
    }

    Status apply(const Value& input, Value& output, SampleRandom& random) const override
    {
        auto made = result(tensorOf(input), random.next(), kProgramLimit);
        if (!made)
            return made.error();
        std::byte* to = output.write(elementOf(*made), made->sizes().vec());
        std::memcpy(to, made->data_ptr(), made->nbytes());
        return Done{};
    }

    [[nodiscard]] bool isRandom() const override { return m_program->drawsRandomNumbers(); }
    [[nodiscard]] bool isForLabels() const override { return m_isForLabels; }

private:
    Result<torch::Tensor> tried(const torch::Tensor& input) const { return result(input, 0, kTrialLimit); }

    Result<torch::Tensor> result(const torch::Tensor& input, std::uint64_t seed, std::chrono::milliseconds limit) const
    {
        auto results = m_program->run({{input}}, seed, limit);
        if (!results)
            return results.error();
        return asElement(results->front());
    }

    /// A program of class numbers is asked for each of them. Where it draws, nothing is known of what comes out.
    Status nameClasses(const FieldLayout& input, FieldLayout& output) const
    {
        output.classes = 0;
        output.classNames.clear();
        const bool isClass = output.element == Element::Int64 && input.element == Element::Int64 && input.shape.empty() &&
                             output.shape.empty() && input.classes > 0;
        if (!isClass || isRandom() || input.classes > kMostClasses)
            return Done{};
        for (std::int64_t one = 0; one < input.classes; ++one) {
            auto made = tried(torch::tensor(one));
            if (!made)
                return made.error();
            const auto number = made->item<std::int64_t>();
            if (number < 0)
                return invalid("it makes class " + std::to_string(number) + " of class " + std::to_string(one),
                               "Classes are numbered from 0", "source");
            output.classes = std::max(output.classes, number + 1);
        }
        return Done{};
    }

    std::shared_ptr<const SampleProgram> m_program;
    bool m_isForLabels;
};

} // namespace

Result<TransformPtr> makeLambda(const std::string& kind, const Json& params)
{
    if (kind != "Lambda")
        return TransformPtr();
    auto program = SampleProgram::compile(params.at("source").get<std::string>());
    if (!program)
        return program.error();
    const auto& arguments = (*program)->arguments();
    if (arguments.size() != 1 || arguments.front().value != ScriptValue::Tensor || (*program)->results() != 1)
        return invalid("forward must take one Tensor and return one", "def forward(self, x: Tensor) -> Tensor:", "source");
    return TransformPtr(std::make_shared<Lambda>(std::move(*program), params.at("on") == "label"));
}

} // namespace athanor
