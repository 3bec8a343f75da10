// Tests only. Projects from short JSON, and whole sessions with everything they said.
#pragma once

#include "engine/train/training_session.h"

#include <chrono>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace athanor {

inline Project projectOf(const Json& json, const std::filesystem::path& folder = {})
{
    auto loaded = parseProject(json.dump(), folder.empty() ? folder : folder / "test.athanor");
    if (!loaded.ok())
        throw std::runtime_error(loaded.error().text());
    return std::move(loaded->project);
}

inline Json nodeJson(const std::string& id, const std::string& kind, Json params = Json::object())
{
    return {{"id", id}, {"kind", kind}, {"params", std::move(params)}};
}

/// A graph whose nodes follow each other in a line.
inline Json chainJson(std::vector<Json> nodes)
{
    Json edges = Json::array();
    for (std::size_t i = 1; i < nodes.size(); ++i)
        edges.push_back({nodes[i - 1]["id"], nodes[i]["id"]});
    return {{"nodes", nodes}, {"edges", edges}};
}

/// A network: input field `input` through `layers` into the loss, against field `target`.
inline Json networkJson(const std::string& input, std::vector<Json> layers, const std::string& loss, const std::string& target,
                        Json lossParams = Json::object())
{
    layers.insert(layers.begin(), nodeJson("x", "Input", {{"field", input}}));
    Json graph = chainJson(layers);
    graph["edges"].push_back({layers.back()["id"], "loss:input"});
    graph["edges"].push_back({"y", "loss:target"});
    graph["nodes"].push_back(nodeJson("y", "Input", {{"field", target}}));
    graph["nodes"].push_back(nodeJson("loss", loss, std::move(lossParams)));
    return graph;
}

/// Two spirals, `samples` of them, through split and loader: train 80 %, val 20 %.
inline Json spiralData(int samples = 200, int batch = 16, Json loader = Json::object())
{
    loader["batch_size"] = batch;
    return chainJson({nodeJson("spirals", "Synthetic", {{"kind", "spirals"}, {"samples", samples}, {"seed", 3}}),
                      nodeJson("split", "Split", {{"train", 0.8}, {"val", 0.2}, {"seed", 1}}),
                      nodeJson("loader", "Loader", std::move(loader))});
}

/// A small project that trains in milliseconds: spirals, an MLP with dropout and BatchNorm.
inline Json spiralProject(Json training = {{"epochs", 2}})
{
    if (!training.contains("optimizer"))
        training["optimizer"] = {{"kind", "SGD"}, {"lr", 0.05}, {"momentum", 0.9}};
    if (!training.contains("seed"))
        training["seed"] = 5;
    return {{"athanor", 1},
            {"name", "spirals"},
            {"data", spiralData()},
            {"network", networkJson("features",
                                    {nodeJson("fc1", "Linear", {{"out_features", 16}}), nodeJson("bn1", "BatchNorm1d"),
                                     nodeJson("act1", "ReLU"), nodeJson("drop1", "Dropout", {{"p", 0.2}}),
                                     nodeJson("fc2", "Linear", {{"out_features", 2}})},
                                    "CrossEntropyLoss", "label")},
            {"training", std::move(training)}};
}

using Points = std::vector<std::pair<std::int64_t, double>>;

/// All that a session said.
struct Record {
    std::map<std::string, Points> series;
    std::map<std::string, SeriesInfo> infos;
    std::vector<Event> events;
    SessionState state = SessionState::Idle;
    SessionEnd end = SessionEnd::None;
    std::vector<Problem> problems;
    SessionProgress progress;

    [[nodiscard]] int count(EventKind kind) const
    {
        int found = 0;
        for (const auto& event : events)
            found += event.kind == kind ? 1 : 0;
        return found;
    }
    [[nodiscard]] const Event* first(EventKind kind) const
    {
        for (const auto& event : events)
            if (event.kind == kind)
                return &event;
        return nullptr;
    }
    /// The first event whose text has this in it.
    [[nodiscard]] const Event* saying(const std::string& part) const
    {
        for (const auto& event : events)
            if (event.text.find(part) != std::string::npos)
                return &event;
        return nullptr;
    }
    [[nodiscard]] std::int64_t lastStep(const std::string& name = "train/loss") const
    {
        const auto found = series.find(name);
        return found == series.end() || found->second.empty() ? 0 : found->second.back().first;
    }
};

