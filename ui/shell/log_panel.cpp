#include "ui/shell/log_panel.h"

#include "ui/shell/severity_delegate.h"
#include "ui/theme/theme.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QScrollBar>
#include <QToolButton>
#include <QTreeView>

#include <algorithm>

namespace athanor {
namespace {

QIcon levelIcon(const Theme& theme, const QModelIndex& index)
{
    switch (static_cast<LogLevel>(index.data(LogModel::LevelRole).toInt())) {
    case LogLevel::Error:
        return severityIcon(theme, Severity::Error);
    case LogLevel::Warning:
        return severityIcon(theme, Severity::Warning);
    default:
        return {};
    }
}

} // namespace

LogPanel::LogPanel(Theme& theme, LogModel& model, QWidget* parent) : QWidget(parent)
{
    m_filter.setSourceModel(&model);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    makeToolRow(theme);
    makeView(theme);

    // The lines follow the newest one unless the reader has scrolled up.
    connect(&m_filter, &QAbstractItemModel::rowsAboutToBeInserted, this, [this] { m_wasAtEnd = isAtEnd(); });
    connect(&m_filter, &QAbstractItemModel::rowsInserted, this, [this] {
        if (m_wasAtEnd)
            m_view->scrollToBottom();
    });
    connect(m_view->verticalScrollBar(), &QScrollBar::valueChanged, this,
            [this] { m_follow->setChecked(isAtEnd()); });
}

void LogPanel::makeToolRow(Theme& theme)
{
    const auto makeButton = [](const char* name, const QString& text, const QString& toolTip) {
        auto* button = new QToolButton;
        button->setObjectName(QString::fromLatin1(name));
        button->setText(text);
        button->setToolTip(toolTip);
        button->setAccessibleName(text);
        return button;
    };
    m_detail = makeButton("logDetail", tr("Detail"), tr("Show every line, not the key events alone"));
    m_detail->setCheckable(true);
    connect(m_detail, &QToolButton::toggled, this, [this](bool detail) {
        m_filter.setShowsDetail(detail);
        m_view->scrollToBottom();
    });
    m_search = new QLineEdit;
    m_search->setObjectName(QStringLiteral("logSearch"));
    m_search->setPlaceholderText(tr("Filter the log"));
    m_search->setAccessibleName(tr("Filter the log"));
    m_search->setClearButtonEnabled(true);
    connect(m_search, &QLineEdit::textChanged, &m_filter, &LogFilter::setText);
    m_follow = makeButton("logFollow", tr("Follow"), tr("Go to the newest line and follow it"));
    m_follow->setIcon(theme.icon(QStringLiteral("follow")));
    m_follow->setCheckable(true);
    m_follow->setChecked(true);
    connect(m_follow, &QToolButton::clicked, this, [this] { m_view->scrollToBottom(); });
    m_copy = makeButton("logCopy", tr("Copy"), tr("Copy the selected lines, or all that are shown"));
    m_copy->setIcon(theme.icon(QStringLiteral("copy")));
    connect(m_copy, &QToolButton::clicked, this, &LogPanel::copySelected);

    auto* row = new QHBoxLayout;
    row->setContentsMargins(spacing::kInside, spacing::kInside, spacing::kInside, spacing::kInside);
    row->setSpacing(spacing::kInside);
    row->addWidget(m_detail);
    row->addWidget(m_search, 1);
    row->addWidget(m_follow);
    row->addWidget(m_copy);
    static_cast<QVBoxLayout*>(layout())->addLayout(row);
}

void LogPanel::makeView(Theme& theme)
{
    m_view = new QTreeView;
    m_view->setObjectName(QStringLiteral("logView"));
    m_view->setAccessibleName(tr("Log"));
    m_view->setModel(&m_filter);
    m_view->setRootIsDecorated(false);
    m_view->setUniformRowHeights(true); // a hundred thousand rows are not measured one by one
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_view->setFont(theme.font(FontRole::Mono));
    m_view->setHeaderHidden(true);
    m_view->setProperty("look", QStringLiteral("bare"));
    m_view->header()->setStretchLastSection(true);
    m_view->header()->resizeSection(LogModel::Time,
                                    m_view->fontMetrics().horizontalAdvance("00:00:00.000") + 24);
    m_view->setItemDelegateForColumn(
        LogModel::Text,
        new SeverityDelegate([&theme](const QModelIndex& index) { return levelIcon(theme, index); }, m_view));
    connect(m_view, &QTreeView::activated, this, [this](const QModelIndex& index) {
        const QString where = index.data(LogModel::WhereRole).toString();
        if (!where.isEmpty())
            Q_EMIT placeActivated(where);
    });
    auto* copy = new QAction(tr("Copy"), m_view);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    connect(copy, &QAction::triggered, this, &LogPanel::copySelected);
    m_view->addAction(copy);
    m_view->setContextMenuPolicy(Qt::ActionsContextMenu);
    layout()->addWidget(m_view);
}

bool LogPanel::isAtEnd() const
{
    const QScrollBar* bar = m_view->verticalScrollBar();
    return bar->value() >= bar->maximum();
}

QString LogPanel::selectedText() const
{
    QModelIndexList rows = m_view->selectionModel()->selectedRows(LogModel::Text);
    if (rows.isEmpty()) {
        for (int row = 0; row < m_filter.rowCount(); ++row)
            rows << m_filter.index(row, LogModel::Text);
    }
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.row() < b.row(); });
    QStringList lines;
    for (const QModelIndex& index : rows) {
        lines << index.siblingAtColumn(LogModel::Time).data().toString() + u'\t' +
                     index.data(Qt::ToolTipRole).toString();
    }
    return lines.join(u'\n');
}

void LogPanel::copySelected() const
{
    QGuiApplication::clipboard()->setText(selectedText());
}

} // namespace athanor
