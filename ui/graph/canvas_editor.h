// GUI thread. What a person does to one graph, as named undo steps of the document.
#pragma once

#include "engine/graph/graph_arrange.h"
#include "engine/graph/graph_layout.h"
#include "engine/graph/graph_rewrite.h"
#include "engine/graph/group_edit.h"
#include "engine/project/graph_clip.h"
#include "engine/project/group_library.h"
#include "ui/bridge/project_document.h"

#include <QObject>
#include <QPointF>

namespace athanor {

/// The end of a wire that is held while the other one is drawn.
struct WireEnd {
    PortRef port;
    bool isOutput = true;
};

/// What an action is about: nodes, and what only the canvas knows of.
struct CanvasChoice {
    std::set<NodeId> nodes;
    std::vector<Edge> edges;
    std::set<std::string> comments;
    [[nodiscard]] bool isEmpty() const { return nodes.empty() && edges.empty() && comments.empty(); }
};

/// Every edit is one undo step with a text. What the graph refuses is told by refused(), and changes nothing.
/// New nodes are selected. Points are canvas units.
class CanvasEditor : public QObject {
    Q_OBJECT
public:
    /// Both references are borrowed and outlive the editor.
    CanvasEditor(ProjectDocument& document, Selection& selection, GraphPart part);

    [[nodiscard]] const Graph& graph() const { return m_document.graph(m_part); }
    [[nodiscard]] GraphContext context() const;
    /// What the newest check knows of an output.
    [[nodiscard]] std::optional<TensorType> typeOf(const PortRef& output) const;

    // Adding a node; the name of the new node, nothing when it was refused.
    std::optional<NodeId> add(const NodeKind& kind, const QPointF& centre);
    /// Behind `after`, joined when it fits; nodes in the way make room.
    std::optional<NodeId> addBehind(const NodeKind& kind, const NodeId& after, LayoutDirection flow);
    std::optional<NodeId> addIntoEdge(const NodeKind& kind, const Edge& edge, const QPointF& centre);
    /// At the loose end of a wire.
    std::optional<NodeId> addAtWire(const NodeKind& kind, const WireEnd& end, const QPointF& centre);

    bool connectPorts(const Edge& edge);
    bool replug(const Edge& old, const Edge& edge);
    bool disconnectEdge(const Edge& edge);
    /// A node that is there and has no edges comes into an edge, moved to a place.
    bool putIntoEdge(const NodeId& node, const Edge& edge, const Position& place);
    bool remove(const CanvasChoice& choice, Healing healing);
    bool rename(const NodeId& from, const NodeId& to);

    void copy(const CanvasChoice& choice) const; ///< to the clipboard, also as plain text
    void cut(const CanvasChoice& choice);
    void paste(const QPointF& at);
    void duplicate(const CanvasChoice& choice);

    void align(Alignment alignment);
    void distribute(Axis axis);
    /// The end of a drag: nodes to their places, comments as they are shown now.
    bool place(const std::map<NodeId, Position>& nodes, const std::map<std::string, Comment>& comments);

    // Groups and shared weights (canvas_groups.cpp).
    [[nodiscard]] bool canOpen(const NodeId& id) const; ///< it is a group, or shares the weights of one
    void open(const NodeId& group);
    void leave(); ///< the group that is open
    bool makeGroup(const std::set<NodeId>& nodes);
    bool ungroup(const NodeId& instance);
    bool detachGroup(const NodeId& instance);
    bool repeatGroup(const NodeId& instance, int times);
    bool placeGroup(const std::string& definition, const QPointF& centre);
    bool placeAgain(const NodeId& instance); ///< another instance of the same group, below it
    bool placeFromLibrary(const LibraryGroup& group, const QPointF& centre);
    bool renameGroup(const NodeId& instance, const std::string& name); ///< its definition
    bool shareWeights(const NodeId& of); ///< a node that uses its weights again, below it

    std::optional<std::string> addComment(const QRectF& rect);
    void setComment(const std::string& name, const Comment& comment, const QString& text);

Q_SIGNALS:
    void refused(const QString& why);
    void kindUsed(const QString& kind);
    void commentsPasted(const std::set<std::string>& names);

private:
    bool push(const GraphEdit& edit, const QString& text);
    bool push(const Result<GraphEdit>& edit, const QString& text);
    bool push(const Result<GroupEdit>& made, const QString& text);
    [[nodiscard]] const std::string& inside() const; ///< the definition that is open; empty: none
    std::optional<NodeId> pushNew(const NodeKind& kind, const NodeId& id, const Result<GraphEdit>& edit);
    [[nodiscard]] edit::AddNode newNode(const NodeKind& kind, const Position& place) const;
    [[nodiscard]] Position freePlace(Position wish) const;
    void makeRoom(edit::Sequence& sequence, const NodeId& behind, const Position& place, LayoutDirection flow) const;
    void pasteClip(const Clip& clip, const std::optional<Position>& at, const QString& text);
    void pushMove(edit::Move move, const QString& text);

    ProjectDocument& m_document;
    Selection& m_selection;
    GraphPart m_part;
};

/// Where the corner of a node with this middle comes to lie, on the grid.
Position cornerOf(const QPointF& centre);

/// "the port is taken already; …": an error for a person at the canvas.
QString refusalText(const Error& error);

} // namespace athanor
