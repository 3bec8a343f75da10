// The input half of MetricPlot: keys, cursor, clicks, context menu, export.
#include "ui/bridge/text_format.h"
#include "ui/plot/metric_plot.h"
#include "ui/plot/plot_canvas.h"
#include "ui/plot/plot_curve.h"
#include "ui/plot/step_cursor.h"
#include "ui/theme/theme.h"

#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFileDialog>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>

#include <algorithm>
#include <cmath>

namespace athanor {
namespace {

constexpr double kKeyZoom = 0.7;
constexpr double kKeyPan = 0.1;
constexpr double kClickReach = 8; // px
constexpr double kMarkReach = 5;
constexpr int kEdgeHeight = 24; // px from the top in which marks are clicked

/// The drawn point nearest to `x`; nullopt when there is none.
std::optional<PlotPoint> nearest(const std::vector<PlotPoint>& line, double x)
{
    auto after = std::lower_bound(line.begin(), line.end(), x, [](const PlotPoint& p, double at) { return p.x < at; });
    auto before = after;
    while (after != line.end() && std::isnan(after->y))
        ++after;
    std::optional<PlotPoint> best;
    if (after != line.end())
        best = *after;
    while (before != line.begin()) {
        --before;
        if (std::isnan(before->y))
            continue;
        if (!best || x - before->x < best->x - x)
            best = *before;
        break;
    }
    return best;
}

bool hasNearer(const std::vector<double>& marks, double x, double distance)
{
    return std::any_of(marks.begin(), marks.end(), [&](double mark) { return std::abs(mark - x) < distance; });
}

} // namespace

void MetricPlot::keyPressEvent(QKeyEvent* event)
{
    const bool ctrl = event->modifiers().testFlag(Qt::ControlModifier);
    const bool shift = event->modifiers().testFlag(Qt::ShiftModifier);
    const AxisRange x = m_viewport.x();
    const AxisRange y = m_viewport.y();
    const double middleY = m_viewport.scale() == ValueScale::Log ? std::sqrt(y.from * y.to) : (y.from + y.to) / 2;
    const auto zoom = [&](double factor) {
        if (ctrl)
            m_viewport.zoomY(factor, middleY);
        else
            m_viewport.zoomX(factor, (x.from + x.to) / 2);
    };
    switch (event->key()) {
    case Qt::Key_F: m_viewport.follow(); break;
    case Qt::Key_L: setLogarithmic(!isLogarithmic()); break;
    case Qt::Key_S: toggleSmoothing(); break;
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoom(kKeyZoom); break;
    case Qt::Key_Minus: zoom(1 / kKeyZoom); break;
    case Qt::Key_Left: shift ? moveCursor(-1) : m_viewport.panX(-kKeyPan); break;
    case Qt::Key_Right: shift ? moveCursor(1) : m_viewport.panX(kKeyPan); break;
    case Qt::Key_Escape: m_cursor.setStep({}); break;
    default: QFrame::keyPressEvent(event); return;
    }
    changeView();
}

void MetricPlot::moveCursor(int direction)
{
    const AxisRange& x = m_viewport.x();
    const double now = m_cursor.step() ? static_cast<double>(*m_cursor.step()) : (x.from + x.to) / 2;
    const double by = std::max(1.0, x.width() / std::max(1, m_drawnColumns));
    m_cursor.setStep(std::llround(std::clamp(now + direction * by, std::ceil(x.from), std::floor(x.to))));
}

void MetricPlot::updateReadout()
{
    if (!m_cursor.step()) {
        m_canvas->setReadout({});
        return;
    }
    CursorReadout readout;
    readout.step = static_cast<double>(*m_cursor.step());
    readout.head = tr("step %1").arg(countText(*m_cursor.step()));
    const double pixel = m_viewport.x().width() / std::max(1, m_drawnColumns);
    for (const auto& curve : m_curves) {
        if (!curve->isShown)
            continue;
        CursorReadout::Row row{curve->color, curve->style, curve->label, {}, {}};
        const auto point = nearest(curve->drawing.raw.line, readout.step);
        const double distance = point ? std::abs(point->x - readout.step) : std::numeric_limits<double>::infinity();
        if (hasNearer(curve->drawing.raw.nonFinite, readout.step, std::min(distance, pixel))) {
            row.value = tr("NaN/∞");
        } else if (point) {
            row.value = numberText(point->y, m_unit);
            if (distance > std::max(1.0, pixel))
                row.value += tr(" (step %1)").arg(countText(std::llround(point->x)));
            row.point = point;
            const auto average = nearest(curve->drawing.smoothed.line, readout.step);
            if (average)
                row.value += tr("  ø %1", "smoothed value").arg(numberText(average->y));
        } else {
            row.value = tr("–");
        }
        readout.rows.push_back(std::move(row));
    }
    readout.notes = marksAt(readout.step);
    m_canvas->setReadout(readout);
}

QStringList MetricPlot::marksAt(double step) const
{
    const double reach = kMarkReach * m_viewport.x().width() / std::max(1, m_drawnColumns);
    QStringList texts;
    for (const PlotMark& mark : m_marks) {
        if (std::abs(static_cast<double>(mark.step) - step) <= reach)
            texts << mark.text;
    }
    return texts;
}

void MetricPlot::handleClick(const QPointF& position)
{
    const double step = m_canvas->xAxis->pixelToCoord(position.x());
    const double pixel = m_viewport.x().width() / std::max(1, m_drawnColumns);
    if (position.y() < m_canvas->axisRect()->top() + kEdgeHeight) {
        for (const PlotMark& mark : m_marks) {
            if (!mark.where.isEmpty() && std::abs(static_cast<double>(mark.step) - step) <= kMarkReach * pixel) {
                Q_EMIT markActivated(mark.where);
                return;
            }
        }
    }
    const PlotCurve* clicked = nullptr;
    double smallest = kClickReach;
    for (const auto& curve : m_curves) {
        const auto point = nearest(curve->drawing.raw.line, step);
        if (!curve->isShown || !point)
            continue;
        const double distance = std::abs(m_canvas->yAxis->coordToPixel(point->y) - position.y());
        if (distance < smallest) {
            smallest = distance;
            clicked = curve.get();
        }
    }
    if (clicked != nullptr)
        Q_EMIT seriesActivated(clicked->name());
}

bool MetricPlot::eventFilter(QObject* object, QEvent* event)
{
    if (object->objectName() != QStringLiteral("plotHeader"))
        return QFrame::eventFilter(object, event);
    const auto position = [event] { return static_cast<QMouseEvent*>(event)->globalPosition().toPoint(); };
    switch (event->type()) {
    case QEvent::MouseButtonPress:
        if (static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton)
            m_headerPressed = position();
        return m_headerPressed.has_value();
    case QEvent::MouseMove:
        if (!m_headerPressed)
            return false;
        m_headerMoved = m_headerMoved || (position() - *m_headerPressed).manhattanLength() >=
                                             QApplication::startDragDistance();
        if (m_headerMoved)
            Q_EMIT headerDragged(position());
        return true;
    case QEvent::MouseButtonRelease:
        if (std::exchange(m_headerMoved, false))
            Q_EMIT headerDropped(position());
        m_headerPressed.reset();
        return true;
    default: return QFrame::eventFilter(object, event);
    }
}

void MetricPlot::contextMenuEvent(QContextMenuEvent* event)
{
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillContextMenu(*menu);
    menu->popup(event->globalPos());
}

void MetricPlot::fillContextMenu(QMenu& menu)
{
    const auto addToggle = [&](const QString& text, bool isOn, auto&& toggled) {
        QAction* action = menu.addAction(text);
        action->setCheckable(true);
        action->setChecked(isOn);
        connect(action, &QAction::triggered, this, toggled);
    };
    addToggle(tr("&Follow the run\tF"), m_viewport.mode() == RangeMode::Follow, [this] { follow(); });
    addToggle(tr("Keep this &range fixed"), m_viewport.mode() == RangeMode::Fixed,
              [this](bool isFixed) { setFixed(isFixed); });
    addToggle(tr("&Logarithmic values\tL"), isLogarithmic(), [this](bool isOn) { setLogarithmic(isOn); });
    addSmoothingMenu(menu);
    menu.addSeparator();
    addExportActions(menu);
    menu.addSeparator();
    menu.addAction(tr("Move one place &earlier"), this, [this] { Q_EMIT moveRequested(-1); });
    menu.addAction(tr("Move one place la&ter"), this, [this] { Q_EMIT moveRequested(1); });
    menu.addAction(tr("&Close this plot"), this, [this] { Q_EMIT closeRequested(); });
}

void MetricPlot::addSmoothingMenu(QMenu& menu)
{
    QMenu* spans = menu.addMenu(tr("&Smoothing"));
    auto* group = new QActionGroup(spans);
    const auto add = [&](int span, const QString& text) {
        QAction* action = spans->addAction(text);
        action->setCheckable(true);
        action->setChecked(span == m_smoothingSpan);
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, span] { setSmoothingSpan(span); });
    };
    add(0, tr("&Off\tS"));
    std::set<int> offered{5, 10, 20, 50, 100, 200, 500, 1000, 5000};
    if (m_smoothingSpan > 0)
        offered.insert(m_smoothingSpan);
    for (const int span : offered)
        add(span, tr("Average of the last %1 steps").arg(countText(span)));
}

