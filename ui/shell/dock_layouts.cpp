#include "ui/shell/dock_layouts.h"

#include "ui/shell/settings.h"

#include <QDockWidget>
#include <QMainWindow>

namespace athanor {
namespace {

constexpr int kLayoutVersion = 2; ///< another one when docks are added or renamed
constexpr int kPaletteWidth = 210;
constexpr int kInspectorWidth = 300;
constexpr int kBottomHeight = 170;

} // namespace

DockLayouts::DockLayouts(QMainWindow& window, const Docks& docks, Settings& settings)
    : m_window(window), m_docks(docks), m_settings(settings)
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
    for (QDockWidget* dock : {m_docks.palette, m_docks.inspector, m_docks.bottom})
        dock->setFloating(false);
    m_window.addDockWidget(Qt::LeftDockWidgetArea, m_docks.palette);
    m_window.addDockWidget(Qt::RightDockWidgetArea, m_docks.inspector);
    m_window.addDockWidget(Qt::BottomDockWidgetArea, m_docks.bottom);
    // Plots, findings and tables need the width; there the inspector opens on demand.
    m_docks.palette->setVisible(mode == Mode::Build);
    m_docks.inspector->setVisible(mode == Mode::Build);
    m_docks.bottom->setVisible(mode == Mode::Build || mode == Mode::Train);
    m_window.resizeDocks({m_docks.palette, m_docks.inspector}, {kPaletteWidth, kInspectorWidth}, Qt::Horizontal);
    m_window.resizeDocks({m_docks.bottom}, {kBottomHeight}, Qt::Vertical);
}

} // namespace athanor
