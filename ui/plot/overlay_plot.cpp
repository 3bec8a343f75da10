#include "ui/plot/overlay_plot.h"

#include "ui/bridge/text_format.h"
#include "ui/plot/dense_lines.h"
#include "ui/plot/plot_canvas.h"
#include "ui/plot/plot_legend.h"
#include "ui/theme/theme.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <map>

namespace athanor {
namespace {

constexpr std::size_t kRawLimit = 16'384;     // points in sight that are reduced as they are
constexpr std::size_t kOutlinePoints = 8'192; // of a whole curve when more are in sight
constexpr std::size_t kFewPoints = 400;
constexpr std::size_t kManyCurves = 24;
constexpr std::size_t kDense =
    30'000; ///< points of all curves together: as many take longer than a frame when drawn one by one
constexpr double kFewPointsWidth = 1.6; // wide lines of many points are slow to draw
constexpr std::size_t kCurvesWithValues = 4;
constexpr int kBandOpacity = 45;
constexpr double kMarkRow = 6;
constexpr int kIconSize = 16;
constexpr QSize kSmallest(260, 220);

/// The points of `curve` in [from, to] with one more on each side.
std::pair<std::size_t, std::size_t> inSight(const std::vector<double>& x, double from, double to)
{
    auto first = std::lower_bound(x.begin(), x.end(), from);
    auto last = std::upper_bound(x.begin(), x.end(), to);
    if (first != x.begin())
        --first;
    if (last != x.end())
        ++last;
    return {static_cast<std::size_t>(first - x.begin()), static_cast<std::size_t>(last - x.begin())};
}

QVector<QCPGraphData> graphData(const std::vector<PlotPoint>& points)
{
    QVector<QCPGraphData> data;
    data.reserve(static_cast<qsizetype>(points.size()));
    for (const PlotPoint& point : points)
        data.append(QCPGraphData(point.x, point.y));
    return data;
}

} // namespace

struct OverlayPlot::Drawn {
    OverlayCurve curve;
    Curve outline; ///< of a long curve; else empty
    bool isShown = true;
    std::int64_t nonFinite = 0;
    ReducedCurve drawing;
    QCPGraph* line = nullptr; ///< all of the canvas
    QCPGraph* dots = nullptr;
    QCPGraph* low = nullptr;
    QCPGraph* high = nullptr;

