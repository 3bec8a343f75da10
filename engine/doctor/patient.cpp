#include "engine/doctor/patient.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace athanor {

Finding makeFinding(std::string rule, Severity severity, NodeId node, std::string message, std::string why)
{
    Finding finding;
    finding.rule = std::move(rule);
    finding.severity = severity;
    finding.node = std::move(node);
    finding.message = std::move(message);
    finding.why = std::move(why);
    finding.confidence = 0.9;
    return finding;
}

std::string shortNumber(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

double optimizerNumber(const Project& project, const std::string& name)
{
    const KindSpec& optimizer = project.training.optimizer;
    const std::vector<ParamSpec>* specs = optimizerParams(optimizer.kind);
    const Json complete = specs != nullptr ? completeParams(*specs, optimizer.params) : optimizer.params;
    const auto found = complete.find(name);
    return found != complete.end() && found->is_number() ? found->get<double>() : 0.0;
}

bool isAdaptive(const Project& project)
{
    const std::string& kind = project.training.optimizer.kind;
    return kind != "SGD" && kind != "LBFGS";
}

std::optional<double> guessLoss(const Patient& patient)
{
    for (const std::size_t index : patient.outline.losses()) {
        const OutlineNode& loss = patient.outline.nodes()[index];
        if (loss.params.value("reduction", Json("mean")) != Json("mean"))
            return std::nullopt;
        if (loss.is("CrossEntropyLoss") || loss.is("NLLLoss")) {
            const std::int64_t classes = classCount(patient);
            return classes > 1 ? std::optional(std::log(static_cast<double>(classes))) : std::nullopt;
        }
        if (loss.is("BCEWithLogitsLoss") || loss.is("BCELoss"))
            return std::log(2.0);
        const auto target = patient.outline.source(index, "target");
        if (loss.is("MSELoss") && target && patient.outline.nodes()[*target].is("Input")) {
            const auto field = patient.data.fields.find(patient.outline.nodes()[*target].params.value("field", std::string()));
            if (field != patient.data.fields.end() && field->second.deviation > 0)
                return field->second.deviation * field->second.deviation +
                       field->second.mean * field->second.mean; // a new network says about 0
        }
        return std::nullopt;
    }
    return std::nullopt;
}

std::int64_t classCount(const Patient& patient)
{
    for (const std::size_t index : patient.outline.losses()) {
        const OutlineNode& loss = patient.outline.nodes()[index];
        if (!loss.is("CrossEntropyLoss") && !loss.is("NLLLoss"))
            continue;
        const auto input = patient.outline.source(index, "input");
        if (!input)
            continue;
        const auto& output = patient.outline.nodes()[*input].output;
        if (output && output->rank() >= 2 && output->dims[1] > 0)
            return output->dims[1];
    }
    return 0;
}

} // namespace athanor
