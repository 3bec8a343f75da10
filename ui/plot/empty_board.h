// GUI thread. What the board shows without a run: why it is empty, and the button to change that.
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace athanor {

class Theme;

class EmptyBoard : public QWidget {
    Q_OBJECT
public:
    explicit EmptyBoard(Theme& theme, QWidget* parent = nullptr);
    enum class Reason { NoProject, NoRun, NoSeriesYet, Loading, LoadFailed };
    void setReason(Reason reason, const QString& details = {});

Q_SIGNALS:
    void startRequested();
    void openProjectRequested();

private:
    QLabel* m_title;
    QLabel* m_text;
    QPushButton* m_start;
    QPushButton* m_open;
};

} // namespace athanor
