// A large table read by CsvTable beside pandas' read_csv, in turns. Arguments: megabytes (default 1000), rounds (3).
#include "engine/data/sources/source.h"
#include "engine/graph/node_catalog.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <random>
#include <string>

using namespace athanor;

namespace {

namespace fs = std::filesystem;

/// Eight columns of measurements with six digits, one of classes.
void writeTable(const fs::path& file, std::int64_t megabytes)
{
    std::ofstream out(file, std::ios::binary);
    std::mt19937 random(1);
    std::normal_distribution<double> normal(0, 10);
    out << "a,b,c,d,e,f,g,h,label\n";
    std::string rows;
    std::array<char, 32> cell{};
    for (std::int64_t written = 0; written < megabytes * 1000000; written += static_cast<std::int64_t>(rows.size())) {
        rows.clear();
        while (rows.size() < 1U << 20U) {
            for (int column = 0; column < 8; ++column)
                rows.append(cell.data(), static_cast<std::size_t>(std::snprintf(cell.data(), cell.size(), "%.6f,",
                                                                                normal(random))));
            rows += random() % 2 == 0 ? "yes\n" : "no\n";
        }
        out << rows;
    }
}

double seconds(const std::function<void()>& work)
{
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double pandasSeconds(const fs::path& file)
{
    const std::string command =
        "/usr/bin/python3 -c \"import pandas, time; t = time.perf_counter(); d = pandas.read_csv('" + file.string() +
        "'); print(time.perf_counter() - t)\"";
    FILE* pipe = popen(command.c_str(), "r");
    double value = 0;
    if (pipe == nullptr || std::fscanf(pipe, "%lf", &value) != 1)
        std::fprintf(stderr, "pandas (python3-pandas) cannot be run\n");
    if (pipe != nullptr)
        pclose(pipe);
    return value;
}

/// Megabytes of this process's own memory: without the pages of files, which the system may drop.
double ownMemory()
{
    std::ifstream status("/proc/self/status");
    std::string line;
    while (std::getline(status, line))
        if (line.starts_with("RssAnon:"))
            return std::strtod(line.c_str() + 8, nullptr) / 1000;
    return 0;
}

} // namespace

int main(int count, char** arguments)
{
    const std::int64_t megabytes = count > 1 ? std::atoll(arguments[1]) : 1000;
    const int rounds = count > 2 ? std::atoi(arguments[2]) : 3;
    const fs::path file = fs::temp_directory_path() / "athanor-bench.csv";
    writeTable(file, megabytes);
    const SourceNode node{
        "src", "CsvTable",
        completeParams(*dataCatalog().find("CsvTable"), {{"path", file.string()}, {"target", "label"}}), "/"};
    std::vector<double> ours;
    std::vector<double> pandas;
    for (int round = 0; round < rounds; ++round) {
        std::int64_t rows = 0;
        double memory = 0;
        ours.push_back(seconds([&] {
            const OpenedDataset data = openSource(node);
            rows = data ? (*data)->size() : -1;
            memory = ownMemory();
        }));
        pandas.push_back(pandasSeconds(file));
        std::printf("%lld rows: CsvTable %.2f s (%.0f MB of own memory), pandas %.2f s, ratio %.2f\n",
                    static_cast<long long>(rows), ours.back(), memory, pandas.back(), pandas.back() / ours.back());
        std::fflush(stdout);
    }
    std::sort(ours.begin(), ours.end());
    std::sort(pandas.begin(), pandas.end());
    const auto middle = static_cast<std::size_t>(rounds / 2);
    std::printf("median: CsvTable %.0f MB/s, pandas %.0f MB/s, ratio %.2f\n",
                static_cast<double>(megabytes) / ours[middle], static_cast<double>(megabytes) / pandas[middle],
                pandas[middle] / ours[middle]);
    fs::remove(file);
    return 0;
}
