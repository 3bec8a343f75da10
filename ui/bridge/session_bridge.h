// GUI thread. The window's view of the running (or last) run. All signals that cross threads are here.
#pragma once

#include "engine/run/run_controller.h"

#include <QObject>
#include <QTimer>

#include <memory>

Q_DECLARE_METATYPE(athanor::Event)
Q_DECLARE_METATYPE(athanor::SessionState)

namespace athanor {

class SessionBridge : public QObject {
    Q_OBJECT
public:
    /// `factory` makes the sessions (makeTrainingSession in the product, a scripted one in tests).
    explicit SessionBridge(SessionFactory factory, QObject* parent = nullptr);
    ~SessionBridge() override; ///< stops and joins

    void setStoreFile(const std::filesystem::path& file);
    /// The file that runs go to; RunStore::defaultFile() unless set.
    [[nodiscard]] std::filesystem::path storeFile() const;

    /// Starts a run of a copy of the project; an active run must have ended (else ErrorCode::Busy). On an
    /// error the last run stays as it is.
    Status start(const Project& project, const RunOptions& options);
    void post(SessionCommand command); ///< no run: does nothing
    /// Stops the run and waits for it, at most `timeout`; true when it has ended.
    bool stopAndWait(std::chrono::milliseconds timeout);

    [[nodiscard]] bool hasRun() const { return m_controller != nullptr; } ///< also after its end
    [[nodiscard]] bool isActive() const; ///< Compiling … Stopping, until the last point is stored
    [[nodiscard]] SessionState state() const;
    [[nodiscard]] SessionProgress progress() const;
    [[nodiscard]] const SeriesStore* series() const; ///< nullptr before the first run
    /// The same store, which lives on with whoever still draws it when the next run begins.
    [[nodiscard]] std::shared_ptr<const SeriesStore> sharedSeries() const;
    [[nodiscard]] RunId runId() const; ///< 0 before the first run
    [[nodiscard]] RunOutcome outcome() const;
    [[nodiscard]] std::vector<Finding> findings() const;
    /// Every event of the run that has arrived so far, oldest first; at most kKeptEvents, the newest ones.
    [[nodiscard]] const std::vector<Event>& events() const { return m_events; }
    [[nodiscard]] const Project& runProject() const { return m_runProject; } ///< the copy that is trained

    static constexpr std::size_t kKeptEvents = 10'000;

Q_SIGNALS:
    void runStarted(); ///< series() is a new store
    void stateChanged(athanor::SessionState state);
    void progressChanged(); ///< polled at 10 Hz while active
    void eventArrived(const athanor::Event& event); ///< crosses from the recorder thread, queued
    void findingsChanged();
    void runEnded(); ///< after the last event; everything is stored

private:
    /// Where the recorder thread leaves events. Outlives the bridge when the run does.
    struct Mailbox;

    void poll();
    void deliverEvents();
    void updateState();
    void updateFindings();

    SessionFactory m_factory;
    std::filesystem::path m_storeFile;
    Project m_runProject;
    std::shared_ptr<RunController> m_controller;
    std::shared_ptr<Mailbox> m_mailbox;
    std::vector<Event> m_events;
    QTimer m_timer;
    SessionState m_lastState = SessionState::Idle;
    std::size_t m_findingsHash = 0;
    bool m_ended = true;
};

} // namespace athanor
