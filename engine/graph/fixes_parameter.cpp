#include "engine/graph/fix_context.h"
#include "engine/graph/name_match.h"
#include "engine/graph/param_check.h"
#include "engine/graph/value_repair.h"

#include <algorithm>
#include <cmath>

namespace athanor {
namespace {

constexpr std::int64_t kFarthest = 512; // how far from what was written a whole number is looked for

GraphEdit set(const FixContext& context, const std::string& name, Json value)
{
    return GraphEdit{edit::SetParameter{context.node()->id, name, std::move(value)}};
}

GraphEdit unset(const FixContext& context, const std::string& name)
{
    return GraphEdit{edit::SetParameter{context.node()->id, name, std::nullopt}};
}

std::string plain(const Json& value)
{
    if (value.is_string())
        return value.get<std::string>();
    // 1.0 is what a person writes as 1.
    const bool isWhole = value.is_number_float() && std::abs(value.get<double>()) < 1e15 &&
                         value.get<double>() == std::floor(value.get<double>());
    return isWhole ? std::to_string(static_cast<std::int64_t>(value.get<double>())) : shortText(value);
}

void offerSet(FixContext& context, const std::string& name, const Json& value)
{
    context.offer("Set " + name + " to " + plain(value), set(context, name, value));
}

// A name that the kind does not have.
void offerRename(FixContext& context, const Json& written)
{
    const std::string& name = context.detail();
    const std::string near = nearestName(name, namesOf(context.kind()->params));
    if (!near.empty() && !context.node()->params.contains(near))
        context.offer("Rename it to " + near,
                      GraphEdit{edit::Sequence{{set(context, near, written), unset(context, name)}}});
    context.offer("Remove " + name, unset(context, name));
}

// A field's name: the nearest, or the only one that is free.
void offerField(FixContext& context, const Json& written)
{
    std::vector<std::string> known, free;
    for (const auto& [name, type] : context.fields().fields) {
        known.push_back(name);
        const auto& nodes = context.graph().nodes();
        if (std::none_of(nodes.begin(), nodes.end(),
                         [&, &field = name](const Node& node) { return node.params.value("field", Json()) == field; }))
            free.push_back(name);
    }
    const std::string near = written.is_string() ? nearestName(written.get<std::string>(), known) : "";
    if (!near.empty())
        offerSet(context, "field", near);
    else if (free.size() == 1)
        offerSet(context, "field", free.front());
}

// Judges one node by its shape rule, so that many values can be tried at no cost.
class ValueSearch {
public:
    explicit ValueSearch(const FixContext& context) : m_context(context), m_node(*context.node())
    {
        for (const PortSpec& port : context.kind()->inputs) {
            const std::vector<Edge> edges = context.edgesInto(m_node.id, port.name);
            for (const Edge& edge : edges)
                m_inputs.push_back(context.typeOf(edge));
            if (edges.empty() && !port.variadic)
                m_inputs.emplace_back();
            m_connected.insert(m_connected.end(), port.variadic ? edges.size() : 1, !edges.empty());
        }
    }
    [[nodiscard]] bool fits(const std::string& name, const Json& value) const
    {
        Json params = m_node.params;
        params[name] = value;
        if (checkValue(*m_context.kind()->param(name), value))
            return false;
        ShapeContext shape;
        shape.inputs = m_inputs;
        shape.params = completeParams(*m_context.kind(), params);
        shape.connected = m_connected;
        const ShapeResult result = m_context.kind()->shapeRule(shape);
        return std::none_of(result.problems.begin(), result.problems.end(), [&](const ShapeProblem& problem) {
            return problem.parameter == m_context.detail();
        });
    }

private:
    const FixContext& m_context;
    const Node& m_node;
    std::vector<std::optional<TensorType>> m_inputs;
    std::vector<bool> m_connected;
};

// The nearest whole number with which the shape rule is content, the smaller of two that are equally far.
void offerNearestInteger(FixContext& context, const ValueSearch& search, const ParamSpec& spec, const Json& written)
{
    const auto now = written.get<std::int64_t>();
    for (std::int64_t distance = 1; distance <= kFarthest; ++distance)
        for (const std::int64_t value : {now - distance, now + distance})
            if (search.fits(spec.name, value)) {
                offerSet(context, spec.name, value);
                return;
            }
}

// A smaller window, for an input that is shorter than it.
void offerSmaller(FixContext& context, const ValueSearch& search, const ParamSpec& spec, const Json& written)
{
    std::int64_t largest = 0;
    const Json entries = written.is_array() ? written : Json::array({written});
    for (const Json& entry : entries)
        largest = isInteger(entry) ? std::max(largest, entry.get<std::int64_t>()) : largest;
    for (std::int64_t most = std::min(largest - 1, kFarthest); most >= 1; --most) {
        Json smaller = written;
        if (written.is_array())
            for (Json& entry : smaller)
                entry = std::min(entry.get<std::int64_t>(), most);
        else
            smaller = most;
        if (search.fits(spec.name, smaller)) {
            offerSet(context, spec.name, smaller);
            return;
        }
    }
}

// More padding, for the same; at most half the kernel, which is what keeps an extent.
void offerPadding(FixContext& context, const ValueSearch& search)
{
    const Json kernel = context.paramsOf(context.node()->id).value("kernel_size", Json());
    const Json widest = kernel.is_array() && !kernel.empty() ? *std::max_element(kernel.begin(), kernel.end()) : kernel;
    if (context.kind()->param("padding") == nullptr || !isInteger(widest))
        return;
    for (std::int64_t padding = 1; padding <= std::min(widest.get<std::int64_t>() / 2, kFarthest); ++padding)
        if (search.fits("padding", padding)) {
            offerSet(context, "padding", padding);
            return;
        }
}

// "same" as a number, for a stride that does not go with the word.
void offerSamePadding(FixContext& context)
{
    const Json params = context.paramsOf(context.node()->id);
    const Json kernel = params.value("kernel_size", Json()), dilation = params.value("dilation", Json());
    if (!kernel.is_array() || !dilation.is_array() || kernel.size() != dilation.size())
        return;
    Json padding = Json::array();
    for (std::size_t i = 0; i < kernel.size(); ++i) {
        if (!isInteger(kernel[i]) || !isInteger(dilation[i]))
            return;
        padding.push_back(dilation[i].get<std::int64_t>() * (kernel[i].get<std::int64_t>() - 1) / 2);
    }
    const bool isOne = std::all_of(padding.begin(), padding.end(), [&](const Json& entry) { return entry == padding[0]; });
    offerSet(context, "padding", isOne ? padding[0] : padding);
}

// The value is sound in itself, but not for what comes in.
void offerFittingValue(FixContext& context, const ParamSpec& spec, const Json& value)
{
    const ValueSearch search(context);
    if (spec.type == ParamType::Bool && value.is_boolean())
        offerSet(context, spec.name, !value.get<bool>());
    else if (spec.type == ParamType::Int && isInteger(value))
        offerNearestInteger(context, search, spec, value);
    else if (spec.name == "padding" && value == "same")
        offerSamePadding(context);
    else if (spec.type == ParamType::IntOrList) {
        if (spec.name == "kernel_size")
            offerPadding(context, search);
        offerSmaller(context, search, spec, value);
    }
}

} // namespace

void offerParameterFixes(FixContext& context)
{
    const std::string& name = context.detail();
    if (context.node() == nullptr || !context.kind() || name.empty())
        return;
    const Json& params = context.node()->params;
    const auto written = params.find(name);
    const ParamSpec* spec = context.kind()->param(name);
    if (spec == nullptr) {
        if (written != params.end())
            offerRename(context, *written);
        return;
    }
    if (written == params.end()) { // a default that does not fit here
        if (!spec->required && !spec->inferred && context.isNetwork())
            offerFittingValue(context, *spec, spec->standard);
        return;
    }
    if (spec->inferred) {
        context.offer("Leave " + name + " empty", unset(context, name));
        return;
    }
    if (context.kind()->family == NodeFamily::Input && name == "field")
        offerField(context, *written);
    if (checkValue(*spec, *written)) {
        if (const auto near = nearestValue(*spec, *written))
            offerSet(context, name, *near);
    } else if (context.isNetwork()) {
        offerFittingValue(context, *spec, *written);
    }
    if (!spec->required)
        context.offer("Set " + name + " back to its default, " +
                          (spec->standard.is_null() ? std::string("none") : plain(spec->standard)),
                      unset(context, name));
}

} // namespace athanor
