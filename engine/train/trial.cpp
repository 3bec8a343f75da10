#include "engine/train/trial.h"

#include "engine/train/device_batch.h"
#include "engine/script/torch_errors.h"

#include <algorithm>

namespace athanor {
namespace {

/// What the trial changes nothing about, or must not wait for.
Project plain(Project project)
{
    TrainSpec& spec = project.training;
    spec.metrics.clear();
    spec.schedulers.clear();
    spec.averaging.reset();
    spec.checkpoint = {};
    spec.earlyStopping.reset();
    spec.onNonFinite = NonFinitePolicy::Skip;
    return project;
}

} // namespace

Trial::Trial(const Project& project, int threads)
    : m_generators(generatorStates())
    , m_project(plain(project))
    , m_settings(threadCount(threads), project.training.deterministic)
    , m_sink(m_stream)
{
}

Trial::~Trial()
{
    m_step.reset();
    m_reader.reset();
    if (m_permit.granted())
        restoreGenerators(m_generators);
}

Result<std::unique_ptr<Trial>> Trial::open(const Project& project, int threads, int workers)
{
    std::unique_ptr<Trial> trial(new Trial(project, threads));
    if (!trial->m_permit.granted())
        return Error{ErrorCode::Busy, "A run is training in this process.", "training", "Wait for its end, or stop it."};
    auto status = behindWall("training", [&] { return trial->build(workers); });
    if (!status.ok())
        return status.error();
    return trial;
}

Status Trial::build(int workers)
{
    m_opened = openProject(m_project, workers);
    for (const Problem& problem : m_opened.check.problems)
        if (problem.severity == Severity::Error)
            return Error{ErrorCode::InvalidArgument, problem.message, problem.where, problem.hint};
    const auto device = chooseDevice(m_project.training);
    if (!device.ok())
        return device.error();
    auto parts = buildRun(m_project, m_opened.check.network, *device);
    if (!parts.ok())
        return parts.error();
    m_parts = std::move(*parts);
    if (m_opened.data->batchCount(DataPart::Train) == 0)
        return Error{ErrorCode::InvalidArgument, "The training part has no samples.", "data"};
    m_probes = std::make_unique<ProbeSet>(std::vector<std::unique_ptr<Probe>>{}, m_sink);
    m_step = std::make_unique<TrainingStep>(
        StepParts{*m_parts->network, *m_parts->parameters, *m_parts->buffers, *m_parts->optimizer, *m_probes, m_sink},
        m_project.training, m_parts->device);
    return Done{};
}

Result<DataBatch> Trial::next()
{
    return behindWall("data", [&]() -> Result<DataBatch> {
        for (int attempt = 0; attempt < 2; ++attempt) {
            if (!m_reader)
                m_reader = m_opened.data->read(DataPart::Train, m_epoch);
            auto batch = m_reader->next({});
            if (!batch.ok())
                return batch.error();
            if (batch.value())
                return onDevice(**batch, m_parts->device);
            m_reader.reset();
            ++m_epoch;
        }
        return Error{ErrorCode::Internal, "The training part yields no batch.", "data"};
    });
}

Result<StepOutcome> Trial::step(const DataBatch& batch, const std::vector<double>& rates)
{
    return behindWall("training", [&]() -> Result<StepOutcome> {
        m_step->begin(++m_number);
        m_step->addBatch(batch, 1, true);
        StepOutcome outcome = m_step->finish(rates);
        m_sink.commit();
        static_cast<void>(m_stream.take(std::chrono::milliseconds(0)));
        return outcome;
    });
}

std::vector<double> Trial::baseRates() const
{
    std::vector<double> rates;
    for (const auto& group : m_parts->optimizer->groups())
        rates.push_back(group.rate);
    return rates;
}

} // namespace athanor
