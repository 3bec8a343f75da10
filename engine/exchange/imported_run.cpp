#include "engine/exchange/imported_run.h"

#include <algorithm>
#include <numeric>

namespace athanor {

void sortByStep(SeriesPoints& points)
{
    if (std::is_sorted(points.steps.begin(), points.steps.end()))
        return;
    std::vector<std::size_t> order(points.steps.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return points.steps[a] < points.steps[b]; });
    SeriesPoints sorted;
    for (const std::size_t i : order) {
        sorted.steps.push_back(points.steps[i]);
        sorted.values.push_back(points.values[i]);
    }
    points = std::move(sorted);
}

} // namespace athanor
