// GUI thread. Where plots and the tree get the series of one run from: a live one or a stored one.
#pragma once

#include "engine/metrics/series_store.h"
#include "engine/store/run_store.h"
#include "ui/plot/curve_data.h"

#include <QObject>
#include <QString>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace athanor {

class HistoryReader;

/// The place of a run in a store.
struct StoredRun {
    std::filesystem::path storeFile;
    RunId run = 0;
};

/// A question for raw points that are only in the store.
struct RangeQuery {
    std::vector<std::string> series;
    std::int64_t from = 0;
    std::int64_t to = 0;
    int columns = 0; ///< > 0: more points than this can show are thinned to it; 0: every point
};

class SeriesSource {
public:
    /// One window per asked series, in the order of the query. A series without points there has an empty one.
    using RangeAnswer = std::function<void(Result<std::vector<HistoryWindow>>)>;

    explicit SeriesSource(HistoryReader* reader) : m_reader(reader) {}
    virtual ~SeriesSource() = default;

    [[nodiscard]] virtual QString runName() const = 0; ///< legends of several runs; may be empty
    /// Grows whenever a series is added.
    [[nodiscard]] virtual std::uint64_t structureVersion() const = 0;
    [[nodiscard]] virtual std::vector<SeriesInfo> infos() const = 0;
    /// Grows whenever the view changes; 0 = nothing there yet.
    [[nodiscard]] virtual std::uint64_t version(SeriesIndex series) const = 0;
    /// A stored run loads on the first call and gives an empty view until then.
    [[nodiscard]] virtual SeriesView view(SeriesIndex series) = 0;
    [[nodiscard]] virtual SeriesStore::Latest latest(SeriesIndex series) const = 0;
    /// Where raw points of the past can be read; nullopt: nowhere.
    [[nodiscard]] virtual std::optional<StoredRun> storedRun() const = 0;

    [[nodiscard]] std::optional<SeriesIndex> find(const std::string& name) const;
    [[nodiscard]] bool hasHistory() const { return m_reader != nullptr && storedRun().has_value(); }
    /// Reads raw points on the reader thread; `answer` is called on the GUI thread unless `client` is gone or
    /// has asked again with the same `slot`. Needs hasHistory().
    void requestRange(QObject* client, int slot, const RangeQuery& query, RangeAnswer answer);

protected:
    [[nodiscard]] HistoryReader* reader() const { return m_reader; }

private:
    HistoryReader* m_reader;
    mutable std::unordered_map<std::string, SeriesIndex> m_indices;
    mutable std::uint64_t m_indexedVersion = 0;
};

/// The run that is going on, or was the last one of this session.
class LiveSeriesSource final : public SeriesSource {
public:
    /// `stored` and `reader` give access to older raw points; without them the view's buckets have to do.
    explicit LiveSeriesSource(std::shared_ptr<const SeriesStore> store, QString runName = {},
                              std::optional<StoredRun> stored = {}, HistoryReader* reader = nullptr);
    [[nodiscard]] QString runName() const override { return m_runName; }
    [[nodiscard]] std::uint64_t structureVersion() const override { return m_store->structureVersion(); }
    [[nodiscard]] std::vector<SeriesInfo> infos() const override { return m_store->infos(); }
    [[nodiscard]] std::uint64_t version(SeriesIndex series) const override { return m_store->version(series); }
    [[nodiscard]] SeriesView view(SeriesIndex series) override { return m_store->view(series); }
    [[nodiscard]] SeriesStore::Latest latest(SeriesIndex series) const override { return m_store->latest(series); }
    [[nodiscard]] std::optional<StoredRun> storedRun() const override { return m_stored; }

private:
    std::shared_ptr<const SeriesStore> m_store;
    QString m_runName;
    std::optional<StoredRun> m_stored;
};

/// A run of a store. Nothing is read on the GUI thread: the list comes first, each series when it is drawn.
class StoredSeriesSource final : public QObject, public SeriesSource {
    Q_OBJECT
public:
    StoredSeriesSource(const StoredRun& stored, QString runName, HistoryReader& reader);
    [[nodiscard]] QString runName() const override { return m_runName; }
    [[nodiscard]] std::uint64_t structureVersion() const override { return m_series.size(); }
    [[nodiscard]] std::vector<SeriesInfo> infos() const override;
    [[nodiscard]] std::uint64_t version(SeriesIndex series) const override;
    [[nodiscard]] SeriesView view(SeriesIndex series) override;
    [[nodiscard]] SeriesStore::Latest latest(SeriesIndex series) const override;
    [[nodiscard]] std::optional<StoredRun> storedRun() const override { return m_stored; }

Q_SIGNALS:
    void listLoaded();
    void loadFailed(const QString& message);

private:
    enum class LoadState { Unread, Asked, Loaded };
    struct Series {
        SeriesSummary summary;
        LoadState state = LoadState::Unread;
        SeriesView view;
    };
    void requestSeries(SeriesIndex series);

    StoredRun m_stored;
    QString m_runName;
    std::vector<Series> m_series;
};

} // namespace athanor
