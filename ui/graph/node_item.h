// GUI thread. One node on the canvas: paints what it is told, knows nothing of the document.
#pragma once

#include "engine/graph/graph_check.h"
#include "ui/graph/canvas_style.h"

#include <QGraphicsItem>

#include <functional>
#include <optional>

namespace athanor {

/// Everything a node shows.
struct NodeLook {
    QString name;
    QString kindLine; ///< "Conv2d  3×3, 32, pad 1"
    ColorRole family = ColorRole::FamilyOther;
    std::optional<Severity> badge; ///< its worst problem
    bool frozen = false;           ///< the training part holds its weights still
    QString toolTip;
    bool operator==(const NodeLook&) const = default;
};

class NodeItem : public QGraphicsItem {
public:
    enum { Type = UserType + 1 };
    NodeItem(NodeId id, const CanvasStyle& style);

    [[nodiscard]] const NodeId& id() const { return m_id; }
    [[nodiscard]] const NodeLook& look() const { return m_look; }
    void setLook(NodeLook look); ///< repaints only when something is different
    /// Newest gradient norm, drawn as a thin bar on a logarithmic scale; nothing: no bar.
    void setActivity(std::optional<double> gradientNorm);
    [[nodiscard]] std::optional<double> activity() const { return m_activity; }
    /// Called after each change of the position.
    void onMoved(std::function<void()> moved) { m_moved = std::move(moved); }

    [[nodiscard]] QRectF box() const; ///< in scene units, without the outline
    [[nodiscard]] int type() const override { return Type; }
    [[nodiscard]] QRectF boundingRect() const override;
    [[nodiscard]] QPainterPath shape() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

    /// Length of the activity bar, 0–1: a norm of 1e-8 or less is empty, 1e2 or more (and NaN) full.
    static double activityShare(double gradientNorm);

protected:
    QVariant itemChange(GraphicsItemChange change, const QVariant& value) override;

private:
    void paintTexts(QPainter& painter) const;
    void paintBadges(QPainter& painter) const;
    void paintActivity(QPainter& painter) const;

    NodeId m_id;
    const CanvasStyle& m_style;
    NodeLook m_look;
    std::optional<double> m_activity;
    std::function<void()> m_moved;
};

} // namespace athanor
