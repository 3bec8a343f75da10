// Tests only. Data graphs and files in few words.
#pragma once

#include "engine/data/data_pipeline.h"
#include "engine/data/sources/source.h"
#include "engine/graph/graph_edit.h"

#include <QByteArray>
#include <QString>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace athanor {

inline Node node(std::string id, std::string kind, Json params = Json::object())
{
    return Node{std::move(id), std::move(kind), std::move(params), Json::object()};
}

/// A project in `folder` whose data graph has these nodes. Edges as "a -> b:port"; none: a chain.
inline Project dataProject(const std::filesystem::path& folder, std::vector<Node> nodes,
                           const std::vector<std::string>& edges = {}, std::uint64_t seed = 1)
{
    std::vector<Edge> list;
    for (const std::string& text : edges) {
        const auto arrow = text.find(" -> ");
        list.push_back({PortRef::parse(text.substr(0, arrow)), PortRef::parse(text.substr(arrow + 4))});
    }
    for (std::size_t i = 1; edges.empty() && i < nodes.size(); ++i)
        list.push_back({{nodes[i - 1].id, {}}, {nodes[i].id, {}}});
    Project project;
    project.file = folder / "test.athanor";
    project.training.seed = seed;
    project.data = std::move(buildGraph(std::move(nodes), std::move(list))).value();
    return project;
}

/// A source node called "src" with complete parameters.
inline SourceNode sourceNode(const std::filesystem::path& folder, const std::string& kind, const Json& params)
{
    return {"src", kind, completeParams(*dataCatalog().find(kind), params), folder};
}

inline void writeFile(const std::filesystem::path& file, const std::string& content)
{
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
}

inline std::string readFile(const std::filesystem::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

inline std::filesystem::path dataFolder()
{
    return std::filesystem::path(ATHANOR_SOURCE_DIR) / "tests" / "data";
}

/// Index of a field; the test fails by an exception when there is none.
inline std::size_t fieldIndex(const Dataset& dataset, const std::string& name)
{
    for (std::size_t i = 0; i < dataset.fields().size(); ++i)
        if (dataset.fields()[i].name == name)
            return i;
    throw std::runtime_error("no field " + name);
}

template <typename T>
std::vector<T> numbersOf(const Value& value)
{
    const auto* numbers = reinterpret_cast<const T*>(value.bytes());
    return {numbers, numbers + value.count()};
}

/// The numbers of one field of one sample.
template <typename T>
std::vector<T> numbersOf(const Dataset& dataset, const std::string& field, std::int64_t index)
{
    Sample sample;
    const Status status = dataset.read(index, sample);
    if (!status)
        throw std::runtime_error(status.error().text());
    return numbersOf<T>(sample[fieldIndex(dataset, field)]);
}

inline std::vector<std::int64_t> labelsOf(const Dataset& dataset)
{
    std::vector<std::int64_t> labels;
    for (std::int64_t i = 0; i < dataset.size(); ++i)
        labels.push_back(dataset.indexValue(fieldIndex(dataset, "label"), i));
    return labels;
}

} // namespace athanor

/// Fails the test with the error's text.
#define VERIFY_OK(result)                                                                                    \
    do {                                                                                                     \
        const auto& verified = (result);                                                                     \
        QVERIFY2(verified.ok(), verified.ok() ? "" : verified.error().text().c_str());                       \
    } while (false)

/// Compares an error's place, and its message or hint with a part that must stand in it.
#define COMPARE_ERROR(result, place, part)                                                                   \
    do {                                                                                                     \
        const auto& failed = (result);                                                                       \
        QVERIFY2(!failed.ok(), "no error");                                                                  \
        QCOMPARE(QString::fromStdString(failed.error().where), QString(place));                              \
        const QString errorText = QString::fromStdString(failed.error().text());                             \
        QVERIFY2(errorText.contains(QString(part)), qPrintable(errorText));                                  \
    } while (false)
