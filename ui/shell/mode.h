// Any thread (plain data). The five modes of the window.
#pragma once

#include <QString>

#include <array>

namespace athanor {

enum class Mode { Welcome, Build, Train, Diagnose, Runs };

inline constexpr std::array kModes{Mode::Welcome, Mode::Build, Mode::Train, Mode::Diagnose, Mode::Runs};

QString modeTitle(Mode mode); ///< for people, translated
QString modeKey(Mode mode);   ///< "build": icon name and key of the settings

} // namespace athanor