    [[nodiscard]] ReducedCurve reduced(const PixelColumns& columns, ValueScale scale) const
    {
        auto [first, last] = inSight(curve.curve.x, columns.from, columns.to);
        const Curve* source = &curve.curve;
        if (last - first > kRawLimit && !outline.empty()) {
            source = &outline;
            std::tie(first, last) = inSight(outline.x, columns.from, columns.to);
        }
        ColumnReducer reducer(columns, scale);
        for (std::size_t i = first; i < last; ++i)
            reducer.add(source->x[i], source->y[i]);
        return reducer.finish();
    }
    [[nodiscard]] ReducedCurve reducedEdge(const std::vector<double>& edge, const PixelColumns& columns,
                                           ValueScale scale) const
    {
        const auto [first, last] = inSight(curve.curve.x, columns.from, columns.to);
        ColumnReducer reducer(columns, scale);
        for (std::size_t i = first; i < last; ++i)
            reducer.add(curve.curve.x[i], edge[i]);
        return reducer.finish();
    }
    /// The point nearest to x; nullopt when the curve is not there.
    [[nodiscard]] std::optional<PlotPoint> nearest(double x) const
    {
        const auto& xs = curve.curve.x;
        if (xs.empty())
            return std::nullopt;
        auto at = static_cast<std::size_t>(std::lower_bound(xs.begin(), xs.end(), x) - xs.begin());
        if (at == xs.size() || (at > 0 && x - xs[at - 1] < xs[at] - x))
            --at;
        return PlotPoint{xs[at], curve.curve.y[at]};
    }
};

struct OverlayPlot::Marks {
    DenseLines* dense = nullptr;
    QCPGraph* nonFinite = nullptr;
    QCPItemText* emptyText = nullptr;
};

OverlayPlot::OverlayPlot(Theme& theme, QWidget* parent)
    : QFrame(parent), m_theme(theme), m_legend(new PlotLegend(theme)), m_canvas(new PlotCanvas(theme)),
      m_marks(std::make_unique<Marks>())
{
    setProperty("look", "card");
    setObjectName(QStringLiteral("overlayPlot"));
    setMinimumSize(kSmallest);
    m_canvas->setObjectName(QStringLiteral("overlayCanvas"));
    m_canvas->setWheelNeedsFocus(true);
    m_canvas->installEventFilter(this);
    m_legend->setObjectName(QStringLiteral("overlayLegend"));
    m_marks->dense = new DenseLines(*m_canvas); // the canvas owns it
    m_marks->nonFinite = m_canvas->addGraph(m_canvas->xAxis, m_canvas->edgeAxis());
    m_marks->nonFinite->setLineStyle(QCPGraph::lsNone);
    m_marks->nonFinite->setLayer(QStringLiteral("overlay"));
    m_marks->emptyText = new QCPItemText(m_canvas);
    m_marks->emptyText->position->setType(QCPItemPosition::ptAxisRectRatio);
    m_marks->emptyText->position->setCoords(0.5, 0.5);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(spacing::kBetween, spacing::kInside, spacing::kInside, spacing::kInside);
    layout->setSpacing(spacing::kInside);
    layout->addWidget(makeHeader());
    layout->addWidget(m_legend);
    layout->addWidget(m_canvas, 1);
    connectCanvas();
    connect(m_legend, &PlotLegend::shownChanged, this, &OverlayPlot::setCurveShown);
    connect(m_legend, &PlotLegend::isolateRequested, this, [this](const QString& key) {
        const bool isAlone = std::all_of(m_curves.begin(), m_curves.end(), [&](const auto& one) {
            return one->isShown == (one->curve.key == key);
        });
        for (const auto& one : m_curves)
            one->isShown = isAlone || one->curve.key == key;
        updateLegend();
        changeView();
    });
    connect(&theme, &Theme::changed, this, &OverlayPlot::updateLooks);
    updateLooks();
}

OverlayPlot::~OverlayPlot() = default;

QWidget* OverlayPlot::makeHeader()
{
    const auto makeButton = [this](const char* name, const QString& icon, const QString& text) {
        auto* button = new QToolButton;
        button->setObjectName(QLatin1String(name));
        button->setIcon(m_theme.icon(icon, ColorRole::Muted));
        button->setIconSize(QSize(kIconSize, kIconSize));
        button->setToolTip(text);
        button->setAccessibleName(text);
        button->setFocusPolicy(Qt::TabFocus);
        return button;
    };
    m_titleLabel = new QLabel;
    m_titleLabel->setProperty("look", "heading");
    m_titleLabel->setMinimumWidth(1);
    m_nonFiniteBadge = new QLabel;
    m_nonFiniteBadge->setObjectName(QStringLiteral("overlayNonFinite"));
    m_nonFiniteBadge->hide();
    m_logButton = makeButton("overlayLog", QStringLiteral("log-scale"), tr("Logarithmic values (L)"));
    m_logButton->setCheckable(true);
    m_allButton = makeButton("overlayAll", QStringLiteral("fit"), tr("Show everything (F, double click)"));
    m_saveButton = makeButton("overlaySave", QStringLiteral("save"), tr("Save as picture or CSV…"));
    connect(m_logButton, &QToolButton::clicked, this, &OverlayPlot::setLogarithmic);
    connect(m_allButton, &QToolButton::clicked, this, &OverlayPlot::showAll);
    connect(m_saveButton, &QToolButton::clicked, this, &OverlayPlot::saveAs);
    auto* header = new QWidget;
    auto* row = new QHBoxLayout(header);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(spacing::kInside);
    row->addWidget(m_titleLabel);
    row->addWidget(m_nonFiniteBadge);
    row->addStretch(1);
    for (QToolButton* button : {m_logButton, m_allButton, m_saveButton})
        row->addWidget(button);
    return header;
}

void OverlayPlot::connectCanvas()
{
    connect(m_canvas, &PlotCanvas::wheelZoomed, this,
            [this](double factor, const QPointF& anchor, Qt::Orientation orientation) {
                if (orientation == Qt::Horizontal)
                    m_viewport.zoomX(factor, anchor.x());
                else
                    m_viewport.zoomY(factor, anchor.y());
                changeView();
            });
    connect(m_canvas, &PlotCanvas::rangeSelected, this,
            [this](double from, double to, Qt::Orientation orientation) {
                if (orientation == Qt::Horizontal)
                    m_viewport.showX({from, to});
                else
                    m_viewport.showY({from, to});
                changeView();
            });
    connect(m_canvas, &PlotCanvas::panned, this, [this](double shareX, double shareY) {
        m_viewport.panX(shareX);
        m_viewport.panY(shareY);
        changeView();
    });
    connect(m_canvas, &PlotCanvas::hovered, this, &OverlayPlot::showReadout);
    connect(m_canvas, &PlotCanvas::pointerLeft, this, [this] { m_canvas->setReadout({}); });
    connect(m_canvas, &PlotCanvas::doubleClicked, this, &OverlayPlot::showAll);
}

void OverlayPlot::setTitle(const QString& title)
{
    m_title = title;
    m_titleLabel->setText(title);
    setAccessibleName(tr("Plot: %1").arg(title));
    m_canvas->setAccessibleName(tr("Curves of %1").arg(title));
}

void OverlayPlot::setXTitle(const QString& title)
{
    m_canvas->xAxis->setLabel(title);
    changeView();
}

void OverlayPlot::setCurves(std::vector<OverlayCurve> curves)
{
    std::map<QString, bool> shown;
    for (const auto& one : m_curves) {
        shown[one->curve.key] = one->isShown;
        for (QCPGraph* graph : {one->line, one->dots, one->low, one->high})
            if (graph != nullptr)
                m_canvas->removeGraph(graph);
    }
    m_curves.clear();
    for (OverlayCurve& curve : curves) {
        auto one = std::make_unique<Drawn>();
        one->curve = std::move(curve);
        if (const auto before = shown.find(one->curve.key); before != shown.end())
            one->isShown = before->second;
        if (one->curve.curve.x.size() > kRawLimit)
            one->outline = outlined(one->curve.curve, kOutlinePoints);
        one->nonFinite = std::count_if(one->curve.curve.y.begin(), one->curve.curve.y.end(),
                                       [](double y) { return !std::isfinite(y); });
        if (!one->curve.low.empty()) {
            one->low = m_canvas->addGraph();
            one->high = m_canvas->addGraph();
            one->high->setChannelFillGraph(one->low);
        }
        one->line = m_canvas->addGraph();
        one->dots = m_canvas->addGraph();
        one->dots->setLineStyle(QCPGraph::lsNone);
        for (QCPGraph* graph : {one->line, one->dots, one->low, one->high})
            if (graph != nullptr)
                graph->setAdaptiveSampling(false); // what comes here is reduced already
        m_curves.push_back(std::move(one));
    }
    m_canvas->setReadout({});
    updateLooks();
}

const OverlayCurve& OverlayPlot::curve(std::size_t index) const
{
    return m_curves[index]->curve;
}

std::size_t OverlayPlot::drawnPoints(std::size_t index) const
{
    return m_curves[index]->drawing.line.size();
}

bool OverlayPlot::isCurveShown(const QString& key) const
{
    return std::any_of(m_curves.begin(), m_curves.end(),
                       [&key](const auto& one) { return one->curve.key == key && one->isShown; });
}

void OverlayPlot::setCurveShown(const QString& key, bool isShown)
{
    for (const auto& one : m_curves)
        if (one->curve.key == key)
            one->isShown = isShown;
    updateLegend();
    changeView();
}

void OverlayPlot::setLogarithmic(bool isLogarithmic)
{
    m_logButton->setChecked(isLogarithmic);
    m_viewport.setScale(isLogarithmic ? ValueScale::Log : ValueScale::Linear);
    changeView();
    Q_EMIT logarithmicChanged(isLogarithmic);
}

void OverlayPlot::showAll()
{
    m_viewport.follow();
    changeView();
}

void OverlayPlot::changeView()
{
    m_isDirty = true;
}

void OverlayPlot::updateLooks()
{
    for (const auto& one : m_curves) {
        const QColor color = one->curve.color;
        one->line->setPen(QPen(color, 1, one->curve.style));
        one->dots->setScatterStyle(
            QCPScatterStyle(QCPScatterStyle::ssDisc, QPen(color, 1), QBrush(color), 4));
        if (one->high == nullptr)
            continue;
        QColor fill = color;
        fill.setAlpha(kBandOpacity);
        one->low->setPen(Qt::NoPen);
        one->high->setPen(Qt::NoPen);
        one->high->setBrush(fill);
    }
    const QColor bad = m_theme.color(ColorRole::Bad);
    m_marks->nonFinite->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssTriangleInverted, QPen(bad, 1), QBrush(bad), 7));
    m_marks->emptyText->setColor(m_theme.color(ColorRole::Muted));
    m_marks->emptyText->setFont(m_theme.font(FontRole::Body));
    QPalette palette = m_nonFiniteBadge->palette();
    palette.setColor(QPalette::WindowText, bad);
    m_nonFiniteBadge->setPalette(palette);
    m_nonFiniteBadge->setFont(m_theme.font(FontRole::Small));
    m_logButton->setIcon(m_theme.icon(QStringLiteral("log-scale"), ColorRole::Muted));
    m_allButton->setIcon(m_theme.icon(QStringLiteral("fit"), ColorRole::Muted));
    m_saveButton->setIcon(m_theme.icon(QStringLiteral("save"), ColorRole::Muted));
    updateLegend();
    changeView();
}

