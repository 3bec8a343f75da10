#include "ui/bridge/findings_model.h"

#include "ui/bridge/text_format.h"

#include <algorithm>

namespace athanor {
namespace {

QString placeOf(const Finding& finding)
{
    if (!finding.node.empty())
        return QStringLiteral("network/") + QString::fromStdString(finding.node);
    return QString::fromStdString(finding.series);
}

Finding findingOf(const Problem& problem)
{
    Finding finding;
    finding.severity = problem.severity;
    finding.message = problem.message;
    finding.fixes = problem.fixes;
    if (!problem.hint.empty())
        finding.fixes.push_back({problem.hint});
    return finding;
}

} // namespace

void FindingsModel::setProblems(const std::vector<Problem>& problems)
{
    std::vector<Row> rows;
    for (const Problem& problem : problems) {
        const QString place = QString::fromStdString(problem.where);
        rows.push_back(
            {findingOf(problem), place, place + u'|' + QString::fromStdString(problem.message), false});
    }
    std::copy_if(m_rows.begin(), m_rows.end(), std::back_inserter(rows),
                 [](const Row& row) { return row.ofRun; });
    replaceRows(std::move(rows));
}

void FindingsModel::setFindings(const std::vector<Finding>& findings)
{
    std::vector<Row> rows;
    std::copy_if(m_rows.begin(), m_rows.end(), std::back_inserter(rows),
                 [](const Row& row) { return !row.ofRun; });
    for (const Finding& finding : findings) {
        const QString place = placeOf(finding);
        rows.push_back({finding, place, QString::fromStdString(finding.rule) + u'|' + place, true});
    }
    replaceRows(std::move(rows));
}

void FindingsModel::replaceRows(std::vector<Row> rows)
{
    const bool sameKeys = std::equal(rows.begin(), rows.end(), m_rows.begin(), m_rows.end(),
                                     [](const Row& a, const Row& b) { return a.key == b.key; });
    if (!sameKeys) {
        beginResetModel();
        m_rows = std::move(rows);
        endResetModel();
    } else if (!rows.empty()) {
        m_rows = std::move(rows);
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    }
}

const Finding& FindingsModel::finding(int row) const
{
    return m_rows.at(static_cast<std::size_t>(row)).finding;
}

bool FindingsModel::isOfRun(int row) const
{
    return m_rows.at(static_cast<std::size_t>(row)).ofRun;
}

int FindingsModel::count(Severity severity) const
{
    return static_cast<int>(std::count_if(m_rows.begin(), m_rows.end(), [severity](const Row& row) {
        return row.finding.severity == severity;
    }));
}

int FindingsModel::rowOf(const QString& key) const
{
    const auto found =
        std::find_if(m_rows.begin(), m_rows.end(), [&key](const Row& row) { return row.key == key; });
    return found == m_rows.end() ? -1 : static_cast<int>(found - m_rows.begin());
}

int FindingsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int FindingsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant FindingsModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        if (index.column() == Message)
            return QString::fromStdString(row.finding.message);
        if (index.column() == Where)
            return row.place;
        if (!row.ofRun)
            return {};
        return row.finding.firstStep == row.finding.lastStep
                   ? countText(row.finding.firstStep)
                   : tr("%1 – %2").arg(countText(row.finding.firstStep), countText(row.finding.lastStep));
    case Qt::ToolTipRole:
        return QString::fromStdString(row.finding.message);
    case Qt::TextAlignmentRole:
        return index.column() == Steps ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case SeverityRole:
        return static_cast<int>(row.finding.severity);
    case PlaceRole:
        return row.place;
    case KeyRole:
        return row.key;
    default:
        return {};
    }
}

QVariant FindingsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Message:
        return tr("What was seen");
    case Where:
        return tr("Where");
    case Steps:
        return tr("Steps");
    default:
        return {};
    }
}

} // namespace athanor
