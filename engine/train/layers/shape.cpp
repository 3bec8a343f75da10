#include "engine/train/layers/layer.h"

#include <torch/torch.h>

#include <limits>

namespace athanor {
namespace {

using torch::Tensor;
using Extents = std::vector<std::int64_t>;

/// Entries of a list of whole numbers; none when it is missing.
Extents listParam(const Json& params, const char* name)
{
    return intsParam(params, name, 1);
}

/// The batch stays what it is, whatever its size.
Extents behindBatch(const Tensor& x, const Extents& extents)
{
    Extents all{x.size(0)};
    all.insert(all.end(), extents.begin(), extents.end());
    return all;
}

Tensor unflattened(const Tensor& x, std::int64_t dim, const Extents& extents)
{
    Extents all = x.sizes().vec();
    const auto place = all.begin() + (dim < 0 ? dim + x.dim() : dim);
    all.insert(all.erase(place), extents.begin(), extents.end());
    return x.reshape(all);
}

/// All axes of length 1 behind the batch are taken away, or those that are written.
Tensor squeezed(const Tensor& x, const Extents& axes)
{
    if (axes.empty()) {
        Extents kept;
        for (std::int64_t axis = 1; axis < x.dim(); ++axis)
            if (x.size(axis) != 1)
                kept.push_back(x.size(axis));
        return x.reshape(behindBatch(x, kept));
    }
    std::vector<bool> taken(static_cast<std::size_t>(x.dim()));
    for (const std::int64_t axis : axes)
        taken[static_cast<std::size_t>(axis < 0 ? axis + x.dim() : axis)] = true;
    Extents kept;
    for (std::int64_t axis = 0; axis < x.dim(); ++axis)
        if (!taken[static_cast<std::size_t>(axis)])
            kept.push_back(x.size(axis));
    return x.reshape(kept); // fails, with both shapes, where an axis is longer after all
}

Layer makeSlice(const Json& params)
{
    const auto end = intParam(params, "end", std::numeric_limits<std::int64_t>::max());
    return functionLayer([end, dim = intParam(params, "dim", 1), start = intParam(params, "start"),
                          step = intParam(params, "step", 1)](const Tensor& x) { return x.slice(dim, start, end, step); });
}

} // namespace

void addShapeLayers(LayerTable& table)
{
    table["Flatten"] = [](const Json& params) {
        return functionLayer([first = intParam(params, "start_dim", 1), last = intParam(params, "end_dim", -1)](
                                 const Tensor& x) { return x.flatten(first, last); });
    };
    table["Unflatten"] = [](const Json& params) {
        return functionLayer([dim = intParam(params, "dim", 1), extents = listParam(params, "unflattened_size")](
                                 const Tensor& x) { return unflattened(x, dim, extents); });
    };
    table["Reshape"] = [](const Json& params) {
        return functionLayer([extents = listParam(params, "shape")](const Tensor& x) {
            return x.reshape(behindBatch(x, extents));
        });
    };
    table["Permute"] = [](const Json& params) {
        return functionLayer([order = listParam(params, "dims")](const Tensor& x) { return x.permute(order); });
    };
    table["Squeeze"] = [](const Json& params) {
        return functionLayer([axes = listParam(params, "dim")](const Tensor& x) { return squeezed(x, axes); });
    };
    table["Unsqueeze"] = [](const Json& params) {
        return functionLayer([dim = intParam(params, "dim", 1)](const Tensor& x) { return x.unsqueeze(dim); });
    };
    table["Slice"] = makeSlice;
}

} // namespace athanor
