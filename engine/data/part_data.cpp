#include "engine/data/part_data.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>

namespace athanor {

namespace {

Error placed(Error error, const PartData& part, std::int64_t index)
{
    if (error.where.empty())
        error.where = dataPlace(part.source);
    error.message =
        part.dataset->sampleName(index) + " (sample " + std::to_string(index) + "): " + error.message;
    return error;
}

bool fits(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& wanted)
{
    return std::equal(shape.begin(), shape.end(), wanted.begin(), wanted.end(),
                      [](std::int64_t a, std::int64_t b) { return a == b || b == kVaries; });
}

Status checkShapes(const PartData& part, const Sample& sample)
{
    const std::vector<FieldLayout>& layouts = part.chain.layouts();
    for (std::size_t field = 0; field < layouts.size(); ++field)
        if (!fits(sample[field].shape(), layouts[field].shape))
            return invalid("its '" + layouts[field].name + "' is " + shapeText(sample[field].shape()) +
                               ", but that of " + part.dataset->sampleName(0) + " is " +
                               shapeText(layouts[field].shape),
                           "All samples of a batch must have one shape: add a Resize or CenterCrop");
    return Done{};
}

Status readSource(const PartData& part, std::int64_t index, Sample& sample, ThroughputMeter::Row* timed)
{
    if (timed == nullptr)
        return part.dataset->read(index, sample);
    const auto start = std::chrono::steady_clock::now();
    Status status = part.dataset->read(index, sample);
    timed->addStep(0, std::chrono::steady_clock::now() - start);
    return status;
}

/// The sample as it is before anything random happens to it, from the cache if it is there.
Status readFixed(const PartData& part, const SampleKey& key, Sample& sample, Value& scratch,
                 ThroughputMeter::Row* row, ThroughputMeter::Row* timed)
{
    const auto index = static_cast<std::int64_t>(key.sample);
    if (part.cache->find(index, sample)) {
        if (row != nullptr)
            row->addCached();
        return Done{};
    }
    Status status = readSource(part, index, sample, timed);
    if (status)
        status = part.chain.apply(sample, scratch, key, TransformChain::Steps::Fixed, timed);
    if (status)
        part.cache->keep(index, sample);
    return status;
}

Status readThrough(const PartData& part, const SampleKey& key, Sample& sample, Value& scratch,
                   ThroughputMeter::Row* row)
{
    using Steps = TransformChain::Steps;
    ThroughputMeter::Row* timed = row != nullptr && row->isTimed() ? row : nullptr;
    Status status = part.cache ? readFixed(part, key, sample, scratch, row, timed)
                               : readSource(part, static_cast<std::int64_t>(key.sample), sample, timed);
    if (status)
        status = part.chain.apply(sample, scratch, key, part.cache ? Steps::Rest : Steps::All, timed);
    if (status)
        status = checkShapes(part, sample);
    return status;
}

} // namespace

Status PartData::readSample(std::int64_t index, std::uint64_t epoch, Sample& sample, Value& scratch,
                            ThroughputMeter::Row* row) const
{
    try {
        const Status status =
            readThrough(*this, {seed, epoch, static_cast<std::uint64_t>(index)}, sample, scratch, row);
        return status ? status : placed(status.error(), *this, index);
    } catch (const std::bad_alloc&) {
        return placed({ErrorCode::OutOfMemory, "There is not enough memory to read it", {}, {}, {}}, *this,
                      index);
    } catch (const std::exception& exception) {
        return placed(
            {ErrorCode::Unreadable, "It cannot be read", {}, "Replace it or leave it out", exception.what()},
            *this, index);
    }
}

} // namespace athanor
