#include "engine/metrics/metric.h"

#include <algorithm>
#include <array>
#include <utility>

namespace athanor {
namespace {

// These names stand in stored runs: they may be added to, never changed.
constexpr std::array kEventKinds{
    std::pair{EventKind::StateChanged, std::string_view("state-changed")},
    std::pair{EventKind::EpochEnded, std::string_view("epoch-ended")},
    std::pair{EventKind::ValidationEnded, std::string_view("validation-ended")},
    std::pair{EventKind::CheckpointWritten, std::string_view("checkpoint-written")},
    std::pair{EventKind::NonFinite, std::string_view("non-finite")},
    std::pair{EventKind::SettingChanged, std::string_view("setting-changed")},
    std::pair{EventKind::ProbesDropped, std::string_view("probes-dropped")},
    std::pair{EventKind::Note, std::string_view("note")},
    std::pair{EventKind::Failed, std::string_view("failed")},
};

constexpr std::array kRoles{
    std::pair{SeriesRole::Essential, std::string_view("essential")},
    std::pair{SeriesRole::Probe, std::string_view("probe")},
    std::pair{SeriesRole::Machine, std::string_view("machine")},
};

template <typename Table, typename Key>
std::string nameIn(const Table& table, Key key)
{
    const auto found = std::find_if(table.begin(), table.end(), [key](const auto& row) { return row.first == key; });
    return found == table.end() ? std::string() : std::string(found->second);
}

template <typename Table>
auto keyIn(const Table& table, std::string_view name) -> std::optional<decltype(table.front().first)>
{
    for (const auto& [key, text] : table) {
        if (text == name)
            return key;
    }
    return std::nullopt;
}

} // namespace

std::string eventKindName(EventKind kind)
{
    return nameIn(kEventKinds, kind);
}

std::optional<EventKind> eventKindFromName(std::string_view name)
{
    return keyIn(kEventKinds, name);
}

std::string seriesRoleName(SeriesRole role)
{
    return nameIn(kRoles, role);
}

std::optional<SeriesRole> seriesRoleFromName(std::string_view name)
{
    return keyIn(kRoles, name);
}

} // namespace athanor
