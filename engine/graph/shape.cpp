#include "engine/graph/shape.h"

namespace athanor {

std::string TensorType::text() const
{
    std::string out;
    for (const Extent extent : dims) {
        if (!out.empty())
            out += "×";
        out += extent == kBatch ? "N" : extent == kUnknown ? "?" : std::to_string(extent);
    }
    return out;
}

} // namespace athanor
