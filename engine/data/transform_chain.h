// Any thread (immutable once made). The transforms of one part, in order, on all fields of its samples.
#pragma once

#include "engine/data/transforms/transform.h"

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
    /// Appends a step, one transform for each of inputFields().
    Status append(const std::vector<TransformPtr>& transforms, const StepOrigin& origin);
    /// Turns what is still bytes into floats, and joins elementwise steps on bytes into look-ups.
    Status finish();
    /// `scratch` is memory that is kept from call to call, one per thread.
    Status apply(Sample& sample, Value& scratch, const SampleKey& key) const;
    /// The fields that transforms work on: `image`, else `features`, else all numbers that are no target.
    [[nodiscard]] std::vector<std::size_t> inputFields() const;

private:
    struct Step {
        StepOrigin origin;
        TransformPtr transform;
        FieldLayout input;
    };
    Status appendTo(std::size_t field, const TransformPtr& transform, const StepOrigin& origin);
    Status foldBytes(std::vector<Step>& steps);

    std::vector<FieldLayout> m_layouts;
    std::vector<std::vector<Step>> m_steps; // per field
};

} // namespace athanor
