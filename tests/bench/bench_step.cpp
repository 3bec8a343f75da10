// One optimizer step of ours, bare and with all probes, beside the same step of a bare Python loop, and the small
// network's beside a bare loop in C++ over LibTorch's own modules.
// Usage: bench_step [--threads N] [--rounds N] [--network mlp|cnn|resnet] [--python FILE]
// They take turns in short rounds, so that other load on the machine meets all of them alike; medians and
// medians of each round's ratios are printed.
#include "bench_networks.h"

#include "engine/train/training_step.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

namespace athanor {
namespace {

using Ticks = std::chrono::steady_clock;

double microseconds(Ticks::duration duration)
{
    return std::chrono::duration<double, std::micro>(duration).count();
}

std::vector<DataBatch> makeBatches(const BenchNetwork& network)
{
    torch::manual_seed(1);
    std::vector<DataBatch> batches(16);
    for (auto& batch : batches) {
        auto shape = network.sample;
        shape.insert(shape.begin(), network.batch);
        batch.fields["image"] = torch::randn(shape);
        batch.fields["label"] = torch::randint(0, 10, {network.batch}, torch::kLong);
        batch.samples.resize(static_cast<std::size_t>(network.batch));
    }
    return batches;
}

/// A run's step with everything behind it: sink, stream, and a consumer that takes what is said.
class OurLoop {
public:
    OurLoop(const BenchNetwork& network, bool probes)
        : m_batches(makeBatches(network))
        , m_consumer([this] { consume(); })
    {
        const Project project = benchProject(network);
        auto parts = buildRun(project, checkNetwork(project.network, benchFields(network)), torch::kCPU);
        if (!parts.ok())
            throw std::runtime_error(parts.error().text());
        m_parts = std::move(*parts);
        m_probes = std::make_unique<ProbeSet>(probes ? builtinProbes() : std::vector<std::unique_ptr<Probe>>{}, m_sink);
        m_probes->prepare({*m_parts->network, *m_parts->parameters, m_sink, [](const std::string&) {}});
        m_step = std::make_unique<TrainingStep>(
            StepParts{*m_parts->network, *m_parts->parameters, *m_parts->buffers, *m_parts->optimizer, *m_probes, m_sink},
            project.training, torch::Device(torch::kCPU));
    }
    ~OurLoop()
    {
        m_stream.close();
        m_consumer.join();
    }

    /// Microseconds per step over `steps` steps.
    double run(int steps)
    {
        const auto start = Ticks::now();
        for (int i = 0; i < steps; ++i) {
            m_step->begin(++m_number);
            m_step->addBatch(m_batches[static_cast<std::size_t>(m_number) % m_batches.size()], 1, true);
            m_step->finish({0.001});
            m_sink.commit();
        }
        return microseconds(Ticks::now() - start) / steps;
    }

    /// Share of the time that the probes themselves measured.
    double probeMicroseconds(int steps)
    {
        m_probes->takeDuration();
        run(steps);
        return microseconds(m_probes->takeDuration()) / steps;
    }

private:
    void consume()
    {
        MetricStream::Batch batch;
        do
            batch = m_stream.take(std::chrono::milliseconds(100), std::move(batch));
        while (!(batch.closed && batch.empty()));
    }

    std::vector<DataBatch> m_batches;
    MetricStream m_stream;
    SampleSink m_sink{m_stream};
    std::unique_ptr<RunParts> m_parts;
    std::unique_ptr<ProbeSet> m_probes;
    std::unique_ptr<TrainingStep> m_step;
    std::int64_t m_number = 0;
    std::thread m_consumer;
};

/// The small network by LibTorch's own modules, as one writes it in C++.
class LibTorchLoop {
public:
    LibTorchLoop()
        : m_batches(makeBatches(mlpNetwork()))
        , m_network(torch::nn::Linear(784, 64), torch::nn::ReLU(), torch::nn::Linear(64, 64), torch::nn::ReLU(), torch::nn::Linear(64, 10))
        , m_optimizer(m_network->parameters(), torch::optim::AdamOptions(0.001))
    {
    }
    double run(int steps)
    {
        const auto start = Ticks::now();
        for (int i = 0; i < steps; ++i) {
            const auto& fields = m_batches[static_cast<std::size_t>(++m_number) % m_batches.size()].fields;
            m_optimizer.zero_grad();
            torch::cross_entropy_loss(m_network->forward(fields.at("image")), fields.at("label")).backward();
            m_optimizer.step();
        }
        return microseconds(Ticks::now() - start) / steps;
    }

private:
    std::vector<DataBatch> m_batches;
    torch::nn::Sequential m_network;
    torch::optim::Adam m_optimizer;
    std::int64_t m_number = 0;
};

/// python_loop.py as a child process: a line with a number of steps goes in, microseconds per step come out.
class PythonLoop {
public:
    PythonLoop(const std::string& script, const char* network, int threads)
    {
        int in[2];
        int out[2];
        if (pipe(in) != 0 || pipe(out) != 0)
            throw std::runtime_error("no pipe");
        m_child = fork();
        if (m_child == 0) {
            dup2(in[0], STDIN_FILENO);
            dup2(out[1], STDOUT_FILENO);
            for (const int descriptor : {in[0], in[1], out[0], out[1]})
                close(descriptor);
            const std::string count = std::to_string(threads);
            execl("/usr/bin/python3", "python3", script.c_str(), network, count.c_str(), nullptr);
            _exit(127);
        }
        close(in[0]);
        close(out[1]);
        m_to = fdopen(in[1], "w");
        m_from = fdopen(out[0], "r");
    }
    ~PythonLoop()
    {
        std::fclose(m_to);
        std::fclose(m_from);
        waitpid(m_child, nullptr, 0);
    }

