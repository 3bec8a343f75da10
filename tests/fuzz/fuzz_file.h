// Fuzz targets only. Bytes as a file that can be opened by its path.
#pragma once

#include "engine/data/sources/source.h"
#include "engine/graph/node_catalog.h"

#include <cstdint>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace athanor {

/// A file in memory, gone with the object.
class FuzzFile {
public:
    FuzzFile(const std::uint8_t* data, std::size_t size) : m_file(memfd_create("input", MFD_CLOEXEC))
    {
        if (m_file < 0 || write(m_file, data, size) != static_cast<ssize_t>(size))
            abort();
    }
    ~FuzzFile() { close(m_file); }
    FuzzFile(const FuzzFile&) = delete;
    FuzzFile& operator=(const FuzzFile&) = delete;

    [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(m_file); }

private:
    int m_file;
};

/// Opens a source and reads all its samples, at most a thousand: whatever the bytes, an error or numbers come of it.
inline void openAndRead(const std::string& kind, const Json& params)
{
    const SourceNode node{"src", kind, completeParams(*dataCatalog().find(kind), params), "/"};
    const OpenedDataset data = openSource(node);
    if (!data) {
        if (data.error().message.empty() || data.error().where.empty())
            abort(); // an error says what is wrong, and where
        return;
    }
    Sample sample;
    constexpr std::int64_t kMost = 1000;
    for (std::int64_t i = 0; i < std::min(kMost, (*data)->size()); ++i) {
        if (!(*data)->read(i, sample))
            continue;
        std::size_t sum = (*data)->sampleName(i).size();
        for (const Value& value : sample)
            for (std::size_t byte = 0; byte < value.byteCount(); ++byte)
                sum += std::to_integer<std::size_t>(value.bytes()[byte]);
        volatile std::size_t seen = sum; // every byte is read
        (void)seen;
    }
}

} // namespace athanor
