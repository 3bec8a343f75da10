// Builds and runs networks of one node, for comparison with PyTorch (tests/baseline/compare_kinds.py).
// Reads one case per line from standard input and writes one answer per line:
//   case:   {"kind", "params", "inputs": [{"port", "shape", "index", "classes", "values"}], "seed", "train",
//            "state": {name: {"shape", "values"}}}; the batch is the first extent of every input
//   answer: {"problems": [text], "types", "params", "parameters", "macs", "state_names", "unknown", "blind"} of the
//            check, and when that found nothing wrong {"initial", "outputs", "input_gradients", "gradients",
//            "state"}, or {"error": text}
// Gradients are those of Σ output·weight with weight_i = cos(0.7·i + 0.3·port).
#include "engine/graph/graph_check.h"
#include "engine/graph/graph_edit.h"
#include "engine/train/compiled_network.h"
#include "engine/script/torch_errors.h"

#include <torch/torch.h>

#include <iostream>
#include <string>
#include <vector>

using namespace athanor;

namespace {

constexpr const char* kNode = "layer";

/// "in2", "out0".
std::string numbered(const char* stem, std::size_t number)
{
    std::string text = stem;
    return text += std::to_string(number);
}

/// The node, an Input for each of its inputs, and an Identity behind each output that shows it.
Graph graphOf(const Json& request)
{
    std::vector<Node> nodes;
    std::vector<Edge> edges;
    const Json& inputs = request["inputs"];
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        nodes.push_back({numbered("in", i), "Input", {{"field", numbered("in", i)}}});
        edges.push_back({{numbered("in", i), ""}, {kNode, inputs[i].value("port", "")}});
    }
    const auto kind = request["kind"].get<std::string>();
    nodes.push_back({kNode, kind, request["params"]});
    const NodeKind* known = layerCatalog().find(kind);
    for (std::size_t port = 0; known != nullptr && port < known->outputs.size(); ++port) {
        nodes.push_back({numbered("out", port), "Identity"});
        edges.push_back({{kNode, known->outputs[port].name}, {nodes.back().id, ""}});
    }
    auto graph = buildGraph(std::move(nodes), std::move(edges));
    if (!graph)
        throw PlacedError(graph.error());
    return std::move(graph).value();
}

enum class Known { All, Ranks, Nothing }; ///< how much of the inputs the check is told

FieldTypes typesOf(const Json& request, Known known)
{
    FieldTypes types;
    types.known = known != Known::Nothing;
    const Json& inputs = request["inputs"];
    for (std::size_t i = 0; i < inputs.size() && types.known; ++i) {
        TensorType type;
        for (const Json& extent : inputs[i]["shape"])
            type.dims.push_back(known == Known::All ? extent.get<Extent>() : kUnknown);
        if (!type.dims.empty())
            type.dims.front() = kBatch;
        type.type = inputs[i].value("index", false) ? ElementType::Index : ElementType::Float;
        type.classes = inputs[i].value("classes", 0);
        types.fields[numbered("in", i)] = std::move(type);
    }
    return types;
}

/// Errors of the node or of the graph, but not that there is no loss.
Json problemsOf(const GraphCheck& check)
{
    Json texts = Json::array();
    for (const Problem& problem : check.problems)
        if (problem.severity == Severity::Error && problem.where != "network")
            texts.push_back(problem.where + ": " + problem.message + " (" + problem.hint + ")");
    return texts;
}

Json typesJson(const NodeCheck& node)
{
    Json types = Json::array();
    for (const auto& output : node.outputs)
        types.push_back(output ? Json(output->dims) : Json());
    return types;
}

Json tensorJson(const torch::Tensor& tensor)
{
    Json values = Json::array();
    const auto flat = tensor.detach().to(torch::kDouble).contiguous().view(-1);
    const auto* data = flat.data_ptr<double>();
    for (std::int64_t i = 0; i < flat.numel(); ++i)
        values.push_back(jsonNumber(data[i]));
    return {{"shape", tensor.sizes().vec()}, {"values", std::move(values)}};
}

torch::Tensor tensorOf(const Json& dumped, bool index)
{
    const auto shape = dumped["shape"].get<std::vector<std::int64_t>>();
    if (index)
        return torch::tensor(dumped["values"].get<std::vector<std::int64_t>>(), torch::kLong).view(shape);
    return torch::tensor(dumped["values"].get<std::vector<double>>(), torch::kDouble)
        .to(torch::kFloat)
        .view(shape);
}

/// Parameters and buffers of the node, in PyTorch's order within each module.
std::vector<std::pair<std::string, torch::Tensor>> stateOf(CompiledNetwork& network)
{
    std::vector<std::pair<std::string, torch::Tensor>> state;
    if (torch::nn::Module* module = network.module(kNode)) {
        for (const auto& named : module->named_parameters())
            state.emplace_back(named.key(), named.value());
        for (const auto& named : module->named_buffers())
            if (named.value().defined())
                state.emplace_back(named.key(), named.value());
    }
    return state;
}

Json stateJson(CompiledNetwork& network)
{
    Json json = Json::object();
    for (const auto& [name, tensor] : stateOf(network))
        json[name] = tensorJson(tensor);
    return json;
}

