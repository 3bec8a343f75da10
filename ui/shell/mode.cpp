#include "ui/shell/mode.h"

#include <QCoreApplication>

namespace athanor {

QString modeTitle(Mode mode)
{
    switch (mode) {
    case Mode::Welcome:
        return QCoreApplication::translate("Mode", "Welcome");
    case Mode::Build:
        return QCoreApplication::translate("Mode", "Build");
    case Mode::Train:
        return QCoreApplication::translate("Mode", "Train");
    case Mode::Diagnose:
        return QCoreApplication::translate("Mode", "Diagnose");
    case Mode::Runs:
        return QCoreApplication::translate("Mode", "Runs");
    }
    return {};
}

QString modeKey(Mode mode)
{
    static constexpr std::array kKeys{"welcome", "build", "train", "diagnose", "runs"};
    return QString::fromLatin1(kKeys[static_cast<std::size_t>(mode)]);
}

} // namespace athanor
