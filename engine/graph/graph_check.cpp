#include "engine/graph/graph_check.h"

#include "engine/graph/graph_structure.h"
#include "engine/graph/name_match.h"
#include "engine/graph/shape_rules.h"

#include <algorithm>
#include <limits>

namespace athanor {
namespace {

// No tensor is as long; everything beyond is a slip that would overflow the arithmetic of shapes.
constexpr Extent kLongest = std::numeric_limits<std::int32_t>::max();

// Infers shapes node by node.
class ShapeInference {
public:
    ShapeInference(GraphStructure& structure, const FieldTypes& fields, GraphCheck& check)
        : m_structure(structure), m_fields(fields), m_check(check), m_outputs(structure.nodes().size())
    {}
    void run()
    {
        for (const std::size_t index : m_structure.order())
            visit(index);
    }

private:
    void visit(std::size_t index);
    std::vector<std::optional<TensorType>> inputsOf(std::size_t index);
    std::optional<TensorType> fieldType(std::size_t index);

    GraphStructure& m_structure;
    const FieldTypes& m_fields;
    GraphCheck& m_check;
    std::vector<std::vector<std::optional<TensorType>>> m_outputs;
};

std::optional<TensorType> ShapeInference::fieldType(std::size_t index)
{
    const Json& params = m_structure.nodes()[index].params;
    const auto name = params.find("field");
    if (name == params.end() || !name->is_string())
        return std::nullopt;
    const auto field = name->get<std::string>();
    const auto it = m_fields.fields.find(field);
    if (it != m_fields.fields.end())
        return it->second;
    if (m_fields.known) {
        std::vector<std::string> names;
        std::string all;
        for (const auto& [known, type] : m_fields.fields) {
            names.push_back(known);
            all += (all.empty() ? "" : ", ") + known;
        }
        const std::string near = didYouMean(field, names);
        m_structure.addProblem(index, "field", Severity::Error, "the data has no field '" + field + "'",
                               !near.empty() ? near
                               : all.empty() ? std::string()
                                             : "its fields are " + all);
    }
    return std::nullopt;
}

std::vector<std::optional<TensorType>> ShapeInference::inputsOf(std::size_t index)
{
    const NodeView& view = m_structure.nodes()[index];
    if (view.kind->family == NodeFamily::Input)
        return {fieldType(index)};
    std::vector<std::optional<TensorType>> inputs;
    for (std::size_t port = 0; port < view.inputs.size(); ++port) {
        const auto& edges = view.inputs[port];
        const bool many = view.kind->inputs[port].variadic;
        if (edges.empty() && !many)
            inputs.emplace_back();
        for (std::size_t i = 0; i < (many ? edges.size() : std::min<std::size_t>(edges.size(), 1)); ++i) {
            const auto& outputs = m_outputs[edges[i].node]; // empty before its turn: only on a cycle
            inputs.push_back(edges[i].port < outputs.size() ? outputs[edges[i].port] : std::nullopt);
        }
    }
    return inputs;
}

void ShapeInference::visit(std::size_t index)
{
    NodeView& view = m_structure.nodes()[index];
    NodeCheck& node = m_check.nodes[view.node->id];
    if (view.kind == nullptr) {
        node.params = view.node->params;
        return;
    }
    ShapeContext context{inputsOf(index), std::move(view.params)};
    ShapeResult result = view.kind->shapeRule(context);
    node.params =
        view.paramsAreSound ? std::move(context.params) : completeParams(*view.kind, view.node->params);
    for (auto& output : result.outputs)
        if (output)
            for (Extent& extent : output->dims)
                if (extent > kLongest) {
                    m_structure.addProblem(index, {}, Severity::Error,
                                           "the output would be " + output->text() +
                                               ", which no memory holds");
                    extent = kUnknown;
                }
    for (ShapeProblem& problem : result.problems)
        m_structure.addProblem(index, std::move(problem.parameter), Severity::Error,
                               std::move(problem.message), std::move(problem.hint));
    for (auto& [name, value] : result.inferred.items())
        if (!node.params.contains(name) || node.params[name].is_null())
            node.params[name] = value;
    node.parameters = result.parameters;
    node.macs = result.macs;
    m_check.parameters = sum({m_check.parameters, node.parameters});
    m_check.macs = sum({m_check.macs, node.macs});
    node.outputs = result.outputs;
    node.outputs.resize(view.kind->outputs.size());
    m_outputs[index] = node.outputs;
}

void checkEnds(GraphStructure& structure)
{
    std::vector<std::size_t> losses;
    auto& nodes = structure.nodes();
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (nodes[i].kind != nullptr && nodes[i].kind->isLoss())
            losses.push_back(i);
    if (losses.empty()) {
        structure.addProblem(Severity::Error, "the network has no loss, so there is nothing to train for",
                             "end it in a loss, such as CrossEntropyLoss or MSELoss");
        return;
    }
    const std::vector<bool> reaches = structure.reaching(losses);
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (!reaches[i])
            structure.addProblem(i, {}, Severity::Warning, "leads to no loss, so it learns nothing",
                                 "connect it, or remove it");
}

} // namespace

std::string_view severityName(Severity severity)
{
    switch (severity) {
    case Severity::Info:
        return "info";
    case Severity::Warning:
        return "warning";
    case Severity::Error:
        return "error";
    }
    return "error";
}

Json problemJson(const Problem& problem)
{
    return {{"where", problem.where},
            {"severity", severityName(problem.severity)},
            {"message", problem.message},
            {"hint", problem.hint}};
}

bool GraphCheck::ok() const
{
    return std::none_of(problems.begin(), problems.end(),
                        [](const Problem& problem) { return problem.severity == Severity::Error; });
}

GraphCheck checkNetwork(const Graph& network, const FieldTypes& fields)
{
    GraphCheck check;
    GraphStructure structure(network, layerCatalog(), dataCatalog(), "network");
    ShapeInference(structure, fields, check).run();
    checkEnds(structure);
    check.problems = structure.takeProblems();
    return check;
}

} // namespace athanor
