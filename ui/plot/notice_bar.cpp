#include "ui/plot/notice_bar.h"

#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

namespace athanor {
namespace {

constexpr int kIconSize = 16;

QLabel* textLabel(const char* objectName)
{
    auto* label = new QLabel;
    label->setObjectName(QLatin1String(objectName));
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

} // namespace

NoticeBar::NoticeBar(Theme& theme, QWidget* parent)
    : QFrame(parent), m_theme(theme), m_icon(new QLabel), m_message(textLabel("noticeMessage")),
      m_hint(textLabel("noticeHint")), m_place(new QPushButton), m_detailsButton(new QPushButton(tr("Details"))),
      m_details(textLabel("noticeDetails")), m_close(new QToolButton)
{
    setProperty("look", "bar");
    m_hint->setProperty("look", "muted");
    m_details->setProperty("look", "muted");
    m_details->hide();
    m_place->setObjectName(QStringLiteral("noticePlace"));
    m_place->setProperty("look", "link");
    m_detailsButton->setObjectName(QStringLiteral("noticeDetailsButton"));
    m_detailsButton->setProperty("look", "link");
    m_close->setObjectName(QStringLiteral("noticeClose"));
    m_close->setIcon(theme.icon(QStringLiteral("close"), ColorRole::Muted));
    m_close->setToolTip(tr("Close"));
    m_close->setAccessibleName(tr("Close this message"));
    connect(m_close, &QToolButton::clicked, this, &NoticeBar::dismiss);
    connect(m_place, &QPushButton::clicked, this, [this] { Q_EMIT placeActivated(m_where); });
    connect(m_detailsButton, &QPushButton::clicked, this, [this] { m_details->setVisible(m_details->isHidden()); });

    auto* links = new QHBoxLayout;
    links->addWidget(m_place);
    links->addWidget(m_detailsButton);
    links->addStretch();
    auto* texts = new QVBoxLayout;
    texts->setSpacing(spacing::kInside);
    texts->addWidget(m_message);
    texts->addWidget(m_hint);
    texts->addLayout(links);
    texts->addWidget(m_details);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(spacing::kBetween, spacing::kBetween, spacing::kInside, spacing::kBetween);
    layout->addWidget(m_icon, 0, Qt::AlignTop);
    layout->addLayout(texts, 1);
    layout->addWidget(m_close, 0, Qt::AlignTop);
    hide();
}

void NoticeBar::showError(const Error& error)
{
    showNotice(Level::Error, QString::fromStdString(error.message), QString::fromStdString(error.hint));
    m_where = QString::fromStdString(error.where);
    m_place->setText(m_where);
    m_place->setAccessibleName(tr("Go to %1").arg(m_where));
    m_place->setVisible(!m_where.isEmpty());
    m_details->setText(QString::fromStdString(error.details));
    m_detailsButton->setVisible(!error.details.empty());
}

void NoticeBar::showNotice(Level level, const QString& message, const QString& hint)
{
    setLevel(level);
    m_where.clear();
    m_message->setText(message);
    m_hint->setText(hint);
    m_hint->setVisible(!hint.isEmpty());
    m_place->hide();
    m_detailsButton->hide();
    m_details->hide();
    setAccessibleName(message);
    show();
}

void NoticeBar::dismiss()
{
    hide();
}

void NoticeBar::setLevel(Level level)
{
    setProperty("severity", level == Level::Error ? "error" : level == Level::Warning ? "warning" : "info");
    style()->unpolish(this); // the style sheet chooses by the property
    style()->polish(this);
    const char* icon = level == Level::Error ? "error" : level == Level::Warning ? "warning" : "info";
    const ColorRole role = level == Level::Error ? ColorRole::Bad : level == Level::Warning ? ColorRole::Warn : ColorRole::Accent;
    m_icon->setPixmap(m_theme.icon(QLatin1String(icon), role).pixmap(kIconSize, kIconSize));
}

} // namespace athanor
