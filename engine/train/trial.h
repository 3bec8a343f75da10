// The calling thread. Training steps outside of any run: nothing is recorded, and the process is as before afterwards.
#pragma once

#include "engine/train/project_check.h"
#include "engine/train/run_parts.h"
#include "engine/train/training_permit.h"
#include "engine/train/training_step.h"

#include <memory>
#include <stop_token>

namespace athanor {

/// A project made ready for trial steps. Random numbers, threads and settings of LibTorch are what they were when it is
/// gone; files are only read.
class Trial {
public:
    /// Errors: those of the project's check, Busy while a run trains in this process, what building it says.
    static Result<std::unique_ptr<Trial>> open(const Project& project, int threads, int workers);
    ~Trial();
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;

    [[nodiscard]] RunParts& parts() { return *m_parts; }

    /// The next batch of the training part on the device, from the first one on, epoch after epoch.
    Result<DataBatch> next();
    /// One optimizer step on a batch at these rates, one per group. A step that is not finite is withheld.
    Result<StepOutcome> step(const DataBatch& batch, const std::vector<double>& rates);
    /// Base learning rates of the groups.
    [[nodiscard]] std::vector<double> baseRates() const;

private:
    Trial(const Project& project, int threads);
    Status build(int workers);

    TrainingPermit m_permit;
    std::map<std::string, torch::Tensor> m_generators;
    Project m_project;
    TorchSettings m_settings;
    OpenedProject m_opened;
    std::unique_ptr<EpochReader> m_reader;
    std::int64_t m_epoch = 0;
    MetricStream m_stream; // nobody listens
    SampleSink m_sink;
    std::unique_ptr<RunParts> m_parts;
    std::unique_ptr<ProbeSet> m_probes;
    std::unique_ptr<TrainingStep> m_step;
    std::int64_t m_number = 0;
};

} // namespace athanor
