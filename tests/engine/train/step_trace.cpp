// Trains a project and writes everything that the session said as JSON, for comparison with PyTorch.
// Usage: step_trace PROJECT OUTPUT.json [--no-probes] [--threads N] [--checkpoints FOLDER]
#include "session_record.h"

#include <fstream>
#include <iostream>

int main(int count, char** arguments)
{
    using namespace athanor;
    if (count < 3)
        return 2;
    SessionOptions options;
    options.threads = 1;
    for (int i = 3; i < count; ++i) {
        const std::string option = arguments[i];
        if (option == "--no-probes")
            options.probes = false;
        else if (option == "--threads" && i + 1 < count)
            options.threads = std::stoi(arguments[++i]);
        else if (option == "--checkpoints" && i + 1 < count)
            options.checkpointFolder = arguments[++i];
        else
            return 2;
    }
    auto project = loadProject(arguments[1]);
    if (!project.ok()) {
        std::cerr << project.error().text() << '\n';
        return 3;
    }
    const Record record = runSession(project->project, options);
    for (const auto& event : record.events)
        std::cerr << event.step << ' ' << event.text << '\n';
    Json series = Json::object();
    for (const auto& [name, points] : record.series) {
        Json list = Json::array();
        for (const auto& [step, value] : points)
            list.push_back({step, jsonNumber(value)});
        series[name] = std::move(list);
    }
    std::ofstream(arguments[2]) << Json{{"series", series}}.dump() << '\n';
    return record.state == SessionState::Finished ? 0 : 1;
}
