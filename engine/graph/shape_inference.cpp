#include "engine/graph/shape_inference.h"

#include "engine/graph/groups.h"
#include "engine/graph/name_match.h"
#include "engine/graph/shape_rules.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace athanor {
namespace {

// No tensor is as long; everything beyond is a slip that would overflow the arithmetic of shapes.
constexpr Extent kLongest = std::numeric_limits<std::int32_t>::max();

const std::optional<TensorType> kNothing;

void fillIn(Json& params, const Json& inferred)
{
    for (const auto& [name, value] : inferred.items())
        if (!params.contains(name) || params[name].is_null())
            params[name] = value;
}

} // namespace

ShapeInference::ShapeInference(GraphStructure& structure, const FieldTypes& fields, bool sameFields,
                               const ScriptTyper& typer, GraphCheck& check)
    : m_structure(structure), m_fields(fields), m_sameFields(sameFields), m_typer(typer), m_check(check),
      m_done(structure.nodes().size(), false)
{}

void ShapeInference::run()
{
    m_structure.setStage(Stage::Shapes);
    for (const std::size_t index : m_structure.order()) {
        visit(index);
        m_done[index] = true;
    }
    m_structure.setStage(Stage::Around);
    // A node that came before the one whose weights it shares was typed without knowing their sizes.
    for (const std::size_t index : m_tooEarly) {
        collectInputs(m_structure.nodes()[index]);
        reportMisfits(index, ruleOf(index).problems);
    }
    addUp();
}

void ShapeInference::addUp()
{
    m_check.parameters = 0;
    m_check.macs = 0;
    for (const std::size_t index : m_structure.order()) {
        const NodeCheck& node = *m_structure.nodes()[index].check;
        m_check.parameters = sum({m_check.parameters, node.parameters});
        m_check.macs = sum({m_check.macs, node.macs});
    }
}

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

void ShapeInference::collectInputs(const NodeView& view)
{
    m_arriving.clear();
    for (std::size_t port = 0; port < view.inputs.size(); ++port) {
        const auto& edges = view.inputs[port];
        const bool many = view.kind->inputs[port].variadic;
        if (edges.empty() && !many)
            m_arriving.push_back({&kNothing, false});
        for (std::size_t i = 0; i < (many ? edges.size() : std::min<std::size_t>(edges.size(), 1)); ++i) {
            const InputEdge& edge = edges[i];
            const NodeCheck* source = m_done[edge.node] ? m_structure.nodes()[edge.node].check : nullptr; // a cycle
            const bool flows = source != nullptr && edge.port < source->outputs.size();
            m_arriving.push_back({flows ? &source->outputs[edge.port] : &kNothing, true});
        }
    }
}

bool ShapeInference::isKnown(const NodeView& view) const
{
    if (view.check == nullptr || view.sharedWith || (view.kind != nullptr && view.kind->isScript))
        return false;
    if (view.kind != nullptr && view.kind->family == NodeFamily::Input)
        return m_sameFields;
    return std::ranges::equal(view.seen, m_arriving, [](const SeenInput& seen, const Arriving& arriving) {
        return seen.connected == arriving.connected && seen.type == *arriving.type;
    });
}

// What is known of the sizes of a node's weights by now.
Json ShapeInference::paramsOf(std::size_t index) const
{
    const NodeView& view = m_structure.nodes()[index];
    Json params = view.params;
    if (m_done[index])
        fillIn(params, view.inferred);
    return params;
}

// What the rule of a node says, of the node whose weights it shares where it does.
ShapeResult ShapeInference::ruleOf(std::size_t index)
{
    const NodeView& view = m_structure.nodes()[index];
    const NodeView& layer = view.sharedWith ? m_structure.nodes()[*view.sharedWith] : view;
    ShapeContext context{{}, view.sharedWith ? paramsOf(*view.sharedWith) : view.params};
    if (view.kind->family == NodeFamily::Input) {
        context.inputs.push_back(fieldType(index));
    } else {
        for (const Arriving& arriving : m_arriving) {
            context.inputs.push_back(*arriving.type);
            context.connected.push_back(arriving.connected);
        }
    }
    ShapeResult result = layer.kind->shapeRule(context);
    return layer.kind->isScript && m_typer ? m_typer(*layer.kind, context, std::move(result)) : result;
}

void ShapeInference::visit(std::size_t index)
{
    NodeView& view = m_structure.nodes()[index];
    collectInputs(view);
    if (isKnown(view))
        return;
    view.problems[static_cast<std::size_t>(Stage::Shapes)].clear();
    view.check = &m_check.nodes[view.node.id];
    *view.check = {};
    view.seen.clear();
    for (const Arriving& arriving : m_arriving)
        view.seen.push_back({*arriving.type, arriving.connected});
    if (view.kind == nullptr) {
        view.check->params = view.node.params;
        return;
    }
    ShapeResult result = ruleOf(index);
    if (view.sharedWith) {
        result.parameters = 0; // counted with the owner
        result.inferred = Json::object();
        if (!m_done[*view.sharedWith])
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
                               "does not fit the weights of '" + ownerOf(view.node) + "': " + problem.message,
                               "give it an input of the same shape");
}

void ShapeInference::limitExtents(std::size_t index, ShapeResult& result)
{
    for (auto& output : result.outputs)
        if (output)
            for (Extent& extent : output->dims)
                if (extent > kLongest) {
                    m_structure.addProblem(index, {}, Severity::Error,
                                           "the output would be " + output->text() + ", which no memory holds");
                    extent = kUnknown;
                }
}

void ShapeInference::finish(std::size_t index, ShapeResult result)
{
    limitExtents(index, result);
    for (ShapeProblem& problem : result.problems)
        m_structure.addProblem(index, std::move(problem.parameter), Severity::Error, std::move(problem.message),
                               std::move(problem.hint));
    NodeView& view = m_structure.nodes()[index];
    NodeCheck& node = *view.check;
    node.params = view.paramsAreSound ? view.params : completeParams(*view.kind, view.node.params);
    fillIn(node.params, result.inferred);
    view.inferred = std::move(result.inferred);
    node.parameters = result.parameters;
    node.macs = result.macs;
    node.outputs = std::move(result.outputs);
    node.outputs.resize(view.kind->outputs.size());
}

} // namespace athanor
