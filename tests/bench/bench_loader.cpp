// Samples per second of our Loader beside torchvision's DataLoader, which takes turns with it.
// Usage: bench_loader --images FOLDER (one subfolder per class, 32 × 32) --mnist FOLDER (of the idx files)
//                     [--workers N] [--samples N] [--rounds N] [--python FILE]
#include "engine/base/json.h"
#include "engine/data/batch.h"
#include "engine/data/data_pipeline.h"
#include "engine/graph/graph_edit.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace athanor {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
    std::string images;
    std::string mnist;
    int workers = 2;
    std::int64_t samples = 20000;
    int rounds = 5;
    std::string python = "/usr/bin/python3";
};

Node node(std::string id, std::string kind, Json params = Json::object())
{
    return Node{std::move(id), std::move(kind), std::move(params), Json::object()};
}

Project chain(std::vector<Node> nodes)
{
    std::vector<Edge> edges;
    for (std::size_t i = 1; i < nodes.size(); ++i)
        edges.push_back({{nodes[i - 1].id, {}}, {nodes[i].id, {}}});
    Project project;
    project.file = "/bench.athanor";
    project.data = std::move(buildGraph(std::move(nodes), std::move(edges))).value();
    return project;
}

/// RandomCrop(32, 4), flip, ToTensor, Normalize on a folder of PNG files.
Project folderProject(const Options& options)
{
    return chain({node("src", "ImageFolder", {{"path", options.images}}),
                  node("crop", "RandomCrop", {{"size", 32}, {"padding", 4}}), node("flip", "RandomHorizontalFlip"),
                  node("scale", "ToTensor"),
                  node("norm", "Normalize",
                       {{"mean", Json::array({0.4914, 0.4822, 0.4465})}, {"std", Json::array({0.247, 0.243, 0.262})}}),
                  node("loader", "Loader", {{"batch_size", 128}, {"shuffle", true}})});
}

Project mnistProject(const Options& options)
{
    return chain({node("src", "MnistIdx",
                       {{"images", options.mnist + "/train-images-idx3-ubyte"},
                        {"labels", options.mnist + "/train-labels-idx1-ubyte"}}),
                  node("scale", "ToTensor"), node("loader", "Loader", {{"batch_size", 64}, {"shuffle", true}})});
}

/// Samples per second until `most` samples were read, at least.
double ours(DataPipeline& pipeline, std::int64_t epoch, std::int64_t most)
{
    const auto start = Clock::now();
    std::int64_t samples = 0;
    const auto reader = pipeline.read(DataPart::Train, epoch);
    while (samples < most) {
        const auto batch = reader->next({});
        if (!batch)
            throw std::runtime_error(batch.error().text());
        if (!*batch)
            break;
        samples += (*batch)->size();
    }
    return static_cast<double>(samples) / std::chrono::duration<double>(Clock::now() - start).count();
}

/// The same measured by the Python script.
double theirs(const Options& options, const std::string& what, const std::string& folder, int workers)
{
    const std::string command = options.python + " " ATHANOR_SOURCE_DIR "/tests/bench/python_loader.py " + what + " '" +
                                folder + "' " + std::to_string(workers) + " " + std::to_string(options.samples);
    FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr)
        throw std::runtime_error("python cannot be started");
    double rate = 0;
    const int read = std::fscanf(pipe, "%lf", &rate);
    if (pclose(pipe) != 0 || read != 1)
        throw std::runtime_error("failed: " + command);
    return rate;
}

double median(std::vector<double> numbers)
{
    std::sort(numbers.begin(), numbers.end());
    return numbers[numbers.size() / 2];
}

void compare(const Options& options, const std::string& what, const Project& project, const std::string& folder,
             int workers)
{
    auto pipeline = openData(project, workers);
    if (!pipeline)
        throw std::runtime_error(pipeline.error().text());
    ours(**pipeline, 0, options.samples); // as the script does: files are in the system's cache then
    std::vector<double> mine;
    std::vector<double> other;
    std::vector<double> ratios;
    for (int round = 0; round < options.rounds; ++round) {
        mine.push_back(ours(**pipeline, round, options.samples));
        other.push_back(theirs(options, what, folder, workers));
        ratios.push_back(mine.back() / other.back());
    }
    std::printf("%-8s workers %d  ours %9.0f /s  DataLoader %9.0f /s  ratio %.2f\n", what.c_str(), workers, median(mine),
                median(other), median(ratios));
    const Throughput seen = (*pipeline)->throughput();
    for (const NodeCost& cost : seen.nodes)
        std::printf("    %-8s %8.4f ms a sample (%lld timed)\n", cost.node.c_str(), cost.milliseconds,
                    static_cast<long long>(cost.measured));
    std::fflush(stdout);
}

Options parse(int count, char** words)
{
    Options options;
    for (int i = 1; i + 1 < count; i += 2) {
        const std::string name = words[i];
        const std::string value = words[i + 1];
        if (name == "--images")
            options.images = value;
        else if (name == "--mnist")
            options.mnist = value;
        else if (name == "--workers")
            options.workers = std::stoi(value);
        else if (name == "--samples")
            options.samples = std::stoll(value);
        else if (name == "--rounds")
            options.rounds = std::stoi(value);
        else if (name == "--python")
            options.python = value;
        else
            throw std::runtime_error("unknown option " + name);
    }
    return options;
}

} // namespace
} // namespace athanor

int main(int count, char** words)
{
    using namespace athanor;
    try {
        const Options options = parse(count, words);
        if (!options.images.empty())
            compare(options, "images", folderProject(options), options.images, options.workers);
        if (!options.mnist.empty())
            compare(options, "mnist", mnistProject(options), options.mnist, options.workers);
    } catch (const std::exception& exception) {
        std::fprintf(stderr, "%s\n", exception.what());
        return 1;
    }
    return 0;
}
