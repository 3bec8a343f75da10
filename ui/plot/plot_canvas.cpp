#include "ui/plot/plot_canvas.h"

#include "ui/theme/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <cmath>

namespace athanor {
namespace {

constexpr int kLeftMargin = 56; // equal for all plots, so that their steps stand below each other
constexpr double kWheelNotch = 120;
constexpr double kZoomPerNotch = 0.8;
constexpr int kPixelsPerTick = 90;
constexpr int kPixelsPerValueTick = 28;

/// Our own ticks in QCustomPlot's axis.
class PlotTicker : public QCPAxisTicker {
public:
    explicit PlotTicker(TickKind kind) : m_kind(kind) {}
    void setScale(ValueScale scale) { m_scale = scale; }
    void setMaxCount(int count) { m_maxCount = count; }

    void generate(const QCPRange& range, const QLocale&, QChar, int, QVector<double>& ticks, QVector<double>* subTicks,
                  QVector<QString>* tickLabels) override
    {
        const AxisRange shown{range.lower, range.upper};
        const AxisTicks made =
            m_scale == ValueScale::Log ? logTicks(shown, m_maxCount) : linearTicks(shown, m_maxCount, m_kind);
        ticks = QVector<double>(made.major.begin(), made.major.end());
        if (subTicks != nullptr)
            *subTicks = QVector<double>(made.minor.begin(), made.minor.end());
        if (tickLabels != nullptr)
            *tickLabels = QVector<QString>(made.labels.begin(), made.labels.end());
    }

private:
    TickKind m_kind;
    ValueScale m_scale = ValueScale::Linear;
    int m_maxCount = 5;
};

PlotTicker& tickerOf(QCPAxis* axis)
{
    return static_cast<PlotTicker&>(*axis->ticker());
}

} // namespace

PlotCanvas::PlotCanvas(Theme& theme, QWidget* parent) : QCustomPlot(parent), m_theme(theme)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAutoAddPlottableToLegend(false);
    setCursor(Qt::CrossCursor);
    xAxis->setTicker(QSharedPointer<PlotTicker>::create(TickKind::Steps));
    yAxis->setTicker(QSharedPointer<PlotTicker>::create(TickKind::Values));
    axisRect()->setMinimumMargins(QMargins(kLeftMargin, spacing::kInside, spacing::kAround, 0));
    xAxis->setLabel(tr("step"));
    xAxis->setLabelPadding(0);
    yAxis2->setRange(0, 1);
    for (QCPAxis* axis : {xAxis, yAxis}) {
        axis->setTickLengthIn(0);
        axis->setSubTickLengthIn(0);
        axis->grid()->setZeroLinePen(Qt::NoPen);
        axis->setTickLabelPadding(spacing::kInside);
    }
    connect(this, &QCustomPlot::afterReplot, this, [this] { ++m_replotCount; });
    connect(&theme, &Theme::changed, this, &PlotCanvas::applyTheme);
    applyTheme();
}

void PlotCanvas::applyTheme()
{
    setBackground(QBrush(m_theme.color(ColorRole::Raised)));
    const QPen line(m_theme.color(ColorRole::Border), 1);
    for (QCPAxis* axis : {xAxis, yAxis}) {
        axis->setBasePen(line);
        axis->setTickPen(line);
        axis->setSubTickPen(line);
        axis->setTickLabelColor(m_theme.color(ColorRole::Muted));
        axis->setTickLabelFont(m_theme.font(FontRole::Small));
        axis->setLabelColor(m_theme.color(ColorRole::Muted));
        axis->setLabelFont(m_theme.font(FontRole::Small));
        axis->grid()->setPen(QPen(m_theme.color(ColorRole::Grid), 1));
    }
    replot(rpQueuedReplot);
}

