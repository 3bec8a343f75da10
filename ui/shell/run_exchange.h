// GUI thread, with a worker thread while something is read or written. Runs from and to other programs' files.
#pragma once

#include "engine/exchange/event_folder.h"

#include <QObject>
#include <QStringList>

#include <filesystem>
#include <functional>
#include <thread>
#include <vector>

class QMimeData;

namespace athanor {

class TaskList;

enum class RunFormat { TensorBoard, Csv, Json, Capsule };

class RunExchange : public QObject {
    Q_OBJECT
public:
    explicit RunExchange(TaskList& tasks, QObject* parent = nullptr); ///< the tasks outlive it
    ~RunExchange() override;                                          ///< cancels and joins

    void setStoreFile(const std::filesystem::path& file) { m_storeFile = file; }
    /// Folders of event files, event files, CSV, JSON and capsules; all of a kind that importRuns of the command line takes.
    void importPaths(const QStringList& paths);
    void exportRuns(const std::vector<RunId>& runs, RunFormat format, const QString& target);
    [[nodiscard]] bool isActive() const { return m_task != 0; }
    /// Event files (or folders that hold some) that are dropped on `window` are imported; other drops are left alone.
    void watchDrops(QWidget& window);

Q_SIGNALS:
    void imported(const athanor::ImportReport& report);
    void exported(const QString& target);
    void failed(const athanor::Error& error);

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    using Work = std::function<Result<ImportReport>(const ExchangeProgress&)>;
    void start(const QString& title, Work work, std::function<void(const ImportReport&)> done);
    [[nodiscard]] static QStringList eventPaths(const QMimeData& data);

    TaskList& m_tasks;
    std::filesystem::path m_storeFile;
    int m_task = 0;
    std::jthread m_thread;
};

} // namespace athanor
