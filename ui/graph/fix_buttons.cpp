#include "ui/graph/fix_buttons.h"

#include "ui/theme/theme.h"

#include <QFontMetrics>
#include <QPushButton>
#include <QVBoxLayout>

namespace athanor {
namespace {

/// The text takes as much room as there is, and ends in dots when there is less; the tooltip has it whole.
class FixButton : public QPushButton {
public:
    FixButton(const QString& text, const Theme& theme, QWidget* parent) : QPushButton(parent), m_text(text)
    {
        setObjectName(QStringLiteral("fixButton"));
        setProperty("look", QStringLiteral("fix"));
        setIcon(theme.icon(QStringLiteral("fix"), ColorRole::Accent));
        setToolTip(text);
        setAccessibleName(text);
        setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
        setText(text);
    }

protected:
    void resizeEvent(QResizeEvent* event) override
    {
        QPushButton::resizeEvent(event);
        constexpr int kBesideText = 40; // icon, padding and border
        setText(fontMetrics().elidedText(m_text, Qt::ElideRight, width() - kBesideText));
    }

private:
    QString m_text;
};

} // namespace

FixButtons::FixButtons(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme), m_column(new QVBoxLayout(this))
{
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(spacing::kInside);
    hide();
}

void FixButtons::show(const std::vector<SuggestedFix>& fixes)
{
    if (fixes == m_fixes) {
        return;
    }
    m_fixes = fixes;
    while (QLayoutItem* item = m_column->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater(); // its own click may be what brought the new fixes
        delete item;
    }
    for (const SuggestedFix& fix : fixes) {
        if (fix.canBeApplied()) {
            auto* button = new FixButton(QString::fromStdString(fix.text), m_theme, this);
            connect(button, &QPushButton::clicked, this, [this, fix] { Q_EMIT fixRequested(fix); });
            m_column->addWidget(button);
        }
    }
    setVisible(m_column->count() > 0);
}

} // namespace athanor
