#include "engine/train/checkpointer.h"

#include "engine/train/kind_params.h"

namespace athanor {
namespace {

bool isOfValidation(const std::string& series)
{
    return series.starts_with("val/");
}

} // namespace

Checkpointer::Checkpointer(const TrainSpec& spec, const SessionOptions& options)
    : m_options(options)
    , m_interval(spec.checkpoint.every)
    , m_folder(options.checkpointFolder, spec.checkpoint.keep)
    , m_best(spec.checkpoint.monitor, spec.checkpoint.mode)
{
    if (!spec.earlyStopping)
        return;
    const auto& early = *spec.earlyStopping;
    m_early.emplace(early.monitor, early.mode, early.minDelta);
    m_patience = early.patience;
}

void Checkpointer::look(const SampleSink& sink, std::int64_t step, bool afterValidation)
{
    if (isOfValidation(m_best.series()) == afterValidation)
        if (const auto value = sink.latest(m_best.series()); value && m_best.add(*value)) {
            m_bestIsNew = true;
            m_bestStep = step;
        }
    if (m_early && isOfValidation(m_early->series()) == afterValidation)
        if (const auto value = sink.latest(m_early->series()))
            m_early->add(*value);
}

std::optional<std::string> Checkpointer::stopReason() const
{
    if (!m_early || m_early->sinceBest() < m_patience)
        return std::nullopt;
    return m_early->series() + " has not improved " + std::to_string(m_early->sinceBest()) + " times in a row";
}

Result<CheckpointWritten> Checkpointer::write(Checkpoint checkpoint)
{
    checkpoint.progress["checkpoints"] = state();
    CheckpointWritten written;
    written.step = checkpoint.step;
    written.file = m_folder.fileFor(checkpoint.step);
    written.best = m_bestIsNew;
    written.monitored = m_best.best();
    if (auto status = saveCheckpoint(checkpoint, written.file); !status.ok())
        return status.error();
    m_bestIsNew = false;
    m_lastWritten = checkpoint.step;
    m_folder.prune(m_bestStep, checkpoint.step);
    if (m_options.checkpointWritten)
        m_options.checkpointWritten(written);
    return written;
}

Json Checkpointer::state() const
{
    Json state{{"best", m_best.state()}, {"best_step", m_bestStep}};
    if (m_early)
        state["early_stopping"] = m_early->state();
    return state;
}

void Checkpointer::restore(const Json& state)
{
    if (state.contains("best"))
        m_best.restore(state["best"]);
    m_bestStep = intParam(state, "best_step", -1);
    if (m_early && state.contains("early_stopping"))
        m_early->restore(state["early_stopping"]);
}

} // namespace athanor
