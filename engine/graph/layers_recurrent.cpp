#include "engine/graph/catalog_parts.h"
#include "engine/graph/shape_rules.h"

#include <algorithm>

namespace athanor {
namespace {

using namespace part;

// Weights of all layers and directions; `gates` is 1 for RNN, 3 for GRU, 4 for LSTM.
Extent countWeights(const ShapeRule& rule, Extent in, int gates, bool biased)
{
    const Extent hidden = rule.at("hidden_size"), layers = rule.at("num_layers");
    const Extent directions = rule.flag("bidirectional") ? 2 : 1;
    const Extent proj = rule.isNull("proj_size") ? 0 : rule.at("proj_size");
    if (in < 0 || hidden < 1 || layers < 1 || proj < 0)
        return kUnknown;
    const Extent fed = proj > 0 ? proj : hidden; // what comes back, and goes up
    const Extent shared = sum(
        {product({gates, hidden, fed}), biased ? product({2, gates, hidden}) : 0, product({proj, hidden})});
    const Extent first = sum({product({gates, hidden, in}), shared});
    const Extent upper = sum({product({gates, hidden, directions * fed}), shared});
    return product({directions, sum({first, product({layers - 1, upper})})});
}

ShapeResult recurrentRule(const ShapeContext& context, int gates)
{
    ShapeRule rule(context);
    rule.needFloat();
    const bool fits = rule.needRank({3}, "N×T×features");
    if (rule.param("batch_first") == false)
        rule.problem("batch_first",
                     "batch_first is false, but the batch is the first axis of everything here: samples and "
                     "time steps would change places",
                     "set batch_first to true");
    const Extent in = rule.infer("input_size", fits ? rule.input()->dims[2] : kUnknown, "features");
    const Extent steps = fits ? rule.input()->dims[1] : kUnknown;
    const Extent proj = rule.isNull("proj_size") ? 0 : rule.at("proj_size");
    const Extent hidden = rule.at("hidden_size");
    if (proj > 0 && hidden > 0 && proj >= hidden)
        rule.problem("proj_size", "proj_size must be less than hidden_size", "0 switches the projection off");
    const Extent width = product({rule.flag("bidirectional") ? 2 : 1, proj > 0 ? proj : hidden});
    rule.setParameters(countWeights(rule, in, gates, rule.flag("bias")));
    const Extent weights = countWeights(rule, in, gates, false);
    rule.setMacs(product({weights, steps}));
    rule.output({kBatch, steps, width});
    rule.output({kBatch, width});
    return std::move(rule).finish();
}

std::vector<std::string> recurrentNames(const Json& params)
{
    constexpr std::int64_t kMostLayers = 1000; // nobody matches names of more
    const auto number = [&](const char* name) {
        const Json value = params.value(name, Json());
        return value.is_number_integer() ? value.get<std::int64_t>() : 0;
    };
    std::vector<std::string> names;
    for (std::int64_t layer = 0; layer < std::min(number("num_layers"), kMostLayers); ++layer)
        for (const char* direction : {"", "_reverse"}) {
            if (*direction != 0 && params.value("bidirectional", Json()) != true)
                continue;
            const std::string end = "_l" + std::to_string(layer) + direction;
            names.insert(names.end(), {"weight_ih" + end, "weight_hh" + end});
            if (params.value("bias", Json()) == true)
                names.insert(names.end(), {"bias_ih" + end, "bias_hh" + end});
            if (number("proj_size") > 0)
                names.push_back("weight_hr" + end);
        }
    return names;
}

std::vector<ParamSpec> recurrentParams()
{
    return {
        inferred(integer("input_size", {}, "Features of one time step; follows from the input.", 1)),
        required(integer("hidden_size", {}, "Features of the hidden state: number of units.", 1)),
        integer("num_layers", 1, "Layers stacked on each other.", 1),
        boolean("bias", true, "Adds learned numbers to the gates."),
        boolean("batch_first", false,
                "True: the input is N×T×features. The batch is the first axis of everything here, so it must "
                "be true."),
        real("dropout", 0.0, "Probability of dropping an output between stacked layers, 0 to 1.", 0, 1),
        boolean("bidirectional", false, "Reads the sequence from both ends; the outputs are twice as wide.")};
}

NodeKind recurrentKind(const std::string& kind, const std::string& title, const std::string& formula,
                       int gates, std::vector<ParamSpec> params)
{
    return {.kind = kind,
            .family = NodeFamily::Recurrent,
            .title = title,
            .help = formula +
                    "\n\nInput N×T×features. Output `output` is the hidden state of the last layer at every "
                    "time step, N×T×hidden; `last` the one at the end of the sequence (for each direction), "
                    "N×hidden.\n\nPyTorch: `torch.nn." +
                    kind + "`.",
            .inputs = oneInput(),
            .outputs = {{"output"}, {"last"}},
            .params = std::move(params),
            .shapeRule = [gates](const ShapeContext& context) { return recurrentRule(context, gates); },
            .stateNames = recurrentNames};
}

} // namespace

std::vector<NodeKind> recurrentLayers()
{
    std::vector<ParamSpec> simple = recurrentParams();
    simple.push_back(choice("nonlinearity", {"tanh", "relu"}, "tanh", "What bounds the hidden state."));
    std::vector<ParamSpec> projected = recurrentParams();
    projected.push_back(
        integer("proj_size", 0, "Projects the hidden state to this many features; 0: not at all.", 0));
    return {recurrentKind("RNN", "Simple recurrent layer",
                          "h_t = tanh(W_ih·x_t + b_ih + W_hh·h_{t−1} + b_hh)", 1, std::move(simple)),
            recurrentKind("LSTM", "Long short-term memory",
                          "i, f, o = σ(W·x_t + U·h_{t−1} + b); g = tanh(W·x_t + U·h_{t−1} + b); c_t = "
                          "f⊙c_{t−1} + i⊙g; h_t = o⊙tanh(c_t)",
                          4, std::move(projected)),
            recurrentKind("GRU", "Gated recurrent unit",
                          "r, z = σ(W·x_t + U·h_{t−1} + b); n = tanh(W·x_t + b + r⊙(U·h_{t−1} + b)); h_t = "
                          "(1 − z)⊙n + z⊙h_{t−1}",
                          3, recurrentParams())};
}

} // namespace athanor
