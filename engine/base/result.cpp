#include "engine/base/result.h"

namespace athanor {

std::string Error::text() const
{
    std::string out = where.empty() ? message : where + ": " + message;
    if (!hint.empty())
        out += " (" + hint + ")";
    return out;
}

} // namespace athanor
