// Any thread (pure functions). Which names fit where the cursor stands.
#pragma once

#include <QString>
#include <QStringList>

namespace athanor {

/// What the source can name beside Python and LibTorch.
struct ScriptNames {
    QStringList members; ///< behind self.: declared tensors, constants, training, own methods
};

struct Completion {
    QString typed;     ///< the part of a name before the cursor
    QStringList names; ///< that begin with it, sorted; empty: nothing to offer
};

/// `before` is the source up to the cursor, `whole` all of it. With `asked` a name may be empty, else two letters,
/// or a dot, call for an offer. Nothing is offered inside of texts and comments.
Completion completionAt(const QString& before, const QString& whole, const ScriptNames& names, bool asked);

/// The signatures of the function whose parenthesis was just opened: "relu(Tensor self) -> Tensor"; empty: not known.
QStringList callTipAt(const QString& before);

} // namespace athanor
