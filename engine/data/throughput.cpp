#include "engine/data/throughput.h"

#include <algorithm>
#include <cmath>

namespace athanor {

namespace {

double seconds(std::int64_t nanoseconds)
{
    return static_cast<double>(nanoseconds) * 1e-9;
}

const NodeCost* slowestOf(const Throughput& throughput)
{
    const auto& nodes = throughput.nodes;
    const auto slowest = std::max_element(nodes.begin(), nodes.end(), [](const NodeCost& a, const NodeCost& b) {
        return a.milliseconds < b.milliseconds;
    });
    return slowest == nodes.end() || slowest->milliseconds <= 0 ? nullptr : &*slowest;
}

std::string percent(double share)
{
    std::string text = std::to_string(std::lround(100 * share));
    text += " %";
    return text;
}

/// What makes data come faster, the simplest first.
std::vector<std::string> adviceFor(const Throughput& throughput, int cores)
{
    std::vector<std::string> advice;
    const double computing = std::max(1e-9, throughput.elapsedSeconds - throughput.waitSeconds);
    // Workers that make batches in the time the training computes in, if the work spreads evenly.
    const double needed = throughput.workSeconds / computing;
    const int spare = std::max(1, cores - 1);
    if (throughput.workers < spare && needed > throughput.workers) {
        const int wanted = std::clamp(static_cast<int>(std::ceil(needed)), throughput.workers + 1, spare);
        std::string text = "Raise num_workers of the Loader from ";
        text += std::to_string(throughput.workers);
        text += " to ";
        text += std::to_string(wanted);
        text += ".";
        advice.push_back(std::move(text));
    }
    const NodeCost* slowest = slowestOf(throughput);
    if (slowest == nullptr)
        return advice;
    const bool isSource = slowest == &throughput.nodes.front();
    if (isSource && !throughput.hasCache)
        advice.push_back("Set cache of the Loader to memory: from the second epoch on nothing is read and "
                         "decoded again.");
    if (isSource)
        advice.push_back("Store the files in the size that the network sees: reading and decoding '" +
                         slowest->node + "' costs most.");
    else
        advice.push_back("Make '" + slowest->node + "' cheaper or do it once, ahead of the training: it costs "
                                                    "most of all steps.");
    return advice;
}

} // namespace

Verdict judgeThroughput(const Throughput& throughput, int cores)
{
    constexpr std::int64_t kEnough = 20; // batches; the first ones start workers and fill caches
    constexpr double kShare = 0.1;
    Verdict verdict;
    if (const NodeCost* slowest = slowestOf(throughput))
        verdict.slowest = slowest->node;
    const double share = throughput.waitShare();
    if (throughput.batches < kEnough || throughput.elapsedSeconds <= 0) {
        verdict.text = "Too few batches were read so far to tell.";
        return verdict;
    }
    if (share > kShare) {
        verdict.bound = Bound::Data;
        verdict.text = "Data-bound: the training waits for data during " + percent(share) + " of its time.";
        verdict.advice = adviceFor(throughput, cores);
        return verdict;
    }
    verdict.bound = Bound::Compute;
    verdict.text = "Compute-bound: data is there when the training asks for it; it waits during " +
                   percent(share) + " of its time.";
    return verdict;
}

ThroughputMeter::ThroughputMeter(std::vector<std::string> steps, std::size_t rows)
    : m_steps(std::move(steps)), m_rows(std::max<std::size_t>(1, rows))
{}

void ThroughputMeter::handOver(const HandOver& batch)
{
    const auto now = Clock::now();
    // Before the first hand-over of a pass nothing was computed: only the wait counts.
    m_elapsed += m_running ? std::chrono::nanoseconds(now - m_last).count() : batch.waited.count();
    m_running = true;
    m_last = now;
    m_samples += batch.samples;
    m_skipped += batch.skipped;
    m_waited += batch.waited.count();
    m_ready += static_cast<std::int64_t>(batch.ready);
    m_room += static_cast<std::int64_t>(batch.room);
    ++m_batches;
}

void ThroughputMeter::beginPass()
{
    m_running = false;
}

Throughput ThroughputMeter::read(int workers) const
{
    Throughput out;
    out.samples = m_samples;
    out.batches = m_batches;
    out.skipped = m_skipped;
    out.waitSeconds = seconds(m_waited);
    out.elapsedSeconds = seconds(m_elapsed);
    out.queueFill = m_room > 0 ? static_cast<double>(m_ready) / static_cast<double>(m_room) : 0;
    out.workers = workers;
    std::int64_t work = 0;
    for (const Row& row : m_rows) {
        work += row.m_work;
        out.cached += row.m_cached;
    }
    out.workSeconds = seconds(work);
    for (std::size_t step = 0; step < std::min(m_steps.size(), kSteps); ++step) {
        NodeCost cost{m_steps[step]};
        std::int64_t time = 0;
        for (const Row& row : m_rows) {
            time += row.m_time[step];
            cost.measured += row.m_count[step];
        }
        if (cost.measured > 0)
            cost.milliseconds = seconds(time) * 1000 / static_cast<double>(cost.measured);
        out.nodes.push_back(std::move(cost));
    }
    return out;
}

} // namespace athanor
