// One thread. Event files as bytes, put together by the public formats alone: nothing of the code that is tested.
#pragma once

#include <QByteArray>

#include <cstdint>
#include <cstring>
#include <string>

namespace athanor::testing {

inline std::uint32_t plainCrc32c(const QByteArray& bytes)
{
    std::uint32_t crc = 0xFFFFFFFF;
    for (const char byte : bytes) {
        crc ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78 : 0);
    }
    return crc ^ 0xFFFFFFFF;
}

template <typename T>
QByteArray raw(T value)
{
    QByteArray bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value,
                sizeof value); // the machines that we build for are little-endian, as the format is
    return bytes;
}

inline QByteArray varint(std::uint64_t value)
{
    QByteArray bytes;
    for (; value >= 0x80; value >>= 7)
        bytes += static_cast<char>(value | 0x80);
    return bytes + static_cast<char>(value);
}

inline QByteArray bytesField(int number, const QByteArray& bytes)
{
    return varint(static_cast<std::uint64_t>(number) << 3 | 2) +
           varint(static_cast<std::uint64_t>(bytes.size())) + bytes;
}
inline QByteArray varintField(int number, std::uint64_t value)
{
    return varint(static_cast<std::uint64_t>(number) << 3) + varint(value);
}
inline QByteArray doubleField(int number, double value)
{
    return varint(static_cast<std::uint64_t>(number) << 3 | 1) + raw(value);
}
inline QByteArray floatField(int number, float value)
{
    return varint(static_cast<std::uint64_t>(number) << 3 | 5) + raw(value);
}

inline QByteArray record(const QByteArray& data)
{
    const auto masked = [](const QByteArray& bytes) {
        const std::uint32_t crc = plainCrc32c(bytes);
        return raw<std::uint32_t>(((crc >> 15) | (crc << 17)) + 0xA282EAD8U);
    };
    const QByteArray length = raw<std::uint64_t>(static_cast<std::uint64_t>(data.size()));
    return length + masked(length) + data + masked(data);
}

inline QByteArray versionRecord(double wall = 1000)
{
    return record(doubleField(1, wall) + bytesField(3, "brain.Event:2"));
}

/// An event with one value of a summary.
inline QByteArray valueRecord(std::int64_t step, double wall, const QByteArray& value)
{
    return record(doubleField(1, wall) + varintField(2, static_cast<std::uint64_t>(step)) +
                  bytesField(5, bytesField(1, value)));
}

/// As PyTorch's SummaryWriter writes scalars.
inline QByteArray scalarRecord(const QByteArray& tag, std::int64_t step, double wall, float value)
{
    return valueRecord(step, wall, bytesField(1, tag) + floatField(2, value));
}

/// As TensorFlow 2 writes them: a tensor, and the plugin's name with the first one.
inline QByteArray tensorRecord(const QByteArray& tag, std::int64_t step, double wall,
                               const QByteArray& tensor, const QByteArray& plugin)
{
    const QByteArray metadata =
        plugin.isEmpty() ? QByteArray() : bytesField(9, bytesField(1, bytesField(1, plugin)));
    return valueRecord(step, wall, bytesField(1, tag) + bytesField(8, tensor) + metadata);
}

} // namespace athanor::testing
