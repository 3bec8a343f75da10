#include "ui/graph/outline_device.h"

#include <QPaintEngine>
#include <QPainter>
#include <QPainterPath>

namespace athanor {
namespace {

constexpr int kDotsPerInch = 96; // as a window's, so that texts take the room they take there
constexpr double kMillimetresPerInch = 25.4;

} // namespace

class OutlineDevice::Engine : public QPaintEngine {
public:
    explicit Engine(QPainter& target) : QPaintEngine(AllFeatures), m_target(target) {}

    bool begin(QPaintDevice*) override { return m_target.isActive(); }
    bool end() override { return true; }
    [[nodiscard]] Type type() const override { return User; }

    void updateState(const QPaintEngineState& state) override;
    void drawPath(const QPainterPath& path) override { m_target.drawPath(path); }
    void drawPolygon(const QPointF* points, int count, PolygonDrawMode mode) override;
    void drawPixmap(const QRectF& to, const QPixmap& pixmap, const QRectF& from) override { m_target.drawPixmap(to, pixmap, from); }
    void drawImage(const QRectF& to, const QImage& image, const QRectF& from, Qt::ImageConversionFlags flags) override
    {
        m_target.drawImage(to, image, from, flags);
    }
    void drawTextItem(const QPointF& at, const QTextItem& item) override;

private:
    QPainter& m_target;
};

void OutlineDevice::Engine::updateState(const QPaintEngineState& state)
{
    const DirtyFlags dirty = state.state();
    // First the transform: the clip is meant in it.
    if (dirty.testFlag(DirtyTransform)) {
        m_target.setTransform(state.transform());
    }
    if (dirty.testFlag(DirtyPen)) {
        m_target.setPen(state.pen());
    }
    if (dirty.testFlag(DirtyBrush)) {
        m_target.setBrush(state.brush());
    }
    if (dirty.testFlag(DirtyBrushOrigin)) {
        m_target.setBrushOrigin(state.brushOrigin());
    }
    if (dirty.testFlag(DirtyOpacity)) {
        m_target.setOpacity(state.opacity());
    }
    if (dirty.testFlag(DirtyHints)) {
        m_target.setRenderHints(m_target.renderHints(), false);
        m_target.setRenderHints(state.renderHints(), true);
    }
    if (dirty.testFlag(DirtyClipRegion)) {
        m_target.setClipRegion(state.clipRegion(), state.clipOperation());
    }
    if (dirty.testFlag(DirtyClipPath)) {
        m_target.setClipPath(state.clipPath(), state.clipOperation());
    }
    if (dirty.testFlag(DirtyClipEnabled)) {
        m_target.setClipping(state.isClipEnabled());
    }
}

void OutlineDevice::Engine::drawPolygon(const QPointF* points, int count, PolygonDrawMode mode)
{
    switch (mode) {
    case PolylineMode: m_target.drawPolyline(points, count); break;
    case ConvexMode: m_target.drawConvexPolygon(points, count); break;
    case WindingMode: m_target.drawPolygon(points, count, Qt::WindingFill); break;
    case OddEvenMode: m_target.drawPolygon(points, count, Qt::OddEvenFill); break;
    }
}

void OutlineDevice::Engine::drawTextItem(const QPointF& at, const QTextItem& item)
{
    QPainterPath outline;
    outline.addText(at, item.font(), item.text());
    m_target.fillPath(outline, m_target.pen().brush());
}

OutlineDevice::OutlineDevice(QPainter& target, const QSize& size) : m_engine(std::make_unique<Engine>(target)), m_size(size) {}

OutlineDevice::~OutlineDevice() = default;

QPaintEngine* OutlineDevice::paintEngine() const
{
    return m_engine.get();
}

int OutlineDevice::metric(PaintDeviceMetric metric) const
{
    switch (metric) {
    case PdmWidth: return m_size.width();
    case PdmHeight: return m_size.height();
    case PdmWidthMM: return qRound(m_size.width() * kMillimetresPerInch / kDotsPerInch);
    case PdmHeightMM: return qRound(m_size.height() * kMillimetresPerInch / kDotsPerInch);
    case PdmDpiX:
    case PdmDpiY:
    case PdmPhysicalDpiX:
    case PdmPhysicalDpiY: return kDotsPerInch;
    case PdmNumColors: return 0; // more than fit an int
    case PdmDepth: return 32;
    case PdmDevicePixelRatio: return 1;
    case PdmDevicePixelRatioScaled: return static_cast<int>(devicePixelRatioFScale());
    default: return QPaintDevice::metric(metric);
    }
}

} // namespace athanor
