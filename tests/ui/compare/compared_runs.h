// GUI thread. A store of runs to compare: two optimizers, three seeds each, another network for the last one.
#pragma once

#include "tests/engine/store/store_testing.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace athanor::testing {

inline std::string comparedProject(const std::string& optimizer, double lr, int seed, bool isDeeper)
{
    const std::string deeper =
        isDeeper
            ? R"({"id": "conv2", "kind": "Conv2d", "params": {"out_channels": 32, "kernel_size": 3, "padding": 1}},
        {"id": "act2", "kind": "GELU"}, )"
            : "";
    const std::string edges =
        isDeeper ? R"(["act1", "conv2"], ["conv2", "act2"], ["act2", "flat"])" : R"(["act1", "flat"])";
    return R"({"athanor": 1, "name": "digits", "data": {"nodes": [
        {"id": "digits", "kind": "MnistIdx", "params": {"images": "images.gz", "labels": "labels.gz"}},
        {"id": "split", "kind": "Split", "params": {"train": 0.8, "val": 0.2, "seed": 7}},)" +
           std::string(isDeeper
                           ? R"({"id": "crop", "kind": "RandomCrop", "params": {"size": 28, "padding": 2}},)"
                           : "") +
           R"(
        {"id": "tensor", "kind": "ToTensor"},
        {"id": "loader", "kind": "Loader", "params": {"batch_size": )" +
           (isDeeper ? "64" : "32") + R"(, "shuffle": true}}],
        "edges": [["digits", "split"], )" +
           (isDeeper ? R"(["split", "crop"], ["crop", "tensor"])" : R"(["split", "tensor"])") +
           R"(, ["tensor", "loader"]]},
        "network": {"nodes": [
        {"id": "image", "kind": "Input", "params": {"field": "image"}}, {"id": "label", "kind": "Input", "params": {"field": "label"}},
        {"id": "conv1", "kind": "Conv2d", "params": {"out_channels": )" +
           (isDeeper ? "16" : "8") + R"(, "kernel_size": 3, "padding": 1}},
        {"id": "act1", "kind": "ReLU"}, )" +
           deeper +
           R"({"id": "flat", "kind": "Flatten"}, {"id": "fc", "kind": "Linear", "params": {"out_features": 10}},
        {"id": "loss", "kind": "CrossEntropyLoss"}],
        "edges": [["image", "conv1"], ["conv1", "act1"], )" +
           edges + R"(, ["flat", "fc"], ["fc", "loss:input"], ["label", "loss:target"]]},
        "training": {"epochs": 4, "seed": )" +
           std::to_string(seed) + R"(, "optimizer": {"kind": ")" + optimizer + R"(", "lr": )" +
           Json(lr).dump() + "}}}";
}

/// Step i of a run: falls from 2.3, with a noise of its seed.
inline double comparedLoss(int run, std::int64_t step)
{
    const double noise = std::sin(static_cast<double>(step) * (1.7 + run)) * 0.05;
    return 0.1 + 2.2 * std::exp(-static_cast<double>(step) / (100.0 + 40 * run)) +
           noise * std::exp(-static_cast<double>(step) / 300);
}

/// Six runs of `steps` steps; the last of them has one NaN in its loss. Their ids, in order.
inline std::vector<RunId> makeComparedRuns(RunStore& store, std::int64_t steps = 400)
{
    std::vector<RunId> ids;
    for (int run = 0; run < 6; ++run) {
        const bool isSgd = run >= 3;
        NewRun fresh;
        fresh.name = (isSgd ? "sgd " : "adam ") + std::to_string(run % 3 + 1);
        fresh.project = "digits";
        fresh.projectText =
            comparedProject(isSgd ? "SGD" : "Adam", isSgd ? 0.05 : 0.001, run % 3 + 1, run == 5);
        const RunId id = valueOf(store.startRun(fresh));
        const std::vector<SeriesInfo> series{{"train/loss", "", SeriesRole::Essential},
                                             {"val/loss", "", SeriesRole::Essential},
                                             {"val/accuracy", "", SeriesRole::Essential},
                                             {"lr", "", SeriesRole::Essential}};
        std::vector<Sample> samples;
        std::vector<Event> events;
        for (std::int64_t step = 1; step <= steps; ++step) {
            const bool isBad = run == 5 && step == steps / 2;
            samples.push_back(
                {0, step, isBad ? std::numeric_limits<double>::quiet_NaN() : comparedLoss(run, step)});
            samples.push_back({3, step, isSgd ? 0.05 : 0.001});
            if (step % (steps / 4) == 0) {
                samples.push_back({1, step, comparedLoss(run, step) + 0.05});
                samples.push_back({2, step, 0.98 - comparedLoss(run, step) / 4});
                events.push_back(
                    {step, 1'700'000'000'000 + step * 100, EventKind::EpochEnded, "Epoch ended", {}});
            }
        }
        RunStore::Flush flush;
        flush.newSeries = series;
        flush.samples = samples;
        flush.events = events;
        flush.steps = steps;
        flush.epochs = 4;
        flush.seconds = static_cast<double>(steps) * 0.1;
        valueOf(store.flush(id, flush));
        valueOf(store.finishRun(id, RunStatus::Finished));
        ids.push_back(id);
    }
    return ids;
}

} // namespace athanor::testing
