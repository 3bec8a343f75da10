#include "ui/compare/run_colors.h"

#include "engine/compare/comparison.h"
#include "ui/theme/theme.h"

#include <QPixmap>

#include <array>

namespace athanor {
namespace {

constexpr std::size_t kColors = 8;
constexpr int kIconSize = 10;

} // namespace

QColor runColor(const Theme& theme, std::size_t run)
{
    return theme.seriesColor(static_cast<int>(run % kColors));
}

QColor runColor(const Theme& theme, const Comparison& comparison, std::size_t run)
{
    const QColor marked(QString::fromStdString(comparison.runs[run].color));
    return marked.isValid() ? marked : runColor(theme, run);
}

Qt::PenStyle runPenStyle(std::size_t run)
{
    static constexpr std::array kStyles{Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};
    return kStyles[run / kColors % kStyles.size()];
}

QIcon colorIcon(const QColor& color)
{
    QPixmap square(kIconSize, kIconSize);
    square.fill(color);
    return QIcon(square);
}

} // namespace athanor
