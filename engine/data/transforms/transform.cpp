#include "engine/data/transforms/transform.h"

namespace athanor {

Result<TransformPtr> makeTransform(const std::string& kind, const Json& params)
{
    for (const auto make : {makeElementwise, makeCrop, makeScaling, makeWarp, makeColour, makeTone, makeErasing,
                            makeRandAugment, makeOneHot, makeLambda}) {
        Result<TransformPtr> transform = make(kind, params);
        if (!transform || *transform)
            return transform;
    }
    return Error{ErrorCode::Unsupported, "There is no transform of the kind " + kind, {}, {}, {}};
}

bool isImage(const FieldLayout& layout)
{
    return layout.shape.size() == 3 && layout.element != Element::Int64;
}

Channels channelsOf(Element element, const std::vector<std::int64_t>& shape)
{
    if (shape.empty())
        return {};
    if (element == Element::Float32 && shape.size() == 3)
        return {shape[0], shape[1] * shape[2]};
    return {shape.back(), 1};
}

} // namespace athanor
