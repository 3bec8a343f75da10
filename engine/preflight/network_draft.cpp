#include "engine/preflight/network_draft.h"

#include "engine/preflight/graph_draft.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

namespace athanor {
namespace {

/// Epochs for about `steps` optimizer steps, within bounds.
std::int64_t epochsFor(double steps, std::int64_t samples, std::int64_t batch, std::int64_t least,
                       std::int64_t most)
{
    const double each = std::max(1.0, std::ceil(static_cast<double>(samples) / static_cast<double>(batch)));
    return std::clamp(static_cast<std::int64_t>(std::lround(steps / each)), least, most);
}

/// The end of every network: the loss and what it compares with.
void finish(GraphDraft& draft, const DataFacts& facts)
{
    const std::string output = draft.last();
    const std::string field = facts.classes > 0 ? "label" : "target";
    draft.start(field, "Input", {{"field", field}});
    draft.start("loss", facts.classes > 0 ? "CrossEntropyLoss" : "MSELoss");
    draft.connect(output, "loss:input");
    draft.connect(field, "loss:target");
}

std::int64_t outputsOf(const DataFacts& facts)
{
    return facts.classes > 0 ? facts.classes : facts.outputs;
}

/// What all proposals share: AdamW, a rate that falls to nothing along half a cosine, the best weights kept.
TrainSpec baseTraining(const DataFacts& facts, double rate, double decay, std::int64_t epochs)
{
    TrainSpec training;
    training.epochs = epochs;
    training.seed = 1;
    training.optimizer = {"AdamW", {{"lr", rate}, {"weight_decay", decay}}};
    training.schedulers = {
        {{"CosineAnnealingLR", {{"T_max", epochs}}}, ScheduleInterval::Epoch, std::nullopt}};
    training.metrics =
        facts.classes > 0 ? std::vector<std::string>{"accuracy"} : std::vector<std::string>{"mae", "r2"};
    training.checkpoint.monitor = facts.classes > 0 ? "val/accuracy" : "val/loss";
    training.checkpoint.mode = facts.classes > 0 ? MonitorMode::Max : MonitorMode::Min;
    training.clipGradNorm = 1.0;
    return training;
}

void addTrainingChoice(NetworkDraft& draft, const std::string& why)
{
    draft.choices.push_back(
        {"Training",
         fmt::format("AdamW, lr {}, {} epochs, rate along half a cosine",
                     draft.training.optimizer.params["lr"].dump(), *draft.training.epochs),
         why, "training"});
}

/// Numbers far from 0 are met half-way: the output starts at the targets' mean.
void startAtMean(NetworkDraft& draft, const DataFacts& facts)
{
    if (facts.classes > 0 || std::abs(facts.targetMean) < 1)
        return;
    draft.training.init.push_back({"out.bias", {"constant", {{"value", facts.targetMean}}}});
    draft.choices.push_back(
        {"Start", fmt::format("the output begins at {:.4g}, the mean of the target", facts.targetMean),
         "learning a large constant first costs steps", "training/init"});
}

} // namespace

Result<NetworkDraft> pictureNetwork(const DataFacts& facts)
{
    GraphDraft draft;
    draft.start("image", "Input", {{"field", "image"}});
    std::int64_t side = std::min(facts.height, facts.width);
    std::int64_t channels = 32;
    int stage = 1;
    constexpr std::int64_t kSmallest = 4; // pixels along a side, below which nothing is halved
    constexpr std::int64_t kWidest = 256;
    constexpr int kMostStages = 5;
    for (; stage == 1 || (side >= 2 * kSmallest && stage <= kMostStages); ++stage) {
        for (const char* half : {"a", "b"}) {
            const std::string name = fmt::format("{}{}", stage, half);
            draft.then("conv" + name, "Conv2d",
                       {{"out_channels", channels}, {"kernel_size", 3}, {"padding", 1}, {"bias", false}});
            draft.then("bn" + name, "BatchNorm2d");
            draft.then("relu" + name, "ReLU");
        }
        if (side >= 2 * kSmallest) {
            draft.then(fmt::format("pool{}", stage), "MaxPool2d", {{"kernel_size", 2}});
            side /= 2;
        }
        channels = std::min(channels * 2, kWidest);
    }
    const int stages = stage - 1;
    draft.then("mean", "AdaptiveAvgPool2d", {{"output_size", 1}});
    draft.then("flat", "Flatten");
    draft.then("drop", "Dropout", {{"p", 0.2}});
    draft.then("out", "Linear", {{"out_features", outputsOf(facts)}});
    finish(draft, facts);
    Result<Graph> graph = draft.build();
    if (!graph)
        return graph.error();
    NetworkDraft network{std::move(*graph), baseTraining(facts, 0.003, 0.05, 1), {}};
    const std::int64_t epochs = epochsFor(2400, facts.samples, 64, 5, 60);
    network.training.epochs = epochs;
    network.training.schedulers = {
        {{"OneCycleLR", {{"max_lr", 0.004}}}, ScheduleInterval::Step, std::nullopt}};
    network.choices.push_back(
        {"Network",
         fmt::format("{} stages of two 3×3 convolutions with batch normalization, {} outputs", stages,
                     outputsOf(facts)),
         fmt::format("pictures of {}×{}", facts.height, facts.width), "network"});
    network.choices.push_back(
        {"Training", fmt::format("AdamW, rate up to 0.004 and down again (OneCycleLR), {} epochs", epochs),
         fmt::format("about 2,400 steps over {} pictures", facts.samples), "training"});
    startAtMean(network, facts);
    return network;
}

Result<NetworkDraft> tableNetwork(const DataFacts& facts)
{
    const bool isSmall = facts.samples < 2000;
    const std::int64_t hidden = isSmall ? 32 : facts.samples < 50000 ? 128 : 256;
    GraphDraft draft;
    draft.start("features", "Input", {{"field", "features"}});
    draft.then("fc1", "Linear", {{"out_features", hidden}});
    draft.then("relu1", "ReLU");
    draft.then("drop1", "Dropout", {{"p", isSmall ? 0.2 : 0.1}});
    draft.then("fc2", "Linear", {{"out_features", hidden / 2}});
    draft.then("relu2", "ReLU");
    draft.then("out", "Linear", {{"out_features", outputsOf(facts)}});
    finish(draft, facts);
    Result<Graph> graph = draft.build();
    if (!graph)
        return graph.error();
    const std::int64_t batch = isSmall ? 32 : 128;
    const double rate = facts.classes > 0 ? 0.002 : 0.003 * std::clamp(facts.targetDeviation, 1.0, 10.0);
    NetworkDraft network{std::move(*graph),
                         baseTraining(facts, rate, 0.01, epochsFor(2000, facts.samples, batch, 10, 120)),
                         {}};
    if (facts.classes == 0 && facts.targetDeviation > 10)
        network.training.clipGradNorm.reset(); // gradients are as large as the target
    EarlyStoppingSpec stopping;
    stopping.patience = 30;
    stopping.restoreBest = true;
    network.training.earlyStopping = stopping;
    network.choices.push_back(
        {"Network",
         fmt::format("{} → {} → {} → {} with ReLU and dropout", facts.columns, hidden, hidden / 2,
                     outputsOf(facts)),
         fmt::format("{} rows: wide enough to learn, small enough not to learn them by heart", facts.samples),
         "network"});
    addTrainingChoice(
        network, "stops when the validation loss has not fallen for 30 epochs, and keeps the best weights");
    startAtMean(network, facts);
    return network;
}

Result<NetworkDraft> seriesNetwork(const DataFacts& facts)
{
    GraphDraft draft;
    draft.start("features", "Input", {{"field", "features"}});
    draft.then("flat", "Flatten");
    draft.then("straight", "Linear", {{"out_features", outputsOf(facts)}});
    draft.goOnFrom("flat");
    draft.then("fc1", "Linear", {{"out_features", 64}});
    draft.then("relu1", "ReLU");
    draft.then("out", "Linear", {{"out_features", outputsOf(facts)}});
    draft.then("sum", "Add");
    draft.connect("straight", "sum");
    finish(draft, facts);
    Result<Graph> graph = draft.build();
    if (!graph)
        return graph.error();
    const double rate = 0.002 * std::clamp(facts.targetDeviation, 1.0, 10.0);
    NetworkDraft network{
        std::move(*graph), baseTraining(facts, rate, 0.0, epochsFor(3000, facts.samples, 32, 10, 300)), {}};
    network.training.clipGradNorm.reset(); // gradients are as large as the target
    network.choices.push_back({"Network", "a straight line over the window, and 64 hidden units that bend it",
                               "trends go on beyond what was seen; a hidden layer alone cannot do that",
                               "network"});
    addTrainingChoice(network, fmt::format("about 3,000 steps over {} windows", facts.samples));
    startAtMean(network, facts);
    return network;
}

Result<NetworkDraft> textNetwork(const DataFacts& facts)
{
    GraphDraft draft;
    draft.start("tokens", "Input", {{"field", "tokens"}});
    draft.then("embed", "Embedding", {{"embedding_dim", 64}, {"padding_idx", 0}});
    draft.then("dropwords", "Dropout", {{"p", 0.2}});
    draft.then("channels", "Permute", {{"dims", {0, 2, 1}}});
    draft.start("join", "Concat");
    for (const int words : {3, 4, 5}) {
        draft.goOnFrom("channels");
        draft.then(fmt::format("conv{}", words), "Conv1d",
                   {{"out_channels", 64}, {"kernel_size", words}, {"padding", words / 2}});
        draft.then(fmt::format("relu{}", words), "ReLU");
        draft.then(fmt::format("max{}", words), "AdaptiveMaxPool1d", {{"output_size", 1}});
        draft.connect(draft.last(), "join");
    }
    draft.goOnFrom("join");
    draft.then("flat", "Flatten");
    draft.then("drop", "Dropout", {{"p", 0.5}});
    draft.then("out", "Linear", {{"out_features", outputsOf(facts)}});
    finish(draft, facts);
    Result<Graph> graph = draft.build();
    if (!graph)
        return graph.error();
    NetworkDraft network{
        std::move(*graph), baseTraining(facts, 0.001, 0.01, epochsFor(600, facts.samples, 32, 5, 20)), {}};
    network.choices.push_back(
        {"Network", "words as 64 numbers, convolutions over 3, 4 and 5 of them, the largest answer of each",
         "finds telling phrases wherever they stand (Kim 2014)", "network"});
    addTrainingChoice(network, fmt::format("about 600 steps over {} texts", facts.samples));
    startAtMean(network, facts);
    return network;
}

} // namespace athanor
