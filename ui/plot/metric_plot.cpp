#include "ui/plot/metric_plot.h"

#include "ui/plot/mark_graphs.h"
#include "ui/plot/plot_canvas.h"
#include "ui/plot/plot_curve.h"
#include "ui/plot/plot_legend.h"
#include "ui/plot/step_cursor.h"
#include "ui/plot/viewport_gestures.h"
#include "ui/theme/theme.h"

#include <QContextMenuEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace athanor {
namespace {

constexpr auto kSmoothLayer = "smoothed";
constexpr int kIconSize = 16;

QLabel* makeBadge(const char* objectName)
{
    auto* badge = new QLabel;
    badge->setObjectName(QLatin1String(objectName));
    badge->hide();
    return badge;
}

std::vector<std::string> parts(const std::string& name)
{
    std::vector<std::string> result{{}};
    for (const char c : name) {
        if (c == '/')
            result.emplace_back();
        else
            result.back() += c;
    }
    return result;
}

} // namespace

std::vector<QString> distinguishingLabels(const std::vector<std::string>& names)
{
    std::vector<std::vector<std::string>> split;
    std::size_t shortest = names.empty() ? 0 : std::numeric_limits<std::size_t>::max();
    for (const std::string& name : names) {
        split.push_back(parts(name));
        shortest = std::min(shortest, split.back().size());
    }
    // At least one part stays of the shortest name.
    std::size_t front = 0;
    std::size_t back = 0;
    const auto allEqual = [&](auto part) {
        return std::all_of(split.begin(), split.end(), [&](const auto& name) { return part(name) == part(split[0]); });
    };
    while (front + 1 < shortest && allEqual([&](const auto& name) { return name[front]; }))
        ++front;
    while (front + back + 1 < shortest && names.size() > 1 &&
           allEqual([&](const auto& name) { return name[name.size() - 1 - back]; }))
        ++back;
    std::vector<QString> labels;
    for (const auto& name : split) {
        QStringList kept;
        for (std::size_t i = front; i < name.size() - back; ++i)
            kept << QString::fromStdString(name[i]);
        labels.push_back(kept.join(u'/'));
    }
    return labels;
}

MetricPlot::MetricPlot(Theme& theme, StepCursor& cursor, QWidget* parent)
    : QFrame(parent), m_theme(theme), m_cursor(cursor), m_legend(new PlotLegend(theme)), m_canvas(new PlotCanvas(theme))
{
    setProperty("look", "card");
    setObjectName(QStringLiteral("metricPlot"));
    m_canvas->setObjectName(QStringLiteral("plotCanvas"));
    m_canvas->addLayer(QLatin1String(kSmoothLayer), m_canvas->layer(QStringLiteral("main")), QCustomPlot::limAbove);
    m_markGraphs = std::make_unique<MarkGraphs>(*m_canvas);
    m_legend->setObjectName(QStringLiteral("plotLegend"));

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(spacing::kBetween, spacing::kInside, spacing::kInside, spacing::kInside);
    layout->setSpacing(spacing::kInside);
    layout->addWidget(makeHeader());
    layout->addWidget(m_legend);
    layout->addWidget(m_canvas, 1);

    connectCanvas();
    connect(m_legend, &PlotLegend::shownChanged, this, &MetricPlot::setCurveShown);
    connect(m_legend, &PlotLegend::isolateRequested, this, &MetricPlot::isolateCurve);
    connect(&m_cursor, &StepCursor::changed, this, &MetricPlot::updateReadout);
    connect(&m_theme, &Theme::changed, this, &MetricPlot::updateLooks);
    updateLooks();
    updateButtons();
}

MetricPlot::~MetricPlot() = default;

