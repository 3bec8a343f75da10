#include "ui/graph/summary_model.h"

#include "ui/bridge/text_format.h"

#include <algorithm>

namespace athanor {
namespace {

QString cellText(const SummaryRow& row, int column)
{
    switch (column) {
    case SummaryModel::Layer: return QStringLiteral("%1 (%2)").arg(QString::fromStdString(row.node), QString::fromStdString(row.kind));
    case SummaryModel::Input: return QString::fromStdString(row.input);
    case SummaryModel::Output: return QString::fromStdString(row.output);
    case SummaryModel::Parameters: return countText(row.parameters);
    case SummaryModel::Macs: return countText(row.macs);
    case SummaryModel::Field: return QString::fromStdString(row.fieldText());
    case SummaryModel::Memory: return row.bytes ? QString::fromStdString(bytesText(*row.bytes)) : QStringLiteral("?");
    default: return {};
    }
}

/// The whole image is the most that can be seen.
double fieldSize(const SummaryRow& row)
{
    constexpr double kWhole = 1e18;
    double largest = -1;
    if (row.field) {
        for (const FieldAxis& axis : row.field->axes) {
            largest = std::max(largest, axis.whole ? kWhole : axis.size);
        }
    }
    return largest;
}

QVariant sortValue(const SummaryRow& row, int column, int index)
{
    switch (column) {
    case SummaryModel::Layer: return index; // the order of computation
    case SummaryModel::Parameters: return QVariant::fromValue<qlonglong>(row.parameters);
    case SummaryModel::Macs: return QVariant::fromValue<qlonglong>(row.macs);
    case SummaryModel::Field: return fieldSize(row);
    case SummaryModel::Memory: return QVariant::fromValue<qlonglong>(row.bytes.value_or(-1));
    default: return cellText(row, column);
    }
}

} // namespace

void SummaryModel::setSummary(NetworkSummary summary)
{
    const bool sameRows = std::equal(summary.rows.begin(), summary.rows.end(), m_summary.rows.begin(), m_summary.rows.end(),
                                     [](const SummaryRow& a, const SummaryRow& b) { return a.node == b.node; });
    if (!sameRows) {
        beginResetModel();
        m_summary = std::move(summary);
        endResetModel();
        return;
    }
    m_summary = std::move(summary);
    if (!m_summary.rows.empty()) {
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    }
}

int SummaryModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_summary.rows.size());
}

int SummaryModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant SummaryModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const SummaryRow& row = m_summary.rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole: return cellText(row, index.column());
    case kSortRole: return sortValue(row, index.column(), index.row());
    case Qt::TextAlignmentRole:
        return index.column() >= Parameters ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case Qt::ToolTipRole:
        if (index.column() == Field && row.field && !row.field->aligned) {
            return tr("Paths of different stride or offset meet here; the largest counts.");
        }
        return {};
    default: return {};
    }
}

QVariant SummaryModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return section >= Parameters ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    }
    if (role == Qt::ToolTipRole && section == Memory) {
        return tr("What is kept between forward and backward for the whole batch, fp32");
    }
    if (role == Qt::ToolTipRole && section == Macs) {
        return tr("Multiply-accumulates of the forward pass, per sample");
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
    case Layer: return tr("Layer (kind)");
    case Input: return tr("Input");
    case Output: return tr("Output");
    case Parameters: return tr("Parameters");
    case Macs: return tr("MACs");
    case Field: return tr("Receptive field");
    case Memory: return tr("Memory");
    default: return {};
    }
}

} // namespace athanor
