#include "ui/theme/style_sheet.h"

#include "ui/theme/theme_colors.h"

#include <QHash>

namespace athanor {
namespace {

// $role is replaced by the role's colour.
constexpr auto kSheet = R"(
QToolTip { color: $text; background: $raised; border: 1px solid $border; padding: 4px; }

QToolBar { background: $surface; border: none; spacing: 4px; padding: 4px; }
QToolButton { background: transparent; border: 1px solid transparent; border-radius: 4px; padding: 4px; }
QToolButton:hover { background: $grid; }
QToolButton:pressed, QToolButton:checked { background: $border; }
QToolButton:focus { border-color: $accent; }
QToolButton[look="fold"], QToolButton[look="fold"]:checked { background: transparent; padding: 4px 2px; font-weight: 600; }
QToolButton[look="fold"]:hover { background: $grid; }
QToolButton[look="field"] { background: $raised; border-color: $border; padding: 3px 6px; min-height: 20px; }
QToolButton[look="field"]:hover, QToolButton[look="field"]:focus { border-color: $accent; }
QToolButton::menu-indicator { image: none; }

QPushButton { background: $raised; border: 1px solid $border; border-radius: 4px; padding: 4px 12px;
              min-height: 20px; }
QPushButton:hover { background: $grid; }
QPushButton:pressed { background: $border; }
QPushButton:focus, QPushButton:default { border-color: $accent; }
QPushButton:disabled { color: $muted; background: $surface; }
QPushButton[look="primary"] { background: $accent; color: $accenttext; border-color: $accent; }
QPushButton[look="primary"]:hover { background: $text; color: $surface; border-color: $text; }
QPushButton[look="primary"]:focus { border: 2px solid $text; padding: 3px 11px; }
QPushButton[look="primary"]:disabled { background: $surface; color: $muted; border-color: $border; }
QPushButton[look="fix"] { text-align: left; padding: 3px 8px; min-height: 18px; color: $accent; }
QPushButton[look="link"] { background: transparent; border: none; color: $accent; text-align: left; padding: 2px; }
QPushButton[look="link"]:hover, QPushButton[look="link"]:focus { text-decoration: underline; }

QLineEdit, QPlainTextEdit, QTextEdit { background: $raised; border: 1px solid $border; border-radius: 4px; }
QLineEdit { padding: 3px 6px; min-height: 20px; }
QComboBox, QAbstractSpinBox { min-height: 26px; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus { border-color: $accent; }

QAbstractItemView { background: $raised; alternate-background-color: $surface; border: 1px solid $border;
                    border-radius: 4px; outline: none; }
QAbstractItemView[look="bare"] { border: none; border-radius: 0; }
QHeaderView { background: $surface; border: none; }
QHeaderView::section { background: $surface; color: $muted; border: none; border-bottom: 1px solid $border;
                       padding: 4px; }
QTableView, QTreeView { gridline-color: $grid; }

QTabBar::tab { background: transparent; color: $muted; padding: 6px 12px; border: none;
               border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: $text; border-bottom-color: $accent; }
QTabBar::tab:hover { color: $text; }
QTabBar::tab:focus { color: $accent; }
QTabWidget::pane { border: none; border-top: 1px solid $border; }

QDockWidget { color: $muted; }
QDockWidget::title { background: $surface; padding: 0 8px; border-bottom: 1px solid $border; }
QDockWidget::close-button, QDockWidget::float-button { background: transparent; border: none; border-radius: 4px; }
QDockWidget::close-button:hover, QDockWidget::float-button:hover { background: $grid; }
QMainWindow::separator { background: $border; width: 1px; height: 1px; }
QMainWindow::separator:hover { background: $accent; }
QSplitter::handle { background: $border; }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:vertical { height: 1px; }

QStatusBar { background: $surface; border-top: 1px solid $border; }
QStatusBar::item { border: none; }
QStatusBar QLabel { color: $muted; padding: 0 4px; }
QMenuBar { background: $surface; }
QMenuBar::item { padding: 4px 8px; background: transparent; border-radius: 4px; }
QMenuBar::item:selected { background: $grid; }

QScrollBar:vertical { background: transparent; width: 12px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 0; }
QScrollBar::handle { background: $border; border-radius: 4px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 24px; }
QScrollBar::handle:horizontal { min-width: 24px; }
QScrollBar::handle:hover { background: $muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QProgressBar { background: $grid; border: none; border-radius: 4px; min-height: 8px; max-height: 8px;
               text-align: center; }
QProgressBar::chunk { background: $accent; border-radius: 4px; }

QLabel[look="title"] { font-size: 16px; font-weight: 600; }
QLabel[look="heading"] { font-weight: 600; }
QLabel[look="muted"] { color: $muted; }
QLabel[look="small"] { color: $muted; font-size: 11px; }

QFrame[look="card"], QAbstractButton[look="card"] { background: $raised; border: 1px solid $border;
                                                    border-radius: 4px; }
QAbstractButton[look="card"]:hover, QAbstractButton[look="card"]:focus { border-color: $accent; }

QFrame[look="modebar"] { background: $surface; border: none; border-right: 1px solid $border; }
QToolButton[look="mode"] { border-radius: 4px; padding: 6px 2px; font-size: 11px; color: $muted; }
QToolButton[look="mode"]:checked { background: $raised; color: $text; border-color: $border; }
QToolButton[look="mode"]:disabled { color: $border; }
QToolButton[look="mode"]:focus { border-color: $accent; }

QFrame[look="bar"] { background: $raised; border: none; border-bottom: 1px solid $border; border-left: 4px solid $accent; }
QFrame[look="bar"][severity="warning"] { border-left-color: $warn; }
QFrame[look="bar"][severity="error"] { border-left-color: $bad; }
QLabel[look="hint"] { background: $raised; color: $text; border: 1px solid $accent; border-radius: 4px; padding: 4px 8px; }
QLabel[look="hint"][severity="error"] { border-color: $bad; }
QFrame[look="rule"] { background: $border; border: none; max-height: 1px; min-height: 1px; }
)";

} // namespace

QString styleSheet(bool dark)
{
    // Longer names first: $accenttext before $accent.
    static const QList<std::pair<QString, ColorRole>> kNames{
        {QStringLiteral("$accenttext"), ColorRole::AccentText},
        {QStringLiteral("$surface"), ColorRole::Surface},
        {QStringLiteral("$raised"), ColorRole::Raised},
        {QStringLiteral("$border"), ColorRole::Border},
        {QStringLiteral("$accent"), ColorRole::Accent},
        {QStringLiteral("$muted"), ColorRole::Muted},
        {QStringLiteral("$text"), ColorRole::Text},
        {QStringLiteral("$grid"), ColorRole::Grid},
        {QStringLiteral("$good"), ColorRole::Good},
        {QStringLiteral("$warn"), ColorRole::Warn},
        {QStringLiteral("$bad"), ColorRole::Bad},
    };
    QString sheet = QString::fromLatin1(kSheet);
    for (const auto& [name, role] : kNames)
        sheet.replace(name, themeColor(role, dark).name());
    return sheet;
}

} // namespace athanor
