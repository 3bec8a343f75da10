#include "engine/compare/report_svg.h"

#include "engine/graph/graph_layout.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace athanor {
namespace {

constexpr double kWidth = 760;
constexpr double kHeight = 300;
constexpr double kLeft = 70;
constexpr double kRight = 12;
constexpr double kTop = 14;
constexpr double kBottom = 40;
constexpr std::size_t kMostPoints = 1600; ///< of a curve: two for each pixel column and more

struct Range {
    double from = std::numeric_limits<double>::infinity();
    double to = -std::numeric_limits<double>::infinity();
    void add(double value)
    {
        if (!std::isfinite(value))
            return;
        from = std::min(from, value);
        to = std::max(to, value);
    }
    void settle()
    {
        if (!(from <= to)) {
            from = 0;
            to = 1;
        } else if (from == to) {
            const double air = from == 0 ? 1 : std::abs(from) * 0.1;
            from -= air;
            to += air;
        }
    }
};

/// Ticks at 1, 2 or 5 times a power of ten.
std::vector<double> ticks(const Range& range, int most)
{
    const double rough = (range.to - range.from) / most;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= rough) {
            step = factor * power;
            break;
        }
    }
    std::vector<double> out;
    const auto last = static_cast<long long>(std::floor(range.to / step + 1e-9));
    for (auto i = static_cast<long long>(std::ceil(range.from / step - 1e-9)); i <= last; ++i)
        out.push_back(static_cast<double>(i) * step);
    return out;
}

class Chart {
public:
    Chart(Range x, Range y) : m_x(x), m_y(y) {}
    [[nodiscard]] double px(double x) const
    {
        return kLeft + (x - m_x.from) / (m_x.to - m_x.from) * (kWidth - kLeft - kRight);
    }
    [[nodiscard]] double py(double y) const
    {
        return kHeight - kBottom - (y - m_y.from) / (m_y.to - m_y.from) * (kHeight - kTop - kBottom);
    }
    [[nodiscard]] std::string axes(const std::string& xTitle) const
    {
        std::string out;
        for (const double tick : ticks(m_y, 6))
            out +=
                fmt::format("<line class=\"grid\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
                            "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:.6g}</text>\n",
                            kLeft, kWidth - kRight, py(tick), py(tick), kLeft - 6, py(tick) + 4, tick);
        for (const double tick : ticks(m_x, 8))
            out += fmt::format(
                "<line class=\"grid\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
                "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:.6g}</text>\n",
                px(tick), px(tick), kTop, kHeight - kBottom, px(tick), kHeight - kBottom + 16, tick);
        return out + fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                                 (kLeft + kWidth - kRight) / 2, kHeight - 6, escapedHtml(xTitle));
    }
    [[nodiscard]] std::string line(const ChartCurve& curve) const
    {
        const std::string style = fmt::format("s{}{}", curve.color % 8, curve.dashed ? " dashed" : "");
        std::string path;
        std::string marks;
        bool pen = false;
        const Curve drawn = outlined(curve.curve, kMostPoints);
        for (std::size_t i = 0; i < drawn.x.size(); ++i) {
            if (!std::isfinite(drawn.y[i])) {
                marks += fmt::format("<path class=\"s{} mark\" d=\"M{:.1f} {:.1f}l-4 -8h8z\"/>",
                                     curve.color % 8, px(drawn.x[i]), kTop + 8);
                pen = false;
                continue;
            }
            path += fmt::format("{}{:.1f} {:.1f}", pen ? "L" : "M", px(drawn.x[i]), py(drawn.y[i]));
            pen = true;
        }
        std::string out = fmt::format("<path class=\"line {}\" d=\"{}\"/>", style, path);
        if (curve.curve.x.size() == 1 && !path.empty())
            out += fmt::format("<circle class=\"s{} mark\" r=\"3\" cx=\"{:.1f}\" cy=\"{:.1f}\"/>",
                               curve.color % 8, px(drawn.x[0]), py(drawn.y[0]));
        return out + marks + "\n";
    }

