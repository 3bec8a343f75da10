#include "engine/exchange/event_wire.h"

namespace athanor {
namespace {

constexpr std::uint32_t kVarint = 0;
constexpr std::uint32_t kFixed64 = 1;
constexpr std::uint32_t kBytes = 2;
constexpr std::uint32_t kFixed32 = 5;

void appendVarint(std::string& to, std::uint64_t value)
{
    while (value >= 0x80) {
        to += static_cast<char>(value | 0x80);
        value >>= 7;
    }
    to += static_cast<char>(value);
}

void appendKey(std::string& to, std::uint32_t number, std::uint32_t kind)
{
    appendVarint(to, static_cast<std::uint64_t>(number) << 3 | kind);
}

} // namespace

void appendFixed(std::string& to, std::uint64_t value, std::size_t size)
{
    for (std::size_t i = 0; i < size; ++i)
        to += static_cast<char>(value >> (8 * i));
}

std::uint64_t fixedAt(std::string_view bytes, std::size_t at, std::size_t size)
{
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
        value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
    return value;
}

bool WireReader::fail()
{
    m_isSound = false;
    m_rest = {};
    return false;
}

bool WireReader::readVarint(std::uint64_t& value)
{
    value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (m_rest.empty())
            return fail();
        const auto byte = static_cast<unsigned char>(m_rest.front());
        m_rest.remove_prefix(1);
        value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
        if (byte < 0x80)
            return true;
    }
    return fail();
}

bool WireReader::readFixed(std::size_t size, std::uint64_t& value)
{
    if (m_rest.size() < size)
        return fail();
    value = fixedAt(m_rest, 0, size);
    m_rest.remove_prefix(size);
    return true;
}

bool WireReader::next(WireField& field)
{
    if (m_rest.empty())
        return false;
    std::uint64_t key = 0;
    if (!readVarint(key))
        return false;
    field.number = static_cast<std::uint32_t>(key >> 3);
    field.bits = 0;
    field.bytes = {};
    switch (key & 7) {
    case kVarint:
        field.kind = WireField::Kind::Varint;
        return readVarint(field.bits);
    case kFixed64:
        field.kind = WireField::Kind::Fixed64;
        return readFixed(8, field.bits);
    case kFixed32:
        field.kind = WireField::Kind::Fixed32;
        return readFixed(4, field.bits);
    case kBytes: {
        field.kind = WireField::Kind::Bytes;
        std::uint64_t size = 0;
        if (!readVarint(size))
            return false;
        if (size > m_rest.size())
            return fail();
        field.bytes = m_rest.substr(0, size);
        m_rest.remove_prefix(size);
        return true;
    }
    default:
        return fail();
    }
}

void addVarint(std::string& message, std::uint32_t number, std::uint64_t value)
{
    appendKey(message, number, kVarint);
    appendVarint(message, value);
}

void addDouble(std::string& message, std::uint32_t number, double value)
{
    appendKey(message, number, kFixed64);
    appendFixed(message, std::bit_cast<std::uint64_t>(value), 8);
}

void addFloat(std::string& message, std::uint32_t number, float value)
{
    appendKey(message, number, kFixed32);
    appendFixed(message, std::bit_cast<std::uint32_t>(value), 4);
}

void addBytes(std::string& message, std::uint32_t number, std::string_view bytes)
{
    appendKey(message, number, kBytes);
    appendVarint(message, bytes.size());
    message += bytes;
}

} // namespace athanor
