#include "engine/data/epoch_reader.h"

#include "engine/data/batch.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/torch.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>

namespace athanor {

namespace {

using BatchResult = Result<std::shared_ptr<DataBatch>>;

torch::Dtype dtypeOf(Element element)
{
    return element == Element::Int64 ? torch::kInt64 : torch::kFloat32;
}

Error cancelled()
{
    return {ErrorCode::Cancelled, "Reading the data was stopped", "data", {}, {}};
}

/// Builds batches; one per thread. Only plain loops and copies: LibTorch's own operations would start its
/// thread pool in a worker, against the training thread.
class BatchBuilder {
public:
    explicit BatchBuilder(const ReadPlan& plan) : m_plan(plan) {}

    BatchResult build(std::int64_t number, const std::stop_token& stop)
    {
        const PartData& part = *m_plan.part;
        const auto begin = static_cast<std::size_t>(number * m_plan.batchSize);
        const std::size_t end =
            std::min(m_plan.order.size(), begin + static_cast<std::size_t>(m_plan.batchSize));
        auto batch = std::make_shared<DataBatch>();
        batch->samples.assign(m_plan.order.begin() + static_cast<std::ptrdiff_t>(begin),
                              m_plan.order.begin() + static_cast<std::ptrdiff_t>(end));
        const std::vector<std::byte*> rows = allocate(*batch);
        for (std::size_t row = 0; row < batch->samples.size(); ++row) {
            if (stop.stop_requested())
                return cancelled();
            const Status status = part.readSample(batch->samples[row], m_plan.epoch, m_sample, m_scratch);
            if (!status)
                return status.error();
            for (std::size_t field = 0; field < rows.size(); ++field)
                std::memcpy(rows[field] + row * m_sample[field].byteCount(), m_sample[field].bytes(),
                            m_sample[field].byteCount());
        }
        return batch;
    }

private:
    std::vector<std::byte*> allocate(DataBatch& batch) const
    {
        std::vector<std::byte*> rows;
        for (const FieldLayout& layout : m_plan.part->chain.layouts()) {
            std::vector<std::int64_t> shape = layout.shape;
            shape.insert(shape.begin(), batch.size());
            torch::Tensor tensor = torch::empty(shape, torch::dtype(dtypeOf(layout.element)));
            rows.push_back(static_cast<std::byte*>(tensor.data_ptr()));
            batch.fields.emplace(layout.name, std::move(tensor));
        }
        return rows;
    }

    const ReadPlan& m_plan;
    Sample m_sample;
    Value m_scratch;
};

/// The wall of a batch: what LibTorch throws becomes an Error.
BatchResult buildSafely(BatchBuilder& builder, std::int64_t number, const std::stop_token& stop)
{
    try {
        return builder.build(number, stop);
    } catch (const c10::Error& error) {
        return Error{ErrorCode::OutOfMemory, "A batch could not be made", "data",
                     "If memory is short, use a smaller batch_size or prefetch_factor", error.what()};
    } catch (const std::exception& exception) {
        return Error{ErrorCode::Internal, "A batch could not be made", "data", {}, exception.what()};
    }
}

class InlineReader final : public EpochReader {
public:
    InlineReader(ReadPlan plan, std::int64_t firstBatch)
        : m_plan(std::move(plan)), m_builder(m_plan), m_next(firstBatch)
    {}

    BatchResult next(std::stop_token stop) override
    {
        if (m_next >= m_plan.batches)
            return std::shared_ptr<DataBatch>();
        BatchResult batch = buildSafely(m_builder, m_next, stop);
        if (batch)
            ++m_next;
        return batch;
    }

private:
    const ReadPlan m_plan;
    BatchBuilder m_builder;
    std::int64_t m_next;
};

/// Workers take batch numbers in turn and put the batches in a ring of slots; the reader takes them out in
/// the order of their numbers. A slot is free again once its batch was taken.
class WorkerReader final : public EpochReader {
public:
    WorkerReader(ReadPlan plan, std::int64_t firstBatch, int workers, int prefetch)
        : m_plan(std::move(plan)),
          m_slots(static_cast<std::size_t>(workers) * static_cast<std::size_t>(prefetch)),
          m_taken(firstBatch), m_started(firstBatch)
    {
        const std::int64_t useful = std::min<std::int64_t>(workers, m_plan.batches - firstBatch);
        for (std::int64_t i = 0; i < useful; ++i)
            m_workers.emplace_back([this](const std::stop_token& stop) { work(stop); });
    }

    ~WorkerReader() override
    {
        for (std::jthread& worker : m_workers)
            worker.request_stop();
    }

    BatchResult next(std::stop_token stop) override
    {
        if (m_taken >= m_plan.batches)
            return std::shared_ptr<DataBatch>();
        if (stop.stop_requested())
            return cancelled();
        std::unique_lock lock(m_mutex);
        std::optional<BatchResult>& slot = slotOf(m_taken);
        if (!m_ready.wait(lock, stop, [&] { return slot.has_value(); }))
            return cancelled();
        if (!*slot)
            return slot->error(); // stays, so that asking again gives the same answer
        BatchResult batch = std::move(*slot);
        slot.reset();
        ++m_taken;
        lock.unlock();
        m_room.notify_one();
        return batch;
    }

private:
    std::optional<BatchResult>& slotOf(std::int64_t number)
    {
        return m_slots[static_cast<std::size_t>(number) % m_slots.size()];
    }

    void work(const std::stop_token& stop)
    {
        BatchBuilder builder(m_plan);
        while (const std::optional<std::int64_t> number = startNext(stop)) {
            BatchResult batch = buildSafely(builder, *number, stop);
            {
                const std::lock_guard lock(m_mutex);
                slotOf(*number) = std::move(batch);
            }
            m_ready.notify_one();
        }
    }

    /// The number of the next batch to make once there is room for it; nothing at the end.
    std::optional<std::int64_t> startNext(const std::stop_token& stop)
    {
        std::unique_lock lock(m_mutex);
        const auto room = static_cast<std::int64_t>(m_slots.size());
        const bool wanted = m_room.wait(
            lock, stop, [&] { return m_started >= m_plan.batches || m_started < m_taken + room; });
        if (!wanted || m_started >= m_plan.batches)
            return std::nullopt;
        return m_started++;
    }

    const ReadPlan m_plan;
    std::mutex m_mutex; // guards m_slots, m_taken, m_started
    std::condition_variable_any m_ready;
    std::condition_variable_any m_room;
    std::vector<std::optional<BatchResult>> m_slots;
    std::int64_t m_taken;                // batches the caller has
    std::int64_t m_started;              // batches some worker has begun
    std::vector<std::jthread> m_workers; // last: they stop before the rest goes
};

} // namespace

std::vector<std::int64_t> shuffledPositions(std::int64_t count, std::uint64_t seed, std::uint64_t epoch)
{
    SampleRandom mixed({seed, epoch});
    const at::Generator generator = at::detail::createCPUGenerator(mixed.next());
    const torch::Tensor positions = torch::randperm(count, generator, torch::dtype(torch::kInt64));
    const auto* data = positions.data_ptr<std::int64_t>();
    return {data, data + count};
}

std::unique_ptr<EpochReader> makeEpochReader(ReadPlan plan, std::int64_t firstBatch, int workers,
                                             int prefetch)
{
    if (workers == 0)
        return std::make_unique<InlineReader>(std::move(plan), firstBatch);
    return std::make_unique<WorkerReader>(std::move(plan), firstBatch, workers, std::max(1, prefetch));
}

} // namespace athanor
