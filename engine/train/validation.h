// Session thread. A pass over the validation part, in evaluation mode and without gradients.
#pragma once

#include "engine/base/result.h"
#include "engine/data/data_pipeline.h"
#include "engine/train/training_step.h"

#include <functional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace athanor {

class Validation {
public:
    /// Registers <prefix>loss (and <prefix>loss/<node> of several) and <prefix><metric>; the prefix is "val/", or
    /// "val/ema/" of averaged weights.
    Validation(CompiledNetwork& network, DataPipeline& data, SampleSink& sink, const TrainSpec& spec,
               torch::Device device, std::string prefix);

    /// Runs all batches: losses are means weighted by the batch sizes, metrics are of the whole part. The network is
    /// back in training mode afterwards; buffers and the random numbers are untouched. `between` is called between
    /// batches (commands) and returns false to leave; then the result is Cancelled.
    Status run(std::int64_t epoch, std::stop_token stop, const std::function<bool()>& between);

    /// Puts the values of a run at the sink's step; returns "val/loss 0.1234, val/accuracy 0.9760".
    std::string put();
    /// What metrics that are no numbers said: series name and text. Of the last put().
    [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& reports() const { return m_reports; }

private:
    Status collect(std::int64_t epoch, std::stop_token stop, const std::function<bool()>& between);
    void addBatch(const DataBatch& batch);
    void put(const std::string& name, SeriesIndex series, double value, std::string& summary);

    CompiledNetwork& m_network;
    DataPipeline& m_data;
    SampleSink& m_sink;
    Precision m_precision;
    torch::Device m_device;
    SeriesIndex m_lossSeries = 0;
    std::vector<SeriesIndex> m_nodeLossSeries;
    std::vector<NamedMetric> m_metrics;
    std::vector<SeriesIndex> m_metricSeries;
    std::vector<double> m_losses; // per loss node, times samples; the total first
    std::int64_t m_samples = 0;
    std::string m_prefix;
    std::vector<std::pair<std::string, std::string>> m_reports;
};

} // namespace athanor
