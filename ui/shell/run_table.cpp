#include "ui/shell/run_table.h"

#include "ui/bridge/text_format.h"
#include "ui/compare/run_colors.h"
#include "ui/shell/column_chooser.h"
#include "ui/shell/run_filter_box.h"
#include "ui/shell/run_status_delegate.h"
#include "ui/shell/trash_dialog.h"
#include "ui/theme/theme.h"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace athanor {
namespace {

constexpr auto kWidthsKey = "runs/columnWidths";
constexpr auto kHiddenKey = "runs/hiddenColumns";
constexpr auto kExtraKey = "runs/extraColumns";
constexpr auto kArchivedKey = "runs/showArchived";
constexpr int kRowHeight = 28;
constexpr int kMetricWidth = 90; ///< at least; the title counts too
constexpr int kColors = 8;

/// The name with the run's colour and star.
class RunNameDelegate : public QStyledItemDelegate {
public:
    RunNameDelegate(const Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        const QString color = index.data(RunListModel::MarkColorRole).toString();
        const bool isStarred = index.data(RunListModel::StarredRole).toBool();
        if (isStarred)
            option->icon = m_theme.icon(QStringLiteral("star"), ColorRole::Warn);
        else if (!color.isEmpty())
            option->icon = colorIcon(QColor(color));
        if (isStarred || !color.isEmpty())
            option->features |= QStyleOptionViewItem::HasDecoration;
        if (!color.isEmpty())
            option->palette.setColor(QPalette::Text, QColor(color));
        if (index.data(RunListModel::ArchivedRole).toBool())
            option->font.setItalic(true);
    }

private:
    const Theme& m_theme;
};

} // namespace

RunTable::RunTable(Theme& theme, RunListModel& model, QSettings& settings, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_model(model), m_settings(settings)
{
    m_model.setExtraColumns(settings.value(kExtraKey).toStringList());
    m_filter.setSourceModel(&model);
    makeTable();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeHead());
    layout->addWidget(m_table, 1);
    makeActions();
    connect(&model, &QAbstractItemModel::columnsInserted, this,
            [this](const QModelIndex&, int first, int last) { placeNewColumns(first, last); });
    connect(&m_filter, &QAbstractItemModel::layoutChanged, this, &RunTable::updateCount);
    connect(&m_filter, &QAbstractItemModel::rowsInserted, this, &RunTable::updateCount);
    connect(&m_filter, &QAbstractItemModel::rowsRemoved, this, &RunTable::updateCount);
    connect(&m_filter, &QAbstractItemModel::modelReset, this, &RunTable::updateCount);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &RunTable::updateActions);
    updateCount();
}

RunTable::~RunTable()
{
    saveColumns();
}

QWidget* RunTable::makeHead()
{
    m_box = new RunFilterBox(m_theme);
    m_box->setNames([this] { return m_model.factNames(); });
    connect(m_box, &RunFilterBox::textChanged, this, &RunTable::applyFilter);
    m_count = new QLabel;
    m_count->setObjectName(QStringLiteral("runsCount"));
    m_count->setProperty("look", QStringLiteral("muted"));
    const auto makeButton = [this](const char* name, const QString& text, const QString& tip, auto clicked) {
        auto* button = new QPushButton(text);
        button->setObjectName(QLatin1String(name));
        button->setToolTip(tip);
        connect(button, &QPushButton::clicked, this, clicked);
        return button;
    };
    m_compare =
        makeButton("runsCompare", tr("Compare"), tr("The selected runs beside each other (Ctrl+Return)"),
                   [this] { Q_EMIT compareRequested(selectedRuns()); });
    m_delete =
        makeButton("runsDelete", tr("Delete"), tr("The selected runs into the trash (Delete); can be undone"),
                   [this] { deleteSelected(); });
    m_undo = makeButton("runsUndo", tr("Undo"), QString(), [this] { m_model.undoStack()->undo(); });
    m_undo->setIcon(m_theme.icon(QStringLiteral("undo")));
    m_undo->hide();
    connect(m_model.undoStack(), &QUndoStack::indexChanged, this, [this] {
        const QString text = m_model.undoStack()->undoText();
        m_undo->setVisible(!text.isEmpty());
        m_undo->setToolTip(tr("Take back: %1 (Ctrl+Z)").arg(text));
    });
    auto* columns = makeButton("runsColumns", tr("Columns…"), tr("Choose columns: any parameter, any metric"),
                               [this] { chooseColumns(); });
    m_views = new QToolButton;
    m_views->setObjectName(QStringLiteral("runsViews"));
    m_views->setText(tr("Views"));
    m_views->setProperty("look", QStringLiteral("field"));
    m_views->setToolTip(tr("Saved filters with their columns and order"));
    m_views->setPopupMode(QToolButton::InstantPopup);
    m_viewsMenu = new QMenu(m_views);
    m_views->setMenu(m_viewsMenu);
    connect(m_viewsMenu, &QMenu::aboutToShow, this, &RunTable::fillViewsMenu);
    auto* head = new QWidget;
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(spacing::kBetween, spacing::kBetween, spacing::kBetween, spacing::kBetween);
    row->setSpacing(spacing::kBetween);
    row->addWidget(m_box, 1, Qt::AlignTop);
    for (QWidget* widget :
         std::initializer_list<QWidget*>{m_count, m_undo, m_compare, m_delete, columns, m_views})
        row->addWidget(widget, 0, widget == m_count ? Qt::AlignVCenter : Qt::AlignTop);
    return head;
}

