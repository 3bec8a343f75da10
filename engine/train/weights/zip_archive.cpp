#include "engine/train/weights/zip_archive.h"

#include "engine/train/weights/weights_errors.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

namespace athanor {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are taken as they lie in the file");

constexpr std::uint32_t kEndMark = 0x06054b50, kEnd64Mark = 0x06064b50, kLocator64Mark = 0x07064b50;
constexpr std::uint32_t kEntryMark = 0x02014b50, kLocalMark = 0x04034b50;
constexpr std::size_t kEndSize = 22, kLocatorSize = 20, kEnd64Size = 56, kEntrySize = 46, kLocalSize = 30;
constexpr std::uint32_t kIn64 = 0xFFFFFFFF; ///< the value stands in the zip64 field

template <typename T>
T numberAt(std::string_view bytes, std::size_t at)
{
    if (at > bytes.size() || sizeof(T) > bytes.size() - at)
        throwDamaged("its directory ends too early");
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    return value;
}

struct Directory {
    std::uint64_t entries = 0;
    std::uint64_t size = 0;
    std::uint64_t offset = 0;
};

/// The end record stands last, behind it only a comment whose length it tells.
std::uint64_t findEnd(const InputFile& file)
{
    const std::uint64_t tailSize = std::min<std::uint64_t>(file.size(), kEndSize + 0xFFFF);
    const std::string tail = file.read(file.size() - tailSize, tailSize);
    for (std::size_t back = kEndSize; back <= tail.size(); ++back) {
        const std::size_t at = tail.size() - back;
        if (numberAt<std::uint32_t>(tail, at) == kEndMark &&
            numberAt<std::uint16_t>(tail, at + 20) == back - kEndSize)
            return file.size() - back;
    }
    throwDamaged("it ends too early: the directory of the zip archive is missing");
}

Directory findDirectory(const InputFile& file)
{
    const std::uint64_t end = findEnd(file);
    const std::string record = file.read(end, kEndSize);
    Directory directory{numberAt<std::uint16_t>(record, 10), numberAt<std::uint32_t>(record, 12),
                        numberAt<std::uint32_t>(record, 16)};
    if (end >= kLocatorSize) {
        const std::string locator = file.read(end - kLocatorSize, kLocatorSize);
        if (numberAt<std::uint32_t>(locator, 0) == kLocator64Mark) {
            const std::string end64 = file.read(numberAt<std::uint64_t>(locator, 8), kEnd64Size);
            if (numberAt<std::uint32_t>(end64, 0) != kEnd64Mark)
                throwDamaged("its directory is not where it should be");
            const Directory large{numberAt<std::uint64_t>(end64, 32), numberAt<std::uint64_t>(end64, 40),
                                  numberAt<std::uint64_t>(end64, 48)};
            // The small record says the same, or that it cannot; else readers would see different archives.
            const bool agree = (directory.entries == 0xFFFF || directory.entries == large.entries) &&
                               (directory.size == kIn64 || directory.size == large.size) &&
                               (directory.offset == kIn64 || directory.offset == large.offset);
            if (!agree)
                throwDamaged("its two directories do not agree");
            directory = large;
        }
    }
    if (!file.holds(directory.offset, directory.size) || directory.offset + directory.size > end)
        throwDamaged("its directory is not where it should be");
    return directory;
}

/// Sizes and places beyond 32 bits stand in an extra field, in this order, each only when it is needed.
void readZip64(std::string_view extra, std::uint64_t& size, std::uint64_t& stored, std::uint64_t& header)
{
    while (extra.size() >= 4) {
        const auto tag = numberAt<std::uint16_t>(extra, 0);
        const auto length = numberAt<std::uint16_t>(extra, 2);
        const std::string_view field = extra.substr(4).substr(0, length);
        if (tag == 1) {
            std::size_t at = 0;
            for (std::uint64_t* value : {&size, &stored, &header}) {
                if (*value != kIn64)
                    continue;
                *value = numberAt<std::uint64_t>(field, at);
                at += sizeof(std::uint64_t);
            }
            return;
        }
        extra.remove_prefix(std::min<std::size_t>(extra.size(), std::size_t{4} + length));
    }
}

/// One entry of the directory; `bytes` begins with it and is moved behind it.
ZipRecord takeEntry(std::string_view& bytes, std::uint64_t directoryOffset)
{
    if (numberAt<std::uint32_t>(bytes, 0) != kEntryMark)
        throwDamaged("its directory has an entry that is none");
    const auto flags = numberAt<std::uint16_t>(bytes, 8);
    const auto method = numberAt<std::uint16_t>(bytes, 10);
    const std::size_t name = numberAt<std::uint16_t>(bytes, 28);
    const std::size_t extra = numberAt<std::uint16_t>(bytes, 30);
    const std::size_t comment = numberAt<std::uint16_t>(bytes, 32);
    if (bytes.size() < kEntrySize + name + extra + comment)
        throwDamaged("its directory ends too early");
    ZipRecord record;
    record.checksum = numberAt<std::uint32_t>(bytes, 16);
    record.path = bytes.substr(kEntrySize, name);
    record.size = numberAt<std::uint32_t>(bytes, 24);
    record.header = numberAt<std::uint32_t>(bytes, 42);
    std::uint64_t stored = numberAt<std::uint32_t>(bytes, 20);
    readZip64(bytes.substr(kEntrySize + name, extra), record.size, stored, record.header);
    record.plain = (flags & 1U) == 0 && method == 0;
    if (!record.plain)
        record.size = stored = 0; // it is not read, so nobody may allocate what it claims
    if (stored != record.size || record.header > directoryOffset ||
        record.size > directoryOffset - record.header)
        throwDamaged("its directory names data that does not lie in the file");
    bytes.remove_prefix(kEntrySize + name + extra + comment);
    return record;
}

void requirePlain(const ZipRecord& record)
{
    if (!record.plain)
        throwUnsupported("This zip archive is compressed or encrypted, which torch.save never does.",
                         "Load it with torch.load and save it again with torch.save, or unpack it first.");
}

/// Without the top folder, which torch.save calls "archive" or after the file.
std::string belowTop(const std::string& path)
{
    const auto slash = path.find('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

} // namespace

ZipArchive::ZipArchive(InputFile file) : m_file(std::move(file))
{
    const Directory directory = findDirectory(m_file);
    const std::string bytes = m_file.read(directory.offset, directory.size);
    std::string_view rest = bytes;
    std::uint64_t room =
        directory.offset; // records that overlap would take more memory than the file has bytes
    for (std::uint64_t i = 0; i < directory.entries; ++i) {
        ZipRecord record = takeEntry(rest, directory.offset);
        if (record.size > room)
            throwDamaged("its records overlap");
        room -= record.size;
        std::string name = belowTop(record.path);
        if (!m_records.emplace(std::move(name), std::move(record)).second)
            throwDamaged("its directory has two entries of one name");
    }
}

const ZipRecord* ZipArchive::find(const std::string& name) const
{
    const auto found = m_records.find(name);
    return found == m_records.end() ? nullptr : &found->second;
}

bool ZipArchive::hasFolder(const std::string& prefix) const
{
    return std::ranges::any_of(m_records,
                               [&](const auto& record) { return record.first.starts_with(prefix); });
}

void ZipArchive::read(const ZipRecord& record, std::span<char> into) const
{
    requirePlain(record);
    const std::string local = m_file.read(record.header, kLocalSize);
    if (numberAt<std::uint32_t>(local, 0) != kLocalMark)
        throwDamaged("its record " + spelled(record.path) + " is not where it should be");
    const std::uint64_t start =
        record.header + kLocalSize + numberAt<std::uint16_t>(local, 26) + numberAt<std::uint16_t>(local, 28);
    m_file.read(start, into);
    uLong sum = ::crc32(0, nullptr, 0);
    for (std::size_t done = 0; done < into.size();) {
        const std::size_t part =
            std::min<std::size_t>(into.size() - done, std::size_t{1} << 30); // zlib counts in uInt
        sum = ::crc32(sum, reinterpret_cast<const Bytef*>(into.data() + done), static_cast<uInt>(part));
        done += part;
    }
    if (sum != record.checksum)
        throwDamaged(
            "the checksum of its record " + spelled(record.path) + " is wrong",
            "Fetch it again. A file saved under torch.serialization.set_crc32_options(False) has no right "
            "checksums: save it again without.");
}

std::string ZipArchive::read(const ZipRecord& record) const
{
    std::string bytes(record.size, '\0');
    read(record, std::span(bytes.data(), bytes.size()));
    return bytes;
}

} // namespace athanor
