#include "engine/store/series_blocks.h"

#include <zlib.h>

#include <bit>
#include <cstring>

namespace athanor {
namespace {

static_assert(sizeof(double) == 8);

void appendVarint(std::string& out, std::uint64_t value)
{
    while (value >= 0x80) {
        out.push_back(static_cast<char>(value | 0x80));
        value >>= 7;
    }
    out.push_back(static_cast<char>(value));
}

// Moves `at` behind the number; false when it is cut off or longer than 64 bits.
bool readVarint(const std::string& in, std::size_t& at, std::uint64_t& value)
{
    value = 0;
    for (int shift = 0; shift < 64 && at < in.size(); shift += 7) {
        const auto byte = static_cast<unsigned char>(in[at++]);
        value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

std::string packValues(std::span<const double> values)
{
    std::string out(values.size() * sizeof(double), '\0');
    if constexpr (std::endian::native == std::endian::little) {
        std::memcpy(out.data(), values.data(), out.size());
    } else {
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto bits = std::bit_cast<std::uint64_t>(values[i]);
            for (std::size_t byte = 0; byte < 8; ++byte)
                out[8 * i + byte] = static_cast<char>(bits >> (8 * byte));
        }
    }
    return out;
}

std::vector<double> unpackValues(const std::string& bytes)
{
    std::vector<double> out(bytes.size() / sizeof(double));
    if constexpr (std::endian::native == std::endian::little) {
        std::memcpy(out.data(), bytes.data(), bytes.size());
    } else {
        for (std::size_t i = 0; i < out.size(); ++i) {
            std::uint64_t bits = 0;
            for (std::size_t byte = 0; byte < 8; ++byte)
                bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[8 * i + byte])) << (8 * byte);
            out[i] = std::bit_cast<double>(bits);
        }
    }
    return out;
}

std::uint32_t checksum(const std::string& steps, const std::string& values)
{
    uLong crc = crc32(0, nullptr, 0);
    crc = crc32(crc, reinterpret_cast<const Bytef*>(steps.data()), static_cast<uInt>(steps.size()));
    crc = crc32(crc, reinterpret_cast<const Bytef*>(values.data()), static_cast<uInt>(values.size()));
    return static_cast<std::uint32_t>(crc);
}

// Differences are taken without sign, so that any two steps in order have one.
std::uint64_t difference(std::int64_t from, std::int64_t to)
{
    return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
}

std::int64_t advanced(std::int64_t from, std::uint64_t by)
{
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(from) + by);
}

bool isRegular(std::span<const std::int64_t> steps)
{
    for (std::size_t i = 2; i < steps.size(); ++i) {
        if (difference(steps[i - 1], steps[i]) != difference(steps[0], steps[1]))
            return false;
    }
    return true;
}

Error damaged(const char* what)
{
    return {ErrorCode::Unreadable, std::string("a block of points is damaged: ") + what, {}, {}, {}};
}

} // namespace

PackedBlock packBlock(std::span<const std::int64_t> steps, std::span<const double> values)
{
    PackedBlock block;
    block.count = static_cast<std::int64_t>(steps.size());
    block.firstStep = steps.front();
    block.lastStep = steps.back();
    if (isRegular(steps)) {
        block.stride = steps.size() > 1 ? advanced(0, difference(steps[0], steps[1])) : 0;
    } else {
        for (std::size_t i = 1; i < steps.size(); ++i)
            appendVarint(block.steps, difference(steps[i - 1], steps[i]));
    }
    block.values = packValues(values);
    block.crc32 = checksum(block.steps, block.values);
    return block;
}

Result<UnpackedBlock> unpackBlock(const PackedBlock& block)
{
    const auto count = static_cast<std::uint64_t>(block.count);
    if (block.count < 1 || block.values.size() % sizeof(double) != 0 || block.values.size() / sizeof(double) != count)
        return damaged("its length is wrong");
    if (checksum(block.steps, block.values) != block.crc32)
        return damaged("its checksum is wrong");
    UnpackedBlock out;
    out.steps.reserve(count);
    out.steps.push_back(block.firstStep);
    std::size_t at = 0;
    while (out.steps.size() < count) {
        std::uint64_t by = static_cast<std::uint64_t>(block.stride.value_or(0));
        if (!block.stride && !readVarint(block.steps, at, by))
            return damaged("its steps are cut off");
        out.steps.push_back(advanced(out.steps.back(), by));
    }
    if (at != block.steps.size() || out.steps.back() != block.lastStep)
        return damaged("its steps do not end where they should");
    out.values = unpackValues(block.values);
    return out;
}

} // namespace athanor
