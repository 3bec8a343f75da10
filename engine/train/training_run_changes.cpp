#include "engine/train/training_run.h"

#include "engine/graph/flat_graph.h"
#include "engine/project/train_spec.h"
#include "engine/train/kind_params.h"
#include "engine/script/torch_errors.h"

#include <spdlog/fmt/fmt.h>
#include <torch/torch.h>

#include <algorithm>

namespace athanor {
namespace {

/// Older ones are given up.
constexpr std::size_t kSnapshots = 8;

std::string textOf(const Json& value)
{
    double number = 0;
    if (numberFromJson(value, number))
        return fmt::format("{:g}", number);
    return value.is_null() ? "none" : value.dump();
}

template <typename Dropout>
bool setDropout(torch::nn::Module* module, double p)
{
    auto* dropout = dynamic_cast<Dropout*>(module);
    if (dropout)
        dropout->options.p(p);
    return dropout != nullptr;
}

} // namespace

void TrainingRun::makeChanges()
{
    while (!m_replay.empty() && m_replay.front().step <= m_position.step) {
        const LiveChange again = m_replay.front();
        m_replay.pop_front();
        const Status status = again.path.empty() ? revert() : change(again);
        if (!status.ok())
            say(EventKind::Note, "A change of the first course of this run could not be made again: " + status.error().text());
    }
    while (!m_wishes.empty()) {
        LiveChange wish = m_wishes.front();
        m_wishes.pop_front();
        wish.step = m_position.step;
        Status status = wish.path.empty() ? revert() : change(wish);
        if (status.ok())
            status = m_changeLog.add(wish);
        if (!status.ok())
            say(EventKind::Note, status.error().text(), status.error().where);
    }
}

Status TrainingRun::change(const LiveChange& wish)
{
    const auto setting = liveSetting(m_live, wish.path);
    if (!setting.ok())
        return setting.error();
    auto project = changed(m_live, wish.path, wish.value);
    if (!project.ok())
        return project.error();
    const std::string before = textOf(*setting == LiveSetting::LearningRate ? Json(rates().front()) : valueAt(wish.path));
    takeSnapshot();
    Project old = std::exchange(m_live, std::move(*project));
    if (auto status = apply(*setting, wish); !status.ok()) {
        m_live = std::move(old);
        m_snapshots.pop_back();
        return status;
    }
    m_changes.push_back(wish);
    const bool isRate = *setting == LiveSetting::LearningRate;
    if (isRate)
        m_live.training.optimizer = old.training.optimizer;
    const std::string after = textOf(wish.value);
    say(EventKind::SettingChanged,
        *setting == LiveSetting::BatchSize
            ? fmt::format("Batch size {} → {} from epoch {} on.", before, after, m_position.epoch + 2)
            : fmt::format("{} {} → {} from step {} on.", isRate ? "Learning rate" : wish.path.substr(wish.path.find('.') + 1),
                          before, after, m_position.step + 1),
        placeOfPath(wish.path));
    return Done{};
}

Json TrainingRun::valueAt(const std::string& path) const
{
    const TrainSpec& spec = m_live.training;
    if (path == "training.clip_grad_norm")
        return spec.clipGradNorm ? Json(*spec.clipGradNorm) : Json();
    if (path == "training.clip_grad_value")
        return spec.clipGradValue ? Json(*spec.clipGradValue) : Json();
    if (path == "training.freeze")
        return spec.freeze;
    const std::string name = path.substr(path.rfind('.') + 1);
    if (path.starts_with("training.optimizer."))
        return optimizerGroups(spec.optimizer).front().params.value(name, Json());
    if (path.starts_with("data."))
        return m_opened.data->batchSize();
    std::string id = path.substr(8, path.rfind('.') - 8);
    std::ranges::replace(id, '.', '/');
    const Graph flat = flattened(m_live.network).graph;
    const Node* node = flat.find(id);
    return node ? node->params.value(name, Json(0.5)) : Json();
}

Status TrainingRun::apply(LiveSetting setting, const LiveChange& wish)
{
    switch (setting) {
    case LiveSetting::LearningRate:
        // The schedule holds it from here on, as a scale: the base rate stays what it was at the start.
        m_parts->schedule.setRate(m_parts->optimizer->groups().front().rate, wish.value.get<double>());
        return Done{};
    case LiveSetting::Optimizer:
        m_parts->optimizer->reconfigure(optimizerGroups(m_live.training.optimizer));
        return Done{};
    case LiveSetting::Clipping:
        m_step->setClipping(m_live.training.clipGradNorm, m_live.training.clipGradValue);
        return Done{};
    case LiveSetting::Dropout:
        applyDropout();
        return Done{};
    case LiveSetting::Freeze:
        return behindWall("training/freeze", [&] { return applyFreeze(); });
    case LiveSetting::BatchSize:
        m_newBatchSize = true;
        return Done{};
    }
    return Done{};
}

void TrainingRun::applyDropout()
{
    const Graph flat = flattened(m_live.network).graph;
    for (const NetworkNode& node : m_parts->network->nodes()) {
        const Node* written = flat.find(node.id);
        torch::nn::Module* module = m_parts->network->module(node.id);
        if (node.family != NodeFamily::Dropout || !written || !module)
            continue;
        const double p = realParam(written->params, "p", 0.5);
        static_cast<void>(setDropout<torch::nn::DropoutImpl>(module, p) || setDropout<torch::nn::Dropout2dImpl>(module, p) ||
                          setDropout<torch::nn::AlphaDropoutImpl>(module, p));
    }
}

/// Lays the parameters out anew; what the optimizer knows of those that go on being trained stays.
Status TrainingRun::applyFreeze()
{
    auto known = m_parts->optimizer->state();
    const auto averaged = m_average ? m_average->state() : std::map<std::string, torch::Tensor>{};
    const auto updates = m_average ? m_average->count() : 0;
    const Json scaler = m_step->scaler() ? m_step->scaler()->state() : Json();
    if (auto status = freezeAnew(m_live, *m_parts); !status.ok())
        return status;
    auto merged = m_parts->optimizer->state();
    for (auto& [name, tensor] : merged)
        if (const auto found = known.find(name); found != known.end() && found->second.sizes() == tensor.sizes())
            tensor = found->second;
    if (auto status = m_parts->optimizer->restore(merged); !status.ok())
        return status;
    makeAverage();
    if (m_average && updates > 0)
        if (auto status = m_average->restore(averaged, updates); !status.ok())
            return status;
    makeMeasurements();
    if (m_step->scaler())
        m_step->scaler()->restore(scaler);
    return Done{};
}

/// Of the state before a change: in memory at once, on disk as soon as it is written, off this thread.
void TrainingRun::takeSnapshot()
{
    if (m_snapshotWritten.valid() && m_snapshotWritten.get().ok())
        m_snapshots.back().inMemory.reset();
    Snapshot snapshot;
    snapshot.step = m_position.step;
    snapshot.inMemory = std::make_shared<Checkpoint>(detached(makeCheckpoint()));
    snapshot.inMemory->progress["checkpoints"] = m_checkpointer.state();
    if (!m_options.checkpointFolder.empty()) {
        snapshot.file = snapshotFile(m_position.step, m_changes.size());
        m_snapshotWritten = std::async(std::launch::async, [checkpoint = snapshot.inMemory, file = snapshot.file] {
            return saveCheckpoint(*checkpoint, file);
        });
    }
    m_snapshots.push_back(std::move(snapshot));
    if (m_snapshots.size() <= kSnapshots)
        return;
    std::error_code ignored;
    std::filesystem::remove(m_snapshots.front().file, ignored);
    m_snapshots.erase(m_snapshots.begin());
}

/// Of the change number `change`, from 0.
std::filesystem::path TrainingRun::snapshotFile(std::int64_t step, std::size_t change) const
{
    return m_options.checkpointFolder / fmt::format("before-change-{:08}-{}.pt", step, change);
}

Status TrainingRun::revert()
{
    if (m_changes.empty())
        return Error{ErrorCode::InvalidArgument, "There is no change to take back.", "training"};
    const LiveChange newest = m_changes.back();
    Snapshot snapshot;
    if (!m_snapshots.empty()) {
        snapshot = m_snapshots.back();
    } else if (!m_options.checkpointFolder.empty()) { // made before this process took the run up
        snapshot.file = snapshotFile(newest.step, m_changes.size() - 1);
    }
    auto checkpoint = snapshot.inMemory ? Result<Checkpoint>(*snapshot.inMemory) : loadCheckpoint(snapshot.file);
    if (!checkpoint.ok())
        return Error{ErrorCode::NotFound, "The state before the change of " + newest.path + " is no longer kept.",
                     placeOfPath(newest.path), "Resume the run from an earlier checkpoint."};
    const Position now = m_position;
    const double seconds = m_meter.seconds();
    if (auto status = takeChangesOver(*checkpoint); !status.ok())
        return status;
    if (auto status = assemble(&*checkpoint); !status.ok())
        return status;
    if (!m_snapshots.empty())
        m_snapshots.pop_back();
    if (m_snapshotWritten.valid())
        m_snapshotWritten.wait();
    m_snapshotWritten = {};
    m_reverted += now.step - checkpoint->step;
    m_position.step = now.step; // points that are stored stay true
    m_validatedStep = -1;
    m_meter.startFrom(seconds);
    m_readAnew = true;
    say(EventKind::SettingChanged,
        fmt::format("The change of {} is taken back: from step {} on the run goes on from its state at step {}.",
                    newest.path, now.step + 1, checkpoint->step),
        placeOfPath(newest.path));
    return Done{};
}

Status TrainingRun::takeChangesOver(const Checkpoint& checkpoint)
{
    m_live = m_project;
    m_changes.clear();
    m_newBatchSize = checkpoint.progress.contains("batch_size");
    for (const Json& one : checkpoint.progress.value("changes", Json::array())) {
        LiveChange change{intParam(one, "step"), textParam(one, "path"), one.value("value", Json())};
        if (change.path != "training.optimizer.lr") { // the schedule's state has that
            auto project = changed(m_live, change.path, change.value);
            if (!project.ok())
                return project.error();
            m_live = std::move(*project);
        }
        m_changes.push_back(std::move(change));
    }
    return Done{};
}

} // namespace athanor
