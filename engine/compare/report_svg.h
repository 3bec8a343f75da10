// Any thread (pure functions). Charts and networks as SVG elements for a report, without any script.
#pragma once

#include "engine/compare/curve_math.h"
#include "engine/compare/graph_difference.h"

#include <string>
#include <string_view>
#include <vector>

namespace athanor {

struct ChartCurve {
    std::string name;
    Curve curve;
    int color = 0; ///< 0, 1, … of the report's series colours
    bool dashed = false;
};

/// A line chart. Values that are not finite are marks at the top edge; a line has gaps there.
std::string chartSvg(const std::vector<ChartCurve>& curves, const std::string& xTitle);

/// A merged network: added, removed, changed and renamed nodes by colour and sign.
std::string networkSvg(const MergedGraph& network);

/// Text as HTML and SVG need it; control characters become spaces.
std::string escapedHtml(std::string_view text);

} // namespace athanor
