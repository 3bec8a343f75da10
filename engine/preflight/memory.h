// Any thread; several processes may share the folder. What the pre-flight check found, by what it depends on.
#pragma once

#include "engine/data/pipeline_builder.h"
#include "engine/preflight/preflight.h"

#include <optional>
#include <string>

namespace athanor {

/// What a result depends on, taken before anything is read: both graphs, the seed, and size, times and inode of every
/// file and folder that the data graph names.
class PreflightKey {
public:
    explicit PreflightKey(const Project& project);

    /// 32 hex digits.
    [[nodiscard]] const std::string& text() const { return m_text; }
    /// False when a file changed so lately that a further change might keep its times.
    [[nodiscard]] bool isSafe() const { return m_safe; }

private:
    std::string m_text;
    bool m_safe = true;
};

/// The result that was remembered under the key, if none of the files that it names has changed since.
std::optional<PreflightResult> recallPreflight(const std::filesystem::path& memory, const PreflightKey& key);

/// Remembers a result, with the stamps of the samples' own files. Keeps the newest hundred; failing to write is no
/// error, only logged.
void rememberPreflight(const std::filesystem::path& memory, const PreflightKey& key, const OpenedData& data,
                       const PreflightResult& result);

} // namespace athanor
