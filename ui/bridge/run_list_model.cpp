#include "ui/bridge/run_list_model.h"

#include "ui/bridge/run_list_reader.h"
#include "ui/bridge/text_format.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace athanor {
namespace {

QString joinedTags(const RunInfo& run)
{
    QStringList tags;
    for (const std::string& tag : run.tags)
        tags << QString::fromStdString(tag);
    return tags.join(QStringLiteral(", "));
}

/// How many ids only one of the two lists has; both are sorted by id, falling.
template <typename Rows>
std::size_t differingIds(const Rows& rows, const std::vector<RunInfo>& runs)
{
    std::size_t both = 0;
    auto row = rows.begin();
    for (const RunInfo& run : runs) {
        while (row != rows.end() && row->info.id > run.id)
            ++row;
        if (row != rows.end() && row->info.id == run.id)
            ++both;
    }
    return rows.size() + runs.size() - 2 * both;
}

bool sameRun(const RunInfo& a, const RunInfo& b)
{
    return a.name == b.name && a.status == b.status && a.seconds == b.seconds && a.steps == b.steps &&
           a.epochs == b.epochs && a.tags == b.tags && a.note == b.note && a.failure == b.failure;
}

} // namespace

RunListModel::RunListModel(QObject* parent) : QAbstractTableModel(parent)
{
    // The reader's thread posts to this object; what arrives after its end is dropped by Qt.
    const auto post = [this](auto function) {
        QMetaObject::invokeMethod(this, std::move(function), Qt::QueuedConnection);
    };
    RunListReader::Listener listener;
    listener.runs = [this, post](std::vector<RunInfo> runs) {
        post([this, runs = std::move(runs)] { takeRuns(runs); });
    };
    listener.marks = [this, post](std::map<RunId, RunMark> marks) {
        post([this, marks = std::move(marks)] { takeMarks(marks); });
    };
    listener.metrics = [this, post](std::vector<RunMetrics> metrics, std::size_t done, std::size_t all) {
        post([this, metrics = std::move(metrics), done, all] {
            takeMetrics(metrics);
            Q_EMIT progressChanged(static_cast<int>(done), static_cast<int>(all));
        });
    };
    listener.failed = [this, post](Error error) {
        post([this, error = std::move(error)] { Q_EMIT failed(error); });
    };
    listener.finished = [this, post] {
        post([this] {
            setReading(false);
            Q_EMIT refreshed();
        });
    };
    m_reader = std::make_unique<RunListReader>(std::move(listener));
    m_timer.setInterval(kRefreshMilliseconds);
    connect(&m_timer, &QTimer::timeout, this, &RunListModel::refresh);
}

RunListModel::~RunListModel() = default;

void RunListModel::setStoreFile(const std::filesystem::path& file)
{
    setReading(true);
    m_reader->setFile(file);
}

void RunListModel::refresh()
{
    setReading(true);
    m_reader->request();
}

void RunListModel::setLive(bool live)
{
    if (!live) {
        m_timer.stop();
    } else if (!m_timer.isActive()) {
        m_timer.start();
        refresh();
    }
}

void RunListModel::readProject(RunId run, std::function<void(const Result<athanor::Project>&)> done)
{
    m_reader->change([this, run, done = std::move(done)](RunStore& store) -> athanor::Status {
        const auto deliver = [this, done](Result<athanor::Project> project) {
            QMetaObject::invokeMethod(
                this, [done, project = std::move(project)] { done(project); }, Qt::QueuedConnection);
        };
        const Result<std::string> text = store.projectText(run);
        const Result<RunInfo> info = store.run(run);
        if (!text || !info) {
            deliver(text ? info.error() : text.error());
            return Done{};
        }
        Result<LoadedProject> loaded = parseProject(*text, info->projectFile);
        deliver(loaded ? Result<athanor::Project>(std::move(loaded->project)) : loaded.error());
        return Done{};
    });
}

void RunListModel::cancelReading()
{
    m_reader->cancel();
}

void RunListModel::setReading(bool reading)
{
    if (reading == m_reading)
        return;
    m_reading = reading;
    Q_EMIT readingChanged(reading);
}

