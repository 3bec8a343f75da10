#include "engine/preflight/scan.h"

#include "engine/data/sample_random.h"
#include "engine/preflight/picture_marks.h"
#include "engine/preflight/thresholds.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace athanor {
namespace {

constexpr std::int64_t kIgnoredLabel = -100; // PyTorch's ignore_index
constexpr std::int64_t kChunk = 32;          // samples that a worker takes at once

/// What one worker has seen of one part.
class PartWorker {
public:
    PartWorker(const ScanPlan& plan, std::size_t part, PartScan& shared)
        : m_plan(plan), m_part(*plan.data->parts[part]), m_number(part), m_shared(shared)
    {
        const auto& layouts = m_part.chain.layouts();
        m_own.fields.resize(layouts.size());
        if (plan.table) {
            const auto columns =
                static_cast<std::size_t>(elementCount(m_part.dataset->fields()[*plan.table].shape));
            m_mostRows =
                std::min(limits::kMostRows, limits::kMostKeptNumbers / std::max<std::size_t>(1, columns));
        }
    }

    void look(std::int64_t position)
    {
        const std::int64_t index = m_part.samples[static_cast<std::size_t>(position)];
        Status status = Done{};
        try {
            status = m_part.dataset->read(index, m_sample);
            if (status) {
                mark(position);
                status = m_part.chain.apply(m_sample, m_scratch,
                                            {m_part.seed, 0, static_cast<std::uint64_t>(index)});
            }
            if (status)
                status = fits();
        } catch (const std::bad_alloc&) {
            status = Error{ErrorCode::OutOfMemory, "There is not enough memory to read it", {}, {}, {}};
        } catch (const std::exception& exception) {
            status = Error{ErrorCode::Unreadable,
                           "It cannot be read",
                           {},
                           "Replace it or leave it out",
                           exception.what()};
        }
        if (!status) {
            refuse(position, status.error());
            return;
        }
        m_shared.marks[static_cast<std::size_t>(position)].read = true;
        for (std::size_t field = 0; field < m_sample.size(); ++field)
            measure(position, field);
    }

    PartScan take()
    {
        for (auto& row : m_heap)
            m_own.rows.push_back(std::move(row));
        return std::move(m_own);
    }

private:
    void mark(std::int64_t position);
    void markPicture(std::int64_t position, const Value& value);
    void markRow(std::int64_t position, const Value& value);
    void measure(std::int64_t position, std::size_t field);
    void measureNumbers(std::int64_t position, std::size_t field);
    void measureIndices(std::int64_t position, std::size_t field);
    void keepRow(std::int64_t position, const Value& value);
    [[nodiscard]] Status fits() const;
    void refuse(std::int64_t position, const Error& error)
    {
        ++m_own.unreadableCount;
        if (m_own.unreadable.size() < PreflightResult::kMostProblems)
            m_own.unreadable.emplace_back(position, error);
    }
    void noteBad(std::size_t field, std::int64_t position, std::int64_t place, double value)
    {
        FieldScan& scan = m_own.fields[field];
        ++scan.badSamples;
        if (scan.bad.size() < PreflightResult::kMostProblems)
            scan.bad.push_back({position, place, value});
    }

