#include "engine/data/sample_order.h"

#include "engine/data/sample_random.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/torch.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace athanor {

namespace {

std::vector<std::int64_t> numbersOf(const torch::Tensor& tensor)
{
    const auto* data = tensor.data_ptr<std::int64_t>();
    return {data, data + tensor.numel()};
}

at::Generator generatorOf(std::uint64_t seed, std::uint64_t epoch)
{
    SampleRandom mixed({seed, epoch});
    return at::detail::createCPUGenerator(mixed.next());
}

} // namespace

std::vector<std::int64_t> shuffledPositions(std::int64_t count, std::uint64_t seed, std::uint64_t epoch)
{
    return numbersOf(torch::randperm(count, generatorOf(seed, epoch), torch::dtype(torch::kInt64)));
}

std::vector<std::int64_t> weightedPositions(const std::vector<double>& weights, std::int64_t count,
                                            bool replacement, std::uint64_t seed, std::uint64_t epoch)
{
    const torch::Tensor tensor = torch::tensor(weights, torch::kFloat64);
    return numbersOf(torch::multinomial(tensor, count, replacement, generatorOf(seed, epoch)));
}

void bucketByLength(std::vector<std::int64_t>& order, const std::vector<std::int64_t>& lengths,
                    std::int64_t batchSize, std::int64_t pool, std::uint64_t seed, std::uint64_t epoch)
{
    const auto size = static_cast<std::size_t>(batchSize);
    const std::size_t poolSize = size * static_cast<std::size_t>(pool);
    std::vector<std::int64_t> sorted;
    sorted.reserve(order.size());
    for (std::size_t begin = 0; begin < order.size(); begin += poolSize) {
        std::vector<std::size_t> places(std::min(poolSize, order.size() - begin));
        std::iota(places.begin(), places.end(), begin);
        std::stable_sort(places.begin(), places.end(),
                         [&](std::size_t a, std::size_t b) { return lengths[a] < lengths[b]; });
        const std::size_t full = places.size() / size;
        std::vector<std::size_t> batches(full);
        std::iota(batches.begin(), batches.end(), 0);
        SampleRandom random({seed, epoch, begin, 0xB0C4});
        for (std::size_t last = full; last > 1; --last)
            std::swap(batches[last - 1], batches[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(last)))]);
        for (const std::size_t batch : batches)
            for (std::size_t i = batch * size; i < (batch + 1) * size; ++i)
                sorted.push_back(order[places[i]]);
        for (std::size_t i = full * size; i < places.size(); ++i)
            sorted.push_back(order[places[i]]);
    }
    order = std::move(sorted);
}

std::vector<std::uint32_t> repetitions(const std::vector<std::int64_t>& order)
{
    std::unordered_map<std::int64_t, std::uint32_t> seen;
    std::vector<std::uint32_t> out;
    out.reserve(order.size());
    for (const std::int64_t index : order)
        out.push_back(seen[index]++);
    return out;
}

} // namespace athanor
