#include "engine/graph/sequence_rules.h"

namespace athanor {

SequenceShape sequenceAt(ShapeRule& rule, std::size_t index, const std::string& port)
{
    const auto& input = rule.input(index);
    if (!input)
        return {};
    const std::string place = index == 0 ? std::string() : port;
    if (input->type == ElementType::Index) {
        rule.problem(place, port + " takes vectors N×T×features, but gets indices " + input->text(),
                     "put an Embedding before it");
        return {};
    }
    if (input->rank() != 3) {
        rule.problem(place, port + " takes N×T×features, but gets " + input->text(),
                     input->rank() < 3 ? "one vector per time step: is there a Flatten too early?"
                                       : "bring it to three axes, such as with Flatten from axis 2 on");
        return {};
    }
    return {input->dims[1], input->dims[2]};
}

void checkMask(ShapeRule& rule, std::size_t index, const std::string& port, Extent steps)
{
    const auto& mask = rule.input(index);
    if (!mask)
        return;
    const bool fits = mask->rank() == 2 && (mask->dims[1] < 0 || steps < 0 || mask->dims[1] == steps);
    if (!fits)
        rule.problem(port,
                     port + " takes one number per time step, " + TensorType{{kBatch, steps}}.text() +
                         ", but gets " + mask->text(),
                     "1 where the time step is valid, 0 where it is padding");
}

void needBatchFirst(ShapeRule& rule)
{
    if (rule.param("batch_first") == false)
        rule.problem("batch_first",
                     "batch_first is false, but the batch is the first axis of everything here: samples and "
                     "time steps would change places",
                     "set batch_first to true");
}

void checkHeads(ShapeRule& rule, const std::string& name, Extent features)
{
    const Extent heads = rule.at(name);
    if (features < 0 || heads < 1 || features % heads == 0)
        return;
    rule.problem(name,
                 name + " is " + std::to_string(heads) + ", which does not divide the " +
                     std::to_string(features) + " features",
                 "each head takes an equal share of the features");
}

} // namespace athanor
