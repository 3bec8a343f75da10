// GUI thread. Compiles and tries a draft on a worker thread while it is typed.
#pragma once

#include "engine/train/script/script_typer.h"
#include "ui/bridge/newest_worker.h"
#include "ui/script/script_draft.h"

#include <QObject>

namespace athanor {

/// Drafts are checked a moment after the last change, the newest only. On a thread of its own, so that the
/// project's checks do not wait for a draft's loop.
class ScriptChecker : public QObject {
    Q_OBJECT
public:
    explicit ScriptChecker(QObject* parent, std::chrono::milliseconds delay = std::chrono::milliseconds(200));

    void request(ScriptDraft draft, ScriptInputs inputs);
    [[nodiscard]] bool isBusy() const { return m_worker.isBusy(); }

Q_SIGNALS:
    void checked(const athanor::ScriptReport& report);

private:
    struct Job {
        ScriptDraft draft;
        ScriptInputs inputs;
    };

    Job m_next;
    NewestWorker<Job, ScriptReport> m_worker;
};

} // namespace athanor
