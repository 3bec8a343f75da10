#include "ui/plot/viewport_gestures.h"

#include "ui/plot/plot_canvas.h"
#include "ui/plot/plot_viewport.h"

namespace athanor {

void steerViewport(PlotCanvas& canvas, PlotViewport& viewport, const std::function<void()>& changed)
{
    QObject::connect(&canvas, &PlotCanvas::wheelZoomed, &canvas,
                     [&viewport, changed](double factor, const QPointF& anchor, Qt::Orientation orientation) {
                         if (orientation == Qt::Horizontal)
                             viewport.zoomX(factor, anchor.x());
                         else
                             viewport.zoomY(factor, anchor.y());
                         changed();
                     });
    QObject::connect(&canvas, &PlotCanvas::rangeSelected, &canvas,
                     [&viewport, changed](double from, double to, Qt::Orientation orientation) {
                         if (orientation == Qt::Horizontal)
                             viewport.showX({from, to});
                         else
                             viewport.showY({from, to});
                         changed();
                     });
    QObject::connect(&canvas, &PlotCanvas::panned, &canvas, [&viewport, changed](double shareX, double shareY) {
        viewport.panX(shareX);
        viewport.panY(shareY);
        changed();
    });
}

} // namespace athanor
