#include "ui/plot/training_controls.h"

#include "ui/bridge/session_bridge.h"
#include "ui/plot/notice_bar.h"
#include "ui/theme/theme.h"

#include <QAction>
#include <QDoubleValidator>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QProgressBar>
#include <QToolButton>
#include <QVBoxLayout>

namespace athanor {
namespace {

constexpr int kProgressScale = 1000;
constexpr int kLearningRateWidth = 96;

QAction* makeAction(QWidget* owner, const char* objectName, const QString& text, const QKeySequence& shortcut,
                    const QString& toolTip)
{
    auto* action = new QAction(text, owner);
    action->setObjectName(QLatin1String(objectName));
    action->setShortcut(shortcut);
    action->setToolTip(shortcut.isEmpty() ? toolTip
                                          : QStringLiteral("%1 (%2)").arg(toolTip, shortcut.toString(QKeySequence::NativeText)));
    return action;
}

QToolButton* makeButton(QAction* action, const QString& objectName)
{
    auto* button = new QToolButton;
    button->setObjectName(objectName);
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setFocusPolicy(Qt::StrongFocus);
    return button;
}

} // namespace

TrainingControls::TrainingControls(Theme& theme, SessionBridge& bridge, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_bridge(bridge)
{
    makeActions();
    makeLayout();
    setIcons();
    connect(&m_theme, &Theme::changed, this, &TrainingControls::setIcons);
    connect(&m_bridge, &SessionBridge::runStarted, this, [this] {
        clearError();
        setStopTime({});
        updateState();
        updateProgress();
    });
    connect(&m_bridge, &SessionBridge::stateChanged, this, &TrainingControls::updateState);
    connect(&m_bridge, &SessionBridge::progressChanged, this, &TrainingControls::updateProgress);
    connect(&m_bridge, &SessionBridge::runEnded, this, [this] {
        updateState();
        updateProgress();
        showOutcome();
    });
    updateState();
    updateProgress();
}

void TrainingControls::makeActions()
{
    m_start = makeAction(this, "startAction", tr("Start"), QKeySequence(Qt::Key_F5), tr("Start training"));
    m_pause = makeAction(this, "pauseAction", tr("Pause"), QKeySequence(Qt::Key_F6), tr("Pause after this step, or go on"));
    m_step = makeAction(this, "stepAction", tr("Step"), QKeySequence(Qt::Key_F10), tr("Train exactly one step, then pause"));
    m_stop = makeAction(this, "stopAction", tr("Stop"), QKeySequence(Qt::SHIFT | Qt::Key_F5), tr("Stop after this step"));
    m_stopAfterEpoch = makeAction(this, "stopAfterEpochAction", tr("Stop after this epoch"),
                                  QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_F5), tr("Stop when the epoch is done"));
    m_checkpoint = makeAction(this, "checkpointAction", tr("Save a checkpoint now"), QKeySequence(Qt::Key_F9),
                              tr("Save weights and optimizer state to go on from here"));
    m_stopAt = makeAction(this, "stopAtAction", tr("Stop at a time…"), {}, tr("Stop after the step that is on at that time"));
    m_revert = makeAction(this, "revertChangeAction", tr("Take back the last change of a setting"), {},
                          tr("Weights, optimizer, schedule and the setting become as they were before it"));
    addActions({m_start, m_pause, m_step, m_stop, m_stopAfterEpoch, m_stopAt, m_revert, m_checkpoint});
    connect(m_start, &QAction::triggered, this, &TrainingControls::startRequested);
    connect(m_pause, &QAction::triggered, this, [this] {
        if (m_bridge.state() == SessionState::Paused)
            m_bridge.post(command::Resume{});
        else
            m_bridge.post(command::Pause{});
    });
    connect(m_step, &QAction::triggered, this, [this] { m_bridge.post(command::StepOnce{}); });
    connect(m_stop, &QAction::triggered, this, [this] { m_bridge.post(command::Stop{}); });
    connect(m_stopAfterEpoch, &QAction::triggered, this, [this] { m_bridge.post(command::StopAfterEpoch{}); });
    connect(m_stopAt, &QAction::triggered, this, &TrainingControls::askStopTime);
    connect(m_revert, &QAction::triggered, this, [this] { m_bridge.post(command::Revert{}); });
    connect(m_checkpoint, &QAction::triggered, this, [this] { m_bridge.post(command::SaveCheckpoint{}); });
}

void TrainingControls::makeLayout()
{
    m_notice = new NoticeBar(m_theme);
    m_notice->setObjectName(QStringLiteral("trainingNotice"));
    connect(m_notice, &NoticeBar::placeActivated, this, &TrainingControls::placeActivated);
    m_progress = new QProgressBar;
    m_progress->setObjectName(QStringLiteral("trainingProgress"));
    m_progress->setAccessibleName(tr("Progress of the training"));
    m_progress->setRange(0, kProgressScale);
    m_progress->setTextVisible(false);

    auto* controls = new QVBoxLayout;
    controls->setContentsMargins(spacing::kAround, spacing::kBetween, spacing::kAround, spacing::kBetween);
    controls->setSpacing(spacing::kBetween);
    controls->addLayout(makeButtonRow());
    controls->addWidget(m_progress);
    controls->addLayout(makeFigureRow());
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_notice);
    layout->addLayout(controls);
}

