#include "ui/shell/dock_layouts.h"

#include "ui/shell/settings.h"

#include <QDockWidget>
#include <QMainWindow>

namespace athanor {
namespace {

constexpr int kLayoutVersion = 1; ///< another one when docks are added or renamed
constexpr int kInspectorWidth = 300;
constexpr int kBottomHeight = 170;

} // namespace

DockLayouts::DockLayouts(QMainWindow& window, QDockWidget& inspector, QDockWidget& bottom, Settings& settings)
    : m_window(window), m_inspector(inspector), m_bottom(bottom), m_settings(settings)
{}

void DockLayouts::apply(Mode mode)
{
    const QByteArray layout = m_settings.dockLayout(mode);
    if (layout.isEmpty() || !m_window.restoreState(layout, kLayoutVersion))
        applyDefault(mode);
}

void DockLayouts::remember(Mode mode) const
{
    m_settings.setDockLayout(mode, m_window.saveState(kLayoutVersion));
}

void DockLayouts::reset(Mode mode)
{
    applyDefault(mode);
    remember(mode);
}

void DockLayouts::applyDefault(Mode mode)
{
    m_inspector.setFloating(false);
    m_bottom.setFloating(false);
    m_window.addDockWidget(Qt::RightDockWidgetArea, &m_inspector);
    m_window.addDockWidget(Qt::BottomDockWidgetArea, &m_bottom);
    // Plots, findings and tables need the width; there the inspector opens on demand.
    m_inspector.setVisible(mode == Mode::Build);
    m_bottom.setVisible(mode == Mode::Build || mode == Mode::Train);
    m_window.resizeDocks({&m_inspector}, {kInspectorWidth}, Qt::Horizontal);
    m_window.resizeDocks({&m_bottom}, {kBottomHeight}, Qt::Vertical);
}

} // namespace athanor
