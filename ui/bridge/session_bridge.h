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
    [[nodiscard]] std::filesystem::path storeFile() const;

    /// Starts a run of a copy of the project; an active run must have ended.
    Status start(const Project& project, const RunOptions& options);
    void post(SessionCommand command); ///< no run: does nothing
    /// Stops the run and waits for it, at most `timeout`; true when it has ended.
    bool stopAndWait(std::chrono::milliseconds timeout);

    [[nodiscard]] bool hasRun() const { return m_controller != nullptr; } ///< also after its end
    [[nodiscard]] bool isActive() const; ///< Compiling … Stopping
    [[nodiscard]] SessionState state() const;
    [[nodiscard]] SessionProgress progress() const;
    [[nodiscard]] const SeriesStore* series() const; ///< nullptr before the first run
    [[nodiscard]] RunId runId() const;
    [[nodiscard]] RunOutcome outcome() const;
    [[nodiscard]] std::vector<Finding> findings() const;
    [[nodiscard]] const Project& runProject() const { return m_runProject; } ///< the copy that is trained

Q_SIGNALS:
    void runStarted(); ///< series() is a new store
    void stateChanged(athanor::SessionState state);
    void progressChanged(); ///< polled at 10 Hz while active
    void eventArrived(const athanor::Event& event);
    void findingsChanged();
    void runEnded();

private:
    void poll();
    SessionFactory m_factory;
    std::filesystem::path m_storeFile;
    Project m_runProject;
    std::unique_ptr<RunController> m_controller;
    QTimer m_timer;
    SessionState m_lastState = SessionState::Idle;
    std::size_t m_findingCount = 0;
    bool m_ended = true;
};

} // namespace athanor
