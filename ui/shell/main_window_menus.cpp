// The menus, the mode bar and the actions of the window.
#include "ui/graph/build_view.h"
#include "ui/plot/notice_bar.h"
#include "ui/plot/training_controls.h"
#include "ui/shell/dock_layouts.h"
#include "ui/shell/findings_panel.h"
#include "ui/shell/help_dialog.h"
#include "ui/shell/main_window.h"
#include "ui/shell/mode_bar.h"
#include "ui/shell/palette_entries.h"
#include "ui/shell/picture_export.h"
#include "ui/shell/project_flow.h"
#include "ui/shell/sample_gallery.h"
#include "ui/shell/settings.h"
#include "ui/theme/theme.h"

#include <QAction>
#include <QActionGroup>
#include <QDir>
#include <QDockWidget>
#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>
#include <QToolBar>

namespace athanor {
namespace {

/// An action that calls `run` of an object with this context.
template <typename Run>
QAction* makeAction(QMenu* menu, QObject* context, const char* objectName, const QString& text,
                    const QKeySequence& shortcut, Run run)
{
    QAction* action = menu->addAction(text);
    action->setObjectName(QString::fromLatin1(objectName));
    action->setShortcut(shortcut);
    QObject::connect(action, &QAction::triggered, context, run);
    return action;
}

} // namespace

void MainWindow::makeModeActions()
{
    auto* group = new QActionGroup(this);
    int number = 1;
    for (const Mode mode : kModes) {
        auto* action = new QAction(m_theme.icon(modeKey(mode)), modeTitle(mode), group);
        action->setObjectName(modeKey(mode) + QStringLiteral("Mode"));
        action->setCheckable(true);
        action->setShortcut(QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_0 + number++)));
        action->setToolTip(QStringLiteral("%1 (%2)").arg(
            modeTitle(mode), action->shortcut().toString(QKeySequence::NativeText)));
        connect(action, &QAction::triggered, this, [this, mode] { setMode(mode); });
        m_modeActions.push_back(action);
    }
}

void MainWindow::makeModeBar()
{
    auto* bar = new QToolBar(tr("Modes"));
    bar->setObjectName(QStringLiteral("modeToolBar"));
    bar->setMovable(false);
    bar->setFloatable(false);
    bar->setContextMenuPolicy(Qt::PreventContextMenu); // it cannot be hidden
    bar->toggleViewAction()->setVisible(false);
    bar->setStyleSheet(QStringLiteral("padding: 0"));
    bar->addWidget(new ModeBar(m_modeActions, {m_controls->startAction(), m_controls->pauseAction(),
                                               m_controls->stepAction(), m_controls->stopAction()}));
    addToolBar(Qt::LeftToolBarArea, bar);
}

void MainWindow::makeMenus()
{
    makeFileMenu();
    makeEditMenu();
    makeViewMenu();
    makeRunMenu();
    makeHelpMenu();
}

void MainWindow::makeFileMenu()
{
    QMenu* menu = menuBar()->addMenu(tr("&File"));
    makeAction(menu, m_flow, "newAction", tr("&New"), QKeySequence::New, [this] {
        m_flow->createNew();
    })->setIcon(m_theme.icon(QStringLiteral("add")));
    QMenu* samples = menu->addMenu(tr("New from &sample"));
    QMenu* templates = menu->addMenu(tr("New from &template"));
    for (const SampleProject& sample : findSamples(m_samplesFolder)) {
        QMenu* home = sample.isTemplate ? templates : samples;
        QAction* action = home->addAction((sample.isTemplate ? tr("Template: %1") : tr("Sample: %1")).arg(sample.title));
        action->setToolTip(sample.description);
        connect(action, &QAction::triggered, this, [this, file = sample.file] { openProject(file); });
    }
    samples->setEnabled(!samples->isEmpty());
    templates->setEnabled(!templates->isEmpty());
    makeAction(menu, m_flow, "openAction", tr("&Open…"), QKeySequence::Open, [this] {
        m_flow->chooseFile();
    })->setIcon(m_theme.icon(QStringLiteral("open")));
    m_recentMenu = menu->addMenu(tr("Open &recent"));
    connect(m_recentMenu, &QMenu::aboutToShow, this, &MainWindow::fillRecentMenu);
    connect(m_flow, &ProjectFlow::recentFilesChanged, this, &MainWindow::fillRecentMenu);
    fillRecentMenu();
    menu->addSeparator();
    QAction* save =
        makeAction(menu, m_flow, "saveAction", tr("&Save"), QKeySequence::Save, [this] { m_flow->save(); });
    save->setIcon(m_theme.icon(QStringLiteral("save")));
    QAction* saveAs =
        makeAction(menu, m_flow, "saveAsAction", tr("Save &as…"),
                   QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S), [this] { m_flow->saveAs(); });
    save->setEnabled(false);
    saveAs->setEnabled(false);
    connect(&m_document, &ProjectDocument::loaded, this, [save, saveAs] {
        save->setEnabled(true);
        saveAs->setEnabled(true);
    });
    menu->addSeparator();
    makePictureActions(menu);
    menu->addSeparator();
    makeAction(menu, this, "quitAction", tr("&Quit"), QKeySequence::Quit, [this] { close(); });
}

