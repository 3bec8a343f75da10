#include "ui/plot/empty_board.h"

#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace athanor {
namespace {

constexpr int kTextWidth = 420;

} // namespace

EmptyBoard::EmptyBoard(Theme& theme, QWidget* parent)
    : QWidget(parent), m_title(new QLabel), m_text(new QLabel),
      m_start(new QPushButton(theme.icon(QStringLiteral("play"), ColorRole::AccentText), tr("Start training"))),
      m_open(new QPushButton(theme.icon(QStringLiteral("open"), ColorRole::AccentText), tr("Open a project")))
{
    m_title->setObjectName(QStringLiteral("emptyTitle"));
    m_title->setProperty("look", "title");
    m_title->setAlignment(Qt::AlignCenter);
    m_text->setObjectName(QStringLiteral("emptyText"));
    m_text->setProperty("look", "muted");
    m_text->setAlignment(Qt::AlignCenter);
    m_text->setWordWrap(true);
    m_text->setFixedWidth(kTextWidth);
    m_start->setObjectName(QStringLiteral("emptyStart"));
    m_open->setObjectName(QStringLiteral("emptyOpen"));
    for (QPushButton* button : {m_start, m_open})
        button->setProperty("look", "primary");
    connect(m_start, &QPushButton::clicked, this, &EmptyBoard::startRequested);
    connect(m_open, &QPushButton::clicked, this, &EmptyBoard::openProjectRequested);

    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(spacing::kAround);
    layout->addStretch(2);
    layout->addWidget(m_title);
    layout->addWidget(m_text, 0, Qt::AlignHCenter);
    layout->addWidget(m_start, 0, Qt::AlignHCenter);
    layout->addWidget(m_open, 0, Qt::AlignHCenter);
    layout->addStretch(3);
    setReason(Reason::NoProject);
}

void EmptyBoard::setReason(Reason reason, const QString& details)
{
    m_start->setVisible(reason == Reason::NoRun);
    m_open->setVisible(reason == Reason::NoProject);
    switch (reason) {
    case Reason::NoProject:
        m_title->setText(tr("No project is open"));
        m_text->setText(tr("Open a project or one of the samples; its curves appear here as soon as it trains."));
        break;
    case Reason::NoRun:
        m_title->setText(tr("Nothing has been trained yet"));
        m_text->setText(tr("Start the training, and loss, metrics, gradients and activations are drawn here live. "
                           "Every step is kept."));
        break;
    case Reason::NoSeriesYet:
        m_title->setText(tr("Waiting for the first step"));
        m_text->setText(tr("The data is being opened and the network built. The curves begin with the first step."));
        break;
    case Reason::Loading:
        m_title->setText(tr("Reading the run"));
        m_text->setText(tr("The list of its series is being read."));
        break;
    case Reason::LoadFailed:
        m_title->setText(tr("The run could not be read"));
        m_text->setText(details);
        break;
    }
    // A wrapped label that is aligned in its layout is given the height of one line.
    m_text->ensurePolished();
    m_text->setMinimumHeight(m_text->heightForWidth(kTextWidth));
}

} // namespace athanor