void PlotCanvas::setRanges(const AxisRange& x, const AxisRange& y, ValueScale scale)
{
    const bool isLog = scale == ValueScale::Log;
    yAxis->setScaleType(isLog ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    tickerOf(yAxis).setScale(scale);
    tickerOf(xAxis).setMaxCount(std::max(2, area().width() / kPixelsPerTick));
    tickerOf(yAxis).setMaxCount(std::max(2, area().height() / kPixelsPerValueTick));
    yAxis->setSubTicks(isLog);
    xAxis->setRange(x.from, x.to);
    yAxis->setRange(y.from, y.to);
}

QRect PlotCanvas::area() const
{
    return axisRect()->rect();
}

int PlotCanvas::columnCount() const
{
    return std::max(1, area().width());
}

double PlotCanvas::edgeDistance(double pixels) const
{
    return pixels / std::max(1, area().height());
}

void PlotCanvas::setReadout(const std::optional<CursorReadout>& readout)
{
    if (!readout && !m_readout)
        return;
    m_readout = readout;
    update();
}

QPointF PlotCanvas::valueAt(const QPointF& position) const
{
    return {xAxis->pixelToCoord(position.x()), yAxis->pixelToCoord(position.y())};
}

void PlotCanvas::paintEvent(QPaintEvent* event)
{
    QCustomPlot::paintEvent(event);
    QPainter painter(this);
    paintSelection(painter);
    paintCursor(painter);
    if (hasFocus()) {
        painter.setPen(QPen(m_theme.color(ColorRole::Accent), 1));
        painter.drawRect(area().adjusted(0, 0, -1, -1));
    }
}

void PlotCanvas::paintSelection(QPainter& painter) const
{
    if (!m_gestureMoved || (m_gesture != Gesture::SelectX && m_gesture != Gesture::SelectY))
        return;
    QRectF selected = area();
    if (m_gesture == Gesture::SelectX) {
        selected.setLeft(std::max(selected.left(), std::min(m_pressed.x(), m_current.x())));
        selected.setRight(std::min(QRectF(area()).right(), std::max(m_pressed.x(), m_current.x())));
    } else {
        selected.setTop(std::max(selected.top(), std::min(m_pressed.y(), m_current.y())));
        selected.setBottom(std::min(QRectF(area()).bottom(), std::max(m_pressed.y(), m_current.y())));
    }
    QColor fill = m_theme.color(ColorRole::Accent);
    painter.setPen(QPen(fill, 1));
    fill.setAlphaF(0.15F);
    painter.setBrush(fill);
    painter.drawRect(selected);
}

void PlotCanvas::paintCursor(QPainter& painter) const
{
    if (!m_readout)
        return;
    const double x = xAxis->coordToPixel(m_readout->step);
    const QRect inside = area();
    if (x < inside.left() - 1 || x > inside.right() + 1)
        return;
    painter.setPen(QPen(m_theme.color(ColorRole::Muted), 1));
    painter.drawLine(QPointF(std::round(x), inside.top()), QPointF(std::round(x), inside.bottom()));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setClipRect(inside);
    for (const CursorReadout::Row& row : m_readout->rows) {
        if (!row.point)
            continue;
        painter.setPen(QPen(m_theme.color(ColorRole::Raised), 1));
        painter.setBrush(row.color);
        painter.drawEllipse(QPointF(xAxis->coordToPixel(row.point->x), yAxis->coordToPixel(row.point->y)), 3.5, 3.5);
    }
    painter.setClipping(false);
    paintReadout(painter, m_theme, *m_readout, inside, x);
}

void PlotCanvas::mousePressEvent(QMouseEvent* event)
{
    const bool pans = event->button() == Qt::MiddleButton ||
                      (event->button() == Qt::LeftButton && event->modifiers().testFlag(Qt::ShiftModifier));
    if (pans)
        m_gesture = Gesture::Pan;
    else if (event->button() == Qt::LeftButton)
        m_gesture = event->modifiers().testFlag(Qt::ControlModifier) ? Gesture::SelectY : Gesture::SelectX;
    else
        return QWidget::mousePressEvent(event);
    m_gestureMoved = false;
    m_pressed = m_current = event->position();
    event->accept();
}

void PlotCanvas::mouseMoveEvent(QMouseEvent* event)
{
    const QPointF position = event->position();
    if (area().contains(position.toPoint()))
        Q_EMIT hovered(valueAt(position).x());
    else
        Q_EMIT pointerLeft();
    if (m_gesture == Gesture::None)
        return;
    if ((position - m_pressed).manhattanLength() >= 4)
        m_gestureMoved = true;
    if (m_gesture == Gesture::Pan && m_gestureMoved) {
        const QPointF moved = position - m_current;
        Q_EMIT panned(-moved.x() / std::max(1, area().width()), moved.y() / std::max(1, area().height()));
    }
    m_current = position;
    update();
}

void PlotCanvas::mouseReleaseEvent(QMouseEvent* event)
{
    const Gesture gesture = std::exchange(m_gesture, Gesture::None);
    if (gesture == Gesture::None)
        return QWidget::mouseReleaseEvent(event);
    update();
    if (!m_gestureMoved) {
        if (event->button() == Qt::LeftButton)
            Q_EMIT clicked(event->position());
        return;
    }
    const QPointF a = valueAt(m_pressed);
    const QPointF b = valueAt(event->position());
    if (gesture == Gesture::SelectX)
        Q_EMIT rangeSelected(std::min(a.x(), b.x()), std::max(a.x(), b.x()), Qt::Horizontal);
    if (gesture == Gesture::SelectY)
        Q_EMIT rangeSelected(std::min(a.y(), b.y()), std::max(a.y(), b.y()), Qt::Vertical);
}

void PlotCanvas::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        Q_EMIT doubleClicked();
}

void PlotCanvas::wheelEvent(QWheelEvent* event)
{
    const bool vertical = event->modifiers().testFlag(Qt::ControlModifier);
    if (m_wheelNeedsFocus && !hasFocus() && !vertical) {
        event->ignore();
        return;
    }
    event->accept();
    // Some platforms turn the wheel sideways while a modifier is held.
    const int turned = event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x();
    if (turned == 0)
        return;
    Q_EMIT wheelZoomed(std::pow(kZoomPerNotch, turned / kWheelNotch), valueAt(event->position()),
                       vertical ? Qt::Vertical : Qt::Horizontal);
}

void PlotCanvas::leaveEvent(QEvent* event)
{
    QCustomPlot::leaveEvent(event);
    Q_EMIT pointerLeft();
}

void PlotCanvas::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && m_gesture != Gesture::None) {
        m_gesture = Gesture::None;
        update();
        return;
    }
    event->ignore(); // the plot around it knows the keys
}

} // namespace athanor
