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
    bool isGroup = false;          ///< drawn as a pile
    bool isShared = false;         ///< uses the weights of another node: a dashed outline
    QString toolTip;
    bool operator==(const NodeLook&) const = default;
};

/// One place on a node's side where edges end. A port that takes many edges has one place for each of them.
struct PortPlace {
    std::string port;
    bool optional = false;
    bool taken = false;
    bool operator==(const PortPlace&) const = default;
};

struct NodePlaces {
    std::vector<PortPlace> inputs;
    std::vector<PortPlace> outputs;
    bool operator==(const NodePlaces&) const = default;
};

enum class PortSide { Input, Output };

struct PortHit {
    PortSide side = PortSide::Input;
    std::size_t place = 0;
    bool operator==(const PortHit&) const = default;
};

/// How a node shows what a wire or a dragged kind would do with it.
enum class TargetMark { None, Accepts, Refuses };

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
    void setPlaces(NodePlaces places);
    [[nodiscard]] const NodePlaces& places() const { return m_places; }
    [[nodiscard]] QPointF portPoint(PortHit port) const; ///< in scene units
    /// The port within `reach` scene units of a point; the nearest one.
    [[nodiscard]] std::optional<PortHit> portAt(const QPointF& scenePoint, double reach) const;
    [[nodiscard]] const std::string& portName(PortHit port) const;
    /// Marks the node, and one of its ports, as the target of a wire; None takes the mark away.
    void setTarget(TargetMark mark, std::optional<PortHit> port = {});
    [[nodiscard]] TargetMark target() const { return m_target; }
    [[nodiscard]] std::optional<PortHit> targetPort() const { return m_targetPort; }
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
    void paintPorts(QPainter& painter) const;
    void paintPile(QPainter& painter) const;
    [[nodiscard]] QPointF localPort(PortHit port) const;
    [[nodiscard]] const std::vector<PortPlace>& placesOn(PortSide side) const;
    [[nodiscard]] QColor outline(bool selected) const;

    NodeId m_id;
    const CanvasStyle& m_style;
    NodeLook m_look;
    NodePlaces m_places;
    TargetMark m_target = TargetMark::None;
    std::optional<PortHit> m_targetPort;
    std::optional<double> m_activity;
    std::function<void()> m_moved;
};

} // namespace athanor
