// GUI thread. Help: about, the environment check, the list of shortcuts.
#pragma once

#include <QDialog>
#include <QList>

class QAction;
class QTabWidget;

namespace athanor {

class Environment;
class Theme;

class HelpDialog : public QDialog {
    Q_OBJECT
public:
    enum class Page { About, Environment, Shortcuts };
    /// `actions` are those whose shortcuts are listed.
    HelpDialog(Theme& theme, const Environment& environment, const QList<QAction*>& actions, QWidget* parent);
    void showPage(Page page);

private:
    QWidget* makeAboutPage(Theme& theme);
    QWidget* makeEnvironmentPage(Theme& theme, const Environment& environment);
    QWidget* makeShortcutPage(const QList<QAction*>& actions);

    QTabWidget* m_tabs = nullptr;
};

} // namespace athanor
