// Any thread, torch-free. A file that is read at given places, never beyond the size it had when it was
// opened.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace athanor {

class InputFile {
public:
    /// Throws a PlacedError: NotFound, or Unreadable with the system's reason.
    explicit InputFile(const std::filesystem::path& file);
    InputFile(InputFile&& other) noexcept;
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;
    ~InputFile();

    [[nodiscard]] std::uint64_t size() const { return m_size; }
    /// Whether `length` bytes from `offset` on lie in the file.
    [[nodiscard]] bool holds(std::uint64_t offset, std::uint64_t length) const
    {
        return offset <= m_size && length <= m_size - offset;
    }
    /// Fills `into`. Throws that the file is damaged when it does not lie in it.
    void read(std::uint64_t offset, std::span<char> into) const;
    /// The same, as a text; nothing is allocated that the file cannot fill.
    [[nodiscard]] std::string read(std::uint64_t offset, std::uint64_t length) const;

private:
    int m_descriptor;
    std::uint64_t m_size = 0;
};

} // namespace athanor