    const ScanPlan& m_plan;
    const PartData& m_part;
    std::size_t m_number;
    PartScan& m_shared; // its marks, at positions that this worker has taken
    PartScan m_own;
    std::size_t m_mostRows = 0;
    std::vector<KeptRow> m_heap; // the largest priority first
    Sample m_sample;
    Value m_scratch;
};

/// What is remembered of a sample as it was read, before any transform.
void PartWorker::mark(std::int64_t position)
{
    SampleMarks& marks = m_shared.marks[static_cast<std::size_t>(position)];
    const auto hashed = [&](const std::vector<std::size_t>& fields) {
        std::uint64_t hash = 0;
        for (const std::size_t field : fields)
            hash =
                XXH3_64bits_withSeed(m_sample[field].bytes(), m_sample[field].byteCount(), hash + field + 1);
        return hash;
    };
    marks.input = hashed(m_plan.inputs);
    marks.target = hashed(m_plan.targets);
    if (m_plan.target) {
        const Value& value = m_sample[*m_plan.target];
        marks.value = value.element() == Element::Int64     ? static_cast<float>(value.int64()[0])
                      : value.element() == Element::Float32 ? value.float32()[0]
                                                            : static_cast<float>(value.uint8()[0]);
    }
    if (m_plan.picture)
        markPicture(position, m_sample[*m_plan.picture]);
    if (m_plan.table)
        markRow(position, m_sample[*m_plan.table]);
}

void PartWorker::markRow(std::int64_t position, const Value& value)
{
    const auto count = std::min(static_cast<std::size_t>(value.count()), limits::kMostColumns);
    m_own.table.resize(std::max(m_own.table.size(), count));
    for (std::size_t column = 0; column < count; ++column)
        m_own.table[column].note(value.float32()[column], position);
    keepRow(position, value);
}

void PartWorker::markPicture(std::int64_t position, const Value& value)
{
    if (value.element() != Element::UInt8 || value.shape().size() != 3)
        return;
    const std::int64_t height = value.shape()[0];
    const std::int64_t width = value.shape()[1];
    const std::int64_t channels = value.shape()[2];
    const PictureMarks picture = pictureMarks(value.uint8(), height, width, channels);
    SampleMarks& marks = m_shared.marks[static_cast<std::size_t>(position)];
    marks.blank = picture.blank;
    marks.height = static_cast<std::int32_t>(height);
    marks.width = static_cast<std::int32_t>(width);
    marks.look = picture.look;
    marks.pictured = std::min(height, width) >= limits::kNearPixels &&
                     smallContrast(picture.small) >= limits::kNearContrast;
    m_shared.small[static_cast<std::size_t>(position)] = picture.small;
    if (m_plan.lattice && channels == 3)
        marks.order = turnedEvidence(*m_plan.lattice, {value.uint8(), height, width});
}

Status PartWorker::fits() const
{
    const auto& layouts = m_part.chain.layouts();
    for (std::size_t field = 0; field < layouts.size(); ++field) {
        const auto& expected = layouts[field].shape;
        const auto& shape = m_sample[field].shape();
        const bool same =
            shape.size() == expected.size() &&
            std::equal(shape.begin(), shape.end(), expected.begin(),
                       [](auto extent, auto wanted) { return wanted == kVaries || extent == wanted; });
        if (!same)
            return invalid("its '" + layouts[field].name + "' is " + shapeText(shape) +
                               ", but that of the first sample is " + shapeText(expected),
                           "All samples of a batch must have one shape: add a Resize or CenterCrop");
    }
    return Done{};
}

void PartWorker::measure(std::int64_t position, std::size_t field)
{
    if (m_sample[field].element() == Element::Int64)
        measureIndices(position, field);
    else if (m_sample[field].element() == Element::Float32)
        measureNumbers(position, field);
}

void PartWorker::measureNumbers(std::int64_t position, std::size_t field)
{
    const Value& value = m_sample[field];
    FieldScan& scan = m_own.fields[field];
    const std::int64_t count = value.count();
    const float* numbers = value.float32();
    const bool isTable = value.shape().size() <= 1;
    const bool isPicture = value.shape().size() == 3;
    const auto columns = isTable     ? std::min(static_cast<std::size_t>(count), limits::kMostColumns)
                         : isPicture ? static_cast<std::size_t>(value.shape()[0])
                                     : 1U;
    scan.columns.resize(std::max(scan.columns.size(), columns));
    const std::int64_t each = isPicture && columns > 0 ? count / static_cast<std::int64_t>(columns) : count;
    std::int64_t firstBad = -1;
    for (std::int64_t i = 0; i < count; ++i) {
        if (firstBad < 0 && !std::isfinite(numbers[i]))
            firstBad = i;
        const auto column = static_cast<std::size_t>(isTable ? i : isPicture ? i / each : 0);
        if (column < columns && std::isfinite(numbers[i]))
            scan.columns[column].moments.add(numbers[i]);
    }
    if (firstBad >= 0)
        noteBad(field, position, firstBad, numbers[firstBad]);
}

void PartWorker::measureIndices(std::int64_t position, std::size_t field)
{
    const Value& value = m_sample[field];
    const FieldLayout& layout = m_part.chain.layouts()[field];
    FieldScan& scan = m_own.fields[field];
    const std::int64_t count = value.count();
    const std::int64_t* numbers = value.int64();
    std::int64_t firstBad = -1;
    for (std::int64_t i = 0; i < count; ++i) {
        scan.unknown += numbers[i] == m_plan.unknownToken ? 1 : 0;
        if (numbers[i] == kIgnoredLabel)
            scan.ignored += layout.shape.empty() ? 1 : 0;
        else if (firstBad < 0 && (numbers[i] < 0 || (layout.classes > 0 && numbers[i] >= layout.classes)))
            firstBad = i;
    }
    if (firstBad >= 0)
        noteBad(field, position, firstBad, static_cast<double>(numbers[firstBad]));
    if (layout.shape.empty()) {
        ++scan.classes[numbers[0]];
        return;
    }
    scan.tokens += count;
    scan.empty += count == 0 ? 1 : 0;
}

void PartWorker::keepRow(std::int64_t position, const Value& value)
{
    if (m_mostRows == 0)
        return;
    const std::uint64_t priority = SampleRandom{m_number, static_cast<std::uint64_t>(position)}.next();
    const auto later = [](const KeptRow& a, const KeptRow& b) { return a.priority < b.priority; };
    if (m_heap.size() == m_mostRows) {
        if (priority >= m_heap.front().priority)
            return;
        std::ranges::pop_heap(m_heap, later);
        m_heap.pop_back();
    }
    KeptRow row{priority, position, {}, m_shared.marks[static_cast<std::size_t>(position)].value};
    const auto count = std::min(static_cast<std::size_t>(value.count()), limits::kMostColumns);
    row.numbers.assign(value.float32(), value.float32() + count);
    m_heap.push_back(std::move(row));
    std::ranges::push_heap(m_heap, later);
}

/// Hands out positions, counts what is done and gathers what the workers saw.
class Scan {
public:
    Scan(const ScanPlan& plan, std::stop_token stop) : m_plan(plan), m_stop(std::move(stop))
    {
        for (std::size_t part = 0; part < m_scan.parts.size(); ++part) {
            m_first[part] = m_all;
            if (!plan.data->parts[part])
                continue;
            const auto count = static_cast<std::size_t>(plan.data->parts[part]->size());
            PartScan& scan = m_scan.parts[part].emplace();
            scan.marks.resize(count);
            if (plan.picture)
                scan.small.resize(count);
            scan.fields.resize(plan.data->parts[part]->chain.layouts().size());
            m_all += static_cast<std::int64_t>(count);
        }
    }

