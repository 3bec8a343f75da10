#include "engine/train/initialize.h"

#include "engine/graph/name_match.h"
#include "engine/project/project.h"
#include "engine/train/kind_params.h"
#include "engine/train/script/script_state.h"
#include "engine/script/torch_errors.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace athanor {
namespace {

using torch::Tensor;

torch::nn::init::FanModeType fanMode(const Json& params)
{
    if (textParam(params, "mode", "fan_in") == "fan_out")
        return torch::kFanOut;
    return torch::kFanIn;
}

torch::nn::init::NonlinearityType nonlinearity(const Json& params)
{
    const std::string name = textParam(params, "nonlinearity", "leaky_relu");
    if (name == "linear")
        return torch::kLinear;
    if (name == "conv1d")
        return torch::kConv1D;
    if (name == "conv2d")
        return torch::kConv2D;
    if (name == "conv3d")
        return torch::kConv3D;
    if (name == "sigmoid")
        return torch::kSigmoid;
    if (name == "tanh")
        return torch::kTanh;
    if (name == "relu")
        return torch::kReLU;
    return torch::kLeakyReLU;
}

double normalShare(double x)
{
    return (1 + std::erf(x / std::sqrt(2.0))) / 2;
}

/// torch.nn.init.trunc_normal_, which the C++ library lacks: by the inverse of the distribution function.
void fillTruncatedNormal(Tensor& tensor, double mean, double deviation, double low, double high)
{
    const double from = 2 * normalShare((low - mean) / deviation) - 1;
    const double to = 2 * normalShare((high - mean) / deviation) - 1;
    tensor.uniform_(from, to).erfinv_().mul_(deviation * std::sqrt(2.0)).add_(mean).clamp_(low, high);
}

/// torch.nn.init's kaiming fills with the gain of selu too, which the C++ library does not know.
void fillKaimingSelu(Tensor& tensor, const Json& params, bool uniform)
{
    const auto [fanIn, fanOut] = torch::nn::init::_calculate_fan_in_and_fan_out(tensor);
    const auto fan = textParam(params, "mode", "fan_in") == "fan_out" ? fanOut : fanIn;
    const double deviation = 0.75 / std::sqrt(static_cast<double>(fan));
    if (uniform)
        tensor.uniform_(-std::sqrt(3.0) * deviation, std::sqrt(3.0) * deviation);
    else
        tensor.normal_(0, deviation);
}

void fillKaiming(Tensor& tensor, const Json& params, bool uniform)
{
    if (textParam(params, "nonlinearity") == "selu")
        return fillKaimingSelu(tensor, params, uniform);
    const double slope = realParam(params, "a");
    if (uniform)
        torch::nn::init::kaiming_uniform_(tensor, slope, fanMode(params), nonlinearity(params));
    else
        torch::nn::init::kaiming_normal_(tensor, slope, fanMode(params), nonlinearity(params));
}

[[noreturn]] void refuseShape(const std::string& what)
{
    throw PlacedError({ErrorCode::InvalidArgument, what});
}

/// torch.nn.init.dirac_, whose groups the C++ library lacks: each channel passes on the one of its number.
void fillDirac(Tensor& tensor, std::int64_t groups)
{
    if (tensor.dim() < 3 || tensor.dim() > 5)
        refuseShape("it fills weights of convolutions, with 3, 4 or 5 dimensions");
    if (tensor.size(0) % groups != 0)
        refuseShape("the output channels cannot be divided into that many groups");
    tensor.zero_();
    const auto perGroup = tensor.size(0) / groups;
    for (std::int64_t channel = 0; channel < tensor.size(0); ++channel) {
        if (channel % perGroup >= tensor.size(1))
            continue;
        auto kernel = tensor[channel][channel % perGroup];
        for (std::int64_t axis = 2; axis < tensor.dim(); ++axis)
            kernel = kernel[tensor.size(axis) / 2];
        kernel.fill_(1);
    }
}

void fillEye(Tensor& tensor)
{
    if (tensor.dim() != 2)
        refuseShape("it fills matrices, with 2 dimensions");
    tensor.copy_(torch::eye(tensor.size(0), tensor.size(1)));
}

/// torch.nn.init.sparse_: each column has as many zeros, at random places.
void fillSparse(Tensor& tensor, double sparsity, double deviation)
{
    if (tensor.dim() != 2)
        refuseShape("it fills matrices, with 2 dimensions");
    tensor.normal_(0, deviation);
    const auto zeros = static_cast<std::int64_t>(std::ceil(sparsity * static_cast<double>(tensor.size(0))));
    for (std::int64_t column = 0; column < tensor.size(1); ++column) {
        const auto rows = torch::randperm(tensor.size(0), torch::kLong).slice(0, 0, zeros);
        tensor.select(1, column).index_fill_(0, rows, 0);
    }
}

void fillWith(Tensor& tensor, const std::string& kind, const Json& params)
{
    if (kind == "normal")
        tensor.normal_(realParam(params, "mean"), realParam(params, "std", 1));
    else if (kind == "uniform")
        tensor.uniform_(realParam(params, "a"), realParam(params, "b", 1));
    else if (kind == "zeros")
        tensor.zero_();
    else if (kind == "ones")
        tensor.fill_(1);
    else if (kind == "constant")
        tensor.fill_(realParam(params, "value"));
    else if (kind == "xavier_uniform")
        torch::nn::init::xavier_uniform_(tensor, realParam(params, "gain", 1));
    else if (kind == "xavier_normal")
        torch::nn::init::xavier_normal_(tensor, realParam(params, "gain", 1));
    else if (kind == "kaiming_uniform" || kind == "kaiming_normal")
        fillKaiming(tensor, params, kind == "kaiming_uniform");
    else if (kind == "orthogonal")
        torch::nn::init::orthogonal_(tensor, realParam(params, "gain", 1));
    else if (kind == "eye")
        fillEye(tensor);
    else if (kind == "dirac")
        fillDirac(tensor, intParam(params, "groups", 1));
    else if (kind == "sparse")
        fillSparse(tensor, realParam(params, "sparsity"), realParam(params, "std", 0.01));
    else if (kind == "trunc_normal")
        fillTruncatedNormal(tensor, realParam(params, "mean"), realParam(params, "std", 1), realParam(params, "a", -2),
                            realParam(params, "b", 2));
    else
        throw PlacedError({ErrorCode::InvalidArgument, "There is no initialiser called " + kind + "."});
}

/// Parameters of modules that were loaded with their weights.
std::set<const void*> weightsOfFiles(torch::nn::Module& module)
{
    std::set<const void*> tensors;
    for (const auto& part : module.modules())
        if (const auto* script = dynamic_cast<const ScriptState*>(part.get()); script && script->keepsWeights())
            for (const auto& parameter : script->parameters())
                tensors.insert(parameter.unsafeGetTensorImpl());
    return tensors;
}

} // namespace

