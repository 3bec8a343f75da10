#include "engine/diagnose/finding.h"

namespace athanor {
namespace {

Json textOrNull(const std::string& text)
{
    return text.empty() ? Json(nullptr) : Json(text);
}

} // namespace

Json findingJson(const Finding& finding)
{
    Json evidence = Json::object();
    for (const auto& [name, value] : finding.evidence)
        evidence[name] = jsonNumber(value);
    Json fixes = Json::array();
    for (const SuggestedFix& fix : finding.fixes)
        fixes.push_back(fixJson(fix));
    return {{"rule", finding.rule},
            {"severity", std::string(severityName(finding.severity))},
            {"node", textOrNull(finding.node)},
            {"series", textOrNull(finding.series)},
            {"first_step", finding.firstStep},
            {"last_step", finding.lastStep},
            {"confidence", jsonNumber(finding.confidence)},
            {"evidence", evidence},
            {"message", finding.message},
            {"why", finding.why},
            {"fixes", fixes}};
}

} // namespace athanor