    double run(int steps)
    {
        std::fprintf(m_to, "%d\n", steps);
        std::fflush(m_to);
        double time = 0;
        if (std::fscanf(m_from, "%lf", &time) != 1)
            throw std::runtime_error("python_loop.py did not answer; it needs python3-torch");
        return time;
    }

private:
    pid_t m_child = -1;
    std::FILE* m_to = nullptr;
    std::FILE* m_from = nullptr;
};

double median(std::vector<double> values)
{
    std::ranges::sort(values);
    return values[values.size() / 2];
}

struct Rounds {
    std::vector<double> bare;
    std::vector<double> probed;
    std::vector<double> python;
    std::vector<double> libTorch;
};

double ratio(const std::vector<double>& a, const std::vector<double>& b)
{
    std::vector<double> ratios;
    for (std::size_t i = 0; i < a.size(); ++i)
        ratios.push_back(a[i] / b[i]);
    return median(ratios);
}

struct Settings {
    int threads = 0;
    int rounds = 40;
    std::string script;
    std::string network; ///< the only one to measure
};

void measure(const BenchNetwork& network, const char* shortName, int steps, const Settings& settings)
{
    if (!settings.network.empty() && settings.network != shortName)
        return;
    OurLoop bare(network, false);
    OurLoop probed(network, true);
    PythonLoop python(settings.script, shortName, settings.threads);
    std::optional<LibTorchLoop> libTorch;
    if (std::strcmp(shortName, "mlp") == 0)
        libTorch.emplace();
    Rounds rounds;
    const auto time = [steps](auto& loop) {
        loop.run(std::max(1, steps / 10)); // caches and sleeping cores are not whoever comes next's to pay for
        return loop.run(steps);
    };
    for (int i = -3; i < settings.rounds; ++i) { // three to warm up
        const double times[] = {time(bare), time(probed), time(python), libTorch ? time(*libTorch) : 0.0};
        if (i < 0)
            continue;
        rounds.bare.push_back(times[0]);
        rounds.probed.push_back(times[1]);
        rounds.python.push_back(times[2]);
        rounds.libTorch.push_back(times[3]);
    }
    const double probes = probed.probeMicroseconds(steps);
    std::printf("%s\n", network.name.c_str());
    std::printf("  our step, bare            %9.1f us\n", median(rounds.bare));
    std::printf("  our step, all probes      %9.1f us   (probes by their own clock %.1f us)\n", median(rounds.probed), probes);
    std::printf("  Python, bare loop         %9.1f us\n", median(rounds.python));
    if (libTorch)
        std::printf("  LibTorch, bare loop       %9.1f us\n", median(rounds.libTorch));
    std::printf("  bare / Python             %9.3f\n", ratio(rounds.bare, rounds.python));
    std::printf("  all probes / Python       %9.3f\n", ratio(rounds.probed, rounds.python));
    std::printf("  all probes / bare         %9.3f\n", ratio(rounds.probed, rounds.bare));
    std::fflush(stdout);
}

} // namespace
} // namespace athanor

int main(int count, char** arguments)
{
    using namespace athanor;
    Settings settings;
    settings.script = ATHANOR_SOURCE_DIR "/tests/bench/python_loop.py";
    for (int i = 1; i + 1 < count; i += 2) {
        if (std::strcmp(arguments[i], "--threads") == 0)
            settings.threads = std::atoi(arguments[i + 1]);
        else if (std::strcmp(arguments[i], "--rounds") == 0)
            settings.rounds = std::atoi(arguments[i + 1]);
        else if (std::strcmp(arguments[i], "--network") == 0)
            settings.network = arguments[i + 1];
        else if (std::strcmp(arguments[i], "--python") == 0)
            settings.script = arguments[i + 1];
    }
    settings.threads = threadCount(settings.threads);
    std::printf("%d thread(s), %d rounds\n", settings.threads, settings.rounds);
    // On a thread of its own, as a run trains: memory behaves otherwise there than on the main thread.
    std::thread([&settings] {
        const TorchSettings torchSettings(settings.threads, true);
        measure(mlpNetwork(), "mlp", 100, settings);
        measure(cnnNetwork(), "cnn", 3, settings);
        measure(resNetwork(), "resnet", 1, settings);
    }).join();
    return 0;
}