void OverlayPlot::updateLegend()
{
    std::vector<LegendEntry> entries;
    std::int64_t nonFinite = 0;
    for (const auto& one : m_curves) {
        LegendEntry entry{one->curve.key,   one->curve.label, {},   one->curve.color,
                          one->curve.style, one->isShown,     false};
        if (m_curves.size() <= kCurvesWithValues && !one->curve.curve.empty())
            entry.value = numberText(one->curve.curve.y.back());
        entries.push_back(std::move(entry));
        nonFinite += one->isShown ? one->nonFinite : 0;
    }
    m_legend->setEntries(entries);
    m_nonFiniteBadge->setVisible(nonFinite > 0);
    m_nonFiniteBadge->setText(tr("▼ %1 NaN/∞").arg(countText(nonFinite)));
}

bool OverlayPlot::wantsRefresh() const
{
    return isVisible() && !m_canvas->visibleRegion().isEmpty() &&
           (m_isDirty || m_drawnColumns != m_canvas->columnCount());
}

void OverlayPlot::refresh()
{
    m_isDirty = false;
    m_drawnColumns = m_canvas->columnCount();
    double first = std::numeric_limits<double>::infinity();
    double last = -first;
    for (const auto& one : m_curves) {
        if (!one->isShown || one->curve.curve.empty())
            continue;
        first = std::min(first, one->curve.curve.x.front());
        last = std::max(last, one->curve.curve.x.back());
    }
    if (first <= last)
        m_viewport.setDataSteps(first, last);
    // Of many curves a column of two pixels is what the eye can tell apart; extremes stay.
    const int columnWidth = m_curves.size() > kManyCurves ? 2 : 1;
    const PixelColumns columns{m_viewport.x().from, m_viewport.x().to,
                               std::max(1, m_drawnColumns / columnWidth)};
    double minimum = std::numeric_limits<double>::infinity();
    double maximum = -minimum;
    std::vector<double> nonFinite;
    bool hasPoints = false;
    std::size_t points = 0;
    for (const auto& one : m_curves) {
        one->drawing = one->isShown ? one->reduced(columns, m_viewport.scale()) : ReducedCurve{};
        minimum = std::min(minimum, one->drawing.minimum);
        maximum = std::max(maximum, one->drawing.maximum);
        nonFinite.insert(nonFinite.end(), one->drawing.nonFinite.begin(), one->drawing.nonFinite.end());
        hasPoints = hasPoints || !one->drawing.line.empty() || !one->drawing.nonFinite.empty();
        points += one->drawing.line.size();
        const bool hasFewPoints = one->drawing.line.size() <= kFewPoints;
        QPen pen = one->line->pen();
        pen.setWidthF(hasFewPoints ? kFewPointsWidth : 1);
        pen.setStyle(hasFewPoints ? one->curve.style
                                  : Qt::SolidLine); // dashes of a dense curve cannot be seen
        one->line->setPen(pen);
        one->line->setAntialiased(hasFewPoints);
        one->dots->data()->set(
            graphData(one->drawing.visiblePoints < 2 ? one->drawing.line : one->drawing.isolated), true);
        if (one->low == nullptr)
            continue;
        const ReducedCurve low =
            one->isShown ? one->reducedEdge(one->curve.low, columns, m_viewport.scale()) : ReducedCurve{};
        const ReducedCurve high =
            one->isShown ? one->reducedEdge(one->curve.high, columns, m_viewport.scale()) : ReducedCurve{};
        minimum = std::min(minimum, low.minimum);
        maximum = std::max(maximum, high.maximum);
        one->low->data()->set(graphData(low.line), true);
        one->high->data()->set(graphData(high.line), true);
    }
    std::vector<DenseLines::Line> dense;
    for (const auto& one : m_curves) {
        one->line->data()->set(points > kDense ? QVector<QCPGraphData>() : graphData(one->drawing.line),
                               true);
        if (points > kDense)
            dense.push_back({one->drawing.line, one->curve.color});
    }
    m_marks->dense->setLines(std::move(dense));
    m_viewport.setVisibleValues(minimum, maximum);
    std::sort(nonFinite.begin(), nonFinite.end());
    QVector<QCPGraphData> marks;
    for (const double x : onePerColumn(nonFinite, columns))
        marks.append(QCPGraphData(x, 1 - m_canvas->edgeDistance(kMarkRow)));
    m_marks->nonFinite->data()->set(marks, true);
    m_marks->emptyText->setVisible(!hasPoints);
    m_marks->emptyText->setText(m_curves.empty() ? tr("None of the runs has this series")
                                                 : tr("Nothing in this range; F shows everything"));
    m_canvas->setRanges(m_viewport.x(), m_viewport.y(), m_viewport.scale());
    m_canvas->replot(QCustomPlot::rpQueuedReplot);
}