void loadState(CompiledNetwork& network, const Json& state)
{
    const torch::NoGradGuard noGrad;
    for (auto& [name, tensor] : stateOf(network))
        if (state.contains(name))
            tensor.copy_(tensorOf(state[name], !tensor.is_floating_point()));
}

/// Keeps what the Identity nodes see.
class Outputs : public NodeObserver {
public:
    explicit Outputs(const std::vector<NetworkNode>& nodes) : m_nodes(nodes) {}
    void afterNode(std::size_t node, const torch::Tensor& output) override
    {
        if (m_nodes[node].id.starts_with("out"))
            m_seen[m_nodes[node].id] = output;
    }
    [[nodiscard]] std::vector<torch::Tensor> inPortOrder() const
    {
        std::vector<torch::Tensor> outputs;
        for (std::size_t port = 0; port < m_seen.size(); ++port)
            outputs.push_back(m_seen.at(numbered("out", port)));
        return outputs;
    }

private:
    const std::vector<NetworkNode>& m_nodes;
    std::map<std::string, torch::Tensor> m_seen;
};

/// Differentiates Σ output·weight.
void differentiate(const std::vector<torch::Tensor>& outputs)
{
    torch::Tensor total;
    for (std::size_t port = 0; port < outputs.size(); ++port) {
        const torch::Tensor& output = outputs[port];
        if (!output.requires_grad())
            continue;
        const auto place = torch::arange(output.numel(), torch::kDouble);
        const auto weight = (place * 0.7 + 0.3 * static_cast<double>(port)).cos().to(torch::kFloat);
        const auto term = (output * weight.view(output.sizes())).sum();
        total = total.defined() ? total + term : term;
    }
    if (total.defined())
        total.backward();
}

Json gradientJson(const torch::Tensor& tensor)
{
    const auto gradient = tensor.grad();
    if (!gradient.defined())
        return {};
    return tensorJson(gradient.is_sparse() ? gradient.to_dense() : gradient);
}

void run(const Json& request, const Graph& graph, const GraphCheck& check, Json& answer)
{
    const auto seed = request.value("seed", std::uint64_t{1});
    torch::manual_seed(seed);
    auto compiled = CompiledNetwork::compile(graph, check);
    if (!compiled)
        throw PlacedError(compiled.error());
    CompiledNetwork network = std::move(compiled).value();
    answer["initial"] = stateJson(network);
    loadState(network, request.value("state", Json::object()));
    network.module().train(request.value("train", true));

    DataBatch batch;
    const Json& inputs = request["inputs"];
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const bool index = inputs[i].value("index", false);
        batch.fields[numbered("in", i)] = tensorOf(inputs[i], index).set_requires_grad(!index);
        batch.samples.resize(static_cast<std::size_t>(batch.fields[numbered("in", i)].size(0)));
    }
    Outputs seen(network.nodes());
    torch::manual_seed(seed + 1);
    const ForwardPass pass = network.forward(batch, &seen);
    const auto outputs = pass.loss.defined() ? std::vector{pass.loss} : seen.inPortOrder();
    differentiate(outputs);
    for (const torch::Tensor& output : outputs)
        answer["outputs"].push_back(tensorJson(output));
    for (std::size_t i = 0; i < inputs.size(); ++i)
        answer["input_gradients"].push_back(gradientJson(batch.fields[numbered("in", i)]));
    answer["gradients"] = Json::object();
    if (torch::nn::Module* module = network.module(kNode))
        for (const auto& named : module->named_parameters())
            answer["gradients"][named.key()] = gradientJson(named.value());
    answer["state"] = stateJson(network);
}

Json partlyKnown(const Json& request, const Graph& graph, Known known)
{
    const GraphCheck check = checkNetwork(graph, typesOf(request, known));
    return {{"problems", problemsOf(check)}, {"types", typesJson(check.nodes.at(kNode))}};
}

Json answerTo(const Json& request)
{
    Json answer = Json::object();
    try {
        const Graph graph = graphOf(request);
        const GraphCheck check = checkNetwork(graph, typesOf(request, Known::All));
        const NodeCheck& node = check.nodes.at(kNode);
        answer = {{"problems", problemsOf(check)}, {"types", typesJson(node)},     {"params", node.params},
                  {"parameters", node.parameters}, {"macs", node.macs},            {"state_names", Json::array()},
                  {"outputs", Json::array()},      {"input_gradients", Json::array()}};
        answer["unknown"] = partlyKnown(request, graph, Known::Ranks);
        answer["blind"] = partlyKnown(request, graph, Known::Nothing);
        const NodeKind* kind = layerCatalog().find(request["kind"].get<std::string>());
        if (kind != nullptr && kind->stateNames)
            answer["state_names"] = kind->stateNames(node.params);
        if (answer["problems"].empty())
            run(request, graph, check, answer);
    } catch (...) {
        answer["error"] = errorFromCurrentException("network").text();
    }
    return answer;
}

} // namespace

int main()
{
    torch::set_num_threads(1);
    std::string line;
    while (std::getline(std::cin, line))
        std::cout << answerTo(Json::parse(line)).dump(-1, ' ', false, Json::error_handler_t::replace)
                  << std::endl;
    return 0;
}