void RunListModel::takeRuns(std::vector<RunInfo> runs)
{
    std::sort(runs.begin(), runs.end(), [](const RunInfo& a, const RunInfo& b) { return a.id > b.id; });
    // Views take single changes one by one, which thousands of them are too many for.
    constexpr std::size_t kManyChanges = 200;
    if (m_rows.empty() || runs.empty() || differingIds(m_rows, runs) > kManyChanges)
        replaceRuns(std::move(runs));
    else
        mergeRuns(std::move(runs));
}

void RunListModel::replaceRuns(std::vector<RunInfo> runs)
{
    beginResetModel();
    std::vector<Row> before = std::exchange(m_rows, {});
    auto known = before.begin();
    for (RunInfo& run : runs) {
        while (known != before.end() && known->info.id > run.id)
            ++known;
        Row row;
        if (known != before.end() && known->info.id == run.id)
            row = std::move(*known); // its metrics were read
        row.info = std::move(run);
        m_rows.push_back(std::move(row));
    }
    endResetModel();
}

// Both lists are sorted by id, so one walk finds what is new, gone or changed, and views keep their selection.
void RunListModel::mergeRuns(std::vector<RunInfo> runs)
{
    std::size_t at = 0;
    for (RunInfo& run : runs) {
        while (at < m_rows.size() && m_rows[at].info.id > run.id) {
            beginRemoveRows({}, static_cast<int>(at), static_cast<int>(at));
            m_rows.erase(m_rows.begin() + static_cast<std::ptrdiff_t>(at));
            endRemoveRows();
        }
        const int row = static_cast<int>(at);
        if (at == m_rows.size() || m_rows[at].info.id < run.id) {
            beginInsertRows({}, row, row);
            m_rows.insert(m_rows.begin() + static_cast<std::ptrdiff_t>(at), Row{std::move(run), {}, nullptr, {}});
            endInsertRows();
        } else if (!sameRun(m_rows[at].info, run)) {
            m_rows[at].info = std::move(run);
            Q_EMIT dataChanged(index(row, 0), index(row, FixedColumns - 1));
        }
        ++at;
    }
    if (at < m_rows.size()) {
        beginRemoveRows({}, static_cast<int>(at), static_cast<int>(m_rows.size()) - 1);
        m_rows.resize(at);
        endRemoveRows();
    }
}

void RunListModel::takeMetrics(const std::vector<RunMetrics>& metrics)
{
    addMetricColumns(metrics);
    int first = rowCount();
    int last = -1;
    for (const RunMetrics& each : metrics) {
        const int row = rowOf(each.run);
        if (row < 0)
            continue;
        m_rows[static_cast<std::size_t>(row)].metrics = each.series;
        m_rows[static_cast<std::size_t>(row)].facts = each.facts;
        first = std::min(first, row);
        last = std::max(last, row);
    }
    m_factNames.clear();
    if (last >= 0) // filters look at all of it
        Q_EMIT dataChanged(index(first, 0), index(last, columnCount() - 1));
}

void RunListModel::addMetricColumns(const std::vector<RunMetrics>& metrics)
{
    std::vector<std::string> fresh;
    for (const RunMetrics& each : metrics) {
        for (const SeriesSummary& summary : each.series) {
            const auto isKnown = [&summary](const auto& names) {
                return std::find(names.begin(), names.end(), summary.name) != names.end();
            };
            if (!isKnown(m_metricNames) && !isKnown(fresh))
                fresh.push_back(summary.name);
        }
    }
    if (fresh.empty())
        return;
    std::sort(fresh.begin(), fresh.end());
    const int first = firstExtra();
    beginInsertColumns({}, first, first + 2 * static_cast<int>(fresh.size()) - 1);
    m_metricNames.insert(m_metricNames.end(), fresh.begin(), fresh.end());
    endInsertColumns();
}

const RunInfo* RunListModel::run(int row) const
{
    return row >= 0 && row < rowCount() ? &m_rows[static_cast<std::size_t>(row)].info : nullptr;
}

int RunListModel::rowOf(RunId run) const
{
    const auto found = std::lower_bound(m_rows.begin(), m_rows.end(), run,
                                        [](const Row& row, RunId id) { return row.info.id > id; });
    return found != m_rows.end() && found->info.id == run ? static_cast<int>(found - m_rows.begin()) : -1;
}

