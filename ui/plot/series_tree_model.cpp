#include "ui/plot/series_tree_model.h"

#include "ui/bridge/text_format.h"
#include "ui/theme/theme.h"

#include <QFont>

#include <algorithm>
#include <cmath>

namespace athanor {
namespace {

constexpr std::size_t kAnnounceLimit = 64; // more new series at once: the views start anew instead

/// train/loss → train, loss; grad_norm/block1.conv.weight → grad_norm, block1, conv, weight.
std::vector<std::string> pathParts(const std::string& name)
{
    std::vector<std::string> parts{{}};
    for (const char c : name) {
        const bool isSeparator = c == '/' || (c == '.' && parts.size() > 1);
        if (isSeparator && !parts.back().empty())
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

} // namespace

SeriesTreeModel::SeriesTreeModel(Theme& theme, QObject* parent)
    : QAbstractItemModel(parent), m_theme(theme), m_items(1)
{
}

void SeriesTreeModel::setSource(std::shared_ptr<SeriesSource> source)
{
    beginResetModel();
    m_source = std::move(source);
    m_items.assign(1, {});
    m_names.clear();
    m_units.clear();
    m_bySeries.clear();
    m_byName.clear();
    m_structureVersion = 0;
    endResetModel();
    addNewSeries();
}

void SeriesTreeModel::addNewSeries()
{
    if (!m_source || m_source->structureVersion() == m_structureVersion)
        return;
    m_structureVersion = m_source->structureVersion();
    const std::vector<SeriesInfo> infos = m_source->infos();
    const std::size_t known = m_names.size();
    if (infos.size() <= known)
        return;
    const bool announce = infos.size() - known <= kAnnounceLimit;
    if (!announce)
        beginResetModel();
    for (std::size_t i = known; i < infos.size(); ++i)
        insert(infos[i], static_cast<SeriesIndex>(i), announce);
    if (!announce)
        endResetModel();
}

void SeriesTreeModel::insert(const SeriesInfo& info, SeriesIndex series, bool announce)
{
    int item = 0;
    for (const std::string& part : pathParts(info.name))
        item = childNamed(item, part, announce);
    m_items[static_cast<std::size_t>(item)].series = series;
    m_names.push_back(QString::fromStdString(info.name));
    m_units.push_back(QString::fromStdString(info.unit));
    m_bySeries.push_back(item);
    m_byName.emplace(info.name, item);
    if (announce)
        Q_EMIT dataChanged(indexOfItem(item), indexOfItem(item, ValueColumn));
}

int SeriesTreeModel::childNamed(int parent, const std::string& name, bool announce)
{
    const auto parentPlace = static_cast<std::size_t>(parent);
    if (const auto found = m_items[parentPlace].byName.find(name); found != m_items[parentPlace].byName.end())
        return found->second;
    const int row = static_cast<int>(m_items[parentPlace].children.size());
    if (announce)
        beginInsertRows(indexOfItem(parent), row, row);
    const int child = static_cast<int>(m_items.size());
    Item item;
    item.parent = parent;
    item.row = row;
    item.name = QString::fromStdString(name);
    m_items.push_back(std::move(item));
    m_items[parentPlace].children.push_back(child);
    m_items[parentPlace].byName.emplace(name, child);
    if (announce)
        endInsertRows();
    return child;
}

void SeriesTreeModel::setPlotted(const std::set<QString>& series)
{
    if (series == m_plotted)
        return;
    announceDifference(std::exchange(m_plotted, series), m_plotted);
}

void SeriesTreeModel::setHighlighted(const std::set<QString>& series)
{
    if (series == m_highlighted)
        return;
    announceDifference(std::exchange(m_highlighted, series), m_highlighted);
}

void SeriesTreeModel::announceDifference(const std::set<QString>& before, const std::set<QString>& after)
{
    QStringList names;
    std::set_symmetric_difference(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(names));
    for (const QString& name : names) {
        const QModelIndex changed = indexOf(name);
        if (changed.isValid())
            Q_EMIT dataChanged(changed, changed);
    }
}

QString SeriesTreeModel::path(const QModelIndex& index) const
{
    const Item& item = m_items[static_cast<std::size_t>(itemOf(index))];
    return item.series ? m_names[*item.series] : QString();
}

QModelIndex SeriesTreeModel::indexOf(const QString& series) const
{
    const auto found = m_byName.find(series.toStdString());
    return found == m_byName.end() ? QModelIndex() : indexOfItem(found->second);
}

void SeriesTreeModel::collect(int item, QStringList& names) const
{
    const Item& found = m_items[static_cast<std::size_t>(item)];
    if (found.series)
        names << m_names[*found.series];
    for (const int child : found.children)
        collect(child, names);
}

QStringList SeriesTreeModel::seriesBelow(const QModelIndex& index) const
{
    QStringList names;
    collect(itemOf(index), names);
    return names;
}

void SeriesTreeModel::valuesChanged(const QModelIndex& index)
{
    const QModelIndex value = index.siblingAtColumn(ValueColumn);
    Q_EMIT dataChanged(value, value);
}

int SeriesTreeModel::itemOf(const QModelIndex& index) const
{
    return index.isValid() ? static_cast<int>(index.internalId()) : 0;
}

QModelIndex SeriesTreeModel::indexOfItem(int item, int column) const
{
    return item == 0 ? QModelIndex()
                     : createIndex(m_items[static_cast<std::size_t>(item)].row, column, static_cast<quintptr>(item));
}

QModelIndex SeriesTreeModel::index(int row, int column, const QModelIndex& parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    return indexOfItem(m_items[static_cast<std::size_t>(itemOf(parent))].children[static_cast<std::size_t>(row)], column);
}

QModelIndex SeriesTreeModel::parent(const QModelIndex& index) const
{
    return index.isValid() ? indexOfItem(m_items[static_cast<std::size_t>(itemOf(index))].parent) : QModelIndex();
}

int SeriesTreeModel::rowCount(const QModelIndex& parent) const
{
    if (parent.isValid() && parent.column() != NameColumn)
        return 0;
    return static_cast<int>(m_items[static_cast<std::size_t>(itemOf(parent))].children.size());
}

QVariant SeriesTreeModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const Item& item = m_items[static_cast<std::size_t>(itemOf(index))];
    if (role == PathRole)
        return item.series ? m_names[*item.series] : QString();
    if (role == IsSeriesRole)
        return item.series.has_value();
    if (role == Qt::ToolTipRole && item.series)
        return m_names[*item.series];
    return index.column() == NameColumn ? nameData(item, role) : valueData(item, role);
}

QVariant SeriesTreeModel::nameData(const Item& item, int role) const
{
    if (role == Qt::DisplayRole)
        return item.name;
    if (!item.series)
        return {};
    const QString& name = m_names[*item.series];
    if (role == Qt::CheckStateRole)
        return m_plotted.contains(name) ? Qt::Checked : Qt::Unchecked;
    if (role == Qt::FontRole && m_highlighted.contains(name)) {
        QFont font = m_theme.font(FontRole::Body);
        font.setBold(true);
        return font;
    }
    if (role == Qt::ForegroundRole && m_highlighted.contains(name))
        return m_theme.color(ColorRole::Accent);
    return {};
}

QVariant SeriesTreeModel::valueData(const Item& item, int role) const
{
    if (role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (!item.series)
        return {};
    if (role != Qt::DisplayRole && role != Qt::ForegroundRole && role != Qt::ToolTipRole)
        return {};
    const SeriesStore::Latest latest = m_source->latest(*item.series);
    if (role == Qt::ForegroundRole)
        return m_theme.color(latest.nonFinite > 0 ? ColorRole::Bad : ColorRole::Text);
    if (latest.count == 0)
        return QStringLiteral("–");
    const QString value = numberText(latest.value, m_units[*item.series]);
    return latest.nonFinite == 0 ? value : tr("▼ %1  %2", "count of NaN or infinite values, value")
                                               .arg(countText(latest.nonFinite), value);
}

bool SeriesTreeModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::CheckStateRole || index.column() != NameColumn || path(index).isEmpty())
        return false;
    Q_EMIT plotToggled(path(index), value.toInt() == Qt::Checked);
    return true;
}

QVariant SeriesTreeModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::DisplayRole)
        return section == NameColumn ? tr("Series") : tr("Now");
    if (role == Qt::TextAlignmentRole && section == ValueColumn)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

