#include "ui/shell/palette_entries.h"

#include "ui/bridge/run_list_model.h"
#include "ui/bridge/session_bridge.h"
#include "ui/theme/theme.h"

#include <QAction>
#include <QCoreApplication>
#include <QMenu>
#include <QMenuBar>

namespace athanor {
namespace {

QString translated(const char* text)
{
    return QCoreApplication::translate("CommandPalette", text);
}

void collect(const QList<QAction*>& actions, QList<QAction*>& all)
{
    for (QAction* action : actions) {
        if (action->menu() != nullptr)
            collect(action->menu()->actions(), all);
        else if (!action->isSeparator() && !action->text().isEmpty())
            all << action;
    }
}

QString plainText(QString text)
{
    return text.remove(u'&');
}

} // namespace

QList<QAction*> allActions(const QMenuBar& menus)
{
    QList<QAction*> all;
    collect(menus.actions(), all);
    return all;
}

std::vector<PaletteEntry> actionEntries(const QMenuBar& menus, const Theme& theme)
{
    std::vector<PaletteEntry> entries;
    for (QAction* action : allActions(menus)) {
        if (!action->isEnabled() || !action->isVisible())
            continue;
        const QIcon icon = action->icon().isNull()
                               ? theme.icon(QStringLiteral("chevron-right"), ColorRole::Muted)
                               : action->icon();
        const QString keys = action->shortcut().toString(QKeySequence::NativeText);
        entries.push_back({plainText(action->text()), keys.isEmpty() ? translated("Action") : keys, icon,
                           [action] { action->trigger(); }});
    }
    return entries;
}

std::vector<PaletteEntry> nodeEntries(const ProjectDocument& document, const Theme& theme,
                                      const std::function<void(GraphPart, const NodeId&)>& goTo)
{
    std::vector<PaletteEntry> entries;
    const QIcon icon = theme.icon(QStringLiteral("build"), ColorRole::Muted);
    for (const GraphPart part : {GraphPart::Network, GraphPart::Data}) {
        const QString where = part == GraphPart::Network ? translated("Network") : translated("Data");
        for (const Node& node : document.graph(part).nodes()) {
            entries.push_back({QStringLiteral("%1  %2").arg(QString::fromStdString(node.id),
                                                            QString::fromStdString(node.kind)),
                               where, icon, [goTo, part, id = node.id] { goTo(part, id); }});
        }
    }
    return entries;
}

std::vector<PaletteEntry> seriesEntries(const SessionBridge& bridge, const Theme& theme,
                                        const std::function<void(const QString&)>& show)
{
    std::vector<PaletteEntry> entries;
    if (bridge.series() == nullptr)
        return entries;
    const QIcon icon = theme.icon(QStringLiteral("train"), ColorRole::Muted);
    for (const SeriesInfo& info : bridge.series()->infos()) {
        const QString name = QString::fromStdString(info.name);
        entries.push_back({name, translated("Series"), icon, [show, name] { show(name); }});
    }
    return entries;
}

std::vector<PaletteEntry> runEntries(const RunListModel& runs, const Theme& theme,
                                     const std::function<void(RunId)>& open)
{
    std::vector<PaletteEntry> entries;
    const QIcon icon = theme.icon(QStringLiteral("runs"), ColorRole::Muted);
    for (int row = 0; row < runs.rowCount(); ++row) {
        const RunInfo& run = *runs.run(row);
        entries.push_back(
            {QString::fromStdString(run.name), translated("Run"), icon, [open, id = run.id] { open(id); }});
    }
    return entries;
}

} // namespace athanor
