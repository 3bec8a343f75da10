#include "engine/graph/script_spec.h"

#include "engine/graph/name_match.h"
#include "engine/graph/param_check.h"
#include "engine/graph/script_extent.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <set>

namespace athanor {
namespace {

bool isName(const std::string& text)
{
    const auto isPart = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    return !text.empty() && std::all_of(text.begin(), text.end(), isPart) &&
           !(text[0] >= '0' && text[0] <= '9');
}

class SpecReader {
public:
    SpecReader(const Json& params, bool isLoss) : m_params(params), m_isLoss(isLoss) {}
    ScriptSpec read();

private:
    void readOutputs();
    void readTensors();
    void readTensor(const Json& entry);
    bool readShape(const Json& shape, ScriptTensor& tensor);
    bool readInit(const Json& init, ScriptTensor& tensor);
    void readConstants();
    bool takeName(const std::string& parameter, const std::string& name);
    void report(const std::string& parameter, std::string message, std::string hint = {})
    {
        m_spec.problems.push_back({parameter, std::move(message), std::move(hint)});
    }
    [[nodiscard]] const Json& param(const char* name) const
    {
        static const Json kNone;
        const auto it = m_params.find(name);
        return it == m_params.end() ? kNone : *it;
    }

    const Json& m_params;
    bool m_isLoss;
    ScriptSpec m_spec;
    std::set<std::string> m_names;
};

ScriptSpec SpecReader::read()
{
    const Json& source = param("source");
    m_spec.source = source.is_string() ? source.get<std::string>() : std::string();
    m_spec.signature = readSignature(m_spec.source);
    for (const SourceProblem& problem : m_spec.signature.problems)
        report("source", placedText(problem), problem.hint);
    const auto isList = [](const ScriptArgument& one) { return one.value == ScriptValue::TensorList; };
    if (std::ranges::count_if(m_spec.signature.arguments, isList) > 1) // which edge would be whose?
        report("source", "only one argument can be a list of tensors", "give the others a fixed number of ports");
    readConstants();
    readTensors();
    readOutputs();
    return std::move(m_spec);
}

std::vector<std::string> standardOutputs(int count)
{
    std::vector<std::string> names;
    for (int i = 1; i <= count; ++i)
        names.push_back(count == 1 ? "output" : fmt::format("output{}", i));
    return names;
}

void SpecReader::readOutputs()
{
    const auto results = m_spec.signature.results;
    if (m_isLoss) {
        if (results.value_or(1) != 1)
            report("source", fmt::format("a loss returns one tensor, but forward returns {}", *results),
                   "return the sum of the parts");
        return;
    }
    const Json& names = param("outputs");
    if (!names.is_array() || names.empty()) {
        m_spec.outputs = standardOutputs(results.value_or(1));
        return;
    }
    for (const Json& name : names) {
        if (!name.is_string() || !isName(name.get<std::string>()))
            report("outputs", fmt::format("{} cannot be the name of a port", shortText(name)),
                   "use letters, digits and _, no digit first");
        else if (std::find(m_spec.outputs.begin(), m_spec.outputs.end(), name.get<std::string>()) !=
                 m_spec.outputs.end())
            report("outputs", fmt::format("two outputs are called {}", shortText(name)));
        else
            m_spec.outputs.push_back(name.get<std::string>());
    }
    if (results && static_cast<std::size_t>(*results) != names.size())
        report("outputs",
               fmt::format("forward returns {} tensor{}, but outputs names {}", *results,
                           *results == 1 ? "" : "s", names.size()),
               "name each of them, or reset outputs");
}

bool SpecReader::takeName(const std::string& parameter, const std::string& name)
{
    if (!isName(name) || name == "forward" || name == "training" || name == "self") {
        report(parameter, fmt::format("{} cannot be a name in a script", shortText(Json(name))),
               "use letters, digits and _, no digit first; forward, training and self are taken");
        return false;
    }
    if (!m_names.insert(name).second) {
        report(parameter, fmt::format("two parameters or constants are called {}", name));
        return false;
    }
    return true;
}

void SpecReader::readConstants()
{
    const Json& constants = param("constants");
    if (constants.is_null())
        return;
    if (!constants.is_object()) {
        report("constants", "constants must be names with numbers",
               "such as {\"hidden\": 16, \"slope\": 0.1}");
        return;
    }
    for (const auto& [name, value] : constants.items()) {
        if (!takeName("constants", name))
            continue;
        if (value.is_boolean() || isInteger(value) || value.is_number_float())
            m_spec.constants.push_back({name, value});
        else
            report("constants",
                   fmt::format("{} must be a number, true or false, is {}", name, shortText(value)));
    }
}

void SpecReader::readTensors()
{
    const Json& tensors = param("parameters");
    if (tensors.is_null())
        return;
    if (!tensors.is_array()) {
        report("parameters", "parameters must be a list",
               "such as [{\"name\": \"weight\", \"shape\": [16, \"x.size(1)\"]}]");
        return;
    }
    for (const Json& entry : tensors)
        readTensor(entry);
}

void SpecReader::readTensor(const Json& entry)
{
    static const std::vector<std::string> kKeys{"name", "shape", "init", "buffer"};
    const auto name = entry.is_object() ? entry.find("name") : entry.end();
    if (!entry.is_object() || name == entry.end() || !name->is_string()) {
        report("parameters", fmt::format("an entry of parameters needs a name, is {}", shortText(entry)),
               "write {\"name\": \"weight\", \"shape\": [16]}");
        return;
    }
    ScriptTensor tensor{.name = name->get<std::string>()};
    if (!takeName("parameters", tensor.name))
        return;
    for (const auto& [key, value] : entry.items())
        if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end())
            report("parameters", fmt::format("{} has an entry '{}' that is not known", tensor.name, key),
                   didYouMean(key, kKeys));
    const Json buffer = entry.value("buffer", Json(false));
    if (!buffer.is_boolean())
        report("parameters", fmt::format("buffer of {} must be true or false", tensor.name));
    tensor.buffer = buffer.is_boolean() && buffer.get<bool>();
    const bool shaped = readShape(entry.value("shape", Json()), tensor);
    if (readInit(entry.value("init", Json()), tensor) && shaped)
        m_spec.tensors.push_back(std::move(tensor));
}

bool SpecReader::readShape(const Json& shape, ScriptTensor& tensor)
{
    if (shape.is_array() && shape.size() <= 8) { // more axes than any layer has
        for (const Json& extent : shape) {
            if (extent.is_string())
                tensor.shape.push_back(extent.get<std::string>());
            else if (isInteger(extent))
                tensor.shape.push_back(extent.dump());
            else
                break;
        }
        if (tensor.shape.size() == shape.size())
            return true;
    }
    report("parameters",
           fmt::format("{} needs a shape, a list of whole numbers or of expressions of them", tensor.name),
           "such as [16, \"x.size(1)\"]; [] is a single number");
    return false;
}

bool SpecReader::readInit(const Json& init, ScriptTensor& tensor)
{
    if (init.is_null())
        return true;
    if (init.is_string()) {
        tensor.init = init.get<std::string>();
        return true;
    }
    if (init.is_object() && init.contains("kind") && init["kind"].is_string()) {
        tensor.init = init["kind"].get<std::string>();
        tensor.initParams = init;
        tensor.initParams.erase("kind");
        return true;
    }
    report("parameters", fmt::format("init of {} must name an initialiser", tensor.name),
           "such as \"zeros\" or {\"kind\": \"normal\", \"std\": 0.02}");
    return false;
}

// What the expressions of one spec's shapes may use.
ExtentNames namesOf(const ScriptSpec& spec, const std::vector<std::optional<TensorType>>& inputs)
{
    ExtentNames names;
    names.constant = [&spec](const std::string& name) -> Result<Extent> {
        std::vector<std::string> known;
        for (const ScriptConstant& constant : spec.constants) {
            if (constant.name == name && isInteger(constant.value))
                return constant.value.get<Extent>();
            known.push_back(constant.name);
        }
        return Error{ErrorCode::InvalidArgument,
                     fmt::format("there is no constant '{}' that is a whole number", name),
                     {},
                     didYouMean(name, known)};
    };
    names.size = [&spec, &inputs](const std::string& argument, std::int64_t axis) -> Result<Extent> {
        const auto& arguments = spec.signature.arguments;
        const auto found = std::find_if(arguments.begin(), arguments.end(),
                                        [&](const ScriptArgument& one) { return one.name == argument; });
        if (found == arguments.end())
            return Error{ErrorCode::InvalidArgument, fmt::format("forward has no argument '{}'", argument)};
        const auto range = argumentRanges(spec.signature,
                                          inputs.size())[static_cast<std::size_t>(found - arguments.begin())];
        if (range.second == 0 || range.first >= inputs.size() || !inputs[range.first])
            return kUnknown;
        const TensorType& type = *inputs[range.first];
        const std::int64_t index = axis < 0 ? axis + type.rank() : axis;
        if (index < 0 || index >= type.rank())
            return Error{ErrorCode::InvalidArgument,
                         fmt::format("{} has no axis {}, its shape is {}", argument, axis, type.text())};
        const Extent extent = type.dims[static_cast<std::size_t>(index)];
        if (extent == kBatch)
            return Error{ErrorCode::InvalidArgument,
                         fmt::format("{}.size({}) is the batch size, which no parameter can depend on",
                                     argument, axis)};
        return extent;
    };
    return names;
}

} // namespace