Qt::ItemFlags SeriesTreeModel::flags(const QModelIndex& index) const
{
    Qt::ItemFlags flags = QAbstractItemModel::flags(index);
    if (index.isValid() && index.column() == NameColumn && m_items[static_cast<std::size_t>(itemOf(index))].series)
        flags |= Qt::ItemIsUserCheckable;
    return flags;
}

SeriesTreeFilter::SeriesTreeFilter(QObject* parent) : QSortFilterProxyModel(parent)
{
    setRecursiveFilteringEnabled(true);
}

void SeriesTreeFilter::setWords(const QString& text)
{
    m_words = text.split(u' ', Qt::SkipEmptyParts);
    invalidateFilter();
}

bool SeriesTreeFilter::filterAcceptsRow(int row, const QModelIndex& parent) const
{
    if (m_words.isEmpty())
        return true;
    const QString path =
        sourceModel()->index(row, SeriesTreeModel::NameColumn, parent).data(SeriesTreeModel::PathRole).toString();
    return !path.isEmpty() && std::all_of(m_words.begin(), m_words.end(), [&](const QString& word) {
        return path.contains(word, Qt::CaseInsensitive);
    });
}

std::string nodeOfSeries(const std::string& series, const std::vector<std::string>& nodeIds)
{
    const auto slash = series.find('/');
    if (slash == std::string::npos)
        return {};
    std::string rest = series.substr(slash + 1);
    std::replace(rest.begin(), rest.end(), '.', '/'); // group members: block1/conv has block1.conv.weight
    std::string best;
    for (const std::string& id : nodeIds) {
        const bool isPrefix = rest.compare(0, id.size(), id) == 0 && (rest.size() == id.size() || rest[id.size()] == '/');
        if (isPrefix && id.size() > best.size())
            best = id;
    }
    return best;
}

} // namespace athanor
