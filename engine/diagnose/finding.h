// Any thread (plain data). A thing wrong with a training (contract: Finding).
#pragma once

#include "engine/base/json.h"
#include "engine/graph/graph_check.h"

#include <map>
#include <string>
#include <vector>

namespace athanor {

struct Finding {
    std::string rule; ///< stable id: loss/non-finite
    Severity severity = Severity::Warning;
    std::string node;   ///< empty: none
    std::string series; ///< empty: none
    std::int64_t firstStep = 0;
    std::int64_t lastStep = 0;
    double confidence = 1; ///< 0–1
    std::map<std::string, double> evidence;
    std::string message; ///< one sentence: what was seen, where
    std::string why;     ///< a short explanation for a learner
    std::vector<SuggestedFix> fixes;
};
Json findingJson(const Finding& finding);

} // namespace athanor
