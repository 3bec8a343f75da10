#include "ui/compare/findings_table.h"

#include "ui/compare/table_look.h"
#include "ui/bridge/text_format.h"
#include "ui/compare/run_colors.h"
#include "ui/theme/theme.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace athanor {
namespace {

constexpr int kMessageWidth = 380;
constexpr int kRunWidth = 140;

} // namespace

FindingsTable::FindingsTable(Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_onlyDifferent(new QCheckBox(tr("Only what differs"))),
      m_count(new QLabel), m_table(new QTableWidget)
{
    m_onlyDifferent->setObjectName(QStringLiteral("onlyDifferentFindings"));
    connect(m_onlyDifferent, &QCheckBox::toggled, this, &FindingsTable::fill);
    m_count->setProperty("look", QStringLiteral("muted"));
    m_table->setObjectName(QStringLiteral("findingsCompared"));
    m_table->setAccessibleName(tr("Findings of the runs"));
    useComparisonLook(*m_table);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(spacing::kBetween, spacing::kBetween, spacing::kBetween, spacing::kBetween);
    row->setSpacing(spacing::kBetween);
    row->addWidget(m_onlyDifferent);
    row->addStretch(1);
    row->addWidget(m_count);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(row);
    layout->addWidget(m_table, 1);
}

void FindingsTable::show(const Comparison& comparison)
{
    m_findings.clear();
    m_state = State::Unread;
    m_names.clear();
    m_colors.clear();
    for (std::size_t run = 0; run < comparison.runs.size(); ++run) {
        m_names.push_back(comparison.runs[run].info.name);
        m_colors.push_back(runColor(m_theme, comparison, run));
    }
    fill();
    if (isVisible())
        ask();
}

void FindingsTable::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    ask();
}

void FindingsTable::ask()
{
    if (m_state != State::Unread || m_names.empty())
        return;
    m_state = State::Asked;
    setProgress(0, static_cast<int>(m_names.size()));
    Q_EMIT findingsWanted();
}

void FindingsTable::setProgress(int done, int all)
{
    if (m_state == State::Asked)
        m_count->setText(tr("Judging run %1 of %2…").arg(std::min(done + 1, all)).arg(all));
}

void FindingsTable::setFindings(const Result<std::vector<FindingDifference>>& findings)
{
    m_state = findings ? State::Read : State::Unread;
    if (findings)
        m_findings = *findings;
    fill();
    if (!findings)
        m_count->setText(QString::fromStdString(findings.error().message));
}

void FindingsTable::fill()
{
    m_table->clear();
    m_table->setRowCount(0);
    m_table->setColumnCount(1 + static_cast<int>(m_names.size()));
    m_table->setHorizontalHeaderItem(0, new QTableWidgetItem(tr("Finding")));
    m_table->setColumnWidth(0, kMessageWidth);
    for (std::size_t run = 0; run < m_names.size(); ++run) {
        const int column = 1 + static_cast<int>(run);
        m_table->setHorizontalHeaderItem(
            column, new QTableWidgetItem(colorIcon(m_colors[run]), QString::fromStdString(m_names[run])));
        m_table->setColumnWidth(column, kRunWidth);
    }
    for (const FindingDifference& finding : m_findings) {
        if (m_onlyDifferent->isChecked() && finding.inAll())
            continue;
        const int row = m_table->rowCount();
        m_table->insertRow(row);
        auto* what = new QTableWidgetItem(QString::fromStdString(finding.message));
        what->setToolTip(QString::fromStdString(finding.rule));
        const bool isError = finding.severity == Severity::Error;
        what->setIcon(m_theme.icon(isError ? QStringLiteral("error") : QStringLiteral("warning"),
                                   isError ? ColorRole::Bad : ColorRole::Warn));
        m_table->setItem(row, 0, what);
        for (std::size_t run = 0; run < finding.steps.size(); ++run) {
            const bool has = finding.steps[run] >= 0;
            auto* item = new QTableWidgetItem(has ? tr("from step %1").arg(countText(finding.steps[run]))
                                                  : tr("–", "no such finding"));
            if (!has)
                item->setForeground(m_theme.color(ColorRole::Muted));
            m_table->setItem(row, 1 + static_cast<int>(run), item);
        }
    }
    m_table->resizeRowsToContents();
    if (m_state == State::Read)
        m_count->setText(m_findings.empty()         ? tr("The rules find nothing in any of the runs")
                         : m_table->rowCount() == 1 ? tr("1 finding")
                                                    : tr("%1 findings").arg(m_table->rowCount()));
}

} // namespace athanor
