#include "ui/plot/series_source.h"

#include "ui/plot/history_reader.h"

#include <utility>

namespace athanor {
namespace {

// Up to here raw points are handed over as they are: the GUI thread reduces that many in well under a millisecond.
constexpr std::size_t kRawLimit = 32'768;
constexpr int kListSlot = -1;

Result<HistoryWindow> readWindow(const RunStore& store, RunId run, const std::string& series, const RangeQuery& query)
{
    auto points = store.points(run, series, query.from, query.to);
    if (!points)
        return points.error();
    HistoryWindow window{query.from, query.to, std::move(points).value(), 0};
    if (query.columns > 0 && window.points.steps.size() > kRawLimit) {
        const PixelColumns columns{static_cast<double>(query.from), static_cast<double>(query.to), query.columns};
        window.points = thinned(window.points, columns);
        window.stepsPerColumn = columns.stepsPerColumn();
    }
    // What was not stored yet is not covered: the live samples follow from here.
    window.to = window.points.steps.empty() ? query.from - 1 : window.points.steps.back();
    return window;
}

Result<std::vector<HistoryWindow>> readWindows(const Result<RunStore>& store, RunId run, const RangeQuery& query)
{
    if (!store)
        return store.error();
    std::vector<HistoryWindow> windows;
    for (const std::string& series : query.series) {
        auto window = readWindow(store.value(), run, series, query);
        if (!window)
            return window.error();
        windows.push_back(std::move(window).value());
    }
    return windows;
}

/// The bounded view of a whole stored series, made by the same rules as a live one.
Result<SeriesView> readView(const Result<RunStore>& store, RunId run, const SeriesInfo& info)
{
    if (!store)
        return store.error();
    const auto points = store->points(run, info.name);
    if (!points)
        return points.error();
    SeriesStore reduced;
    reduced.addSeries(info);
    std::vector<Sample> samples;
    for (std::size_t i = 0; i < points->steps.size(); ++i) {
        samples.push_back({0, points->steps[i], points->values[i]});
        if (samples.size() == kRawLimit)
            reduced.append(std::exchange(samples, {}));
    }
    reduced.append(samples);
    return reduced.view(0);
}

} // namespace

std::optional<SeriesIndex> SeriesSource::find(const std::string& name) const
{
    if (m_indexedVersion != structureVersion()) {
        m_indexedVersion = structureVersion();
        m_indices.clear();
        SeriesIndex index = 0;
        for (SeriesInfo& info : infos())
            m_indices.emplace(std::move(info.name), index++);
    }
    const auto found = m_indices.find(name);
    return found == m_indices.end() ? std::nullopt : std::optional(found->second);
}

void SeriesSource::requestRange(QObject* client, int slot, const RangeQuery& query, RangeAnswer answer)
{
    const StoredRun stored = storedRun().value();
    m_reader->request(client, slot, stored.storeFile, [stored, query, answer](const Result<RunStore>& store) {
        // Shared: an answer has to be copyable, and the points are large.
        auto windows = std::make_shared<Result<std::vector<HistoryWindow>>>(readWindows(store, stored.run, query));
        return [windows, answer] { answer(std::move(*windows)); };
    });
}

LiveSeriesSource::LiveSeriesSource(std::shared_ptr<const SeriesStore> store, QString runName,
                                   std::optional<StoredRun> stored, HistoryReader* reader)
    : SeriesSource(reader), m_store(std::move(store)), m_runName(std::move(runName)), m_stored(std::move(stored))
{
}

StoredSeriesSource::StoredSeriesSource(const StoredRun& stored, QString runName, HistoryReader& reader)
    : SeriesSource(&reader), m_stored(stored), m_runName(std::move(runName))
{
    reader.request(this, kListSlot, m_stored.storeFile, [this, run = stored.run](const Result<RunStore>& store) {
        auto list = std::make_shared<Result<std::vector<SeriesSummary>>>(
            store ? store->summaries(run) : Result<std::vector<SeriesSummary>>(store.error()));
        return [this, list] {
            if (!list->ok()) {
                Q_EMIT loadFailed(QString::fromStdString(list->error().text()));
                return;
            }
            for (SeriesSummary& summary : list->value())
                m_series.push_back({std::move(summary), LoadState::Unread, {}});
            Q_EMIT listLoaded();
        };
    });
}

std::vector<SeriesInfo> StoredSeriesSource::infos() const
{
    std::vector<SeriesInfo> infos;
    infos.reserve(m_series.size());
    for (const Series& series : m_series)
        infos.push_back({series.summary.name, series.summary.unit, series.summary.role});
    return infos;
}

std::uint64_t StoredSeriesSource::version(SeriesIndex series) const
{
    return series < m_series.size() && m_series[series].state == LoadState::Loaded ? 1 : 0;
}

SeriesView StoredSeriesSource::view(SeriesIndex series)
{
    if (series >= m_series.size())
        return {};
    if (m_series[series].state == LoadState::Unread)
        requestSeries(series);
    return m_series[series].view;
}

SeriesStore::Latest StoredSeriesSource::latest(SeriesIndex series) const
{
    if (series >= m_series.size())
        return {};
    const SeriesSummary& summary = m_series[series].summary;
    return {summary.lastStep, summary.last, summary.count, summary.nonFinite};
}

void StoredSeriesSource::requestSeries(SeriesIndex series)
{
    Series& asked = m_series[series];
    asked.state = LoadState::Asked;
    const SeriesInfo info{asked.summary.name, asked.summary.unit, asked.summary.role};
    asked.view.info = info;
    const auto job = [this, series, info, run = m_stored.run](const Result<RunStore>& store) {
        auto view = std::make_shared<Result<SeriesView>>(readView(store, run, info));
        return [this, series, view] {
            if (!view->ok()) {
                Q_EMIT loadFailed(QString::fromStdString(view->error().text()));
                return;
            }
            m_series[series].view = std::move(view->value());
            m_series[series].state = LoadState::Loaded;
        };
    };
    reader()->request(this, static_cast<int>(series), m_stored.storeFile, job);
}

} // namespace athanor
