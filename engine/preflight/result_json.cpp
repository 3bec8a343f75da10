#include "engine/preflight/result_json.h"

#include "engine/preflight/judge.h"

namespace athanor {
namespace {

Severity severityFrom(const std::string& name)
{
    return name == "error" ? Severity::Error : name == "warning" ? Severity::Warning : Severity::Info;
}

std::string textFrom(const Json& json)
{
    return json.is_string() ? json.get<std::string>() : std::string();
}

/// One step of editJson, as far as fixes of the data graph use them.
GraphEdit stepFrom(const Json& step)
{
    const auto edge = [](const Json& ends) {
        return Edge{PortRef::parse(ends.at(0).get<std::string>()),
                    PortRef::parse(ends.at(1).get<std::string>())};
    };
    if (step.contains("add")) {
        const Json& node = step.at("add");
        return {edit::AddNode{
            {node.at("id"), node.at("kind"), node.value("params", Json::object()), Json::object()}, {}, {}}};
    }
    if (step.contains("connect"))
        return {edit::Connect{edge(step.at("connect")), {}}};
    return {edit::Disconnect{edge(step.at("disconnect"))}};
}

SuggestedFix fixFrom(const Json& json)
{
    SuggestedFix fix{json.at("text").get<std::string>()};
    const Json& edit = json.at("edit");
    if (edit.is_array()) {
        fix.edit = edit.get<std::vector<std::string>>();
        return fix;
    }
    edit::Sequence steps;
    for (const Json& step : edit.at("data"))
        steps.edits.push_back(stepFrom(step));
    fix.graph = PartEdit{"data", {std::move(steps)}};
    return fix;
}

Json sampleJson(const SampleRef& sample)
{
    return {{"part", kPartNames[sample.part]},
            {"index", sample.index},
            {"name", sample.name},
            {"file", sample.file.empty() ? Json(nullptr) : Json(sample.file)},
            {"note", sample.note}};
}

std::size_t partFrom(const std::string& name)
{
    return name == "val" ? 1 : name == "test" ? 2 : 0;
}

DataFinding findingFrom(const Json& json)
{
    DataFinding found;
    Finding& finding = found.finding;
    finding.rule = json.at("rule");
    finding.severity = severityFrom(json.at("severity"));
    finding.node = textFrom(json.at("node"));
    finding.message = json.at("message");
    finding.why = json.at("why");
    numberFromJson(json.at("confidence"), finding.confidence);
    for (const auto& [name, value] : json.at("evidence").items())
        numberFromJson(value, finding.evidence[name]);
    for (const Json& fix : json.at("fixes"))
        finding.fixes.push_back(fixFrom(fix));
    for (const Json& sample : json.at("samples"))
        found.samples.push_back({partFrom(sample.at("part")), sample.at("index"), sample.at("name"),
                                 textFrom(sample.at("file")), sample.at("note")});
    found.sampleCount = json.at("sample_count");
    return found;
}

Json classesJson(const ClassCounts& classes)
{
    Json json = {{"names", classes.names}};
    for (std::size_t part = 0; part < 3; ++part)
        if (!classes.counts[part].empty())
            json[kPartNames[part]] = classes.counts[part];
    return json;
}

} // namespace

Json dataFindingJson(const DataFinding& finding)
{
    Json json = findingJson(finding.finding);
    json["samples"] = Json::array();
    for (const SampleRef& sample : finding.samples)
        json["samples"].push_back(sampleJson(sample));
    json["sample_count"] = finding.sampleCount;
    return json;
}

Json preflightJson(const PreflightResult& result)
{
    Json json = {{"samples", Json::object()}, {"classes", Json::object()}, {"findings", Json::array()}};
    for (std::size_t part = 0; part < 3; ++part)
        json["samples"][kPartNames[part]] = result.samples[part];
    for (const ClassCounts& classes : result.classes)
        json["classes"][classes.field] = classesJson(classes);
    for (const DataFinding& finding : result.findings)
        json["findings"].push_back(dataFindingJson(finding));
    return json;
}

Json resultJson(const PreflightResult& result)
{
    Json json = preflightJson(result);
    json["seconds"] = result.seconds;
    json["problems"] = Json::array();
    for (const Problem& problem : result.problems)
        json["problems"].push_back({problem.where, problem.message, problem.hint});
    return json;
}

PreflightResult resultFromJson(const Json& json)
{
    PreflightResult result;
    for (std::size_t part = 0; part < 3; ++part)
        result.samples[part] = json.at("samples").at(kPartNames[part]);
    for (const auto& [field, stored] : json.at("classes").items()) {
        ClassCounts classes{field, stored.at("names"), {}};
        for (std::size_t part = 0; part < 3; ++part)
            if (stored.contains(kPartNames[part]))
                classes.counts[part] = stored.at(kPartNames[part]).get<std::vector<std::int64_t>>();
        result.classes.push_back(std::move(classes));
    }
    for (const Json& finding : json.at("findings"))
        result.findings.push_back(findingFrom(finding));
    for (const Json& problem : json.at("problems"))
        result.problems.push_back({problem.at(0), Severity::Error, problem.at(1), problem.at(2)});
    result.seconds = json.at("seconds");
    return result;
}

} // namespace athanor
