// GUI thread. The canvas of one graph: items made from the document's ids, kept in step with it.
#pragma once

#include "engine/graph/graph_layout.h"
#include "ui/bridge/project_document.h"
#include "ui/graph/canvas_style.h"

#include <QGraphicsScene>

#include <map>
#include <optional>
#include <unordered_map>

namespace athanor {

class EdgeItem;
class NodeItem;

/// The document is the truth: items follow its signals, and a gesture becomes an edit only when it ends
/// (a drag pushes one Move on release). One scene serves the network and the data pipeline.
class GraphScene : public QGraphicsScene {
    Q_OBJECT
public:
    /// All references are borrowed and outlive the scene.
    GraphScene(ProjectDocument& document, Selection& selection, GraphPart part, const Theme& theme,
               QObject* parent = nullptr);
    ~GraphScene() override;

    [[nodiscard]] GraphPart part() const { return m_part; }
    [[nodiscard]] const Graph& graph() const { return m_document.graph(m_part); }
    [[nodiscard]] const Theme& theme() const { return *m_style.theme; }
    [[nodiscard]] bool projectIsOpen() const { return m_document.isOpen(); }
    [[nodiscard]] NodeItem* nodeItem(const NodeId& id) const; ///< nullptr when there is none
    [[nodiscard]] EdgeItem* edgeItem(const Edge& edge) const;
    [[nodiscard]] QRectF nodesRect() const; ///< around all nodes; empty without nodes
    [[nodiscard]] bool isEmpty() const { return m_nodes.empty(); }

    /// The node the keyboard acts on: the first selected one of this graph.
    [[nodiscard]] std::optional<NodeId> current() const;
    void selectOnly(const NodeId& id);
    void selectAll();

    /// Lays the graph out, as one undoable edit.
    void layOut(LayoutDirection direction);
    /// Moves the selected nodes by some canvas units; repeated moves are one undo step until endNudge().
    void nudgeSelected(const QPointF& delta);
    void endNudge();
    /// Newest gradient norm by node; nodes that are not named lose their bar. Only changed ones repaint.
    void setActivity(const std::map<NodeId, double>& gradientNorms);

Q_SIGNALS:
    void rebuilt();        ///< another project was loaded
    void contentChanged(); ///< something looks different (for the minimap)

protected:
    void mouseReleaseEvent(QGraphicsSceneMouseEvent* event) override;
    void drawBackground(QPainter* painter, const QRectF& rect) override;

private:
    void rebuild();
    void followChange(GraphPart part, const std::set<std::string>& touched, bool semantic);
    void syncItems();
    void syncLanes();
    void refreshLooks();
    void syncSelection();
    void reportSelection();
    void commitMoves();
    void addNode(const NodeId& id);
    void placeNode(const NodeId& id);
    void rerouteEdgesOf(const NodeId& id);
    void restyle();

    ProjectDocument& m_document;
    Selection& m_selection;
    GraphPart m_part;
    CanvasStyle m_style;
    std::unordered_map<NodeId, NodeItem*> m_nodes;              ///< owned by the scene
    std::map<Edge, EdgeItem*> m_edges;                          ///< owned by the scene
    std::unordered_map<NodeId, std::vector<EdgeItem*>> m_edgesOf; ///< by either end
    bool m_syncing = false; ///< selection is being taken over, so its echo is not reported
};

} // namespace athanor
