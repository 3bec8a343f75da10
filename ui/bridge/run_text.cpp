#include "ui/bridge/run_text.h"

#include <QCoreApplication>

namespace athanor {
namespace {

QString translated(const char* text)
{
    return QCoreApplication::translate("athanor::RunState", text);
}

} // namespace

QString runStateText(SessionState state, RunStatus status)
{
    switch (state) {
    case SessionState::Idle: return {};
    case SessionState::Compiling: return translated("Preparing");
    case SessionState::Running: return translated("Training");
    case SessionState::Paused: return translated("Paused");
    case SessionState::Stopping: return translated("Stopping");
    case SessionState::Failed: return translated("Failed");
    case SessionState::Finished: break;
    }
    switch (status) {
    case RunStatus::Stopped: return translated("Stopped");
    case RunStatus::Diverged: return translated("Diverged");
    case RunStatus::Failed: return translated("Failed");
    default: return translated("Finished");
    }
}

} // namespace athanor
