#include "engine/compare/rank_correlation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace athanor {
namespace {

constexpr std::size_t kFewestRuns = 3;

double meanOf(std::span<const double> values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Share of the variance of `ranks` that lies between the groups (η²); 0 when they are all alike.
double betweenGroups(const std::vector<std::string>& groups, const std::vector<double>& ranks)
{
    const double mean = meanOf(ranks);
    std::map<std::string, std::pair<double, double>> sums; // sum, count
    double whole = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        auto& [sum, count] = sums[groups[i]];
        sum += ranks[i];
        count += 1;
        whole += (ranks[i] - mean) * (ranks[i] - mean);
    }
    double between = 0;
    for (const auto& [group, total] : sums)
        between += total.second * std::pow(total.first / total.second - mean, 2);
    return whole > 0 ? between / whole : 0;
}

} // namespace

std::vector<double> ranksOf(std::span<const double> values)
{
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> ranks(values.size());
    for (std::size_t i = 0; i < order.size();) {
        std::size_t end = i;
        while (end < order.size() && values[order[end]] == values[order[i]])
            ++end;
        for (std::size_t k = i; k < end; ++k)
            ranks[order[k]] = static_cast<double>(i + 1 + end) / 2;
        i = end;
    }
    return ranks;
}

std::optional<double> rankCorrelation(std::span<const double> a, std::span<const double> b)
{
    std::vector<double> x;
    std::vector<double> y;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        if (std::isfinite(a[i]) && std::isfinite(b[i])) {
            x.push_back(a[i]);
            y.push_back(b[i]);
        }
    }
    if (x.size() < kFewestRuns)
        return std::nullopt;
    x = ranksOf(x);
    y = ranksOf(y);
    const double meanX = meanOf(x);
    const double meanY = meanOf(y);
    double xy = 0;
    double xx = 0;
    double yy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xy += (x[i] - meanX) * (y[i] - meanY);
        xx += (x[i] - meanX) * (x[i] - meanX);
        yy += (y[i] - meanY) * (y[i] - meanY);
    }
    if (xx == 0 || yy == 0)
        return std::nullopt;
    return xy / std::sqrt(xx * yy);
}

std::vector<ParameterWeight> parameterWeights(std::span<const std::string> names,
                                              std::span<const std::vector<std::optional<RunValue>>> values,
                                              std::span<const double> metric)
{
    std::vector<ParameterWeight> out;
    for (std::size_t p = 0; p < names.size(); ++p) {
        std::vector<double> numbers;
        std::vector<double> numberMetric;
        std::vector<std::string> texts;
        std::vector<double> all;
        bool isNumber = true;
        for (std::size_t run = 0; run < values.size(); ++run) {
            const auto& value = values[run][p];
            if (!value || !std::isfinite(metric[run]))
                continue;
            all.push_back(metric[run]);
            if (const auto* number = std::get_if<double>(&*value)) {
                numbers.push_back(*number);
                numberMetric.push_back(metric[run]);
                texts.push_back(Json(*number).dump());
            } else {
                isNumber = false;
                texts.push_back(std::get<std::string>(*value));
            }
        }
        const bool differs =
            std::adjacent_find(texts.begin(), texts.end(), std::not_equal_to<>()) != texts.end();
        if (!differs || all.size() < kFewestRuns)
            continue;
        ParameterWeight weight{names[p], isNumber, 0, 0, all.size()};
        if (isNumber) {
            weight.rho = rankCorrelation(numbers, numberMetric).value_or(0);
            weight.weight = std::abs(weight.rho);
        } else {
            weight.weight = betweenGroups(texts, ranksOf(all));
        }
        out.push_back(std::move(weight));
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const ParameterWeight& a, const ParameterWeight& b) { return a.weight > b.weight; });
    return out;
}

} // namespace athanor
