// GUI thread. A canvas as a picture: SVG, PNG, PDF, clipboard.
#pragma once

#include "engine/base/result.h"
#include "ui/bridge/project_document.h"

#include <QImage>
#include <QRectF>

#include <memory>

namespace athanor {

class GraphScene;
class Theme;

enum class PictureColors { Light, Dark };

/// A canvas of its own beside the one in the window: without selection, grid and handles, in the colours that are
/// asked for, and only as large as the graph.
class CanvasPicture {
public:
    /// The document is borrowed and outlives the picture.
    CanvasPicture(ProjectDocument& document, GraphPart part, PictureColors colors);
    CanvasPicture(CanvasPicture&&) noexcept;
    ~CanvasPicture();

    [[nodiscard]] bool isEmpty() const; ///< there is nothing to show
    [[nodiscard]] QRectF area() const { return m_area; } ///< of the scene: the graph with a margin
    /// `scale` 2 gives two pixels for each canvas unit. Null when it would be larger than a picture can be.
    [[nodiscard]] QImage image(double scale) const;
    /// By the file's ending: .svg (texts as outlines), .pdf (fonts embedded, one page as large as the graph),
    /// .png (2×). Errors: nothing to show, another ending, a file that cannot be written, too large for pixels.
    [[nodiscard]] Status save(const QString& file) const;

private:
    [[nodiscard]] bool saveSvg(const QString& file) const;
    [[nodiscard]] bool savePdf(const QString& file) const;
    void paint(QPainter& painter, const QRectF& target) const;

    std::unique_ptr<Theme> m_theme;
    std::unique_ptr<Selection> m_selection;
    std::unique_ptr<GraphScene> m_scene;
    QRectF m_area;
    QString m_title;
};

} // namespace athanor
