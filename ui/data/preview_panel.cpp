#include "ui/data/preview_panel.h"

#include "ui/bridge/task_list.h"
#include "ui/bridge/text_format.h"
#include "ui/data/class_bars.h"
#include "ui/data/preview_parts.h"
#include "ui/data/sample_dialog.h"
#include "ui/theme/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSettings>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QTextBrowser>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <chrono>
#include <utility>

namespace athanor {

using namespace preview;

namespace {

constexpr std::chrono::milliseconds kReopenAfter{400};
constexpr std::chrono::milliseconds kRedrawAfter{60};
constexpr int kTensorColumn = 240;

void clear(QLayout* layout)
{
    while (QLayoutItem* item = layout->takeAt(0)) {
        delete item->widget();
        delete item;
    }
}

} // namespace

PreviewPanel::PreviewPanel(const Theme& theme, ProjectDocument& document, Selection& selection, TaskList& tasks,
                           QSettings& settings, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_document(document), m_selection(selection), m_tasks(tasks),
      m_settings(settings)
{
    setObjectName(QStringLiteral("previewPanel"));
    m_view.compare = settings.value(kCompareKey, true).toBool();
    m_view.part = static_cast<DataPart>(std::clamp(settings.value(kPartKey, 0).toInt(), 0, 2));
    m_tabs = new QTabWidget;
    m_tabs->setObjectName(QStringLiteral("previewTabs"));
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(makeSamplesPage(), tr("Samples"));
    m_tabs->addTab(makeTensorPage(), tr("Numbers"));
    m_classes = new ClassBars(theme);
    m_tabs->addTab(scrolled(m_classes), tr("Classes"));
    m_tabs->setCurrentIndex(settings.value(kTabKey, 0).toInt());
    connect(m_tabs, &QTabWidget::currentChanged, this, [this](int tab) { m_settings.setValue(kTabKey, tab); });
    m_stack = new QStackedWidget;
    m_stack->addWidget(makeMessage());
    m_stack->addWidget(m_tabs);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeHeader());
    layout->addWidget(m_stack, 1);

    m_reopen.setSingleShot(true);
    m_reopen.setInterval(kReopenAfter);
    m_redraw.setSingleShot(true);
    m_redraw.setInterval(kRedrawAfter);
    connect(&m_reopen, &QTimer::timeout, this, &PreviewPanel::refresh);
    connect(&m_redraw, &QTimer::timeout, this, &PreviewPanel::showDraw);
    connect(&selection, &Selection::changed, this, &PreviewPanel::follow);
    connect(&document, &ProjectDocument::loaded, this, [this] {
        m_view.node.clear();
        m_view.epoch = 0;
        m_source.close();
        endTask();
        dataChanged();
    });
    connect(&document, &ProjectDocument::graphChanged, this,
            [this](GraphPart part, const std::set<std::string>&, bool semantic) {
                if (part == GraphPart::Data && semantic)
                    dataChanged();
            });
    connect(&document, &ProjectDocument::nodeRenamed, this,
            [this](GraphPart part, const std::string& from, const std::string& to) {
                if (part == GraphPart::Data && m_view.node == from)
                    m_view.node = to;
            });
    wireSource();
    refresh();
}

PreviewPanel::~PreviewPanel()
{
    endTask();
}

void PreviewPanel::wireSource()
{
    connect(&m_source, &PreviewSource::opened, this, &PreviewPanel::showOpened);
    connect(&m_source, &PreviewSource::failed, this, &PreviewPanel::showError);
    connect(&m_source, &PreviewSource::cellRead, m_grid, &SampleGrid::setCell);
    connect(&m_source, &PreviewSource::blockRead, m_rows,
            [this](qint64 first, const RowModel::Block& block) { m_rows->setBlock(first, block); });
    connect(&m_source, &PreviewSource::columnsRead, this, [this](const TableFacts& facts) { m_header->setFacts(facts); });
    connect(&m_source, &PreviewSource::tensorsRead, this, &PreviewPanel::showTensors);
    connect(&m_source, &PreviewSource::classesRead, m_classes, &ClassBars::setClasses);
    connect(&m_source, &PreviewSource::fullRead, this, &PreviewPanel::showFull);
}

PreviewView PreviewPanel::view() const
{
    PreviewView view = m_view;
    view.compare = m_view.compare && m_source.preview()->isTransform(m_view.node);
    return view;
}

/// The one selected data node, else the one that was shown last, else the source.
NodeId PreviewPanel::nodeToShow() const
{
    const Graph& graph = m_document.wholeGraph(GraphPart::Data);
    if (m_selection.part() == GraphPart::Data && !m_selection.nodes().empty() &&
        graph.find(*m_selection.nodes().begin()) != nullptr)
        return *m_selection.nodes().begin();
    if (graph.find(m_view.node) != nullptr)
        return m_view.node;
    return graph.nodes().empty() ? NodeId() : graph.nodes().front().id;
}

void PreviewPanel::follow()
{
    if (isVisible() && nodeToShow() != m_view.node)
        refresh();
}

void PreviewPanel::dataChanged()
{
    m_stale = true;
    if (isVisible())
        m_reopen.start();
}

void PreviewPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_stale || nodeToShow() != m_view.node)
        refresh();
}

