// Any thread (pure functions). The checksum of TensorFlow's record files.
#pragma once

#include <cstdint>
#include <string_view>

namespace athanor {

/// CRC-32C (Castagnoli, reflected polynomial 0x82F63B78): of "123456789" it is 0xE3069283.
std::uint32_t crc32c(std::string_view bytes);

/// As it stands in record files: turned by 15 bits, plus a constant, so that a checksum of checksums is sound.
std::uint32_t maskedCrc32c(std::string_view bytes);

} // namespace athanor
