#include "engine/train/layers/layer.h"

#include <torch/torch.h>

namespace athanor {

const LayerTable& layerTable()
{
    static const LayerTable table = [] {
        LayerTable all;
        for (auto add : {addLinearLayers, addConvolutionLayers, addPoolingLayers, addNormalizationLayers,
                         addActivationLayers, addDropoutLayers, addShapeLayers, addSpatialLayers, addCombineLayers,
                         addEmbeddingLayers, addRecurrentLayers, addScriptLayers, addAttentionLayers, addTransformerLayers})
            add(all);
        return all;
    }();
    return table;
}

std::vector<std::int64_t> intsParam(const Json& params, const char* name, std::size_t count)
{
    const auto found = params.find(name);
    if (found == params.end() || found->is_null())
        return {};
    if (found->is_number())
        return std::vector<std::int64_t>(count, found->get<std::int64_t>());
    auto values = found->get<std::vector<std::int64_t>>();
    if (values.size() == 1)
        values.resize(count, values.front());
    return values;
}

torch::Tensor tensorParam(const Json& params, const char* name)
{
    const auto found = params.find(name);
    if (found == params.end() || found->is_null())
        return {};
    const auto values = found->is_array() ? found->get<std::vector<float>>() : std::vector{found->get<float>()};
    return torch::tensor(values);
}

} // namespace athanor