void fillTensor(Tensor& tensor, const std::string& kind, const Json& params)
{
    torch::NoGradGuard noGrad;
    const auto* specs = initializerParams(kind);
    fillWith(tensor, kind, specs ? completeParams(*specs, params) : params);
}

Status initializeParameters(torch::nn::Module& module, const std::vector<InitSpec>& entries)
{
    torch::NoGradGuard noGrad;
    const auto kept = weightsOfFiles(module);
    for (auto& named : module.named_parameters()) {
        if (kept.contains(named.value().unsafeGetTensorImpl()))
            continue;
        const auto matches = [&](const InitSpec& entry) { return matchesGlob(entry.match, named.key()); };
        const auto entry = std::find_if(entries.rbegin(), entries.rend(), matches);
        if (entry == entries.rend())
            continue;
        try {
            fillTensor(named.value(), entry->init.kind, entry->init.params);
        } catch (...) {
            const auto index = static_cast<std::size_t>(entries.rend() - entry) - 1;
            Error error = errorFromCurrentException("training/init/" + std::to_string(index));
            error.code = ErrorCode::InvalidArgument;
            error.where = "training/init/" + std::to_string(index);
            error.message = entry->init.kind + " cannot fill " + named.key() + ": " + error.message;
            error.hint = "Narrow the pattern, such as *.weight, or use another initialiser.";
            return error;
        }
    }
    return Done{};
}

std::vector<std::string> freezeParameters(torch::nn::Module& module, const std::vector<std::string>& patterns)
{
    std::vector<std::string> frozen;
    for (auto& named : module.named_parameters()) {
        const auto matches = [&](const std::string& pattern) { return matchesGlob(pattern, named.key()); };
        if (std::ranges::none_of(patterns, matches))
            continue;
        named.value().set_requires_grad(false);
        frozen.push_back(named.key());
    }
    return frozen;
}

} // namespace athanor