    std::optional<DataScan> run(const std::function<void(const PreflightProgress&)>& progress)
    {
        const auto start = std::chrono::steady_clock::now();
        {
            std::vector<std::jthread> workers;
            for (int i = 0; i < m_plan.threads; ++i)
                workers.emplace_back([this] { work(); });
            std::unique_lock lock(m_mutex);
            while (!m_ended.wait_for(lock, std::chrono::milliseconds(100), [&] { return m_working == 0; })) {
                if (!progress)
                    continue;
                lock.unlock();
                progress(told(std::chrono::steady_clock::now() - start));
                lock.lock();
            }
        }
        if (m_stop.stop_requested())
            return std::nullopt;
        if (progress)
            progress({m_all, m_all, 0});
        trimRows();
        return std::move(m_scan);
    }

private:
    [[nodiscard]] PreflightProgress told(std::chrono::duration<double> spent) const
    {
        PreflightProgress progress{m_done, m_all, -1};
        constexpr double kSecondsToJudge = 0.3;
        if (progress.done > 0 && spent.count() > kSecondsToJudge)
            progress.secondsLeft = spent.count() * static_cast<double>(m_all - progress.done) /
                                   static_cast<double>(progress.done);
        return progress;
    }

    void work()
    {
        std::array<std::optional<PartWorker>, 3> workers;
        for (std::size_t part = 0; part < workers.size(); ++part)
            if (m_scan.parts[part])
                workers[part].emplace(m_plan, part, *m_scan.parts[part]);
        while (!m_stop.stop_requested()) {
            const std::int64_t first = m_next.fetch_add(kChunk);
            if (first >= m_all)
                break;
            const std::int64_t last = std::min(m_all, first + kChunk);
            for (std::int64_t number = first; number < last && !m_stop.stop_requested(); ++number, ++m_done) {
                const std::size_t part = number >= m_first[2] && m_scan.parts[2]   ? 2
                                         : number >= m_first[1] && m_scan.parts[1] ? 1
                                                                                   : 0;
                workers[part]->look(number - m_first[part]);
            }
        }
        const std::scoped_lock lock(m_mutex);
        for (std::size_t part = 0; part < workers.size(); ++part)
            if (workers[part])
                merge(*m_scan.parts[part], workers[part]->take());
        --m_working;
        m_ended.notify_all();
    }