QLayout* TrainingControls::makeButtonRow()
{
    auto* row = new QHBoxLayout;
    row->setSpacing(spacing::kInside);
    row->addWidget(makeButton(m_start, QStringLiteral("startButton")));
    row->addWidget(makeButton(m_pause, QStringLiteral("pauseButton")));
    row->addWidget(makeButton(m_step, QStringLiteral("stepButton")));
    row->addWidget(makeButton(m_stop, QStringLiteral("stopButton")));
    m_stopMenu = new QToolButton;
    m_stopMenu->setObjectName(QStringLiteral("stopMenuButton"));
    m_stopMenu->setToolTip(tr("Other ways to stop, and what else can be done with a run"));
    m_stopMenu->setAccessibleName(m_stopMenu->toolTip());
    m_stopMenu->setPopupMode(QToolButton::InstantPopup);
    m_stopMenu->setFocusPolicy(Qt::StrongFocus);
    auto* menu = new QMenu(m_stopMenu);
    menu->addActions({m_stopAfterEpoch, m_stopAt});
    menu->addSeparator();
    menu->addActions({m_revert, m_checkpoint});
    m_stopMenu->setMenu(menu);
    m_stopMenu->setIcon(m_theme.icon(QStringLiteral("chevron-down")));
    row->addWidget(m_stopMenu);
    row->addStretch();

    m_lightning = new QToolButton;
    m_lightning->setObjectName(QStringLiteral("applyLearningRate"));
    m_lightning->setToolTip(tr("Apply now, to the run that is going on"));
    m_lightning->setAccessibleName(m_lightning->toolTip());
    m_learningRate = new QLineEdit;
    m_learningRate->setObjectName(QStringLiteral("learningRate"));
    m_learningRate->setAccessibleName(tr("Learning rate of the run"));
    m_learningRate->setToolTip(tr("Learning rate. Enter applies it from the next step on; a schedule goes on from it."));
    m_learningRate->setFixedWidth(kLearningRateWidth);
    m_learningRate->setAlignment(Qt::AlignRight);
    auto* validator = new QDoubleValidator(0, 1e6, 12, m_learningRate);
    validator->setLocale(QLocale::c());
    m_learningRate->setValidator(validator);
    connect(m_learningRate, &QLineEdit::returnPressed, this, &TrainingControls::applyLearningRate);
    connect(m_learningRate, &QLineEdit::textEdited, this, [this] { m_lightning->setEnabled(true); });
    connect(m_lightning, &QToolButton::clicked, this, &TrainingControls::applyLearningRate);
    auto* caption = new QLabel(tr("Learning rate"));
    caption->setBuddy(m_learningRate);
    row->addWidget(caption);
    row->addWidget(m_learningRate);
    row->addWidget(m_lightning);
    return row;
}

