#include "ui/theme/theme_colors.h"

#include <array>

namespace athanor {
namespace {

struct Pair {
    ColorRole role;
    QRgb light;
    QRgb dark;
};

// Series are the Okabe–Ito colours in their order; in the light table those too pale for a white ground are
// darkened at equal hue, in the dark table the blue is lightened.
constexpr std::array kColors{
    Pair{ColorRole::Surface, 0xfff3f4f6, 0xff17191d},
    Pair{ColorRole::Raised, 0xffffffff, 0xff212429},
    Pair{ColorRole::Border, 0xffd3d7dd, 0xff3a3f47},
    Pair{ColorRole::Text, 0xff1c2026, 0xffe6e8ec},
    Pair{ColorRole::Muted, 0xff5b6470, 0xff9aa3af},
    Pair{ColorRole::Accent, 0xff1a64b8, 0xff6cb2ff},
    Pair{ColorRole::AccentText, 0xffffffff, 0xff0b1826},
    Pair{ColorRole::Good, 0xff197a35, 0xff57c271},
    Pair{ColorRole::Warn, 0xff8a5a00, 0xffe0a83a},
    Pair{ColorRole::Bad, 0xffc0262d, 0xffff7b78},
    Pair{ColorRole::Grid, 0xffe4e7eb, 0xff30343b},
    Pair{ColorRole::FamilyInput, 0xff0f766e, 0xff2dd4bf},
    Pair{ColorRole::FamilyLinear, 0xff2563eb, 0xff60a5fa},
    Pair{ColorRole::FamilyConvolution, 0xff7c3aed, 0xffa78bfa},
    Pair{ColorRole::FamilyPooling, 0xff0889a8, 0xff22d3ee},
    Pair{ColorRole::FamilyNormalization, 0xff5b930c, 0xffa3e635},
    Pair{ColorRole::FamilyActivation, 0xffe4560b, 0xfffb923c},
    Pair{ColorRole::FamilyDropout, 0xff78716c, 0xffa8a29e},
    Pair{ColorRole::FamilyShape, 0xff64748b, 0xff94a3b8},
    Pair{ColorRole::FamilyCombine, 0xffdb2777, 0xfff472b6},
    Pair{ColorRole::FamilyEmbedding, 0xffb45309, 0xfffbbf24},
    Pair{ColorRole::FamilyRecurrent, 0xff15803d, 0xff4ade80},
    Pair{ColorRole::FamilyAttention, 0xff4338ca, 0xff818cf8},
    Pair{ColorRole::FamilyScript, 0xffa21caf, 0xffe879f9},
    Pair{ColorRole::FamilyGroup, 0xff475569, 0xffcbd5e1},
    Pair{ColorRole::FamilyLoss, 0xffdc2626, 0xfff87171},
    Pair{ColorRole::FamilySource, 0xff0f766e, 0xff2dd4bf},
    Pair{ColorRole::FamilyTransform, 0xff2563eb, 0xff60a5fa},
    Pair{ColorRole::FamilyOther, 0xff6b7280, 0xff9ca3af},
    Pair{ColorRole::Series1, 0xffb67e00, 0xffe69f00},
    Pair{ColorRole::Series2, 0xff1b90d2, 0xff56b4e9},
    Pair{ColorRole::Series3, 0xff009b71, 0xff00a87a},
    Pair{ColorRole::Series4, 0xff958b0c, 0xfff0e442},
    Pair{ColorRole::Series5, 0xff0072b2, 0xff2f93d6},
    Pair{ColorRole::Series6, 0xffd55e00, 0xffe2701a},
    Pair{ColorRole::Series7, 0xffc66a9d, 0xffcc79a7},
    Pair{ColorRole::Series8, 0xff2f343b, 0xffc3c9d1},
};

constexpr bool everyRoleInOrder()
{
    for (std::size_t i = 0; i < kColors.size(); ++i) {
        if (kColors[i].role != static_cast<ColorRole>(i))
            return false;
    }
    return kColors.size() == static_cast<std::size_t>(ColorRole::Count);
}
static_assert(everyRoleInOrder());

} // namespace

QColor themeColor(ColorRole role, bool dark)
{
    const Pair& pair = kColors[static_cast<std::size_t>(role)];
    return QColor::fromRgb(dark ? pair.dark : pair.light);
}

} // namespace athanor
