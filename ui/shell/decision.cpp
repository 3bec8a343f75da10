#include "ui/shell/decision.h"

#include "ui/theme/theme.h"

#include <QDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <utility>

namespace athanor {
namespace {

/// Escape and the window's close button take the safe choice, whatever its number.
class DecisionDialog final : public QDialog {
public:
    DecisionDialog(QWidget* parent, int safe) : QDialog(parent), m_safe(safe) {}
    void reject() override { done(m_safe); }

private:
    int m_safe;
};

} // namespace

void askDecision(QWidget* parent, const QString& title, const QString& text, const QStringList& choices,
                 std::function<void(int)> decided)
{
    auto* dialog = new DecisionDialog(parent, static_cast<int>(choices.size()) - 1);
    dialog->setObjectName(QStringLiteral("decision"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(title);

    auto* heading = new QLabel(title);
    heading->setProperty("look", QStringLiteral("title"));
    auto* message = new QLabel(text);
    message->setWordWrap(true);
    message->setMinimumWidth(360);

    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(spacing::kBetween);
    buttons->addStretch();
    const int safe = static_cast<int>(choices.size()) - 1;
    for (int i = 0; i <= safe; ++i) {
        auto* button = new QPushButton(choices[i]);
        button->setObjectName(QStringLiteral("choice%1").arg(i));
        button->setAutoDefault(false);
        QObject::connect(button, &QPushButton::clicked, dialog, [dialog, i] { dialog->done(i); });
        buttons->addWidget(button);
        button->setDefault(i == safe);
    }

    auto* layout = new QVBoxLayout(dialog);
    layout->setContentsMargins(spacing::kAround, spacing::kAround, spacing::kAround, spacing::kAround);
    layout->setSpacing(spacing::kBetween);
    layout->addWidget(heading);
    layout->addWidget(message);
    layout->addSpacing(spacing::kBetween);
    layout->addLayout(buttons);

    QObject::connect(dialog, &QDialog::finished, dialog,
                     [decided = std::move(decided)](int choice) { decided(choice); });
    dialog->findChild<QPushButton*>(QStringLiteral("choice%1").arg(safe))->setFocus();
    dialog->open();
}

} // namespace athanor