QLayout* TrainingControls::makeFigureRow()
{
    auto* row = new QHBoxLayout;
    row->setSpacing(spacing::kAround);
    m_stateText = addFigure(row, "stateFigure", tr("State"), tr("State of the run"));
    m_stepFigure = addFigure(row, "stepFigure", tr("Step"), tr("Optimizer steps done"));
    m_epochFigure = addFigure(row, "epochFigure", tr("Epoch"), tr("Passes over the training data"));
    m_timeLeft = addFigure(row, "timeLeftFigure", tr("Time left"), tr("Estimated from the last second"));
    m_loss = addFigure(row, "lossFigure", tr("Loss"), tr("Newest training loss"));
    m_speed = addFigure(row, "speedFigure", tr("Samples/s"), tr("Over about the last second"));
    m_stepTime = addFigure(row, "stepTimeFigure", tr("ms/step"), tr("Mean time of a step, over about the last second"));
    m_overhead = addFigure(row, "overheadFigure", tr("Overhead"), tr("Share of the step time that measuring takes"));
    row->addStretch();
    return row;
}

QLabel* TrainingControls::addFigure(QHBoxLayout* row, const char* objectName, const QString& caption,
                                    const QString& toolTip)
{
    auto* captionLabel = new QLabel(caption);
    captionLabel->setProperty("look", "small");
    auto* value = new QLabel;
    value->setObjectName(QLatin1String(objectName));
    value->setAccessibleName(caption);
    value->setToolTip(toolTip);
    captionLabel->setToolTip(toolTip);
    auto* column = new QVBoxLayout;
    column->setSpacing(0);
    column->addWidget(captionLabel);
    column->addWidget(value);
    row->addLayout(column);
    return value;
}

void TrainingControls::setCanStart(bool canStart, const QString& reason)
{
    m_canStart = canStart;
    m_cannotStartReason = reason;
    updateState();
}

void TrainingControls::showError(const Error& error)
{
    m_notice->showError(error);
}

void TrainingControls::clearError()
{
    m_notice->dismiss();
}

void TrainingControls::updateState()
{
    const SessionState state = m_bridge.state();
    const bool isActive = m_bridge.isActive();
    const bool isGoing = isActive && (state == SessionState::Running || state == SessionState::Paused);
    const bool canStop = isGoing || (isActive && (state == SessionState::Compiling || state == SessionState::Idle));
    const bool isPaused = isActive && state == SessionState::Paused;
    m_start->setEnabled(m_canStart && !isActive);
    m_start->setToolTip(isActive            ? tr("A run is going on")
                        : m_canStart        ? tr("Start training (%1)").arg(m_start->shortcut().toString(QKeySequence::NativeText))
                                            : m_cannotStartReason);
    m_pause->setEnabled(isGoing);
    m_pause->setText(isPaused ? tr("Resume") : tr("Pause"));
    m_step->setEnabled(isGoing);
    m_stop->setEnabled(canStop);
    m_stopAfterEpoch->setEnabled(isGoing);
    m_stopAt->setEnabled(isGoing);
    m_revert->setEnabled(isGoing);
    m_checkpoint->setEnabled(isGoing);
    m_stopMenu->setEnabled(isGoing);
    m_learningRate->setEnabled(isGoing);
    m_lightning->setEnabled(false);
    if (m_learningRate->isModified() && !isGoing)
        m_learningRate->setModified(false);
    setIcons();
    updateProgress();
}

void TrainingControls::setIcons()
{
    const bool isPaused = m_bridge.isActive() && m_bridge.state() == SessionState::Paused;
    m_start->setIcon(m_theme.icon(QStringLiteral("play"), ColorRole::Good));
    m_pause->setIcon(m_theme.icon(isPaused ? QStringLiteral("play") : QStringLiteral("pause")));
    m_step->setIcon(m_theme.icon(QStringLiteral("step")));
    m_stop->setIcon(m_theme.icon(QStringLiteral("stop")));
    m_stopAfterEpoch->setIcon(m_theme.icon(QStringLiteral("stop")));
    m_stopAt->setIcon(m_theme.icon(QStringLiteral("stop")));
    m_revert->setIcon(m_theme.icon(QStringLiteral("undo")));
    m_checkpoint->setIcon(m_theme.icon(QStringLiteral("save")));
    m_lightning->setIcon(m_theme.icon(QStringLiteral("lightning"), ColorRole::Warn));
}

} // namespace athanor
