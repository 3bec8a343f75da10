// GUI thread. Where the docks are, remembered for each mode.
#pragma once

#include "ui/shell/mode.h"

class QDockWidget;
class QMainWindow;

namespace athanor {

class Settings;

class DockLayouts {
public:
    /// Owned by the window.
    struct Docks {
        QDockWidget* palette;
        QDockWidget* inspector;
        QDockWidget* bottom;
    };
    /// References outlive this.
    DockLayouts(QMainWindow& window, const Docks& docks, Settings& settings);

    void apply(Mode mode);          ///< as the user left it, else the default
    void remember(Mode mode) const; ///< what the window shows now
    void reset(Mode mode);          ///< the default, forgetting what the user did in this mode

private:
    void applyDefault(Mode mode);

    QMainWindow& m_window;
    Docks m_docks;
    Settings& m_settings;
};

} // namespace athanor
