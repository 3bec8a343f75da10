#include "ui/shell/status_line.h"

#include "ui/bridge/findings_model.h"
#include "ui/bridge/project_document.h"
#include "ui/bridge/run_text.h"
#include "ui/bridge/session_bridge.h"
#include "ui/bridge/task_list.h"
#include "ui/bridge/text_format.h"
#include "ui/theme/theme.h"

#include <QLabel>
#include <QProgressBar>
#include <QToolButton>

namespace athanor {
namespace {

constexpr int kTaskBarWidth = 80;
constexpr int kProgressScale = 1000;

QString progressText(const SessionProgress& progress)
{
    QString text =
        progress.totalSteps > 0
            ? StatusLine::tr("step %1 of %2").arg(countText(progress.step), countText(progress.totalSteps))
            : StatusLine::tr("step %1").arg(countText(progress.step));
    if (progress.epochs > 0) {
        text += StatusLine::tr(", epoch %1 of %2")
                    .arg(QString::number(progress.epoch, 'f', 1), countText(progress.epochs));
    }
    return text;
}

} // namespace

StatusLine::StatusLine(Theme& theme, ProjectDocument& document, SessionBridge& bridge,
                       FindingsModel& findings, TaskList& tasks, QWidget* parent)
    : QStatusBar(parent), m_theme(theme), m_document(document), m_bridge(bridge), m_findingsModel(findings),
      m_taskList(tasks)
{
    setSizeGripEnabled(false);
    m_project = addField("statusProject", tr("Project"));
    m_device = addField("statusDevice", tr("Device and threads"));
    m_state = addField("statusState", tr("State of the run"));
    m_progress = addField("statusProgress", tr("Optimizer steps and epochs done"));
    m_timeLeft = addField("statusTimeLeft", tr("Estimated time until the run is done"));
    m_speed = addField("statusSpeed", tr("Samples per second, over about the last second"));
    m_overhead = addField("statusOverhead", tr("Share of the step time that measuring takes"));

    m_tasks = new QToolButton;
    m_tasks->setObjectName(QStringLiteral("statusTasks"));
    m_tasks->setToolButtonStyle(Qt::ToolButtonTextOnly);
    m_taskBar = new QProgressBar;
    m_taskBar->setFixedWidth(kTaskBarWidth);
    m_taskBar->setTextVisible(false);
    m_findings = new QToolButton;
    m_findings->setObjectName(QStringLiteral("statusFindings"));
    m_findings->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_findings->setToolTip(tr("Problems of the project and findings of the run"));
    addPermanentWidget(m_tasks);
    addPermanentWidget(m_taskBar);
    addPermanentWidget(m_findings);

    connect(m_findings, &QToolButton::clicked, this, &StatusLine::findingsRequested);
    connect(m_tasks, &QToolButton::clicked, this, &StatusLine::tasksRequested);
    connect(&document, &ProjectDocument::loaded, this, &StatusLine::updateProject);
    connect(&document, &ProjectDocument::trainingChanged, this, &StatusLine::updateProject);
    connect(&document, &ProjectDocument::modifiedChanged, this, &StatusLine::updateProject);
    connect(&document, &ProjectDocument::loaded, this, [this] {
        m_showsRun = m_bridge.isActive(); // the last run was another project's
        updateRun();
    });
    connect(&bridge, &SessionBridge::runStarted, this, [this] { m_showsRun = true; });
    connect(&bridge, &SessionBridge::stateChanged, this, &StatusLine::updateRun);
    connect(&bridge, &SessionBridge::progressChanged, this, &StatusLine::updateRun);
    connect(&bridge, &SessionBridge::runEnded, this, &StatusLine::updateRun);
    connect(&findings, &QAbstractItemModel::modelReset, this, &StatusLine::updateFindings);
    connect(&findings, &QAbstractItemModel::dataChanged, this, &StatusLine::updateFindings);
    connect(&tasks, &QAbstractItemModel::rowsInserted, this, &StatusLine::updateTasks);
    connect(&tasks, &QAbstractItemModel::rowsRemoved, this, &StatusLine::updateTasks);
    connect(&tasks, &QAbstractItemModel::dataChanged, this, &StatusLine::updateTasks);
    updateProject();
    updateRun();
    updateFindings();
    updateTasks();
}

QLabel* StatusLine::addField(const char* objectName, const QString& toolTip)
{
    auto* label = new QLabel;
    label->setObjectName(QString::fromLatin1(objectName));
    label->setToolTip(toolTip);
    addWidget(label);
    return label;
}

void StatusLine::setThreads(int threads)
{
    m_threads = threads;
    updateProject();
}

void StatusLine::updateProject()
{
    if (!m_document.isOpen()) {
        m_project->setText(tr("No project"));
        m_device->clear();
        return;
    }
    m_project->setText(m_document.isModified() ? tr("%1 (modified)").arg(m_document.displayName())
                                               : m_document.displayName());
    const QString device = QString::fromStdString(m_document.project().training.device);
    m_device->setText(m_threads == 1  ? tr("%1, 1 thread").arg(device)
                      : m_threads > 1 ? tr("%1, %2 threads").arg(device, countText(m_threads))
                                      : device);
}

void StatusLine::updateRun()
{
    const SessionProgress progress = m_showsRun ? m_bridge.progress() : SessionProgress{};
    m_state->setText(m_showsRun ? runStateText(m_bridge.state(), m_bridge.outcome().status) : QString());
    m_progress->setText(progress.step > 0 ? progressText(progress) : QString());
    const bool isActive = m_bridge.isActive();
    m_timeLeft->setText(isActive && progress.secondsLeft >= 0
                            ? tr("%1 left").arg(durationText(progress.secondsLeft))
                            : QString());
    m_speed->setText(isActive && progress.samplesPerSecond > 0
                         ? tr("%1 samples/s").arg(numberText(progress.samplesPerSecond))
                         : QString());
    m_overhead->setText(isActive && progress.step > 0
                            ? tr("measuring %1").arg(percentText(progress.overheadShare))
                            : QString());
}

void StatusLine::updateFindings()
{
    const int errors = m_findingsModel.count(Severity::Error);
    const int warnings = m_findingsModel.count(Severity::Warning);
    if (errors + warnings == 0) {
        m_findings->setIcon(m_theme.icon(QStringLiteral("check"), ColorRole::Good));
        m_findings->setText(tr("No findings"));
        return;
    }
    QStringList parts;
    if (errors > 0)
        parts << (errors == 1 ? tr("1 error") : tr("%1 errors").arg(errors));
    if (warnings > 0)
        parts << (warnings == 1 ? tr("1 warning") : tr("%1 warnings").arg(warnings));
    m_findings->setIcon(errors > 0 ? m_theme.icon(QStringLiteral("error"), ColorRole::Bad)
                                   : m_theme.icon(QStringLiteral("warning"), ColorRole::Warn));
    m_findings->setText(parts.join(QStringLiteral(", ")));
}

void StatusLine::updateTasks()
{
    const int count = m_taskList.rowCount();
    m_tasks->setVisible(count > 0);
    m_taskBar->setVisible(count > 0);
    if (count == 0)
        return;
    const QModelIndex first = m_taskList.index(0);
    m_tasks->setText(count == 1 ? first.data().toString() : tr("%1 tasks").arg(count));
    const double progress = first.data(TaskList::ProgressRole).toDouble();
    m_taskBar->setRange(0, progress < 0 ? 0 : kProgressScale);
    m_taskBar->setValue(static_cast<int>(progress * kProgressScale));
}

} // namespace athanor
