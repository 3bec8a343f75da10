#include "engine/train/data_glance.h"

#include "engine/data/batch.h"
#include "engine/data/data_pipeline.h"
#include "engine/script/torch_errors.h"

#include <torch/torch.h>

#include <algorithm>
#include <limits>

namespace athanor {
namespace {

constexpr std::int64_t kBatches = 16;

void add(FieldGlance& glance, const torch::Tensor& field)
{
    if (field.numel() == 0)
        return;
    const auto all = field.to(torch::kDouble).flatten();
    const auto finite = all.masked_select(torch::isfinite(all));
    glance.nonFinite += all.numel() - finite.numel();
    if (finite.numel() == 0)
        return;
    const auto count = static_cast<double>(finite.numel());
    const auto before = static_cast<double>(glance.count);
    const double mean = finite.mean().item<double>();
    const double variance = finite.var(false).item<double>();
    // Two sets put together (Chan, Golub, LeVeque 1979).
    const double delta = mean - glance.mean;
    const double squares = glance.deviation * glance.deviation * before + variance * count +
                           delta * delta * before * count / (before + count);
    glance.minimum = glance.count == 0 ? finite.min().item<double>() : std::min(glance.minimum, finite.min().item<double>());
    glance.maximum = glance.count == 0 ? finite.max().item<double>() : std::max(glance.maximum, finite.max().item<double>());
    glance.mean += delta * count / (before + count);
    glance.deviation = std::sqrt(squares / (before + count));
    glance.count += finite.numel();
}

Result<DataGlance> glance(const Project& project, int workers, const std::stop_token& stop)
{
    const auto data = openData(project, workers);
    if (!data)
        return data.error();
    DataGlance seen;
    seen.batchesPerEpoch = (*data)->batchCount(DataPart::Train);
    seen.batchSize = (*data)->batchSize();
    const auto reader = (*data)->read(DataPart::Train, 0);
    for (std::int64_t i = 0; i < std::min(kBatches, seen.batchesPerEpoch); ++i) {
        const auto batch = reader->next(stop);
        if (!batch)
            return batch.error();
        if (!*batch)
            break;
        for (const auto& [name, field] : (*batch)->fields)
            add(seen.fields[name], field);
    }
    return seen;
}

} // namespace

Result<DataGlance> glanceAtData(const Project& project, int workers, const std::stop_token& stop)
{
    return behindWall("data", [&] { return glance(project, workers, stop); });
}

} // namespace athanor
