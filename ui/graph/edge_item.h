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

/// The place of an edge among those that share its node: lane 0 of 3 is the first of three.
struct EdgeLane {
    int index = 0;
    int count = 1;
    bool operator==(const EdgeLane&) const = default;
};

class EdgeItem : public QGraphicsItem {
public:
    enum { Type = UserType + 2 };
    /// Both nodes outlive the edge.
    EdgeItem(Edge edge, const NodeItem& from, const NodeItem& to, const CanvasStyle& style);

    [[nodiscard]] const Edge& edge() const { return m_edge; }
    [[nodiscard]] const EdgeLook& look() const { return m_look; }
    void setLook(EdgeLook look);
    void setLanes(EdgeLane out, EdgeLane in); ///< port places, so that two edges into one node end apart
    void reroute();                           ///< after one of the nodes moved

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
    EdgeLane m_out;
    EdgeLane m_in;
    QPainterPath m_curve;
    QPointF m_start;
    QPointF m_end;
    QPointF m_direction; ///< in which the curve arrives, for the arrow head
    QRectF m_label;
    QRectF m_bounds;
};

} // namespace athanor