void PreviewPanel::refresh()
{
    m_view.node = m_document.isOpen() ? nodeToShow() : NodeId();
    for (QWidget* tool : std::initializer_list<QWidget*>{m_part, m_compare, m_reroll, m_shape, m_note})
        tool->hide();
    m_title->setText(QString::fromStdString(m_view.node));
    if (m_view.node.empty()) {
        showMessage(tr("No data yet"), tr("Put a source on the data canvas; its samples show up here."), {});
        return;
    }
    if (!isVisible())
        return;
    if (!m_stale && m_source.preview() && m_source.preview()->shows(m_view.node)) {
        showOpened();
        return;
    }
    endTask();
    m_stale = false;
    m_errorPlace.clear();
    m_source.open(m_document.project(), m_view.node);
    m_task = m_tasks.begin(tr("Opening the data for the preview"), [this] { m_source.cancel(); });
    m_progress->show();
}

void PreviewPanel::endTask()
{
    m_progress->hide();
    if (m_task != 0)
        m_tasks.end(std::exchange(m_task, 0));
}

void PreviewPanel::showOpened()
{
    endTask();
    const DataPreview& data = *m_source.preview();
    if (!data.shows(m_view.node)) {
        showMessage(tr("This node leads nowhere"),
                    tr("Connect it to the Loader, or look at what the sources that it joins yield together."), {});
        return;
    }
    const std::array<std::int64_t, 3> sizes = data.sizes(m_view.node);
    const QString names[] = {tr("train"), tr("val"), tr("test")};
    m_part->clear();
    for (int part = 0; part < 3; ++part)
        if (sizes[static_cast<std::size_t>(part)] > 0)
            m_part->addItem(QStringLiteral("%1 (%2)").arg(names[part], countText(sizes[static_cast<std::size_t>(part)])),
                            part);
    if (m_part->count() == 0) {
        showMessage(tr("There are no samples here"), tr("The source is empty."), {});
        return;
    }
    if (m_goal)
        m_view.part = m_goal->first;
    int row = m_part->findData(static_cast<int>(m_view.part));
    if (row < 0)
        row = 0;
    m_part->setCurrentIndex(row);
    m_view.part = static_cast<DataPart>(m_part->itemData(row).toInt());
    for (QWidget* tool : std::initializer_list<QWidget*>{m_part, m_reroll, m_shape, m_note})
        tool->show();
    m_compare->setVisible(data.isTransform(m_view.node));
    m_stack->setCurrentIndex(1);
    showPart();
}

bool PreviewPanel::isTable() const
{
    return m_samples->currentIndex() == 1;
}

