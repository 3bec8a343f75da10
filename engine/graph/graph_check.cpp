#include "engine/graph/graph_check.h"

#include "engine/graph/flat_graph.h"
#include "engine/graph/graph_structure.h"
#include "engine/graph/groups.h"
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
    ShapeInference(GraphStructure& structure, const FieldTypes& fields, const ScriptTyper& typer,
                   GraphCheck& check)
        : m_structure(structure), m_fields(fields), m_typer(typer), m_check(check),
          m_outputs(structure.nodes().size())
    {}
    void run()
    {
        for (const std::size_t index : m_structure.order())
            visit(index);
        // A node that came before the one whose weights it shares was typed without knowing their sizes.
        for (const std::size_t index : m_tooEarly)
            reportMisfits(index, ruleOf(index).problems);
    }

private:
    void visit(std::size_t index);
    ShapeResult ruleOf(std::size_t index);
    void reportMisfits(std::size_t index, std::vector<ShapeProblem> problems);
    void finish(std::size_t index, ShapeResult result);
    std::vector<std::optional<TensorType>> inputsOf(std::size_t index);
    std::vector<bool> connectedOf(const NodeView& view);
    std::optional<TensorType> fieldType(std::size_t index);

    GraphStructure& m_structure;
    const FieldTypes& m_fields;
    const ScriptTyper& m_typer;
    GraphCheck& m_check;
    std::vector<std::vector<std::optional<TensorType>>> m_outputs;
    std::vector<std::size_t> m_tooEarly; // shared nodes visited before their owners
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

// As long as inputsOf.
std::vector<bool> ShapeInference::connectedOf(const NodeView& view)
{
    std::vector<bool> connected;
    for (std::size_t port = 0; port < view.inputs.size(); ++port) {
        const std::size_t edges = view.inputs[port].size();
        if (view.kind->inputs[port].variadic)
            connected.insert(connected.end(), edges, true);
        else
            connected.push_back(edges > 0);
    }
    return connected;
}

// What the rule of a node says, of the node whose weights it shares where it does.
ShapeResult ShapeInference::ruleOf(std::size_t index)
{
    const NodeView& view = m_structure.nodes()[index];
    const NodeView& layer = view.sharedWith ? m_structure.nodes()[*view.sharedWith] : view;
    const ShapeContext context{inputsOf(index), layer.params, connectedOf(view)};
    ShapeResult result = layer.kind->shapeRule(context);
    return layer.kind->isScript && m_typer ? m_typer(*layer.kind, context, std::move(result)) : result;
}

void ShapeInference::visit(std::size_t index)
{
    NodeView& view = m_structure.nodes()[index];
    NodeCheck& node = m_check.nodes[view.node->id];
    if (view.kind == nullptr) {
        node.params = view.node->params;
        return;
    }
    ShapeResult result = ruleOf(index);
    node.params = view.paramsAreSound ? view.params : completeParams(*view.kind, view.node->params);
    if (view.sharedWith) {
        result.parameters = 0; // counted with the owner
        result.inferred = Json::object();
        if (m_outputs[*view.sharedWith].empty())
            m_tooEarly.push_back(index);
        reportMisfits(index, std::exchange(result.problems, {}));
    }
    finish(index, std::move(result));
}

// Of a shared node: the parameters that its input does not fit to are the owner's.
void ShapeInference::reportMisfits(std::size_t index, std::vector<ShapeProblem> problems)
{
    const NodeView& view = m_structure.nodes()[index];
    for (ShapeProblem& problem : problems)
        m_structure.addProblem(index, {}, Severity::Error,
                               "does not fit the weights of '" + ownerOf(*view.node) + "': " + problem.message,
                               "give it an input of the same shape");
}

void ShapeInference::finish(std::size_t index, ShapeResult result)
{
    NodeView& view = m_structure.nodes()[index];
    NodeCheck& node = m_check.nodes[view.node->id];
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
        for (Json* params : {&node.params, &view.params})
            if (!params->contains(name) || (*params)[name].is_null())
                (*params)[name] = value;
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
        if (!reaches[i] && nodes[i].node->kind != kGroupOutputKind) // an output may stay unused
            structure.addProblem(i, {}, Severity::Warning, "leads to no loss, so it learns nothing",
                                 "connect it, or remove it");
}

GraphCheck checkFlat(const Graph& network, const FieldTypes& fields, const ScriptTyper& typer)
{
    GraphCheck check;
    GraphStructure structure(network, layerCatalog(), dataCatalog(), "network");
    ShapeInference(structure, fields, typer, check).run();
    warnOfImagesIntoLinear(structure, check.nodes);
    checkEnds(structure);
    check.problems = structure.takeProblems();
    return check;
}

// What a group shows to its surroundings: the sums of its members, and what leaves it.
void addInstances(const FlatGraph& flat, GraphCheck& check)
{
    std::map<NodeId, NodeCheck> instances;
    for (const auto& [id, instance] : flat.instances) {
        NodeCheck& node = instances[id];
        const bool shared = instance.params.contains("of");
        node.params = completeParams(*layerCatalog().find(shared ? kSharedKind : kGroupKind), instance.params);
        for (const NodeId& output : instance.outputs) {
            const auto& types = check.nodes[output].outputs;
            node.outputs.push_back(types.empty() ? std::nullopt : types.front());
        }
    }
    for (const auto& [id, member] : check.nodes)
        for (auto slash = id.find('/'); slash != std::string::npos; slash = id.find('/', slash + 1))
            if (const auto instance = instances.find(id.substr(0, slash)); instance != instances.end()) {
                instance->second.parameters = sum({instance->second.parameters, member.parameters});
                instance->second.macs = sum({instance->second.macs, member.macs});
            }
    check.nodes.merge(instances);
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
    Json fixes = Json::array();
    for (const SuggestedFix& fix : problem.fixes)
        fixes.push_back(fixJson(fix));
    return {{"where", problem.where},
            {"severity", severityName(problem.severity)},
            {"message", problem.message},
            {"hint", problem.hint},
            {"fixes", std::move(fixes)}};
}

bool GraphCheck::ok() const
{
    return std::none_of(problems.begin(), problems.end(),
                        [](const Problem& problem) { return problem.severity == Severity::Error; });
}

GraphCheck checkNetwork(const Graph& network, const FieldTypes& fields, const ScriptTyper& typer)
{
    if (!hasGroups(network))
        return checkFlat(network, fields, typer);
    FlatGraph flat = flattened(network);
    GraphCheck check = checkFlat(flat.graph, fields, typer);
    addInstances(flat, check);
    std::ranges::move(check.problems, std::back_inserter(flat.problems));
    check.problems = std::move(flat.problems);
    return check;
}

} // namespace athanor