private:
    Range m_x;
    Range m_y;
};

const char* signOf(NodeChange change)
{
    switch (change) {
    case NodeChange::Added:
        return "+";
    case NodeChange::Removed:
        return "\xE2\x88\x92";
    case NodeChange::Renamed:
        return "\xE2\x86\x92";
    case NodeChange::Changed:
        break;
    }
    return "\xE2\x89\xA0";
}

} // namespace

std::string escapedHtml(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        case '\'':
            out += "&#39;";
            break;
        default:
            out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
        }
    }
    return out;
}

std::string chartSvg(const std::vector<ChartCurve>& curves, const std::string& xTitle)
{
    Range x;
    Range y;
    for (const ChartCurve& curve : curves) {
        for (const double value : curve.curve.x)
            x.add(value);
        for (const double value : curve.curve.y)
            y.add(value);
    }
    x.settle();
    y.settle();
    const double air = (y.to - y.from) * 0.04;
    y = {y.from - air, y.to + air};
    const Chart chart(x, y);
    std::string out =
        fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\">\n", kWidth, kHeight) + chart.axes(xTitle);
    for (const ChartCurve& curve : curves)
        out += chart.line(curve);
    return out + "</svg>\n";
}

std::string networkSvg(const MergedGraph& network)
{
    std::map<NodeId, NodeSize> sizes;
    for (const Node& node : network.graph.nodes())
        sizes[node.id] = {
            std::max(120.0, 8.0 * static_cast<double>(std::max(node.id.size(), node.kind.size())) + 40), 44};
    const auto places = layoutGraph(network.graph, sizes);
    double width = 0;
    double height = 0;
    for (const auto& [id, at] : places) {
        width = std::max(width, at.x + sizes[id].width);
        height = std::max(height, at.y + sizes[id].height);
    }
    std::string out =
        fmt::format("<svg viewBox=\"-10 -10 {:.0f} {:.0f}\" style=\"max-width:{:.0f}px\" role=\"img\">\n",
                    width + 20, height + 20, width + 20);
    for (const Edge& edge : network.graph.edges()) {
        const auto from = places.find(edge.from.node);
        const auto to = places.find(edge.to.node);
        if (from == places.end() || to == places.end())
            continue;
        const double x1 = from->second.x + sizes[edge.from.node].width;
        const double y1 = from->second.y + sizes[edge.from.node].height / 2;
        const double x2 = to->second.x;
        const double y2 = to->second.y + sizes[edge.to.node].height / 2;
        const double bend = std::max(20.0, std::abs(x2 - x1) / 2);
        const char* change = network.added.contains(edge)     ? "added"
                             : network.removed.contains(edge) ? "removed"
                                                              : "same";
        out += fmt::format(
            "<path class=\"edge {}\" d=\"M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}\"/>\n",
            change, x1, y1, x1 + bend, y1, x2 - bend, y2, x2, y2);
    }
    for (const Node& node : network.graph.nodes()) {
        const auto at = places.find(node.id);
        if (at == places.end())
            continue;
        const auto change = network.changes.find(node.id);
        const bool same = change == network.changes.end();
        out +=
            fmt::format("<g class=\"node {}\"><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
                        "height=\"{:.1f}\" rx=\"4\"/>"
                        "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text><text class=\"muted\" x=\"{:.1f}\" "
                        "y=\"{:.1f}\">{}</text>",
                        same ? "same" : nodeChangeName(change->second.change), at->second.x, at->second.y,
                        sizes[node.id].width, sizes[node.id].height, at->second.x + 10, at->second.y + 18,
                        escapedHtml(node.id), at->second.x + 10, at->second.y + 35, escapedHtml(node.kind));
        if (!same)
            out += fmt::format("<text class=\"sign\" text-anchor=\"end\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>",
                               at->second.x + sizes[node.id].width - 8, at->second.y + 19,
                               signOf(change->second.change));
        out += "</g>\n";
    }
    return out + "</svg>\n";
}

} // namespace athanor
