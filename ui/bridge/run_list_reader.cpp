#include "ui/bridge/run_list_reader.h"

#include <algorithm>
#include <set>
#include <utility>

namespace athanor {
namespace {

constexpr std::size_t kRunsPerMessage = 200;

bool goesOn(const RunInfo& run)
{
    return run.status == RunStatus::Running || run.status == RunStatus::Paused;
}

/// Changes when anything is written to the store: SQLite appends to the write-ahead log or rewrites the file.
std::string fingerprintOf(const std::filesystem::path& file)
{
    std::string text;
    for (const char* suffix : {"", "-wal"}) {
        const std::filesystem::path part = file.string() + suffix;
        std::error_code error;
        const auto size = std::filesystem::file_size(part, error);
        if (error)
            continue;
        const auto written = std::filesystem::last_write_time(part, error);
        text += std::to_string(size) + ":" + std::to_string(written.time_since_epoch().count()) + ";";
    }
    return text;
}

std::string stateOf(const RunInfo& run)
{
    std::string state = std::to_string(static_cast<int>(run.status)) + ":" + std::to_string(run.steps) + ":" +
                        std::to_string(run.seconds) + ":" + run.name + '\0' + run.note;
    for (const std::string& tag : run.tags)
        state.append(1, '\0').append(tag);
    return state;
}

bool isMainSeries(const SeriesSummary& summary)
{
    return summary.name == "train/loss" || summary.name.starts_with("val/");
}

} // namespace

RunListReader::RunListReader(Listener listener)
    : m_listener(std::move(listener)), m_thread([this](const std::stop_token& stop) { work(stop); })
{}

RunListReader::~RunListReader() = default;

void RunListReader::setFile(const std::filesystem::path& file)
{
    const std::lock_guard lock(m_mutex);
    m_file = file;
    m_fileChanged = true;
    m_requested = true;
    m_cancelled = false;
    m_wake.notify_all();
}

void RunListReader::request()
{
    const std::lock_guard lock(m_mutex);
    m_requested = true;
    m_cancelled = false;
    m_wake.notify_all();
}

void RunListReader::change(Change change)
{
    const std::lock_guard lock(m_mutex);
    m_changes.push_back(std::move(change));
    m_changeWaits = true;
    m_requested = true;
    m_wake.notify_all();
}

void RunListReader::cancel()
{
    m_cancelled = true;
}

void RunListReader::work(const std::stop_token& stop)
{
    while (!stop.stop_requested()) {
        std::filesystem::path file;
        std::deque<Change> changes;
        bool otherFile = false;
        {
            std::unique_lock lock(m_mutex);
            if (!m_wake.wait(lock, stop, [this] { return m_requested; }))
                return;
            m_requested = false;
            file = m_file;
            changes.swap(m_changes);
            m_changeWaits = false;
            otherFile = std::exchange(m_fileChanged, false);
        }
        if (otherFile) {
            m_fingerprint.clear();
            m_metricsRead.clear();
        }
        if (!changes.empty()) {
            Result<RunStore> store = RunStore::open(file);
            for (const Change& change : changes) {
                const Status done = store ? change(*store) : Status(store.error());
                if (!done)
                    m_listener.failed(done.error());
            }
        }
        readAll(file, otherFile || !changes.empty(), stop);
        m_listener.finished();
    }
}

void RunListReader::readAll(const std::filesystem::path& file, bool changed, const std::stop_token& stop)
{
    std::error_code error;
    if (file.empty() || !std::filesystem::exists(file, error)) { // nothing was ever trained: no store is made
        if (changed || !m_fingerprint.empty())
            m_listener.runs({});
        m_fingerprint.clear();
        return;
    }
    // Taken before reading, so that what is written meanwhile is seen next time.
    std::string fingerprint = fingerprintOf(file);
    if (!changed && !m_someGoOn && fingerprint == m_fingerprint)
        return;
    const Result<RunStore> store = RunStore::open(file);
    if (!store) {
        m_listener.failed(store.error());
        return;
    }
    Result<std::vector<RunInfo>> runs = store->runs();
    if (!runs) {
        m_listener.failed(runs.error());
        return;
    }
    m_fingerprint = std::move(fingerprint);
    m_someGoOn = std::any_of(runs->begin(), runs->end(), goesOn);
    // What was read of a run that is gone from the list went with its row; restored, it is read again.
    std::set<RunId> listed;
    for (const RunInfo& run : *runs)
        listed.insert(run.id);
    std::erase_if(m_metricsRead, [&listed](const auto& read) { return !listed.contains(read.first); });
    m_listener.runs(*runs);
    if (const auto marks = RunMarks::open(file)) {
        if (auto all = marks->all())
            m_listener.marks(std::move(*all));
    }
    readMetrics(*store, *runs, stop);
}

void RunListReader::readMetrics(const RunStore& store, const std::vector<RunInfo>& runs,
                                const std::stop_token& stop)
{
    std::vector<const RunInfo*> due;
    for (const RunInfo& run : runs) {
        const auto read = m_metricsRead.find(run.id);
        if (read == m_metricsRead.end() || read->second != stateOf(run))
            due.push_back(&run);
    }
    std::vector<RunMetrics> ready;
    for (std::size_t i = 0; i < due.size(); ++i) {
        if (stop.stop_requested())
            return;
        if (m_cancelled || m_changeWaits)
            break;
        Result<std::vector<SeriesSummary>> summaries = store.summaries(due[i]->id);
        if (!summaries) {
            m_listener.failed(summaries.error());
            break;
        }
        const Result<std::string> text = store.projectText(due[i]->id);
        auto facts = std::make_shared<const RunFacts>(*due[i], *summaries, text ? *text : std::string());
        std::erase_if(*summaries, [](const SeriesSummary& summary) { return !isMainSeries(summary); });
        ready.push_back({due[i]->id, std::move(*summaries), std::move(facts)});
        m_metricsRead[due[i]->id] = stateOf(*due[i]);
        if (ready.size() == kRunsPerMessage || i + 1 == due.size())
            m_listener.metrics(std::exchange(ready, {}), i + 1, due.size());
    }
    if (!ready.empty())
        m_listener.metrics(std::move(ready), due.size(), due.size());
}

} // namespace athanor
