// Any thread (plain data). What a run says while it goes: samples of series, and rare events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace athanor {

/// Index of a series within one run, in the order of registration.
using SeriesIndex = std::uint32_t;

/// How a series may be treated when the channel is full and when runs are compared.
enum class SeriesRole {
    Essential, ///< loss, metrics, learning rate: never dropped
    Probe,     ///< dropped and counted when the recorder cannot follow
    Machine,   ///< times, memory: differs from run to run even with the same seed
};

std::string seriesRoleName(SeriesRole role); ///< "essential", "probe", "machine"
std::optional<SeriesRole> seriesRoleFromName(std::string_view name);

struct SeriesInfo {
    std::string name; ///< a path: train/loss, grad_norm/conv1.weight
    std::string unit; ///< "", "ms", "1/s", "%"
    SeriesRole role = SeriesRole::Essential;
};

struct Sample {
    SeriesIndex series = 0;
    std::int64_t step = 0; ///< optimizer step, counted from 1 within the run
    double value = 0;      ///< any double, NaN and infinities included
};

enum class EventKind {
    StateChanged,
    EpochEnded,
    ValidationEnded,
    CheckpointWritten,
    NonFinite,      ///< loss or gradient was NaN or infinite at this step
    SettingChanged, ///< a live edit
    ProbesDropped,
    Note,
    Failed,
};
std::string eventKindName(EventKind kind); ///< "state-changed", …
std::optional<EventKind> eventKindFromName(std::string_view name);

struct Event {
    std::int64_t step = 0;
    std::int64_t wallMilliseconds = 0; ///< since 1970-01-01 UTC; stamped by the stream when 0
    EventKind kind = EventKind::Note;
    std::string text;  ///< for a person
    std::string where; ///< node, series or project path; may be empty
};

} // namespace athanor
