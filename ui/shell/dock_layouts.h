// GUI thread. Where the docks are, remembered for each mode.
#pragma once

#include "ui/shell/mode.h"

class QDockWidget;
class QMainWindow;

namespace athanor {

class Settings;

class DockLayouts {
public:
    /// References outlive this.
    DockLayouts(QMainWindow& window, QDockWidget& inspector, QDockWidget& bottom, Settings& settings);

    void apply(Mode mode);          ///< as the user left it, else the default
    void remember(Mode mode) const; ///< what the window shows now
    void reset(Mode mode);          ///< the default, forgetting what the user did in this mode

private:
    void applyDefault(Mode mode);

    QMainWindow& m_window;
    QDockWidget& m_inspector;
    QDockWidget& m_bottom;
    Settings& m_settings;
};

} // namespace athanor
