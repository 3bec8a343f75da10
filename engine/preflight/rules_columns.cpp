// Rules over whole columns of a table: constant, equal, giving the target away; and labels that belong elsewhere.
#include "engine/preflight/judge.h"
#include "engine/preflight/picture_marks.h"
#include "engine/preflight/thresholds.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace athanor {
namespace {

const FieldLayout& tableLayout(const Judgement& j)
{
    return j.data(0).dataset->fields()[*j.plan.table];
}

bool hasWindows(const Judgement& j)
{
    const RowSpan rows =
        j.data(0).size() > 0 ? j.data(0).dataset->rows(j.data(0).samples.front()) : RowSpan{0, 1};
    return rows.last - rows.first > 1;
}

bool isClassTarget(const Judgement& j)
{
    return j.data(0).dataset->fields()[*j.plan.target].element == Element::Int64;
}

/// A column of a CSV file as its `ignore` and `target` take it; nothing for a column that was made of another.
std::optional<std::string> fileColumn(const FieldLayout& layout, std::size_t column)
{
    if (column >= layout.columnNames.size() || layout.columnNames[column].find('=') != std::string::npos)
        return std::nullopt;
    const std::string& name = layout.columnNames[column];
    return name.starts_with("column ") ? name.substr(7) : name;
}

std::optional<SuggestedFix> ignoreFix(const Judgement& j, const std::string& source, std::size_t column)
{
    const auto name = fileColumn(tableLayout(j), column);
    const Node* node = j.project.data.find(source);
    if (!name || node == nullptr)
        return std::nullopt;
    Json ignored = node->params.value("ignore", Json::array());
    ignored.push_back(*name);
    return setFix(j.project, source, "ignore", ignored,
                  "Leave " + j.columnName(tableLayout(j), column) + " out");
}

/// A value and a target of the kept rows.
struct Point {
    float value;
    float target;
};

std::vector<Point> pointsOf(const Judgement& j, std::size_t column)
{
    std::vector<Point> points;
    for (const KeptRow& row : j.scan.parts[0]->rows)
        if (std::isfinite(row.numbers[column]) && std::isfinite(row.target) && row.target > -100)
            points.push_back({row.numbers[column], row.target});
    return points;
}

/// How a single column tells the classes apart.
struct Separation {
    std::size_t changes = 0; ///< of the class along the sorted column; classes − 1 is perfect
    std::size_t classes = 0;
    bool coded = false; ///< each class has one value, each value one class
    double gap = 0;     ///< the smallest between two classes, in ranges of the widest class
    std::size_t rows = 0;

