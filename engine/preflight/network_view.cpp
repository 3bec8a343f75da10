#include "engine/preflight/network_view.h"

#include "engine/graph/flat_graph.h"
#include "engine/graph/resolved_kind.h"

#include <algorithm>

namespace athanor {
namespace {

class NetworkReader {
public:
    NetworkReader(const Project& project, const FieldTypes& fields)
        : m_fields(fields), m_graph(flattened(project.network).graph),
          m_check(checkNetwork(project.network, fields))
    {}

    NetworkView read()
    {
        for (const Node& node : m_graph.nodes()) {
            if (node.kind == "Input")
                readInput(node);
            else if (node.kind.starts_with("BatchNorm"))
                readBatchNorm(node);
        }
        if (m_view.inputs.empty() && m_view.targets.empty())
            goByNames();
        return std::move(m_view);
    }

private:
    void readInput(const Node& node)
    {
        const std::string field = node.params.value("field", std::string());
        if (field.empty())
            return;
        bool isNormalized = false;
        for (const Edge& edge : m_graph.outgoing(node.id)) {
            const Node* next = m_graph.find(edge.to.node);
            const KindPtr kind = next != nullptr ? resolveFlatKind(m_graph, *next, layerCatalog()) : nullptr;
            if (kind != nullptr && kind->isLoss() && isTargetPort(*kind, edge.to.port)) {
                m_view.targets[field] = useOf(*next);
                continue;
            }
            m_view.inputs.insert(field);
            isNormalized = isNormalized || meetsNormalization(edge.to.node);
        }
        if (isNormalized)
            m_view.normalized.insert(field);
    }

    /// Without a network, what fields are for is told by the names that sources give them.
    void goByNames()
    {
        for (const auto& [name, type] : m_fields.fields) {
            if (name == "label" || name == "labels" || name == "target" || name == "boxes")
                m_view.targets[name] = {};
            else
                m_view.inputs.insert(name);
        }
    }

    static bool isTargetPort(const NodeKind& kind, const std::string& port)
    {
        const auto found = std::ranges::find(kind.inputs, port, &PortSpec::name);
        return found != kind.inputs.end() && found->isTarget;
    }

    TargetUse useOf(const Node& loss)
    {
        TargetUse use{loss.id, loss.kind, 0, false};
        const auto weight = loss.params.find("class_weight");
        use.weighted = weight != loss.params.end() && !weight->is_null();
        if (loss.kind != "CrossEntropyLoss" && loss.kind != "NLLLoss")
            return use;
        for (const Edge& edge : m_graph.incoming(loss.id)) {
            const Node* from = m_graph.find(edge.from.node);
            if (from == nullptr || from->kind == "Input")
                continue;
            const auto found = m_check.nodes.find(from->id);
            if (found == m_check.nodes.end() || found->second.outputs.empty() ||
                !found->second.outputs.front())
                continue;
            const TensorType& type = *found->second.outputs.front();
            if (type.rank() >= 2 && type.dims[1] > 1)
                use.classes = type.dims[1];
        }
        return use;
    }

    /// Whether a normalizing or embedding layer comes before any other that computes.
    bool meetsNormalization(NodeId id) const
    {
        while (true) {
            const Node* node = m_graph.find(id);
            const KindPtr kind = node != nullptr ? resolveFlatKind(m_graph, *node, layerCatalog()) : nullptr;
            if (kind == nullptr)
                return false;
            if (kind->family == NodeFamily::Normalization || kind->family == NodeFamily::Embedding)
                return true;
            const bool passesOn = kind->family == NodeFamily::Shape || kind->family == NodeFamily::Group;
            const std::vector<Edge> next = m_graph.outgoing(id);
            if (!passesOn || next.empty())
                return false;
            id = next.front().to.node;
        }
    }

    void readBatchNorm(const Node& node)
    {
        m_view.batchNorms.push_back(node.id);
        const auto found = m_check.nodes.find(node.id);
        if (found == m_check.nodes.end() || found->second.outputs.empty() || !found->second.outputs.front())
            return;
        const auto& dims = found->second.outputs.front()->dims;
        if (std::all_of(dims.begin() + std::min<std::ptrdiff_t>(2, static_cast<std::ptrdiff_t>(dims.size())),
                        dims.end(), [](Extent extent) { return extent == 1; }))
            m_view.needTwo.push_back(node.id);
    }

    const FieldTypes& m_fields;
    Graph m_graph;
    GraphCheck m_check;
    NetworkView m_view;
};

} // namespace

NetworkView viewNetwork(const Project& project, const FieldTypes& fields)
{
    return NetworkReader(project, fields).read();
}

} // namespace athanor
