#include "ui/bridge/log_model.h"

#include "ui/bridge/text_format.h"

#include <QDateTime>

#include <algorithm>
#include <mutex>
#include <utility>

namespace athanor {
namespace {

constexpr int kBatchMilliseconds = 100;

LogLevel levelOf(spdlog::level::level_enum level)
{
    if (level >= spdlog::level::err)
        return LogLevel::Error;
    if (level == spdlog::level::warn)
        return LogLevel::Warning;
    return level >= spdlog::level::info ? LogLevel::Info : LogLevel::Detail;
}

LogLevel levelOf(EventKind kind)
{
    switch (kind) {
    case EventKind::Failed:
        return LogLevel::Error;
    case EventKind::NonFinite:
    case EventKind::ProbesDropped:
        return LogLevel::Warning;
    default:
        return LogLevel::Info;
    }
}

} // namespace

struct LogModel::Inbox {
    std::mutex mutex; // guards all below
    std::vector<LogEntry> entries;
    LogModel* model = nullptr; ///< null once the model is gone

    void add(LogEntry entry)
    {
        const std::lock_guard lock(mutex);
        // One wake-up per batch: the next entries find a non-empty inbox. The call only posts an event, so
        // it may be made under the lock, which keeps the model alive meanwhile.
        if (entries.empty() && model != nullptr) {
            QMetaObject::invokeMethod(
                model, [target = model] { target->m_timer.start(); }, Qt::QueuedConnection);
        }
        entries.push_back(std::move(entry));
    }
};

LogModel::LogModel(QObject* parent) : QAbstractTableModel(parent), m_inbox(std::make_shared<Inbox>())
{
    m_inbox->model = this;
    m_timer.setSingleShot(true);
    m_timer.setInterval(kBatchMilliseconds);
    connect(&m_timer, &QTimer::timeout, this, &LogModel::takeInbox);
    m_sink = addLogSink([inbox = m_inbox](const LogLine& line) {
        inbox->add({line.wallMilliseconds, levelOf(line.level), QString::fromStdString(line.text), {}});
    });
}

LogModel::~LogModel()
{
    removeLogSink(m_sink);
    const std::lock_guard lock(m_inbox->mutex);
    m_inbox->model = nullptr;
}

void LogModel::addEvent(const Event& event)
{
    const QString text =
        event.step > 0 ? tr("Step %1: %2").arg(countText(event.step), QString::fromStdString(event.text))
                       : QString::fromStdString(event.text);
    const std::int64_t wall =
        event.wallMilliseconds != 0 ? event.wallMilliseconds : QDateTime::currentMSecsSinceEpoch();
    addEntry({wall, levelOf(event.kind), text, QString::fromStdString(event.where)});
}

void LogModel::addEntry(LogEntry entry)
{
    m_inbox->add(std::move(entry));
}

void LogModel::takeInbox()
{
    std::vector<LogEntry> fresh;
    {
        const std::lock_guard lock(m_inbox->mutex);
        fresh.swap(m_inbox->entries);
    }
    if (fresh.size() > static_cast<std::size_t>(kMaxLines))
        fresh.erase(fresh.begin(), fresh.end() - kMaxLines);
    if (fresh.empty())
        return;
    const int surplus = static_cast<int>(m_entries.size() + fresh.size()) - kMaxLines;
    if (surplus > 0) {
        const int count = std::min<int>(std::max(surplus, kDropLines), static_cast<int>(m_entries.size()));
        beginRemoveRows({}, 0, count - 1);
        m_entries.erase(m_entries.begin(), m_entries.begin() + count);
        endRemoveRows();
    }
    const int first = static_cast<int>(m_entries.size());
    beginInsertRows({}, first, first + static_cast<int>(fresh.size()) - 1);
    std::move(fresh.begin(), fresh.end(), std::back_inserter(m_entries));
    endInsertRows();
}

void LogModel::clear()
{
    beginResetModel();
    m_entries.clear();
    endResetModel();
}

int LogModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_entries.size());
}

int LogModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant LogModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const LogEntry& entry = m_entries[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        if (index.column() == Time)
            return QDateTime::fromMSecsSinceEpoch(entry.wallMilliseconds)
                .toString(QStringLiteral("HH:mm:ss.zzz"));
        // The list shows one line per entry; the tooltip has the whole text.
        return entry.text.section(u'\n', 0, 0);
    case Qt::ToolTipRole:
        return index.column() == Time ? timeText(entry.wallMilliseconds) : entry.text;
    case LevelRole:
        return static_cast<int>(entry.level);
    case WhereRole:
        return entry.where;
    default:
        return {};
    }
}

QVariant LogModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == Time ? tr("Time") : tr("Message");
}

LogFilter::LogFilter(QObject* parent) : QSortFilterProxyModel(parent) {}

void LogFilter::setShowsDetail(bool detail)
{
    if (detail == m_detail)
        return;
    m_detail = detail;
    invalidateFilter();
}

void LogFilter::setText(const QString& text)
{
    m_text = text;
    invalidateFilter();
}

bool LogFilter::filterAcceptsRow(int row, const QModelIndex& parent) const
{
    const QModelIndex index = sourceModel()->index(row, LogModel::Text, parent);
    if (!m_detail && index.data(LogModel::LevelRole).toInt() == static_cast<int>(LogLevel::Detail))
        return false;
    return m_text.isEmpty() || index.data(Qt::ToolTipRole).toString().contains(m_text, Qt::CaseInsensitive);
}

} // namespace athanor
