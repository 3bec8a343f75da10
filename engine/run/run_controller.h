// Any thread unless noted. Owns one run: session, stream, recorder, series store. The window owns one per
// open run, the command line one.
#pragma once

#include "engine/base/result.h"
#include "engine/diagnose/finding.h"
#include "engine/metrics/series_store.h"
#include "engine/store/run_store.h"
#include "engine/train/session.h"

#include <filesystem>
#include <functional>
#include <memory>

namespace athanor {

struct RunOptions {
    std::filesystem::path storeFile; ///< empty: RunStore::defaultFile()
    std::string name;
    Json environment = Json::object(); ///< kept with the run (environmentReport() in the product)
    SessionOptions session;          ///< checkpointFolder is filled in from store and run id
    /// Continue this run from its newest checkpoint. It loses what came after that with its first new step; when
    /// the session cannot start, it stays as it was.
    std::optional<RunId> resume;
    /// A new run that starts from a checkpoint of another one, with the project as it is given.
    struct Fork {
        RunId run = 0;
        std::optional<std::int64_t> step; ///< of a kept checkpoint; else the newest
    };
    std::optional<Fork> fork;
};

struct RunOutcome {
    RunStatus status = RunStatus::Running;
    std::string failure;
    std::vector<Problem> problems; ///< why it could not start or failed
};

class RunController {
public:
    /// Opens the store, registers the run, starts recorder and session. Fails when the store cannot be
    /// written; problems of the project itself show up as a Failed session.
    static Result<std::unique_ptr<RunController>> start(const Project& project, const RunOptions& options,
                                                        const SessionFactory& factory);
    /// Stops the session (after its step), drains the recorder, closes the store; joins within about a second.
    ~RunController();

    [[nodiscard]] RunId runId() const;
    [[nodiscard]] const std::filesystem::path& storeFile() const;
    [[nodiscard]] SessionState state() const;
    [[nodiscard]] SessionProgress progress() const;
    void post(SessionCommand command);
    [[nodiscard]] const SeriesStore& series() const;
    [[nodiscard]] std::vector<Finding> findings() const; ///< so far, likeliest root cause first

    /// Called on the recorder thread for every event, in order, after it was stored (or, while the store
    /// cannot be written, after that was tried). Events from before this call are replayed, the newest
    /// RunRecorder::kReplayed of them; so are those of a run that has ended.
    void setEventListener(std::function<void(const Event&)> listener);

    /// Why points cannot be stored at present; empty message when they can. They are kept and tried again.
    [[nodiscard]] Error storageError() const;

    /// Blocks until session and recorder are done (all points stored); false on timeout.
    bool wait(std::chrono::milliseconds timeout);
    /// After the session's end: waits no longer for a store that cannot be written. What is not stored is lost.
    void giveUpStoring();
    /// The end; status Running until the recorder has stored the last point.
    [[nodiscard]] RunOutcome outcome() const;

private:
    struct Impl;
    explicit RunController(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace athanor