QWidget* MetricPlot::makeHeader()
{
    auto* header = new QWidget;
    header->setObjectName(QStringLiteral("plotHeader"));
    header->setCursor(Qt::OpenHandCursor);
    header->installEventFilter(this);
    m_titleLabel = new QLabel;
    m_titleLabel->setObjectName(QStringLiteral("plotTitle"));
    m_titleLabel->setProperty("look", "heading");
    m_titleLabel->setMinimumWidth(1);
    m_remark = new QLabel;
    m_remark->setObjectName(QStringLiteral("plotRemark"));
    m_remark->setProperty("look", "small");
    m_nonFiniteBadge = makeBadge("nonFiniteBadge");
    m_nonPositiveBadge = makeBadge("nonPositiveBadge");
    m_historyBadge = makeBadge("historyBadge");

    m_smoothButton = makeButton("smoothButton", QStringLiteral("smooth"), tr("Smooth (S)"), true);
    m_logButton = makeButton("logButton", QStringLiteral("log-scale"), tr("Logarithmic values (L)"), true);
    m_followButton = makeButton("followButton", QStringLiteral("follow"), tr("Follow the run (F, double click)"), true);
    m_menuButton = makeButton("menuButton", QStringLiteral("chevron-down"), tr("More for this plot"), false);
    m_closeButton = makeButton("closeButton", QStringLiteral("close"), tr("Close this plot"), false);
    connect(m_smoothButton, &QToolButton::clicked, this, &MetricPlot::toggleSmoothing);
    connect(m_logButton, &QToolButton::clicked, this, &MetricPlot::setLogarithmic);
    connect(m_followButton, &QToolButton::clicked, this, &MetricPlot::follow);
    connect(m_closeButton, &QToolButton::clicked, this, &MetricPlot::closeRequested);
    connect(m_menuButton, &QToolButton::clicked, this, [this] {
        QContextMenuEvent event(QContextMenuEvent::Keyboard, m_menuButton->geometry().bottomLeft(),
                                m_menuButton->mapToGlobal(m_menuButton->rect().bottomLeft()));
        contextMenuEvent(&event);
    });

    auto* row = new QHBoxLayout(header);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(spacing::kInside);
    row->addWidget(m_titleLabel, 0);
    row->addWidget(m_remark);
    for (QLabel* badge : {m_nonFiniteBadge, m_nonPositiveBadge, m_historyBadge})
        row->addWidget(badge);
    row->addStretch(1);
    for (QToolButton* button : {m_smoothButton, m_logButton, m_followButton, m_menuButton, m_closeButton})
        row->addWidget(button);
    return header;
}

QToolButton* MetricPlot::makeButton(const char* objectName, const QString& icon, const QString& text, bool isCheckable)
{
    auto* button = new QToolButton;
    button->setObjectName(QLatin1String(objectName));
    button->setIcon(m_theme.icon(icon, ColorRole::Muted));
    button->setIconSize(QSize(kIconSize, kIconSize));
    button->setToolTip(text);
    button->setAccessibleName(text);
    button->setCheckable(isCheckable);
    button->setFocusPolicy(Qt::TabFocus);
    button->setCursor(Qt::ArrowCursor);
    return button;
}

void MetricPlot::connectCanvas()
{
    steerViewport(*m_canvas, m_viewport, [this] { changeView(); });
    connect(m_canvas, &PlotCanvas::hovered, this, [this](double step) { m_cursor.setStep(std::llround(step)); });
    connect(m_canvas, &PlotCanvas::pointerLeft, this, [this] { m_cursor.setStep({}); });
    connect(m_canvas, &PlotCanvas::clicked, this, &MetricPlot::handleClick);
    connect(m_canvas, &PlotCanvas::doubleClicked, this, &MetricPlot::follow);
}

void MetricPlot::setTitle(const QString& title, const QString& unit)
{
    m_title = title;
    m_unit = unit;
    const QString text = unit.isEmpty() ? title : tr("%1 (%2)", "title and unit").arg(title, unit);
    m_titleLabel->setText(text);
    setAccessibleName(tr("Plot: %1").arg(text));
    m_canvas->setAccessibleName(tr("Curves of %1").arg(text));
    m_canvas->setAccessibleDescription(tr("Plus and minus zoom, arrow keys move, Shift with arrow keys reads values, "
                                          "F follows the run, L logarithmic, S smooth."));
}

void MetricPlot::setRemark(const QString& remark, const QString& toolTip)
{
    m_remark->setText(remark);
    m_remark->setToolTip(toolTip);
    m_remark->setVisible(!remark.isEmpty());
}

void MetricPlot::addCurve(std::shared_ptr<SeriesSource> source, const std::string& series)
{
    auto added = std::make_unique<PlotCurve>();
    added->source = std::move(source);
    added->series = series;
    added->line = m_canvas->addGraph();
    added->smoothed = m_canvas->addGraph();
    added->smoothed->setLayer(QLatin1String(kSmoothLayer));
    added->dots = m_canvas->addGraph();
    added->dots->setLineStyle(QCPGraph::lsNone);
    if (series.rfind("val/", 0) == 0 || series.rfind("test/", 0) == 0) {
        // Their few points would vanish under the band of the training.
        added->line->setLayer(QLatin1String(kSmoothLayer));
        added->dots->setLayer(QLatin1String(kSmoothLayer));
    }
    for (QCPGraph* graph : {added->line, added->smoothed, added->dots})
        graph->setAdaptiveSampling(false); // what comes here is reduced already
    m_curves.push_back(std::move(added));
    updateLooks();
}

