#include "ui/bridge/session_bridge.h"

#include <functional>
#include <mutex>
#include <utility>

namespace athanor {
namespace {

constexpr auto kPollInterval = std::chrono::milliseconds(100);

/// Changes whenever a row of the findings list would look different.
std::size_t hashOf(const std::vector<Finding>& findings)
{
    std::size_t hash = findings.size();
    const auto mix = [&hash](std::size_t value) { hash = (hash * 1'099'511'628'211ULL) ^ value; };
    for (const Finding& finding : findings) {
        mix(std::hash<std::string>{}(finding.rule));
        mix(std::hash<std::string>{}(finding.message));
        mix(static_cast<std::size_t>(finding.severity));
        mix(std::hash<std::int64_t>{}(finding.lastStep));
    }
    return hash;
}

bool hasEnded(RunStatus status)
{
    return status != RunStatus::Running && status != RunStatus::Paused;
}

} // namespace

/// The bridge pointer is cleared under the lock before the bridge goes, so the recorder thread never
/// posts to a dead object. One queued call is under way at a time, however many events wait.
struct SessionBridge::Mailbox {
    std::mutex mutex; // guards all below
    SessionBridge* bridge = nullptr;
    std::vector<Event> waiting;

    void put(const Event& event)
    {
        const std::lock_guard lock(mutex);
        waiting.push_back(event);
        if (bridge == nullptr || waiting.size() > 1)
            return;
        QMetaObject::invokeMethod(bridge, [target = bridge] { target->deliverEvents(); }, Qt::QueuedConnection);
    }
    std::vector<Event> takeAll()
    {
        const std::lock_guard lock(mutex);
        return std::exchange(waiting, {});
    }
    void disconnect()
    {
        const std::lock_guard lock(mutex);
        bridge = nullptr;
    }
};

SessionBridge::SessionBridge(SessionFactory factory, QObject* parent) : QObject(parent), m_factory(std::move(factory))
{
    qRegisterMetaType<Event>();
    qRegisterMetaType<SessionState>();
    m_timer.setInterval(kPollInterval);
    connect(&m_timer, &QTimer::timeout, this, &SessionBridge::poll);
}

SessionBridge::~SessionBridge()
{
    m_timer.stop();
    if (m_mailbox)
        m_mailbox->disconnect();
    if (!m_controller)
        return;
    // Views may still hold the series of this run: ask for the end here, not only in the controller's destructor.
    m_controller->post(command::Stop{});
    if (m_controller.use_count() > 1)
        m_controller->wait(std::chrono::hours(1));
}

void SessionBridge::setStoreFile(const std::filesystem::path& file)
{
    m_storeFile = file;
}

std::filesystem::path SessionBridge::storeFile() const
{
    return m_storeFile.empty() ? RunStore::defaultFile() : m_storeFile;
}

Status SessionBridge::start(const Project& project, const RunOptions& options)
{
    if (isActive())
        return Error{ErrorCode::Busy, tr("A run is going on").toStdString(), {},
                     tr("Stop it, or wait for its end, before you start the next one.").toStdString(), {}};
    RunOptions withStore = options;
    if (withStore.storeFile.empty())
        withStore.storeFile = storeFile();
    auto started = RunController::start(project, withStore, m_factory);
    if (!started)
        return started.error();

    // The last run's controller lives until the views have heard of the new one.
    const std::shared_ptr<RunController> last = std::exchange(m_controller, std::move(started).value());
    if (m_mailbox)
        m_mailbox->disconnect();
    m_mailbox = std::make_shared<Mailbox>();
    m_mailbox->bridge = this;
    m_events.clear();
    m_runProject = project;
    m_lastState = SessionState::Idle;
    m_findingsHash = 0;
    m_ended = false;
    Q_EMIT runStarted();
    m_controller->setEventListener([mailbox = m_mailbox](const Event& event) { mailbox->put(event); });
    updateState();
    m_timer.start();
    return Done{};
}

void SessionBridge::post(SessionCommand command)
{
    if (m_controller)
        m_controller->post(std::move(command));
}

bool SessionBridge::stopAndWait(std::chrono::milliseconds timeout)
{
    if (!isActive())
        return true;
    m_controller->post(command::Stop{});
    m_controller->wait(timeout);
    poll();
    return m_ended;
}

bool SessionBridge::isActive() const
{
    return m_controller && !m_ended;
}

SessionState SessionBridge::state() const
{
    return m_controller ? m_controller->state() : SessionState::Idle;
}

SessionProgress SessionBridge::progress() const
{
    return m_controller ? m_controller->progress() : SessionProgress{};
}

const SeriesStore* SessionBridge::series() const
{
    return m_controller ? &m_controller->series() : nullptr;
}

std::shared_ptr<const SeriesStore> SessionBridge::sharedSeries() const
{
    return m_controller ? std::shared_ptr<const SeriesStore>(m_controller, &m_controller->series()) : nullptr;
}

RunId SessionBridge::runId() const
{
    return m_controller ? m_controller->runId() : 0;
}

RunOutcome SessionBridge::outcome() const
{
    return m_controller ? m_controller->outcome() : RunOutcome{};
}

std::vector<Finding> SessionBridge::findings() const
{
    return m_controller ? m_controller->findings() : std::vector<Finding>{};
}

void SessionBridge::poll()
{
    if (!isActive())
        return;
    // The outcome is read first: when it says "ended", everything before it is there to be read.
    const bool ended = hasEnded(m_controller->outcome().status);
    deliverEvents();
    updateState();
    updateFindings();
    Q_EMIT progressChanged();
    if (!ended || !isActive())
        return;
    m_ended = true;
    m_timer.stop();
    Q_EMIT runEnded();
}

void SessionBridge::deliverEvents()
{
    const std::shared_ptr<Mailbox> mailbox = m_mailbox;
    if (!mailbox)
        return;
    const std::vector<Event> events = mailbox->takeAll();
    for (const Event& event : events) {
        if (mailbox != m_mailbox) // a receiver has started the next run
            return;
        if (m_events.size() >= kKeptEvents)
            m_events.erase(m_events.begin(), m_events.begin() + kKeptEvents / 2);
        m_events.push_back(event);
        Q_EMIT eventArrived(event);
    }
    if (!events.empty())
        updateState();
}

void SessionBridge::updateState()
{
    const SessionState now = state();
    if (now == m_lastState)
        return;
    m_lastState = now;
    Q_EMIT stateChanged(now);
}

void SessionBridge::updateFindings()
{
    const std::size_t hash = hashOf(m_controller->findings());
    if (hash == m_findingsHash)
        return;
    m_findingsHash = hash;
    Q_EMIT findingsChanged();
}

} // namespace athanor