void MainWindow::makePictureActions(QMenu* menu)
{
    QAction* save = makeAction(menu, m_pictures, "exportPictureAction", tr("Export the canvas as a picture…"),
                               QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E), [this] { m_pictures->chooseFile(); });
    QAction* copy = makeAction(menu, m_pictures, "copyPictureAction", tr("Copy the canvas as a picture"),
                               QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C), [this] { m_pictures->copy(); });
    copy->setIcon(m_theme.icon(QStringLiteral("copy")));
    QAction* colors = makeAction(menu, m_pictures, "pictureColorsAction", tr("Pictures in the window's colours"), {},
                                 [this](bool on) { m_pictures->setUsesWindowColors(on); });
    colors->setCheckable(true);
    colors->setChecked(m_pictures->usesWindowColors());
    for (QAction* action : {save, copy}) {
        action->setEnabled(m_document.isOpen());
        connect(&m_document, &ProjectDocument::loaded, action, [action] { action->setEnabled(true); });
    }
    connect(m_pictures, &PictureExport::failed, m_notice, &NoticeBar::showError);
    connect(m_pictures, &PictureExport::saved, this, [this](const QString& file) {
        m_notice->showNotice(NoticeBar::Level::Note, tr("The picture was saved: %1").arg(QDir::toNativeSeparators(file)), {});
    });
}

void MainWindow::fillRecentMenu()
{
    m_recentMenu->clear();
    const QStringList files = m_settings.recentFiles();
    for (const QString& file : files) {
        QAction* action = m_recentMenu->addAction(QFileInfo(file).fileName());
        action->setToolTip(file);
        connect(action, &QAction::triggered, this, [this, file] { openProject(file); });
    }
    m_recentMenu->setEnabled(!files.isEmpty());
}

void MainWindow::makeEditMenu()
{
    QMenu* menu = m_editMenu = menuBar()->addMenu(tr("&Edit"));
    connect(menu, &QMenu::aboutToShow, this, &MainWindow::fillEditMenu);
    QAction* undo = m_document.undoStack()->createUndoAction(this, tr("Undo"));
    undo->setObjectName(QStringLiteral("undoAction"));
    undo->setShortcut(QKeySequence::Undo);
    undo->setIcon(m_theme.icon(QStringLiteral("undo")));
    QAction* redo = m_document.undoStack()->createRedoAction(this, tr("Redo"));
    redo->setObjectName(QStringLiteral("redoAction"));
    // Both habits; the platform's own list would have one of them.
    redo->setShortcuts({QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)});
    redo->setIcon(m_theme.icon(QStringLiteral("redo")));
    menu->addAction(undo);
    menu->addAction(redo);
    menu->addSeparator();
    makeAction(menu, this, "paletteAction", tr("Find anything…"), QKeySequence(Qt::CTRL | Qt::Key_K), [this] {
        openPalette();
    })->setIcon(m_theme.icon(QStringLiteral("search")));
    m_ownEditActions = menu->actions().size();
}

