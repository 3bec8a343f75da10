// Any thread, torch-free. A strict reader of the zip archives that torch.save writes: stored, not compressed.
#pragma once

#include "engine/train/weights/input_file.h"

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>

namespace athanor {

/// A file within the archive.
struct ZipRecord {
    std::uint64_t header = 0; ///< where its local header begins
    std::uint64_t size = 0;   ///< bytes, known to be no more than the archive has; 0 when not plain
    std::uint32_t checksum = 0;
    bool plain = true; ///< neither compressed nor encrypted
    std::string path;  ///< as the archive spells it
};

/// Reads the directory, zip64 too (APPNOTE 6.3). All members throw PlacedErrors: damaged, or Unsupported when
/// a record that is read is compressed or encrypted. All sizes are held against the file's own before
/// anything is allocated.
class ZipArchive {
public:
    explicit ZipArchive(InputFile file);
    /// By its path below the archive's one top folder ("data.pkl", "data/0"); nullptr when there is none.
    [[nodiscard]] const ZipRecord* find(const std::string& name) const;
    /// Whether any path below the top folder begins with it.
    [[nodiscard]] bool hasFolder(const std::string& prefix) const;
    /// Fills `into`, which has the record's size, and checks its sum.
    void read(const ZipRecord& record, std::span<char> into) const;
    [[nodiscard]] std::string read(const ZipRecord& record) const;

private:
    InputFile m_file;
    std::unordered_map<std::string, ZipRecord> m_records;
};

} // namespace athanor
