#include "engine/preflight/recognize.h"

#include "engine/graph/node_catalog.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

namespace athanor {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLooked = 2000; // files of a folder that are looked at

std::string lowerCase(std::string text)
{
    std::ranges::transform(text, text.begin(),
                           [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return text;
}

std::string endingOf(const fs::path& file)
{
    return lowerCase(file.extension().string());
}

bool isPicture(const fs::path& file)
{
    static const std::set<std::string> endings{".jpg", ".jpeg", ".png",  ".ppm", ".bmp",
                                               ".pgm", ".tif",  ".tiff", ".webp"};
    return endings.contains(endingOf(file));
}

bool isTable(const fs::path& file)
{
    const fs::path plain = endingOf(file) == ".gz" ? file.stem() : file;
    return endingOf(plain) == ".csv" || endingOf(plain) == ".tsv" || endingOf(plain) == ".data";
}

/// What lies directly in a folder, in the order of names; hidden things and those that packers leave are passed over.
struct Listing {
    std::vector<fs::path> folders;
    std::vector<fs::path> files;
};

Listing listed(const fs::path& folder)
{
    Listing found;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        std::error_code ignored;
        if (name.starts_with('.') || name == "__MACOSX")
            continue;
        if (entry->is_directory(ignored))
            found.folders.push_back(entry->path());
        else if (entry->is_regular_file(ignored) && found.files.size() < kLooked)
            found.files.push_back(entry->path());
    }
    std::ranges::sort(found.folders);
    std::ranges::sort(found.files);
    return found;
}

/// The part that a folder's or file's name speaks of.
std::optional<std::size_t> partNamed(const std::string& name)
{
    static const std::map<std::string, std::size_t> parts{
        {"train", 0},   {"training", 0},   {"train_set", 0}, {"trainset", 0}, {"val", 1},
        {"valid", 1},   {"validation", 1}, {"dev", 1},       {"valset", 1},   {"test", 2},
        {"testing", 2}, {"eval", 2},       {"test_set", 2},  {"testset", 2}};
    const auto found = parts.find(lowerCase(name));
    return found == parts.end() ? std::nullopt : std::optional(found->second);
}

/// What class folders hold: pictures, texts, or neither.
enum class Content { None, Pictures, Texts };

Content contentOf(const fs::path& classFolder)
{
    const Listing inside = listed(classFolder);
    const auto pictures = std::ranges::count_if(inside.files, isPicture);
    const auto texts =
        std::ranges::count_if(inside.files, [](const fs::path& file) { return endingOf(file) == ".txt"; });
    return pictures > 0 && pictures >= texts ? Content::Pictures : texts > 0 ? Content::Texts : Content::None;
}

/// What the subfolders of a folder are as classes: all of one content, at least two.
Content classesIn(const fs::path& folder)
{
    const Listing inside = listed(folder);
    Content content = Content::None;
    std::size_t classes = 0;
    for (const fs::path& sub : inside.folders) {
        const Content one = contentOf(sub);
        if (one == Content::None)
            continue;
        if (content != Content::None && one != content)
            return Content::None;
        content = one;
        ++classes;
    }
    return classes >= 2 ? content : Content::None;
}

std::size_t filesIn(const fs::path& folder)
{
    std::size_t count = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error))
        count += entry->is_regular_file(error) ? 1 : 0;
    return count;
}

std::size_t classCount(const fs::path& folder)
{
    return static_cast<std::size_t>(std::ranges::count_if(
        listed(folder).folders, [](const fs::path& sub) { return contentOf(sub) != Content::None; }));
}

SourceDraft folderSource(Content content, const fs::path& folder)
{
    return {content == Content::Pictures ? "ImageFolder" : "TextFolder", {{"path", folder.string()}}};
}

Recognized classFolders(Content content, const fs::path& folder)
{
    Recognized found;
    found.kind = content == Content::Pictures ? InputKind::ImageFolder : InputKind::TextFolder;
    found.parts[0] = folderSource(content, folder);
    found.what = fmt::format("{} folders of {}, one per class, {} files", classCount(folder),
                             content == Content::Pictures ? "pictures" : "texts", filesIn(folder));
    return found;
}

/// Class folders below train, val and test.
std::optional<Recognized> splitFolders(const Listing& inside)
{
    std::array<std::optional<fs::path>, 3> parts;
    Content content = Content::None;
    for (const fs::path& folder : inside.folders) {
        const auto part = partNamed(folder.filename().string());
        const Content one = part ? classesIn(folder) : Content::None;
        if (!part || one == Content::None || (content != Content::None && one != content))
            continue;
        content = one;
        parts[*part] = folder;
    }
    if (!parts[0] || (!parts[1] && !parts[2]))
        return std::nullopt;
    Recognized found;
    found.kind = content == Content::Pictures ? InputKind::ImageFolder : InputKind::TextFolder;
    found.what = fmt::format("{} classes of {}, already apart:", classCount(*parts[0]),
                             content == Content::Pictures ? "pictures" : "texts");
    for (std::size_t part = 0; part < 3; ++part) {
        if (!parts[part])
            continue;
        found.parts[part] = folderSource(content, *parts[part]);
        found.what += fmt::format("{} {} in {}", part == 0 ? "" : ",", filesIn(*parts[part]),
                                  parts[part]->filename().string());
    }
    return found;
}

