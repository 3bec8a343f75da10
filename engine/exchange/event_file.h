// Any thread. TensorBoard's event files: records with checksums, each an Event message.
#pragma once

#include "engine/base/result.h"
#include "engine/store/run_store.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace athanor {

/// A text that was logged at a step.
struct EventNote {
    std::string tag;
    std::int64_t step = 0;
    double wallSeconds = 0; ///< since 1970-01-01 UTC
    std::string text;
};

/// What one or several event files say, in the order of their records.
struct EventLog {
    std::vector<std::string> tags;               ///< of scalars, in the order of their first values
    std::map<std::string, SeriesPoints> scalars; ///< by tag; steps as they came
    std::vector<EventNote> notes;
    double firstWall = 0; ///< seconds since 1970-01-01 UTC; 0 = there was none
    double lastWall = 0;
    std::int64_t records = 0;
    std::map<std::string, std::int64_t>
        leftOut;                       ///< values that were not read, by kind: "image", "histogram", …
    std::vector<std::string> problems; ///< what is damaged and was lost by that
};

/// Adds a file to a log. A file that breaks off (its writer was killed) or holds a wrong checksum is read up to
/// there, and the log says so. Errors: the file cannot be read, or is none of this kind.
Status readEventFile(const std::filesystem::path& file, EventLog& log);

/// Writes scalars. Those that a float holds exactly are simple values, which every reader knows; the others are tensors
/// of one double, so that each value reads back bit for bit.
class EventFileWriter {
public:
    static Result<EventFileWriter> create(const std::filesystem::path& file, double wallSeconds);
    Status addScalar(const std::string& tag, std::int64_t step, double wallSeconds, double value);
    Status close(); ///< all of it is written, or an Error

private:
    explicit EventFileWriter(std::filesystem::path file) : m_file(std::move(file)) {}
    Status addRecord(const std::string& event);
    [[nodiscard]] Error writeError() const;

    std::filesystem::path m_file;
    std::ofstream m_out;
};

} // namespace athanor
