#include "ui/graph/node_looks.h"

#include "engine/graph/groups.h"
#include "engine/graph/name_match.h"
#include "ui/bridge/text_format.h"
#include "ui/graph/node_text.h"

#include <QCoreApplication>

#include <algorithm>

namespace athanor {
namespace {

struct Canvas {
    Q_DECLARE_TR_FUNCTIONS(athanor::Canvas)
};

} // namespace

bool freezes(const std::string& pattern, const NodeId& node)
{
    std::string state = node;
    std::replace(state.begin(), state.end(), '/', '.');
    return matchesGlob(pattern, state + ".weight") || matchesGlob(pattern, state);
}

QString wrappedToolTip(const QString& plain)
{
    return QStringLiteral("<qt>") + plain.toHtmlEscaped().replace(u'\n', QStringLiteral("<br>")) +
           QStringLiteral("</qt>");
}

NodeLooks::NodeLooks(const ProjectDocument& document, GraphPart part)
    : m_document(document), m_part(part),
      m_problems(problemsByNode(document.shownProblems(), part, document.graph(part)))
{
    for (const Node& node : document.graph(part).nodes()) {
        m_nodes[node.id] = &node;
    }
}

const NodeCheck* NodeLooks::check(const NodeId& id) const
{
    const auto& nodes = m_document.shownNodes();
    const auto found = nodes.find(id);
    return m_part == GraphPart::Network && found != nodes.end() ? &found->second : nullptr;
}

bool NodeLooks::isFrozen(const Node& node) const
{
    const NodeCheck* known = check(node.id);
    const auto& patterns = m_document.project().training.freeze;
    return known && known->parameters > 0 &&
           std::any_of(patterns.begin(), patterns.end(), [&](const auto& pattern) { return freezes(pattern, flatName(node.id)); });
}

/// As its weights are named.
NodeId NodeLooks::flatName(const NodeId& id) const
{
    return m_part == GraphPart::Network ? m_document.place().prefix + id : id;
}

KindPtr NodeLooks::kindOf(const Node& node) const
{
    return resolveKind(m_document.graph(m_part), node, catalogOf(m_part));
}

const Node* NodeLooks::ownerNode(const Node& shared) const
{
    const auto found = m_nodes.find(ownerOf(shared));
    return found == m_nodes.end() ? nullptr : found->second;
}

NodeLook NodeLooks::node(const Node& node) const
{
    const KindPtr kind = kindOf(node);
    NodeLook look;
    look.name = QString::fromStdString(node.id);
    look.kindLine = kindLine(kind.get(), node);
    look.family = familyRole(kind ? kind->family : NodeFamily::Unknown);
    if (const auto problems = m_problems.find(node.id); problems != m_problems.end()) {
        look.badge = worstSeverity(problems->second);
    }
    look.frozen = isFrozen(node);
    const Node* owner = isShared(node) ? ownerNode(node) : nullptr;
    look.isShared = isShared(node);
    look.isGroup = isGroup(owner ? *owner : node);
    look.toolTip = wrappedToolTip(nodeToolTip(node, kind.get()));
    return look;
}

QString NodeLooks::nodeToolTip(const Node& node, const NodeKind* kind) const
{
    QStringList lines;
    lines << QString::fromStdString(node.id) + QStringLiteral(" – ") +
                 QString::fromStdString(kind ? kind->title : node.kind);
    if (const NodeCheck* known = check(node.id)) {
        for (const auto& type : known->outputs) {
            lines << Canvas::tr("Output: %1").arg(typeText(type));
        }
        if (known->parameters > 0) {
            lines << Canvas::tr("Parameters: %1").arg(countText(known->parameters));
        }
    }
    if (isFrozen(node)) {
        lines << Canvas::tr("Frozen: its weights do not change.");
    }
    if (const auto problems = m_problems.find(node.id); problems != m_problems.end()) {
        for (const NodeProblem& entry : problems->second) {
            lines << QString() << problemText(entry.problem);
        }
    }
    return lines.join(u'\n');
}

/// The error that the tensor on an edge runs into at its target: one of the port, of a parameter that
/// follows from the incoming shape, or of the node as a whole (which is where shape rules report).
const Problem* NodeLooks::reason(const Edge& edge) const
{
    const auto problems = m_problems.find(edge.to.node);
    const auto target = m_nodes.find(edge.to.node);
    const KindPtr kind = target == m_nodes.end() ? nullptr : kindOf(*target->second);
    if (problems == m_problems.end() || !kind) {
        return nullptr;
    }
    const std::string firstPort = kind->inputs.empty() ? std::string() : kind->inputs.front().name;
    const std::string port = edge.to.port.empty() ? firstPort : edge.to.port;
    for (const NodeProblem& entry : problems->second) {
        const ParamSpec* spec = kind->param(entry.detail);
        const bool concerned = entry.detail.empty() || entry.detail == port || (spec && spec->inferred);
        if (entry.problem.severity == Severity::Error && concerned) {
            return &entry.problem;
        }
    }
    return nullptr;
}

EdgeLook NodeLooks::edge(const Edge& edge) const
{
    EdgeLook look;
    QString tip = QString::fromStdString(edge.from.text()) + QStringLiteral(" → ") + QString::fromStdString(edge.to.text());
    const auto source = m_nodes.find(edge.from.node);
    const NodeCheck* known = check(edge.from.node);
    if (known && source != m_nodes.end()) {
        const int index = outputIndex(kindOf(*source->second).get(), edge.from.port);
        if (index >= 0 && static_cast<std::size_t>(index) < known->outputs.size()) {
            const auto& type = known->outputs[static_cast<std::size_t>(index)];
            look.shape = edgeShapeText(type);
            tip += u'\n' + typeText(type);
        }
    }
    if (const Problem* problem = reason(edge)) {
        look.bad = true;
        tip += QStringLiteral("\n\n") + problemText(*problem);
    }
    look.toolTip = wrappedToolTip(tip);
    return look;
}

} // namespace athanor
