#include "ui/graph/node_search.h"

#include "ui/graph/node_text.h"

#include <algorithm>

namespace athanor {
namespace {

QString shapesOf(const ProjectDocument& document, GraphPart part, const NodeId& id)
{
    const auto& nodes = document.shownNodes();
    const auto known = nodes.find(id);
    QString text;
    if (part == GraphPart::Network && known != nodes.end()) {
        for (const auto& type : known->second.outputs) {
            text += edgeShapeText(type) + u' ' + typeText(type) + u' ';
        }
    }
    return text;
}

} // namespace

std::vector<NodeId> searchNodes(const ProjectDocument& document, GraphPart part, const QString& typed)
{
    const QString text = typed.trimmed();
    if (text.isEmpty()) {
        return {};
    }
    QString shape = text;
    shape.replace(u'x', QChar(0x00D7), Qt::CaseInsensitive);
    std::vector<NodeId> found;
    for (const Node& node : document.graph(part).nodes()) {
        const NodeKind* kind = catalogOf(part).find(node.kind);
        const QString words = QString::fromStdString(node.id + '\n' + node.kind + '\n' + (kind ? kind->title : ""));
        if (words.contains(text, Qt::CaseInsensitive) || shapesOf(document, part, node.id).contains(shape)) {
            found.push_back(node.id);
        }
    }
    std::stable_partition(found.begin(), found.end(), [&](const NodeId& id) {
        return QString::fromStdString(id).startsWith(text, Qt::CaseInsensitive);
    });
    return found;
}

} // namespace athanor
