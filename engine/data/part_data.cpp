#include "engine/data/part_data.h"

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

Status checkShapes(const PartData& part, const Sample& sample)
{
    const std::vector<FieldLayout>& layouts = part.chain.layouts();
    for (std::size_t field = 0; field < layouts.size(); ++field)
        if (sample[field].shape() != layouts[field].shape)
            return invalid("its '" + layouts[field].name + "' is " + shapeText(sample[field].shape()) +
                               ", but that of " + part.dataset->sampleName(0) + " is " +
                               shapeText(layouts[field].shape),
                           "All samples of a batch must have one shape: add a Resize or CenterCrop");
    return Done{};
}

} // namespace

Status PartData::readSample(std::int64_t index, std::uint64_t epoch, Sample& sample, Value& scratch) const
{
    try {
        Status status = dataset->read(index, sample);
        if (status)
            status = chain.apply(sample, scratch, {seed, epoch, static_cast<std::uint64_t>(index)});
        if (status)
            status = checkShapes(*this, sample);
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
