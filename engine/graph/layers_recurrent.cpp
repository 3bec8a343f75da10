#include "engine/graph/catalog_parts.h"
#include "engine/graph/sequence_rules.h"

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

ShapeResult recurrentRule(const ShapeContext& context, int gates, bool hasCell)
{
    ShapeRule rule(context);
    needBatchFirst(rule);
    const SequenceShape input = sequenceAt(rule, 0, "input");
    checkMask(rule, 1, "mask", input.steps);
    const Extent in = rule.infer("input_size", input.features, "features");
    const Extent proj = rule.isNull("proj_size") ? 0 : rule.at("proj_size");
    const Extent hidden = rule.at("hidden_size");
    if (proj > 0 && hidden > 0 && proj >= hidden)
        rule.problem("proj_size", "proj_size must be less than hidden_size", "0 switches the projection off");
    const Extent directions = rule.flag("bidirectional") ? 2 : 1;
    const Extent width = product({directions, proj > 0 ? proj : hidden});
    rule.setParameters(countWeights(rule, in, gates, rule.flag("bias")));
    rule.setMacs(product({countWeights(rule, in, gates, false), input.steps}));
    rule.output({kBatch, input.steps, width});
    rule.output({kBatch, width});
    if (hasCell)
        rule.output({kBatch, product({directions, hidden})});
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

struct RecurrentParts {
    std::string kind;
    std::string title;
    std::string formula; ///< with its source
    int gates = 1;
    bool hasCell = false;
    std::vector<ParamSpec> params = recurrentParams();
};

const char* const kPorts =
    "\n\nInput N×T×features. `mask` N×T is 1 where a time step is valid and 0 where it is padding, which "
    "comes last: each sequence is read up to its own end, from both sides with bidirectional, and `output` "
    "is 0 behind it (PyTorch: a packed sequence). Without a mask all time steps count.\n\nOutput `output` "
    "is the hidden state of the last layer at every time step, N×T×hidden; `last` the one after the whole "
    "sequence was read, of each direction, N×hidden";

NodeKind recurrentKind(RecurrentParts parts)
{
    std::string help = parts.formula + kPorts;
    if (parts.hasCell)
        help += "; `cell` the cell state c at that moment, N×hidden";
    help += ". Weights start uniform in ±1/√hidden_size.\n\nPyTorch: `torch.nn." + parts.kind + "`.";
    std::vector<PortSpec> outputs{{"output"}, {"last"}};
    if (parts.hasCell)
        outputs.push_back({"cell"});
    return {.kind = parts.kind,
            .family = NodeFamily::Recurrent,
            .title = parts.title,
            .help = std::move(help),
            .inputs = {{"input"}, {.name = "mask", .optional = true}},
            .outputs = std::move(outputs),
            .params = std::move(parts.params),
            .shapeRule = [gates = parts.gates, cell = parts.hasCell](
                             const ShapeContext& context) { return recurrentRule(context, gates, cell); },
            .stateNames = recurrentNames};
}

} // namespace

std::vector<NodeKind> recurrentLayers()
{
    RecurrentParts simple{.kind = "RNN",
                          .title = "Simple recurrent layer",
                          .formula =
                              "h_t = tanh(W_ih·x_t + b_ih + W_hh·h_{t−1} + b_hh), with h_0 = 0 (Elman, "
                              "Finding Structure in Time, 1990)."};
    simple.params.push_back(
        choice("nonlinearity", {"tanh", "relu"}, "tanh", "What bounds the hidden state."));
    RecurrentParts memory{
        .kind = "LSTM",
        .title = "Long short-term memory",
        .formula =
            "i, f, o = σ(W·x_t + b + U·h_{t−1} + b′); g = tanh(W·x_t + b + U·h_{t−1} + b′); c_t = "
            "f⊙c_{t−1} + i⊙g; h_t = o⊙tanh(c_t), or W_hr·(o⊙tanh(c_t)) with proj_size; h_0 and c_0 are "
            "0 (Hochreiter and Schmidhuber, Long Short-Term Memory, 1997).",
        .gates = 4,
        .hasCell = true};
    memory.params.push_back(
        integer("proj_size", 0, "Projects the hidden state to this many features; 0: not at all.", 0));
    return {recurrentKind(std::move(simple)), recurrentKind(std::move(memory)),
            recurrentKind(
                {.kind = "GRU",
                 .title = "Gated recurrent unit",
                 .formula = "r, z = σ(W·x_t + b + U·h_{t−1} + b′); n = tanh(W·x_t + b + r⊙(U·h_{t−1} + b′)); "
                            "h_t = (1 − z)⊙n + z⊙h_{t−1}, with h_0 = 0 (Cho et al., Learning Phrase "
                            "Representations using RNN Encoder-Decoder, 2014).",
                 .gates = 3})};
}

} // namespace athanor
