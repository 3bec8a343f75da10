// GUI thread. The view of one canvas: zoom, pan, selection, keyboard, minimap.
#pragma once

#include "ui/graph/graph_navigation.h"
#include "ui/graph/graph_scene.h"

#include <QGraphicsView>

class QLabel;
class QPushButton;

namespace athanor {

class Minimap;

/// Wheel zooms about the cursor, the middle button (or space and the left one) pans, dragging on empty
/// ground selects. Keys: F fits, L lays out, Tab and Shift+Tab go through the nodes, arrows along edges,
/// Alt+arrows move the selected nodes, + and − zoom, Ctrl+0 is 100 %, Ctrl+A selects all, Escape nothing.
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
    [[nodiscard]] LayoutDirection direction() const { return m_direction; }
    void setDirection(LayoutDirection direction) { m_direction = direction; } ///< of the next layout
    void layOut();
    void showNode(const NodeId& id); ///< scrolls until it is seen

Q_SIGNALS:
    void zoomChanged(double zoom);
    void viewChanged(); ///< zoomed, scrolled or resized
    void openRequested(); ///< the button of the empty canvas
    void focused();       ///< got the keyboard focus

protected:
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
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
    void startSpacePan(bool on);
    bool pressArrow(const QKeyEvent& event);
    bool pressCommand(const QKeyEvent& event);
    [[nodiscard]] double smallestZoom() const;

    GraphScene& m_scene;
    Minimap* m_minimap = nullptr;
    QWidget* m_emptyNote = nullptr;
    QLabel* m_emptyText = nullptr;
    QPushButton* m_openButton = nullptr;
    LayoutDirection m_direction = LayoutDirection::LeftToRight;
    std::optional<QPoint> m_panFrom; ///< while the middle button pans
    Framing m_framing = Framing::Start;
};

} // namespace athanor
