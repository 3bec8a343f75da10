#include "engine/graph/loss_rules.h"

#include <algorithm>
#include <iterator>

namespace athanor {
namespace part {

std::string counted(std::int64_t number, const std::string& one, const std::string& many)
{
    std::string text = std::to_string(number);
    text += " ";
    return text += number == 1 ? one : many;
}

bool sameMeaning(const std::vector<Extent>& a, const std::vector<Extent>& b)
{
    const auto& longer = a.size() > b.size() ? a : b;
    const auto& shorter = a.size() > b.size() ? b : a;
    const auto rest = longer.begin() + static_cast<std::ptrdiff_t>(shorter.size());
    return std::equal(shorter.begin(), shorter.end(), longer.begin(),
                      [](Extent x, Extent y) { return x == y || x == kUnknown || y == kUnknown; }) &&
           std::all_of(rest, longer.end(), [](Extent x) { return x == 1 || x == kUnknown; });
}

void checkSameShape(ShapeRule& rule, std::size_t index, const std::string& port)
{
    const auto& input = rule.input();
    const auto& other = rule.input(index);
    if (!input || !other || sameMeaning(input->dims, other->dims))
        return;
    const std::string what = port == "target" ? "the target" : port;
    rule.problem(port, "the network yields " + input->text() + ", but " + what + " is " + other->text(),
                 "both must have the same shape: nothing is repeated silently");
}

bool checkTwoClasses(ShapeRule& rule, const TensorType& target)
{
    if (target.type != ElementType::Index || target.classes <= 2)
        return true;
    rule.problem("target", "tells two classes apart, but the data has " + std::to_string(target.classes),
                 "use CrossEntropyLoss with as many outputs as classes");
    return false;
}

void checkFactors(ShapeRule& rule, const std::string& name)
{
    const Json& list = rule.param(name);
    if (!list.is_array() || !rule.input())
        return;
    const Extent outputs = rule.input()->rank() < 2 ? 1 : rule.input()->dims[1];
    const auto size = static_cast<Extent>(list.size());
    const bool oneForAll = name == "pos_weight" && size == 1;
    if (outputs >= 0 && size != outputs && !oneForAll)
        rule.problem(name,
                     name + " has " + counted(size, "entry", "entries") + ", but the network yields " +
                         counted(outputs, "output", "outputs"),
                     "write one for each output");
}

ParamSpec factors(const std::string& name, const std::string& help)
{
    return nullable({.name = name, .type = ParamType::RealList, .help = help, .minimum = 0});
}

NodeKind lossKind(LossParts parts)
{
    std::string reduction = "How the losses of the elements become one number. `sum` grows with the batch, "
                            "and so do the gradients.";
    if (parts.reductions.size() > 2)
        reduction += " `batchmean` divides the sum by the batch size alone.";
    parts.params.push_back(choice("reduction", parts.reductions, "mean", reduction));
    parts.params.push_back(
        real("weight", 1.0, "Factor of this loss in the total, when a network has several.", 0));
    std::string help = parts.help;
    help += "\n\nPyTorch: `torch.nn.";
    help += parts.kind;
    help += "`.";
    return {.kind = parts.kind,
            .family = NodeFamily::Loss,
            .title = parts.title,
            .help = std::move(help),
            .inputs = parts.inputs,
            .outputs = {},
            .params = std::move(parts.params),
            .shapeRule = [check = std::move(parts.check)](const ShapeContext& context) {
                ShapeRule rule(context);
                rule.needFloat(0);
                check(rule);
                return std::move(rule).finish();
            }};
}

} // namespace part

std::vector<NodeKind> lossLayers()
{
    std::vector<NodeKind> kinds;
    for (auto group : {classLosses, valueLosses, distanceLosses}) {
        std::vector<NodeKind> more = group();
        kinds.insert(kinds.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    }
    return kinds;
}

} // namespace athanor
