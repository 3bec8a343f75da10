// Tests only. Tables, arrays and pictures with faults, and projects over them.
#pragma once

#include "../data/data_test.h"
#include "engine/preflight/preflight.h"

#include <QString>

#include <cmath>
#include <random>

namespace athanor {

using Rows = std::vector<std::vector<double>>;

/// Two classes of 150 rows whose five columns have about unit size: healthy. The last column is the class, or for a
/// regression a number that depends on the others.
inline Rows healthyRows(bool classes = true, unsigned seed = 5, int count = 300)
{
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    Rows rows;
    for (int i = 0; i < count; ++i) {
        const int label = static_cast<int>(random() % 2);
        std::vector<double> row;
        for (int column = 0; column < 5; ++column)
            row.push_back(normal(random) + (column < 2 ? 1.5 * label : 0));
        row.push_back(classes ? label : row[0] - 0.5 * row[1] + 0.3 * normal(random));
        rows.push_back(std::move(row));
    }
    return rows;
}

inline std::string csvText(const Rows& rows)
{
    std::string text = "a,b,c,d,e,y\n";
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i)
            text += QString("%1%2").arg(i == 0 ? "" : ",").arg(row[i], 0, 'g', 9).toStdString();
        text += "\n";
    }
    return text;
}

/// A .npy file (version 1.0) of little-endian numbers.
template <typename T>
void writeNpy(const std::filesystem::path& file, const std::vector<T>& numbers, const std::string& shape)
{
    const char* type = std::is_same_v<T, float> ? "<f4" : std::is_same_v<T, std::int64_t> ? "<i8" : "|u1";
    std::string header = std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
    while ((10 + header.size() + 1) % 64 != 0)
        header += ' ';
    header += '\n';
    std::string text("\x93NUMPY\x01\x00", 8);
    text += static_cast<char>(header.size() % 256);
    text += static_cast<char>(header.size() / 256);
    text += header;
    text.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T));
    writeFile(file, text);
}

/// Puts a network behind the data: a hidden layer (`first` before it, such as BatchNorm1d) on `field`.
inline void addNetwork(Project& project, const std::string& field, const std::string& target, int outputs,
                       const std::string& first = {})
{
    std::vector<Node> nodes{node("in", "Input", {{"field", field}})};
    std::vector<Edge> edges;
    const auto then = [&](Node next) {
        edges.push_back({{nodes.back().id, {}}, {next.id, {}}});
        nodes.push_back(std::move(next));
    };
    if (field == "image")
        then(node("flat", "Flatten"));
    then(node("fc1", "Linear", {{"out_features", 8}}));
    if (!first.empty())
        then(node("norm", first));
    then(node("relu", "ReLU"));
    then(node("fc2", "Linear", {{"out_features", outputs}}));
    nodes.push_back(node("t", "Input", {{"field", target}}));
    nodes.push_back(node("loss", outputs > 1 ? "CrossEntropyLoss" : "MSELoss"));
    edges.push_back({{"fc2", {}}, {"loss", "input"}});
    edges.push_back({{"t", {}}, {"loss", "target"}});
    project.network = std::move(buildGraph(std::move(nodes), std::move(edges))).value();
}

/// A table of six columns, split and standardized, with a network for it.
inline Project tableProject(const std::filesystem::path& folder, const std::string& csv, bool classes = true)
{
    writeFile(folder / "table.csv", csv);
    Project project = dataProject(
        folder, {node("table", "CsvTable", {{"path", "table.csv"}, {"target", "y"}, {"task", classes ? "classification" : "regression"}}),
                 node("split", "Split", {{"train", 0.8}, {"val", 0.2}, {"seed", 3}}), node("scale", "Standardize"),
                 node("loader", "Loader", {{"batch_size", 16}, {"shuffle", true}})});
    addNetwork(project, "features", classes ? "label" : "target", classes ? 2 : 1);
    return project;
}

/// Pictures in class folders below train and val.
inline Project pictureProject(const std::filesystem::path& folder, std::vector<Node> transforms)
{
    std::vector<Node> nodes{node("train", "ImageFolder", {{"path", "train"}}), node("val", "ImageFolder", {{"path", "val"}}),
                            node("parts", "Parts")};
    std::vector<std::string> edges{"train -> parts:train", "val -> parts:val"};
    std::string last = "parts";
    transforms.push_back(node("loader", "Loader", {{"batch_size", 8}, {"shuffle", true}}));
    for (Node& transform : transforms) {
        edges.push_back(last + " -> " + transform.id);
        last = transform.id;
        nodes.push_back(std::move(transform));
    }
    Project project = dataProject(folder, std::move(nodes), edges);
    addNetwork(project, "image", "label", 2);
    return project;
}

inline std::vector<Node> scaledPictures()
{
    return {node("tensor", "ToTensor"), node("norm", "Normalize", {{"mean", {0.5}}, {"std", {0.25}}})};
}

/// Copies the drawn scenes, which are healthy, into `folder`.
inline void copyScenes(const std::filesystem::path& folder)
{
    std::filesystem::create_directories(folder.parent_path());
    std::filesystem::copy(dataFolder() / "scenes", folder, std::filesystem::copy_options::recursive);
}

/// Without memory, so that every call looks.
inline PreflightResult preflight(const Project& project)
{
    PreflightOptions options;
    options.useMemory = false;
    options.threads = 2;
    Result<PreflightResult> result = runPreflight(project, options);
    if (!result)
        throw std::runtime_error(result.error().text());
    return std::move(*result);
}

inline const DataFinding* findingOf(const PreflightResult& result, const std::string& rule)
{
    for (const DataFinding& found : result.findings)
        if (found.finding.rule == rule)
            return &found;
    return nullptr;
}

/// The rules of all warnings and errors, for a message of a failed test.
inline QString alarms(const PreflightResult& result)
{
    QString text;
    for (const DataFinding& found : result.findings)
        if (found.finding.severity != Severity::Info)
            text += QString::fromStdString(found.finding.rule + ": " + found.finding.message + "\n");
    return text;
}

} // namespace athanor
