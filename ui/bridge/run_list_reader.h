// One worker thread inside; the public methods from the GUI thread. Reads and changes the run store for the list of runs.
#pragma once

#include "engine/store/run_filter.h"
#include "engine/store/run_marks.h"
#include "engine/store/run_store.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace athanor {

/// Summaries of a run's main series (train/loss and everything under val/), and all that filters and columns may ask for.
struct RunMetrics {
    RunId run = 0;
    std::vector<SeriesSummary> series;
    std::shared_ptr<const RunFacts> facts;
};

/// Reads the runs, then the metrics of those that are new or have changed, and skips the work altogether
/// when nothing was written to the store and no run is going on.
class RunListReader {
public:
    /// All called on the worker thread.
    struct Listener {
        std::function<void(std::vector<RunInfo>)> runs; ///< newest first
        std::function<void(std::map<RunId, RunMark>)> marks; ///< after the runs
        std::function<void(std::vector<RunMetrics>, std::size_t done, std::size_t all)> metrics;
        std::function<void(Error)> failed;
        std::function<void()> finished; ///< with one request
    };
    using Change = std::function<Status(RunStore&)>;

    explicit RunListReader(Listener listener);
    ~RunListReader(); ///< gives up what is going on and joins

    void setFile(const std::filesystem::path& file); ///< forgets what was read; asks for all of it
    void request();
    void change(Change change); ///< carried out soon, then the list is read again
    void cancel();              ///< gives up the metrics that have not been read yet, until the next request

private:
    void work(const std::stop_token& stop);
    void readAll(const std::filesystem::path& file, bool changed, const std::stop_token& stop);
    void readMetrics(const RunStore& store, const std::vector<RunInfo>& runs, const std::stop_token& stop);

    const Listener m_listener;

    std::mutex m_mutex; // guards the four below
    std::condition_variable_any m_wake;
    std::filesystem::path m_file;
    std::deque<Change> m_changes;
    bool m_requested = false;
    bool m_fileChanged = false;
    std::atomic<bool> m_cancelled{false};
    std::atomic<bool> m_changeWaits{false}; ///< a long reading makes way for it, and goes on after it

    // worker only
    std::string m_fingerprint;
    bool m_someGoOn = false;
    std::map<RunId, std::string> m_metricsRead; ///< state of each run when its metrics were read
    std::jthread m_thread;                      ///< last: joined before what it uses goes
};

} // namespace athanor