bool MetricPlot::removeCurve(const std::string& series)
{
    const auto removed = std::erase_if(m_curves, [&](const auto& curve) {
        if (curve->series != series)
            return false;
        for (QCPGraph* graph : {curve->line, curve->smoothed, curve->dots})
            m_canvas->removeGraph(graph);
        return true;
    });
    if (removed > 0)
        updateLooks();
    return removed > 0;
}

void MetricPlot::clearCurves()
{
    while (!m_curves.empty())
        removeCurve(std::string(m_curves.back()->series));
}

QStringList MetricPlot::series() const
{
    QStringList names;
    for (const auto& curve : m_curves)
        names << curve->name();
    return names;
}

PlotCurve* MetricPlot::curve(const QString& series) const
{
    const auto found =
        std::find_if(m_curves.begin(), m_curves.end(), [&](const auto& curve) { return curve->name() == series; });
    return found == m_curves.end() ? nullptr : found->get();
}

const CurveDrawing* MetricPlot::drawing(const std::string& series) const
{
    const PlotCurve* found = curve(QString::fromStdString(series));
    return found != nullptr ? &found->drawing : nullptr;
}

void MetricPlot::follow()
{
    m_viewport.follow();
    changeView();
}

void MetricPlot::setFixed(bool isFixed)
{
    if (isFixed)
        m_viewport.fix();
    else
        m_viewport.follow();
    changeView();
}

void MetricPlot::showSteps(double from, double to)
{
    m_viewport.showX({from, to});
    changeView();
}

void MetricPlot::setLogarithmic(bool isLogarithmic)
{
    m_viewport.setScale(isLogarithmic ? ValueScale::Log : ValueScale::Linear);
    changeView();
    Q_EMIT optionsChanged();
}

void MetricPlot::setSmoothingSpan(int steps)
{
    m_smoothingSpan = std::max(0, steps);
    if (m_smoothingSpan > 0)
        m_lastSpan = m_smoothingSpan;
    updateLooks();
    Q_EMIT optionsChanged();
}

void MetricPlot::toggleSmoothing()
{
    if (m_lastSpan == 0)
        m_lastSpan = suitableSpan();
    setSmoothingSpan(m_smoothingSpan > 0 ? 0 : m_lastSpan);
}

bool MetricPlot::isCurveShown(const QString& series) const
{
    const PlotCurve* found = curve(series);
    return found != nullptr && found->isShown;
}

void MetricPlot::setCurveShown(const QString& series, bool isShown)
{
    for (const auto& curve : m_curves) {
        if (curve->name() == series)
            curve->isShown = isShown;
    }
    changeView();
    updateLegend();
    Q_EMIT optionsChanged();
}

void MetricPlot::isolateCurve(const QString& series)
{
    const bool isAlone = std::all_of(m_curves.begin(), m_curves.end(), [&](const auto& curve) {
        return curve->isShown == (curve->name() == series);
    });
    for (const auto& curve : m_curves)
        curve->isShown = isAlone || curve->name() == series;
    changeView();
    updateLegend();
    Q_EMIT optionsChanged();
}

QStringList MetricPlot::hiddenSeries() const
{
    QStringList names;
    for (const auto& curve : m_curves) {
        if (!curve->isShown)
            names << curve->name();
    }
    return names;
}

void MetricPlot::setMarks(const std::vector<PlotMark>& marks)
{
    if (marks == m_marks)
        return;
    m_marks = marks;
    changeView();
}

void MetricPlot::setHighlighted(const std::set<std::string>& series)
{
    if (series == m_highlighted)
        return;
    m_highlighted = series;
    updateLooks();
}

void MetricPlot::changeView()
{
    m_isDirty = true;
    updateButtons();
}

void MetricPlot::updateButtons()
{
    const RangeMode mode = m_viewport.mode();
    m_followButton->setChecked(mode == RangeMode::Follow);
    m_followButton->setToolTip(mode == RangeMode::Follow ? tr("Follows the run. Wheel or drag to zoom (Ctrl: values).")
                               : mode == RangeMode::Zoomed ? tr("Zoomed. Follow the run again (F, double click)")
                                                           : tr("The range is fixed. Follow the run again (F)"));
    m_logButton->setChecked(isLogarithmic());
    m_smoothButton->setChecked(m_smoothingSpan > 0);
    m_smoothButton->setToolTip(m_smoothingSpan > 0
                                   ? tr("Smoothed over %n step(s); click (S): raw values only", nullptr, m_smoothingSpan)
                                   : tr("Smooth (S)"));
}

} // namespace athanor
