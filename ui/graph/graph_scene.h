// GUI thread. The canvas of one graph: items made from the document's ids, kept in step with it.
#pragma once

#include "engine/graph/graph_layout.h"
#include "ui/bridge/project_document.h"
#include "ui/graph/canvas_editor.h"
#include "ui/graph/canvas_style.h"
#include "ui/graph/wire_tool.h"

#include <QGraphicsScene>

#include <map>
#include <optional>
#include <unordered_map>

namespace athanor {

class CommentItem;
class EdgeItem;
class NodeItem;

/// The document is the truth: items follow its signals, and a gesture becomes an edit only when it ends
/// (a drag pushes one Move on release). One scene serves the network and the data pipeline. Wires and comments
/// can be selected too, but only here: the Selection that all views share knows nodes.
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
    [[nodiscard]] const CanvasStyle& style() const { return m_style; }
    [[nodiscard]] const ProjectDocument& document() const { return m_document; }
    [[nodiscard]] CanvasEditor& editor() { return m_editor; }
    [[nodiscard]] WireTool& wire() { return m_wire; }
    [[nodiscard]] bool projectIsOpen() const { return m_document.isOpen(); }
    [[nodiscard]] NodeItem* nodeItem(const NodeId& id) const; ///< nullptr when there is none
    [[nodiscard]] EdgeItem* edgeItem(const Edge& edge) const;
    [[nodiscard]] CommentItem* commentItem(const std::string& name) const;
    [[nodiscard]] NodeItem* nodeAt(const QPointF& point) const;
    /// The node one of whose ports is within `reach` of a point.
    [[nodiscard]] NodeItem* nodeWithPortAt(const QPointF& point, double reach) const;
    [[nodiscard]] EdgeItem* edgeAt(const QPointF& point) const; ///< nothing where a node lies above it
    [[nodiscard]] CommentItem* commentAt(const QPointF& point) const;
    /// The edge that ends at an input place of a node.
    [[nodiscard]] EdgeItem* edgeInto(const NodeId& node, std::size_t place) const;
    [[nodiscard]] QRectF nodesRect() const; ///< around all nodes and comments; empty without any
    [[nodiscard]] bool isEmpty() const { return m_nodes.empty() && m_comments.empty(); }
    /// Which sides the ports are on; follows from the positions when a project is loaded.
    [[nodiscard]] LayoutDirection flow() const { return m_style.flow; }
    void setFlow(LayoutDirection flow);

    /// It is a group of its own, not one that shares the weights of another.
    [[nodiscard]] bool isGroupInstance(const NodeId& id) const;
    /// The node the keyboard acts on: the first selected one of this graph.
    [[nodiscard]] std::optional<NodeId> current() const;
    void selectOnly(const NodeId& id);
    void selectAll();
    void selectEdge(const Edge& edge);
    void selectComments(const std::set<std::string>& names); ///< beside the selected nodes
    [[nodiscard]] CanvasChoice choice() const;               ///< all that is selected here

    /// Lays the graph out, as one undoable edit.
    void layOut(LayoutDirection direction);
    /// Moves the selected nodes by some canvas units; repeated moves are one undo step until endNudge().
    void nudgeSelected(const QPointF& delta);
    void endNudge();
    /// Newest gradient norm by node; nodes that are not named lose their bar. Only changed ones repaint.
    void setActivity(const std::map<NodeId, double>& gradientNorms);

Q_SIGNALS:
    void rebuilt();        ///< another project was loaded, or another group opened
    void contentChanged(); ///< something looks different (for the minimap)
    void flowChanged();
    void groupDropped(const QString& key, const QPointF& at); ///< by GroupStore's keys

protected:
    void mousePressEvent(QGraphicsSceneMouseEvent* event) override;
    void mouseMoveEvent(QGraphicsSceneMouseEvent* event) override;
    void mouseReleaseEvent(QGraphicsSceneMouseEvent* event) override;
    void helpEvent(QGraphicsSceneHelpEvent* event) override;
    void dragEnterEvent(QGraphicsSceneDragDropEvent* event) override;
    void dragMoveEvent(QGraphicsSceneDragDropEvent* event) override;
    void dragLeaveEvent(QGraphicsSceneDragDropEvent* event) override;
    void dropEvent(QGraphicsSceneDragDropEvent* event) override;
    void drawBackground(QPainter* painter, const QRectF& rect) override;
    void drawForeground(QPainter* painter, const QRectF& rect) override;

private:
    void rebuild();
    void followChange(GraphPart part, const std::set<std::string>& touched, bool semantic);
    void syncItems();
    void syncComments();
    void syncPlaces();
    void refreshLooks();
    void refreshLooksOf(const std::set<NodeId>& nodes);
    void syncSelection();
    void reportSelection();
    // graph_scene_gestures.cpp
    void commitMoves();
    void snapDragged();
    void setGuides(std::vector<Guide> guides);
    [[nodiscard]] EdgeItem* edgeForDragged() const; ///< the edge that a dragged, unconnected node would go into
    void markEdge(EdgeItem* edge);
    [[nodiscard]] double reach() const; ///< how near to a port counts, in scene units
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
    std::map<std::string, CommentItem*> m_comments;               ///< owned by the scene
    CanvasEditor m_editor;
    WireTool m_wire;
    std::vector<Guide> m_guides;    ///< while something is dragged
    EdgeItem* m_markedEdge = nullptr; ///< what is dragged would go into it
    bool m_moving = false;            ///< selected items follow the mouse
    bool m_syncing = false; ///< selection is being taken over, so its echo is not reported
};

} // namespace athanor