void PreviewPanel::showPart()
{
    if (!m_source.preview())
        return;
    m_source.dropQuestions();
    const DataPreview& data = *m_source.preview();
    const ViewLayout layout = layoutOf(data, view());
    const std::int64_t count = data.sizes(m_view.node)[static_cast<std::size_t>(m_view.part)];
    m_shape->setText(layout.fields.mid(0, 3).join(QStringLiteral("  ")));
    m_note->setText(!data.isActive(m_view.node, m_view.part) ? tr("passes by in this part")
                    : m_view.epoch > 0                       ? tr("as in epoch %1").arg(m_view.epoch)
                                                             : QString());
    m_header->setFacts(std::nullopt);
    const bool table = layout.isTable;
    m_samples->setCurrentIndex(table ? 1 : 0);
    if (table) {
        m_tokens->clear();
        m_tokens->setVisible(layout.hasTokens);
        m_rows->setTable(count, layout.columns);
        if (m_tokens->isVisibleTo(this))
            m_table->selectRow(0);
    } else {
        m_grid->setSamples(count, view().compare);
    }
    if (m_goal) {
        const std::int64_t position = data.positionOf(m_view.node, m_view.part, std::exchange(m_goal, {})->second);
        if (position >= 0 && table)
            m_table->selectRow(static_cast<int>(position));
        else if (position >= 0)
            m_grid->setCurrent(position);
    }
    m_source.readFacts(view());
    m_source.readClasses();
}

void PreviewPanel::showDraw()
{
    if (!m_source.preview() || m_stack->currentIndex() != 1)
        return;
    if (isTable()) {
        showPart();
        return;
    }
    m_source.dropQuestions();
    m_grid->reload();
    m_source.readFacts(view());
    m_source.readClasses();
}

void PreviewPanel::showError(const Error& error)
{
    endTask();
    if (error.code == ErrorCode::Cancelled) {
        m_stale = true;
        showMessage(tr("Opening the data was stopped"), {}, tr("Open it"));
        return;
    }
    m_errorPlace = QString::fromStdString(error.where);
    showMessage(QString::fromStdString(error.message), QString::fromStdString(error.hint),
                m_errorPlace.isEmpty() ? tr("Try again") : tr("Show where"));
}

void PreviewPanel::showMessage(const QString& title, const QString& text, const QString& button)
{
    m_messageTitle->setText(title);
    m_messageText->setText(text);
    m_messageText->setVisible(!text.isEmpty());
    m_messageButton->setText(button);
    m_messageButton->setVisible(!button.isEmpty());
    m_stack->setCurrentIndex(0);
}

void PreviewPanel::showTensors(const std::vector<ColumnFacts>& fields)
{
    clear(m_tensors);
    for (const ColumnFacts& field : fields) {
        const TensorFacts& facts = field.facts;
        auto* heading = makeLabel(QString::fromStdString(field.name).replace(u'\n', QStringLiteral("   ")), "heading");
        QString text = facts.histogram.empty()
                           ? tr("no finite number")
                           : tr("%1 … %2, mean %3, standard deviation %4")
                                 .arg(numberText(facts.least), numberText(facts.greatest), numberText(facts.mean),
                                      numberText(facts.deviation));
        if (facts.nans + facts.infinities > 0)
            text += tr("; %1 NaN, %2 infinite").arg(countText(facts.nans), countText(facts.infinities));
        auto* histogram = new HistogramView(m_theme);
        histogram->setFacts(facts);
        histogram->setMinimumWidth(2 * kTensorColumn);
        m_tensors->addWidget(heading);
        m_tensors->addWidget(makeLabel(text, "muted"));
        m_tensors->addWidget(histogram);
    }
    m_tensors->addWidget(makeLabel(tr("of up to 64 samples, spread over the part"), "small"));
    m_tensors->addStretch();
}

void PreviewPanel::readFull(std::int64_t position)
{
    if (m_source.preview()) // not while it is opened anew
        m_source.readFull(view(), position);
}

void PreviewPanel::showFull(qint64, const FullSample& sample)
{
    if (m_samples->currentIndex() == 1 && m_tokens->isVisibleTo(this)) {
        m_tokens->setHtml(tokensHtml(m_theme, sample));
        return;
    }
    if (m_dialog)
        m_dialog->close();
    m_dialog = new SampleDialog(m_theme, sample, this);
    m_dialog->setAttribute(Qt::WA_DeleteOnClose);
    m_dialog->show();
}

void PreviewPanel::showSample(const NodeId& node, DataPart part, std::int64_t index)
{
    m_goal = {part, index};
    m_selection.select(GraphPart::Data, {node});
    if (isVisible() && m_view.node == node && m_source.preview() && !m_stale)
        showOpened();
}

} // namespace athanor
