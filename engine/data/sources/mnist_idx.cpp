// The IDX files of MNIST and its relatives (http://yann.lecun.com/exdb/mnist): big-endian header, then bytes.
#include "engine/data/memory_dataset.h"
#include "engine/data/sources/gz_file.h"
#include "engine/data/sources/source.h"

#include <algorithm>
#include <array>
#include <span>

namespace athanor {

namespace {

struct IdxFile {
    std::vector<std::int64_t> dims;
    std::vector<std::byte> bytes;
};

std::uint32_t bigEndian(const std::byte* bytes)
{
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i)
        value = value << 8 | std::to_integer<std::uint32_t>(bytes[i]);
    return value;
}

class IdxReader {
public:
    IdxReader(const SourceNode& node, std::string parameter)
        : m_node(node), m_parameter(std::move(parameter)),
          m_path(node.path(node.params.at(m_parameter).get<std::string>()))
    {}

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

    /// `rank` is the number of axes the file must have.
    Result<IdxFile> read(std::size_t rank) const
    {
        Result<GzFile> file = GzFile::open(m_node, m_parameter, m_path);
        if (!file)
            return file.error();
        IdxFile idx;
        if (const Status header = readHeader(*file, rank, idx); !header)
            return header.error();
        return readNumbers(*file, std::move(idx));
    }

private:
    [[nodiscard]] Error unreadable(const std::string& what, const std::string& hint) const
    {
        return m_node.error(ErrorCode::Unreadable, m_parameter, fileName(m_path) + " " + what, hint);
    }

    [[nodiscard]] Error damaged() const
    {
        return unreadable("is a damaged .gz file",
                          "It is cut off or its checksum does not fit; fetch it again");
    }

    Status readHeader(GzFile& file, std::size_t rank, IdxFile& idx) const
    {
        std::array<std::byte, 4> magic{};
        const std::size_t got = file.read(magic);
        if (file.isDamaged())
            return damaged();
        if (got != magic.size() || bigEndian(magic.data()) >> 16 != 0)
            return unreadable("is not an IDX file (it does not start with two zero bytes)",
                              "MnistIdx reads files such as train-images-idx3-ubyte, plain or .gz");
        if (std::to_integer<int>(magic[2]) != 0x08)
            return unreadable("holds numbers of another type than bytes",
                              "Only IDX files of unsigned bytes (type 0x08) can be read");
        const std::size_t axes = std::to_integer<std::size_t>(magic[3]);
        if (axes != rank)
            return unreadable("has " + std::to_string(axes) + " axes, but " + m_parameter + " need " +
                                  std::to_string(rank),
                              "Are images and labels swapped? Images are idx3 files, labels idx1 files");
        std::array<std::byte, 4> extent{};
        for (std::size_t axis = 0; axis < axes; ++axis) {
            if (file.read(extent) != extent.size())
                return unreadable("ends inside its header", "The file is damaged; fetch it again");
            idx.dims.push_back(bigEndian(extent.data()));
        }
        return Done{};
    }

    Result<IdxFile> readNumbers(GzFile& file, IdxFile idx) const
    {
        // Bytes are added as they come, so that a wrong header cannot ask for more memory than there is file.
        constexpr std::size_t kChunk = 1U << 22;
        const std::optional<std::size_t> claimed = claimedBytes(idx.dims, 1);
        if (!claimed)
            return unreadable("promises more numbers than any file holds",
                              "The file is damaged; fetch it again");
        const std::size_t wanted = *claimed;
        while (idx.bytes.size() < wanted) {
            const std::size_t start = idx.bytes.size();
            idx.bytes.resize(std::min(wanted, start + kChunk));
            const std::size_t got = file.read(std::span(idx.bytes).subspan(start));
            if (start + got < idx.bytes.size() && file.isDamaged())
                return damaged();
            if (start + got < idx.bytes.size())
                return unreadable("ends too early: its header promises " + std::to_string(wanted) +
                                      " bytes, it has " + std::to_string(start + got),
                                  "The download or the compressed file is incomplete; fetch it again");
        }
        std::array<std::byte, 1> more{};
        if (file.read(more) != 0)
            return unreadable("is longer than its header says", "The file is damaged; fetch it again");
        if (file.isDamaged())
            return damaged();
        return idx;
    }

    const SourceNode& m_node;
    std::string m_parameter;
    std::filesystem::path m_path;
};

/// Rows become columns.
void transpose(IdxFile& images)
{
    const auto rows = static_cast<std::size_t>(images.dims[1]);
    const auto columns = static_cast<std::size_t>(images.dims[2]);
    std::vector<std::byte> turned(images.bytes.size());
    for (std::size_t start = 0; start < turned.size(); start += rows * columns)
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t column = 0; column < columns; ++column)
                turned[start + column * rows + row] = images.bytes[start + row * columns + column];
    images.bytes = std::move(turned);
    std::swap(images.dims[1], images.dims[2]);
}

MemoryField imageField(IdxFile images)
{
    MemoryField field;
    field.layout = {"image", Element::UInt8, {images.dims[1], images.dims[2], 1}};
    field.numbers = std::move(images.bytes);
    return field;
}

MemoryField labelField(const IdxFile& labels)
{
    MemoryField field = makeMemoryField({"label", Element::Int64, {}}, labels.dims[0]);
    std::int64_t* out = field.int64();
    for (std::size_t i = 0; i < labels.bytes.size(); ++i) {
        out[i] = std::to_integer<std::int64_t>(labels.bytes[i]);
        field.layout.classes = std::max(field.layout.classes, out[i] + 1);
    }
    return field;
}

} // namespace

OpenedDataset openMnistIdx(const SourceNode& node)
{
    const IdxReader imageFile(node, "images");
    const IdxReader labelFile(node, "labels");
    Result<IdxFile> images = imageFile.read(3);
    if (!images)
        return images.error();
    if (elementCount(images->dims) == 0)
        return node.error(ErrorCode::Unreadable, "images", fileName(imageFile.path()) + " holds no images");
    Result<IdxFile> labels = labelFile.read(1);
    if (!labels)
        return labels.error();
    const std::int64_t size = images->dims[0];
    if (labels->dims[0] != size)
        return node.error(ErrorCode::InvalidArgument, "labels",
                          fileName(labelFile.path()) + " has " + std::to_string(labels->dims[0]) +
                              " labels, but " + fileName(imageFile.path()) + " has " + std::to_string(size) +
                              " images",
                          "Take both files from the same set (train or t10k)");
    std::vector<MemoryField> fields;
    if (node.params.at("transposed").get<bool>())
        transpose(*images);
    fields.push_back(imageField(std::move(*images)));
    fields.push_back(labelField(*labels));
    return makeMemoryDataset(std::move(fields), size,
                             [name = fileName(imageFile.path())](std::int64_t index) {
                                 return name + ", image " + std::to_string(index);
                             });
}

} // namespace athanor
