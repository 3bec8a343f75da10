// GUI thread. One edge on the canvas: a curve between two nodes with the shape that flows along it.
#pragma once

#include "ui/graph/node_item.h"

namespace athanor {

/// Everything an edge shows.
struct EdgeLook {
    QString shape; ///< "32×28×28", empty when unknown
    bool bad = false;
    QString toolTip;
    bool operator==(const EdgeLook&) const = default;
};

class EdgeItem : public QGraphicsItem {
public:
    enum { Type = UserType + 2 };
    /// Both nodes outlive the edge.
    EdgeItem(Edge edge, const NodeItem& from, const NodeItem& to, const CanvasStyle& style);

    [[nodiscard]] const Edge& edge() const { return m_edge; }
    [[nodiscard]] const EdgeLook& look() const { return m_look; }
    void setLook(EdgeLook look);
    void setPlaces(std::size_t out, std::size_t in); ///< which of the nodes' port places it joins
    void reroute();                                  ///< after one of the nodes moved
    /// Marked: what is dragged would be put into it.
    void setMarked(bool marked);
    [[nodiscard]] bool isMarked() const { return m_marked; }
    [[nodiscard]] std::size_t inputPlace() const { return m_in; }
    [[nodiscard]] QPointF start() const { return m_start; } ///< scene units
    [[nodiscard]] QPointF end() const { return m_end; }
    [[nodiscard]] QPointF middle() const;
    /// Hidden while one of its ends is dragged about.
    void setLifted(bool lifted) { setOpacity(lifted ? 0.2 : 1); }

    [[nodiscard]] int type() const override { return Type; }
    [[nodiscard]] QRectF boundingRect() const override { return m_bounds; }
    [[nodiscard]] QPainterPath shape() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    void updateBounds();

    Edge m_edge;
    const NodeItem& m_from;
    const NodeItem& m_to;
    const CanvasStyle& m_style;
    EdgeLook m_look;
    std::size_t m_out = 0;
    std::size_t m_in = 0;
    bool m_marked = false;
    QPainterPath m_curve;
    mutable QPainterPath m_shape; ///< made when first asked for: few edges ever are
    QPointF m_start;
    QPointF m_end;
    QPointF m_direction; ///< in which the curve arrives, for the arrow head
    QRectF m_label;
    QRectF m_bounds;
};

/// The curve that edges and wires are drawn with: leaves and arrives along `direction`.
QPainterPath wireCurve(const QPointF& start, const QPointF& end, const QPointF& direction);

} // namespace athanor
