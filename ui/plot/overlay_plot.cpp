#include "ui/plot/overlay_plot.h"

#include "ui/plot/overlay_parts.h"
#include "ui/plot/plot_legend.h"
#include "ui/plot/viewport_gestures.h"
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

constexpr int kIconSize = 16;
constexpr QSize kSmallest(260, 220);

} // namespace

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
    steerViewport(*m_canvas, m_viewport, [this] { changeView(); });
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

} // namespace athanor
