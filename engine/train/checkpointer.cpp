#include "engine/train/checkpointer.h"

#include "engine/train/kind_params.h"

#include <chrono>

namespace athanor {
namespace {

/// Until then a checkpoint is surely in the store, whose recorder writes twice a second.
constexpr std::chrono::milliseconds kSettled{3000};

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

void Checkpointer::write(Checkpoint checkpoint)
{
    if (m_written.valid())
        m_written.wait(); // the caller has settled it, or will not
    checkpoint.progress["checkpoints"] = state();
    m_writing.step = checkpoint.step;
    m_writing.file = m_folder.fileFor(checkpoint.step);
    m_writing.best = m_bestIsNew;
    m_writing.monitored = m_best.best();
    m_bestIsNew = false;
    m_lastWritten = checkpoint.step;
    m_written = std::async(std::launch::async, [folder = m_folder, file = m_writing.file, best = m_bestStep,
                                                copy = detached(std::move(checkpoint))]() -> Status {
        if (auto status = saveCheckpoint(copy, file); !status.ok())
            return status;
        folder.prune(best, copy.step, kSettled);
        return Done{};
    });
}

std::optional<Result<CheckpointWritten>> Checkpointer::settle(bool wait)
{
    if (!m_written.valid())
        return std::nullopt;
    if (!wait && m_written.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
        return std::nullopt;
    const Status status = m_written.get();
    if (!status.ok()) {
        m_bestIsNew = m_bestIsNew || m_writing.best; // the next one holds it, if it is still the best by then
        m_lastWritten = -1;
        return status.error();
    }
    if (m_options.checkpointWritten)
        m_options.checkpointWritten(m_writing);
    return m_writing;
}

void Checkpointer::tidy() const
{
    if (enabled() && m_lastWritten >= 0)
        m_folder.prune(m_bestStep, m_lastWritten);
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
