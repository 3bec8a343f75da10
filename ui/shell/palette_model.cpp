#include "ui/shell/palette_model.h"

#include "ui/bridge/fuzzy_match.h"

#include <algorithm>

namespace athanor {

void PaletteModel::setEntries(std::vector<PaletteEntry> entries)
{
    m_entries = std::move(entries);
    setPattern({});
}

void PaletteModel::setPattern(const QString& pattern)
{
    std::vector<Shown> shown;
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        if (auto match = fuzzyMatch(pattern, m_entries[i].title))
            shown.push_back({i, match->score, std::move(match->positions)});
    }
    // Entries of equal score keep their order: actions before nodes, series and runs.
    std::stable_sort(shown.begin(), shown.end(),
                     [](const Shown& a, const Shown& b) { return a.score > b.score; });
    if (shown.size() > kShown)
        shown.resize(kShown);
    beginResetModel();
    m_shown = std::move(shown);
    endResetModel();
}

const PaletteEntry& PaletteModel::entry(int row) const
{
    return m_entries.at(m_shown.at(static_cast<std::size_t>(row)).entry);
}

int PaletteModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

QVariant PaletteModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const PaletteEntry& found = entry(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return found.title;
    case Qt::DecorationRole:
        return found.icon;
    case Qt::AccessibleTextRole:
        return QString(found.title + QStringLiteral(", ") + found.detail);
    case DetailRole:
        return found.detail;
    case PositionsRole:
        return QVariant::fromValue(m_shown[static_cast<std::size_t>(index.row())].positions);
    default:
        return {};
    }
}

} // namespace athanor