/// A session with its consumer on a thread of its own, as in the product.
class RunningSession {
public:
    RunningSession(const Project& project, const SessionOptions& options)
        : m_session(makeTrainingSession(project, options, m_stream))
        , m_consumer([this] { consume(); })
    {
        m_session->start();
    }
    ~RunningSession()
    {
        m_session.reset();
        if (m_consumer.joinable())
            m_consumer.join();
    }

    Session& session() { return *m_session; }

    /// True once the state is reached within a generous time.
    bool waitFor(SessionState state)
    {
        return waitUntil([&] { return m_session->state() == state; });
    }
    template <typename Condition>
    bool waitUntil(Condition condition)
    {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (!condition()) {
            if (std::chrono::steady_clock::now() > end)
                return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return true;
    }

    /// Waits for the end and returns everything.
    Record finish()
    {
        if (!m_session->wait(std::chrono::seconds(120)))
            throw std::runtime_error("the session did not end");
        m_record.state = m_session->state();
        m_record.end = m_session->end();
        m_record.problems = m_session->problems();
        m_record.progress = m_session->progress();
        m_consumer.join();
        return std::move(m_record);
    }

private:
    void consume()
    {
        std::vector<SeriesInfo> infos;
        while (true) {
            auto batch = m_stream.take(std::chrono::milliseconds(50));
            for (auto& info : batch.newSeries) {
                infos.push_back(info);
                m_record.infos[info.name] = info;
                m_record.series[info.name];
            }
            for (const auto& sample : batch.samples)
                m_record.series[infos[sample.series].name].emplace_back(sample.step, sample.value);
            for (auto& event : batch.events)
                m_record.events.push_back(std::move(event));
            if (batch.closed && batch.empty())
                return;
        }
    }

    MetricStream m_stream;
    Record m_record; // the consumer's until it is joined
    std::unique_ptr<Session> m_session;
    std::thread m_consumer;
};

inline Record runSession(const Project& project, SessionOptions options = {})
{
    if (options.threads == 0)
        options.threads = 1;
    return RunningSession(project, options).finish();
}
inline Record runSession(const Json& project, const SessionOptions& options = {})
{
    return runSession(projectOf(project), options);
}

/// True when both runs said the same numbers, bit for bit, in all series that do not tell of the machine.
/// `from` leaves out earlier steps. The first difference is put into `why`.
inline bool sameSeries(const Record& a, const Record& b, std::string& why, std::int64_t from = 0)
{
    const auto relevant = [&](const Record& record) {
        std::map<std::string, Points> kept;
        for (const auto& [name, points] : record.series) {
            if (record.infos.at(name).role == SeriesRole::Machine)
                continue;
            for (const auto& point : points)
                if (point.first >= from)
                    kept[name].push_back(point);
        }
        return kept;
    };
    const auto left = relevant(a);
    const auto right = relevant(b);
    for (const auto& [name, points] : left) {
        const auto other = right.find(name);
        if (other == right.end() || other->second.size() != points.size()) {
            why = name + " has another number of points";
            return false;
        }
        for (std::size_t i = 0; i < points.size(); ++i)
            if (points[i].first != other->second[i].first ||
                std::memcmp(&points[i].second, &other->second[i].second, sizeof(double)) != 0) {
                why = name + " differs: step " + std::to_string(points[i].first) + " is " + std::to_string(points[i].second) +
                      ", step " + std::to_string(other->second[i].first) + " is " + std::to_string(other->second[i].second);
                return false;
            }
    }
    why = left.size() == right.size() ? "" : "one has more series";
    return left.size() == right.size();
}

} // namespace athanor

#define VERIFY_SAME(...)                                                                                               \
    do {                                                                                                               \
        std::string difference;                                                                                        \
        QVERIFY2(athanor::sameSeries(__VA_ARGS__), difference.c_str());                                                \
    } while (false)
