// Rules over single numbers: unreadable, not finite, far away.
#include "engine/preflight/judge.h"
#include "engine/preflight/thresholds.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

namespace athanor {
namespace {

std::string badText(double value)
{
    return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

/// The values of a column among the kept rows of the training part, ascending.
std::vector<float> keptColumn(const PartScan& scan, std::size_t column)
{
    std::vector<float> values;
    for (const KeptRow& row : scan.rows)
        if (column < row.numbers.size() && std::isfinite(row.numbers[column]))
            values.push_back(row.numbers[column]);
    std::ranges::sort(values);
    return values;
}

float quantile(const std::vector<float>& sorted, double share)
{
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

struct PartExtreme {
    std::size_t part;
    Extreme extreme;
};

/// The extremes of a column over all parts, the farthest first.
std::vector<PartExtreme> extremesOf(const Judgement& j, std::size_t column, bool above)
{
    std::vector<PartExtreme> all;
    for (std::size_t part = 0; part < 3; ++part)
        if (j.has(part) && column < j.scan.parts[part]->table.size())
            for (const Extreme& extreme : above ? j.scan.parts[part]->table[column].largest
                                                : j.scan.parts[part]->table[column].smallest)
                all.push_back({part, extreme});
    std::ranges::stable_sort(all, [&](const PartExtreme& a, const PartExtreme& b) {
        return above ? a.extreme.value > b.extreme.value : a.extreme.value < b.extreme.value;
    });
    return all;
}

/// How many of the farthest values are outliers: far from the bulk and parted from the next by a gap.
std::size_t outliersAmong(const std::vector<PartExtreme>& farthest, double edge, double range)
{
    std::size_t count = 0;
    while (count < farthest.size() &&
           std::abs(farthest[count].extreme.value - edge) > limits::kOutlierDistance * range)
        ++count;
    if (count == 0 || count >= std::min(farthest.size(), limits::kExtremes))
        return 0;
    const double gap = std::abs(farthest[count - 1].extreme.value - farthest[count].extreme.value);
    return gap > limits::kOutlierGap * range ? count : 0;
}

void judgeColumnOutliers(Judgement& j, std::size_t column, bool above)
{
    const std::vector<float> kept = keptColumn(*j.scan.parts[0], column);
    if (static_cast<std::int64_t>(kept.size()) < limits::kOutlierRows)
        return;
    const double low = quantile(kept, 0.01);
    const double high = quantile(kept, 0.99);
    if (high <= low)
        return;
    const std::vector<PartExtreme> farthest = extremesOf(j, column, above);
    const double edge = above ? high : low;
    const std::size_t count = outliersAmong(farthest, edge, high - low);
    const double most = std::max(1.0, limits::kOutlierShare * static_cast<double>(j.allSamples()));
    if (count == 0 || static_cast<double>(count) > most)
        return;
    const FieldLayout& layout = j.data(0).dataset->fields()[*j.plan.table];
    const double distance = std::abs(farthest.front().extreme.value - edge) / (high - low);
    DataFinding& found =
        j.add("data/outlier", Severity::Warning, j.data(farthest.front().part).source,
              fmt::format("{} is {} in {}, while 98 % of its values lie between {} and {}",
                          j.columnName(layout, column), numberText(farthest.front().extreme.value),
                          j.rowName(farthest.front().part, farthest.front().extreme.position),
                          numberText(low), numberText(high)),
              "One value far away stretches the scale of its column and gives a huge gradient when its row "
              "comes: the loss "
              "jumps, and what Standardize measured is dominated by it. It is often a typing mistake, a "
              "wrong unit, or a mark "
              "for a missing value.");
    found.finding.evidence = {{"column", static_cast<double>(column)},
                              {"value", farthest.front().extreme.value},
                              {"p1", low},
                              {"p99", high},
                              {"distance", distance},
                              {"threshold", limits::kOutlierDistance}};
    for (std::size_t i = 0; i < count; ++i)
        j.addSample(found, farthest[i].part, farthest[i].extreme.position,
                    j.columnName(layout, column) + " is " + numberText(farthest[i].extreme.value));
    found.finding.fixes.push_back({"Correct or remove " + counted(static_cast<std::int64_t>(count), "row")});
}

/// −1, −9, −99, −999, … and 9, 99, 999, …: what people write for "not known".
bool looksLikeMark(float value)
{
    const double size = std::abs(static_cast<double>(value));
    for (double mark = 9; mark < 1e7; mark = mark * 10 + 9)
        if (size == mark)
            return value < 0 || mark > 99;
    return value == -1;
}

/// A value far outside of all others that occurs again and again.
void judgeMark(Judgement& j, std::size_t column, bool above)
{
    std::vector<float> kept = keptColumn(*j.scan.parts[0], column);
    if (static_cast<std::int64_t>(kept.size()) < limits::kOutlierRows)
        return;
    const float mark = above ? kept.back() : kept.front();
    const auto count = std::ranges::count(kept, mark);
    std::erase(kept, mark);
    constexpr std::size_t kFewestOthers = 10;
    if (count < 2 || kept.size() < kFewestOthers || !looksLikeMark(mark) || kept.front() == kept.back())
        return;
    const double range = kept.back() - kept.front();
    const double gap = above ? mark - kept.back() : kept.front() - mark;
    const bool allSame = std::ranges::all_of(kept, [&](float value) { return value == std::floor(value); });
    // Whole numbers next to −1 may be a category; marks of many nines stand out by themselves.
    if (allSame && std::abs(mark) < 99)
        return;
    if (gap < (std::abs(mark) >= 999 ? 0.5 : 1.0) * range)
        return;
    const FieldLayout& layout = j.data(0).dataset->fields()[*j.plan.table];
    DataFinding& found = j.add("data/outlier", Severity::Warning, j.data(0).source,
                               fmt::format("{} is {} again and again ({} of {} rows), far from all other "
                                           "values ({} to {}): a mark for \"missing\"?",
                                           j.columnName(layout, column), numberText(mark), count,
                                           count + static_cast<std::ptrdiff_t>(kept.size()),
                                           numberText(kept.front()), numberText(kept.back())),
                               "A number that stands for \"not known\" is a number to the network: it learns "
                               "that the value is really there, and "
                               "mean and deviation of the column are wrong.");
    found.finding.confidence = 0.9;
    found.finding.evidence = {
        {"column", static_cast<double>(column)},
        {"value", mark},
        {"share",
         static_cast<double>(count) / static_cast<double>(count + static_cast<std::ptrdiff_t>(kept.size()))}};
    for (const KeptRow& row : j.scan.parts[0]->rows)
        if (row.numbers[column] == mark)
            j.addSample(found, 0, row.position, j.columnName(layout, column) + " is " + numberText(mark));
    found.finding.fixes.push_back({"Write these cells empty, and say how missing values are filled"});
}

} // namespace

void judgeReading(Judgement& j)
{
    std::int64_t count = 0;
    for (std::size_t part = 0; part < 3; ++part)
        count += j.has(part) ? j.scan.parts[part]->unreadableCount : 0;
    if (count == 0)
        return;
    const std::int64_t all = j.allSamples();
    DataFinding* found = nullptr;
    for (std::size_t part = 0; part < 3; ++part) {
        if (!j.has(part))
            continue;
        for (const auto& [position, error] : j.scan.parts[part]->unreadable) {
            if (found == nullptr)
                found = &j.add("data/unreadable-sample", Severity::Error, j.data(part).source,
                               fmt::format("{} of {} cannot be used; the first is {}: {}",
                                           counted(count, "sample"), all, j.rowName(part, position),
                                           error.message),
                               "A run stops at the first batch that holds such a sample. The file may be cut "
                               "off, of another "
                               "format than its name says, or of another size than the others.");
            j.addSample(*found, part, position, error.message);
            j.addProblem(part, position, error.message, error.hint);
        }
    }
    found->sampleCount = count;
    found->finding.evidence = {{"samples", static_cast<double>(count)}, {"of", static_cast<double>(all)}};
    if (auto skip =
            setFix(j.project, j.graph.loader.id, "on_error", "skip", "Skip samples that cannot be read"))
        found->finding.fixes.push_back(std::move(*skip));
    found->finding.fixes.push_back({"Replace or remove the files"});
}

void judgeValues(Judgement& j)
{
    for (std::size_t field = 0; field < j.layouts().size(); ++field) {
        const FieldLayout& layout = j.layouts()[field];
        if (layout.element != Element::Float32)
            continue;
        DataFinding* found = nullptr;
        std::int64_t count = 0;
        std::set<std::int64_t> columns;
        for (std::size_t part = 0; part < 3; ++part) {
            if (!j.has(part))
                continue;
            const FieldScan& scan = j.scan.parts[part]->fields[field];
            count += scan.badSamples;
            for (const BadValue& bad : scan.bad) {
                const std::string what = layout.shape.size() <= 1
                                             ? j.columnName(layout, static_cast<std::size_t>(bad.column))
                                             : fmt::format("'{}', number {}", layout.name, bad.column);
                if (found == nullptr)
                    found = &j.add(
                        "data/non-finite", Severity::Error, j.data(part).source,
                        fmt::format("{} is {} in {}", what, badText(bad.value),
                                    j.rowName(part, bad.position)),
                        "One value that is not a number makes the loss of its batch nan, and the next step "
                        "spreads it into every weight: the run is lost.");
                columns.insert(bad.column);
                j.addSample(*found, part, bad.position, what + " is " + badText(bad.value));
                j.addProblem(part, bad.position, what + " is " + badText(bad.value),
                             "Training on it makes the loss nan: drop the sample, or fill in a value");
            }
        }
        if (found == nullptr)
            continue;
        found->sampleCount = count;
        if (count > 1)
            found->finding.message += fmt::format(", and {} more", counted(count - 1, "sample"));
        found->finding.evidence = {{"samples", static_cast<double>(count)},
                                   {"columns", static_cast<double>(columns.size())},
                                   {"column", static_cast<double>(*columns.begin())}};
        for (const char* how : {"mean", "drop"})
            if (auto fix =
                    setFix(j.project, found->finding.node, "missing", how,
                           std::string(how) == "mean" ? "Fill the column's mean in" : "Leave such rows out"))
                found->finding.fixes.push_back(std::move(*fix));
        found->finding.fixes.push_back({"Correct the cell, or remove the row"});
    }
}

void judgeOutliers(Judgement& j)
{
    if (!j.plan.table)
        return;
    for (std::size_t column = 0; column < j.scan.parts[0]->table.size(); ++column)
        for (const bool above : {false, true}) {
            judgeColumnOutliers(j, column, above);
            judgeMark(j, column, above);
        }
}

} // namespace athanor