std::chrono::nanoseconds OverlayPlot::paintCost() const
{
    return std::chrono::nanoseconds(static_cast<std::int64_t>(m_canvas->replotTime() * 1e6));
}

void OverlayPlot::showReadout(double x)
{
    CursorReadout readout;
    readout.step = x;
    readout.head = m_canvas->xAxis->label() + u' ' + numberText(x, 6);
    for (const auto& one : m_curves) {
        if (!one->isShown)
            continue;
        CursorReadout::Row row{one->curve.color, one->curve.style, one->curve.label, tr("–"), {}};
        if (const auto point = one->nearest(x)) {
            row.value = numberText(point->y);
            if (std::isfinite(point->y))
                row.point = point;
        }
        readout.rows.push_back(std::move(row));
    }
    m_canvas->setReadout(readout);
}

void OverlayPlot::keyPressEvent(QKeyEvent* event)
{
    if (event->modifiers() != Qt::NoModifier)
        return QFrame::keyPressEvent(event);
    switch (event->key()) {
    case Qt::Key_F:
        return showAll();
    case Qt::Key_L:
        return setLogarithmic(!isLogarithmic());
    default:
        QFrame::keyPressEvent(event);
    }
}

bool OverlayPlot::eventFilter(QObject* object, QEvent* event)
{
    if (object == m_canvas && event->type() == QEvent::KeyPress) {
        auto* key = static_cast<QKeyEvent*>(event);
        if (key->modifiers() == Qt::NoModifier && (key->key() == Qt::Key_F || key->key() == Qt::Key_L)) {
            keyPressEvent(key);
            return true;
        }
    }
    return QFrame::eventFilter(object, event);
}

