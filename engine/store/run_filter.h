// Any thread (immutable once made). Which stored runs a person wants to see, and in which order.
#pragma once

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/store/run_store.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace athanor {

/// A number or a text; booleans are the numbers 1 and 0.
using RunValue = std::variant<double, std::string>;

/// What filters and sorting know of a run. A name is looked up in this order; the first that has it counts:
/// - the run itself: id, name, project, status, note, tag (each of them), seconds, steps, epochs;
/// - a metric by its series' name: the last value; with .last, .min, .max, .best or .count behind it that of the summary;
/// - a parameter by its path as --set takes it (training.optimizer.lr, network.conv1.out_channels) or by the end of
///   the path (lr): every parameter that ends so. Defaults that the project's file does not spell out are parameters too.
class RunFacts {
public:
    RunFacts(RunInfo info, std::vector<SeriesSummary> summaries, std::string_view projectText);

    [[nodiscard]] const RunInfo& info() const { return m_info; }
    /// Empty when the run has nothing of this name.
    [[nodiscard]] std::vector<RunValue> values(std::string_view name) const;
    /// All that values() knows, parameters with their whole path: for completion.
    [[nodiscard]] std::vector<std::string> names() const;

private:
    RunInfo m_info;
    std::vector<SeriesSummary> m_summaries;
    std::vector<std::pair<std::string, RunValue>> m_parameters;
};

/// An expression over runs: `lr < 1e-3 and val/accuracy > 0.9 and status = finished and tag = "base"`.
///
/// Comparisons = (or ==), !=, <, <=, >, >=, and ~ (contains, upper and lower case alike); and, or, not, parentheses.
/// On the left a name, in quotes when it holds spaces or is a word of the language; on the right a number (nan and inf
/// too), a word or a text in quotes. Texts compare by their bytes. When a name stands for several values one of them
/// is enough; for a run without any, every comparison is false. NaN equals NaN, so that runs can be found by it;
/// other comparisons with NaN are false.
class RunFilter {
public:
    /// InvalidArgument: what is wrong and at which column (bytes, from 1).
    static Result<RunFilter> parse(std::string_view text);

    [[nodiscard]] bool accepts(const RunFacts& run) const;
    /// InvalidArgument when a name is known to none of the runs: most likely it is misspelt. Good without runs.
    [[nodiscard]] Status checkNames(std::span<const RunFacts> runs) const;

private:
    friend class RunFilterParser;
    enum class What { Comparison, And, Or, Not };
    enum class Operator { Equal, Unequal, Less, LessEqual, Greater, GreaterEqual, Contains };
    struct Node {
        What what = What::Comparison;
        std::string name;
        std::size_t column = 0; ///< of the name
        Operator comparison = Operator::Equal;
        RunValue value;
        std::size_t left = 0;
        std::size_t right = 0;
    };
    [[nodiscard]] bool accepts(std::size_t node, const RunFacts& run) const;

    std::vector<Node> m_nodes; ///< children before their parents; the last one is the whole
};

/// Sorts by a name of RunFacts: finite numbers (rising, or falling), then infinities (-inf first when rising), NaN, texts,
/// and runs without it last; equal runs keep their order. Of several values the first counts.
void sortRuns(std::vector<RunFacts>& runs, std::string_view name, bool falling);

} // namespace athanor
