#include "ui/shell/findings_panel.h"

#include "ui/bridge/findings_model.h"
#include "ui/shell/severity_delegate.h"
#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QSortFilterProxyModel>
#include <QStackedLayout>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <vector>

namespace athanor {
namespace {

constexpr std::array kSeverities{Severity::Info, Severity::Warning, Severity::Error};

/// Hides rows of some severities.
class SeverityFilter : public QSortFilterProxyModel {
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    void show(std::array<bool, kSeverities.size()> shown)
    {
        m_isShown = shown;
        invalidateFilter();
    }

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override
    {
        const int severity = sourceModel()->index(row, 0, parent).data(FindingsModel::SeverityRole).toInt();
        return m_isShown.at(static_cast<std::size_t>(severity));
    }

private:
    std::array<bool, kSeverities.size()> m_isShown{true, true, true};
};

QString filterText(Severity severity, int count)
{
    switch (severity) {
    case Severity::Error:
        return count == 1 ? FindingsPanel::tr("1 error") : FindingsPanel::tr("%1 errors").arg(count);
    case Severity::Warning:
        return count == 1 ? FindingsPanel::tr("1 warning") : FindingsPanel::tr("%1 warnings").arg(count);
    case Severity::Info:
        return count == 1 ? FindingsPanel::tr("1 note") : FindingsPanel::tr("%1 notes").arg(count);
    }
    return {};
}

std::vector<SuggestedFix> applicable(const Finding& finding)
{
    std::vector<SuggestedFix> fixes;
    for (const SuggestedFix& fix : finding.fixes)
        if (fix.canBeApplied())
            fixes.push_back(fix);
    return fixes;
}

} // namespace

FindingsPanel::FindingsPanel(Theme& theme, FindingsModel& model, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_model(model), m_shown(new SeverityFilter(this))
{
    m_shown->setSourceModel(&model);
    makeView();
    auto* list = new QWidget;
    auto* column = new QVBoxLayout(list);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(spacing::kBetween, spacing::kInside, spacing::kBetween, spacing::kInside);
    row->setSpacing(spacing::kInside);
    makeFilters(row);
    column->addLayout(row);
    column->addWidget(m_view, 1);

    auto* empty =
        new QLabel(tr("Nothing is wrong. Problems of the project and findings of a run show up here."));
    empty->setProperty("look", QStringLiteral("muted"));
    empty->setAlignment(Qt::AlignCenter);
    empty->setWordWrap(true);
    m_stack = new QStackedLayout(this);
    m_stack->addWidget(empty);
    m_stack->addWidget(list);

    connect(&model, &QAbstractItemModel::modelReset, this, &FindingsPanel::updateCounts);
    connect(&model, &QAbstractItemModel::dataChanged, this, &FindingsPanel::updateCounts);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &FindingsPanel::updateFixes);
    updateCounts();
}

void FindingsPanel::makeFilters(QHBoxLayout* row)
{
    for (auto it = kSeverities.rbegin(); it != kSeverities.rend(); ++it) {
        auto* button = new QToolButton;
        button->setObjectName(QStringLiteral("filter_%1").arg(QString::fromUtf8(severityName(*it).data())));
        button->setIcon(severityIcon(m_theme, *it));
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setToolTip(tr("Show or hide these"));
        button->setCheckable(true);
        button->setChecked(true);
        button->setFocusPolicy(Qt::TabFocus);
        connect(button, &QToolButton::toggled, this, &FindingsPanel::updateFilter);
        m_filters[static_cast<std::size_t>(*it)] = button;
        row->addWidget(button);
    }
    row->addStretch(1);
    m_fix = new QToolButton;
    m_fix->setObjectName(QStringLiteral("findingFix"));
    m_fix->setIcon(m_theme.icon(QStringLiteral("fix"), ColorRole::Accent));
    m_fix->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_fix->setFocusPolicy(Qt::TabFocus);
    m_moreFixes = new QToolButton;
    m_moreFixes->setObjectName(QStringLiteral("moreFixes"));
    m_moreFixes->setText(tr("Others…"));
    m_moreFixes->setToolTip(tr("Other fixes of the selected finding"));
    m_moreFixes->setPopupMode(QToolButton::InstantPopup);
    m_moreFixes->setFocusPolicy(Qt::TabFocus);
    m_moreFixes->setMenu(new QMenu(m_moreFixes));
    row->addWidget(m_fix);
    row->addWidget(m_moreFixes);
    connect(m_fix, &QToolButton::clicked, this, [this] {
        if (const auto fixes = currentRow() < 0 ? std::vector<SuggestedFix>() : applicable(m_model.finding(currentRow()));
            !fixes.empty())
            Q_EMIT fixRequested(fixes.front());
    });
}

void FindingsPanel::makeView()
{
    m_view = new QTreeView;
    m_view->setObjectName(QStringLiteral("findingsView"));
    m_view->setAccessibleName(tr("Findings"));
    m_view->setModel(m_shown);
    m_view->setRootIsDecorated(false);
    m_view->setUniformRowHeights(true);
    m_view->setProperty("look", QStringLiteral("bare"));
    m_view->setItemDelegateForColumn(
        FindingsModel::Message, new SeverityDelegate(
                                    [this](const QModelIndex& index) {
                                        const int severity = index.data(FindingsModel::SeverityRole).toInt();
                                        return severityIcon(m_theme, static_cast<Severity>(severity));
                                    },
                                    m_view));
    m_view->header()->setStretchLastSection(false);
    m_view->header()->setSectionResizeMode(FindingsModel::Message, QHeaderView::Stretch);
    m_view->header()->setSectionResizeMode(FindingsModel::Where, QHeaderView::ResizeToContents);
    m_view->header()->setSectionResizeMode(FindingsModel::Steps, QHeaderView::ResizeToContents);
    m_view->installEventFilter(this);
    connect(m_view, &QTreeView::activated, this, &FindingsPanel::activate);
}

int FindingsPanel::currentRow() const
{
    return m_shown->mapToSource(m_view->currentIndex()).row();
}

void FindingsPanel::activate(const QModelIndex& shown)
{
    if (shown.isValid())
        Q_EMIT findingActivated(m_shown->mapToSource(shown).row());
}

void FindingsPanel::goToNext(int step)
{
    const int count = m_shown->rowCount();
    if (count == 0)
        return;
    const int now = m_view->currentIndex().row(); // −1 for none
    const int next = now < 0 ? (step > 0 ? 0 : count - 1) : (now + step + count) % count;
    m_view->setCurrentIndex(m_shown->index(next, 0));
    activate(m_view->currentIndex());
}

bool FindingsPanel::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_view && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool isEnter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
        if (isEnter && key->modifiers().testFlag(Qt::ControlModifier)) {
            m_fix->click();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void FindingsPanel::updateFilter()
{
    std::array<bool, kSeverities.size()> shown{};
    for (std::size_t i = 0; i < shown.size(); ++i)
        shown[i] = m_filters[i]->isChecked();
    static_cast<SeverityFilter*>(m_shown)->show(shown);
    updateFixes();
}

void FindingsPanel::updateFixes()
{
    const auto fixes =
        currentRow() < 0 ? std::vector<SuggestedFix>() : applicable(m_model.finding(currentRow()));
    m_fix->setEnabled(!fixes.empty());
    m_fix->setText(fixes.empty() ? tr("Fix") : QString::fromStdString(fixes.front().text));
    m_fix->setToolTip(fixes.empty() ? tr("The selected finding has no fix that is certain.")
                                    : tr("%1 (Ctrl+Enter)").arg(m_fix->text()));
    m_fix->setAccessibleName(m_fix->text());
    m_moreFixes->setVisible(fixes.size() > 1);
    m_moreFixes->menu()->clear();
    for (std::size_t i = 1; i < fixes.size(); ++i)
        connect(m_moreFixes->menu()->addAction(QString::fromStdString(fixes[i].text)), &QAction::triggered, this,
                [this, fix = fixes[i]] { Q_EMIT fixRequested(fix); });
}

void FindingsPanel::updateCounts()
{
    for (std::size_t i = 0; i < kSeverities.size(); ++i)
        m_filters[i]->setText(filterText(kSeverities[i], m_model.count(kSeverities[i])));
    m_stack->setCurrentIndex(m_model.rowCount() > 0 ? 1 : 0);
    updateFixes();
}

} // namespace athanor
