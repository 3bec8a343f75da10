#include "engine/train/lr_finder.h"

#include "engine/train/trial.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace athanor {
namespace {

constexpr double kMemory = 0.9;     // of the smoothed loss
constexpr double kDivergence = 4;   // times the least smoothed loss
constexpr double kLeastDrop = 0.02; // of the first loss, for a suggestion
constexpr std::size_t kFewest = 10; // points

std::vector<double> smoothedLosses(const std::vector<double>& losses)
{
    std::vector<double> smoothed;
    double mean = 0, weight = 0;
    for (const double loss : losses) {
        if (std::isfinite(loss)) {
            mean = kMemory * mean + (1 - kMemory) * loss;
            weight = kMemory * weight + (1 - kMemory);
        }
        smoothed.push_back(weight > 0 ? mean / weight : std::numeric_limits<double>::quiet_NaN());
    }
    return smoothed;
}

/// Mean distance of the losses from their smoothed curve before it moves: what a fall must exceed to be none of chance.
double noiseOf(const LrCurve& curve, std::size_t count)
{
    double sum = 0;
    std::size_t finite = 0;
    for (std::size_t i = 0; i < count; ++i)
        if (std::isfinite(curve.losses[i])) {
            sum += std::abs(curve.losses[i] - curve.smoothed[i]);
            ++finite;
        }
    return finite > 0 ? sum / static_cast<double>(finite) : 0;
}

/// Where the smoothed loss falls fastest over the logarithm of the rate, by differences over two intervals.
std::optional<std::size_t> steepest(const LrCurve& curve, std::size_t lowest)
{
    std::optional<std::size_t> found;
    double least = 0;
    for (std::size_t i = 1; i + 1 < curve.rates.size() && i <= lowest; ++i) {
        const double slope = (curve.smoothed[i + 1] - curve.smoothed[i - 1]) /
                             std::log(curve.rates[i + 1] / curve.rates[i - 1]);
        if (std::isfinite(slope) && slope < least) {
            least = slope;
            found = i;
        }
    }
    return found;
}

} // namespace

LrCurve judgedCurve(std::vector<double> rates, std::vector<double> losses)
{
    LrCurve curve;
    curve.rates = std::move(rates);
    curve.losses = std::move(losses);
    curve.smoothed = smoothedLosses(curve.losses);
    const auto finite = std::ranges::count_if(curve.losses, [](double loss) { return std::isfinite(loss); });
    if (finite < static_cast<std::ptrdiff_t>(kFewest)) {
        curve.reason = fmt::format("Only {} of the losses are finite: the curve says nothing.", finite);
        return curve;
    }
    std::size_t lowest = 0;
    for (std::size_t i = 0; i < curve.smoothed.size(); ++i)
        if (!(curve.smoothed[i] >= curve.smoothed[lowest])) // a leading NaN gives way
            lowest = i;
    const auto isFinite = [](double loss) { return std::isfinite(loss); };
    const double first = *std::ranges::find_if(curve.smoothed, isFinite);
    const double drop = first - curve.smoothed[lowest];
    const double noise = noiseOf(curve, std::max(kFewest, lowest / 3));
    const auto place = steepest(curve, lowest);
    if (!place || drop < kLeastDrop * std::abs(first) || drop < 2 * noise) {
        curve.reason = fmt::format("The loss falls by {:.3g} at most, from {:.3g}, and scatters by {:.3g}: no rate stands out.",
                                   std::max(drop, 0.0), first, noise);
        return curve;
    }
    curve.suggestion = curve.rates[*place];
    curve.reason = fmt::format("The loss falls fastest at {:.2g}; it is lowest at {:.2g}.", curve.rates[*place],
                               curve.rates[lowest]);
    return curve;
}

Result<LrCurve> findLearningRate(const Project& project, const LrFindOptions& options)
{
    auto opened = Trial::open(project, options.threads, options.workers);
    if (!opened.ok())
        return opened.error();
    Trial& trial = **opened;
    const auto base = trial.baseRates();
    const double first = base.front() > 0 ? base.front() : 1;
    std::vector<double> rates, losses;
    double mean = 0, weight = 0, least = std::numeric_limits<double>::infinity();
    for (std::int64_t i = 0; i < options.steps; ++i) {
        const double share = options.steps > 1 ? static_cast<double>(i) / static_cast<double>(options.steps - 1) : 0;
        const double rate = options.start * std::pow(options.end / options.start, share);
        std::vector<double> groupRates;
        for (const double groupRate : base)
            groupRates.push_back(base.front() > 0 ? rate * groupRate / first : rate);
        const auto batch = trial.next();
        if (!batch.ok())
            return batch.error();
        const auto outcome = trial.step(*batch, groupRates);
        if (!outcome.ok())
            return outcome.error();
        rates.push_back(rate);
        losses.push_back(outcome->loss);
        if (options.progress && !options.progress(i + 1, options.steps))
            return Error{ErrorCode::Cancelled, "The search was cancelled.", "training/optimizer/lr"};
        if (!std::isfinite(outcome->loss))
            break; // what comes after is no better
        mean = kMemory * mean + (1 - kMemory) * outcome->loss;
        weight = kMemory * weight + (1 - kMemory);
        least = std::min(least, mean / weight);
        if (mean / weight > kDivergence * std::abs(least) && i >= static_cast<std::int64_t>(kFewest))
            break;
    }
    return judgedCurve(std::move(rates), std::move(losses));
}

} // namespace athanor
