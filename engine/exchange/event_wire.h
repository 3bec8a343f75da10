// Any thread (values). Protocol buffers' wire format, as far as event files need it.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace athanor {

/// One field of a message.
struct WireField {
    enum class Kind { Varint, Fixed64, Bytes, Fixed32 };
    std::uint32_t number = 0;
    Kind kind = Kind::Varint;
    std::uint64_t bits = 0; ///< of all but Bytes
    std::string_view bytes; ///< within the message

    [[nodiscard]] double asDouble() const { return std::bit_cast<double>(bits); }
    [[nodiscard]] float asFloat() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
};

/// Walks over the fields of a message: `while (reader.next(field))`. A message that breaks off or holds a group ends
/// the walk with isSound() false.
class WireReader {
public:
    explicit WireReader(std::string_view message) : m_rest(message) {}
    bool next(WireField& field);
    [[nodiscard]] bool isSound() const { return m_isSound; }

private:
    bool fail();
    bool readVarint(std::uint64_t& value);
    bool readFixed(std::size_t size, std::uint64_t& value);

    std::string_view m_rest;
    bool m_isSound = true;
};

// Appends one field to a message.
void addVarint(std::string& message, std::uint32_t number, std::uint64_t value);
void addDouble(std::string& message, std::uint32_t number, double value);
void addFloat(std::string& message, std::uint32_t number, float value);
void addBytes(std::string& message, std::uint32_t number, std::string_view bytes);

// Little-endian numbers of a fixed size.
void appendFixed(std::string& to, std::uint64_t value, std::size_t size);
std::uint64_t fixedAt(std::string_view bytes, std::size_t at, std::size_t size);

} // namespace athanor
