// GUI thread. What the command palette lists: actions of the menus, nodes, series, runs.
#pragma once

#include "engine/store/run_store.h"
#include "ui/bridge/project_document.h"
#include "ui/shell/palette_model.h"

class QAction;
class QMenuBar;

namespace athanor {

class RunListModel;
class SessionBridge;
class Theme;

/// Every action of the menus, also of submenus; separators and submenus themselves left out.
QList<QAction*> allActions(const QMenuBar& menus);

std::vector<PaletteEntry> actionEntries(const QMenuBar& menus,
                                        const Theme& theme); ///< those that are enabled
std::vector<PaletteEntry> nodeEntries(const ProjectDocument& document, const Theme& theme,
                                      const std::function<void(GraphPart, const NodeId&)>& goTo);
std::vector<PaletteEntry> seriesEntries(const SessionBridge& bridge, const Theme& theme,
                                        const std::function<void(const QString&)>& show);
std::vector<PaletteEntry> runEntries(const RunListModel& runs, const Theme& theme,
                                     const std::function<void(RunId)>& open);

} // namespace athanor
