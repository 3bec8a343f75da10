#include "engine/data/batch_builder.h"

#include "engine/data/batch.h"
#include "engine/data/programs/collate.h"

#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cstring>

namespace athanor {

namespace {

torch::Dtype dtypeOf(Element element)
{
    return element == Element::Int64 ? torch::kInt64 : torch::kFloat32;
}

bool varies(const FieldLayout& layout)
{
    return std::find(layout.shape.begin(), layout.shape.end(), kVaries) != layout.shape.end();
}

torch::Tensor emptyTensor(std::vector<std::int64_t> shape, std::size_t rows, Element element)
{
    shape.insert(shape.begin(), static_cast<std::int64_t>(rows));
    return torch::empty(shape, torch::dtype(dtypeOf(element)));
}

} // namespace

std::vector<std::string> maskNames(const std::vector<FieldLayout>& layouts, const Collate* collate)
{
    std::vector<std::string> names(layouts.size());
    bool first = true;
    for (std::size_t field = 0; field < layouts.size(); ++field) {
        const FieldLayout& layout = layouts[field];
        const bool isTaken = collate != nullptr && collate->takes(layout.name);
        if (layout.shape.empty() || layout.shape.front() != kVaries || isImage(layout) || isTaken)
            continue;
        names[field] = first ? "mask" : layout.name + "_mask";
        first = false;
    }
    return names;
}

Error readingCancelled()
{
    return {ErrorCode::Cancelled, "Reading the data was stopped", "data", {}, {}};
}

/// Fields of one shape are copied to their place at once. Those of varying length wait until the longest is known, those of
/// a Collate until all are there.
struct BatchBuilder::Rows {
    bool isTaken = false;               // by the Collate
    std::vector<torch::Tensor> samples; // then
    torch::Tensor tensor;              // of one shape; or undefined
    std::vector<std::byte> numbers;    // of varying length, one after the other
    std::vector<std::int64_t> lengths; // along axis 0, of each
    std::vector<std::int64_t> shape;   // of the first sample
};

BatchBuilder::BatchBuilder(const ReadPlan& plan, std::size_t worker)
    : m_plan(plan), m_row(plan.meter ? &plan.meter->row(worker) : nullptr),
      m_masks(plan.part ? maskNames(plan.part->chain.layouts(), plan.collate.collate.get()) : std::vector<std::string>())
{}

Result<BuiltBatch> BatchBuilder::build(std::int64_t number, const std::stop_token& stop)
{
    try {
        const auto start = std::chrono::steady_clock::now();
        Result<BuiltBatch> built = gather(number, stop);
        if (m_row != nullptr)
            m_row->addWork(std::chrono::steady_clock::now() - start);
        return built;
    } catch (const c10::Error& error) {
        return Error{ErrorCode::OutOfMemory, "A batch could not be made", "data",
                     "If memory is short, use a smaller batch_size or prefetch_factor", error.what()};
    } catch (const std::exception& exception) {
        return Error{ErrorCode::Internal, "A batch could not be made", "data", {}, exception.what()};
    }
}

Result<BuiltBatch> BatchBuilder::gather(std::int64_t number, const std::stop_token& stop)
{
    const PartData& part = *m_plan.part;
    const auto begin = static_cast<std::size_t>(number * m_plan.batchSize);
    const std::size_t end = std::min(m_plan.order.size(), begin + static_cast<std::size_t>(m_plan.batchSize));
    BuiltBatch built{std::make_shared<DataBatch>(), 0, {}};
    std::vector<Rows> rows(part.chain.layouts().size());
    for (std::size_t field = 0; field < rows.size(); ++field)
        if (const FieldLayout& layout = part.chain.layouts()[field]; m_plan.collate.collate && m_plan.collate.collate->takes(layout.name))
            rows[field].isTaken = true;
        else if (!varies(layout))
            rows[field].tensor = emptyTensor(layout.shape, end - begin, layout.element);
    for (std::size_t place = begin; place < end; ++place) {
        if (stop.stop_requested())
            return readingCancelled();
        const std::int64_t index = m_plan.order[place];
        const std::uint64_t again = m_plan.repeats.empty() ? 0 : m_plan.repeats[place];
        Status status = part.readSample(index, m_plan.epoch + (again << 32U), m_sample, m_scratch, m_row);
        if (!status && m_plan.skipErrors && status.error().code != ErrorCode::OutOfMemory) {
            if (built.skipped++ == 0)
                built.skippedFirst = status.error().message;
            continue;
        }
        if (status)
            status = addSample(rows, built.batch->samples.size());
        if (!status)
            return status.error();
        built.batch->samples.push_back(index);
    }
    if (built.batch->samples.empty())
        return Error{ErrorCode::Unreadable,
                     "No sample of a batch could be read, the first because " + built.skippedFirst, "data",
                     "Leave these samples out, or raise batch_size", {}};
    if (const Status status = finish(*built.batch, rows); !status)
        return status.error();
    return built;
}

Status BatchBuilder::addSample(std::vector<Rows>& rows, std::size_t kept) const
{
    for (std::size_t field = 0; field < rows.size(); ++field) {
        const Value& value = m_sample[field];
        Rows& to = rows[field];
        if (to.isTaken) {
            to.samples.push_back(tensorOf(value));
            continue;
        }
        if (to.tensor.defined()) {
            std::memcpy(static_cast<std::byte*>(to.tensor.data_ptr()) + kept * value.byteCount(), value.bytes(),
                        value.byteCount());
            continue;
        }
        if (kept == 0)
            to.shape = value.shape();
        const bool padded = !m_masks[field].empty();
        if (!std::equal(value.shape().begin() + (padded ? 1 : 0), value.shape().end(),
                        to.shape.begin() + (padded ? 1 : 0), to.shape.end()))
            return Error{ErrorCode::InvalidArgument,
                         "'" + m_plan.part->chain.layouts()[field].name + "' is " + shapeText(value.shape()) +
                             " in one sample of a batch and " + shapeText(to.shape) + " in another",
                         dataPlace(m_plan.part->source),
                         "All samples of a batch must have one shape: add a Resize or CenterCrop", {}};
        to.lengths.push_back(value.shape().front());
        to.numbers.insert(to.numbers.end(), value.bytes(), value.bytes() + value.byteCount());
    }
    return Done{};
}

namespace {

/// Rows of varying length behind each other → N×T×…, zeros behind the shorter ones. The mask is 1 at what is there.
void pad(torch::Tensor& tensor, torch::Tensor& mask, const std::vector<std::byte>& numbers,
         const std::vector<std::int64_t>& lengths, std::size_t stepBytes)
{
    const auto longest = static_cast<std::size_t>(tensor.size(1));
    auto* to = static_cast<std::byte*>(tensor.data_ptr());
    auto* valid = mask.data_ptr<float>();
    const std::byte* from = numbers.data();
    for (const std::int64_t length : lengths) {
        const auto steps = static_cast<std::size_t>(length);
        const std::size_t bytes = steps * stepBytes;
        if (bytes > 0)
            std::memcpy(to, from, bytes);
        std::memset(to + bytes, 0, (longest - steps) * stepBytes);
        std::fill_n(valid, steps, 1.0F);
        std::fill_n(valid + steps, longest - steps, 0.0F);
        from += bytes;
        to += longest * stepBytes;
        valid += longest;
    }
}

} // namespace

Status BatchBuilder::finish(DataBatch& batch, std::vector<Rows>& rows) const
{
    const auto& layouts = m_plan.part->chain.layouts();
    const auto count = static_cast<std::size_t>(batch.size());
    for (std::size_t field = 0; field < rows.size(); ++field) {
        Rows& from = rows[field];
        if (from.isTaken)
            continue;
        torch::Tensor& tensor = batch.fields[layouts[field].name];
        if (from.tensor.defined()) {
            tensor = from.tensor.size(0) == batch.size() ? from.tensor : from.tensor.narrow(0, 0, batch.size());
            continue;
        }
        if (m_masks[field].empty()) {
            tensor = emptyTensor(from.shape, count, layouts[field].element);
            std::memcpy(tensor.data_ptr(), from.numbers.data(), from.numbers.size());
            continue;
        }
        std::vector<std::int64_t> shape = from.shape;
        shape.front() = std::max<std::int64_t>(1, *std::max_element(from.lengths.begin(), from.lengths.end()));
        tensor = emptyTensor(shape, count, layouts[field].element);
        torch::Tensor& mask = batch.fields[m_masks[field]];
        mask = torch::empty({batch.size(), shape.front()}, torch::kFloat32);
        const std::int64_t step = elementCount({shape.begin() + 1, shape.end()});
        pad(tensor, mask, from.numbers, from.lengths,
            static_cast<std::size_t>(step) * elementSize(layouts[field].element));
    }
    if (const Status status = collate(batch, rows); !status)
        return status;
    if (m_plan.softClasses > 0)
        if (const Status status = labelsToProbabilities(batch, m_plan.softClasses); !status)
            return atNode(status.error(), m_plan.part->source);
    for (const BatchStep& step : m_plan.steps) {
        SampleRandom random({m_plan.part->seed, m_plan.epoch, static_cast<std::uint64_t>(batch.samples.front()),
                             step.origin.ordinal, 0xBA7C4});
        step.transform->apply(batch, random);
    }
    if (m_plan.pinMemory && torch::cuda::is_available())
        for (auto& [name, tensor] : batch.fields)
            tensor = tensor.pin_memory();
    return Done{};
}

Status BatchBuilder::collate(DataBatch& batch, std::vector<Rows>& rows) const
{
    const CollateStep& step = m_plan.collate;
    if (!step.collate)
        return Done{};
    Collate::Samples samples;
    for (std::size_t field = 0; field < rows.size(); ++field)
        if (rows[field].isTaken)
            samples[m_plan.part->chain.layouts()[field].name] = std::move(rows[field].samples);
    SampleRandom random({m_plan.part->seed, m_plan.epoch, static_cast<std::uint64_t>(batch.samples.front()),
                         step.origin.ordinal, 0xC011A7E});
    const Status status = step.collate->apply(samples, batch, random);
    return status ? status : atNode(status.error(), step.origin.node);
}

} // namespace athanor
