// Any thread (immutable once made). The transforms of one part, in order, on all fields of its samples.
#pragma once

#include "engine/data/throughput.h"
#include "engine/data/transforms/transform.h"

#include <set>

namespace athanor {

/// What the random draws of a sample depend on.
struct SampleKey {
    std::uint64_t seed = 0;
    std::uint64_t epoch = 0;
    std::uint64_t sample = 0; ///< index in its source
};

/// Where a step comes from.
struct StepOrigin {
    std::string node;          ///< id in the data graph, the place of errors
    std::uint64_t ordinal = 0; ///< place among all steps, part of the key of its draws
};

/// Places an error at a node of the data graph; what `where` already says is the parameter.
Error atNode(Error error, const std::string& node);

class TransformChain {
public:
    TransformChain() = default;
    explicit TransformChain(std::vector<FieldLayout> input)
        : m_layouts(std::move(input)), m_steps(m_layouts.size())
    {}

    /// Fields as they are after the steps so far.
    [[nodiscard]] const std::vector<FieldLayout>& layouts() const { return m_layouts; }
    /// Appends a step, one transform for each of its fields (see fieldsFor).
    Status append(const std::vector<TransformPtr>& transforms, const StepOrigin& origin);
    /// Turns what is still bytes into floats, and joins elementwise steps on bytes into look-ups.
    Status finish();
    /// Which steps to do.
    enum class Steps {
        All,
        Fixed, ///< those before the first random one and before bytes become floats: what a cache keeps
        Rest,  ///< what Fixed leaves
    };
    /// `scratch` is memory that is kept from call to call, one per thread. `row` takes each step's time.
    Status apply(Sample& sample, Value& scratch, const SampleKey& key, Steps steps = Steps::All,
                 ThroughputMeter::Row* row = nullptr) const;
    /// For looking at samples on their way: the steps of an ordinal below `end` as they were appended, without those
    /// of the nodes in `without`. Random ones draw what apply() draws. The chain is finished.
    Status applyBefore(std::uint64_t end, const std::set<std::string>& without, Sample& sample, Value& scratch,
                       const SampleKey& key) const;
    /// Fields as they are there.
    [[nodiscard]] std::vector<FieldLayout> layoutsBefore(std::uint64_t end) const;
    /// The fields that transforms work on: `image`, else `features`, else all numbers that are no target.
    [[nodiscard]] std::vector<std::size_t> inputFields() const;
    /// The fields that a transform works on: inputFields(), or `label`, else all classes, of those for labels.
    [[nodiscard]] std::vector<std::size_t> fieldsFor(const Transform& transform) const;

private:
    struct Step {
        StepOrigin origin;
        TransformPtr transform;
        FieldLayout input;
    };
    Status appendTo(std::size_t field, const TransformPtr& transform, const StepOrigin& origin);
    Status foldBytes(std::vector<Step>& steps);
    static std::size_t countFixed(const std::vector<Step>& steps);

    std::vector<FieldLayout> m_layouts;
    std::vector<std::vector<Step>> m_steps; // per field
    std::vector<std::size_t> m_fixed;       // per field: leading steps that are Fixed; set by finish
    std::vector<std::vector<Step>> m_appended; // the same before finish()
    std::vector<FieldLayout> m_appendedLayouts;
};

} // namespace athanor
