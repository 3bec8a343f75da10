#include "ui/graph/summary_panel.h"

#include "ui/bridge/text_format.h"
#include "ui/graph/node_text.h"
#include "ui/graph/summary_model.h"
#include "ui/graph/whole_number_box.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QScopedValueRollback>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace athanor {
namespace {

constexpr int kShapeWidth = 150; // px
constexpr int kFieldWidth = 124;
constexpr std::int64_t kLargestBatch = 1'000'000'000;

} // namespace

SummaryPanel::SummaryPanel(ProjectDocument& document, Selection& selection, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_document(document), m_selection(selection), m_theme(theme), m_model(new SummaryModel(this)),
      m_sorted(new QSortFilterProxyModel(this))
{
    setObjectName(QStringLiteral("summaryPanel"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeTools());
    makeTable();
    column->addWidget(m_table, 1);

    const auto changed = [this] {
        m_isStale = true;
        if (isVisible()) {
            refresh();
        }
    };
    connect(&document, &ProjectDocument::loaded, this, [this, changed] {
        m_batchIsOwn = false;
        changed();
    });
    connect(&document, &ProjectDocument::checked, this, changed);
    connect(&selection, &Selection::changed, this, &SummaryPanel::followSelection);
}

QWidget* SummaryPanel::makeTools()
{
    auto* tools = new QWidget(this);
    auto* row = new QHBoxLayout(tools);
    row->setContentsMargins(spacing::kBetween, spacing::kInside, spacing::kBetween, spacing::kInside);
    row->setSpacing(spacing::kBetween);
    auto* label = new QLabel(tr("Batch"), tools);
    m_batch = new WholeNumberBox(tools);
    m_batch->setObjectName(QStringLiteral("summaryBatch"));
    m_batch->setAccessibleName(tr("Samples in a batch"));
    m_batch->setToolTip(tr("Samples in a batch, for the memory; the Loader's at first"));
    m_batch->setRange(1, kLargestBatch);
    m_batch->setFixedWidth(96);
    label->setBuddy(m_batch);
    m_totals = new QLabel(tools);
    m_totals->setObjectName(QStringLiteral("summaryTotals"));
    m_totals->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_copy = new QToolButton(tools);
    m_copy->setObjectName(QStringLiteral("summaryCopy"));
    m_copy->setIcon(m_theme.icon(QStringLiteral("copy")));
    m_copy->setText(tr("Copy"));
    m_copy->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_copy->setFocusPolicy(Qt::StrongFocus);
    m_copy->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(m_copy);
    menu->addAction(tr("As text"), this, &SummaryPanel::copyAsText)->setObjectName(QStringLiteral("copyText"));
    menu->addAction(tr("As Markdown"), this, &SummaryPanel::copyAsMarkdown)->setObjectName(QStringLiteral("copyMarkdown"));
    m_copy->setMenu(menu);
    row->addWidget(label);
    row->addWidget(m_batch);
    row->addWidget(m_totals, 1);
    row->addWidget(m_copy);
    connect(m_batch, &WholeNumberBox::edited, this, [this] {
        m_batchIsOwn = true;
        refresh();
    });
    return tools;
}

void SummaryPanel::makeTable()
{
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(SummaryModel::kSortRole);
    m_table = new QTableView(this);
    m_table->setObjectName(QStringLiteral("summaryTable"));
    m_table->setAccessibleName(tr("Layers of the network"));
    m_table->setModel(m_sorted);
    m_table->setProperty("look", QStringLiteral("bare"));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setTabKeyNavigation(false);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(24);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(SummaryModel::Layer, Qt::AscendingOrder);
    QHeaderView* header = m_table->horizontalHeader();
    header->setStretchLastSection(false);
    header->setHighlightSections(false);
    header->setSectionResizeMode(SummaryModel::Layer, QHeaderView::Stretch);
    header->resizeSection(SummaryModel::Input, kShapeWidth);
    header->resizeSection(SummaryModel::Output, kShapeWidth);
    header->resizeSection(SummaryModel::Field, kFieldWidth);
    header->setMinimumSectionSize(72);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &SummaryPanel::selectNode);
    connect(m_table, &QTableView::clicked, this, &SummaryPanel::selectNode);
}

void SummaryPanel::refresh()
{
    m_isStale = false;
    if (!m_batchIsOwn) {
        m_batch->setValue(batchSizeOf(m_document.graph(GraphPart::Data)));
    }
    const QScopedValueRollback quiet(m_following, true); // rows that come and go select nothing
    m_model->setSummary(summarize(m_document.wholeGraph(GraphPart::Network), m_document.check().network, m_batch->value().value_or(1)));
    const NetworkSummary& summary = m_model->summary();
    m_totals->setText(summary.rows.empty() ? QString()
                                           : tr("%1 parameters  ·  %2 MACs per sample  ·  %3 kept for the backward pass")
                                                 .arg(countText(summary.parameters), shortCountText(summary.macs),
                                                      QString::fromStdString(bytesText(summary.bytes))));
    m_copy->setEnabled(!summary.rows.empty());
    followSelection();
}

void SummaryPanel::selectNode()
{
    const QModelIndex current = m_sorted->mapToSource(m_table->currentIndex());
    if (m_following || !current.isValid()) {
        return;
    }
    const std::string id = m_model->summary().rows[static_cast<std::size_t>(current.row())].node;
    if (const auto shown = m_document.reveal(GraphPart::Network, "network/" + id)) {
        m_selection.select(GraphPart::Network, {shown->first});
    }
}

void SummaryPanel::followSelection()
{
    if (m_isStale || m_selection.part() != GraphPart::Network || m_selection.nodes().size() != 1) {
        return;
    }
    const std::string id = m_document.place().prefix + *m_selection.nodes().begin();
    const auto& rows = m_model->summary().rows;
    const int now = m_sorted->mapToSource(m_table->currentIndex()).row();
    const auto belongs = [&](const SummaryRow& row) { return row.node == id || row.node.starts_with(id + "/"); };
    if (now >= 0 && belongs(rows[static_cast<std::size_t>(now)])) {
        return;
    }
    const auto found = std::find_if(rows.begin(), rows.end(), belongs);
    if (found != rows.end()) {
        const QScopedValueRollback following(m_following, true);
        m_table->setCurrentIndex(m_sorted->mapFromSource(m_model->index(static_cast<int>(found - rows.begin()), 0)));
    }
}

void SummaryPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_isStale) {
        refresh();
    }
}

void SummaryPanel::copyAsText() const
{
    QApplication::clipboard()->setText(QString::fromStdString(summaryText(m_model->summary())));
}

void SummaryPanel::copyAsMarkdown() const
{
    QApplication::clipboard()->setText(QString::fromStdString(summaryMarkdown(m_model->summary())));
}

} // namespace athanor
