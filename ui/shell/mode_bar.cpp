#include "ui/shell/mode_bar.h"

#include "ui/theme/theme.h"

#include <QAction>
#include <QToolButton>
#include <QVBoxLayout>

namespace athanor {
namespace {

constexpr int kBarWidth = 72;
constexpr int kModeIcon = 24;
constexpr int kRunIcon = 20;

} // namespace

ModeBar::ModeBar(const std::vector<QAction*>& modes, const std::vector<QAction*>& runActions, QWidget* parent)
    : QFrame(parent)
{
    setObjectName(QStringLiteral("modeBar"));
    setProperty("look", QStringLiteral("modebar"));
    setFixedWidth(kBarWidth);
    m_layout = new QVBoxLayout(this);
    m_layout->setContentsMargins(spacing::kInside, spacing::kInside, spacing::kInside, spacing::kBetween);
    m_layout->setSpacing(spacing::kInside);
    for (QAction* action : modes)
        addButton(action, Qt::ToolButtonTextUnderIcon, kModeIcon);
    m_layout->addStretch();
    for (QAction* action : runActions)
        addButton(action, Qt::ToolButtonIconOnly, kRunIcon);
}

void ModeBar::addButton(QAction* action, Qt::ToolButtonStyle style, int iconSize)
{
    auto* button = new QToolButton;
    button->setObjectName(action->objectName() + QStringLiteral("Button"));
    button->setProperty("look", QStringLiteral("mode"));
    button->setDefaultAction(action);
    button->setToolButtonStyle(style);
    button->setIconSize(QSize(iconSize, iconSize));
    button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    button->setFocusPolicy(Qt::TabFocus);
    m_layout->addWidget(button);
}

} // namespace athanor
