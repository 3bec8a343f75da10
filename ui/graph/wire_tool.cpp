#include "ui/graph/wire_tool.h"

#include "engine/graph/resolved_kind.h"
#include "ui/graph/edge_item.h"
#include "ui/graph/graph_scene.h"
#include "ui/graph/node_text.h"

#include <QGraphicsPathItem>
#include <QPen>

#include <algorithm>
#include <utility>

namespace athanor {
namespace {

constexpr double kEndShare = 0.3;  ///< of an edge's length: this near to an end, the end is meant
constexpr double kTremble = 6;     ///< scene units that a click may wander

QString portText(const PortRef& port)
{
    return QString::fromStdString(port.text());
}

} // namespace

WireTool::WireTool(GraphScene& scene, CanvasEditor& editor) : m_scene(scene), m_editor(editor) {}

bool WireTool::press(const QPointF& point, double reach)
{
    if (isActive()) {
        return true;
    }
    m_byKeys = false;
    m_dragged = false;
    m_pressed = point;
    return pressPort(point, reach) || pressEdge(point);
}

/// An input that an edge holds gives that edge's end into the hand; everything else begins a new wire.
bool WireTool::pressPort(const QPointF& point, double reach)
{
    const NodeItem* node = m_scene.nodeWithPortAt(point, reach);
    const auto port = node ? node->portAt(point, reach) : std::nullopt;
    if (!port) {
        return false;
    }
    const PortRef end{node->id(), node->portName(*port)};
    if (port->side == PortSide::Output) {
        hold({end, true}, std::nullopt);
    } else if (const EdgeItem* edge = m_scene.edgeInto(node->id(), port->place)) {
        hold({edge->edge().from, true}, edge->edge());
    } else {
        hold({end, false}, std::nullopt);
    }
    return true;
}

bool WireTool::pressEdge(const QPointF& point)
{
    const EdgeItem* edge = m_scene.edgeAt(point);
    if (!edge) {
        return false;
    }
    const double toStart = QLineF(point, edge->start()).length();
    const double toEnd = QLineF(point, edge->end()).length();
    const double share = std::min(toStart, toEnd) / std::max(1.0, QLineF(edge->start(), edge->end()).length());
    if (share > kEndShare) {
        return false;
    }
    const bool endIsMeant = toEnd < toStart;
    hold(endIsMeant ? WireEnd{edge->edge().from, true} : WireEnd{edge->edge().to, false}, edge->edge());
    return true;
}

void WireTool::hold(WireEnd held, std::optional<Edge> lifted)
{
    m_held = std::move(held);
    m_lifted = std::move(lifted);
    m_target.reset();
}

void WireTool::move(const QPointF& point, double reach)
{
    if (!isActive()) {
        return;
    }
    if (!m_dragged && QLineF(point, m_pressed).length() < kTremble) {
        return;
    }
    m_dragged = true;
    if (EdgeItem* edge = m_lifted ? m_scene.edgeItem(*m_lifted) : nullptr) {
        edge->setLifted(true);
    }
    setTarget(targetAt(point, reach));
    const NodeItem* node = m_target ? m_scene.nodeItem(m_target->node) : nullptr;
    drawTo(node && node->targetPort() ? node->portPoint(*node->targetPort()) : point);
    if (!m_target) {
        Q_EMIT noteChanged(m_lifted ? tr("Release here to take the wire out")
                                    : tr("Release here to choose a layer"), false);
    }
}

std::optional<WireTool::Target> WireTool::targetAt(const QPointF& point, double reach) const
{
    const NodeItem* node = m_scene.nodeWithPortAt(point, reach);
    node = node ? node : m_scene.nodeAt(point);
    if (!node || node->id() == m_held->port.node) {
        return std::nullopt;
    }
    auto port = node->portAt(point, reach);
    const PortSide wanted = m_held->isOutput ? PortSide::Input : PortSide::Output;
    if (port && port->side != wanted) {
        port.reset();
    }
    return Target{node->id(), port};
}

std::optional<Edge> WireTool::candidate() const
{
    if (!m_target) {
        return std::nullopt;
    }
    const NodeItem* node = m_scene.nodeItem(m_target->node);
    const GraphContext context = m_editor.context();
    std::optional<PortRef> end;
    if (m_target->port && node && m_target->port->place < (m_held->isOutput ? node->places().inputs : node->places().outputs).size()) {
        end = PortRef{m_target->node, node->portName(*m_target->port)};
    } else {
        end = m_held->isOutput ? bestInput(context, m_target->node) : firstOutput(context, m_target->node);
    }
    if (!end) {
        end = PortRef{m_target->node, {}}; // refused with the reason
    }
    return m_held->isOutput ? Edge{m_held->port, *end} : Edge{*end, m_held->port};
}

Result<GraphEdit> WireTool::trial(const Edge& edge) const
{
    return m_lifted ? replugEdit(m_editor.context(), *m_lifted, edge) : connectEdit(m_editor.context(), edge);
}

void WireTool::setTarget(std::optional<Target> target)
{
    if (target == m_target) {
        return;
    }
    if (NodeItem* old = m_target ? m_scene.nodeItem(m_target->node) : nullptr) {
        old->setTarget(TargetMark::None);
    }
    m_target = std::move(target);
    m_accepts = false;
    markTarget();
}

void WireTool::markTarget()
{
    const auto edge = candidate();
    NodeItem* node = m_target ? m_scene.nodeItem(m_target->node) : nullptr;
    if (!edge || !node) {
        return;
    }
    const Result<GraphEdit> tried = trial(*edge);
    const bool same = m_lifted && *edge == *m_lifted;
    m_accepts = tried.ok() || same;
    const PortSide side = m_held->isOutput ? PortSide::Input : PortSide::Output;
    const std::string port = m_held->isOutput ? fullInput(m_editor.context(), edge->to).port
                                              : fullOutput(m_editor.context(), edge->from).port;
    std::optional<PortHit> hit = m_target->port;
    const auto& places = side == PortSide::Input ? node->places().inputs : node->places().outputs;
    for (std::size_t place = places.size(); !hit && place-- > 0;) {
        if (places[place].port == port) {
            hit = PortHit{side, place};
        }
    }
    node->setTarget(m_accepts ? TargetMark::Accepts : TargetMark::Refuses, hit);
    Q_EMIT noteChanged(m_accepts ? describe(*edge) : refusalText(tried.error()), !m_accepts);
}

QString WireTool::describe(const Edge& edge) const
{
    const GraphContext context = m_editor.context();
    QString text = portText(shortOutput(context, edge.from)) + QStringLiteral(" → ") + portText(shortInput(context, edge.to));
    const QString shape = edgeShapeText(m_editor.typeOf(edge.from));
    if (!shape.isEmpty()) {
        text += QStringLiteral("  ") + shape;
    }
    const auto holder = holderOf(context, edge.to);
    if (holder && holder != m_lifted) {
        text += u'\n' + tr("replaces the wire from %1").arg(portText(holder->from));
    }
    return text;
}

QPointF WireTool::heldPoint() const
{
    const NodeItem* node = m_scene.nodeItem(m_held->port.node);
    if (!node) {
        return m_pressed;
    }
    const PortSide side = m_held->isOutput ? PortSide::Output : PortSide::Input;
    const auto& places = m_held->isOutput ? node->places().outputs : node->places().inputs;
    const std::string name = m_held->isOutput ? fullOutput(m_editor.context(), m_held->port).port
                                              : fullInput(m_editor.context(), m_held->port).port;
    if (const EdgeItem* edge = m_lifted && !m_held->isOutput ? m_scene.edgeItem(*m_lifted) : nullptr) {
        return edge->end(); // one of many into the same port
    }
    for (std::size_t place = 0; place < places.size(); ++place) {
        if (places[place].port == name) {
            return node->portPoint({side, place});
        }
    }
    return node->portPoint({side, 0});
}

void WireTool::drawTo(const QPointF& point)
{
    if (!m_wire) {
        m_wire = new QGraphicsPathItem;
        m_wire->setZValue(2);
        m_scene.addItem(m_wire);
    }
    const ColorRole role = m_target && !m_accepts ? ColorRole::Bad : ColorRole::Accent;
    m_wire->setPen(QPen(m_scene.theme().color(role), 2, m_target && m_accepts ? Qt::SolidLine : Qt::DashLine));
    const QPointF direction = m_scene.style().isSideways() ? QPointF(1, 0) : QPointF(0, 1);
    m_wire->setPath(m_held->isOutput ? wireCurve(heldPoint(), point, direction) : wireCurve(point, heldPoint(), direction));
}

void WireTool::release(const QPointF& point)
{
    if (!isActive() || m_byKeys) {
        return;
    }
    if (!m_dragged) {
        const std::optional<Edge> clicked = m_lifted;
        finish();
        if (clicked) {
            m_scene.selectEdge(*clicked);
        }
        return;
    }
    if (m_target) {
        accept();
        return;
    }
    const WireEnd held = *m_held;
    const std::optional<Edge> lifted = m_lifted;
    finish();
    if (lifted) {
        m_editor.disconnectEdge(*lifted);
    } else {
        Q_EMIT droppedInSpace(held, point);
    }
}

bool WireTool::startAt(const NodeId& node)
{
    cancel();
    const auto output = firstOutput(m_editor.context(), node);
    if (!output) {
        return false;
    }
    m_byKeys = true;
    m_dragged = true;
    hold({*output, true}, std::nullopt);
    Q_EMIT noteChanged(tr("%1 → …  Arrows choose the target, Tab its port, Enter connects, Delete takes a wire out, "
                           "Escape gives up").arg(portText(*output)), false);
    return true;
}

void WireTool::aim(Heading heading)
{
    if (!byKeys()) {
        return;
    }
    const NodeId from = m_target ? m_target->node : m_held->port.node;
    auto next = arrowTarget(m_scene.graph(), from, heading);
    if (next && *next == m_held->port.node) {
        next = arrowTarget(m_scene.graph(), *next, heading); // over the node it starts at
    }
    if (!next) {
        return;
    }
    setTarget(Target{*next, std::nullopt});
    const NodeItem* node = m_scene.nodeItem(*next);
    if (node) {
        drawTo(node->targetPort() ? node->portPoint(*node->targetPort()) : node->box().center());
    }
    Q_EMIT aimedAt(*next);
}

void WireTool::nextInput()
{
    const NodeItem* node = byKeys() && m_target ? m_scene.nodeItem(m_target->node) : nullptr;
    if (!node || node->places().inputs.empty()) {
        return;
    }
    const std::size_t now = node->targetPort() ? node->targetPort()->place : node->places().inputs.size() - 1;
    setTarget(Target{m_target->node, PortHit{PortSide::Input, (now + 1) % node->places().inputs.size()}});
    drawTo(node->portPoint(*m_target->port));
}

void WireTool::nextOutput()
{
    const NodeItem* node = byKeys() ? m_scene.nodeItem(m_held->port.node) : nullptr;
    if (!node || node->places().outputs.empty()) {
        return;
    }
    const auto& outputs = node->places().outputs;
    const std::string name = fullOutput(m_editor.context(), m_held->port).port;
    std::size_t place = 0;
    while (place < outputs.size() && outputs[place].port != name) {
        ++place;
    }
    m_held->port = shortOutput(m_editor.context(), {m_held->port.node, outputs[(place + 1) % outputs.size()].port});
    if (m_target) {
        markTarget();
        drawTo(m_wire ? m_wire->path().currentPosition() : heldPoint());
    } else {
        Q_EMIT noteChanged(tr("%1 → …").arg(portText(m_held->port)), false);
    }
}

void WireTool::accept()
{
    const auto edge = isActive() ? candidate() : std::nullopt;
    if (!edge) {
        return;
    }
    const std::optional<Edge> lifted = m_lifted;
    finish();
    if (lifted) {
        m_editor.replug(*lifted, *edge);
    } else {
        m_editor.connectPorts(*edge);
    }
}

void WireTool::cut()
{
    const auto wanted = isActive() ? candidate() : std::nullopt;
    if (!wanted) {
        return;
    }
    const GraphContext context = m_editor.context();
    const auto& edges = m_editor.graph().edges();
    const auto known = std::find_if(edges.begin(), edges.end(), [&](const Edge& edge) {
        return fullOutput(context, edge.from) == fullOutput(context, wanted->from) &&
               fullInput(context, edge.to) == fullInput(context, wanted->to);
    });
    if (known != edges.end()) {
        const Edge edge = *known;
        finish();
        m_editor.disconnectEdge(edge);
    }
}

void WireTool::cancel()
{
    if (isActive()) {
        finish();
    }
}

void WireTool::finish()
{
    setTarget(std::nullopt);
    if (EdgeItem* edge = m_lifted ? m_scene.edgeItem(*m_lifted) : nullptr) {
        edge->setLifted(false);
    }
    delete std::exchange(m_wire, nullptr);
    m_held.reset();
    m_lifted.reset();
    m_byKeys = false;
    Q_EMIT noteChanged({}, false);
}

} // namespace athanor
