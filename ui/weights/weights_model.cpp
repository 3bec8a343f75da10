#include "ui/weights/weights_model.h"

#include "ui/theme/theme.h"

#include <algorithm>
#include <set>

namespace athanor {

WeightsModel::WeightsModel(const Theme& theme, QObject* parent) : QAbstractTableModel(parent), m_theme(theme) {}

void WeightsModel::setReport(WeightsReport report, WeightsMap byHand)
{
    beginResetModel();
    m_report = std::move(report);
    m_byHand = std::move(byHand);
    map();
    endResetModel();
    Q_EMIT mappingChanged();
}

void WeightsModel::clear()
{
    beginResetModel();
    m_report.reset();
    m_byHand.clear();
    m_rows.clear();
    endResetModel();
    Q_EMIT mappingChanged();
}

void WeightsModel::setByHand(WeightsMap byHand)
{
    if (!m_report || byHand == m_byHand)
        return;
    m_byHand = std::move(byHand);
    map();
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    Q_EMIT mappingChanged();
}

void WeightsModel::map()
{
    // Names by hand are of both sides (knownNames, candidates), the one thing that mapWeights refuses.
    if (auto mapping = mapWeights(m_report->network, m_report->file.tensors, m_byHand))
        m_report->mapping = std::move(*mapping);
    m_rows = weightsRows(*m_report, m_byHand);
}

QStringList WeightsModel::candidates(int row) const
{
    const auto& shape = m_report->network[static_cast<std::size_t>(row)].shape;
    std::set<std::size_t> used;
    for (const WeightsRow& one : m_rows)
        if (one.theirs && one.fill != WeightsFill::ShapeDiffers)
            used.insert(*one.theirs);
    QStringList unused;
    QStringList others;
    for (std::size_t i = 0; i < m_report->file.tensors.size(); ++i)
        if (m_report->file.tensors[i].shape == shape)
            (used.contains(i) ? others : unused) << QString::fromStdString(m_report->file.tensors[i].name);
    return unused + others;
}

bool WeightsModel::isLoaded(int row) const
{
    const WeightsFill fill = m_rows[static_cast<std::size_t>(row)].fill;
    return fill != WeightsFill::Fresh && fill != WeightsFill::ShapeDiffers;
}

int WeightsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int WeightsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString WeightsModel::text(const WeightsRow& row, int column) const
{
    const WeightsTensor& ours = m_report->network[row.ours];
    const WeightsTensor* theirs = row.theirs ? &m_report->file.tensors[*row.theirs] : nullptr;
    switch (column) {
    case Name:
        return QString::fromStdString(ours.name);
    case Shape:
        return QString::fromStdString(extentsText(ours.shape));
    case From:
        return theirs ? QString::fromStdString(theirs->name) : tr("nothing");
    case FileShape:
        return theirs ? QString::fromStdString(extentsText(theirs->shape)) : QString();
    default:
        break;
    }
    switch (row.fill) {
    case WeightsFill::Matched:
        return tr("same name");
    case WeightsFill::Renamed:
        return tr("renamed");
    case WeightsFill::ByHand:
        return tr("by hand");
    case WeightsFill::ShapeDiffers:
        return tr("shape differs");
    case WeightsFill::Fresh:
        break;
    }
    return tr("stays fresh");
}

QString WeightsModel::explanation(const WeightsRow& row) const
{
    switch (row.fill) {
    case WeightsFill::Matched:
        return tr("Name and shape are the same on both sides.");
    case WeightsFill::Renamed:
        return tr("Same shape; the names differ by a prefix only.");
    case WeightsFill::ByHand:
        return tr("Chosen by hand. Clear the cell to go back to what fits by name.");
    case WeightsFill::ShapeDiffers:
        return tr("The name fits, the shape does not: this tensor is initialised as if there were no file.");
    case WeightsFill::Fresh:
        break;
    }
    return tr("The file has nothing for it: this tensor is initialised as if there were no file.");
}

QColor WeightsModel::color(const WeightsRow& row, int column) const
{
    const bool isLoaded = row.fill != WeightsFill::Fresh && row.fill != WeightsFill::ShapeDiffers;
    if (column == State)
        return m_theme.color(isLoaded ? ColorRole::Good : row.fill == WeightsFill::Fresh ? ColorRole::Muted : ColorRole::Warn);
    if (column == Shape || column == FileShape || (column == From && !row.theirs))
        return m_theme.color(ColorRole::Muted);
    return m_theme.color(ColorRole::Text);
}

QVariant WeightsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const WeightsRow& row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return text(row, index.column());
    case Qt::EditRole:
        return index.column() == From && !row.theirs ? QString() : text(row, index.column());
    case Qt::ToolTipRole:
        return index.column() == State ? explanation(row) : text(row, index.column());
    case Qt::ForegroundRole:
        return color(row, index.column());
    case Qt::FontRole:
        return index.column() == State ? QVariant() : m_theme.font(FontRole::Mono);
    default:
        return {};
    }
}

QVariant WeightsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    const QString names[] = {tr("In the network"), tr("Shape"), tr("From the file"), tr("Shape there"), tr("Filled")};
    return names[section];
}

Qt::ItemFlags WeightsModel::flags(const QModelIndex& index) const
{
    const auto flags = QAbstractTableModel::flags(index);
    return index.column() == From ? flags | Qt::ItemIsEditable : flags;
}

bool WeightsModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::EditRole || index.column() != From)
        return false;
    const QString name = value.toString().trimmed();
    if (!name.isEmpty() && !candidates(index.row()).contains(name))
        return false; // the delegate offers no other
    WeightsMap byHand = m_byHand;
    const std::string& ours = m_report->network[static_cast<std::size_t>(index.row())].name;
    if (name == this->data(index, Qt::EditRole).toString())
        return true;
    if (name.isEmpty())
        byHand.erase(ours);
    else
        byHand[ours] = name.toStdString();
    setByHand(std::move(byHand));
    return true;
}

} // namespace athanor
