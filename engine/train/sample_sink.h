// Session thread. The way of a step's numbers into the stream; those on another device go in one transfer.
#pragma once

#include "engine/data/batch.h"
#include "engine/metrics/metric_stream.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace athanor {

class SampleSink {
public:
    explicit SampleSink(MetricStream& stream)
        : m_stream(stream)
    {
    }

    SeriesIndex series(const std::string& name, SeriesRole role, const std::string& unit = {});

    /// All that is put from now on belongs to this step.
    void beginStep(std::int64_t step) { m_step = step; }

    void put(SeriesIndex series, double value) { m_stream.push(series, m_step, value); }
    /// A number that others ask for by name (monitors): kept as the series' latest.
    void putEssential(SeriesIndex series, double value);
    void putEssential(SeriesIndex series, const torch::Tensor& value);
    /// Numbers on a device, one per series; in the processor's memory they are read at once, elsewhere they
    /// wait for transfer(). `keepNegative` false leaves out negative values ("there is none").
    void put(std::span<const SeriesIndex> series, const torch::Tensor& values, bool keepNegative = true);

    /// Fetches all that waits, and `more` (a double vector on the same device), in one transfer; returns `more`.
    std::vector<double> transfer(const torch::Tensor& more = {});

    /// Hands the step over to the consumer.
    void commit();

    [[nodiscard]] std::optional<double> latest(const std::string& name) const;

private:
    struct Waiting {
        std::vector<SeriesIndex> series;
        std::int64_t step = 0;
        torch::Tensor values; // double, one-dimensional
        bool keepNegative = true;
        bool essential = false;
    };
    void take(Waiting waiting);
    void push(const Waiting& waiting, const double* values);

    MetricStream& m_stream;
    std::int64_t m_step = 0;
    std::vector<Waiting> m_waiting;
    std::map<std::string, SeriesIndex> m_indices; // of essential series
    std::map<SeriesIndex, double> m_latest;
};

} // namespace athanor
