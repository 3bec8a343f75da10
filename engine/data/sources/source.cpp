#include "engine/data/sources/source.h"

#include <functional>
#include <map>
#include <system_error>

namespace athanor {

namespace fs = std::filesystem;

fs::path SourceNode::path(const std::string& text) const
{
    return (folder / fs::path(text)).lexically_normal();
}

Error SourceNode::error(ErrorCode code, const std::string& parameter, std::string message,
                        std::string hint) const
{
    return {code, std::move(message), dataPlace(id, parameter), std::move(hint), {}};
}

Error SourceNode::missing(const std::string& parameter, const fs::path& file) const
{
    std::error_code ignored;
    const fs::path absolute = fs::absolute(file, ignored);
    std::string hint = "Relative paths start at the folder of the project file";
    for (const char* ending : {".gz", ".npy", ".csv"}) {
        const fs::path near = file.string() + ending;
        if (fs::exists(near, ignored))
            hint = "There is " + fileName(near) + " in the same folder";
    }
    fs::path parent = absolute.parent_path();
    while (parent.has_parent_path() && parent != parent.parent_path() && !fs::exists(parent, ignored))
        parent = parent.parent_path();
    if (parent != absolute.parent_path())
        hint += "; of this path only " + parent.string() + " exists";
    return error(ErrorCode::NotFound, parameter, "There is no " + absolute.string(), hint);
}

std::string fileName(const fs::path& file)
{
    return file.filename().string();
}

OpenedDataset openSource(const SourceNode& node)
{
    static const std::map<std::string, std::function<OpenedDataset(const SourceNode&)>> kOpeners = {
        {"MnistIdx", openMnistIdx},
        {"Cifar10Binary", openCifarBinary},
        {"Cifar100Binary", openCifarBinary},
        {"CsvTable", openCsvTable},
        {"NumpyFile", openNumpyFile},
        {"ImageFolder", openImageFolder},
        {"ImageList", openImageList},
        {"TextFolder", openTextFolder},
        {"TextCsv", openTextCsv},
        {"SequenceWindows", openSequenceWindows},
        {"Synthetic", openSynthetic},
    };
    const auto opener = kOpeners.find(node.kind);
    if (opener == kOpeners.end())
        return node.error(ErrorCode::Unsupported, {}, "There is no reader for a source of kind " + node.kind);
    return opener->second(node);
}

} // namespace athanor
