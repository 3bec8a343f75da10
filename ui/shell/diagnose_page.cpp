#include "ui/shell/diagnose_page.h"

#include "ui/bridge/findings_model.h"
#include "ui/bridge/text_format.h"
#include "ui/shell/severity_delegate.h"
#include "ui/theme/theme.h"

#include <QGridLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace athanor {
namespace {

constexpr int kListShare = 200; ///< list to details as two to three

QLabel* makeLabel(const QString& text, const char* look)
{
    auto* label = new QLabel(text);
    label->setProperty("look", QString::fromLatin1(look));
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

void clearLayout(QLayout* layout)
{
    while (QLayoutItem* item = layout->takeAt(0)) {
        if (item->widget() != nullptr) {
            item->widget()->hide();
            item->widget()->deleteLater(); // may be the button that was just clicked
        }
        if (item->layout() != nullptr)
            clearLayout(item->layout());
        delete item;
    }
}

} // namespace

DiagnosePage::DiagnosePage(Theme& theme, FindingsModel& model, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_model(model)
{
    m_stack = new QStackedWidget;
    m_stack->addWidget(makeEmptyPage());
    m_stack->addWidget(makeFindingsPage(theme));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_stack);
    connect(&model, &QAbstractItemModel::modelReset, this, &DiagnosePage::restoreChoice);
    connect(&model, &QAbstractItemModel::dataChanged, this, &DiagnosePage::showDetails);
    restoreChoice();
}

QWidget* DiagnosePage::makeEmptyPage()
{
    auto* page = new QWidget;
    auto* title = makeLabel(tr("Nothing to diagnose"), "title");
    title->setAlignment(Qt::AlignCenter);
    m_emptyText = makeLabel({}, "muted");
    m_emptyText->setAlignment(Qt::AlignCenter);
    m_emptyButton = new QPushButton;
    m_emptyButton->setObjectName(QStringLiteral("diagnoseEmptyButton"));
    m_emptyButton->setProperty("look", QStringLiteral("primary"));
    connect(m_emptyButton, &QPushButton::clicked, this, [this] {
        if (m_projectOpen)
            Q_EMIT startRequested();
        else
            Q_EMIT openRequested();
    });
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(2 * spacing::kAround, spacing::kAround, 2 * spacing::kAround,
                               spacing::kAround);
    layout->setSpacing(spacing::kBetween);
    layout->addStretch();
    layout->addWidget(title);
    layout->addWidget(m_emptyText);
    layout->addSpacing(spacing::kBetween);
    layout->addWidget(m_emptyButton, 0, Qt::AlignCenter);
    layout->addStretch();
    updateEmptyPage();
    return page;
}

QWidget* DiagnosePage::makeFindingsPage(Theme& theme)
{
    m_list = new QTreeView;
    m_list->setObjectName(QStringLiteral("diagnoseList"));
    m_list->setAccessibleName(tr("Findings"));
    m_list->setModel(&m_model);
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setHeaderHidden(true);
    m_list->setProperty("look", QStringLiteral("bare"));
    m_list->setColumnHidden(FindingsModel::Steps, true);
    m_list->setItemDelegateForColumn(
        FindingsModel::Message, new SeverityDelegate(
                                    [&theme](const QModelIndex& index) {
                                        const int severity = index.data(FindingsModel::SeverityRole).toInt();
                                        return severityIcon(theme, static_cast<Severity>(severity));
                                    },
                                    m_list));
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setSectionResizeMode(FindingsModel::Message, QHeaderView::Stretch);
    m_list->header()->setSectionResizeMode(FindingsModel::Where, QHeaderView::ResizeToContents);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex& index) {
                if (index.isValid())
                    m_chosenKey = index.data(FindingsModel::KeyRole).toString();
                showDetails();
            });

    m_details = new QWidget;
    m_detailsLayout = new QVBoxLayout(m_details);
    m_detailsLayout->setContentsMargins(spacing::kAround, spacing::kAround, spacing::kAround,
                                        spacing::kAround);
    m_detailsLayout->setSpacing(spacing::kBetween);
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidget(m_details);

    auto* splitter = new QSplitter(Qt::Horizontal);
    splitter->addWidget(m_list);
    splitter->addWidget(scroll);
    splitter->setStretchFactor(0, 2);
    splitter->setStretchFactor(1, 3);
    splitter->setSizes({2 * kListShare, 3 * kListShare});
    splitter->setChildrenCollapsible(false);
    return splitter;
}

void DiagnosePage::showFinding(int row)
{
    m_list->setCurrentIndex(m_model.index(row, 0));
}

void DiagnosePage::setProjectOpen(bool open)
{
    m_projectOpen = open;
    updateEmptyPage();
}

void DiagnosePage::setRunActive(bool active)
{
    m_runActive = active;
    updateEmptyPage();
}

