// GUI thread; the store is read on a worker thread (run_list_reader.h). The table of all runs.
#pragma once

#include "engine/project/project.h"
#include "engine/store/run_store.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QStringList>
#include <QTimer>

#include <functional>
#include <memory>
#include <vector>

namespace athanor {

class RunListReader;
struct RunMetrics;

/// True when a smaller value of the series is the better one: losses and errors.
bool lowerIsBetter(const std::string& series);

/// One row per run, newest first; after the fixed columns two per main metric: last and best value.
class RunListModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Status, Project, Started, Duration, Steps, Tags, Note, FixedColumns };
    enum Role {
        SortRole = Qt::UserRole + 1, ///< text, a double (NaN and infinities too), or invalid when missing
        RunIdRole,
        StatusRole, ///< int(RunStatus)
    };
    static constexpr int kRefreshMilliseconds = 2000;

    explicit RunListModel(QObject* parent = nullptr);
    ~RunListModel() override;

    void setStoreFile(const std::filesystem::path& file);
    void refresh();          ///< soon, without blocking
    void setLive(bool live); ///< refreshes every kRefreshMilliseconds while live
    /// The project as the run trained it; `done` is called on the GUI thread.
    void readProject(RunId run, std::function<void(const Result<athanor::Project>&)> done);
    void cancelReading(); ///< metrics that have not arrived stay missing until the next refresh
    [[nodiscard]] bool isReading() const { return m_reading; }

    [[nodiscard]] const RunInfo* run(int row) const; ///< nullptr: no such row
    [[nodiscard]] int rowOf(RunId run) const;        ///< −1: not there
    [[nodiscard]] QStringList metricNames() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    /// Name, tags (separated by commas) and note can be edited; the store follows in the background.
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

Q_SIGNALS:
    void refreshed();                        ///< the list is what the store holds
    void progressChanged(int done, int all); ///< metrics being read
    void readingChanged(bool reading);
    void failed(const athanor::Error& error); ///< the store could not be read or changed

private:
    struct Row {
        RunInfo info;
        std::vector<SeriesSummary> metrics;
    };
    void takeRuns(std::vector<RunInfo> runs);
    void mergeRuns(std::vector<RunInfo> runs);
    void takeMetrics(const std::vector<RunMetrics>& metrics);
    void addMetricColumns(const std::vector<RunMetrics>& metrics);
    void setReading(bool reading);
    [[nodiscard]] QVariant metricValue(const Row& row, int column) const; ///< double, or invalid when missing
    [[nodiscard]] QString fixedText(const RunInfo& run, int column) const;

    std::vector<Row> m_rows; ///< by id, the newest first
    std::vector<std::string> m_metricNames;
    QTimer m_timer;
    bool m_reading = false;
    std::unique_ptr<RunListReader> m_reader;
};

/// Sorts and filters the runs. Whatever the direction: finite values, then infinities, then NaN, then missing.
class RunListFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit RunListFilter(QObject* parent = nullptr);
    /// Every word must occur in the name, status, project, tags or note.
    void setText(const QString& text);

protected:
    [[nodiscard]] bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    QStringList m_words;
};

} // namespace athanor
