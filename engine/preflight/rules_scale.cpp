// Rules over the size of numbers: inputs, targets, columns, and whether the parts agree.
#include "engine/preflight/judge.h"
#include "engine/preflight/thresholds.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

namespace athanor {
namespace {

constexpr const char* kWhyScale = "Weights start with a size that suits inputs of about unit size. Inputs a "
                                  "hundred times larger give outputs, losses and "
                                  "gradients a hundred times larger: the first steps throw the weights away, "
                                  "units die, and what is left learns slowly. "
                                  "Inputs a hundred times smaller hardly move anything.";

/// A field's columns or channels in the training part.
const std::vector<ColumnScan>& trainColumns(const Judgement& j, std::size_t field)
{
    return j.scan.parts[0]->fields[field].columns;
}

bool isInput(const Judgement& j, const FieldLayout& layout)
{
    return layout.element == Element::Float32 && j.network.inputs.contains(layout.name);
}

/// The nodes that scale values, from the source to the Loader.
std::vector<const PlanNode*> scalers(const DataPlan& graph)
{
    std::vector<const PlanNode*> found;
    const auto look = [&](const std::vector<PlanNode>& nodes) {
        for (const PlanNode& node : nodes)
            if (node.kind == "Normalize" || node.kind == "Standardize" || node.kind == "MinMax")
                found.push_back(&node);
    };
    if (graph.branches[0])
        look(graph.branches[0]->transforms);
    look(graph.transforms);
    return found;
}

bool judgeConstantInput(Judgement& j, std::size_t field)
{
    const FieldLayout& layout = j.layouts()[field];
    const auto& columns = trainColumns(j, field);
    const bool constant = std::ranges::all_of(columns, [](const ColumnScan& column) {
        return column.moments.count > 1 && column.moments.least == column.moments.most;
    });
    if (!constant || columns.empty() || j.data(0).size() < 2)
        return false;
    DataFinding& found = j.add("data/constant-input", Severity::Error, j.data(0).source,
                               fmt::format("'{}' is the same in all {} ({})", layout.name,
                                           counted(j.data(0).size(), "training sample"),
                                           numberText(columns.front().moments.least)),
                               "When every input is the same, the network can only learn the mean of the "
                               "targets. Often a whole-number "
                               "division made 0 of everything, or the wrong array was taken.");
    found.finding.evidence = {{"value", columns.front().moments.least},
                              {"samples", static_cast<double>(j.data(0).size())}};
    j.addSample(found, 0, 0);
    return true;
}

void judgePictureScale(Judgement& j, std::size_t field)
{
    const FieldLayout& layout = j.layouts()[field];
    double largest = 0;
    for (const ColumnScan& channel : trainColumns(j, field))
        largest = std::max(
            {largest, std::abs(double(channel.moments.least)), std::abs(double(channel.moments.most))});
    const auto nodes = scalers(j.graph);
    if (largest >= limits::kPictureRaw && nodes.empty()) {
        DataFinding& found =
            j.add("data/badly-scaled-input", Severity::Warning, j.data(0).source,
                  fmt::format(
                      "'{}' reaches the network with values up to {}: it is not scaled to 0–1 or normalized",
                      layout.name, numberText(largest)),
                  kWhyScale);
        found.finding.evidence = {{"max", largest}, {"threshold", limits::kPictureRaw}};
        found.finding.fixes.push_back(insertBeforeLoader(j.project, "ToTensor"));
        if (j.plan.data->parts[0]->dataset->fields()[field].element == Element::Float32)
            found.finding.fixes.front() = insertBeforeLoader(j.project, "Standardize");
        return;
    }
    if (largest > 0 && largest <= limits::kPictureTwice) {
        DataFinding& found =
            j.add("data/badly-scaled-input", Severity::Warning, j.data(0).source,
                  fmt::format("'{}' reaches the network with values up to {} only: it was scaled twice",
                              layout.name, numberText(largest)),
                  kWhyScale);
        found.finding.evidence = {{"max", largest}, {"threshold", limits::kPictureTwice}};
        found.finding.fixes.push_back(insertBeforeLoader(j.project, "Standardize"));
        return;
    }
    const auto& channels = trainColumns(j, field);
    for (std::size_t channel = 0; channel < channels.size() && !nodes.empty(); ++channel) {
        const double mean = channels[channel].moments.mean;
        const double deviation = channels[channel].moments.deviation();
        if (std::abs(mean) <= limits::kPictureMean && deviation <= limits::kPictureDeviationHigh &&
            (deviation >= limits::kPictureDeviationLow || deviation == 0))
            continue;
        DataFinding& found =
            j.add("data/badly-scaled-input", Severity::Warning, nodes.back()->id,
                  fmt::format(
                      "behind '{}', channel {} of '{}' has mean {} and deviation {} instead of about 0 and 1",
                      nodes.back()->id, channel, layout.name, numberText(mean), numberText(deviation)),
                  kWhyScale);
        found.finding.evidence = {{"channel", static_cast<double>(channel)},
                                  {"mean", mean},
                                  {"std", deviation},
                                  {"mean_threshold", limits::kPictureMean},
                                  {"std_threshold", limits::kPictureDeviationHigh},
                                  {"scaled", static_cast<double>(nodes.size())}};
        if (nodes.size() > 1)
            found.finding.message += fmt::format("; it is normalized {} times", nodes.size());
        found.finding.fixes.push_back(insertBeforeLoader(j.project, "Standardize"));
        return;
    }
}

void judgeTableScale(Judgement& j, std::size_t field)
{
    const FieldLayout& layout = j.layouts()[field];
    const auto& columns = trainColumns(j, field);
    std::size_t widest = 0;
    double narrowest = INFINITY;
    for (std::size_t column = 0; column < columns.size(); ++column) {
        if (columns[column].moments.size() > columns[widest].moments.size())
            widest = column;
        if (const double deviation = columns[column].moments.deviation(); deviation > 0)
            narrowest = std::min(narrowest, deviation);
    }
    const Moments& largest = columns[widest].moments;
    const double ratio = std::isfinite(narrowest) ? largest.deviation() / narrowest : 1;
    const bool dwarfs = ratio > limits::kColumnRatio && largest.size() > limits::kColumnRatioFloor;
    const bool tiny = largest.size() > 0 && largest.size() < limits::kColumnTiny;
    if (largest.size() <= limits::kColumnSize && !dwarfs && !tiny)
        return;
    const auto nodes = scalers(j.graph);
    std::string message =
        tiny ? fmt::format("all columns of '{}' are nearly 0: the largest has root mean square {}",
                           layout.name, numberText(largest.size()))
             : fmt::format("{} reaches the network with mean {} and deviation {}",
                           j.columnName(layout, widest), numberText(largest.mean),
                           numberText(largest.deviation()));
    if (dwarfs)
        message += fmt::format(", {} times the deviation of the smallest column", numberText(ratio));
    DataFinding& found =
        j.add("data/badly-scaled-input", Severity::Warning,
              nodes.empty() ? j.data(0).source : nodes.back()->id, std::move(message), kWhyScale);
    found.finding.evidence = {{"column", static_cast<double>(widest)},
                              {"mean", largest.mean},
                              {"std", largest.deviation()},
                              {"size", largest.size()},
                              {"ratio", ratio},
                              {"size_threshold", limits::kColumnSize},
                              {"ratio_threshold", limits::kColumnRatio}};
    j.addSample(found, 0, 0);
    found.finding.fixes.push_back(insertBeforeLoader(j.project, "Standardize"));
}

std::string shiftWhy()
{
    return "The validation value is measured on other data than those that were trained on, so it says "
           "little: it looks bad "
           "although the network learns, or the other way round. Usually one part was scaled, encoded or "
           "chosen differently.";
}

/// The mean of `b` in deviations of `a`, and how much larger `b` is.
struct Shift {
    double mean = 0;
    double size = 1;
};

Shift shiftOf(const Moments& a, const Moments& b)
{
    Shift shift;
    if (a.deviation() > 0)
        shift.mean = std::abs(b.mean - a.mean) / a.deviation();
    if (a.size() > 0 && b.size() > 0)
        shift.size = std::max(a.size() / b.size(), b.size() / a.size());
    return shift;
}

/// Parts that follow each other in time differ by nature.
bool isOrderedSplit(const DataPlan& graph)
{
    return graph.split &&
           std::ranges::any_of(graph.split->params, [](const Json& value) { return value == "time"; });
}

bool judgeFieldShift(Judgement& j, std::size_t field, std::size_t part)
{
    const auto& train = trainColumns(j, field);
    const auto& other = j.scan.parts[part]->fields[field].columns;
    std::size_t worst = 0;
    Shift most;
    for (std::size_t column = 0; column < std::min(train.size(), other.size()); ++column) {
        const Shift shift = shiftOf(train[column].moments, other[column].moments);
        const double level = std::max(shift.mean / limits::kShiftMean, shift.size / limits::kShiftSize);
        if (level > std::max(most.mean / limits::kShiftMean, most.size / limits::kShiftSize)) {
            most = shift;
            worst = column;
        }
    }
    // Rare events (a column that is 0 in most rows) have sizes that jump by chance: the mean must move too, unless all
    // columns are of another size.
    const bool manyDiffer =
        most.size > limits::kShiftSize &&
        (train.size() <= 3 ||
         std::ranges::count_if(train,
                               [&, i = std::size_t(0)](const ColumnScan& c) mutable {
                                   const std::size_t column = i++;
                                   return column < other.size() &&
                                          shiftOf(c.moments, other[column].moments).size > limits::kShiftSize;
                               }) *
                 2 >
             static_cast<std::ptrdiff_t>(train.size()));
    if (most.mean <= limits::kShiftMean && !manyDiffer)
        return false;
    const FieldLayout& layout = j.layouts()[field];
    const std::string name = layout.shape.size() <= 1 ? j.columnName(layout, worst)
                                                      : fmt::format("channel {} of '{}'", worst, layout.name);
    static const std::string why = shiftWhy();
    DataFinding& found = j.add(
        "data/split-shift", isOrderedSplit(j.graph) ? Severity::Info : Severity::Warning, j.data(part).source,
        fmt::format("{} has mean {} and deviation {} in {}, but {} and {} in train", name,
                    numberText(other[worst].moments.mean), numberText(other[worst].moments.deviation()),
                    kPartNames[part], numberText(train[worst].moments.mean),
                    numberText(train[worst].moments.deviation())),
        why.c_str());
    found.finding.evidence = {{"column", static_cast<double>(worst)},
                              {"shift", most.mean},
                              {"size_ratio", most.size},
                              {"shift_threshold", limits::kShiftMean},
                              {"ratio_threshold", limits::kShiftSize}};
    j.addSample(found, part, 0);
    return true;
}

void judgeClassShift(Judgement& j, std::size_t field, std::size_t part)
{
    const auto& train = j.scan.parts[0]->fields[field].classes;
    const auto& other = j.scan.parts[part]->fields[field].classes;
    const auto share = [](const auto& counts, std::int64_t label, double all) {
        const auto found = counts.find(label);
        return found == counts.end() ? 0.0 : static_cast<double>(found->second) / all;
    };
    const auto trainAll = static_cast<double>(j.data(0).size());
    const auto otherAll = static_cast<double>(j.data(part).size());
    double distance = 0;
    std::vector<std::int64_t> unseen;
    std::set<std::int64_t> labels;
    for (const auto* counts : {&train, &other})
        for (const auto& [label, count] : *counts)
            labels.insert(label);
    for (const std::int64_t label : labels) {
        distance += std::abs(share(train, label, trainAll) - share(other, label, otherAll)) / 2;
        if (!train.contains(label) && label >= 0)
            unseen.push_back(label);
    }
    if (distance > limits::kShiftClasses) {
        static const std::string why = shiftWhy();
        DataFinding& found = j.add(
            "data/split-shift", Severity::Warning, j.data(part).source,
            fmt::format("the classes of '{}' are spread differently in {} than in train ({} of the samples "
                        "would have to change theirs)",
                        j.layouts()[field].name, kPartNames[part], percent(distance)),
            why.c_str());
        found.finding.evidence = {{"distance", distance},
                                  {"threshold", limits::kShiftClasses},
                                  {"classes_not_in_train", static_cast<double>(unseen.size())}};
        if (j.graph.split)
            if (auto fix = setFix(j.project, j.graph.split->id, "stratify", true,
                                  "Give each part the same share of every class"))
                found.finding.fixes.push_back(std::move(*fix));
        j.addSample(found, part, 0);
    } else if (!unseen.empty()) {
        DataFinding& found = j.add(
            "data/split-shift", Severity::Info, j.data(part).source,
            fmt::format("{} of '{}' in {} never {} in train",
                        unseen.size() == 1 ? "a class"
                                           : counted(static_cast<std::int64_t>(unseen.size()), "class"),
                        j.layouts()[field].name, kPartNames[part], unseen.size() == 1 ? "occurs" : "occur"),
            "What was never seen cannot be learnt; those samples are always wrong.");
        found.finding.evidence = {{"classes_not_in_train", static_cast<double>(unseen.size())}};
        if (j.graph.split)
            if (auto fix = setFix(j.project, j.graph.split->id, "stratify", true,
                                  "Give each part the same share of every class"))
                found.finding.fixes.push_back(std::move(*fix));
    }
}

} // namespace

void judgeInputScale(Judgement& j)
{
    for (std::size_t field = 0; field < j.layouts().size(); ++field) {
        const FieldLayout& layout = j.layouts()[field];
        if (!isInput(j, layout) || trainColumns(j, field).empty() || judgeConstantInput(j, field) ||
            j.network.normalized.contains(layout.name))
            continue;
        if (layout.shape.size() == 3)
            judgePictureScale(j, field);
        else
            judgeTableScale(j, field);
    }
}

void judgeTargetScale(Judgement& j)
{
    for (std::size_t field = 0; field < j.layouts().size(); ++field) {
        const FieldLayout& layout = j.layouts()[field];
        const auto use = j.network.targets.find(layout.name);
        if (layout.element != Element::Float32 || use == j.network.targets.end() || layout.shape.size() > 1)
            continue;
        const auto& columns = trainColumns(j, field);
        for (std::size_t column = 0; column < columns.size(); ++column) {
            const Moments& moments = columns[column].moments;
            if (moments.size() <= limits::kTargetSize)
                continue;
            DataFinding& found = j.add(
                "data/badly-scaled-target", Severity::Warning, j.data(0).source,
                fmt::format(
                    "the target {} has mean {} and deviation {}: the first loss of '{}' will be about {}",
                    j.columnName(layout, column), numberText(moments.mean), numberText(moments.deviation()),
                    use->second.loss, numberText(moments.size() * moments.size())),
                "A network starts with outputs around 0. Its first error is then as large as the target, the "
                "squared error and "
                "its gradient larger still: the first steps overshoot, often to infinity.");
            found.finding.evidence = {{"mean", moments.mean},
                                      {"std", moments.deviation()},
                                      {"size", moments.size()},
                                      {"threshold", limits::kTargetSize}};
            found.finding.fixes.push_back(
                {fmt::format("Predict ({} − {}) / {} instead", j.columnName(layout, column),
                             numberText(moments.mean), numberText(moments.deviation()))});
            j.addSample(found, 0, 0);
            break;
        }
    }
}

void judgeShift(Judgement& j)
{
    for (std::size_t part = 1; part < 3; ++part) {
        if (!j.has(part) || j.data(part).size() < limits::kShiftRows || j.data(0).size() < limits::kShiftRows)
            continue;
        for (std::size_t field = 0; field < j.layouts().size(); ++field) {
            const FieldLayout& layout = j.layouts()[field];
            if (layout.element == Element::Float32)
                judgeFieldShift(j, field, part);
            else if (layout.shape.empty())
                judgeClassShift(j, field, part);
        }
    }
}

} // namespace athanor
