#include "ui/shell/trash_dialog.h"

#include "ui/bridge/text_format.h"
#include "ui/shell/decision.h"
#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

namespace athanor {
namespace {

constexpr QSize kSize(640, 420);
constexpr int kNameWidth = 220;

} // namespace

TrashDialog::TrashDialog(RunListModel& model, QWidget* parent)
    : QDialog(parent), m_model(model), m_table(new QTableWidget), m_text(new QLabel),
      m_restore(new QPushButton(tr("Restore"))), m_purge(new QPushButton(tr("Delete for good…")))
{
    setObjectName(QStringLiteral("trashDialog"));
    setWindowTitle(tr("Deleted runs"));
    m_table->setObjectName(QStringLiteral("trashTable"));
    m_table->setAccessibleName(tr("Deleted runs"));
    m_table->setColumnCount(3);
    m_table->setHorizontalHeaderLabels({tr("Name"), tr("Project"), tr("Deleted")});
    m_table->setColumnWidth(0, kNameWidth);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_table->verticalHeader()->hide();
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setShowGrid(false);
    m_table->setTabKeyNavigation(false);
    m_text->setObjectName(QStringLiteral("trashText"));
    m_text->setProperty("look", QStringLiteral("muted"));
    m_text->setWordWrap(true);
    m_text->setText(tr("Reading…"));
    m_restore->setObjectName(QStringLiteral("trashRestore"));
    m_purge->setObjectName(QStringLiteral("trashPurge"));
    auto* close = new QPushButton(tr("Close"));
    auto* row = new QHBoxLayout;
    row->setSpacing(spacing::kBetween);
    row->addWidget(m_restore);
    row->addWidget(m_purge);
    row->addStretch(1);
    row->addWidget(close);
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(spacing::kBetween);
    layout->addWidget(m_text);
    layout->addWidget(m_table, 1);
    layout->addLayout(row);
    resize(kSize);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &TrashDialog::updateButtons);
    connect(m_restore, &QPushButton::clicked, this, [this] {
        m_model.restoreRuns(selected());
        read();
    });
    connect(m_purge, &QPushButton::clicked, this, &TrashDialog::purge);
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    updateButtons();
    read();
}

void TrashDialog::read()
{
    m_model.readTrash([self = QPointer<TrashDialog>(this)](const Result<std::vector<TrashedRun>>& runs) {
        if (self != nullptr)
            self->fill(runs);
    });
}

void TrashDialog::fill(const Result<std::vector<TrashedRun>>& runs)
{
    m_table->setRowCount(0);
    if (!runs) {
        m_text->setText(QString::fromStdString(runs.error().text()));
        return;
    }
    for (const TrashedRun& run : *runs) {
        const int row = m_table->rowCount();
        m_table->insertRow(row);
        auto* name = new QTableWidgetItem(QString::fromStdString(run.info.name));
        name->setData(Qt::UserRole, static_cast<qlonglong>(run.info.id));
        m_table->setItem(row, 0, name);
        m_table->setItem(row, 1, new QTableWidgetItem(QString::fromStdString(run.info.project)));
        m_table->setItem(row, 2, new QTableWidgetItem(timeText(run.trashedMs)));
    }
    m_text->setText(runs->empty() ? tr("The trash is empty.")
                                  : tr("All they hold is there until they are deleted for good."));
    updateButtons();
}

std::vector<RunId> TrashDialog::selected() const
{
    std::vector<RunId> runs;
    for (const QModelIndex& index : m_table->selectionModel()->selectedRows())
        runs.push_back(index.data(Qt::UserRole).toLongLong());
    return runs;
}

void TrashDialog::updateButtons()
{
    const bool some = m_table->selectionModel()->hasSelection();
    m_restore->setEnabled(some);
    m_purge->setEnabled(some);
}

void TrashDialog::purge()
{
    const std::vector<RunId> runs = selected();
    const QString text =
        runs.size() == 1
            ? tr("Delete this run for good, with its checkpoints? This cannot be undone.")
            : tr("Delete %1 runs for good, with their checkpoints? This cannot be undone.").arg(runs.size());
    askDecision(this, tr("Delete for good"), text, {tr("Delete for good"), tr("Keep")},
                [this, runs](int choice) {
                    if (choice != 0)
                        return;
                    m_model.purgeRuns(runs);
                    read();
                });
}

} // namespace athanor
