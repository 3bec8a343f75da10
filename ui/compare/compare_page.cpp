#include "ui/compare/compare_page.h"

#include "ui/compare/compare_reader.h"
#include "ui/compare/findings_table.h"
#include "ui/compare/graph_difference_view.h"
#include "ui/compare/overlay_board.h"
#include "ui/compare/parameters_board.h"
#include "ui/compare/settings_table.h"
#include "ui/plot/notice_bar.h"
#include "ui/theme/theme.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QShortcut>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>

namespace athanor {
namespace {

constexpr int kProgressWidth = 280;
constexpr int kMostNames = 6;

} // namespace

ComparePage::ComparePage(Theme& theme, QSettings& settings, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_reader(new CompareReader(this)), m_notice(new NoticeBar(theme)),
      m_stack(new QStackedWidget), m_tabs(new QTabWidget),
      m_overlay(new OverlayBoard(theme, *m_reader, settings)),
      m_settingsTable(new SettingsTable(theme, settings)),
      m_network(new GraphDifferenceView(GraphPart::Network, theme)),
      m_data(new GraphDifferenceView(GraphPart::Data, theme)), m_findings(new FindingsTable(theme)),
      m_parameters(new ParametersBoard(theme))
{
    m_tabs->setObjectName(QStringLiteral("compareTabs"));
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(m_overlay, tr("Curves"));
    m_tabs->addTab(m_settingsTable, tr("Settings"));
    m_tabs->addTab(m_network, tr("Network"));
    m_tabs->addTab(m_data, tr("Data"));
    m_tabs->addTab(m_findings, tr("Findings"));
    m_tabs->addTab(m_parameters, tr("Settings against metrics"));
    m_stack->addWidget(makeWaiting());
    m_stack->addWidget(m_tabs);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeHead());
    layout->addWidget(m_notice);
    layout->addWidget(m_stack, 1);
    connect(m_reader, &CompareReader::loaded, this, &ComparePage::fill);
    connect(m_reader, &CompareReader::progressChanged, this, [this](int done, int all) {
        m_progress->setRange(0, all);
        m_progress->setValue(done);
    });
    connect(m_reader, &CompareReader::failed, this, [this](const Error& error) {
        if (error.code == ErrorCode::Cancelled)
            return;
        m_notice->showError(error);
        Q_EMIT backRequested();
    });
    connect(&theme, &Theme::changed, this, [this] { // the runs' colours are others then
        if (m_reader->comparison() != nullptr && m_stack->currentWidget() == m_tabs)
            fill();
    });
    connect(m_findings, &FindingsTable::findingsWanted, this, [this] {
        m_reader->requestFindings([this](const auto& findings) { m_findings->setFindings(findings); });
    });
    connect(m_reader, &CompareReader::findingsProgressed, m_findings, &FindingsTable::setProgress);
    connect(m_overlay, &OverlayBoard::failed, m_notice, &NoticeBar::showError);
    connect(m_overlay, &OverlayBoard::said, this,
            [this](const QString& text) { m_notice->showNotice(NoticeBar::Level::Note, text); });
    auto* escape = new QShortcut(Qt::Key_Escape, this);
    escape->setContext(Qt::WidgetWithChildrenShortcut);
    connect(escape, &QShortcut::activated, this, &ComparePage::backRequested);
}

QWidget* ComparePage::makeHead()
{
    auto* back = new QPushButton(tr("All runs"));
    back->setObjectName(QStringLiteral("compareBack"));
    back->setIcon(m_theme.icon(QStringLiteral("runs")));
    back->setToolTip(tr("Back to the table (Escape)"));
    connect(back, &QPushButton::clicked, this, &ComparePage::backRequested);
    m_title = new QLabel;
    m_title->setObjectName(QStringLiteral("compareTitle"));
    m_title->setProperty("look", QStringLiteral("title"));
    m_names = new QLabel;
    m_names->setProperty("look", QStringLiteral("muted"));
    m_names->setMinimumWidth(1);
    m_report = new QPushButton(tr("Save report…"));
    m_report->setObjectName(QStringLiteral("compareReport"));
    m_report->setIcon(m_theme.icon(QStringLiteral("save")));
    m_report->setToolTip(
        tr("One HTML file with the runs, what differs, the curves that are shown, networks and findings"));
    connect(m_report, &QPushButton::clicked, this, &ComparePage::chooseReport);
    auto* head = new QWidget;
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(spacing::kBetween, spacing::kBetween, spacing::kBetween, spacing::kBetween);
    row->setSpacing(spacing::kAround);
    row->addWidget(back);
    row->addWidget(m_title);
    row->addWidget(m_names, 1);
    row->addWidget(m_report);
    return head;
}

QWidget* ComparePage::makeWaiting()
{
    auto* page = new QWidget;
    m_progress = new QProgressBar;
    m_progress->setFixedWidth(kProgressWidth);
    m_progress->setAccessibleName(tr("Runs that were read"));
    auto* cancel = new QPushButton(tr("Cancel"));
    cancel->setObjectName(QStringLiteral("compareCancel"));
    connect(cancel, &QPushButton::clicked, this, [this] {
        m_reader->cancel();
        Q_EMIT backRequested();
    });
    auto* layout = new QVBoxLayout(page);
    layout->setSpacing(spacing::kBetween);
    layout->addStretch();
    layout->addWidget(new QLabel(tr("Reading the runs…")), 0, Qt::AlignCenter);
    layout->addWidget(m_progress, 0, Qt::AlignCenter);
    layout->addWidget(cancel, 0, Qt::AlignCenter);
    layout->addStretch();
    return page;
}

void ComparePage::compare(const std::filesystem::path& storeFile, const std::vector<RunId>& runs)
{
    m_notice->dismiss();
    m_title->setText(runs.size() == 1 ? tr("1 run") : tr("%1 runs compared").arg(runs.size()));
    m_names->clear();
    m_report->setEnabled(false);
    m_progress->setRange(0, static_cast<int>(runs.size()));
    m_progress->setValue(0);
    m_stack->setCurrentIndex(0);
    m_reader->load(storeFile, runs);
}

void ComparePage::fill()
{
    const auto& comparison = m_reader->comparison();
    QStringList names;
    for (const ComparedRun& run : comparison->runs)
        names << QString::fromStdString(run.info.name).simplified();
    m_names->setToolTip(names.join(u'\n'));
    const qsizetype more = names.size() - kMostNames;
    m_names->setText(names.mid(0, kMostNames).join(QStringLiteral(", ")) +
                     (more > 0 ? tr(" and %1 more").arg(more) : QString()));
    m_overlay->show(*comparison);
    m_settingsTable->show(*comparison);
    m_network->show(comparison);
    m_data->show(comparison);
    m_findings->show(*comparison);
    m_parameters->show(comparison);
    m_report->setEnabled(true);
    m_stack->setCurrentWidget(m_tabs);
    Q_EMIT shown();
}

void ComparePage::setTab(Tab tab)
{
    m_tabs->setCurrentIndex(tab);
}

void ComparePage::chooseReport()
{
    const QString file =
        QFileDialog::getSaveFileName(this, tr("Save report"), tr("comparison.html"), tr("HTML (*.html)"));
    if (!file.isEmpty())
        writeReport(file);
}

void ComparePage::writeReport(const QString& file)
{
    std::vector<std::string> series;
    for (const QString& name : m_overlay->shownSeries())
        series.push_back(name.toStdString());
    m_reader->writeReport(
        file.toStdString(), std::move(series), m_overlay->axis(), [this, file](const Status& written) {
            if (!written) {
                m_notice->showError(written.error());
                return;
            }
            m_notice->showNotice(NoticeBar::Level::Note, tr("The report is in %1").arg(file));
            Q_EMIT reportWritten(file);
        });
}

} // namespace athanor