QStringList RunListModel::metricNames() const
{
    QStringList names;
    for (const std::string& name : m_metricNames)
        names << QString::fromStdString(name);
    return names;
}

int RunListModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int RunListModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : firstExtra() + static_cast<int>(m_extraNames.size());
}

int RunListModel::firstExtra() const
{
    return FixedColumns + 2 * static_cast<int>(m_metricNames.size());
}

QVariant RunListModel::metricValue(const Row& row, int column) const
{
    if (column >= firstExtra())
        return extraValue(row, column);
    const auto place = static_cast<std::size_t>(column - FixedColumns);
    const std::string& name = m_metricNames[place / 2];
    const auto found = std::find_if(row.metrics.begin(), row.metrics.end(),
                                    [&name](const SeriesSummary& summary) { return summary.name == name; });
    if (found == row.metrics.end() || found->count == 0)
        return {};
    if (place % 2 == 0)
        return found->last;
    return naturalMode(name) == MonitorMode::Max ? found->max : found->min;
}

QString RunListModel::fixedText(const RunInfo& run, int column) const
{
    switch (column) {
    case Name:
        return QString::fromStdString(run.name);
    case Status:
        return QString::fromStdString(runStatusName(run.status));
    case Project:
        return QString::fromStdString(run.project);
    case Started:
        return timeText(run.startedMs);
    case Duration:
        return durationText(run.seconds);
    case Steps:
        return countText(run.steps);
    case Tags:
        return joinedTags(run);
    case Note:
        return QString::fromStdString(run.note);
    default:
        return {};
    }
}

QVariant RunListModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    const bool isMetric = column >= FixedColumns;
    switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole:
        if (!isMetric)
            return fixedText(row.info, column);
        if (const QVariant value = metricValue(row, column); value.isValid())
            return value.typeId() == QMetaType::Double ? numberText(value.toDouble()) : value.toString();
        return {};
    case Qt::ToolTipRole:
        if (column == Status && !row.info.failure.empty())
            return QString::fromStdString(row.info.failure);
        return isMetric ? QVariant() : QVariant(fixedText(row.info, column));
    case Qt::TextAlignmentRole:
        if (isMetric || column == Duration || column == Steps)
            return QVariant(Qt::AlignRight | Qt::AlignVCenter);
        return {};
    case SortRole:
        switch (column) {
        case Started:
            return static_cast<double>(row.info.startedMs);
        case Duration:
            return row.info.seconds;
        case Steps:
            return static_cast<double>(row.info.steps);
        default:
            return isMetric ? metricValue(row, column) : QVariant(fixedText(row.info, column));
        }
    case RunIdRole:
        return QVariant::fromValue<qlonglong>(row.info.id);
    case StatusRole:
        return static_cast<int>(row.info.status);
    case StarredRole:
        return row.mark.starred;
    case ArchivedRole:
        return row.mark.archived;
    case MarkColorRole:
        return QString::fromStdString(row.mark.color);
    default:
        return {};
    }
}

Qt::ItemFlags RunListModel::flags(const QModelIndex& index) const
{
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (index.isValid() && (index.column() == Name || index.column() == Tags || index.column() == Note))
        flags |= Qt::ItemIsEditable;
    return flags;
}

QVariant RunListModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    static const char* const kTitles[] = {
        QT_TR_NOOP("Name"),     QT_TR_NOOP("Status"), QT_TR_NOOP("Project"), QT_TR_NOOP("Started"),
        QT_TR_NOOP("Duration"), QT_TR_NOOP("Steps"),  QT_TR_NOOP("Tags"),    QT_TR_NOOP("Note"),
    };
    if (section < FixedColumns)
        return tr(kTitles[section]);
    if (section >= firstExtra())
        return QString::fromStdString(m_extraNames[static_cast<std::size_t>(section - firstExtra())]);
    const auto place = static_cast<std::size_t>(section - FixedColumns);
    const QString name = QString::fromStdString(m_metricNames[place / 2]);
    return place % 2 == 0 ? name : tr("%1 best").arg(name);
}

} // namespace athanor
