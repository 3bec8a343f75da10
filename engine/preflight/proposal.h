// Any thread (plain data); proposeProject blocks its caller while it looks at files. From a file or folder of data to
// a project that can be trained at once.
#pragma once

#include "engine/base/result.h"
#include "engine/project/project.h"

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace athanor {

/// What the input turned out to be.
enum class InputKind {
    ImageFolder, ///< a folder per class, perhaps below train, val and test
    ImageTable,  ///< a table with paths of pictures
    Table,       ///< CSV, TSV: rows of numbers and categories
    TimeSeries,  ///< a table of a date and numbers
    Idx,         ///< MNIST and its like
    CifarBinary, ///< CIFAR-10 or CIFAR-100, binary version
    Numpy,       ///< .npy or .npz
    TextFolder,  ///< a folder of texts per class
    TextTable    ///< a table of texts and labels
};

/// One thing that was decided, for a person to read and to change.
struct ProposalChoice {
    std::string what;   ///< "Target", "Network", "Augmentation"
    std::string chosen; ///< "column 8, 2 classes"
    std::string why;    ///< "the last column, and it holds few different values"
    std::string
        place; ///< where it can be changed: data/table/target, network, training/optimizer; may be empty
};

struct Proposal {
    Project project; ///< named, its paths relative to the project's folder; not saved yet
    InputKind kind = InputKind::Table;
    std::string
        recognized; ///< one sentence: "A folder of 10 classes with 1,500 pictures for train and 400 for test"
    std::vector<ProposalChoice> choices; ///< in the order of the pipeline
    std::vector<std::string> notes;      ///< what could not be used, and other things to know
};

struct ProposalProgress {
    std::string doing; ///< "Unpacking review_polarity.tar.gz"
    double share = -1; ///< 0–1; −1: not known
};

/// Recognises `input` (a folder, a file or an archive) and proposes data graph, network and training for it. Archives
/// are unpacked into a folder of `projectFolder`, named as the archive; everything else stays where it is. Fails with
/// what was looked for when nothing is recognised, when a file is damaged, and with Cancelled.
Result<Proposal> proposeProject(const std::filesystem::path& input,
                                const std::filesystem::path& projectFolder,
                                const std::function<void(const ProposalProgress&)>& progress = {},
                                std::stop_token stop = {});

/// {"kind", "recognized", "choices": [{"what", "chosen", "why", "place"}], "notes"}.
Json proposalJson(const Proposal& proposal);

} // namespace athanor
