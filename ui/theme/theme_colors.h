// Any thread (plain data). The two colour tables, light and dark.
#pragma once

#include "ui/theme/theme.h"

namespace athanor {

/// The colour of a role in one scheme. Text roles (Text, Muted, Accent, Good, Warn, Bad) have a contrast of at
/// least 4.5:1 on Surface and Raised, AccentText on Accent; families and series at least 3:1. Border and
/// Grid only decorate.
QColor themeColor(ColorRole role, bool dark);

} // namespace athanor
