#include "engine/train/layers/layer.h"

#include <torch/torch.h>

namespace athanor {
namespace {

c10::optional<double> momentum(const Json& params)
{
    const auto found = params.find("momentum");
    if (found != params.end() && found->is_null())
        return c10::nullopt; // a plain mean over all batches
    return realParam(params, "momentum", 0.1);
}

template <typename Holder>
Layer makeBatchNorm(const Json& params)
{
    return moduleLayer(Holder(torch::nn::BatchNormOptions(intParam(params, "num_features"))
                                  .eps(realParam(params, "eps", 1e-5))
                                  .momentum(momentum(params))
                                  .affine(flagParam(params, "affine", true))
                                  .track_running_stats(flagParam(params, "track_running_stats", true))));
}

template <typename Holder>
Layer makeInstanceNorm(const Json& params)
{
    return moduleLayer(Holder(torch::nn::InstanceNormOptions(intParam(params, "num_features"))
                                  .eps(realParam(params, "eps", 1e-5))
                                  .momentum(realParam(params, "momentum", 0.1))
                                  .affine(flagParam(params, "affine"))
                                  .track_running_stats(flagParam(params, "track_running_stats"))));
}

Layer makeLayerNorm(const Json& params)
{
    return moduleLayer(torch::nn::LayerNorm(torch::nn::LayerNormOptions(intsParam(params, "normalized_shape", 1))
                                                .eps(realParam(params, "eps", 1e-5))
                                                .elementwise_affine(flagParam(params, "elementwise_affine", true))));
}

Layer makeGroupNorm(const Json& params)
{
    return moduleLayer(torch::nn::GroupNorm(
        torch::nn::GroupNormOptions(intParam(params, "num_groups"), intParam(params, "num_channels"))
            .eps(realParam(params, "eps", 1e-5))
            .affine(flagParam(params, "affine", true))));
}

Layer makeResponseNorm(const Json& params)
{
    namespace F = torch::nn::functional;
    const auto options = F::LocalResponseNormFuncOptions(intParam(params, "size", 1))
                             .alpha(realParam(params, "alpha", 1e-4))
                             .beta(realParam(params, "beta", 0.75))
                             .k(realParam(params, "k", 1));
    return functionLayer([options](const torch::Tensor& x) { return F::local_response_norm(x, options); });
}

} // namespace

void addNormalizationLayers(LayerTable& table)
{
    table["BatchNorm1d"] = makeBatchNorm<torch::nn::BatchNorm1d>;
    table["BatchNorm2d"] = makeBatchNorm<torch::nn::BatchNorm2d>;
    table["BatchNorm3d"] = makeBatchNorm<torch::nn::BatchNorm3d>;
    table["LayerNorm"] = makeLayerNorm;
    table["GroupNorm"] = makeGroupNorm;
    table["InstanceNorm1d"] = makeInstanceNorm<torch::nn::InstanceNorm1d>;
    table["InstanceNorm2d"] = makeInstanceNorm<torch::nn::InstanceNorm2d>;
    table["InstanceNorm3d"] = makeInstanceNorm<torch::nn::InstanceNorm3d>;
    table["LocalResponseNorm"] = makeResponseNorm;
}

} // namespace athanor
