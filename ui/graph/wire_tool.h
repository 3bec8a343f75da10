// GUI thread. Drawing a wire between two ports, by mouse or by keys.
#pragma once

#include "ui/graph/canvas_editor.h"
#include "ui/graph/graph_navigation.h"
#include "ui/graph/node_item.h"

#include <QObject>

class QGraphicsPathItem;

namespace athanor {

class EdgeItem;
class GraphScene;

/// One wire at a time. By mouse: press on a port (or near an end of an edge, which lifts that end), drag, release.
/// By keys: start at a node, aim at others, accept. While a wire is drawn, what it points at is marked, and
/// noteChanged() says what would happen, or why not.
class WireTool : public QObject {
    Q_OBJECT
public:
    WireTool(GraphScene& scene, CanvasEditor& editor); ///< both outlive the tool

    [[nodiscard]] bool isActive() const { return m_held.has_value(); }
    [[nodiscard]] bool byKeys() const { return isActive() && m_byKeys; }

    /// `reach` in scene units: how near counts as on it. False when there is nothing to draw from.
    bool press(const QPointF& point, double reach);
    void move(const QPointF& point, double reach);
    void release(const QPointF& point);

    bool startAt(const NodeId& node); ///< from its first output; false when it has none
    void aim(Heading heading);        ///< at the next node in that direction
    void nextInput();                 ///< of the node that is aimed at
    void nextOutput();                ///< of the node it starts at
    void accept();
    void cut(); ///< takes out the wire that is there already between the held port and the target
    void cancel();

Q_SIGNALS:
    void noteChanged(const QString& note, bool refused); ///< empty: over
    void droppedInSpace(const athanor::WireEnd& end, const QPointF& point);
    void aimedAt(const std::string& node);

private:
    struct Target {
        NodeId node;
        std::optional<PortHit> port; ///< nothing: the node as a whole
        bool operator==(const Target&) const = default;
    };
    bool pressPort(const QPointF& point, double reach);
    bool pressEdge(const QPointF& point);
    void hold(WireEnd held, std::optional<Edge> lifted);
    [[nodiscard]] std::optional<Target> targetAt(const QPointF& point, double reach) const;
    void setTarget(std::optional<Target> target);
    void markTarget();
    [[nodiscard]] std::optional<Edge> candidate() const; ///< the edge to the target
    [[nodiscard]] Result<GraphEdit> trial(const Edge& edge) const;
    [[nodiscard]] QString describe(const Edge& edge) const;
    [[nodiscard]] QPointF heldPoint() const;
    void drawTo(const QPointF& point);
    void finish();

    GraphScene& m_scene;
    CanvasEditor& m_editor;
    std::optional<WireEnd> m_held;
    std::optional<Edge> m_lifted; ///< the edge whose end is dragged
    std::optional<Target> m_target;
    bool m_accepts = false;
    bool m_byKeys = false;
    bool m_dragged = false; ///< further than a click's tremble
    QPointF m_pressed;
    QGraphicsPathItem* m_wire = nullptr; ///< owned by the scene
};

} // namespace athanor
