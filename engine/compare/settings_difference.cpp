#include "engine/compare/settings_difference.h"

#include "engine/graph/name_match.h"
#include "engine/project/project_settings.h"

#include <algorithm>
#include <set>

namespace athanor {
namespace {

using Settings = std::map<std::string, Json>;

/// "network.conv1" of network.conv1.kernel_size; empty for what is no parameter of a node.
std::string nodeOf(const std::string& path)
{
    if (!path.starts_with("data.") && !path.starts_with("network."))
        return {};
    const std::size_t end = path.find('.', path.find('.') + 1);
    return end == std::string::npos ? std::string() : path.substr(0, end);
}

bool isIgnored(const std::string& path, std::span<const std::string> ignored)
{
    return std::any_of(ignored.begin(), ignored.end(),
                       [&path](const std::string& pattern) { return matchesGlob(pattern, path); });
}

} // namespace

std::vector<SettingDifference> settingsDifference(std::span<const Project* const> projects,
                                                  std::span<const std::string> ignored)
{
    std::vector<Settings> settings;
    std::set<std::string> paths;
    for (const Project* project : projects) {
        settings.push_back(project != nullptr ? settingsOf(*project) : Settings{});
        for (const auto& [path, value] : settings.back())
            paths.insert(path);
    }
    std::vector<SettingDifference> out;
    for (const std::string& path : paths) {
        const std::string kind = nodeOf(path).empty() ? std::string() : nodeOf(path) + ".kind";
        const auto lacksNode = [&](const Settings& one) { return !one.empty() && !one.contains(kind); };
        if (isIgnored(path, ignored) ||
            (!kind.empty() && path != kind && std::any_of(settings.begin(), settings.end(), lacksNode)))
            continue;
        SettingDifference difference{path, {}};
        const std::optional<Json>* first = nullptr;
        bool differs = false;
        for (const Settings& one : settings) {
            const auto found = one.find(path);
            difference.values.push_back(found == one.end() ? std::nullopt
                                                           : std::optional<Json>(found->second));
        }
        for (std::size_t i = 0; i < projects.size(); ++i) {
            if (projects[i] == nullptr)
                continue;
            if (first == nullptr)
                first = &difference.values[i];
            else if (*first != difference.values[i])
                differs = true;
        }
        if (differs)
            out.push_back(std::move(difference));
    }
    return out;
}

} // namespace athanor