int MetricPlot::suitableSpan() const
{
    // About a fiftieth of what is shown, as 1, 2 or 5 times a power of ten.
    const double wanted = std::max(5.0, m_viewport.x().width() / 50);
    const double magnitude = std::pow(10, std::floor(std::log10(wanted)));
    const double factor = wanted / magnitude >= 5 ? 5 : wanted / magnitude >= 2 ? 2 : 1;
    return static_cast<int>(std::min(factor * magnitude, 1e8));
}

void MetricPlot::addExportActions(QMenu& menu)
{
    menu.addAction(tr("Copy &picture"), this, [this] { copyPicture(); });
    menu.addAction(tr("Copy &values (CSV)"), this, [this] { copyValues(); });
    menu.addAction(tr("Save p&icture…"), this, [this] { savePictureAs(); });
    menu.addAction(tr("Save v&alues (CSV)…"), this, [this] { saveValuesAs(); });
}

void MetricPlot::reportExport(const Status& status)
{
    if (!status)
        Q_EMIT exportFailed(status.error());
}

void MetricPlot::savePictureAs()
{
    auto* dialog = new QFileDialog(this, tr("Save picture"), QString(),
                                   tr("PNG picture (*.png);;SVG drawing (*.svg);;PDF document (*.pdf)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("png"));
    dialog->selectFile(m_title);
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
        for (const char* suffix : {"png", "svg", "pdf"}) {
            if (filter.contains(QStringLiteral("*.") + QLatin1String(suffix)))
                dialog->setDefaultSuffix(QLatin1String(suffix));
        }
    });
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) { reportExport(savePicture(file)); });
    dialog->open();
}

void MetricPlot::saveValuesAs()
{
    auto* dialog = new QFileDialog(this, tr("Save values"), QString(), tr("CSV table (*.csv)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("csv"));
    dialog->selectFile(m_title);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
        collectValues([this, file](const Result<std::vector<NamedPoints>>& values) {
            reportExport(values ? writeText(file, csvText(values.value())) : Status(values.error()));
        });
    });
    dialog->open();
}

void MetricPlot::copyValues()
{
    collectValues([this](const Result<std::vector<NamedPoints>>& values) {
        if (values)
            QApplication::clipboard()->setText(csvText(values.value()));
        else
            Q_EMIT exportFailed(values.error());
    });
}

} // namespace athanor