/// What can be done on the canvas that is shown now, behind the window's own actions.
void MainWindow::fillEditMenu()
{
    for (QAction* old : m_editMenu->actions().mid(m_ownEditActions)) {
        m_editMenu->removeAction(old);
        if (old->isSeparator())
            delete old;
    }
    if (m_mode != Mode::Build)
        return;
    m_editMenu->addSeparator();
    for (QAction* action : m_buildView->editActions()) {
        if (action != nullptr)
            m_editMenu->addAction(action);
        else
            m_editMenu->addSeparator();
    }
}

void MainWindow::makeViewMenu()
{
    QMenu* menu = menuBar()->addMenu(tr("&View"));
    for (QAction* action : m_modeActions)
        menu->addAction(action);
    menu->addSeparator();
    makeAction(menu, this, "nextProblemAction", tr("Next problem"), QKeySequence(Qt::Key_F8),
               [this] { m_findingsPanel->goToNext(1); });
    makeAction(menu, this, "previousProblemAction", tr("Previous problem"), QKeySequence(Qt::SHIFT | Qt::Key_F8),
               [this] { m_findingsPanel->goToNext(-1); });
    menu->addSeparator();
    for (QDockWidget* dock : {m_paletteDock, m_inspectorDock, m_bottomDock})
        menu->addAction(dock->toggleViewAction());
    makeAction(menu, this, "resetLayoutAction", tr("Reset layout"), {}, [this] {
        m_layouts->reset(m_mode);
    })->setIcon(m_theme.icon(QStringLiteral("reset")));
    menu->addSeparator();
    menu->addMenu(makeThemeMenu());
}

QMenu* MainWindow::makeThemeMenu()
{
    auto* menu = new QMenu(tr("Theme"), this);
    auto* group = new QActionGroup(menu);
    const std::pair<ColorScheme, QString> schemes[] = {{ColorScheme::System, tr("Follow the system")},
                                                       {ColorScheme::Light, tr("Light theme")},
                                                       {ColorScheme::Dark, tr("Dark theme")}};
    for (const auto& [scheme, text] : schemes) {
        QAction* action = menu->addAction(text);
        action->setObjectName(QStringLiteral("themeAction%1").arg(static_cast<int>(scheme)));
        action->setCheckable(true);
        action->setActionGroup(group);
        action->setChecked(m_theme.scheme() == scheme);
        connect(action, &QAction::triggered, this, [this, scheme = scheme] {
            m_theme.setScheme(scheme);
            m_settings.setColorScheme(scheme);
        });
    }
    return menu;
}

void MainWindow::makeRunMenu()
{
    QMenu* menu = menuBar()->addMenu(tr("&Run"));
    for (QAction* action : {m_controls->startAction(), m_controls->pauseAction(), m_controls->stepAction(),
                            m_controls->stopAction(), m_controls->stopAfterEpochAction(), m_controls->stopAtAction()})
        menu->addAction(action);
    menu->addSeparator();
    menu->addActions({m_controls->revertAction(), m_controls->checkpointAction()});
    menu->addSeparator();
    QAction* check = makeAction(menu, this, "checkDataAction", tr("Check every sample of the data"), {},
                                [this] { checkData(); });
    check->setEnabled(false);
    connect(&m_document, &ProjectDocument::loaded, check, [check] { check->setEnabled(true); });
}

void MainWindow::makeHelpMenu()
{
    QMenu* menu = menuBar()->addMenu(tr("&Help"));
    using Page = HelpDialog::Page;
    makeAction(menu, this, "shortcutsAction", tr("Keyboard shortcuts"), QKeySequence(Qt::CTRL | Qt::Key_F1),
               [this] { showHelp(static_cast<int>(Page::Shortcuts)); });
    makeAction(menu, this, "environmentAction", tr("Environment check"), {},
               [this] { showHelp(static_cast<int>(Page::Environment)); });
    makeAction(menu, this, "aboutAction", tr("About Athanor"), {},
               [this] { showHelp(static_cast<int>(Page::About)); });
}

void MainWindow::showHelp(int page)
{
    auto* dialog = new HelpDialog(m_theme, m_environment, allActions(*menuBar()), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->showPage(static_cast<HelpDialog::Page>(page));
    dialog->show();
}

} // namespace athanor
