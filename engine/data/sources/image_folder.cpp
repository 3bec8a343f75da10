// A folder per class, as torchvision's ImageFolder. Files are listed at once and decoded when they are read.
#include "engine/data/sources/file_tree.h"
#include "engine/data/sources/image_files.h"

namespace athanor {

namespace fs = std::filesystem;

namespace {

class ImageFolderDataset final : public Dataset {
public:
    ImageFolderDataset(std::vector<FieldLayout> fields, fs::path root, std::vector<LabelledFile> files,
                       ImageOptions options)
        : Dataset(std::move(fields)), m_root(std::move(root)), m_files(std::move(files)), m_options(options)
    {}

    [[nodiscard]] std::int64_t size() const override { return static_cast<std::int64_t>(m_files.size()); }

    Status read(std::int64_t index, Sample& sample) const override
    {
        sample.resize(2);
        if (const Status status = readImageFile(at(index).path, m_options, sample[0]); !status)
            return status;
        sample[1].borrow(fields()[1], reinterpret_cast<const std::byte*>(&at(index).label));
        return Done{};
    }

    [[nodiscard]] std::string sampleName(std::int64_t index) const override
    {
        return at(index).path.lexically_relative(m_root).string();
    }

    [[nodiscard]] std::int64_t indexValue(std::size_t, std::int64_t index) const override
    {
        return at(index).label;
    }

    [[nodiscard]] std::string filePath(std::int64_t index) const override { return at(index).path.string(); }
    [[nodiscard]] std::vector<std::string> keyColumns() const override { return {"file", "stem", "part"}; }

    [[nodiscard]] std::string keyText(std::size_t column, std::int64_t index) const override
    {
        if (column == 2)
            return at(index).part;
        return (column == 0 ? at(index).path.filename() : at(index).path.stem()).string();
    }

protected:
    void mapClasses(std::size_t, const std::vector<std::int64_t>& map) override
    {
        for (LabelledFile& file : m_files)
            file.label = map[static_cast<std::size_t>(file.label)];
    }

private:
    [[nodiscard]] const LabelledFile& at(std::int64_t index) const
    {
        return m_files[static_cast<std::size_t>(index)];
    }

    fs::path m_root;
    std::vector<LabelledFile> m_files;
    ImageOptions m_options;
};

} // namespace

OpenedDataset openImageFolder(const SourceNode& node)
{
    Result<LabelledFiles> found = labelledFiles(node, "images");
    if (!found)
        return found.error();
    const ImageOptions options = imageOptions(node);
    std::vector<fs::path> paths;
    for (const LabelledFile& file : found->files)
        paths.push_back(file.path);
    const Result<FieldLayout> image = imageLayout(node, paths, options);
    if (!image)
        return image.error();
    FieldLayout label{"label", Element::Int64, {}, static_cast<std::int64_t>(found->classes.size()),
                      std::move(found->classes)};
    return std::unique_ptr<Dataset>(std::make_unique<ImageFolderDataset>(
        std::vector<FieldLayout>{*image, std::move(label)}, node.path(node.params.at("path").get<std::string>()),
        std::move(found->files), options));
}

} // namespace athanor
