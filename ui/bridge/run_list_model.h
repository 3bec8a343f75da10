// GUI thread; the store is read on a worker thread (run_list_reader.h). The table of all runs.
#pragma once

#include "engine/project/project.h"
#include "engine/store/run_filter.h"
#include "engine/store/run_marks.h"
#include "engine/store/run_store.h"
#include "engine/store/run_trash.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QStringList>
#include <QTimer>
#include <QUndoStack>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace athanor {

class RunListReader;
struct RunMetrics;

/// One row per run, newest first; after the fixed columns two per main metric (last and best value), then those that were
/// asked for by name. What is changed can be undone.
class RunListModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Status, Project, Started, Duration, Steps, Tags, Note, FixedColumns };
    enum Role {
        SortRole = Qt::UserRole + 1, ///< text, a double (NaN and infinities too), or invalid when missing
        RunIdRole,
        StatusRole, ///< int(RunStatus)
        StarredRole,
        ArchivedRole,
        MarkColorRole, ///< QString "#rrggbb", empty: none
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
    /// What filters know of a run; nullptr until it was read.
    [[nodiscard]] const RunFacts* facts(int row) const;
    [[nodiscard]] RunMark mark(int row) const;
    /// Everything that a filter or a column can name, of all runs, sorted.
    [[nodiscard]] QStringList factNames() const;
    /// Columns behind the metrics: names as filters know them (lr, batch_size, val/loss.min).
    void setExtraColumns(const QStringList& names);
    [[nodiscard]] QStringList extraColumns() const;

    // --- changes; the store follows in the background, failed() says when it does not ---
    QUndoStack* undoStack() { return &m_undo; }
    void deleteRuns(const std::vector<RunId>& runs); ///< into the trash
    void restoreRuns(const std::vector<RunId>& runs);
    void purgeRuns(const std::vector<RunId>& runs); ///< of the trash, for good: the one change that is not undone
    /// What is in the trash; `done` is called on the GUI thread.
    void readTrash(std::function<void(const Result<std::vector<TrashedRun>>&)> done);
    void setMarks(const std::vector<RunId>& runs, const QString& text, const std::function<void(RunMark&)>& change);

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
        std::shared_ptr<const RunFacts> facts;
        RunMark mark;
    };
    void takeRuns(std::vector<RunInfo> runs);
    void mergeRuns(std::vector<RunInfo> runs);
    void replaceRuns(std::vector<RunInfo> runs);
    void takeMetrics(const std::vector<RunMetrics>& metrics);
    void takeMarks(const std::map<RunId, RunMark>& marks);
    void writeText(RunId run, int column, const QString& text);
    void writeMarks(const std::map<RunId, RunMark>& marks);
    void changeTrash(const std::vector<RunId>& runs, bool isDeleted);
    void addMetricColumns(const std::vector<RunMetrics>& metrics);
    void setReading(bool reading);
    [[nodiscard]] QVariant metricValue(const Row& row, int column) const; ///< double, or invalid when missing
    [[nodiscard]] QVariant extraValue(const Row& row, int column) const;  ///< double or text, or invalid
    [[nodiscard]] int firstExtra() const;
    [[nodiscard]] QString fixedText(const RunInfo& run, int column) const;

    std::vector<Row> m_rows; ///< by id, the newest first
    std::vector<std::string> m_metricNames;
    std::vector<std::string> m_extraNames;
    mutable QStringList m_factNames; ///< empty: to be collected again
    QUndoStack m_undo;
    QTimer m_timer;
    bool m_reading = false;
    std::unique_ptr<RunListReader> m_reader;
};

/// Sorts and filters the runs. Whatever the direction: finite values, then infinities, then NaN, then missing.
class RunListFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit RunListFilter(QObject* parent = nullptr);
    /// An expression (see RunFilter) when the text holds a comparison; else words, each of which must occur in the name,
    /// status, project, tags or note. An expression that cannot be read leaves the runs as they are shown.
    Status setText(const QString& text);
    void setArchivedShown(bool isShown);

protected:
    [[nodiscard]] bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    [[nodiscard]] Status unknownNames() const;

    QStringList m_words;
    std::optional<RunFilter> m_expression;
    bool m_archivedShown = false;
};

} // namespace athanor
