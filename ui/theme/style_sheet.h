// GUI thread. What Fusion and a palette cannot say: spacing, radii, quiet tool buttons, cards.
#pragma once

#include "ui/theme/theme.h"

namespace athanor {

/// The application's style sheet for a scheme. Widgets opt in to special looks by the dynamic property
/// `look`: "card", "primary" (button), "mode" (mode bar button), "bar" (info bar), "muted", "title", "link".
QString styleSheet(bool dark);

} // namespace athanor
