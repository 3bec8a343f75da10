#include "ui/data/sample_grid.h"

#include "ui/theme/theme.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>

namespace athanor {
namespace {

constexpr int kPicture = 96;
constexpr int kArrow = 20; ///< between before and after
constexpr int kLabelLines = 1;

} // namespace

SampleGrid::SampleGrid(const Theme& theme, QWidget* parent) : QAbstractScrollArea(parent), m_theme(theme)
{
    setObjectName(QStringLiteral("sampleGrid"));
    setAccessibleName(tr("Samples"));
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(&theme, &Theme::changed, viewport(), qOverload<>(&QWidget::update));
}

void SampleGrid::setSamples(std::int64_t count, bool pairs)
{
    m_cells.clear();
    m_stale.clear();
    m_count = count;
    m_pairs = pairs;
    m_pressed = -1;
    m_current = count > 0 ? std::clamp<std::int64_t>(m_current, 0, count - 1) : -1;
    layOut();
    ask();
    viewport()->update();
}

void SampleGrid::reload()
{
    for (const std::int64_t position : m_cells.keys())
        m_stale.insert(position);
    ask();
}

void SampleGrid::setCell(SampleCell cell)
{
    const std::int64_t position = cell.position;
    if (position < 0 || position >= m_count)
        return;
    m_stale.erase(position);
    const auto bytes = cell.before.sizeInBytes() + cell.after.sizeInBytes() + 1024;
    m_cells.insert(position, new SampleCell(std::move(cell)),
                   static_cast<qsizetype>(std::min<qsizetype>(bytes, kKeptBytes)));
    viewport()->update(cellRect(position));
}

void SampleGrid::setCurrent(std::int64_t position)
{
    if (m_count == 0)
        return;
    position = std::clamp<std::int64_t>(position, 0, m_count - 1);
    const bool changes = position != m_current;
    m_current = position;
    const auto row = static_cast<int>(std::min<std::int64_t>(position / columns(), 1 << 30));
    const int rowsInView = std::max(1, viewport()->height() / cellSize().height());
    if (row < verticalScrollBar()->value())
        verticalScrollBar()->setValue(row);
    else if (row >= verticalScrollBar()->value() + rowsInView)
        verticalScrollBar()->setValue(row - rowsInView + 1);
    viewport()->update();
    if (changes)
        Q_EMIT currentChanged(position);
}

QSize SampleGrid::cellSize() const
{
    const int width = (m_pairs ? 2 * kPicture + kArrow : kPicture) + 2 * spacing::kBetween;
    const int line = QFontMetrics(m_theme.font(FontRole::Small)).height();
    return {width, kPicture + kLabelLines * line + 2 * spacing::kBetween + spacing::kInside};
}

int SampleGrid::columns() const
{
    return std::max(1, viewport()->width() / cellSize().width());
}

std::int64_t SampleGrid::firstRow() const
{
    return verticalScrollBar()->value();
}

QRect SampleGrid::cellRect(std::int64_t position) const
{
    const QSize size = cellSize();
    const std::int64_t row = position / columns() - firstRow();
    const std::int64_t inReach = std::clamp<std::int64_t>(row, -1000, 1000); // what is far away is out of view anyway
    return {QPoint(static_cast<int>(position % columns()) * size.width(), static_cast<int>(inReach) * size.height()),
            size};
}

std::int64_t SampleGrid::positionAt(const QPoint& point) const
{
    const QSize size = cellSize();
    const int column = point.x() / size.width();
    if (point.x() < 0 || point.y() < 0 || column >= columns())
        return -1;
    const std::int64_t position = (firstRow() + point.y() / size.height()) * columns() + column;
    return position < m_count ? position : -1;
}

std::vector<std::int64_t> SampleGrid::visible() const
{
    const int rows = viewport()->height() / cellSize().height() + 1;
    const std::int64_t first = firstRow() * columns();
    const std::int64_t last = std::min(m_count, first + static_cast<std::int64_t>(rows) * columns());
    std::vector<std::int64_t> positions;
    for (std::int64_t position = first; position < last; ++position)
        positions.push_back(position);
    return positions;
}

// The bar counts rows, so that a million samples do not overflow pixels.
void SampleGrid::layOut()
{
    const std::int64_t rows = (m_count + columns() - 1) / columns();
    const int inView = std::max(1, viewport()->height() / cellSize().height());
    verticalScrollBar()->setRange(0, static_cast<int>(std::clamp<std::int64_t>(rows - inView, 0, 1 << 30)));
    verticalScrollBar()->setPageStep(inView);
    verticalScrollBar()->setSingleStep(1);
}

void SampleGrid::ask()
{
    std::vector<std::int64_t> missing;
    for (const std::int64_t position : visible())
        if (!m_cells.contains(position) || m_stale.contains(position))
            missing.push_back(position);
    Q_EMIT wanted(missing);
}

void SampleGrid::resizeEvent(QResizeEvent*)
{
    layOut();
    ask();
}

void SampleGrid::scrollContentsBy(int, int)
{
    ask();
    viewport()->update();
}

void SampleGrid::paintEvent(QPaintEvent* event)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), m_theme.color(ColorRole::Surface));
    for (const std::int64_t position : visible()) {
        const QRect box = cellRect(position);
        if (box.intersects(event->rect()))
            drawCell(painter, box, m_cells.object(position), position == m_current);
    }
}

