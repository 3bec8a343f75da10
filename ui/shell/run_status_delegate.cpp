#include "ui/shell/run_status_delegate.h"

#include "ui/bridge/run_list_model.h"
#include "ui/theme/theme.h"

#include <QCoreApplication>

namespace athanor {
namespace {

struct StatusLook {
    const char* icon;
    ColorRole color;
};

StatusLook lookOf(RunStatus status)
{
    switch (status) {
    case RunStatus::Running:
        return {"play", ColorRole::Accent};
    case RunStatus::Paused:
        return {"pause", ColorRole::Accent};
    case RunStatus::Finished:
        return {"check", ColorRole::Good};
    case RunStatus::Stopped:
        return {"stop", ColorRole::Muted};
    case RunStatus::Diverged:
        return {"warning", ColorRole::Warn};
    case RunStatus::Failed:
        return {"error", ColorRole::Bad};
    case RunStatus::Interrupted:
        return {"close", ColorRole::Warn};
    }
    return {"info", ColorRole::Muted};
}

} // namespace

QString runStatusText(RunStatus status)
{
    const auto translated = [](const char* text) { return QCoreApplication::translate("RunStatus", text); };
    switch (status) {
    case RunStatus::Running:
        return translated("Running");
    case RunStatus::Paused:
        return translated("Paused");
    case RunStatus::Finished:
        return translated("Finished");
    case RunStatus::Stopped:
        return translated("Stopped");
    case RunStatus::Diverged:
        return translated("Diverged");
    case RunStatus::Failed:
        return translated("Failed");
    case RunStatus::Interrupted:
        return translated("Interrupted");
    }
    return {};
}

RunStatusDelegate::RunStatusDelegate(const Theme& theme, QObject* parent)
    : QStyledItemDelegate(parent), m_theme(theme)
{}

void RunStatusDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const
{
    QStyledItemDelegate::initStyleOption(option, index);
    const auto status = static_cast<RunStatus>(index.data(RunListModel::StatusRole).toInt());
    const StatusLook look = lookOf(status);
    option->text = runStatusText(status);
    option->icon = m_theme.icon(QString::fromLatin1(look.icon), look.color);
    option->decorationSize = QSize(16, 16);
    option->features |= QStyleOptionViewItem::HasDecoration;
}

} // namespace athanor
