#include "engine/data/epoch_reader.h"

#include "engine/data/batch.h"
#include "engine/data/batch_builder.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace athanor {

namespace {

using BatchResult = Result<std::shared_ptr<DataBatch>>;
using Clock = std::chrono::steady_clock;

/// Counts what next() hands over, and stops at too many samples that could not be read. Going by what was handed
/// over, this happens at the same batch with any number of workers.
class HandOverCount {
public:
    explicit HandOverCount(const ReadPlan& plan) : m_plan(plan)
    {
        if (m_plan.meter)
            m_plan.meter->beginPass();
    }

    BatchResult handOver(const BuiltBatch& built, std::chrono::nanoseconds waited, std::size_t ready,
                         std::size_t room)
    {
        m_skipped += built.skipped;
        if (m_skipped > m_plan.maxErrors)
            return Error{ErrorCode::Unreadable,
                         std::to_string(m_skipped) + " samples of this pass cannot be read, one of them: " +
                             built.skippedFirst,
                         "data", "Mend or remove them, or raise max_errors of the Loader", {}};
        if (m_plan.meter)
            m_plan.meter->handOver({built.batch->size(), built.skipped, waited, ready, room});
        return built.batch;
    }

private:
    const ReadPlan& m_plan;
    std::int64_t m_skipped = 0;
};

class InlineReader final : public EpochReader {
public:
    InlineReader(ReadPlan plan, std::int64_t firstBatch)
        : m_plan(std::move(plan)), m_builder(m_plan, 0), m_count(m_plan), m_next(firstBatch)
    {}

    BatchResult next(std::stop_token stop) override
    {
        if (m_next >= m_plan.batches)
            return std::shared_ptr<DataBatch>();
        const auto asked = Clock::now();
        const Result<BuiltBatch> built = m_builder.build(m_next, stop);
        if (!built)
            return built.error();
        BatchResult batch = m_count.handOver(*built, Clock::now() - asked, 0, 0);
        if (batch)
            ++m_next;
        return batch;
    }

private:
    const ReadPlan m_plan;
    BatchBuilder m_builder;
    HandOverCount m_count;
    std::int64_t m_next;
};

/// Workers take batch numbers in turn and put the batches in a ring of slots; the reader takes them out in
/// the order of their numbers. A slot is free again once its batch was taken.
class WorkerReader final : public EpochReader {
public:
    WorkerReader(ReadPlan plan, std::int64_t firstBatch, int workers, int prefetch)
        : m_plan(std::move(plan)), m_count(m_plan),
          m_slots(static_cast<std::size_t>(workers) * static_cast<std::size_t>(prefetch)),
          m_taken(firstBatch), m_started(firstBatch)
    {
        const std::int64_t useful = std::min<std::int64_t>(workers, m_plan.batches - firstBatch);
        for (std::int64_t i = 0; i < useful; ++i)
            m_workers.emplace_back(
                [this, i](const std::stop_token& stop) { work(static_cast<std::size_t>(i), stop); });
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
            return readingCancelled();
        const auto asked = Clock::now();
        std::unique_lock lock(m_mutex);
        std::optional<Result<BuiltBatch>>& slot = slotOf(m_taken);
        const auto ready = static_cast<std::size_t>(std::count_if(
            m_slots.begin(), m_slots.end(), [](const auto& one) { return one.has_value(); }));
        if (!m_ready.wait(lock, stop, [&] { return slot.has_value(); }))
            return readingCancelled();
        if (!*slot)
            return slot->error(); // stays, so that asking again gives the same answer
        const BuiltBatch built = std::move(**slot);
        slot.reset();
        ++m_taken;
        lock.unlock();
        m_room.notify_one();
        return m_count.handOver(built, Clock::now() - asked, ready, m_slots.size());
    }

private:
    std::optional<Result<BuiltBatch>>& slotOf(std::int64_t number)
    {
        return m_slots[static_cast<std::size_t>(number) % m_slots.size()];
    }

    void work(std::size_t worker, const std::stop_token& stop)
    {
        BatchBuilder builder(m_plan, worker);
        while (const std::optional<std::int64_t> number = startNext(stop)) {
            Result<BuiltBatch> batch = builder.build(*number, stop);
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
    HandOverCount m_count;
    std::mutex m_mutex; // guards m_slots, m_taken, m_started
    std::condition_variable_any m_ready;
    std::condition_variable_any m_room;
    std::vector<std::optional<Result<BuiltBatch>>> m_slots;
    std::int64_t m_taken;                // batches the caller has
    std::int64_t m_started;              // batches some worker has begun
    std::vector<std::jthread> m_workers; // last: they stop before the rest goes
};

} // namespace

std::unique_ptr<EpochReader> makeEpochReader(ReadPlan plan, std::int64_t firstBatch, int workers,
                                             int prefetch)
{
    if (workers == 0)
        return std::make_unique<InlineReader>(std::move(plan), firstBatch);
    return std::make_unique<WorkerReader>(std::move(plan), firstBatch, workers, std::max(1, prefetch));
}

} // namespace athanor
