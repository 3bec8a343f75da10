// GUI thread. The small picture of the whole graph in the corner of its canvas.
#pragma once

#include <QGraphicsView>
#include <QTimer>

namespace athanor {

class GraphView;

/// A second view of the same scene with the main view's rectangle on top. It repaints on a 200 ms timer when
/// something changed, not with every change: a picture of the whole costs as much as the whole.
class Minimap : public QGraphicsView {
    Q_OBJECT
public:
    explicit Minimap(GraphView& main); ///< a child of the main view, which outlives it
    void markChanged() { m_changed = true; }

    /// The scene point under a point of the minimap.
    [[nodiscard]] QPointF scenePoint(const QPoint& point) const { return mapToScene(point); }

protected:
    void drawForeground(QPainter* painter, const QRectF& rect) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    void refresh();
    GraphView& m_main;
    QTimer m_timer;
    bool m_changed = true;
};

} // namespace athanor
