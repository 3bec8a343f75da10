#include "engine/train/layers/layer.h"

#include <torch/torch.h>

namespace athanor {
namespace {

using torch::Tensor;

/// Folds an operation of two tensors over all inputs.
template <typename Operation>
LayerBuilder folding(Operation operation)
{
    return [operation](const Json&) {
        return Layer{nullptr, [operation](const Tensors& inputs) {
                         Tensor result = inputs[0];
                         for (std::size_t i = 1; i < inputs.size(); ++i)
                             result = operation(result, inputs[i]);
                         return Tensors{result};
                     }};
    };
}

/// A function of all inputs as a list, along an axis.
LayerBuilder joining(Tensor (*join)(at::TensorList, std::int64_t))
{
    return [join](const Json& params) {
        return Layer{nullptr, [join, dim = intParam(params, "dim", 1)](const Tensors& inputs) {
                         return Tensors{join(at::TensorList(inputs.data(), inputs.size()), dim)};
                     }};
    };
}

/// A function over axes that go away: the written ones, or all behind the batch.
LayerBuilder reducing(Tensor (*reduce)(const Tensor&, at::IntArrayRef, bool))
{
    return [reduce](const Json& params) {
        return functionLayer([reduce, written = intsParam(params, "dim", 1), keep = flagParam(params, "keepdim")](
                                 const Tensor& x) {
            std::vector<std::int64_t> axes = written;
            for (std::int64_t axis = 1; written.empty() && axis < x.dim(); ++axis)
                axes.push_back(axis);
            return reduce(x, axes, keep);
        });
    };
}

/// Centred on each axis behind the channels: half of what is missing or too much lies in front, the odd one behind.
Tensor paddedToMatch(const Tensor& x, const Tensor& other)
{
    std::vector<std::int64_t> padding; // the last axis first
    for (std::int64_t axis = x.dim() - 1; axis >= 2; --axis) {
        const auto missing = other.size(axis) - x.size(axis);
        const auto front = missing / 2;
        padding.insert(padding.end(), {front, missing - front});
    }
    return torch::constant_pad_nd(x, padding);
}

} // namespace

void addCombineLayers(LayerTable& table)
{
    table["Add"] = folding([](const Tensor& a, const Tensor& b) { return a + b; });
    table["Subtract"] = folding([](const Tensor& a, const Tensor& b) { return a - b; });
    table["Multiply"] = folding([](const Tensor& a, const Tensor& b) { return a * b; });
    table["Divide"] = folding([](const Tensor& a, const Tensor& b) { return a / b; });
    table["MatMul"] = folding([](const Tensor& a, const Tensor& b) { return torch::matmul(a, b); });
    table["PadToMatch"] = folding(paddedToMatch);
    table["Concat"] = joining([](at::TensorList inputs, std::int64_t dim) { return torch::cat(inputs, dim); });
    table["Stack"] = joining([](at::TensorList inputs, std::int64_t dim) { return torch::stack(inputs, dim); });
    table["Mean"] = reducing([](const Tensor& x, at::IntArrayRef dims, bool keep) { return x.mean(dims, keep); });
    table["Sum"] = reducing([](const Tensor& x, at::IntArrayRef dims, bool keep) { return x.sum(dims, keep); });
    table["Max"] = reducing([](const Tensor& x, at::IntArrayRef dims, bool keep) { return x.amax(dims, keep); });
    table["Min"] = reducing([](const Tensor& x, at::IntArrayRef dims, bool keep) { return x.amin(dims, keep); });
}

} // namespace athanor
