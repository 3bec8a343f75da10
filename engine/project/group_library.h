// Any thread. Groups kept for other projects: a folder with one file for each. A file is a project file that holds
// nothing but definitions, so it can be mailed, read and opened like one.
#pragma once

#include "engine/graph/graph.h"

#include <filesystem>
#include <string>
#include <vector>

namespace athanor {

struct LibraryGroup {
    std::string name; ///< of the group; the file is named after it
    std::vector<GroupDefinition>
        definitions; ///< the group's own and those that it holds; see importDefinitions()
};

struct GroupLibrary {
    std::vector<LibraryGroup> groups; ///< by name
    std::vector<Error> unreadable;    ///< files that are no groups, each with its path and the reason
};

/// Reads all files `*.athanor-group` of a folder; one that does not exist is an empty library.
GroupLibrary readGroupLibrary(const std::filesystem::path& folder);

/// Saves a definition of `graph` with those that it holds, in place of one of the same name. Makes the folder.
/// Errors: NotFound (no such definition), what the system says.
Status saveToGroupLibrary(const std::filesystem::path& folder, const Graph& graph,
                          const std::string& definition);

/// Errors: NotFound, what the system says.
Status removeFromGroupLibrary(const std::filesystem::path& folder, const std::string& group);

/// The same for one text: what saveToGroupLibrary() writes, and readGroupLibrary() reads.
std::string groupText(const Graph& graph, const std::string& definition);
Result<LibraryGroup> parseGroup(std::string_view text);

} // namespace athanor
