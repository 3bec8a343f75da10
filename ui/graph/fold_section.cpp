#include "ui/graph/fold_section.h"

#include "ui/theme/theme.h"

#include <QToolButton>
#include <QVBoxLayout>

namespace athanor {

FoldSection::FoldSection(const QString& name, const QString& title, Fold fold, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_button(new QToolButton(this)), m_content(new QWidget(this)),
      m_column(new QVBoxLayout(m_content))
{
    setObjectName(name);
    m_button->setObjectName(name + QStringLiteral("Button"));
    m_button->setText(title);
    m_button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_button->setIconSize({12, 12});
    m_button->setFocusPolicy(Qt::StrongFocus);
    QFont heading = theme.font(FontRole::Body);
    heading.setWeight(QFont::DemiBold);
    m_button->setFont(heading);
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(spacing::kBetween);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(spacing::kInside);
    column->addWidget(m_button);
    column->addWidget(m_content);
    connect(m_button, &QToolButton::clicked, this, [this] { setOpen(!m_open); });
    setOpen(fold == Fold::Open);
}

void FoldSection::add(QWidget* widget)
{
    m_column->addWidget(widget);
}

void FoldSection::setOpen(bool open)
{
    m_open = open;
    m_button->setAccessibleDescription(open ? tr("unfolded") : tr("folded"));
    m_button->setIcon(m_theme.icon(open ? QStringLiteral("chevron-down") : QStringLiteral("chevron-right")));
    m_content->setVisible(open);
}

} // namespace athanor
