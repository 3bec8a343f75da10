#include "ui/data/table_view.h"

#include "ui/bridge/text_format.h"
#include "ui/theme/theme.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <limits>

namespace athanor {
namespace {

constexpr int kBars = 32;       ///< height of the histograms
constexpr int kColumn = 88;
constexpr int kNullLine = 14;

} // namespace

void drawHistogram(QPainter& painter, const QRect& box, const std::vector<std::int64_t>& bins, const QColor& color)
{
    const std::int64_t most = bins.empty() ? 0 : *std::max_element(bins.begin(), bins.end());
    if (most == 0)
        return;
    const double width = static_cast<double>(box.width()) / static_cast<double>(bins.size());
    for (std::size_t bin = 0; bin < bins.size(); ++bin) {
        if (bins[bin] == 0)
            continue;
        // A bin that holds anything is seen.
        const double height =
            std::max(1.0, box.height() * static_cast<double>(bins[bin]) / static_cast<double>(most));
        painter.fillRect(QRectF(box.left() + width * static_cast<double>(bin), box.bottom() + 1 - height,
                                std::max(1.0, width - 1), height),
                         color);
    }
}

void RowModel::setTable(std::int64_t rows, QStringList columns)
{
    beginResetModel();
    m_rows = static_cast<int>(std::min<std::int64_t>(rows, std::numeric_limits<int>::max() / 64));
    m_columns = std::move(columns);
    m_blocks.clear();
    m_asked.clear();
    endResetModel();
}

void RowModel::setBlock(std::int64_t first, Block block)
{
    const int number = static_cast<int>(first / kBlock);
    const int last = static_cast<int>(first) + static_cast<int>(block.size()) - 1;
    m_asked.erase(number);
    m_blocks.insert(number, new Block(std::move(block)));
    if (last < m_rows && last >= first && !m_columns.isEmpty())
        Q_EMIT dataChanged(index(static_cast<int>(first), 0), index(last, columnCount() - 1));
    Q_EMIT headerDataChanged(Qt::Vertical, static_cast<int>(first), last);
}

void RowModel::forgetAsked()
{
    m_asked.clear();
}

int RowModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : m_rows;
}

int RowModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
}

QVariant RowModel::data(const QModelIndex& index, int role) const
{
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole)
        return {};
    const int number = index.row() / kBlock;
    const Block* block = m_blocks.object(number);
    if (block == nullptr) {
        if (m_asked.insert(number).second)
            Q_EMIT blockWanted(qint64{number} * kBlock);
        return role == Qt::DisplayRole ? QVariant(QStringLiteral("…")) : QVariant();
    }
    const auto row = static_cast<std::size_t>(index.row() % kBlock);
    if (row >= block->size())
        return {};
    const QStringList& cells = (*block)[row];
    return role == Qt::ToolTipRole ? cells.value(0) : cells.value(index.column() + 1);
}

QVariant RowModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role != Qt::DisplayRole)
        return {};
    return orientation == Qt::Horizontal ? QVariant(m_columns.value(section)) : QVariant(section);
}

HistogramHeader::HistogramHeader(const Theme& theme, QWidget* parent)
    : QHeaderView(Qt::Horizontal, parent), m_theme(theme)
{
    setDefaultSectionSize(kColumn);
    setMinimumSectionSize(kColumn / 2);
    setSectionsClickable(true);
}

void HistogramHeader::setFacts(std::optional<TableFacts> facts)
{
    m_facts = std::move(facts);
    viewport()->update();
}

QSize HistogramHeader::sectionSizeFromContents(int section) const
{
    const QSize text = QHeaderView::sectionSizeFromContents(section);
    return {std::max(text.width(), kColumn), text.height() + kBars + kNullLine + spacing::kInside};
}

void HistogramHeader::paintSection(QPainter* painter, const QRect& rect, int section) const
{
    painter->save();
    painter->fillRect(rect, m_theme.color(ColorRole::Surface));
    painter->setPen(m_theme.color(ColorRole::Border));
    painter->drawLine(rect.bottomLeft(), rect.bottomRight());
    painter->drawLine(rect.topRight(), rect.bottomRight());
    const QRect inner = rect.adjusted(spacing::kInside, spacing::kInside, -spacing::kInside, -spacing::kInside);
    painter->setFont(m_theme.font(FontRole::Small));
    painter->setPen(m_theme.color(ColorRole::Text));
    const QString name = model()->headerData(section, Qt::Horizontal).toString();
    painter->drawText(inner, Qt::AlignLeft | Qt::AlignTop,
                      painter->fontMetrics().elidedText(name, Qt::ElideRight, inner.width()));
    if (m_facts && section < static_cast<int>(m_facts->columns.size())) {
        const TensorFacts& facts = m_facts->columns[static_cast<std::size_t>(section)].facts;
        const QRect bars(inner.left(), inner.bottom() - kBars - kNullLine + 1, inner.width(), kBars);
        drawHistogram(*painter, bars, facts.histogram, m_theme.color(ColorRole::Series1));
        painter->setPen(m_theme.color(facts.nans > 0 ? ColorRole::Warn : ColorRole::Muted));
        const QString below = facts.nans > 0
                                  ? tr("%1 missing").arg(countText(facts.nans))
                                  : tr("%1 … %2").arg(numberText(facts.least, 3), numberText(facts.greatest, 3));
        painter->drawText(inner, Qt::AlignLeft | Qt::AlignBottom,
                          painter->fontMetrics().elidedText(below, Qt::ElideRight, inner.width()));
    }
    painter->restore();
}

QString HistogramHeader::factsText(int section) const
{
    if (!m_facts || section < 0 || section >= static_cast<int>(m_facts->columns.size()))
        return {};
    const ColumnFacts& column = m_facts->columns[static_cast<std::size_t>(section)];
    const TensorFacts& facts = column.facts;
    const QString distinct = facts.distinct >= TensorFacts::kMostDistinct
                                 ? tr("%1 or more").arg(countText(TensorFacts::kMostDistinct))
                                 : countText(facts.distinct);
    return tr("%1\nrange %2 … %3\nmean %4, standard deviation %5\n%6 different values\n%7 missing of %8 rows")
        .arg(QString::fromStdString(column.name), numberText(facts.least), numberText(facts.greatest),
             numberText(facts.mean), numberText(facts.deviation), distinct, countText(facts.nans),
             countText(m_facts->rows));
}

bool HistogramHeader::viewportEvent(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QHeaderView::viewportEvent(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    QToolTip::showText(help->globalPos(), factsText(logicalIndexAt(help->pos())), viewport());
    return true;
}

} // namespace athanor
