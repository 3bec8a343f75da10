#include "ui/shell/run_exchange.h"

#include "engine/exchange/run_text_files.h"
#include "engine/store/run_capsule.h"
#include "ui/bridge/task_list.h"

#include <QDropEvent>
#include <QMimeData>
#include <QUrl>
#include <QWidget>

#include <system_error>

namespace athanor {
namespace {

constexpr int kMostLookedAt = 2'000; ///< entries of a folder, while it is dragged over the window

/// Whether a folder holds event files, as far as can be told at once.
bool holdsEventFiles(const std::filesystem::path& folder)
{
    std::error_code error;
    int seen = 0;
    const auto options = std::filesystem::directory_options::skip_permission_denied;
    for (auto entry = std::filesystem::recursive_directory_iterator(folder, options, error);
         !error && entry != std::filesystem::recursive_directory_iterator() && seen < kMostLookedAt;
         entry.increment(error), ++seen)
        if (isEventFileName(entry->path()))
            return true;
    return false;
}

Result<ImportReport> importPath(const std::filesystem::path& store, const std::filesystem::path& path,
                                const ExchangeProgress& progress)
{
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored) || isEventFileName(path))
        return importEventFolder(store, path, progress);
    const std::string ending = path.extension().string();
    if (ending == ".csv" || ending == ".json")
        return importRunFile(store, path);
    const auto capsule = importCapsule(store, path);
    if (!capsule)
        return capsule.error();
    ImportReport report;
    report.runs = {capsule->run};
    return report;
}

Result<ImportReport> importAll(const std::filesystem::path& store,
                               const std::vector<std::filesystem::path>& paths,
                               const ExchangeProgress& progress)
{
    ImportReport all;
    for (const auto& path : paths) {
        auto one = importPath(store, path, progress);
        if (!one)
            return one.error();
        all.runs.insert(all.runs.end(), one->runs.begin(), one->runs.end());
        all.points += one->points;
        for (const auto& [kind, count] : one->leftOut)
            all.leftOut[kind] += count;
        all.problems.insert(all.problems.end(), one->problems.begin(), one->problems.end());
    }
    return all;
}

Status exportAll(const std::filesystem::path& storeFile, const std::vector<RunId>& runs, RunFormat format,
                 const std::filesystem::path& target, const ExchangeProgress& progress)
{
    const auto store = RunStore::openToRead(storeFile);
    if (!store)
        return store.error();
    if (format == RunFormat::TensorBoard) {
        const auto files = exportEventFolder(*store, runs, target);
        return files ? Status(Done{}) : Status(files.error());
    }
    if (format == RunFormat::Capsule) {
        const auto report = exportCapsule(storeFile, runs.front(), target);
        return report ? Status(Done{}) : Status(report.error());
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (progress.cancelled())
            return Error{ErrorCode::Cancelled, "Cancelled", {}, {}, {}};
        progress.tell(i, runs.size());
        const std::filesystem::path file =
            target / ("run-" + std::to_string(runs[i]) + (format == RunFormat::Csv ? ".csv" : ".json"));
        Status written = format == RunFormat::Csv ? exportRunCsv(*store, runs[i], file)
                                                  : exportRunJson(*store, runs[i], file);
        if (!written)
            return written;
    }
    return Done{};
}

} // namespace

RunExchange::RunExchange(TaskList& tasks, QObject* parent) : QObject(parent), m_tasks(tasks) {}

RunExchange::~RunExchange()
{
    if (m_task != 0)
        m_tasks.end(m_task);
    // Here and not by the member's destructor: the thread posts to this object, which must still be whole.
    m_thread.request_stop();
    if (m_thread.joinable())
        m_thread.join();
}

void RunExchange::start(const QString& title, Work work, std::function<void(const ImportReport&)> done)
{
    if (isActive()) {
        Q_EMIT failed({ErrorCode::Busy,
                       tr("Runs are being read or written already").toStdString(),
                       {},
                       tr("Wait for it, or cancel it in the tasks.").toStdString(),
                       {}});
        return;
    }
    m_task = m_tasks.begin(title, [this] { m_thread.request_stop(); });
    m_thread =
        std::jthread([this, work = std::move(work), done = std::move(done)](const std::stop_token& stop) {
            ExchangeProgress progress;
            progress.cancelled = [&stop] { return stop.stop_requested(); };
            progress.tell = [this](std::size_t now, std::size_t all) {
                QMetaObject::invokeMethod(
                    this,
                    [this, now, all] {
                        m_tasks.setProgress(m_task, static_cast<double>(now) / static_cast<double>(all));
                    },
                    Qt::QueuedConnection);
            };
            auto result = std::make_shared<Result<ImportReport>>(work(progress));
            QMetaObject::invokeMethod(
                this,
                [this, result, done] {
                    m_tasks.end(std::exchange(m_task, 0));
                    if (result->ok())
                        done(result->value());
                    else if (result->error().code != ErrorCode::Cancelled)
                        Q_EMIT failed(result->error());
                },
                Qt::QueuedConnection);
        });
}

void RunExchange::importPaths(const QStringList& paths)
{
    std::vector<std::filesystem::path> files;
    for (const QString& path : paths)
        files.emplace_back(path.toStdString());
    start(
        tr("Importing runs"),
        [store = m_storeFile, files](const ExchangeProgress& progress) {
            return importAll(store, files, progress);
        },
        [this](const ImportReport& report) { Q_EMIT imported(report); });
}

void RunExchange::exportRuns(const std::vector<RunId>& runs, RunFormat format, const QString& target)
{
    if (runs.empty())
        return;
    start(
        tr("Exporting runs"),
        [store = m_storeFile, runs, format,
         file = std::filesystem::path(target.toStdString())](const ExchangeProgress& progress) {
            const Status written = exportAll(store, runs, format, file, progress);
            return written ? Result<ImportReport>(ImportReport{}) : Result<ImportReport>(written.error());
        },
        [this, target](const ImportReport&) { Q_EMIT exported(target); });
}

void RunExchange::watchDrops(QWidget& window)
{
    window.setAcceptDrops(true);
    window.installEventFilter(this);
}

QStringList RunExchange::eventPaths(const QMimeData& data)
{
    QStringList paths;
    for (const QUrl& url : data.urls()) {
        const std::filesystem::path path(url.toLocalFile().toStdString());
        std::error_code ignored;
        const bool isOurs =
            url.isLocalFile() &&
            (std::filesystem::is_directory(path, ignored) ? holdsEventFiles(path) : isEventFileName(path));
        if (!isOurs)
            return {}; // a part of it is for somebody else
        paths << url.toLocalFile();
    }
    return paths;
}

bool RunExchange::eventFilter(QObject* object, QEvent* event)
{
    const bool isEnter = event->type() == QEvent::DragEnter;
    const bool isMove = event->type() == QEvent::DragMove;
    if (!isEnter && !isMove && event->type() != QEvent::Drop)
        return QObject::eventFilter(object, event);
    auto* drop = static_cast<QDropEvent*>(event);
    const QStringList paths = eventPaths(*drop->mimeData());
    if (paths.isEmpty())
        return QObject::eventFilter(object, event);
    drop->acceptProposedAction();
    if (event->type() == QEvent::Drop)
        importPaths(paths);
    return true;
}

} // namespace athanor
