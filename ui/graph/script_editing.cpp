#include "ui/graph/script_editing.h"

#include "engine/graph/resolved_kind.h"
#include "ui/script/script_dialog.h"

#include <algorithm>
#include <set>

namespace athanor {
namespace {

std::string firstPortName(const std::vector<PortSpec>& ports, const std::string& written)
{
    return written.empty() && !ports.empty() ? ports.front().name : written;
}

/// What enters the node, by port, as far as the last check knows.
ScriptInputs inputsOf(const ProjectDocument& document, const Node& node)
{
    const Graph& graph = document.graph(GraphPart::Network);
    const auto& checks = document.shownNodes();
    const KindPtr kind = resolveKind(graph, node, layerCatalog());
    ScriptInputs inputs;
    for (const Edge& edge : graph.incoming(node.id)) {
        const Node* source = graph.find(edge.from.node);
        const KindPtr from = source ? resolveKind(graph, *source, layerCatalog()) : nullptr;
        const auto known = checks.find(edge.from.node);
        std::optional<TensorType> type;
        if (from && known != checks.end()) {
            const std::string port = firstPortName(from->outputs, edge.from.port);
            const auto found = std::find_if(from->outputs.begin(), from->outputs.end(),
                                            [&](const PortSpec& one) { return one.name == port; });
            const auto index = static_cast<std::size_t>(found - from->outputs.begin());
            if (index < known->second.outputs.size()) {
                type = known->second.outputs[index];
            }
        }
        inputs[kind ? firstPortName(kind->inputs, edge.to.port) : edge.to.port] = type;
    }
    return inputs;
}

/// Every parameter that the draft writes, changes or takes away, as one edit.
GraphEdit changesOf(const NodeId& id, const Json& before, const Json& after)
{
    edit::Sequence sequence;
    for (const auto& [name, value] : after.items()) {
        if (!before.contains(name) || before.at(name) != value) {
            sequence.edits.push_back(GraphEdit{edit::SetParameter{id, name, value}});
        }
    }
    for (const auto& [name, value] : before.items()) {
        if (!after.contains(name)) {
            sequence.edits.push_back(GraphEdit{edit::SetParameter{id, name, std::nullopt}});
        }
    }
    return GraphEdit{std::move(sequence)};
}

} // namespace

void editSource(ProjectDocument& document, GraphPart part, const NodeId& node, const Theme& theme, QWidget* parent)
{
    static const std::set<std::string> kEdited{"Script", "ScriptLoss", "Lambda", "Collate"};
    const Node* shown = document.graph(part).find(node);
    if (!shown || !kEdited.contains(shown->kind)) {
        return;
    }
    const QString name = QString::fromStdString(node);
    auto* dialog =
        new ScriptDialog(name, {shown->kind, shown->params},
                         part == GraphPart::Network ? inputsOf(document, *shown) : ScriptInputs(), theme, parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    QObject::connect(dialog, &QDialog::accepted, &document, [&document, part, node, name, dialog] {
        const Node* edited = document.graph(part).find(node);
        if (!edited || !dialog->isChanged()) {
            return;
        }
        document.endMerge();
        const GraphEdit change = changesOf(node, edited->params, dialog->draft().params);
        const Status done =
            document.push(part, change, ScriptDialog::tr("Edit the source of %1").arg(name));
        Q_UNUSED(done) // parameters of a node that is there can always be set
    });
    dialog->open();
}

} // namespace athanor
