// Any thread. Inside engine/graph: what the losses' shape rules and kinds are made of.
#pragma once

#include "engine/graph/catalog_parts.h"
#include "engine/graph/shape_rules.h"

#include <functional>
#include <string>
#include <vector>

namespace athanor {

/// One function per group of losses, each in its own layers_loss_*.cpp.
std::vector<NodeKind> classLosses();
std::vector<NodeKind> valueLosses();
std::vector<NodeKind> distanceLosses();

namespace part {

/// What is particular about one loss.
struct LossParts {
    std::string kind;
    std::string title;
    std::string help; ///< formula and meaning; the reference to PyTorch is added
    std::vector<PortSpec> inputs = {{"input"}, targetPort("target")};
    std::vector<ParamSpec> params = {}; ///< but `reduction` and `weight`, which every loss has
    std::function<void(ShapeRule&)> check;
    std::vector<std::string> reductions = {"mean", "sum"};

    static PortSpec targetPort(std::string name, bool optional = false)
    {
        return {.name = std::move(name), .optional = optional, .isTarget = true};
    }
};
NodeKind lossKind(LossParts parts);

/// "1 class", "3 classes".
std::string counted(std::int64_t number, const std::string& one, const std::string& many);

/// Equal but for trailing ones (N and N×1 hold the same numbers in one meaning); true where it is not known.
bool sameMeaning(const std::vector<Extent>& a, const std::vector<Extent>& b);

/// Input `index`, which stands at port `port`, must have the shape of the first input but for trailing ones.
void checkSameShape(ShapeRule& rule, std::size_t index, const std::string& port);

/// A target of yes or no: class indices are 0 and 1. False when that was a problem.
bool checkTwoClasses(ShapeRule& rule, const TensorType& target);

/// A list with one factor per output (the second axis of the input; one output when there is none).
void checkFactors(ShapeRule& rule, const std::string& name);
ParamSpec factors(const std::string& name, const std::string& help);

} // namespace part
} // namespace athanor
