#include "engine/data/split.h"

#include "engine/data/sample_random.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace athanor {

namespace {

/// Fisher and Yates, from the end.
std::vector<std::int64_t> shuffled(std::int64_t count, std::uint64_t seed)
{
    std::vector<std::int64_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    SampleRandom random({seed});
    for (std::int64_t last = count - 1; last > 0; --last)
        std::swap(order[static_cast<std::size_t>(last)],
                  order[static_cast<std::size_t>(random.below(last + 1))]);
    return order;
}

} // namespace

std::array<std::vector<std::int64_t>, 3> splitSamples(std::int64_t count, const std::array<double, 3>& shares,
                                                      const std::vector<std::int64_t>& classes,
                                                      std::uint64_t seed)
{
    std::vector<std::int64_t> order = shuffled(count, seed);
    if (!classes.empty())
        std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
            return classes[static_cast<std::size_t>(a)] < classes[static_cast<std::size_t>(b)];
        });
    // Along the list each sample goes where most is missing of what the shares ask for so far. So every
    // stretch of it, also that of a small class, is divided as the whole is.
    const std::array<double, 4> wanted = {shares[0], shares[1], shares[2],
                                          std::max(0.0, 1 - shares[0] - shares[1] - shares[2])};
    std::array<std::vector<std::int64_t>, 4> parts; // the last one: not used
    for (std::size_t done = 0; done < order.size(); ++done) {
        std::array<double, 4> missing{};
        for (std::size_t part = 0; part < parts.size(); ++part)
            missing[part] = wanted[part] < 1e-9 ? -1e300
                                                : wanted[part] * static_cast<double>(done + 1) -
                                                      static_cast<double>(parts[part].size());
        const auto most = std::max_element(missing.begin(), missing.end());
        parts[static_cast<std::size_t>(most - missing.begin())].push_back(order[done]);
    }
    for (std::vector<std::int64_t>& part : parts)
        std::sort(part.begin(), part.end());
    return {std::move(parts[0]), std::move(parts[1]), std::move(parts[2])};
}

std::array<std::vector<std::int64_t>, 3> splitGroups(const std::vector<std::int64_t>& groups,
                                                     std::int64_t groupCount,
                                                     const std::array<double, 3>& shares, std::uint64_t seed)
{
    std::vector<std::vector<std::int64_t>> members(static_cast<std::size_t>(groupCount));
    for (std::size_t sample = 0; sample < groups.size(); ++sample)
        members[static_cast<std::size_t>(groups[sample])].push_back(static_cast<std::int64_t>(sample));
    const std::array<double, 4> wanted = {shares[0], shares[1], shares[2],
                                          std::max(0.0, 1 - shares[0] - shares[1] - shares[2])};
    std::vector<std::int64_t> order = shuffled(groupCount, seed);
    // Large groups first: the small ones then fill up what is missing.
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        return members[static_cast<std::size_t>(a)].size() > members[static_cast<std::size_t>(b)].size();
    });
    std::array<std::vector<std::int64_t>, 4> parts; // the last one: not used
    for (const std::int64_t group : order) {
        std::array<double, 4> missing{};
        for (std::size_t part = 0; part < parts.size(); ++part)
            missing[part] = wanted[part] < 1e-9 ? -1e300
                                                : wanted[part] * static_cast<double>(groups.size()) -
                                                      static_cast<double>(parts[part].size());
        const auto most = std::max_element(missing.begin(), missing.end()) - missing.begin();
        const auto& taken = members[static_cast<std::size_t>(group)];
        auto& part = parts[static_cast<std::size_t>(most)];
        part.insert(part.end(), taken.begin(), taken.end());
    }
    for (std::vector<std::int64_t>& part : parts)
        std::sort(part.begin(), part.end());
    return {std::move(parts[0]), std::move(parts[1]), std::move(parts[2])};
}

std::array<std::vector<std::int64_t>, 3> splitOrdered(const std::vector<std::int64_t>& order,
                                                      const std::array<double, 3>& shares)
{
    std::array<std::vector<std::int64_t>, 3> parts;
    double share = 0;
    std::size_t begin = 0;
    for (std::size_t part = 0; part < parts.size(); ++part) {
        share += shares[part];
        const auto end = std::min(
            order.size(), static_cast<std::size_t>(std::llround(share * static_cast<double>(order.size()))));
        parts[part].assign(order.begin() + static_cast<std::ptrdiff_t>(begin),
                           order.begin() + static_cast<std::ptrdiff_t>(end));
        std::sort(parts[part].begin(), parts[part].end());
        begin = end;
    }
    return parts;
}

std::vector<std::int64_t> dealFolds(std::int64_t count, std::int64_t folds,
                                    const std::vector<std::int64_t>& classes, std::uint64_t seed)
{
    std::vector<std::int64_t> order = shuffled(count, seed);
    if (!classes.empty())
        std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
            return classes[static_cast<std::size_t>(a)] < classes[static_cast<std::size_t>(b)];
        });
    // Dealing the sorted samples like cards gives every fold its share of every class, to within one sample.
    std::vector<std::int64_t> foldOf(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < order.size(); ++i)
        foldOf[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i) % folds;
    return foldOf;
}

} // namespace athanor
