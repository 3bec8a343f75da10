#include "engine/base/log.h"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

namespace athanor {
namespace {

// Hands lines on to the listeners. spdlog holds the sink's mutex while it calls sink_it_, which guards
// the map too (addSink and removeSink take the same one).
class ListenerSink final : public spdlog::sinks::base_sink<std::mutex> {
public:
    int add(LogSink sink)
    {
        const std::lock_guard lock(mutex_);
        m_listeners[++m_last] = std::move(sink);
        return m_last;
    }
    void remove(int id)
    {
        const std::lock_guard lock(mutex_);
        m_listeners.erase(id);
    }

protected:
    void sink_it_(const spdlog::details::log_msg& message) override
    {
        using namespace std::chrono;
        const LogLine line{duration_cast<milliseconds>(message.time.time_since_epoch()).count(), message.level,
                           std::string(message.payload.data(), message.payload.size())};
        for (const auto& [id, listener] : m_listeners)
            listener(line);
    }
    void flush_() override {}

private:
    std::map<int, LogSink> m_listeners;
    int m_last = 0;
};

std::shared_ptr<ListenerSink> listeners()
{
    static const auto sink = std::make_shared<ListenerSink>();
    return sink;
}

} // namespace

void startLog(spdlog::level::level_enum terminalLevel, const std::string& file)
{
    auto terminal = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
    terminal->set_level(terminalLevel);
    terminal->set_pattern("%v");
    std::vector<spdlog::sink_ptr> sinks{terminal};
    if (!file.empty()) {
        try {
            auto rolling = std::make_shared<spdlog::sinks::rotating_file_sink_mt>(file, 5u << 20, 2);
            rolling->set_pattern("%Y-%m-%d %H:%M:%S.%e %L %v");
            sinks.push_back(std::move(rolling));
        } catch (const spdlog::spdlog_ex&) {
            // A read-only home must not keep anybody from training: the terminal still gets the lines.
        }
    }
    auto logger = std::make_shared<spdlog::logger>("athanor", sinks.begin(), sinks.end());
    logger->set_level(spdlog::level::debug);
    logger->flush_on(spdlog::level::warn);
    spdlog::set_default_logger(std::move(logger));
    spdlog::default_logger()->sinks().push_back(listeners());
}

int addLogSink(LogSink sink)
{
    const auto& sinks = spdlog::default_logger()->sinks();
    if (std::find(sinks.begin(), sinks.end(), spdlog::sink_ptr(listeners())) == sinks.end())
        spdlog::default_logger()->sinks().push_back(listeners()); // startLog was not called
    return listeners()->add(std::move(sink));
}

void removeLogSink(int id)
{
    listeners()->remove(id);
}

} // namespace athanor
