// Session thread. Opening the sources of a data graph, one function per kind.
#pragma once

#include "engine/base/json.h"
#include "engine/data/dataset.h"

#include <filesystem>
#include <memory>
#include <string>

namespace athanor {

/// A source node as the data graph has it.
struct SourceNode {
    std::string id;
    std::string kind;
    Json params;                  ///< complete
    std::filesystem::path folder; ///< relative paths start here

    /// The full path of a path parameter.
    [[nodiscard]] std::filesystem::path path(const std::string& text) const;
    /// An error at one of its parameters (none: at the node).
    [[nodiscard]] Error error(ErrorCode code, const std::string& parameter, std::string message,
                              std::string hint = {}) const;
    /// The error for a file or folder that is not there, with the nearest thing that is.
    [[nodiscard]] Error missing(const std::string& parameter, const std::filesystem::path& file) const;
};

using OpenedDataset = Result<std::unique_ptr<Dataset>>;
OpenedDataset openSource(const SourceNode& node);

// Per kind; openSource calls them.
OpenedDataset openMnistIdx(const SourceNode& node);
OpenedDataset openCsvTable(const SourceNode& node);
OpenedDataset openNumpyFile(const SourceNode& node);
OpenedDataset openImageFolder(const SourceNode& node);
OpenedDataset openSynthetic(const SourceNode& node);
OpenedDataset openCifarBinary(const SourceNode& node); ///< Cifar10Binary and Cifar100Binary
OpenedDataset openImageList(const SourceNode& node);
OpenedDataset openTextFolder(const SourceNode& node);
OpenedDataset openTextCsv(const SourceNode& node);
OpenedDataset openSequenceWindows(const SourceNode& node);

/// The name of a path parameter's file, for messages.
std::string fileName(const std::filesystem::path& file);

} // namespace athanor
