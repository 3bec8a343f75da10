// One thread. What the tests of the run store share.
#pragma once

#include "engine/store/run_store.h"

#include <QTest>

#include <bit>
#include <cstdint>
#include <vector>

namespace athanor::testing {

inline bool sameBits(double a, double b)
{
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

inline bool sameBits(const std::vector<double>& a, const std::vector<double>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) { return sameBits(x, y); });
}

/// The store, or an exception with its error: for set-up, where a failure is not what is tested.
inline RunStore openStore(const std::filesystem::path& file, const Clock& clock = systemClock())
{
    auto store = RunStore::open(file, clock);
    if (!store.ok())
        throw std::runtime_error(store.error().text() + " " + store.error().details);
    return std::move(*store);
}

template <typename T>
T valueOf(Result<T> result)
{
    if (!result.ok())
        throw std::runtime_error(result.error().text() + " " + result.error().details);
    return std::move(result.value());
}

/// Takes a run that has ended up again after `step`, as a resumed run does with its first point.
inline void reopen(RunStore& store, RunId run, std::int64_t step)
{
    valueOf(store.claimRun(run));
    valueOf(store.rewindRun(run, step));
}

inline std::vector<Sample> samplesOf(SeriesIndex series, std::int64_t firstStep, const std::vector<double>& values)
{
    std::vector<Sample> out;
    for (const double value : values)
        out.push_back({series, firstStep++, value});
    return out;
}

/// Refers to its arguments: those that are temporary must be used within the same expression.
inline RunStore::Flush flushOf(const std::vector<SeriesInfo>& newSeries, const std::vector<Sample>& samples,
                               const std::vector<Event>& events = {})
{
    RunStore::Flush flush;
    flush.newSeries = newSeries;
    flush.samples = samples;
    flush.events = events;
    return flush;
}

} // namespace athanor::testing

/// Verifies that a Status or Result is good, and says its error when not.
#define VERIFY_OK(expression)                                                                                          \
    do {                                                                                                               \
        const auto& verified = (expression);                                                                           \
        QVERIFY2(verified.ok(), verified.ok() ? "" : (verified.error().text() + verified.error().details).c_str());    \
    } while (false)
