// GUI thread. The view of one canvas: zoom, pan, selection, keyboard, editing, minimap.
#pragma once

#include "ui/graph/graph_navigation.h"
#include "ui/graph/graph_scene.h"
#include "ui/graph/kind_search.h"
#include "ui/graph/kind_shelf.h"

#include <QGraphicsView>
#include <QTimer>

class QLabel;
class QNativeGestureEvent;
class QPushButton;

namespace athanor {

class CanvasActions;
class FindBar;
class GroupStore;
class InlineEditor;
class Minimap;
class QuickAdd;

/// A mouse wheel zooms about the cursor, two fingers on a touchpad pan and pinch; the middle button (or space and
/// the left one) pans, dragging on empty ground selects. Letters open the box that adds a node; commands have
/// Ctrl (see CanvasActions). Tab and Shift+Tab go through the nodes, Home and End to the first and the last,
/// arrows along edges, Alt+arrows move the selected nodes, + and − zoom, Escape selects nothing.
class GraphView : public QGraphicsView {
    Q_OBJECT
public:
    static constexpr double kMaximumZoom = 4;

    explicit GraphView(GraphScene& scene, QWidget* parent = nullptr); ///< the scene outlives the view

    [[nodiscard]] GraphScene* graphScene() const { return &m_scene; }
    [[nodiscard]] Minimap* minimap() const { return m_minimap; }
    [[nodiscard]] double zoom() const { return transform().m11(); } ///< 1 = 100 %
    void setZoom(double zoom); ///< about the middle; kept within what is useful
    void centreAt(const QPointF& scenePoint);
    void zoomIn();
    void zoomOut();
    /// All nodes in the view, never larger than 100 %; stays so while the view is resized, until the user
    /// zooms or scrolls.
    void fit();
    /// As fit(), unless that is too small to read: then the graph's beginning at a readable size.
    void showStart();
    [[nodiscard]] LayoutDirection direction() const { return m_scene.flow(); }
    void setDirection(LayoutDirection direction) { m_scene.setFlow(direction); }
    void layOut();
    void showNode(const NodeId& id); ///< scrolls until it is seen

    [[nodiscard]] CanvasActions& actions() { return *m_actions; }
    /// The kinds that a person likes and used last; both references outlive the view.
    void setShelf(KindShelf& shelf);
    /// Where something new goes: under the cursor, else in the middle of the view. Scene units.
    [[nodiscard]] QPointF insertPoint() const;
    void addKind(const QString& kind); ///< behind the selected node, else at insertPoint()
    /// The box that adds a node by typing: behind the selected node, else at insertPoint().
    void quickAdd(const QString& typed);
    void quickAddAt(const QPointF& at, const QString& typed);
    void quickAddInto(const Edge& edge);
    void editSelected(); ///< the selected node's name, or the selected comment's text
    void editName(const NodeId& id);
    void editComment(const std::string& name);
    void addComment(); ///< around the selected nodes, else at insertPoint(); its text is edited then
    void startWire();  ///< from the current node, aimed with the arrow keys
    // graph_view_groups.cpp
    void openGroup(const NodeId& id);
    void leaveGroup(); ///< shows what is around it, the group selected
    void askRepeat(const NodeId& id);
    void askGroupName(const NodeId& id);
    void keepInLibrary(const NodeId& id);
    void setGroups(GroupStore& groups) { m_groups = &groups; } ///< outlives the view
    void addGroup(const QString& key, const QPointF& at);      ///< by GroupStore's keys
    void find();
    void findNext(int by);
    /// A line at the bottom of the canvas: what would happen, or why something did not. Empty: gone.
    void showHint(const QString& text, bool refused);

Q_SIGNALS:
    void zoomChanged(double zoom);
    void viewChanged(); ///< zoomed, scrolled or resized
    void openRequested(); ///< the button of the empty canvas
    void focused();       ///< got the keyboard focus
    void nodeActivated(const std::string& node); ///< double clicked
    void fixRequested(const athanor::SuggestedFix& fix); ///< chosen from a node's menu

protected:
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool event(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    bool focusNextPrevChild(bool next) override;

private:
    enum class Framing { Free, Start, All }; ///< what a change of size brings back

    void makeEmptyNote();
    void placeOverlays();
    void updateSceneRect();
    void updateEmptyNote();
    void applyZoom(double zoom, const QPoint& anchor);
    void frame(Framing framing);
    void frameAll();
    void frameStart();
    // graph_view_input.cpp
    void startSpacePan(bool on);
    void pan(const QPointF& by);
    bool nativeGesture(QNativeGestureEvent& event);
    bool pressWireKey(const QKeyEvent& event);
    bool pressArrow(const QKeyEvent& event);
    bool pressPlainKey(const QKeyEvent& event);
    void goTo(const std::optional<NodeId>& node);
    // graph_view_editing.cpp
    void makeEditing();
    void openQuickAdd(const QPointF& at, const QString& typed, KindFilter filter, const QString& note,
                      std::function<void(const NodeKind&)> then);
    void quickAddAtWire(const WireEnd& end, const QPointF& at);
    [[nodiscard]] double smallestZoom() const;

    GraphScene& m_scene;
    Minimap* m_minimap = nullptr;
    QWidget* m_emptyNote = nullptr;
    QLabel* m_emptyText = nullptr;
    QPushButton* m_openButton = nullptr;
    CanvasActions* m_actions = nullptr;
    QuickAdd* m_quickAdd = nullptr;
    std::function<void(const NodeKind&)> m_quickAddThen; ///< what to do with the kind that is chosen
    InlineEditor* m_inline = nullptr;
    FindBar* m_findBar = nullptr;
    QLabel* m_hint = nullptr;
    QTimer m_hintTimer; ///< takes refusals away again
    KindShelf* m_shelf = nullptr;
    GroupStore* m_groups = nullptr;
    std::optional<QPoint> m_panFrom; ///< while the middle button pans
    std::optional<QPoint> m_cursor;  ///< viewport px, while it is over the canvas
    Framing m_framing = Framing::Start;
};

} // namespace athanor