void RunTable::makeTable()
{
    m_table = new QTableView;
    m_table->setObjectName(QStringLiteral("runsTable"));
    m_table->setAccessibleName(tr("Runs"));
    m_table->setModel(&m_filter);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(RunListModel::Started, Qt::DescendingOrder);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setEditTriggers(QAbstractItemView::EditKeyPressed);
    m_table->setTabKeyNavigation(false);
    m_table->setWordWrap(false);
    m_table->setShowGrid(false);
    m_table->setAlternatingRowColors(true);
    m_table->setProperty("look", QStringLiteral("bare"));
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed); // ten thousand rows are not measured
    m_table->verticalHeader()->setDefaultSectionSize(kRowHeight);
    m_table->setItemDelegateForColumn(RunListModel::Status, new RunStatusDelegate(m_theme, m_table));
    m_table->setItemDelegateForColumn(RunListModel::Name, new RunNameDelegate(m_theme, m_table));
    QHeaderView* header = m_table->horizontalHeader();
    header->setSectionsMovable(true);
    header->setHighlightSections(false);
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    restoreColumns();
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex& index) {
        Q_EMIT openRequested(index.data(RunListModel::RunIdRole).toLongLong());
    });
}

void RunTable::makeActions()
{
    const auto add = [this](const char* name, const QString& text, const QKeySequence& key, auto triggered) {
        auto* action = new QAction(text, m_table);
        action->setObjectName(QLatin1String(name));
        action->setShortcut(key);
        action->setShortcutContext(Qt::WidgetShortcut);
        connect(action, &QAction::triggered, this, triggered);
        m_table->addAction(action);
        return action;
    };
    const auto separate = [this] {
        auto* line = new QAction(m_table);
        line->setSeparator(true);
        m_table->addAction(line);
    };
    const auto editColumn = [this](int column) {
        const QModelIndex current = m_table->currentIndex();
        if (current.isValid())
            m_table->edit(current.siblingAtColumn(column));
    };
    add("runOpen", tr("Open curves"), {}, [this] {
        const QModelIndex current = m_table->currentIndex();
        if (current.isValid())
            Q_EMIT openRequested(current.data(RunListModel::RunIdRole).toLongLong());
    });
    add("runCompare", tr("Compare"), QKeySequence(Qt::CTRL | Qt::Key_Return), [this] {
        if (const auto runs = selectedRuns(); !runs.empty())
            Q_EMIT compareRequested(runs);
    });
    separate();
    add("runRename", tr("Rename"), {}, [editColumn] { editColumn(RunListModel::Name); });
    add("runTags", tr("Edit tags"), {}, [editColumn] { editColumn(RunListModel::Tags); });
    add("runNote", tr("Edit note"), {}, [editColumn] { editColumn(RunListModel::Note); });
    separate();
    const auto toggle = [this](const QString& on, const QString& off, bool RunMark::*member) {
        const auto runs = selectedRuns();
        const bool areAll = std::all_of(runs.begin(), runs.end(),
                                        [&](RunId run) { return m_model.mark(m_model.rowOf(run)).*member; });
        m_model.setMarks(runs, areAll ? off : on,
                         [areAll, member](RunMark& mark) { mark.*member = !areAll; });
    };
    add("runStar", tr("Star"), QKeySequence(Qt::CTRL | Qt::Key_D),
        [this, toggle] { toggle(tr("Star"), tr("Take star away"), &RunMark::starred); });
    auto* color = new QAction(tr("Colour"), m_table);
    color->setMenu(makeColorMenu());
    m_table->addAction(color);
    add("runArchive", tr("Archive"), {},
        [this, toggle] { toggle(tr("Archive"), tr("Bring back from the archive"), &RunMark::archived); });
    auto* archived = add("runShowArchived", tr("Show archived runs"), {}, [] {});
    archived->setCheckable(true);
    archived->setChecked(m_settings.value(kArchivedKey).toBool());
    m_filter.setArchivedShown(archived->isChecked());
    connect(archived, &QAction::toggled, this, [this](bool isShown) {
        m_settings.setValue(kArchivedKey, isShown);
        m_filter.setArchivedShown(isShown);
        updateCount();
    });
    separate();
    auto* out = new QAction(tr("Export"), m_table);
    out->setMenu(makeExportMenu());
    m_table->addAction(out);
    add("runImport", tr("Import runs…"), {}, [this] { Q_EMIT importRequested(); });
    separate();
    add("runTrash", tr("Deleted runs…"), {}, [this] { TrashDialog(m_model, this).exec(); });
    add("runDelete", tr("Delete"), QKeySequence::Delete, [this] { deleteSelected(); });
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    m_table->installEventFilter(this);
    updateActions();
}

