// GUI thread; lines arrive from any thread. The log as a table: time, text.
#pragma once

#include "engine/base/log.h"
#include "engine/metrics/metric.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QTimer>

#include <deque>
#include <memory>
#include <vector>

namespace athanor {

enum class LogLevel { Detail, Info, Warning, Error };

struct LogEntry {
    std::int64_t wallMilliseconds = 0;
    LogLevel level = LogLevel::Info;
    QString text;
    QString where; ///< node, series or project path; may be empty
};

/// The lines of the program's log and the events of runs. Lines are collected and added in batches; the
/// oldest go when there are more than kMaxLines.
class LogModel : public QAbstractTableModel {
    Q_OBJECT
public:
    static constexpr int kMaxLines = 100'000;
    static constexpr int kDropLines = 5'000; ///< how many of the oldest go at once
    enum Column { Time, Text, ColumnCount };
    enum Role { LevelRole = Qt::UserRole + 1, WhereRole };

    explicit LogModel(QObject* parent = nullptr); ///< listens to the log from now on
    ~LogModel() override;

    void addEvent(const Event& event); ///< an event of the run
    void addEntry(LogEntry entry);     ///< any thread
    void clear();

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Inbox; ///< what other threads have written and the model has not yet taken
    void takeInbox();

    std::shared_ptr<Inbox> m_inbox;
    std::deque<LogEntry> m_entries;
    QTimer m_timer;
    int m_sink = 0;
};

/// Two levels (key events: Info and above; or everything) and a text to look for.
class LogFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit LogFilter(QObject* parent = nullptr);
    void setShowsDetail(bool detail);
    [[nodiscard]] bool showsDetail() const { return m_detail; }
    void setText(const QString& text);

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    bool m_detail = false;
    QString m_text;
};

} // namespace athanor
