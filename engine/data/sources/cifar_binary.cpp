// The binary files of CIFAR-10 and CIFAR-100 (https://www.cs.toronto.edu/~kriz/cifar.html): records of one label
// byte (CIFAR-100: coarse, then fine) and 3×32×32 bytes.
#include "engine/data/memory_dataset.h"
#include "engine/data/sources/gz_file.h"
#include "engine/data/sources/source.h"

#include <algorithm>
#include <array>
#include <span>

namespace athanor {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kPixels = 32UL * 32UL;
constexpr std::size_t kImage = 3 * kPixels;

/// One label that each record has.
struct LabelKind {
    std::string field;
    std::size_t byte;
    std::int64_t classes;
    std::string namesFile;
};

class CifarReader {
public:
    explicit CifarReader(const SourceNode& node)
        : m_node(node), m_path(node.path(node.params.at("path").get<std::string>())),
          m_fine(node.kind == "Cifar100Binary"), m_labelBytes(m_fine ? 2 : 1)
    {
        const std::string labels = m_fine ? node.params.at("labels").get<std::string>() : "fine";
        if (!m_fine)
            m_labels.push_back({"label", 0, 10, "batches.meta.txt"});
        if (m_fine && labels != "coarse")
            m_labels.push_back({"label", 1, 100, "fine_label_names.txt"});
        if (m_fine && labels != "fine")
            m_labels.push_back(
                {labels == "coarse" ? "label" : "coarse_label", 0, 20, "coarse_label_names.txt"});
    }

    OpenedDataset open()
    {
        const Result<std::vector<fs::path>> files = findFiles();
        if (!files)
            return files.error();
        m_image.layout = {"image", Element::UInt8, {32, 32, 3}};
        for (const LabelKind& kind : m_labels)
            m_numbers.push_back(
                makeMemoryField({kind.field, Element::Int64, {}, kind.classes, classNames(kind)}, 0));
        for (const fs::path& file : *files)
            if (const Status status = readFile(file); !status)
                return status.error();
        return finish(*files);
    }

private:
    Result<std::vector<fs::path>> findFiles() const
    {
        std::error_code ignored;
        if (!fs::exists(m_path, ignored))
            return m_node.missing("path", m_path);
        if (!fs::is_directory(m_path, ignored))
            return std::vector<fs::path>{m_path};
        const bool train = m_node.params.at("part") == "train";
        std::vector<std::string> names;
        if (m_fine)
            names = {train ? "train.bin" : "test.bin"};
        else if (train)
            names = {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin",
                     "data_batch_5.bin"};
        else
            names = {"test_batch.bin"};
        std::vector<fs::path> files;
        for (const std::string& name : names) {
            if (!fs::exists(m_path / name, ignored))
                return m_node.missing("path", m_path / name);
            files.push_back(m_path / name);
        }
        return files;
    }

    /// Names as they lie beside the files; none when they do not.
    [[nodiscard]] std::vector<std::string> classNames(const LabelKind& kind) const
    {
        std::error_code ignored;
        const fs::path folder = fs::is_directory(m_path, ignored) ? m_path : m_path.parent_path();
        std::vector<std::string> names;
        if (!fs::is_regular_file(folder / kind.namesFile, ignored))
            return names;
        const Result<std::string> text = readTextFile(m_node, "path", folder / kind.namesFile);
        std::string line;
        for (const char c : text ? *text + "\n" : std::string()) {
            if (c != '\n' && c != '\r')
                line += c;
            else if (!line.empty())
                names.push_back(std::exchange(line, {}));
        }
        return static_cast<std::int64_t>(names.size()) == kind.classes ? names : std::vector<std::string>{};
    }

    Status readFile(const fs::path& path)
    {
        Result<GzFile> file = GzFile::open(m_node, "path", path);
        if (!file)
            return file.error();
        std::vector<std::byte> record(m_labelBytes + kImage);
        for (std::int64_t number = 0;; ++number) {
            const std::size_t got = file->read(record);
            if (file->isDamaged())
                return unreadable(path, "is a damaged .gz file");
            if (got == 0)
                return number > 0 ? Status(Done{}) : unreadable(path, "is empty");
            if (got < record.size())
                return unreadable(path, "ends inside image " + std::to_string(number) + ": a record has " +
                                            std::to_string(record.size()) + " bytes");
            if (const Status status = addRecord(record, path, number); !status)
                return status;
        }
    }

    Status addRecord(std::span<const std::byte> record, const fs::path& path, std::int64_t number)
    {
        for (std::size_t i = 0; i < m_labels.size(); ++i) {
            const auto label = std::to_integer<std::int64_t>(record[m_labels[i].byte]);
            if (label >= m_labels[i].classes)
                return unreadable(path, "has the label " + std::to_string(label) + " at image " +
                                            std::to_string(number) + ", but only " +
                                            std::to_string(m_labels[i].classes) + " classes exist");
            const auto bytes = std::as_bytes(std::span(&label, 1));
            std::copy(bytes.begin(), bytes.end(), std::back_inserter(m_numbers[i].numbers));
        }
        const std::size_t start = m_image.numbers.size();
        m_image.numbers.resize(start + kImage);
        for (std::size_t channel = 0; channel < 3; ++channel)
            for (std::size_t pixel = 0; pixel < kPixels; ++pixel)
                m_image.numbers[start + pixel * 3 + channel] =
                    record[m_labelBytes + channel * kPixels + pixel];
        ++m_size;
        return Done{};
    }

    [[nodiscard]] Error unreadable(const fs::path& file, const std::string& what) const
    {
        return m_node.error(ErrorCode::Unreadable, "path", fileName(file) + " " + what,
                            std::string("Name a file of the binary version of ") +
                                (m_fine ? "CIFAR-100" : "CIFAR-10") + ", or its folder");
    }

    OpenedDataset finish(const std::vector<fs::path>& files)
    {
        std::vector<MemoryField> fields;
        fields.push_back(std::move(m_image));
        for (MemoryField& field : m_numbers)
            fields.push_back(std::move(field));
        const std::string name = fileName(files.size() == 1 ? files.front() : m_path);
        return makeMemoryDataset(std::move(fields), m_size, [name](std::int64_t index) {
            return name + ", image " + std::to_string(index);
        });
    }

    const SourceNode& m_node;
    fs::path m_path;
    bool m_fine;
    std::size_t m_labelBytes;
    std::vector<LabelKind> m_labels;
    MemoryField m_image;
    std::vector<MemoryField> m_numbers;
    std::int64_t m_size = 0;
};

} // namespace

OpenedDataset openCifarBinary(const SourceNode& node)
{
    return CifarReader(node).open();
}

} // namespace athanor
