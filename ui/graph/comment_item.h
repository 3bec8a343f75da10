// GUI thread. A comment box on the canvas: paints what it is told, knows nothing of the document.
#pragma once

#include "engine/graph/graph.h"
#include "ui/graph/canvas_style.h"

#include <QGraphicsItem>

namespace athanor {

/// The colours a comment can have, by what is kept in the file: empty (grey) and the names of families.
const std::vector<std::pair<std::string, ColorRole>>& commentColors();

/// It is grabbed by its text and its border only: what lies inside is the canvas, where nodes are selected.
class CommentItem : public QGraphicsItem {
public:
    enum { Type = UserType + 3 };
    static constexpr double kMinimumWidth = 80;
    static constexpr double kMinimumHeight = 40;

    CommentItem(std::string name, const CanvasStyle& style);

    [[nodiscard]] const std::string& name() const { return m_name; }
    /// Takes over text, colour and place.
    void setComment(const Comment& comment);
    /// The comment as it stands on the canvas, which a drag may have changed.
    [[nodiscard]] Comment shown() const;
    [[nodiscard]] QRectF box() const { return QRectF(pos(), m_size); } ///< scene units
    [[nodiscard]] QRectF textRect() const;                               ///< own units

    [[nodiscard]] int type() const override { return Type; }
    [[nodiscard]] QRectF boundingRect() const override;
    [[nodiscard]] QPainterPath shape() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

protected:
    void mousePressEvent(QGraphicsSceneMouseEvent* event) override;
    void mouseMoveEvent(QGraphicsSceneMouseEvent* event) override;
    void mouseReleaseEvent(QGraphicsSceneMouseEvent* event) override;
    void hoverMoveEvent(QGraphicsSceneHoverEvent* event) override;

private:
    [[nodiscard]] QRectF handle() const; ///< of the resizing, bottom right
    void resizeTo(const QSizeF& size);

    std::string m_name;
    const CanvasStyle& m_style;
    Comment m_comment;
    QSizeF m_size;
    bool m_resizing = false;
};

} // namespace athanor
