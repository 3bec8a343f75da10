// Any thread (reads files). What lies at a path: which kind of data, in which parts.
#pragma once

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/preflight/proposal.h"

#include <array>
#include <optional>

namespace athanor {

/// A source node for one part, its paths absolute.
struct SourceDraft {
    std::string kind;
    Json params = Json::object();
};

struct Recognized {
    InputKind kind = InputKind::Table;
    std::array<std::optional<SourceDraft>, 3> parts; ///< only the first: it must be split
    std::string what;                                ///< "a folder per class"
    std::vector<ProposalChoice> choices;
    std::vector<std::string> notes;
    bool isClassification = true;
    bool isPictures = false; ///< Numpy: of pictures
};

/// Fails with what was looked for.
Result<Recognized> recognize(const std::filesystem::path& path);

// The files of its kind, for recognize().
Result<Recognized> recognizeTable(const std::filesystem::path& file);

} // namespace athanor
