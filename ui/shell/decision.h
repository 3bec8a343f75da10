// GUI thread. A modal question with verbs on its buttons; the only modal message there is.
#pragma once

#include <QString>
#include <QStringList>

#include <functional>

class QWidget;

namespace athanor {

/// Asks without blocking the caller: a window-modal dialog named "decision", a button per choice (named
/// "choice0", "choice1", …). The last choice is the safe one: it has the focus, and Escape takes it.
/// `decided` gets the number of the choice.
void askDecision(QWidget* parent, const QString& title, const QString& text, const QStringList& choices,
                 std::function<void(int)> decided);

} // namespace athanor
