#include "ui/plot/series_tree.h"

#include "ui/bridge/text_format.h"
#include "ui/theme/theme.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QTreeView>
#include <QVBoxLayout>

namespace athanor {
namespace {

constexpr std::chrono::milliseconds kRefreshEvery{500};
constexpr int kExpandAllUpTo = 300; // rows; larger trees open their first level only
constexpr int kValueWidth = 96;
constexpr int kTogetherAtMost = 64; // curves in one plot

} // namespace

SeriesTree::SeriesTree(Theme& theme, QWidget* parent)
    : QWidget(parent), m_model(new SeriesTreeModel(theme, this)), m_filter(new SeriesTreeFilter(this)),
      m_search(new QLineEdit), m_view(new QTreeView), m_count(new QLabel)
{
    m_filter->setSourceModel(m_model);
    m_search->setObjectName(QStringLiteral("seriesSearch"));
    m_search->setPlaceholderText(tr("Search series"));
    m_search->setAccessibleName(tr("Search series"));
    m_search->setClearButtonEnabled(true);
    m_search->addAction(theme.icon(QStringLiteral("search"), ColorRole::Muted), QLineEdit::LeadingPosition);
    m_view->setObjectName(QStringLiteral("seriesView"));
    m_view->setAccessibleName(tr("Series of the run"));
    m_view->setModel(m_filter);
    m_view->setUniformRowHeights(true);
    m_view->setExpandsOnDoubleClick(false);
    m_view->setContextMenuPolicy(Qt::CustomContextMenu);
    m_view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->header()->setStretchLastSection(false);
    m_view->header()->setSectionResizeMode(SeriesTreeModel::NameColumn, QHeaderView::Stretch);
    m_view->header()->setSectionResizeMode(SeriesTreeModel::ValueColumn, QHeaderView::Interactive);
    m_view->header()->resizeSection(SeriesTreeModel::ValueColumn, kValueWidth);
    m_view->installEventFilter(this);
    m_search->installEventFilter(this);
    m_count->setObjectName(QStringLiteral("seriesCount"));
    m_count->setProperty("look", "small");

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(spacing::kBetween, spacing::kBetween, spacing::kBetween, spacing::kInside);
    layout->setSpacing(spacing::kInside);
    layout->addWidget(m_search);
    layout->addWidget(m_view, 1);
    layout->addWidget(m_count);

    connect(m_search, &QLineEdit::textChanged, this, &SeriesTree::filter);
    connect(m_view, &QTreeView::doubleClicked, this, &SeriesTree::toggle);
    connect(m_view, &QTreeView::customContextMenuRequested, this, &SeriesTree::openMenu);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
        const QString series = now.data(SeriesTreeModel::PathRole).toString();
        if (!m_isRevealing && m_view->hasFocus() && !series.isEmpty())
            Q_EMIT seriesSelected(series);
    });
    connect(m_model, &SeriesTreeModel::plotToggled, this, [this](const QString& series, bool isPlotted) {
        if (isPlotted)
            Q_EMIT additionRequested(series);
        else
            Q_EMIT removalRequested(series);
    });
    connect(&m_timer, &QTimer::timeout, this, &SeriesTree::refreshValues);
    m_timer.start(kRefreshEvery);
    updateCount();
}

void SeriesTree::setSource(std::shared_ptr<SeriesSource> source)
{
    m_model->setSource(std::move(source));
    pollStructure();
    updateCount();
}

void SeriesTree::pollStructure()
{
    const int before = m_model->seriesCount();
    m_model->addNewSeries();
    if (m_model->seriesCount() == before && m_view->model()->rowCount() == 0)
        return;
    if (m_model->seriesCount() != before || before == 0) {
        if (m_model->seriesCount() <= kExpandAllUpTo)
            m_view->expandToDepth(0);
        updateCount();
    }
}

