// Any thread (plain data); runPreflight blocks its caller and keeps its own threads inside. Looks at every sample
// of a project's data before anything is trained, and says what would go wrong.
#pragma once

#include "engine/diagnose/finding.h"
#include "engine/project/project.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace athanor {

/// A sample that a finding speaks of, to be looked at.
struct SampleRef {
    std::size_t part = 0;   ///< 0 train, 1 val, 2 test (DataPart)
    std::int64_t index = 0; ///< in its data set: DataBatch::samples, Dataset::read
    std::string name;       ///< for people: "iris.csv, line 18", "cat/0001.jpg"
    std::string file;       ///< the sample's own file, full path; empty when it has none
    std::string note; ///< what is the matter with it: "'x' is nan", "same picture as train: cat/0007.jpg"
};

/// A finding of the rules `data/…` (contract, section 4) or `model/batchnorm-small-batch`. `finding.node` is a node of
/// the data graph, except for the latter, where it is one of the network; steps are 0. `finding.evidence` holds
/// every number that the message names, and the threshold it was held against (docs/diagnosis.md).
struct DataFinding {
    Finding finding;
    std::vector<SampleRef> samples; ///< at most kMostSamples of them, the worst first
    std::int64_t sampleCount = 0;   ///< all samples that it is about
    static constexpr std::size_t kMostSamples = 24;
};

/// How often each class of an index field occurs.
struct ClassCounts {
    std::string field;
    std::vector<std::string> names; ///< per class; "0", "1", … when the data name none
    std::array<std::vector<std::int64_t>, 3>
        counts{}; ///< per part and class; empty for a part that is not there
};

struct PreflightResult {
    std::vector<DataFinding> findings; ///< errors first, then warnings, then infos; each the likeliest first
    std::vector<ClassCounts> classes;
    std::array<std::int64_t, 3> samples{}; ///< looked at, per part
    std::vector<Problem>
        problems;            ///< samples that cannot be trained on, with file and row; see kMostProblems
    double seconds = 0;      ///< the pass took (the first time)
    bool remembered = false; ///< nothing was read: this data were looked at before
    static constexpr std::size_t kMostProblems = 100;

    [[nodiscard]] bool hasErrors() const;
};

struct PreflightProgress {
    std::int64_t done = 0; ///< samples
    std::int64_t all = 0;
    double secondsLeft = -1; ///< −1: not known yet
};

struct PreflightOptions {
    int threads = 0;              ///< that read samples; 0: as many as there are cores
    bool useMemory = true;        ///< takes and leaves the result in `memory`
    std::filesystem::path memory; ///< folder of remembered results; empty: preflightMemory()
    /// Called by the thread that called runPreflight, about ten times a second.
    std::function<void(const PreflightProgress&)> progress = {};
};

/// Reads every sample of every part once, as the first epoch would, and judges what it saw. Memory is bounded:
/// about 150 bytes a sample and 80 MB. Fails when the data cannot be opened (the error's place is
/// `data/<node>/<parameter>`), and with Cancelled soon after `stop` was requested.
///
/// A result is remembered in the user's cache by what it depends on: both graphs, the training part, and size, times
/// and inode of every file that was read. So a second time takes no pass, and a change of any of them a new one.
Result<PreflightResult> runPreflight(const Project& project, const PreflightOptions& options = {},
                                     std::stop_token stop = {});

/// $XDG_CACHE_HOME/athanor/preflight, else ~/.cache/athanor/preflight.
std::filesystem::path preflightMemory();

/// The contract's Finding with two more keys: "samples" [{"part", "index", "name", "file", "note"}] and "sample_count".
Json dataFindingJson(const DataFinding& finding);

/// {"samples": {"train": N, …}, "classes": {field: {"names", "train", "val", "test"}}, "findings": [DataFinding]}.
Json preflightJson(const PreflightResult& result);

} // namespace athanor
