// GUI thread. Asks when a run is to stop.
#pragma once

#include <QDateTime>
#include <QDialog>

class QDateTimeEdit;
class QDialogButtonBox;
class QLabel;

namespace athanor {

/// A date and time in the future, to the minute; says how far away it is. accept() is possible for times to come only.
class StopTimeDialog : public QDialog {
    Q_OBJECT
public:
    /// `current` is the time that was set before; invalid: none, so that an hour from now is proposed.
    StopTimeDialog(const QDateTime& current, QWidget* parent);

    /// What was chosen; invalid: the run goes on to its end.
    [[nodiscard]] QDateTime time() const { return m_time; }

private:
    void showDistance();
    void choose();

    QDateTimeEdit* m_edit;
    QLabel* m_distance;
    QDialogButtonBox* m_buttons;
    QDateTime m_time;
};

} // namespace athanor
