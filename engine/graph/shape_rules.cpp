#include "engine/graph/shape_rules.h"

#include "engine/graph/param_check.h"

#include <algorithm>
#include <limits>

namespace athanor {
namespace {
const std::optional<TensorType> kNothing;
const Json kNull;
} // namespace

Extent product(std::span<const Extent> factors)
{
    Extent result = 1;
    for (const Extent factor : factors) {
        if (factor < 0)
            return kUnknown;
        if (factor != 0 && result > std::numeric_limits<Extent>::max() / factor)
            result = std::numeric_limits<Extent>::max();
        else
            result *= factor;
    }
    return result;
}

Extent product(std::initializer_list<Extent> factors)
{
    return product(std::span(factors.begin(), factors.size()));
}

Extent sum(std::initializer_list<Extent> terms)
{
    Extent result = 0;
    for (const Extent term : terms) {
        if (term < 0)
            return kUnknown;
        result = result > std::numeric_limits<Extent>::max() - term ? std::numeric_limits<Extent>::max()
                                                                    : result + term;
    }
    return result;
}

std::vector<Extent> withoutBatch(const TensorType& type)
{
    return type.dims.empty() ? std::vector<Extent>()
                             : std::vector<Extent>(type.dims.begin() + 1, type.dims.end());
}

const std::optional<TensorType>& ShapeRule::input(std::size_t index) const
{
    return index < m_context.inputs.size() ? m_context.inputs[index] : kNothing;
}

const Json& ShapeRule::param(const std::string& name) const
{
    const auto it = m_context.params.find(name);
    return it == m_context.params.end() ? kNull : *it;
}

Extent ShapeRule::at(const std::string& name, std::size_t index) const
{
    const Json& value = param(name);
    const Json& entry = value.is_array() && index < value.size() ? value[index] : value;
    return isInteger(entry) ? entry.get<Extent>() : kUnknown;
}

bool ShapeRule::flag(const std::string& name) const
{
    const Json& value = param(name);
    return value.is_boolean() && value.get<bool>();
}

std::string ShapeRule::text(const std::string& name) const
{
    const Json& value = param(name);
    return value.is_string() ? value.get<std::string>() : std::string();
}

bool ShapeRule::isNull(const std::string& name) const
{
    return param(name).is_null();
}

void ShapeRule::problem(std::string parameter, std::string message, std::string hint)
{
    const auto isSaid = [&](const ShapeProblem& said) {
        return said.parameter == parameter && said.message == message;
    };
    if (std::none_of(m_result.problems.begin(), m_result.problems.end(), isSaid))
        m_result.problems.push_back({std::move(parameter), std::move(message), std::move(hint)});
}

void ShapeRule::needFloat(std::size_t index)
{
    if (input(index) && input(index)->type == ElementType::Index)
        problem({}, "takes numbers, but gets class indices (" + input(index)->text() + ")",
                "connect the field with the values; labels belong into a loss's target");
}

bool ShapeRule::needRank(std::initializer_list<int> ranks, const std::string& wanted)
{
    if (!input())
        return false;
    for (const int rank : ranks)
        if (input()->rank() == rank)
            return true;
    const bool flat = input()->rank() < *ranks.begin();
    problem({}, "takes " + wanted + ", but gets " + input()->text(),
            flat ? "is there a Flatten too early, or should the data be images?" : "put a Flatten before it");
    return false;
}

Extent ShapeRule::infer(const std::string& name, Extent fromInput, const std::string& ofWhat,
                        const std::string& otherCure)
{
    const Extent written = at(name);
    if (written >= 0 && fromInput >= 0 && written != fromInput)
        problem(name,
                "expects " + std::to_string(written) + " " + ofWhat + ", but gets " + std::to_string(fromInput) +
                    (input() ? " (" + input()->text() + ")" : std::string()),
                "leave " + name + " empty: it follows from the input" + otherCure);
    const Extent known = fromInput >= 0 ? fromInput : written;
    if (known >= 0)
        m_result.inferred[name] = known;
    return known;
}

std::optional<int> ShapeRule::axisOf(const std::string& name, const Json& value, int rank)
{
    if (!isInteger(value))
        return std::nullopt;
    const auto written = value.get<std::int64_t>();
    if (written < -rank || written >= rank) {
        problem(name,
                name + " is " + std::to_string(written) + ", but the input has " + std::to_string(rank) +
                    " axes",
                "use " + std::to_string(-rank) + " to " + std::to_string(rank - 1));
        return std::nullopt;
    }
    return static_cast<int>(written < 0 ? written + rank : written);
}

std::optional<int> ShapeRule::innerAxisOf(const std::string& name, const Json& value, int rank)
{
    const auto found = axisOf(name, value, rank);
    if (found != 0)
        return found;
    problem(name, name + " names axis 0, which is the batch: samples do not mix",
            rank > 1 ? "use 1 to " + std::to_string(rank - 1) : "there is no axis beside the batch");
    return std::nullopt;
}

std::optional<int> ShapeRule::axis(const std::string& name, int rank)
{
    return axisOf(name, param(name), rank);
}

std::optional<int> ShapeRule::innerAxis(const std::string& name, int rank)
{
    return innerAxisOf(name, param(name), rank);
}

std::optional<std::vector<int>> ShapeRule::innerAxes(const std::string& name, int rank)
{
    std::vector<int> axes;
    const Json& value = param(name);
    if (value.is_null()) {
        for (int i = 1; i < rank; ++i)
            axes.push_back(i);
        if (axes.empty())
            problem({}, "gets only the batch, N: there is no axis to work on");
        return axes.empty() ? std::nullopt : std::optional(axes);
    }
    for (const Json& entry : value.is_array() ? value : Json::array({value})) {
        const auto found = innerAxisOf(name, entry, rank);
        if (!found)
            return std::nullopt;
        axes.push_back(*found);
    }
    std::sort(axes.begin(), axes.end());
    if (std::adjacent_find(axes.begin(), axes.end()) == axes.end())
        return axes;
    problem(name, name + " names an axis twice", "write each axis once; -1 is the last one");
    return std::nullopt;
}

} // namespace athanor
