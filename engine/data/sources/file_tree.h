// Any thread. Files below a folder, each folder visited once however links lead to it.
#pragma once

#include "engine/data/sources/source.h"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace athanor {

/// Sub-folders, sorted; hidden ones are left out. Fails where the folder may not be read.
Result<std::vector<std::filesystem::path>> foldersIn(const std::filesystem::path& folder);
/// Regular files at any depth whose ending is one of `endings` (in small letters, with the point), sorted; hidden
/// ones are left out, links are followed. A link back to a folder above is not walked again. The error has no
/// place.
Result<std::vector<std::filesystem::path>> filesBelow(const std::filesystem::path& folder,
                                                      const std::set<std::string>& endings);
std::string lowerCase(std::string text); ///< of plain letters

/// Whether a folder's name is that of a part: train, training, val, valid, validation, dev, test, testing, eval.
bool isPartName(const std::string& name);

struct LabelledFile {
    std::filesystem::path path;
    std::int64_t label = 0; ///< in `classes` of LabelledFiles
    std::string part;       ///< name of the part folder above it, or empty
};
struct LabelledFiles {
    std::vector<LabelledFile> files;  ///< by part, class and path
    std::vector<std::string> classes; ///< in the order of their names
};
/// Files of a tree with a folder per class, by the parameters `path`, `part` and `extensions`. Where folders named as
/// parts, with folders in them, lie below the path (up to five levels deep), the classes are the folders in those;
/// `part` (null: all) takes the files of one of them. An empty class folder is an error. `what` the files are
/// ("images") is for the errors.
Result<LabelledFiles> labelledFiles(const SourceNode& node, const std::string& what);

} // namespace athanor
