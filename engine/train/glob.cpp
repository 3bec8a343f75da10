#include "engine/train/glob.h"

#include <fnmatch.h>

namespace athanor {

bool globMatches(const std::string& pattern, const std::string& name)
{
    return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

} // namespace athanor
