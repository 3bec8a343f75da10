// Tests only. Script nodes as they are checked and built, outside of a network.
#pragma once

#include "../golden.h"

#include "engine/graph/resolved_kind.h"
#include "engine/graph/script_spec.h"
#include "engine/train/layers/layer.h"
#include "engine/script/script_errors.h"
#include "engine/train/script/script_typer.h"

#include <map>
#include <string>

namespace athanor {

inline TensorType typeOf(const torch::Tensor& tensor)
{
    TensorType type;
    type.dims = tensor.sizes().vec();
    if (!type.dims.empty())
        type.dims.front() = kBatch;
    type.type = tensor.is_floating_point() ? ElementType::Float : ElementType::Index;
    return type;
}

/// A node's kind, its complete parameters and what is known of its inputs (undefined: nothing enters).
struct CheckedScript {
    KindPtr kind;
    ShapeContext context;
    ShapeResult rule;

    CheckedScript(const std::string& kindName, const Json& params, const std::vector<torch::Tensor>& inputs)
        : kind(resolveKind(Graph(), Node{"s", kindName, params, Json::object()}, layerCatalog()))
    {
        for (const auto& input : inputs) {
            context.inputs.push_back(input.defined() ? std::optional(typeOf(input)) : std::nullopt);
            context.connected.push_back(input.defined());
        }
        context.params = completeParams(*kind, params);
        rule = kind->shapeRule(context);
    }
    [[nodiscard]] Json complete() const
    {
        Json params = context.params;
        params.update(rule.inferred);
        return params;
    }
    [[nodiscard]] ScriptReport report(const std::filesystem::path& folder = {}) const
    {
        return reportScript(*kind, context, folder);
    }
};

/// The report on a source with one float input N×3×4 called x.
inline ScriptReport reportOf(const std::string& source, Json params = Json::object(),
                             const std::string& kind = "Script")
{
    params["source"] = source;
    return CheckedScript(kind, params, {torch::ones({2, 3, 4})}).report();
}

} // namespace athanor
