// Any thread. Inside engine/graph: arithmetic of shapes in which an extent may be unknown.
#pragma once

#include "engine/graph/node_catalog.h"

#include <initializer_list>
#include <span>

namespace athanor {

/// Unknown when one factor is; clamped instead of overflowing. N may not be among the factors.
Extent product(std::span<const Extent> factors);
Extent product(std::initializer_list<Extent> factors);

/// The same for a sum.
Extent sum(std::initializer_list<Extent> terms);

/// What a shape rule has in hand: its context, and the result that it builds up.
class ShapeRule {
public:
    explicit ShapeRule(const ShapeContext& context) : m_context(context) {}

    [[nodiscard]] const std::optional<TensorType>& input(std::size_t index = 0) const;
    [[nodiscard]] std::size_t inputCount() const { return m_context.inputs.size(); }

    /// Entry `index` of an int or list; kUnknown when it is missing or of a wrong type.
    [[nodiscard]] Extent at(const std::string& name, std::size_t index = 0) const;
    [[nodiscard]] bool flag(const std::string& name) const; ///< false when missing or of a wrong type
    [[nodiscard]] std::string text(const std::string& name) const;
    [[nodiscard]] bool isNull(const std::string& name) const; ///< missing counts as null
    [[nodiscard]] const Json& param(const std::string& name) const;

    /// Says it once, although a rule finds it along every axis.
    void problem(std::string parameter, std::string message, std::string hint = {});
    /// Says so when an input holds class indices where values are needed.
    void needFloat(std::size_t index = 0);
    /// Says so when the rank is not among `ranks`; false also when the input is unknown.
    bool needRank(std::initializer_list<int> ranks, const std::string& wanted);
    /// A parameter that follows from the input (in_features): records it, checks it when it was written, and
    /// returns what is known of it. `otherCure` is added to the hint: what else than leaving it out may help.
    Extent infer(const std::string& name, Extent fromInput, const std::string& ofWhat,
                 const std::string& otherCure = {});
    /// A negative axis counts from the end. nullopt, with a problem, when there is no such axis.
    std::optional<int> axis(const std::string& name, int rank);
    /// The same for an axis behind the batch; the batch itself is a problem, because samples do not mix.
    std::optional<int> innerAxis(const std::string& name, int rank);
    /// The axes of an int-or-list parameter, all behind the batch, in rising order; null stands for every one.
    /// nullopt, with a problem, when one does not exist, is the batch, or is there twice.
    std::optional<std::vector<int>> innerAxes(const std::string& name, int rank);

    void output(std::optional<TensorType> type) { m_result.outputs.push_back(std::move(type)); }
    void output(std::vector<Extent> dims) { m_result.outputs.push_back(TensorType{std::move(dims)}); }
    /// The input's type as it is.
    void passThrough() { m_result.outputs.push_back(input()); }
    void setParameters(Extent count) { m_result.parameters = count > 0 ? count : 0; }
    void setMacs(Extent count) { m_result.macs = count > 0 ? count : 0; }

    ShapeResult finish() && { return std::move(m_result); }

private:
    std::optional<int> axisOf(const std::string& name, const Json& value, int rank);
    std::optional<int> innerAxisOf(const std::string& name, const Json& value, int rank);

    const ShapeContext& m_context;
    ShapeResult m_result;
};

/// Extents behind the batch axis.
std::vector<Extent> withoutBatch(const TensorType& type);

} // namespace athanor