void SeriesTree::setHighlighted(const std::set<QString>& series, bool reveal)
{
    m_model->setHighlighted(series);
    if (!reveal || series.empty())
        return;
    // The first one in the order of the tree, not of the alphabet.
    for (int i = 0; i < m_model->seriesCount(); ++i) {
        const QString name = m_model->seriesAt(i);
        if (!series.contains(name))
            continue;
        const QModelIndex index = m_filter->mapFromSource(m_model->indexOf(name));
        if (!index.isValid())
            continue;
        m_isRevealing = true;
        m_view->scrollTo(index, QAbstractItemView::PositionAtCenter);
        m_view->setCurrentIndex(index);
        m_isRevealing = false;
        return;
    }
}

void SeriesTree::refreshValues()
{
    m_refreshedRows = 0;
    if (!isVisible() || m_view->viewport()->visibleRegion().isEmpty())
        return;
    const int bottom = m_view->viewport()->height();
    for (QModelIndex index = m_view->indexAt(QPoint(1, 1)); index.isValid(); index = m_view->indexBelow(index)) {
        if (m_view->visualRect(index).top() > bottom)
            break;
        m_model->valuesChanged(m_filter->mapToSource(index));
        ++m_refreshedRows;
    }
}

void SeriesTree::toggle(const QModelIndex& proxyIndex)
{
    const QModelIndex index = m_filter->mapToSource(proxyIndex.siblingAtColumn(SeriesTreeModel::NameColumn));
    const QString series = m_model->path(index);
    if (series.isEmpty()) {
        m_view->setExpanded(proxyIndex, !m_view->isExpanded(proxyIndex));
        return;
    }
    const bool isPlotted = m_model->data(index, Qt::CheckStateRole).toInt() == Qt::Checked;
    m_model->setData(index, isPlotted ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
}

void SeriesTree::openMenu(const QPoint& position)
{
    const QModelIndex proxyIndex = m_view->indexAt(position);
    if (!proxyIndex.isValid())
        return;
    const QModelIndex index = m_filter->mapToSource(proxyIndex.siblingAtColumn(SeriesTreeModel::NameColumn));
    const QString series = m_model->path(index);
    const QStringList below = m_model->seriesBelow(index);
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    if (!series.isEmpty())
        menu->addAction(tr("&Plot %1").arg(series), this, [this, series] { Q_EMIT plotRequested({series}); });
    if (below.size() > 1) {
        QAction* together = menu->addAction(tr("Plot all %n series here &together", nullptr, static_cast<int>(below.size())),
                                            this, [this, below] { Q_EMIT plotRequested(below); });
        together->setEnabled(below.size() <= kTogetherAtMost);
        if (!together->isEnabled())
            together->setText(tr("Plot together: %1 are too many for one plot (at most %2)")
                                  .arg(countText(below.size()))
                                  .arg(kTogetherAtMost));
    }
    menu->popup(m_view->viewport()->mapToGlobal(position));
}

void SeriesTree::filter(const QString& text)
{
    m_filter->setWords(text);
    if (!text.trimmed().isEmpty() && m_filter->rowCount() > 0)
        m_view->expandAll();
    else
        m_view->collapseAll();
    if (text.trimmed().isEmpty())
        m_view->expandToDepth(0);
    updateCount();
}

void SeriesTree::updateCount()
{
    const int count = m_model->seriesCount();
    if (count > 0 && m_filter->rowCount() == 0)
        m_count->setText(tr("No series matches. Clear the search to see all %1.").arg(countText(count)));
    else
        m_count->setText(count == 0 ? tr("No series yet") : tr("%n series", nullptr, count));
}

bool SeriesTree::eventFilter(QObject* object, QEvent* event)
{
    if (event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(object, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (object == m_view && (key == Qt::Key_Return || key == Qt::Key_Enter) && m_view->currentIndex().isValid()) {
        toggle(m_view->currentIndex());
        return true;
    }
    if (object == m_search && key == Qt::Key_Down) {
        m_view->setFocus();
        if (!m_view->currentIndex().isValid())
            m_view->setCurrentIndex(m_filter->index(0, 0));
        return true;
    }
    return QWidget::eventFilter(object, event);
}

} // namespace athanor
