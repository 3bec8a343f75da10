// The figures of TrainingControls: progress, speed, learning rate, and how a run ended.
#include "ui/bridge/run_text.h"
#include "ui/bridge/session_bridge.h"
#include "ui/bridge/text_format.h"
#include "ui/plot/notice_bar.h"
#include "ui/plot/stop_time_dialog.h"
#include "ui/plot/training_controls.h"

#include <QAction>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QToolButton>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace athanor {
namespace {

constexpr int kProgressScale = 1000;
const auto kNoValue = QStringLiteral("–");

QString ofTotal(const QString& done, std::int64_t total)
{
    return total > 0 ? TrainingControls::tr("%1 of %2").arg(done, countText(total)) : done;
}

/// The newest value of the first series whose name is `lr` or begins with `lr/`; NaN when there is none.
double currentLearningRate(const SeriesStore& series)
{
    const std::vector<SeriesInfo> infos = series.infos();
    for (std::size_t i = 0; i < infos.size(); ++i) {
        if (infos[i].name == "lr" || infos[i].name.rfind("lr/", 0) == 0)
            return series.latest(static_cast<SeriesIndex>(i)).value;
    }
    return std::numeric_limits<double>::quiet_NaN();
}

} // namespace

void TrainingControls::updateProgress()
{
    const QString state = m_bridge.hasRun() ? runStateText(m_bridge.state(), m_bridge.outcome().status) : tr("No run");
    const bool stopsEarly = m_bridge.isActive() && m_stopTime.isValid();
    m_stateText->setText(stopsEarly ? tr("%1, stops at %2").arg(state, QLocale::c().toString(m_stopTime, QStringLiteral("HH:mm"))) : state);
    const SessionProgress progress = m_bridge.progress();
    const bool hasRun = m_bridge.hasRun();
    const bool isActive = m_bridge.isActive();
    const double share = progress.totalSteps > 0
                             ? static_cast<double>(progress.step) / static_cast<double>(progress.totalSteps)
                             : 0;
    // An unknown length is shown as a bar that wanders, not as one that stands at zero.
    m_progress->setRange(0, isActive && progress.totalSteps == 0 ? 0 : kProgressScale);
    m_progress->setValue(static_cast<int>(std::clamp(share, 0.0, 1.0) * kProgressScale));
    m_stepFigure->setText(hasRun ? ofTotal(countText(progress.step), progress.totalSteps) : kNoValue);
    m_epochFigure->setText(hasRun ? ofTotal(QString::number(progress.epoch, 'f', 2), progress.epochs) : kNoValue);
    m_timeLeft->setText(isActive ? durationText(progress.secondsLeft) : kNoValue);
    m_loss->setText(hasRun && progress.step > 0 ? numberText(progress.loss) : kNoValue);
    const bool isMeasured = isActive && progress.stepMilliseconds > 0;
    m_speed->setText(isMeasured ? numberText(progress.samplesPerSecond, 3) : kNoValue);
    m_stepTime->setText(isMeasured ? numberText(progress.stepMilliseconds, 3) : kNoValue);
    m_overhead->setText(isMeasured ? percentText(progress.overheadShare, 2) : kNoValue);
    updateLearningRate();
}

void TrainingControls::updateLearningRate()
{
    const SeriesStore* series = m_bridge.series();
    if (series == nullptr || m_learningRate->isModified())
        return; // what the user is typing stays
    const double rate = currentLearningRate(*series);
    // Four digits: 1e-3 · 0.7 · 0.7 is to be read as 0.00049, not as 0.0004899999999999999.
    const QString text = std::isfinite(rate) ? QString::number(rate, 'g', 4) : QString();
    if (m_learningRate->text() != text)
        m_learningRate->setText(text);
}

void TrainingControls::applyLearningRate()
{
    bool isNumber = false;
    const double rate = m_learningRate->text().toDouble(&isNumber);
    // Enter without an edit applies nothing: what stands there may be older than the run's own value.
    if (!isNumber || !(rate >= 0) || !m_learningRate->isEnabled() || !m_learningRate->isModified())
        return;
    m_bridge.post(command::SetLearningRate{rate});
    m_learningRate->setModified(false);
    m_lightning->setEnabled(false);
}

void TrainingControls::askStopTime()
{
    StopTimeDialog dialog(m_stopTime, this);
    if (dialog.exec() == QDialog::Accepted && m_bridge.isActive())
        setStopTime(dialog.time());
}

void TrainingControls::setStopTime(const QDateTime& time)
{
    m_stopTime = time;
    m_stopAt->setText(time.isValid() ? tr("Stops at %1…").arg(timeText(time.toMSecsSinceEpoch())) : tr("Stop at a time…"));
    if (m_bridge.isActive()) {
        const std::chrono::milliseconds sinceEpoch(time.isValid() ? time.toMSecsSinceEpoch() : 0);
        m_bridge.post(command::StopAt{std::chrono::system_clock::time_point(sinceEpoch)});
    }
    updateProgress();
}

void TrainingControls::keyPressEvent(QKeyEvent* event)
{
    if (event->key() != Qt::Key_Escape || !m_learningRate->hasFocus())
        return QWidget::keyPressEvent(event);
    m_learningRate->setModified(false); // back to what the run has
    m_lightning->setEnabled(false);
    updateLearningRate();
}

void TrainingControls::showOutcome()
{
    const RunOutcome outcome = m_bridge.outcome();
    for (const Problem& problem : outcome.problems) {
        if (problem.severity != Severity::Error)
            continue;
        m_notice->showError(Error{ErrorCode::InvalidArgument, problem.message, problem.where, problem.hint, outcome.failure});
        return;
    }
    if (outcome.status == RunStatus::Failed) {
        m_notice->showError(Error{ErrorCode::Internal, outcome.failure, {}, {}, {}});
    } else if (outcome.status == RunStatus::Diverged) {
        m_notice->showNotice(NoticeBar::Level::Warning,
                             tr("The training diverged: the loss or a gradient was not finite."),
                             tr("Look at the findings for the cause. A smaller learning rate or gradient clipping "
                                "often helps."));
    }
}

} // namespace athanor
