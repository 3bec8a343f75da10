#include "engine/exchange/crc32c.h"

#include <array>
#include <cstddef>

namespace athanor {
namespace {

constexpr std::uint32_t kPolynomial = 0x82F63B78;
constexpr std::size_t kSlices = 8; // bytes a turn: checksums must not take longer than reading

constexpr auto kTables = [] {
    std::array<std::array<std::uint32_t, 256>, kSlices> tables{};
    for (std::uint32_t i = 0; i < 256; ++i) {
        std::uint32_t crc = i;
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
        tables[0][i] = crc;
    }
    for (std::size_t slice = 1; slice < kSlices; ++slice)
        for (std::size_t i = 0; i < 256; ++i)
            tables[slice][i] = (tables[slice - 1][i] >> 8) ^ tables[0][tables[slice - 1][i] & 0xFF];
    return tables;
}();

} // namespace

std::uint32_t crc32c(std::string_view bytes)
{
    std::uint32_t crc = 0xFFFFFFFF;
    const auto byte = [&bytes](std::size_t i) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i]));
    };
    std::size_t i = 0;
    for (; i + kSlices <= bytes.size(); i += kSlices) {
        const std::uint32_t low = crc ^ (byte(i) | byte(i + 1) << 8 | byte(i + 2) << 16 | byte(i + 3) << 24);
        crc = kTables[7][low & 0xFF] ^ kTables[6][(low >> 8) & 0xFF] ^ kTables[5][(low >> 16) & 0xFF] ^
              kTables[4][low >> 24] ^ kTables[3][byte(i + 4)] ^ kTables[2][byte(i + 5)] ^
              kTables[1][byte(i + 6)] ^ kTables[0][byte(i + 7)];
    }
    for (; i < bytes.size(); ++i)
        crc = (crc >> 8) ^ kTables[0][(crc ^ byte(i)) & 0xFF];
    return crc ^ 0xFFFFFFFF;
}

std::uint32_t maskedCrc32c(std::string_view bytes)
{
    const std::uint32_t crc = crc32c(bytes);
    return ((crc >> 15) | (crc << 17)) + 0xA282EAD8U;
}

} // namespace athanor