/// The parts that IDX files of one folder make: train-images…, train-labels…, t10k-images…, or the only pair.
std::optional<Recognized> idxFiles(const std::vector<fs::path>& files)
{
    std::array<std::pair<fs::path, fs::path>, 3> pairs;
    for (const fs::path& file : files) {
        const std::string name = lowerCase(file.filename().string());
        const bool isImages =
            name.find("images") != std::string::npos && name.find("idx3") != std::string::npos;
        const bool isLabels =
            name.find("labels") != std::string::npos && name.find("idx1") != std::string::npos;
        if (!isImages && !isLabels)
            continue;
        const bool isTest = name.find("t10k") != std::string::npos || name.find("test") != std::string::npos;
        auto& pair = pairs[isTest ? 2 : 0];
        fs::path& place = isImages ? pair.first : pair.second;
        if (place.empty() || place.extension() == ".gz") // the plain file of the two
            place = file;
    }
    Recognized found;
    found.kind = InputKind::Idx;
    found.what = "pictures and labels in IDX files, the format of MNIST";
    for (std::size_t part = 0; part < 3; ++part)
        if (!pairs[part].first.empty() && !pairs[part].second.empty())
            found.parts[part] = SourceDraft{
                "MnistIdx",
                {{"images", pairs[part].first.string()}, {"labels", pairs[part].second.string()}}};
    if (!found.parts[0] && found.parts[2])
        std::swap(found.parts[0], found.parts[2]);
    return found.parts[0] ? std::optional(std::move(found)) : std::nullopt;
}

/// The field that an array's name speaks of: x_train, images, y, labels, …
std::string fieldNamed(const std::string& stem, bool& isTest)
{
    const std::string name = lowerCase(stem);
    isTest = name.find("test") != std::string::npos || name.find("val") != std::string::npos;
    for (const char* known : {"label", "target", "class"})
        if (name.find(known) != std::string::npos)
            return "y";
    if (name == "y" || name.starts_with("y_") || name.ends_with("_y"))
        return "y";
    for (const char* known : {"image", "feature", "data", "input"})
        if (name.find(known) != std::string::npos)
            return "x";
    return name == "x" || name.starts_with("x_") || name.ends_with("_x") ? "x" : "";
}

/// What the head of a .npy file says of its array: type and number of axes.
struct ArrayHead {
    bool whole = false; ///< integers
    bool bytes = false;
    std::ptrdiff_t axes = 0;
};

ArrayHead headOf(const fs::path& file)
{
    constexpr std::size_t kEnough = 512;
    std::string text(kEnough, ' ');
    std::ifstream(file, std::ios::binary).read(text.data(), static_cast<std::streamsize>(kEnough));
    ArrayHead head;
    const auto type = text.find("'descr': '");
    const auto shape = text.find("'shape': (");
    if (type == std::string::npos || shape == std::string::npos)
        return head;
    const std::string code = text.substr(type + 11, 2);
    head.bytes = code == "u1";
    head.whole = code.front() == 'i' || code.front() == 'u';
    const std::string extents = text.substr(shape, text.find(')', shape) - shape);
    head.axes = std::ranges::count(extents, ',') +
                (extents.find(",)") == std::string::npos && !extents.ends_with(',') ? 1 : 0);
    return head;
}

std::optional<Recognized> numpyFiles(const std::vector<fs::path>& files)
{
    std::array<std::map<std::string, fs::path>, 3> parts;
    for (const fs::path& file : files) {
        if (endingOf(file) != ".npy")
            continue;
        bool isTest = false;
        const std::string field = fieldNamed(file.stem().string(), isTest);
        if (!field.empty())
            parts[isTest ? 2 : 0].emplace(field, file);
    }
    if (parts[0].size() != 2)
        return std::nullopt;
    const ArrayHead inputs = headOf(parts[0]["x"]);
    const std::string input = inputs.bytes && inputs.axes >= 3 ? "image" : inputs.axes == 2 ? "features" : "";
    if (input.empty())
        return std::nullopt;
    Recognized found;
    found.kind = InputKind::Numpy;
    found.isClassification = headOf(parts[0]["y"]).whole;
    found.isPictures = input == "image";
    found.what = fmt::format("NumPy arrays of {} and {}", found.isPictures ? "pictures" : "rows of numbers",
                             found.isClassification ? "classes" : "numbers to predict");
    for (std::size_t part = 0; part < 3; ++part)
        if (parts[part].size() == 2)
            found.parts[part] =
                SourceDraft{"NumpyFile",
                            {{"fields",
                              {{input, parts[part]["x"].string()},
                               {found.isClassification ? "label" : "target", parts[part]["y"].string()}}}}};
    return found;
}