void OverlayPlot::saveAs()
{
    const QString file = QFileDialog::getSaveFileName(
        this, tr("Save plot"), QString(),
        tr("PNG picture (*.png);;SVG picture (*.svg);;PDF (*.pdf);;Values (*.csv)"));
    if (file.isEmpty())
        return;
    const Status saved = file.endsWith(u".csv") ? writeText(file, csv()) : savePicture(file);
    if (saved)
        Q_EMIT exported(file);
    else
        Q_EMIT exportFailed(saved.error());
}

Status OverlayPlot::savePicture(const QString& file) const
{
    auto* self = const_cast<OverlayPlot*>(this); // drawing changes what is cached, nothing else
    return writePicture(file, size(), m_title, [self](QPaintDevice& device) {
        QPainter painter(&device);
        self->render(&painter);
    });
}

QString OverlayPlot::csv() const
{
    std::map<double, std::vector<QString>> rows;
    QString text = QStringLiteral("x");
    std::size_t column = 0;
    for (const auto& one : m_curves) {
        if (!one->isShown)
            continue;
        QString name = one->curve.label;
        text += QStringLiteral(",\"%1\"").arg(name.replace(u'"', QStringLiteral("\"\"")));
        for (std::size_t i = 0; i < one->curve.curve.x.size(); ++i) {
            std::vector<QString>& row = rows[one->curve.curve.x[i]];
            row.resize(column + 1);
            row[column] = exactText(one->curve.curve.y[i]);
        }
        ++column;
    }
    text += u'\n';
    for (auto& [x, row] : rows) {
        row.resize(column);
        text += exactText(x);
        for (const QString& cell : row)
            text += u',' + cell;
        text += u'\n';
    }
    return text;
}

} // namespace athanor
