#include "engine/graph/graph_checker.h"

#include "engine/graph/flat_graph.h"
#include "engine/graph/groups.h"
#include "engine/graph/shape_inference.h"
#include "engine/graph/shape_rules.h"

#include <algorithm>
#include <utility>

namespace athanor {
namespace {

void checkEnds(GraphStructure& structure)
{
    structure.setStage(Stage::Ends);
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
        if (!reaches[i] && nodes[i].node.kind != kGroupOutputKind) // an output may stay unused
            structure.addProblem(i, {}, Severity::Warning, "leads to no loss, so it learns nothing",
                                 "connect it, or remove it");
}

// What a group shows to its surroundings: the sums of its members, and what leaves it.
std::map<NodeId, NodeCheck> instancesOf(const FlatGraph& flat, const GraphCheck& check)
{
    std::map<NodeId, NodeCheck> instances;
    for (const auto& [id, instance] : flat.instances) {
        NodeCheck& node = instances[id];
        const bool shared = instance.params.contains("of");
        node.params = completeParams(*layerCatalog().find(shared ? kSharedKind : kGroupKind), instance.params);
        for (const NodeId& output : instance.outputs) {
            const auto member = check.nodes.find(output);
            const bool isTyped = member != check.nodes.end() && !member->second.outputs.empty();
            node.outputs.push_back(isTyped ? member->second.outputs.front() : std::nullopt);
        }
    }
    for (const auto& [id, member] : check.nodes)
        for (auto slash = id.find('/'); slash != std::string::npos; slash = id.find('/', slash + 1))
            if (const auto instance = instances.find(id.substr(0, slash)); instance != instances.end()) {
                instance->second.parameters = sum({instance->second.parameters, member.parameters});
                instance->second.macs = sum({instance->second.macs, member.macs});
            }
    return instances;
}

} // namespace

GraphChecker::GraphChecker() = default;
GraphChecker::~GraphChecker() = default;

void GraphChecker::checkFlat(const Graph& network, const FieldTypes& fields, const ScriptTyper& typer)
{
    // Out of the way while it changes: after an exception nothing half done may be taken for known.
    auto structure = std::move(m_structure);
    bool sameFields = structure != nullptr && m_fields.known == fields.known && m_fields.fields == fields.fields;
    if (structure == nullptr) {
        m_check.nodes.clear();
        structure = std::make_unique<GraphStructure>(layerCatalog(), dataCatalog(), "network");
    }
    const bool rewired = structure->update(network);
    for (const NodeId& id : structure->gone())
        m_check.nodes.erase(id);
    ShapeInference(*structure, fields, sameFields, typer, m_check).run();
    warnOfImagesIntoLinear(*structure);
    if (rewired)
        checkEnds(*structure);
    m_check.problems = structure->problems();
    m_fields = fields;
    m_structure = std::move(structure);
}

const GraphCheck& GraphChecker::check(const Graph& network, const FieldTypes& fields, const ScriptTyper& typer)
{
    for (const NodeId& id : std::exchange(m_instances, {}))
        m_check.nodes.erase(id);
    if (!hasGroups(network)) {
        checkFlat(network, fields, typer);
        return m_check;
    }
    FlatGraph flat = flattened(network);
    checkFlat(flat.graph, fields, typer);
    auto instances = instancesOf(flat, m_check);
    for (const auto& [id, node] : instances)
        if (!m_check.nodes.contains(id))
            m_instances.push_back(id);
    m_check.nodes.merge(instances);
    std::ranges::move(m_check.problems, std::back_inserter(flat.problems));
    m_check.problems = std::move(flat.problems);
    return m_check;
}

GraphCheck GraphChecker::take() &&
{
    m_structure.reset();
    return std::move(m_check);
}

} // namespace athanor