std::optional<Recognized> cifarFiles(const std::vector<fs::path>& files)
{
    const auto has = [&](const std::string& name) {
        return std::ranges::any_of(files, [&](const fs::path& file) { return file.filename() == name; });
    };
    const bool isHundred = has("train.bin") && has("test.bin");
    if (!isHundred && !has("data_batch_1.bin"))
        return std::nullopt;
    const std::string kind = isHundred ? "Cifar100Binary" : "Cifar10Binary";
    const std::string folder = files.front().parent_path().string();
    Recognized found;
    found.kind = InputKind::CifarBinary;
    found.what = fmt::format("{} in its binary version", isHundred ? "CIFAR-100" : "CIFAR-10");
    found.parts[0] = SourceDraft{kind, {{"path", folder}, {"part", "train"}}};
    if (isHundred || has("test_batch.bin"))
        found.parts[2] = SourceDraft{kind, {{"path", folder}, {"part", "test"}}};
    return found;
}

Result<Recognized> recognizeFolder(const fs::path& folder, int depth);

Error nothingFound(const fs::path& path, const Listing& inside)
{
    std::string seen;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, inside.folders.size()); ++i)
        seen += fmt::format("{}{}/", seen.empty() ? "" : ", ", inside.folders[i].filename().string());
    for (std::size_t i = 0; i < std::min<std::size_t>(3, inside.files.size()); ++i)
        seen += fmt::format("{}{}", seen.empty() ? "" : ", ", inside.files[i].filename().string());
    return {ErrorCode::Unsupported,
            fmt::format("No data were recognised in {} ({})", path.string(),
                        seen.empty() ? "it is empty" : "it holds " + seen),
            path.string(),
            "Known are a folder per class with pictures or texts (also below train, val and test), tables "
            "(.csv, .tsv), IDX, CIFAR's binary "
            "version, .npy, and archives of them",
            {}};
}

Result<Recognized> recognizeFolder(const fs::path& folder, int depth)
{
    const Listing inside = listed(folder);
    for (const auto& look : {idxFiles, cifarFiles, numpyFiles})
        if (auto found = look(inside.files))
            return std::move(*found);
    if (auto found = splitFolders(inside))
        return std::move(*found);
    if (const Content content = classesIn(folder); content != Content::None)
        return classFolders(content, folder);
    std::vector<fs::path> tables;
    std::ranges::copy_if(inside.files, std::back_inserter(tables), isTable);
    if (!tables.empty()) {
        Result<Recognized> found = recognizeTable(tables.front());
        if (found && tables.size() > 1)
            found->notes.push_back(
                fmt::format("Of {} tables, {} was taken", tables.size(), tables.front().filename().string()));
        return found;
    }
    constexpr int kDeepest = 4;
    for (const fs::path& sub : inside.folders)
        if (depth < kDeepest)
            if (Result<Recognized> found = recognizeFolder(sub, depth + 1)) {
                if (inside.folders.size() > 1)
                    found->notes.push_back(fmt::format("Only {} was taken of {}", sub.filename().string(),
                                                       folder.filename().string()));
                return found;
            }
    return nothingFound(folder, inside);
}

/// A file of its own, or with the others of its folder that belong to it.
Result<Recognized> recognizeFile(const fs::path& file)
{
    const Listing beside = listed(file.parent_path());
    const std::string name = lowerCase(file.filename().string());
    std::optional<Recognized> found;
    if (name.find("idx3") != std::string::npos || name.find("idx1") != std::string::npos)
        found = idxFiles(beside.files);
    else if (endingOf(file) == ".npy")
        found = numpyFiles(beside.files);
    else if (endingOf(file) == ".bin")
        found = cifarFiles(beside.files);
    if (found)
        return std::move(*found);
    if (isTable(file) || endingOf(file) == ".txt")
        return recognizeTable(file);
    return Error{ErrorCode::Unsupported,
                 file.filename().string() + " is not of a kind that is known",
                 file.string(),
                 "Known are tables (.csv, .tsv), IDX, CIFAR's binary version, .npy, folders of pictures or "
                 "texts, and archives of them",
                 {}};
}

} // namespace

Result<Recognized> recognize(const fs::path& path)
{
    std::error_code error;
    if (fs::is_directory(path, error))
        return recognizeFolder(path, 0);
    if (fs::is_regular_file(path, error))
        return recognizeFile(path);
    return Error{
        ErrorCode::NotFound, "There is nothing at " + path.string(), path.string(), "Check the spelling", {}};
}

} // namespace athanor
