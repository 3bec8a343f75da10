// The widgets of PreviewPanel and how they are laid out.
#include "ui/data/preview_panel.h"
#include "ui/data/preview_parts.h"
#include "ui/data/sample_grid.h"
#include "ui/data/table_view.h"
#include "ui/theme/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSettings>
#include <QStackedWidget>
#include <QTableView>
#include <QTextBrowser>
#include <QToolButton>
#include <QVBoxLayout>

namespace athanor {

using namespace preview;

namespace preview {

QLabel* makeLabel(const QString& text, const char* look, Wrap wrap)
{
    auto* label = new QLabel(text);
    label->setProperty("look", QString::fromLatin1(look));
    label->setWordWrap(wrap == Wrap::Yes);
    return label;
}

QScrollArea* scrolled(QWidget* widget)
{
    auto* area = new QScrollArea;
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setWidget(widget);
    return area;
}

} // namespace preview

QWidget* PreviewPanel::makeHeader()
{
    auto* header = new QWidget;
    m_title = makeLabel({}, "heading");
    m_title->setObjectName(QStringLiteral("previewTitle"));
    m_shape = makeLabel({}, "muted");
    m_shape->setFont(m_theme.font(FontRole::Mono));
    m_note = makeLabel({}, "muted");
    m_note->setObjectName(QStringLiteral("previewNote"));
    m_part = new QComboBox;
    m_part->setObjectName(QStringLiteral("previewPart"));
    m_part->setAccessibleName(tr("Part"));
    connect(m_part, &QComboBox::activated, this, [this] {
        m_view.part = static_cast<DataPart>(m_part->currentData().toInt());
        m_settings.setValue(kPartKey, static_cast<int>(m_view.part));
        showPart();
    });
    m_compare = new QToolButton;
    m_compare->setObjectName(QStringLiteral("previewCompare"));
    m_compare->setText(tr("Before and after"));
    m_compare->setCheckable(true);
    m_compare->setChecked(m_view.compare);
    m_compare->setToolTip(tr("Shows each sample as it comes to this step beside what the step makes of it"));
    connect(m_compare, &QToolButton::toggled, this, [this](bool on) {
        m_view.compare = on;
        m_settings.setValue(kCompareKey, on);
        showPart();
    });
    m_reroll = new QPushButton(tr("Draw again"));
    m_reroll->setObjectName(QStringLiteral("previewReroll"));
    m_reroll->setIcon(m_theme.icon(QStringLiteral("reset")));
    m_reroll->setToolTip(tr("Random steps draw as in the next epoch"));
    connect(m_reroll, &QPushButton::clicked, this, [this] {
        ++m_view.epoch;
        m_note->setText(tr("as in epoch %1").arg(m_view.epoch));
        m_redraw.start();
    });
    m_progress = new QWidget;
    auto* bar = new QProgressBar;
    bar->setRange(0, 0);
    bar->setTextVisible(false);
    bar->setFixedWidth(120);
    auto* cancel = new QPushButton(tr("Cancel"));
    cancel->setObjectName(QStringLiteral("previewCancel"));
    connect(cancel, &QPushButton::clicked, &m_source, &PreviewSource::cancel);
    auto* progress = new QHBoxLayout(m_progress);
    progress->setContentsMargins(0, 0, 0, 0);
    progress->addWidget(makeLabel(tr("Opening the data…"), "muted"));
    progress->addWidget(bar);
    progress->addWidget(cancel);
    m_progress->hide();
    auto* layout = new QHBoxLayout(header);
    layout->setContentsMargins(spacing::kBetween, spacing::kInside, spacing::kBetween, spacing::kInside);
    layout->setSpacing(spacing::kBetween);
    layout->addWidget(m_title);
    layout->addWidget(m_shape);
    layout->addWidget(m_note);
    layout->addStretch(1);
    layout->addWidget(m_progress);
    layout->addWidget(m_compare);
    layout->addWidget(m_reroll);
    layout->addWidget(m_part);
    return header;
}

QWidget* PreviewPanel::makeMessage()
{
    auto* page = new QWidget;
    m_messageTitle = makeLabel({}, "heading", Wrap::Yes);
    m_messageTitle->setObjectName(QStringLiteral("previewMessage"));
    m_messageText = makeLabel({}, "muted", Wrap::Yes);
    m_messageText->setObjectName(QStringLiteral("previewHint"));
    for (QLabel* label : {m_messageTitle, m_messageText})
        label->setAlignment(Qt::AlignCenter);
    m_messageButton = new QPushButton;
    m_messageButton->setObjectName(QStringLiteral("previewButton"));
    connect(m_messageButton, &QPushButton::clicked, this, [this] {
        if (m_errorPlace.isEmpty())
            refresh();
        else
            Q_EMIT placeActivated(m_errorPlace);
    });
    auto* layout = new QVBoxLayout(page);
    layout->addStretch();
    layout->addWidget(m_messageTitle);
    layout->addWidget(m_messageText);
    layout->addWidget(m_messageButton, 0, Qt::AlignHCenter);
    layout->addStretch();
    return page;
}

QWidget* PreviewPanel::makeSamplesPage()
{
    m_grid = new SampleGrid(m_theme);
    m_rows = new RowModel(this);
    m_table = new QTableView;
    m_table->setObjectName(QStringLiteral("previewTable"));
    m_table->setAccessibleName(tr("Rows"));
    m_header = new HistogramHeader(m_theme, m_table);
    m_table->setHorizontalHeader(m_header);
    m_table->setModel(m_rows);
    m_table->setFont(m_theme.font(FontRole::Mono));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_table->verticalHeader()->setDefaultSectionSize(QFontMetrics(m_table->font()).height() + spacing::kBetween);
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed); // or it would measure a million rows
    m_table->setWordWrap(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_tokens = new QTextBrowser;
    m_tokens->setObjectName(QStringLiteral("previewTokens"));
    m_tokens->setAccessibleName(tr("Tokens of the row"));
    m_tokens->setFrameShape(QFrame::NoFrame);
    auto* tablePage = new QWidget;
    auto* tableLayout = new QHBoxLayout(tablePage);
    tableLayout->setContentsMargins(0, 0, 0, 0);
    tableLayout->setSpacing(0);
    tableLayout->addWidget(m_table, 3);
    tableLayout->addWidget(m_tokens, 2);
    m_samples = new QStackedWidget;
    m_samples->addWidget(m_grid);
    m_samples->addWidget(tablePage);

    connect(m_grid, &SampleGrid::wanted, this, [this](const std::vector<std::int64_t>& positions) {
        if (m_source.preview() && m_samples->currentIndex() == 0)
            m_source.readCells(view(), positions);
    });
    connect(m_grid, &SampleGrid::activated, this,
            [this](std::int64_t position) { readFull(position); });
    connect(m_rows, &RowModel::blockWanted, this, [this](qint64 first) {
        if (m_source.preview())
            m_source.readBlock(view(), first);
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& row) {
        if (row.isValid() && m_tokens->isVisibleTo(this))
            readFull(row.row());
    });
    connect(m_table, &QTableView::activated, this,
            [this](const QModelIndex& index) { readFull(index.row()); });
    return m_samples;
}

QWidget* PreviewPanel::makeTensorPage()
{
    auto* page = new QWidget;
    auto* row = new QHBoxLayout(page);
    row->setContentsMargins(spacing::kAround, spacing::kBetween, spacing::kAround, spacing::kBetween);
    m_tensors = new QVBoxLayout;
    row->addLayout(m_tensors);
    row->addStretch();
    return scrolled(page);
}

} // namespace athanor
