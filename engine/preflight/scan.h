// Worker threads fill it, the caller of runPreflight reads it afterwards. What one pass over the data leaves behind.
#pragma once

#include "engine/data/pipeline_builder.h"
#include "engine/preflight/jpeg_lattice.h"
#include "engine/preflight/preflight.h"

#include <limits>
#include <map>
#include <optional>

namespace athanor {

/// Count, mean and spread of numbers that are finite, in one pass (Welford; merged as Chan et al. 1979).
struct Moments {
    std::int64_t count = 0;
    double mean = 0;
    double squares = 0; ///< sum of squared distances from the mean
    float least = std::numeric_limits<float>::infinity();
    float most = -std::numeric_limits<float>::infinity();

    void add(float value);
    void merge(const Moments& other);
    [[nodiscard]] double deviation() const; ///< of the population
    [[nodiscard]] double size() const;      ///< root mean square
};

/// A value and the sample it is of (its position in the part).
struct Extreme {
    float value = 0;
    std::int64_t position = 0;
};

/// A column of a table, or a channel of a picture.
struct ColumnScan {
    Moments moments;
    std::vector<Extreme> smallest; ///< ascending, at most limits::kExtremes; of note() only, as all below
    std::vector<Extreme> largest;  ///< descending
    std::int64_t notFinite = 0;
    std::uint64_t content = 0; ///< equal for columns that hold the same numbers in the same rows

    void note(float value, std::int64_t position);
    void merge(const ColumnScan& other);
};

/// A bad value: the sample's position in its part, and what it is.
struct BadValue {
    std::int64_t position = 0;
    std::int64_t column = 0; ///< place in the sample
    double value = 0;        ///< of an index field: the label
};

struct FieldScan {
    std::vector<ColumnScan> columns;              ///< Float32; one per column or channel
    std::map<std::int64_t, std::int64_t> classes; ///< Int64 with one number: how often each value occurs
    std::vector<BadValue> bad; ///< NaN, infinite, out of the classes' range; the first kMostProblems
    std::int64_t badSamples = 0;
    std::int64_t ignored = 0; ///< labels that losses pass over (−100)
    std::int64_t tokens = 0;  ///< Int64 with many numbers: how many
    std::int64_t unknown = 0; ///< of them, the unknown word
    std::int64_t empty = 0;   ///< samples without a token

    void merge(FieldScan&& other);
};

/// What is kept of every sample.
struct SampleMarks {
    std::uint64_t input = 0;  ///< hash of the inputs as they are read
    std::uint64_t target = 0; ///< hash of the targets
    std::uint64_t look = 0;   ///< difference hash of a picture
    float order = 0;          ///< evidence of a turned channel order, see limits::kOrderEvidence
    float value = 0;          ///< class or target
    std::int32_t height = 0;  ///< of a picture as it is read
    std::int32_t width = 0;
    bool read = false;
    bool blank = false;    ///< a picture of one colour
    bool pictured = false; ///< `look` and `small` say something
};

/// A row that was kept: its numbers as they were read.
struct KeptRow {
    std::uint64_t priority = 0; ///< the smallest are kept, so that it does not matter who read them
    std::int64_t position = 0;
    std::vector<float> numbers;
    float target = 0;
};

struct PartScan {
    std::vector<SampleMarks> marks;                  ///< per position
    std::vector<std::array<std::uint8_t, 64>> small; ///< 8×8 grey, per position; empty without pictures
    std::vector<FieldScan> fields;                   ///< as chain.layouts(): as the network gets them
    std::vector<ColumnScan> table;                   ///< columns of ScanPlan::table as they were read
    std::vector<KeptRow> rows;                       ///< by position
    std::vector<std::pair<std::int64_t, Error>> unreadable; ///< the first kMostProblems
    std::int64_t unreadableCount = 0;
};

/// Which fields of the data are what, and what is to be kept.
struct ScanPlan {
    const OpenedData* data = nullptr;
    std::vector<std::size_t> inputs; ///< fields whose copies are looked for
    std::vector<std::size_t> targets;
    std::optional<std::size_t> picture; ///< the field with raw pictures (UInt8 H×W×C)
    std::optional<std::size_t> table;   ///< the field of columns (Float32, one axis, as it is read)
    std::optional<std::size_t> target;  ///< the one that is a single number: class or value
    std::optional<JpegLattice> lattice;
    std::int64_t unknownToken = -1; ///< number of the words that the vocabulary lacks; −1: there is none
    int threads = 1;
};

struct DataScan {
    std::array<std::optional<PartScan>, 3> parts;
};

/// One pass; nothing when it was stopped. `progress` is called on the calling thread.
std::optional<DataScan> scanData(const ScanPlan& plan,
                                 const std::function<void(const PreflightProgress&)>& progress,
                                 std::stop_token stop);

} // namespace athanor