void DiagnosePage::updateEmptyPage()
{
    m_emptyButton->setVisible(!m_runActive);
    if (m_runActive) {
        m_emptyText->setText(
            tr("The run looks healthy so far. Findings show up here as soon as there is one."));
    } else if (m_projectOpen) {
        m_emptyText->setText(
            tr("The project has no problems. While a run goes on its numbers are watched: "
               "vanishing gradients, losses that are not finite and the like show up here."));
        m_emptyButton->setText(tr("Start training"));
    } else {
        m_emptyText->setText(tr("Open a project: what is wrong with it, and with its runs, shows up here."));
        m_emptyButton->setText(tr("Open project…"));
    }
}

void DiagnosePage::restoreChoice()
{
    m_stack->setCurrentIndex(m_model.rowCount() > 0 ? 1 : 0);
    if (m_model.rowCount() == 0)
        return;
    m_list->setCurrentIndex(m_model.index(std::max(0, m_model.rowOf(m_chosenKey)), 0));
    showDetails();
}

void DiagnosePage::showDetails()
{
    clearLayout(m_detailsLayout);
    const QModelIndex current = m_list->currentIndex();
    if (!current.isValid())
        return;
    const Finding finding = m_model.finding(current.row());
    addHeading(finding, current.data(FindingsModel::PlaceRole).toString());
    if (!finding.why.empty()) {
        m_detailsLayout->addWidget(makeLabel(tr("Why"), "heading"));
        m_detailsLayout->addWidget(makeLabel(QString::fromStdString(finding.why), "plain"));
    }
    addEvidence(finding);
    addFixes(finding);
    m_detailsLayout->addStretch();
}

void DiagnosePage::addHeading(const Finding& finding, const QString& place)
{
    auto* message = makeLabel(QString::fromStdString(finding.message), "title");
    message->setObjectName(QStringLiteral("findingMessage"));
    m_detailsLayout->addWidget(message);
    if (!finding.rule.empty()) {
        const QString steps =
            finding.firstStep == finding.lastStep
                ? tr("step %1").arg(countText(finding.firstStep))
                : tr("steps %1 to %2").arg(countText(finding.firstStep), countText(finding.lastStep));
        m_detailsLayout->addWidget(
            makeLabel(tr("%1, %2, confidence %3")
                          .arg(QString::fromStdString(finding.rule), steps, percentText(finding.confidence)),
                      "muted"));
    }
    if (!place.isEmpty()) {
        auto* link = new QPushButton(place);
        link->setObjectName(QStringLiteral("findingPlace"));
        link->setProperty("look", QStringLiteral("link"));
        link->setToolTip(tr("Go there"));
        link->setCursor(Qt::PointingHandCursor);
        connect(link, &QPushButton::clicked, this, [this, place] { Q_EMIT placeActivated(place); });
        m_detailsLayout->addWidget(link, 0, Qt::AlignLeft);
    }
}

void DiagnosePage::addEvidence(const Finding& finding)
{
    if (finding.evidence.empty())
        return;
    m_detailsLayout->addWidget(makeLabel(tr("Evidence"), "heading"));
    auto* table = new QWidget;
    table->setObjectName(QStringLiteral("findingEvidence"));
    auto* grid = new QGridLayout(table);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(spacing::kAround);
    grid->setVerticalSpacing(spacing::kInside);
    int row = 0;
    for (const auto& [name, value] : finding.evidence) {
        grid->addWidget(makeLabel(QString::fromStdString(name), "muted"), row, 0);
        QLabel* number = makeLabel(numberText(value), "plain");
        number->setFont(m_theme.font(FontRole::Mono));
        number->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        grid->addWidget(number, row++, 1);
    }
    grid->setColumnStretch(2, 1);
    m_detailsLayout->addWidget(table);
}

void DiagnosePage::addFixes(const Finding& finding)
{
    if (finding.fixes.empty())
        return;
    m_detailsLayout->addWidget(makeLabel(tr("What to try"), "heading"));
    for (const SuggestedFix& fix : finding.fixes) {
        auto* card = new QFrame;
        card->setProperty("look", QStringLiteral("card"));
        auto* layout = new QGridLayout(card);
        layout->setContentsMargins(spacing::kBetween, spacing::kBetween, spacing::kBetween,
                                   spacing::kBetween);
        layout->addWidget(makeLabel(QString::fromStdString(fix.text), "plain"), 0, 0);
        if (fix.canBeApplied()) {
            QStringList edits;
            for (const std::string& edit : fix.edit)
                edits << QString::fromStdString(edit);
            QLabel* changes = makeLabel(edits.join(u'\n'), "muted");
            changes->setFont(m_theme.font(FontRole::Mono));
            changes->setVisible(!edits.isEmpty());
            layout->addWidget(changes, 1, 0);
            auto* apply = new QPushButton(tr("Apply"));
            apply->setObjectName(QStringLiteral("applyFix"));
            apply->setToolTip(tr("Changes the project; Edit → Undo takes it back"));
            connect(apply, &QPushButton::clicked, this, [this, fix] { Q_EMIT fixRequested(fix); });
            layout->addWidget(apply, 0, 1, 2, 1, Qt::AlignVCenter);
        }
        layout->setColumnStretch(0, 1);
        m_detailsLayout->addWidget(card);
    }
}

} // namespace athanor
