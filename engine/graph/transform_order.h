// Any thread (pure functions). Inside engine/graph: whether a transform makes sense behind those before it.
#pragma once

#include "engine/base/json.h"
#include "engine/graph/graph_check.h"

#include <optional>
#include <string>
#include <vector>

namespace athanor {

/// What is known of the samples behind a node of the data graph.
struct SamplesKnown {
    bool apart = false;      ///< the parts are told apart
    bool images = false;     ///< may hold images
    bool pixels = false;     ///< images as they are read, 0–255
    bool scaled = false;     ///< ToTensor was there
    bool normalized = false; ///< Normalize or Standardize was there
    bool altered = false;    ///< a random transform has changed values of the training part
    std::int64_t channels = 0; ///< of images; 0: not known
    std::int64_t height = 0;   ///< of images; 0: not known
    std::int64_t width = 0;
    std::int64_t shortest = 0; ///< the shorter edge of images, where only it is known
};
/// What is known where several branches come together.
SamplesKnown joined(const SamplesKnown& a, const SamplesKnown& b);

/// What a source of that kind yields.
SamplesKnown samplesOf(const std::string& source);

struct OrderProblem {
    std::string parameter; ///< empty: the node as a whole
    Severity severity;
    std::string message;
    std::string hint;
};

struct OrderCheck {
    std::vector<OrderProblem> problems;
    SamplesKnown output;
};

/// `params` are complete, but may have values of wrong types.
OrderCheck checkTransformOrder(const std::string& kind, const Json& params, const SamplesKnown& input);

} // namespace athanor
