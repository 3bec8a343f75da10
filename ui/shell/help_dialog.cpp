#include "ui/shell/help_dialog.h"

#include "ui/shell/environment.h"
#include "ui/shell/severity_delegate.h"
#include "ui/theme/theme.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QTableWidget>
#include <QTabWidget>
#include <QVBoxLayout>

namespace athanor {
namespace {

constexpr QSize kDialogSize(560, 460);

QLabel* makeLabel(const QString& text, const char* look)
{
    auto* label = new QLabel(text);
    label->setProperty("look", QString::fromLatin1(look));
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

QString jsonText(const Json& value)
{
    return QString::fromStdString(value.is_string() ? value.get<std::string>() : value.dump());
}

QWidget* scrolled(QWidget* page)
{
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidget(page);
    return scroll;
}

/// The menu's text without its mnemonic and dots.
QString plainText(const QAction& action)
{
    QString text = action.text();
    return text.remove(u'&').remove(u'…');
}

} // namespace

HelpDialog::HelpDialog(Theme& theme, const Environment& environment, const QList<QAction*>& actions,
                       QWidget* parent)
    : QDialog(parent)
{
    setObjectName(QStringLiteral("helpDialog"));
    setWindowTitle(tr("Help"));
    m_tabs = new QTabWidget;
    m_tabs->addTab(makeAboutPage(theme), tr("About"));
    m_tabs->addTab(makeEnvironmentPage(theme, environment), tr("Environment"));
    m_tabs->addTab(makeShortcutPage(actions), tr("Shortcuts"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_tabs, 1);
    layout->addWidget(buttons);
    resize(kDialogSize);
}

void HelpDialog::showPage(Page page)
{
    m_tabs->setCurrentIndex(static_cast<int>(page));
}

QWidget* HelpDialog::makeAboutPage(Theme& theme)
{
    auto* page = new QWidget;
    auto* picture = new QLabel;
    picture->setPixmap(
        theme.icon(QStringLiteral("athanor-color")).pixmap(QSize(64, 64), devicePixelRatioF()));
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(spacing::kAround, spacing::kAround, spacing::kAround, spacing::kAround);
    layout->setSpacing(spacing::kBetween);
    layout->addWidget(picture);
    layout->addWidget(makeLabel(tr("Athanor %1").arg(QStringLiteral(ATHANOR_VERSION)), "title"));
    layout->addWidget(makeLabel(tr("Build, train and understand neural networks."), "plain"));
    layout->addWidget(
        makeLabel(tr("Free software under the GNU General Public License, version 3 or later. It comes "
                     "with no warranty."),
                  "muted"));
    layout->addWidget(makeLabel(tr("Made with Qt %1, LibTorch, QCustomPlot, SQLite, OpenCV and Graphviz.")
                                    .arg(QString::fromLatin1(qVersion())),
                                "muted"));
    layout->addStretch();
    return page;
}

QWidget* HelpDialog::makeEnvironmentPage(Theme& theme, const Environment& environment)
{
    auto* page = new QWidget;
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(spacing::kAround, spacing::kAround, spacing::kAround, spacing::kAround);
    layout->setSpacing(spacing::kBetween);
    if (!environment.isKnown()) {
        layout->addWidget(
            makeLabel(tr("The environment is being looked at. Open this again in a moment."), "muted"));
    } else if (environment.problems().empty()) {
        layout->addWidget(makeLabel(tr("Nothing here slows the training down."), "heading"));
    }
    for (const Problem& problem : environment.problems()) {
        auto* row = new QHBoxLayout;
        auto* icon = new QLabel;
        icon->setPixmap(severityIcon(theme, problem.severity).pixmap(QSize(16, 16), devicePixelRatioF()));
        row->addWidget(icon, 0, Qt::AlignTop);
        row->addWidget(makeLabel(QString::fromStdString(problem.message), "heading"), 1);
        layout->addLayout(row);
        layout->addWidget(makeLabel(QString::fromStdString(problem.hint), "plain"));
    }
    auto* facts = new QFormLayout;
    facts->setHorizontalSpacing(spacing::kAround);
    for (const auto& [name, value] : environment.report().items())
        facts->addRow(makeLabel(QString::fromStdString(name), "muted"), makeLabel(jsonText(value), "plain"));
    layout->addLayout(facts);
    layout->addStretch();
    return scrolled(page);
}

QWidget* HelpDialog::makeShortcutPage(const QList<QAction*>& actions)
{
    auto* table = new QTableWidget(0, 2);
    table->setObjectName(QStringLiteral("shortcutTable"));
    table->setHorizontalHeaderLabels({tr("Action"), tr("Keys")});
    table->verticalHeader()->hide();
    table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    table->horizontalHeader()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setShowGrid(false);
    for (const QAction* action : actions) {
        if (action->shortcut().isEmpty())
            continue;
        const int row = table->rowCount();
        table->insertRow(row);
        table->setItem(row, 0, new QTableWidgetItem(plainText(*action)));
        table->setItem(row, 1, new QTableWidgetItem(action->shortcut().toString(QKeySequence::NativeText)));
    }
    return table;
}

} // namespace athanor