    [[nodiscard]] bool perfect() const { return classes >= 2 && changes == classes - 1; }
    [[nodiscard]] double accuracy() const
    {
        return rows == 0 ? 0 : 1 - static_cast<double>(changes + 1 - classes) / static_cast<double>(rows);
    }
};

Separation separate(std::vector<Point> points)
{
    Separation found;
    found.rows = points.size();
    std::ranges::sort(points, [](const Point& a, const Point& b) {
        return std::pair(a.value, a.target) < std::pair(b.value, b.target);
    });
    std::map<float, std::pair<float, float>> ranges; // class → least and largest value
    std::set<float> values;
    double smallestGap = INFINITY;
    for (std::size_t i = 0; i < points.size(); ++i) {
        values.insert(points[i].value);
        auto [range, isNew] = ranges.try_emplace(points[i].target, points[i].value, points[i].value);
        range->second.second = points[i].value;
        if (i == 0 || points[i].target == points[i - 1].target)
            continue;
        ++found.changes;
        smallestGap = std::min(smallestGap, double(points[i].value) - double(points[i - 1].value));
    }
    found.classes = ranges.size();
    double widest = 0;
    for (const auto& [target, range] : ranges)
        widest = std::max(widest, double(range.second) - double(range.first));
    found.coded = found.perfect() && widest == 0 && values.size() == found.classes && smallestGap > 0;
    found.gap = found.perfect() && widest > 0 ? smallestGap / widest : 0;
    return found;
}

double correlation(const std::vector<Point>& points)
{
    double meanX = 0;
    double meanY = 0;
    for (const Point& point : points) {
        meanX += point.value;
        meanY += point.target;
    }
    meanX /= static_cast<double>(points.size());
    meanY /= static_cast<double>(points.size());
    double xy = 0;
    double xx = 0;
    double yy = 0;
    for (const Point& point : points) {
        xy += (point.value - meanX) * (point.target - meanY);
        xx += (point.value - meanX) * (point.value - meanX);
        yy += (point.target - meanY) * (point.target - meanY);
    }
    return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

void addLeak(Judgement& j, std::size_t column, const std::string& how, std::map<std::string, double> evidence)
{
    const std::string source = j.data(0).source;
    DataFinding& found =
        j.add("data/target-leak", Severity::Warning, source,
              fmt::format("{} gives the target away: {}", j.columnName(tableLayout(j), column), how),
              "The network only has to copy that column. When the column is the target itself, or was "
              "written down after "
              "the outcome was known, the result is too good to be true and worth nothing where the column "
              "is not there.");
    found.finding.evidence = std::move(evidence);
    found.finding.evidence["column"] = static_cast<double>(column);
    j.addSample(found, 0, 0);
    if (auto fix = ignoreFix(j, source, column))
        found.finding.fixes.push_back(std::move(*fix));
}

void judgeClassLeak(Judgement& j)
{
    const std::size_t columns = j.scan.parts[0]->table.size();
    std::vector<Separation> all;
    for (std::size_t column = 0; column < columns; ++column)
        all.push_back(separate(pointsOf(j, column)));
    for (std::size_t column = 0; column < columns; ++column) {
        const Separation& one = all[column];
        if (static_cast<std::int64_t>(one.rows) < limits::kLeakRows || !one.perfect())
            continue;
        if (one.coded) {
            addLeak(j, column, fmt::format("each of its {} values belongs to one class", one.classes),
                    {{"classes", static_cast<double>(one.classes)}, {"rows", static_cast<double>(one.rows)}});
            continue;
        }
        constexpr std::size_t kFewestColumns = 3;
        const bool othersToo = std::ranges::any_of(all, [&](const Separation& other) {
            return &other != &one && !other.perfect() && other.accuracy() > limits::kLeakOthers;
        });
        const auto perfect = std::ranges::count_if(all, &Separation::perfect);
        if (columns >= kFewestColumns && perfect == 1 && !othersToo && one.gap > limits::kLeakGap)
            addLeak(
                j, column, "its values alone tell all classes apart, with a wide gap between them",
                {{"gap", one.gap}, {"threshold", limits::kLeakGap}, {"rows", static_cast<double>(one.rows)}});
    }
}

void judgeValueLeak(Judgement& j)
{
    for (std::size_t column = 0; column < j.scan.parts[0]->table.size(); ++column) {
        const std::vector<Point> points = pointsOf(j, column);
        if (static_cast<std::int64_t>(points.size()) < limits::kLeakRows)
            continue;
        const double found = correlation(points);
        if (std::abs(found) >= limits::kLeakCorrelation)
            addLeak(j, column, fmt::format("its correlation with it is {:.5f}", found),
                    {{"correlation", found},
                     {"threshold", limits::kLeakCorrelation},
                     {"rows", static_cast<double>(points.size())}});
    }
}

/// What the classes of a data set's samples are, by index; −100 where it is not known.
std::vector<float> targetsByIndex(const Judgement& j)
{
    std::vector<float> targets(static_cast<std::size_t>(j.data(0).dataset->size()), -100.0F);
    for (std::size_t part = 0; part < 3; ++part)
        if (j.has(part) && j.data(part).dataset == j.data(0).dataset)
            for (std::size_t i = 0; i < j.data(part).samples.size(); ++i)
                targets[static_cast<std::size_t>(j.data(part).samples[i])] =
                    j.scan.parts[part]->marks[i].value;
    return targets;
}

/// Rows of numbers with the index of their sample: what classes are told from.
struct Examples {
    std::vector<std::vector<float>> rows;
    std::vector<std::int64_t> indices;
};

Examples examplesOf(const Judgement& j)
{
    constexpr std::size_t kMostNumbers = 256;
    constexpr std::size_t kMostPictures = 4096;
    Examples examples;
    const auto& samples = j.data(0).samples;
    if (j.plan.table) {
        for (const KeptRow& row : j.scan.parts[0]->rows) {
            examples.rows.emplace_back(row.numbers.begin(),
                                       row.numbers.begin() + static_cast<std::ptrdiff_t>(
                                                                 std::min(row.numbers.size(), kMostNumbers)));
            examples.indices.push_back(samples[static_cast<std::size_t>(row.position)]);
        }
    } else if (j.plan.picture) {
        const std::size_t stride = samples.size() / kMostPictures + 1;
        for (std::size_t i = 0; i < samples.size(); i += stride) {
            const auto& small = j.scan.parts[0]->small[i];
            examples.rows.emplace_back(small.begin(), small.end());
            examples.indices.push_back(samples[i]);
        }
    }
    return examples;
}

void standardize(std::vector<std::vector<float>>& rows)
{
    for (std::size_t column = 0; column < rows.front().size(); ++column) {
        Moments moments;
        for (const auto& row : rows)
            if (std::isfinite(row[column]))
                moments.add(row[column]);
        const double scale = moments.deviation() > 0 ? 1 / moments.deviation() : 0;
        for (auto& row : rows)
            row[column] =
                std::isfinite(row[column]) ? static_cast<float>((row[column] - moments.mean) * scale) : 0.0F;
    }
}

/// Mean share of each class that the nearest class centre finds, trained on one half and tried on the other.
double balancedAccuracy(const Examples& examples, const std::vector<float>& labels)
{
    std::map<float, std::pair<std::int64_t, std::int64_t>> found; // class → right, all
    for (const std::size_t fold : {0U, 1U}) {
        std::map<float, std::pair<std::vector<double>, double>> centres;
        for (std::size_t i = 0; i < labels.size(); ++i) {
            if (i % 2 == fold || labels[i] <= -100)
                continue;
            auto& [sum, count] = centres[labels[i]];
            sum.resize(examples.rows[i].size());
            for (std::size_t column = 0; column < sum.size(); ++column)
                sum[column] += examples.rows[i][column];
            ++count;
        }
        for (std::size_t i = fold; i < labels.size(); i += 2) {
            if (labels[i] <= -100)
                continue;
            double nearest = INFINITY;
            float answer = -100;
            for (const auto& [label, centre] : centres) {
                double distance = 0;
                for (std::size_t column = 0; column < centre.first.size(); ++column) {
                    const double apart = examples.rows[i][column] - centre.first[column] / centre.second;
                    distance += apart * apart;
                }
                if (distance < nearest) {
                    nearest = distance;
                    answer = label;
                }
            }
            found[labels[i]].first += answer == labels[i] ? 1 : 0;
            ++found[labels[i]].second;
        }
    }
    double sum = 0;
    for (const auto& [label, counts] : found)
        sum += static_cast<double>(counts.first) / static_cast<double>(counts.second);
    return found.empty() ? 0 : sum / static_cast<double>(found.size());
}

/// The labels of the samples `shift` places further on in the data set.
std::vector<float> shifted(const Examples& examples, const std::vector<float>& targets, std::int64_t shift)
{
    std::vector<float> labels;
    for (const std::int64_t index : examples.indices) {
        const std::int64_t other = index + shift;
        const bool there = other >= 0 && other < static_cast<std::int64_t>(targets.size());
        labels.push_back(there ? targets[static_cast<std::size_t>(other)] : -100.0F);
    }
    return labels;
}

void judgeShiftedRows(Judgement& j)
{
    Examples examples = examplesOf(j);
    const auto& counts = j.scan.parts[0]->fields[*j.plan.target].classes;
    std::int64_t rarest = 0;
    std::int64_t classes = 0;
    for (const auto& [label, count] : counts)
        if (label >= 0) {
            rarest = classes == 0 ? count : std::min(rarest, count);
            ++classes;
        }
    if (examples.rows.size() < 50 || classes < 2 || classes > limits::kManyClasses)
        return;
    standardize(examples.rows);
    const std::vector<float> targets = targetsByIndex(j);
    const double chance = 1 / static_cast<double>(classes);
    const double own = balancedAccuracy(examples, shifted(examples, targets, 0));
    const double error =
        std::sqrt(0.5 / static_cast<double>(rarest * classes)); // of the difference of two accuracies
    for (const std::int64_t shift : {1, -1}) {
        const double other = balancedAccuracy(examples, shifted(examples, targets, shift));
        const bool better = other - own > std::max(limits::kShiftGain, limits::kShiftErrors * error);
        if (!better || own - chance > limits::kShiftOwn * (other - chance))
            continue;
        DataFinding& found =
            j.add("data/label-mismatch", Severity::Warning, j.data(0).source,
                  fmt::format("the labels are shifted by one row: the features tell the label of the row {} "
                              "({} right, each class counted alike), but not "
                              "their own ({})",
                              shift > 0 ? "after" : "before", percent(other), percent(own)),
                  "When labels do not belong to their inputs there is nothing to learn but their shares. A "
                  "header that was skipped in one file and not in "
                  "the other, or rows that were dropped from one of two tables, shift them like that.");
        found.finding.confidence = 0.9;
        found.finding.evidence = {{"shift", static_cast<double>(shift)},
                                  {"accuracy_shifted", other},
                                  {"accuracy", own},
                                  {"chance", chance},
                                  {"threshold", std::max(limits::kShiftGain, limits::kShiftErrors * error)}};
        found.finding.fixes.push_back(
            {fmt::format("Move the labels {} by one row", shift > 0 ? "up" : "down")});
        j.addSample(found, 0, 0);
        return;
    }
}

/// Different whole numbers among the kept values of a column; 0 when there are fractions or too many.
std::size_t fewWholeNumbers(const Judgement& j, std::size_t column)
{
    std::set<float> values;
    for (const Point& point : pointsOf(j, column)) {
        if (point.value != std::floor(point.value))
            return 0;
        values.insert(point.value);
        if (values.size() > static_cast<std::size_t>(limits::kManyClasses))
            return 0;
    }
    return values.size();
}

/// A target with many rare "classes" that are numbers, beside a last column that looks like the label.
void judgeWrongColumn(Judgement& j)
{
    const FieldLayout& label = j.data(0).dataset->fields()[*j.plan.target];
    const auto classes = static_cast<std::int64_t>(label.classNames.size());
    const bool numbers = std::ranges::all_of(label.classNames, [](const std::string& name) {
        double value = 0;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
        return error == std::errc() && end == name.data() + name.size();
    });
    if (classes <= limits::kManyClasses || !numbers || !j.plan.table ||
        static_cast<double>(j.allSamples()) / static_cast<double>(classes) >= limits::kFewRowsOfClass)
        return;
    const std::size_t last = j.scan.parts[0]->table.size() - 1;
    const std::size_t values = fewWholeNumbers(j, last);
    if (values < 2)
        return;
    const std::string source = j.data(0).source;
    DataFinding& found =
        j.add("data/label-mismatch", Severity::Warning, source,
              fmt::format("the target has {} classes that are numbers, {} rows for each, while {} has only "
                          "{} different values: "
                          "the target column may be off by one",
                          classes, j.allSamples() / classes, j.columnName(tableLayout(j), last), values),
              "Columns are numbered from 0. With the wrong one as the target, the network learns to guess a "
              "measurement as if "
              "it were a class, and the real label is among the features.");
    found.finding.confidence = 0.85;
    found.finding.evidence = {{"classes", static_cast<double>(classes)},
                              {"column", static_cast<double>(last)},
                              {"values", static_cast<double>(values)},
                              {"threshold", static_cast<double>(limits::kManyClasses)}};
    j.addSample(found, 0, 0);
    if (const auto name = fileColumn(tableLayout(j), last)) {
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(name->data(), name->data() + name->size(), number);
        const bool isNumber = error == std::errc() && end == name->data() + name->size();
        if (auto fix = setFix(j.project, source, "target", isNumber ? Json(number) : Json(*name),
                              "Predict " + j.columnName(tableLayout(j), last)))
            found.finding.fixes.push_back(std::move(*fix));
    }
}

} // namespace

void judgeColumns(Judgement& j)
{
    if (!j.plan.table)
        return;
    const auto& columns = j.scan.parts[0]->table;
    const FieldLayout& layout = tableLayout(j);
    std::map<std::uint64_t, std::size_t> first;
    std::vector<std::size_t> constant;
    std::vector<std::pair<std::size_t, std::size_t>> equal;
    for (std::size_t column = 0; column < columns.size(); ++column) {
        const Moments& moments = columns[column].moments;
        if (moments.count > 1 && moments.least == moments.most && columns[column].notFinite == 0)
            constant.push_back(column);
        else if (const auto [other, isNew] = first.emplace(columns[column].content, column); !isNew)
            equal.emplace_back(other->second, column);
    }
    const std::string source = j.data(0).source;
    if (!constant.empty() && constant.size() < columns.size()) {
        DataFinding& found = j.add(
            "data/constant-column", Severity::Info, source,
            constant.size() == 1 ? fmt::format("{} is {} in all rows", j.columnName(layout, constant[0]),
                                               numberText(columns[constant[0]].moments.least))
                                 : fmt::format("{} columns are constant, such as {}", constant.size(),
                                               j.columnName(layout, constant[0])),
            "A column that never changes tells nothing; where it does change later, its weight was never "
            "trained.");
        found.finding.evidence = {{"columns", static_cast<double>(constant.size())},
                                  {"column", static_cast<double>(constant[0])}};
        if (auto fix = constant.size() == 1 ? ignoreFix(j, source, constant[0]) : std::nullopt)
            found.finding.fixes.push_back(std::move(*fix));
    }
    if (!equal.empty()) {
        DataFinding& found = j.add(
            "data/duplicates", Severity::Info, source,
            fmt::format(
                "{} and {} hold the same numbers{}", j.columnName(layout, equal[0].first),
                j.columnName(layout, equal[0].second),
                equal.size() > 1 ? fmt::format(", and {} more columns repeat others", equal.size() - 1) : ""),
            "Two equal columns count twice; nothing is lost when one of them goes.");
        found.finding.evidence = {{"columns", static_cast<double>(equal.size())},
                                  {"column", static_cast<double>(equal[0].second)}};
        if (auto fix = ignoreFix(j, source, equal[0].second))
            found.finding.fixes.push_back(std::move(*fix));
    }
}

void judgeTargetLeak(Judgement& j)
{
    if (!j.plan.table || !j.plan.target || hasWindows(j) || j.scan.parts[0]->rows.empty())
        return;
    if (isClassTarget(j))
        judgeClassLeak(j);
    else if (j.scan.parts[0]->table.size() > 1)
        judgeValueLeak(j);
}

void judgeLabelColumn(Judgement& j)
{
    if (!j.plan.target || !isClassTarget(j) || hasWindows(j))
        return;
    judgeWrongColumn(j);
    judgeShiftedRows(j);
}

} // namespace athanor