    static void merge(PartScan& all, PartScan&& own)
    {
        for (std::size_t field = 0; field < own.fields.size(); ++field)
            all.fields[field].merge(std::move(own.fields[field]));
        all.table.resize(std::max(all.table.size(), own.table.size()));
        for (std::size_t column = 0; column < own.table.size(); ++column)
            all.table[column].merge(own.table[column]);
        std::ranges::move(own.rows, std::back_inserter(all.rows));
        std::ranges::move(own.unreadable, std::back_inserter(all.unreadable));
        all.unreadableCount += own.unreadableCount;
    }

    /// Of the rows that all workers kept, those that one would have kept.
    void trimRows()
    {
        for (auto& part : m_scan.parts) {
            if (!part)
                continue;
            std::ranges::sort(part->unreadable, {}, [](const auto& entry) { return entry.first; });
            if (part->unreadable.size() > PreflightResult::kMostProblems)
                part->unreadable.erase(part->unreadable.begin() + PreflightResult::kMostProblems,
                                       part->unreadable.end());
            if (part->rows.empty())
                continue;
            const std::size_t most =
                std::min(limits::kMostRows, limits::kMostKeptNumbers /
                                                std::max<std::size_t>(1, part->rows.front().numbers.size()));
            std::ranges::sort(part->rows, {}, &KeptRow::priority);
            if (part->rows.size() > most)
                part->rows.erase(part->rows.begin() + static_cast<std::ptrdiff_t>(most), part->rows.end());
            std::ranges::sort(part->rows, {}, &KeptRow::position);
        }
    }

    const ScanPlan& m_plan;
    std::stop_token m_stop;
    std::array<std::int64_t, 3> m_first{}; // number of the part's first sample among all
    std::int64_t m_all = 0;
    std::atomic<std::int64_t> m_next = 0;
    std::atomic<std::int64_t> m_done = 0;
    std::mutex m_mutex; // guards m_scan's gathered values and m_working
    std::condition_variable m_ended;
    int m_working = m_plan.threads;
    DataScan m_scan;
};

} // namespace

std::optional<DataScan> scanData(const ScanPlan& plan,
                                 const std::function<void(const PreflightProgress&)>& progress,
                                 std::stop_token stop)
{
    return Scan(plan, std::move(stop)).run(progress);
}

} // namespace athanor
