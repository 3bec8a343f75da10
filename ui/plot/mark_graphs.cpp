#include "ui/plot/mark_graphs.h"

#include "ui/theme/theme.h"

namespace athanor {
namespace {

QCPGraph* addMarkGraph(PlotCanvas& canvas)
{
    QCPGraph* graph = canvas.addGraph(canvas.xAxis, canvas.edgeAxis());
    graph->setLineStyle(QCPGraph::lsNone);
    graph->setAdaptiveSampling(false);
    graph->setLayer(QStringLiteral("overlay"));
    return graph;
}

} // namespace

MetricPlot::MarkGraphs::MarkGraphs(PlotCanvas& canvas)
    : nonFinite(addMarkGraph(canvas)), nonPositive(addMarkGraph(canvas)), edits(addMarkGraph(canvas)),
      warnings(addMarkGraph(canvas)), errors(addMarkGraph(canvas)), emptyText(new QCPItemText(&canvas))
{
    emptyText->position->setType(QCPItemPosition::ptAxisRectRatio);
    emptyText->position->setCoords(0.5, 0.5);
    emptyText->setVisible(false);
}

void MetricPlot::MarkGraphs::setColors(const Theme& theme)
{
    const auto paint = [&](QCPGraph* graph, QCPScatterStyle::ScatterShape shape, ColorRole role, double size) {
        const QColor color = theme.color(role);
        graph->setScatterStyle(QCPScatterStyle(shape, QPen(color, 1), QBrush(color), size));
    };
    paint(nonFinite, QCPScatterStyle::ssTriangleInverted, ColorRole::Bad, 7);
    paint(nonPositive, QCPScatterStyle::ssTriangle, ColorRole::Muted, 7);
    paint(edits, QCPScatterStyle::ssDiamond, ColorRole::Accent, 8);
    paint(warnings, QCPScatterStyle::ssSquare, ColorRole::Warn, 6);
    paint(errors, QCPScatterStyle::ssSquare, ColorRole::Bad, 6);
    emptyText->setColor(theme.color(ColorRole::Muted));
    emptyText->setFont(theme.font(FontRole::Body));
}

} // namespace athanor
