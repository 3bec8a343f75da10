// GUI thread. The training panel: start, pause, step, stop, progress, speed, the live learning rate.
#pragma once

#include "engine/base/result.h"
#include "engine/train/session.h"

#include <QDateTime>
#include <QWidget>

class QAction;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QProgressBar;
class QToolButton;

namespace athanor {

class NoticeBar;
class SessionBridge;
class Theme;

/// Its actions carry texts, icons, shortcuts and the right enabled state for every SessionState; a window
/// adds the same actions to its menu and mode bar. Everything but the start is posted to the bridge here.
class TrainingControls : public QWidget {
    Q_OBJECT
public:
    TrainingControls(Theme& theme, SessionBridge& bridge, QWidget* parent = nullptr);

    [[nodiscard]] QAction* startAction() const { return m_start; }
    [[nodiscard]] QAction* pauseAction() const { return m_pause; } ///< Pause, or Resume while paused
    [[nodiscard]] QAction* stepAction() const { return m_step; }
    [[nodiscard]] QAction* stopAction() const { return m_stop; }
    [[nodiscard]] QAction* stopAfterEpochAction() const { return m_stopAfterEpoch; }
    [[nodiscard]] QAction* stopAtAction() const { return m_stopAt; }
    [[nodiscard]] QAction* revertAction() const { return m_revert; }
    [[nodiscard]] QAction* checkpointAction() const { return m_checkpoint; }

    /// Whether a run may be started (a project is open and has no errors); `reason` says why not.
    void setCanStart(bool canStart, const QString& reason = {});
    /// Shows a bar: what happened, where (a link), what to try. Stays until closed or the next start.
    void showError(const Error& error);
    void clearError();

Q_SIGNALS:
    void startRequested();
    /// The link of the error bar: `network/conv1/kernel_size`, `training/optimizer/lr`.
    void placeActivated(const QString& where);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void makeActions();
    void makeLayout();
    QLayout* makeButtonRow();
    QLayout* makeFigureRow();
    QLabel* addFigure(QHBoxLayout* row, const char* objectName, const QString& caption, const QString& toolTip);
    void updateState();
    void updateProgress();
    void updateLearningRate();
    void applyLearningRate();
    void askStopTime();
    void setStopTime(const QDateTime& time);
    void showOutcome();
    void setIcons();

    Theme& m_theme;
    SessionBridge& m_bridge;
    bool m_canStart = false;
    QString m_cannotStartReason;

    QAction* m_start = nullptr;
    QAction* m_pause = nullptr;
    QAction* m_step = nullptr;
    QAction* m_stop = nullptr;
    QAction* m_stopAfterEpoch = nullptr;
    QAction* m_stopAt = nullptr;
    QAction* m_revert = nullptr;
    QAction* m_checkpoint = nullptr;
    QDateTime m_stopTime; ///< of the run that is on; invalid: none
    NoticeBar* m_notice = nullptr;
    QLabel* m_stateText = nullptr;
    QProgressBar* m_progress = nullptr;
    QLabel* m_stepFigure = nullptr;
    QLabel* m_epochFigure = nullptr;
    QLabel* m_timeLeft = nullptr;
    QLabel* m_loss = nullptr;
    QLabel* m_speed = nullptr;
    QLabel* m_stepTime = nullptr;
    QLabel* m_overhead = nullptr;
    QLineEdit* m_learningRate = nullptr;
    QToolButton* m_lightning = nullptr;
    QToolButton* m_stopMenu = nullptr;
};

} // namespace athanor
