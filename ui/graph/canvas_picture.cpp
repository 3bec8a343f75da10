#include "ui/graph/canvas_picture.h"

#include "ui/graph/graph_scene.h"
#include "ui/graph/outline_device.h"
#include "ui/theme/theme.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QPageLayout>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>

#include <cmath>

namespace athanor {
namespace {

struct CanvasPictureText {
    Q_DECLARE_TR_FUNCTIONS(athanor::CanvasPicture)
};

constexpr double kMargin = 24;       // canvas units around the graph
constexpr double kLongestSide = 30000; // pixels; QPainter ends at 32767
constexpr double kPixels = 2;        // of a PNG, for each canvas unit
constexpr int kDotsPerInch = 96;
constexpr double kPointsPerPixel = 0.75; // at 96 dots per inch

/// The canvas without its grid.
class PlainScene : public GraphScene {
public:
    using GraphScene::GraphScene;

protected:
    void drawBackground(QPainter* painter, const QRectF& rect) override
    {
        painter->fillRect(rect, style().color(ColorRole::Surface));
    }
};

Error cannot(const QString& message, const QString& file, const QString& hint)
{
    return Error{ErrorCode::InvalidArgument, message.toStdString(), file.toStdString(), hint.toStdString(), {}};
}

} // namespace

CanvasPicture::CanvasPicture(ProjectDocument& document, GraphPart part, PictureColors colors)
    : m_theme(std::make_unique<Theme>(colors == PictureColors::Dark ? ColorScheme::Dark : ColorScheme::Light)),
      m_selection(std::make_unique<Selection>()),
      m_scene(std::make_unique<PlainScene>(document, *m_selection, part, *m_theme)), m_title(document.displayName())
{
    const QRectF nodes = m_scene->nodesRect();
    if (!nodes.isEmpty()) {
        // Wires and their texts may reach beyond the nodes.
        m_area = m_scene->itemsBoundingRect().intersected(nodes.adjusted(-200, -200, 200, 200)).united(nodes);
        m_area = m_area.adjusted(-kMargin, -kMargin, kMargin, kMargin).toAlignedRect();
    }
}

CanvasPicture::CanvasPicture(CanvasPicture&&) noexcept = default;

CanvasPicture::~CanvasPicture() = default;

bool CanvasPicture::isEmpty() const
{
    return m_area.isEmpty();
}

void CanvasPicture::paint(QPainter& painter, const QRectF& target) const
{
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing | QPainter::SmoothPixmapTransform);
    m_scene->render(&painter, target, m_area, Qt::IgnoreAspectRatio);
}

QImage CanvasPicture::image(double scale) const
{
    const QSize size = (m_area.size() * scale).toSize();
    if (isEmpty() || size.width() > kLongestSide || size.height() > kLongestSide) {
        return {};
    }
    QImage picture(size, QImage::Format_ARGB32_Premultiplied);
    if (picture.isNull()) {
        return {};
    }
    constexpr double kInchesPerMetre = 1 / 0.0254;
    picture.setDotsPerMeterX(static_cast<int>(std::lround(kDotsPerInch * scale * kInchesPerMetre)));
    picture.setDotsPerMeterY(picture.dotsPerMeterX());
    picture.fill(m_theme->color(ColorRole::Surface));
    QPainter painter(&picture);
    paint(painter, QRectF(QPointF(), QSizeF(size)));
    return picture;
}

bool CanvasPicture::saveSvg(const QString& file) const
{
    QSvgGenerator generator;
    generator.setFileName(file);
    generator.setSize(m_area.size().toSize());
    generator.setViewBox(QRectF(QPointF(), m_area.size()));
    generator.setResolution(kDotsPerInch);
    generator.setTitle(m_title);
    QPainter target;
    if (!target.begin(&generator)) {
        return false;
    }
    OutlineDevice device(target, generator.size());
    QPainter painter(&device);
    paint(painter, QRectF(QPointF(), m_area.size()));
    painter.end();
    return target.end() && QFileInfo(file).size() > 0;
}

bool CanvasPicture::savePdf(const QString& file) const
{
    QPdfWriter writer(file);
    writer.setResolution(kDotsPerInch);
    writer.setTitle(m_title);
    writer.setCreator(QStringLiteral("Athanor"));
    writer.setPageSize(QPageSize(m_area.size() * kPointsPerPixel, QPageSize::Point, {}, QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    QPainter painter;
    if (!painter.begin(&writer)) {
        return false;
    }
    paint(painter, QRectF(QPointF(), m_area.size()));
    return painter.end() && QFileInfo(file).size() > 0;
}

Status CanvasPicture::save(const QString& file) const
{
    if (isEmpty()) {
        return cannot(CanvasPictureText::tr("There is nothing on this canvas yet."), file,
                      CanvasPictureText::tr("Add a node, or show the other canvas."));
    }
    const QString ending = QFileInfo(file).suffix().toLower();
    bool isDone = false;
    if (ending == u"svg") {
        isDone = saveSvg(file);
    } else if (ending == u"pdf") {
        isDone = savePdf(file);
    } else if (ending == u"png") {
        const QImage picture = image(kPixels);
        if (picture.isNull()) {
            return cannot(CanvasPictureText::tr("The graph is too large for a picture of pixels."), file,
                          CanvasPictureText::tr("Save it as SVG or PDF."));
        }
        isDone = picture.save(file);
    } else {
        return cannot(CanvasPictureText::tr("A picture cannot be saved as “.%1”.").arg(ending), file,
                      CanvasPictureText::tr("Use .svg, .png or .pdf."));
    }
    if (!isDone) {
        return Error{ErrorCode::NotFound, CanvasPictureText::tr("The picture could not be written.").toStdString(),
                     file.toStdString(), CanvasPictureText::tr("Is the folder there, and may you write to it?").toStdString(), {}};
    }
    return Done{};
}

} // namespace athanor