// The window has the same keys for the open project; with the table in focus they mean the runs.
bool RunTable::eventFilter(QObject* object, QEvent* event)
{
    if (object != m_table || (event->type() != QEvent::ShortcutOverride && event->type() != QEvent::KeyPress))
        return QWidget::eventFilter(object, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool isUndo = key->matches(QKeySequence::Undo);
    const bool isRedo = key->matches(QKeySequence::Redo);
    if (!isUndo && !isRedo && !key->matches(QKeySequence::Find))
        return QWidget::eventFilter(object, event);
    if (event->type() == QEvent::ShortcutOverride) {
        event->accept();
        return true;
    }
    if (isUndo)
        m_model.undoStack()->undo();
    else if (isRedo)
        m_model.undoStack()->redo();
    else
        m_box->line()->setFocus();
    return true;
}

QMenu* RunTable::makeColorMenu()
{
    auto* menu = new QMenu(m_table);
    const auto setColor = [this](const std::string& color) {
        m_model.setMarks(selectedRuns(), tr("Colour runs"), [color](RunMark& mark) { mark.color = color; });
    };
    for (std::size_t i = 0; i < kColors; ++i) {
        const QColor color = runColor(m_theme, i);
        connect(menu->addAction(colorIcon(color), tr("Colour %1").arg(i + 1)), &QAction::triggered, this,
                [setColor, name = color.name().toStdString()] { setColor(name); });
    }
    menu->addSeparator();
    connect(menu->addAction(tr("No colour")), &QAction::triggered, this, [setColor] { setColor({}); });
    return menu;
}

QMenu* RunTable::makeExportMenu()
{
    auto* menu = new QMenu(m_table);
    const auto add = [this, menu](const QString& text, RunFormat format) {
        connect(menu->addAction(text), &QAction::triggered, this,
                [this, format] { Q_EMIT exportRequested(selectedRuns(), format); });
    };
    add(tr("TensorBoard event files…"), RunFormat::TensorBoard);
    add(tr("CSV files…"), RunFormat::Csv);
    add(tr("JSON files…"), RunFormat::Json);
    add(tr("Capsule with checkpoints…"), RunFormat::Capsule);
    return menu;
}

std::vector<RunId> RunTable::selectedRuns() const
{
    std::vector<int> rows;
    for (const QModelIndex& index : m_table->selectionModel()->selectedRows())
        rows.push_back(index.row());
    std::sort(rows.begin(), rows.end());
    std::vector<RunId> runs;
    for (const int row : rows)
        runs.push_back(m_filter.index(row, 0).data(RunListModel::RunIdRole).toLongLong());
    return runs;
}

void RunTable::deleteSelected()
{
    m_model.deleteRuns(selectedRuns());
}

void RunTable::applyFilter(const QString& text)
{
    m_box->showResult(m_filter.setText(text));
    updateCount();
}

void RunTable::updateActions()
{
    const auto count = m_table->selectionModel()->selectedRows().size();
    m_compare->setEnabled(count >= 2);
    m_compare->setText(count >= 2 ? tr("Compare %1").arg(count) : tr("Compare"));
    m_delete->setEnabled(count >= 1);
}

void RunTable::updateCount()
{
    const int all = m_model.rowCount();
    const int shown = m_filter.rowCount();
    if (!m_loaded)
        m_count->setText(tr("Reading the runs…"));
    else if (shown == all)
        m_count->setText(all == 1 ? tr("1 run") : tr("%1 runs").arg(countText(all)));
    else
        m_count->setText(tr("%1 of %2 runs").arg(countText(shown), countText(all)));
}

QStringList RunTable::shownColumns() const
{
    QStringList titles;
    const int own = m_model.columnCount() - static_cast<int>(m_model.extraColumns().size());
    for (int column = 0; column < own; ++column)
        if (!m_table->isColumnHidden(column))
            titles << m_model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    return titles;
}

void RunTable::chooseColumns()
{
    QStringList own;
    for (int column = 0; column < m_model.columnCount() - static_cast<int>(m_model.extraColumns().size());
         ++column)
        own << m_model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    ColumnChooser chooser(own, shownColumns(), m_model.factNames(), m_model.extraColumns(), this);
    if (chooser.exec() == QDialog::Accepted)
        showColumns(chooser.shownColumns(), chooser.extraColumns());
}

void RunTable::showColumns(const QStringList& shown, const QStringList& extra)
{
    if (extra != m_model.extraColumns())
        m_model.setExtraColumns(extra);
    m_settings.setValue(kExtraKey, extra);
    QStringList hidden;
    for (int column = 0; column < m_model.columnCount() - static_cast<int>(extra.size()); ++column) {
        const QString title = m_model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        const bool isHidden = column != RunListModel::Name && !shown.contains(title);
        m_table->setColumnHidden(column, isHidden);
        if (isHidden)
            hidden << title;
    }
    m_settings.setValue(kHiddenKey, hidden);
}

// Metrics are what one looks for, so they go right after the steps, before tags and note.
void RunTable::placeNewColumns(int first, int last)
{
    QHeaderView* header = m_table->horizontalHeader();
    const QVariantMap widths = m_settings.value(kWidthsKey).toMap();
    const QStringList hidden = m_settings.value(kHiddenKey).toStringList();
    const int own = m_model.columnCount() - static_cast<int>(m_model.extraColumns().size());
    for (int column = first; column <= last; ++column) {
        header->moveSection(header->visualIndex(column), header->visualIndex(RunListModel::Tags));
        const QString name = m_model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        const int wanted = std::max(kMetricWidth, header->sectionSizeHint(column) + spacing::kBetween);
        m_table->setColumnWidth(column, widths.value(name, wanted).toInt());
        m_table->setColumnHidden(column, column < own && hidden.contains(name));
    }
}

void RunTable::restoreColumns()
{
    static constexpr int kWidths[] = {170, 110, 130, 160, 90, 80, 120, 220};
    const QVariantMap widths = m_settings.value(kWidthsKey).toMap();
    const QStringList hidden = m_settings.value(kHiddenKey).toStringList();
    for (int column = 0; column < m_model.columnCount(); ++column) {
        const QString name = m_model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        const int standard = column < RunListModel::FixedColumns ? kWidths[column] : kMetricWidth;
        m_table->setColumnWidth(column, widths.value(name, standard).toInt());
        m_table->setColumnHidden(column, column < RunListModel::FixedColumns && hidden.contains(name));
    }
}

void RunTable::saveColumns() const
{
    QVariantMap widths = m_settings.value(kWidthsKey).toMap();
    for (int column = 0; column < m_model.columnCount(); ++column)
        if (!m_table->isColumnHidden(column))
            widths[m_model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString()] =
                m_table->columnWidth(column);
    m_settings.setValue(kWidthsKey, widths);
}

} // namespace athanor
