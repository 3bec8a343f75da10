#include "engine/project/group_library.h"

#include "engine/graph/group_edit.h"
#include "engine/project/json_text.h"
#include "engine/project/project_json.h"
#include "engine/project/text_file.h"

#include <algorithm>
#include <system_error>

namespace athanor {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEnding = ".athanor-group";

fs::path fileOf(const fs::path& folder, const std::string& group)
{
    return folder / (group + kEnding);
}

Error failed(const fs::path& file, const std::error_code& why, std::string message)
{
    return Error{ErrorCode::Unreadable, std::move(message) + ": " + why.message(), file.string(), {}, {}};
}

} // namespace

std::string groupText(const Graph& graph, const std::string& definition)
{
    Project piece;
    // Cannot fail: the definitions come from a graph.
    piece.network = std::move(buildGraph({}, {}, {}, {}, withItsDefinitions(graph, definition))).value();
    const Json all = projectJson(piece);
    Json text = {{"athanor", all.at("athanor")},
                 {"name", definition},
                 {"network", {{"groups", all.at("network").value("groups", Json::array())}}}};
    if (const auto layout = all.find("layout"); layout != all.end())
        text["layout"] = *layout;
    return documentText(text);
}

Result<LibraryGroup> parseGroup(std::string_view text)
{
    auto loaded = parseProject(text);
    if (!loaded)
        return loaded.error();
    const Project& project = loaded->project;
    if (project.network.definition(project.name) == nullptr)
        return Error{ErrorCode::Unreadable,
                     "the file holds no group '" + project.name + "'",
                     {},
                     "save the group to the library again",
                     {}};
    return LibraryGroup{project.name, project.network.definitions()};
}

GroupLibrary readGroupLibrary(const fs::path& folder)
{
    GroupLibrary library;
    std::error_code failure;
    std::vector<fs::path> files;
    for (auto entry = fs::directory_iterator(folder, failure); !failure && entry != fs::directory_iterator();
         entry.increment(failure))
        if (entry->path().extension() == kEnding)
            files.push_back(entry->path());
    std::ranges::sort(files);
    for (const fs::path& file : files) {
        auto text = readTextFile(file);
        auto group = text ? parseGroup(*text) : Result<LibraryGroup>(text.error());
        if (group) {
            library.groups.push_back(std::move(*group));
            continue;
        }
        Error error = group.error();
        error.where = error.where.empty() || error.where == file.string()
                          ? file.string()
                          : file.string() + ": " + error.where;
        library.unreadable.push_back(std::move(error));
    }
    return library;
}

Status saveToGroupLibrary(const fs::path& folder, const Graph& graph, const std::string& definition)
{
    if (graph.definition(definition) == nullptr)
        return Error{
            ErrorCode::NotFound, "there is no group '" + definition + "'", "groups/" + definition, {}, {}};
    std::error_code failure;
    fs::create_directories(folder, failure);
    if (failure)
        return failed(folder, failure, "the library's folder cannot be made");
    return replaceTextFile(fileOf(folder, definition), groupText(graph, definition));
}

Status removeFromGroupLibrary(const fs::path& folder, const std::string& group)
{
    std::error_code failure;
    const fs::path file = fileOf(folder, group);
    if (fs::remove(file, failure))
        return Done{};
    if (failure)
        return failed(file, failure, "the group cannot be removed");
    return Error{ErrorCode::NotFound, "the library has no group '" + group + "'", file.string(), {}, {}};
}

} // namespace athanor