ScriptSpec readScriptSpec(const Json& params, bool isLoss)
{
    return SpecReader(params, isLoss).read();
}

std::vector<std::pair<std::size_t, std::size_t>> argumentRanges(const ScriptSignature& signature,
                                                                std::size_t inputs)
{
    std::vector<std::pair<std::size_t, std::size_t>> ranges;
    const std::size_t arguments = signature.arguments.size();
    std::size_t start = 0;
    for (const ScriptArgument& argument : signature.arguments) {
        const bool isList = argument.value == ScriptValue::TensorList;
        const std::size_t count = isList ? inputs + 1 - std::min(arguments, inputs + 1) : 1;
        ranges.emplace_back(start, count);
        start += count;
    }
    return ranges;
}

Result<std::vector<Extent>> tensorShape(const ScriptSpec& spec, const ScriptTensor& tensor,
                                        const std::vector<std::optional<TensorType>>& inputs)
{
    std::vector<Extent> shape;
    for (const std::string& expression : tensor.shape) {
        const auto extent = evaluateExtent(expression, namesOf(spec, inputs));
        if (!extent.ok()) {
            Error error = extent.error();
            error.message = fmt::format("the shape of {}: {}", tensor.name, error.message);
            return error;
        }
        shape.push_back(*extent);
    }
    return shape;
}

} // namespace athanor
