// GUI thread. Paints onto another painter with every text turned into outlines.
#pragma once

#include <QPaintDevice>
#include <QRectF>

#include <memory>

class QPainter;

namespace athanor {

/// For formats that do not carry their fonts along (SVG): what is painted here looks the same wherever it is opened.
class OutlineDevice : public QPaintDevice {
public:
    /// `target` is borrowed, open, and outlives the device; `size` is the area in its units.
    OutlineDevice(QPainter& target, const QSize& size);
    ~OutlineDevice() override;

    [[nodiscard]] QPaintEngine* paintEngine() const override;

protected:
    [[nodiscard]] int metric(PaintDeviceMetric metric) const override;

private:
    class Engine;
    std::unique_ptr<Engine> m_engine;
    QSize m_size;
};

} // namespace athanor