void SampleGrid::drawCell(QPainter& painter, const QRect& box, const SampleCell* cell, bool isCurrent) const
{
    const QRect card = box.adjusted(spacing::kInside / 2, spacing::kInside / 2, -spacing::kInside / 2, -spacing::kInside / 2);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(m_theme.color(isCurrent ? ColorRole::Accent : ColorRole::Border));
    painter.setBrush(m_theme.color(ColorRole::Raised));
    painter.drawRoundedRect(QRectF(card).adjusted(0.5, 0.5, -0.5, -0.5), spacing::kRadius, spacing::kRadius);
    const QRect inner = box.adjusted(spacing::kBetween, spacing::kBetween, -spacing::kBetween, -spacing::kInside);
    const QRect picture(inner.topLeft(), QSize(inner.width(), kPicture));
    const QRect label(inner.left(), picture.bottom() + 1, inner.width(), inner.bottom() - picture.bottom());
    painter.setFont(m_theme.font(FontRole::Small));
    if (cell == nullptr) {
        painter.setPen(m_theme.color(ColorRole::Muted));
        painter.drawText(picture, Qt::AlignCenter, QStringLiteral("…"));
        return;
    }
    if (!cell->error.isEmpty()) {
        painter.setPen(m_theme.color(ColorRole::Bad));
        painter.drawText(picture, Qt::AlignCenter | Qt::TextWrapAnywhere, cell->error);
    } else if (cell->after.isNull()) {
        painter.setPen(m_theme.color(ColorRole::Text));
        painter.setFont(m_theme.font(FontRole::Mono));
        painter.drawText(picture, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, cell->text);
    } else if (m_pairs && !cell->before.isNull()) {
        drawPicture(painter, {picture.topLeft(), QSize(kPicture, kPicture)}, cell->before);
        painter.setPen(m_theme.color(ColorRole::Muted));
        painter.drawText(QRect(picture.left() + kPicture, picture.top(), kArrow, kPicture), Qt::AlignCenter,
                         QStringLiteral("→"));
        drawPicture(painter, {QPoint(picture.left() + kPicture + kArrow, picture.top()), QSize(kPicture, kPicture)},
                    cell->after);
    } else {
        drawPicture(painter, picture, cell->after);
    }
    painter.setFont(m_theme.font(FontRole::Small));
    painter.setPen(m_theme.color(ColorRole::Text));
    const QString text = cell->label.isEmpty() ? cell->name : cell->label;
    painter.drawText(label, Qt::AlignCenter,
                     painter.fontMetrics().elidedText(text, Qt::ElideMiddle, label.width()));
}

void SampleGrid::drawPicture(QPainter& painter, const QRect& box, const QImage& image) const
{
    const QSize fitted = image.size().scaled(box.size(), Qt::KeepAspectRatio).expandedTo({1, 1});
    const QRect place(box.center() - QPoint(fitted.width() / 2, fitted.height() / 2) + QPoint(1, 1), fitted);
    // Enlarged pixels stay pixels: that is what the network sees.
    painter.setRenderHint(QPainter::SmoothPixmapTransform, image.width() > fitted.width());
    painter.drawImage(place, image);
}

void SampleGrid::mousePressEvent(QMouseEvent* event)
{
    m_pressed = event->button() == Qt::LeftButton ? positionAt(event->pos()) : -1;
    if (m_pressed >= 0)
        setCurrent(m_pressed);
}

void SampleGrid::mouseReleaseEvent(QMouseEvent* event)
{
    const std::int64_t released = positionAt(event->pos());
    if (event->button() == Qt::LeftButton && released >= 0 && released == m_pressed)
        Q_EMIT activated(released);
    m_pressed = -1;
}

void SampleGrid::keyPressEvent(QKeyEvent* event)
{
    const std::int64_t page = static_cast<std::int64_t>(verticalScrollBar()->pageStep()) * columns();
    switch (event->key()) {
    case Qt::Key_Left: setCurrent(m_current - 1); break;
    case Qt::Key_Right: setCurrent(m_current + 1); break;
    case Qt::Key_Up: setCurrent(m_current - columns()); break;
    case Qt::Key_Down: setCurrent(m_current + columns()); break;
    case Qt::Key_PageUp: setCurrent(m_current - page); break;
    case Qt::Key_PageDown: setCurrent(m_current + page); break;
    case Qt::Key_Home: setCurrent(0); break;
    case Qt::Key_End: setCurrent(m_count - 1); break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_current >= 0)
            Q_EMIT activated(m_current);
        break;
    default: QAbstractScrollArea::keyPressEvent(event);
    }
}

bool SampleGrid::viewportEvent(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QAbstractScrollArea::viewportEvent(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const SampleCell* cell = m_cells.object(positionAt(help->pos()));
    if (cell == nullptr) {
        QToolTip::hideText();
        return true;
    }
    QString text = cell->name;
    for (const QString& more : {cell->label, cell->error})
        if (!more.isEmpty())
            text += u'\n' + more;
    QToolTip::showText(help->globalPos(), text, viewport());
    return true;
}

} // namespace athanor
