// A folder per class, as torchvision's ImageFolder. Files are listed at once and decoded when they are read.
#include "engine/data/image_io.h"
#include "engine/data/sources/source.h"
#include "engine/data/transforms/resize.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

namespace athanor {

namespace fs = std::filesystem;

namespace {

struct ImageFile {
    fs::path path;
    std::int64_t label;
};

struct FolderOptions {
    ImageChannels channels = ImageChannels::Rgb;
    std::optional<ImageSize> size; // every image is scaled to it
};

class ImageFolderDataset final : public Dataset {
public:
    ImageFolderDataset(std::vector<FieldLayout> fields, fs::path root, std::vector<ImageFile> files,
                       FolderOptions options)
        : Dataset(std::move(fields)), m_root(std::move(root)), m_files(std::move(files)), m_options(options)
    {}

    [[nodiscard]] std::int64_t size() const override { return static_cast<std::int64_t>(m_files.size()); }

    Status read(std::int64_t index, Sample& sample) const override
    {
        const ImageFile& file = m_files[static_cast<std::size_t>(index)];
        sample.resize(2);
        if (const Status status = readFile(file.path, m_options, sample[0]); !status)
            return status;
        sample[1].borrow(fields()[1], reinterpret_cast<const std::byte*>(&file.label));
        return Done{};
    }

    [[nodiscard]] std::string sampleName(std::int64_t index) const override
    {
        return m_files[static_cast<std::size_t>(index)].path.lexically_relative(m_root).string();
    }

    [[nodiscard]] std::int64_t indexValue(std::size_t, std::int64_t index) const override
    {
        return m_files[static_cast<std::size_t>(index)].label;
    }

    static Status readFile(const fs::path& path, const FolderOptions& options, Value& image)
    {
        Status status = readImage(path, options.channels, image);
        if (!status || !options.size)
            return status;
        Value scaled;
        resizeImage(image, *options.size, Interpolation::Bilinear, scaled);
        std::swap(image, scaled);
        return Done{};
    }

protected:
    void mapClasses(std::size_t, const std::vector<std::int64_t>& map) override
    {
        for (ImageFile& file : m_files)
            file.label = map[static_cast<std::size_t>(file.label)];
    }

private:
    fs::path m_root;
    std::vector<ImageFile> m_files;
    FolderOptions m_options;
};

bool isHidden(const fs::path& path)
{
    return path.filename().string().starts_with('.');
}

std::string lowerCase(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

std::vector<fs::path> classFolders(const fs::path& root)
{
    std::vector<fs::path> folders;
    for (const fs::directory_entry& entry : fs::directory_iterator(root))
        if (entry.is_directory() && !isHidden(entry.path()))
            folders.push_back(entry.path());
    std::sort(folders.begin(), folders.end());
    return folders;
}

/// The images in a folder and below it, in the order of their paths.
std::vector<fs::path> imagesIn(const fs::path& folder, const std::set<std::string>& extensions)
{
    std::vector<fs::path> images;
    const auto options = fs::directory_options::follow_directory_symlink;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, options))
        if (entry.is_regular_file() && !isHidden(entry.path()) &&
            extensions.contains(lowerCase(entry.path().extension().string())))
            images.push_back(entry.path());
    std::sort(images.begin(), images.end());
    return images;
}

Error noImages(const SourceNode& node, const fs::path& folder, const std::set<std::string>& extensions)
{
    std::string list;
    for (const std::string& extension : extensions)
        list += (list.empty() ? "" : ", ") + extension;
    return node.error(ErrorCode::InvalidArgument, "path",
                      "The class folder " + folder.string() + " holds no images",
                      "Files that end in one of " + list + " are read; remove the folder if it is no class");
}

FolderOptions optionsOf(const SourceNode& node)
{
    FolderOptions options;
    if (node.params.at("grayscale").get<bool>())
        options.channels = ImageChannels::Gray;
    if (const Json& size = node.params.at("size"); size.is_array())
        options.size = ImageSize{size.front().get<std::int64_t>(), size.back().get<std::int64_t>()};
    return options;
}

/// The layout that the first image has; others are held against it when they are read.
Result<FieldLayout> imageLayout(const SourceNode& node, const fs::path& first, const FolderOptions& options)
{
    Value image;
    if (const Status status = ImageFolderDataset::readFile(first, options, image); !status)
        return node.error(status.error().code, "path", first.string() + ": " + status.error().message,
                          status.error().hint);
    return FieldLayout{"image", Element::UInt8, image.shape()};
}

} // namespace

OpenedDataset openImageFolder(const SourceNode& node)
{
    const fs::path root = node.path(node.params.at("path").get<std::string>());
    std::error_code ignored;
    if (!fs::is_directory(root, ignored))
        return node.missing("path", root);
    std::set<std::string> extensions;
    for (const Json& extension : node.params.at("extensions"))
        extensions.insert(lowerCase(extension.get<std::string>()));
    FieldLayout label{"label", Element::Int64, {}};
    std::vector<ImageFile> files;
    for (const fs::path& folder : classFolders(root)) {
        const std::vector<fs::path> images = imagesIn(folder, extensions);
        if (images.empty())
            return noImages(node, folder, extensions);
        for (const fs::path& image : images)
            files.push_back({image, label.classes});
        label.classNames.push_back(folder.filename().string());
        ++label.classes;
    }
    if (files.empty())
        return node.error(ErrorCode::InvalidArgument, "path",
                          root.string() + " has no sub-folders, so no classes",
                          "Put the images of each class into a folder of the class's name");
    const FolderOptions options = optionsOf(node);
    const Result<FieldLayout> image = imageLayout(node, files.front().path, options);
    if (!image)
        return image.error();
    return std::unique_ptr<Dataset>(std::make_unique<ImageFolderDataset>(
        std::vector<FieldLayout>{*image, std::move(label)}, root, std::move(files), options));
}

} // namespace athanor
