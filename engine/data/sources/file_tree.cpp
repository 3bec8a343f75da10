#include "engine/data/sources/file_tree.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

namespace athanor {

namespace fs = std::filesystem;

namespace {

bool isHidden(const fs::path& path)
{
    return path.filename().string().starts_with('.');
}

Error unreadable(const fs::path& folder, const std::error_code& code)
{
    return {ErrorCode::Unreadable, "The folder " + folder.string() + " cannot be read: " + code.message(), "path",
            "Check that you may read it", {}};
}

class Walk {
public:
    explicit Walk(const std::set<std::string>& endings) : m_endings(endings) {}

    Status visit(const fs::path& folder)
    {
        std::error_code code;
        const fs::path real = fs::canonical(folder, code);
        if (code)
            return unreadable(folder, code);
        if (!m_visited.insert(real.string()).second)
            return Done{};
        fs::directory_iterator entries(folder, code);
        for (; !code && entries != fs::directory_iterator(); entries.increment(code)) {
            const fs::path& path = entries->path();
            if (isHidden(path))
                continue;
            std::error_code ignored; // of a link that leads nowhere
            if (entries->is_directory(ignored)) {
                if (const Status status = visit(path); !status)
                    return status;
            } else if (entries->is_regular_file(ignored) &&
                       m_endings.contains(lowerCase(path.extension().string()))) {
                m_files.push_back(path);
            }
        }
        return code ? Status(unreadable(folder, code)) : Done{};
    }

    std::vector<fs::path> takeFiles()
    {
        std::sort(m_files.begin(), m_files.end());
        return std::move(m_files);
    }

private:
    const std::set<std::string>& m_endings;
    std::set<std::string> m_visited;
    std::vector<fs::path> m_files;
};

/// The folders below that are named as parts; `depth` ends the search in trees that are deep, or loops.
Status findParts(const fs::path& folder, int depth, std::vector<fs::path>& found)
{
    const Result<std::vector<fs::path>> folders = foldersIn(folder);
    if (!folders)
        return folders.error();
    for (const fs::path& inner : *folders) {
        if (isPartName(fileName(inner))) {
            const Result<std::vector<fs::path>> classes = foldersIn(inner);
            if (!classes)
                return classes.error();
            if (!classes->empty()) { // else a class of that name
                found.push_back(inner);
                continue;
            }
        }
        if (depth > 0)
            if (const Status status = findParts(inner, depth - 1, found); !status)
                return status;
    }
    return Done{};
}

Error noFiles(const fs::path& folder, const std::set<std::string>& endings, const std::string& what)
{
    std::string list;
    for (const std::string& ending : endings)
        list += (list.empty() ? "" : ", ") + ending;
    return invalid("The class folder " + folder.string() + " holds no " + what,
                   "Files that end in one of " + list + " are read; remove the folder if it is no class", "path");
}

/// The folders that hold the class folders: those of the wanted parts, or the root.
Result<std::vector<fs::path>> classRoots(const fs::path& root, const std::string& part)
{
    constexpr int kDepth = 4;
    std::vector<fs::path> parts;
    if (const Status status = findParts(root, kDepth, parts); !status)
        return status.error();
    if (part.empty())
        return parts.empty() ? std::vector<fs::path>{root} : parts;
    std::vector<fs::path> wanted;
    std::string list;
    for (const fs::path& folder : parts) {
        if (lowerCase(fileName(folder)) == lowerCase(part))
            wanted.push_back(folder);
        list += (list.empty() ? "" : ", ") + fileName(folder);
    }
    if (wanted.empty())
        return invalid(root.string() + " has no folder named " + part + " in it",
                       list.empty() ? "Folders named train, val or test are the parts" : "It has " + list, "part");
    return wanted;
}

Result<LabelledFiles> collect(const fs::path& root, const std::string& part, const std::set<std::string>& endings,
                              const std::string& what)
{
    const Result<std::vector<fs::path>> roots = classRoots(root, part);
    if (!roots)
        return roots.error();
    LabelledFiles result;
    std::map<std::string, std::int64_t> numbers; // of the classes, in the order of their names
    std::vector<std::pair<fs::path, std::string>> folders;
    for (const fs::path& classRoot : *roots) {
        const Result<std::vector<fs::path>> classes = foldersIn(classRoot);
        if (!classes)
            return classes.error();
        for (const fs::path& folder : *classes) {
            numbers.emplace(fileName(folder), 0);
            folders.emplace_back(folder, classRoot == root ? std::string() : fileName(classRoot));
        }
    }
    for (auto& [name, number] : numbers) {
        number = static_cast<std::int64_t>(result.classes.size());
        result.classes.push_back(name);
    }
    for (const auto& [folder, partName] : folders) {
        const Result<std::vector<fs::path>> files = filesBelow(folder, endings);
        if (!files)
            return files.error();
        if (files->empty())
            return noFiles(folder, endings, what);
        for (const fs::path& file : *files)
            result.files.push_back({file, numbers[fileName(folder)], partName});
    }
    if (result.files.empty())
        return invalid(root.string() + " has no sub-folders, so no classes",
                       "Put the " + what + " of each class into a folder of the class's name", "path");
    return result;
}

} // namespace

std::string lowerCase(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

bool isPartName(const std::string& name)
{
    static constexpr std::array kNames = {"train", "training", "val",  "valid", "validation",
                                          "dev",   "test",     "testing", "eval"};
    return std::find(kNames.begin(), kNames.end(), lowerCase(name)) != kNames.end();
}

Result<std::vector<fs::path>> foldersIn(const fs::path& folder)
{
    std::vector<fs::path> folders;
    std::error_code code;
    fs::directory_iterator entries(folder, code);
    for (; !code && entries != fs::directory_iterator(); entries.increment(code)) {
        std::error_code ignored;
        if (entries->is_directory(ignored) && !isHidden(entries->path()))
            folders.push_back(entries->path());
    }
    if (code)
        return unreadable(folder, code);
    std::sort(folders.begin(), folders.end());
    return folders;
}

Result<std::vector<fs::path>> filesBelow(const fs::path& folder, const std::set<std::string>& endings)
{
    Walk walk(endings);
    if (const Status status = walk.visit(folder); !status)
        return status.error();
    return walk.takeFiles();
}

Result<LabelledFiles> labelledFiles(const SourceNode& node, const std::string& what)
{
    const fs::path root = node.path(node.params.at("path").get<std::string>());
    std::error_code ignored;
    if (!fs::is_directory(root, ignored))
        return node.missing("path", root);
    std::set<std::string> endings;
    for (const Json& ending : node.params.at("extensions"))
        endings.insert(lowerCase(ending.get<std::string>()));
    const Json& part = node.params.at("part");
    Result<LabelledFiles> found =
        collect(root, part.is_null() ? std::string() : part.get<std::string>(), endings, what);
    if (!found)
        return node.error(found.error().code, found.error().where, found.error().message, found.error().hint);
    return found;
}

} // namespace athanor
