#include "ui/plot/stop_time_dialog.h"

#include "ui/bridge/text_format.h"
#include "ui/theme/theme.h"

#include <QDateTimeEdit>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace athanor {
namespace {

constexpr int kSecondsPerMinute = 60;
constexpr int kSecondsPerHour = 3600;

/// Without the seconds, which the editor does not show.
QDateTime toTheMinute(const QDateTime& time)
{
    return QDateTime(time.date(), QTime(time.time().hour(), time.time().minute()));
}

} // namespace

StopTimeDialog::StopTimeDialog(const QDateTime& current, QWidget* parent)
    : QDialog(parent), m_edit(new QDateTimeEdit(this)), m_distance(new QLabel(this)), m_buttons(new QDialogButtonBox(this))
{
    setObjectName(QStringLiteral("stopTimeDialog"));
    setWindowTitle(tr("Stop at a time"));
    auto* text = new QLabel(tr("The training stops after the step that is on at:"), this);
    text->setBuddy(m_edit);
    m_edit->setObjectName(QStringLiteral("stopTime"));
    m_edit->setAccessibleName(tr("Time to stop at"));
    m_edit->setDisplayFormat(QStringLiteral("yyyy-MM-dd  HH:mm"));
    m_edit->setCalendarPopup(true);
    m_edit->setDateTime(toTheMinute(current.isValid() ? current : QDateTime::currentDateTime().addSecs(kSecondsPerHour)));
    m_distance->setObjectName(QStringLiteral("stopTimeDistance"));
    m_distance->setProperty("look", QStringLiteral("muted"));
    auto* quick = new QHBoxLayout;
    quick->setSpacing(spacing::kInside);
    const std::pair<QString, int> distances[] = {{tr("In 10 min"), 10}, {tr("In 1 h"), 60}, {tr("In 8 h"), 480}};
    for (const auto& [name, minutes] : distances) {
        auto* button = new QPushButton(name, this);
        button->setAutoDefault(false);
        quick->addWidget(button);
        connect(button, &QPushButton::clicked, this, [this, minutes = minutes] {
            m_edit->setDateTime(toTheMinute(QDateTime::currentDateTime().addSecs(minutes * kSecondsPerMinute)));
        });
    }
    quick->addStretch();

    auto* accept = m_buttons->addButton(tr("Stop then"), QDialogButtonBox::AcceptRole);
    accept->setObjectName(QStringLiteral("stopThen"));
    m_buttons->addButton(QDialogButtonBox::Cancel);
    if (current.isValid()) {
        auto* never = m_buttons->addButton(tr("Do not stop early"), QDialogButtonBox::DestructiveRole);
        never->setObjectName(QStringLiteral("stopNever"));
        connect(never, &QPushButton::clicked, this, &QDialog::accept);
    }
    connect(m_buttons, &QDialogButtonBox::accepted, this, &StopTimeDialog::choose);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_edit, &QDateTimeEdit::dateTimeChanged, this, &StopTimeDialog::showDistance);

    auto* column = new QVBoxLayout(this);
    column->setSpacing(spacing::kBetween);
    column->addWidget(text);
    column->addWidget(m_edit);
    column->addLayout(quick);
    column->addWidget(m_distance);
    column->addWidget(m_buttons);
    showDistance();
}

void StopTimeDialog::showDistance()
{
    const qint64 seconds = QDateTime::currentDateTime().secsTo(m_edit->dateTime());
    m_distance->setText(seconds > 0 ? tr("In %1").arg(durationText(static_cast<double>(seconds)))
                                    : tr("This time is over; choose a later one."));
    m_buttons->findChild<QPushButton*>(QStringLiteral("stopThen"))->setEnabled(seconds > 0);
}

void StopTimeDialog::choose()
{
    showDistance(); // the clock went on while the dialog stood there
    if (m_edit->dateTime() <= QDateTime::currentDateTime())
        return;
    m_time = m_edit->dateTime();
    accept();
}

} // namespace athanor
