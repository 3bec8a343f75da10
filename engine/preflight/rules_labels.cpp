// Rules over labels: range, numbering, balance, order.
#include "engine/preflight/judge.h"
#include "engine/preflight/thresholds.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

namespace athanor {
namespace {

using Counts = std::map<std::int64_t, std::int64_t>;

/// A field of class numbers that a loss compares with, and what the data and the network say of it.
struct LabelField {
    std::size_t field = 0;
    const FieldLayout* layout = nullptr;
    TargetUse use;
    std::int64_t classes = 0; ///< that there may be; 0: not known
    Counts train;
    std::int64_t labelled = 0; ///< training samples with a class
};

std::vector<LabelField> labelFields(const Judgement& j)
{
    std::vector<LabelField> found;
    for (std::size_t field = 0; field < j.layouts().size(); ++field) {
        const FieldLayout& layout = j.layouts()[field];
        const auto use = j.network.targets.find(layout.name);
        if (layout.element != Element::Int64 || !layout.shape.empty() || use == j.network.targets.end())
            continue;
        LabelField label{field, &layout, use->second, use->second.classes, {}, 0};
        if (label.classes == 0)
            label.classes = layout.classes;
        for (const auto& [value, count] : j.scan.parts[0]->fields[field].classes)
            if (value >= 0) {
                label.train[value] = count;
                label.labelled += count;
            }
        found.push_back(std::move(label));
    }
    return found;
}

std::string className(const FieldLayout& layout, std::int64_t label)
{
    const auto place = static_cast<std::size_t>(label);
    return label >= 0 && place < layout.classNames.size() ? "'" + layout.classNames[place] + "'"
                                                          : std::to_string(label);
}

constexpr std::int64_t kIgnoredLabel = -100;

bool isInRange(std::int64_t label, std::int64_t classes)
{
    return label == kIgnoredLabel || (label >= 0 && (classes == 0 || label < classes));
}

/// Returns true when labels are out of range: what else there is to say follows from it.
bool judgeRange(Judgement& j, const LabelField& label)
{
    std::int64_t bad = 0;
    std::int64_t least = 0;
    std::int64_t most = 0;
    bool first = true;
    for (std::size_t part = 0; part < 3; ++part) {
        if (!j.has(part))
            continue;
        for (const auto& [value, count] : j.scan.parts[part]->fields[label.field].classes) {
            bad += isInRange(value, label.classes) ? 0 : count;
            if (value == kIgnoredLabel)
                continue;
            least = first ? value : std::min(least, value);
            most = first ? value : std::max(most, value);
            first = false;
        }
    }
    if (bad == 0)
        return false;
    const std::string name = "'" + label.layout->name + "'";
    const bool isShifted = least == 1 && label.classes > 1 && most == label.classes;
    std::string message =
        isShifted   ? fmt::format("{} runs from 1 to {}, but classes are numbered from 0 to {}: off by one",
                                  name, most, most - 1)
        : least < 0 ? fmt::format("{} is {} in {}, but classes are numbered from 0", name, least,
                                  counted(bad, "sample"))
                    : fmt::format("{} goes up to {}, but '{}' tells {} classes apart, numbered from 0", name,
                                  most, label.use.loss, label.classes);
    DataFinding& found = j.add(
        "data/label-out-of-range", Severity::Error, j.data(0).source, std::move(message),
        "A class number chooses one of the network's outputs. One that is not there ends the run, on a GPU "
        "with an error that does not say why.");
    found.finding.evidence = {{"samples", static_cast<double>(bad)},
                              {"least", static_cast<double>(least)},
                              {"most", static_cast<double>(most)},
                              {"classes", static_cast<double>(label.classes)}};
    for (std::size_t part = 0; part < 3; ++part) {
        if (!j.has(part))
            continue;
        const PartScan& scan = *j.scan.parts[part];
        for (std::size_t i = 0; i < scan.marks.size(); ++i) {
            if (!scan.marks[i].read || j.plan.target != label.field)
                continue;
            const auto value = static_cast<std::int64_t>(scan.marks[i].value);
            if (isInRange(value, label.classes))
                continue;
            const auto position = static_cast<std::int64_t>(i);
            const std::string what = fmt::format(
                "{} is {}{}", name, value,
                value < 0 ? ", below 0"
                          : fmt::format(", but there are only {} classes, numbered from 0", label.classes));
            j.addSample(found, part, position, what);
            j.addProblem(part, position, what, "Number the classes 0, 1, 2, …");
        }
    }
    found.sampleCount = bad;
    found.finding.fixes.push_back(
        {isShifted ? "Subtract 1 from every label" : "Number the classes 0, 1, 2, …"});
    return true;
}

void judgeNumbering(Judgement& j, const LabelField& label)
{
    const std::int64_t last = label.train.rbegin()->first;
    const bool startsAtOne = label.layout->classNames.empty() && label.train.begin()->first == 1 &&
                             last >= 2 && static_cast<std::int64_t>(label.train.size()) == last;
    if (!startsAtOne)
        return;
    DataFinding& found = j.add(
        "data/label-mismatch", Severity::Warning, j.data(0).source,
        fmt::format("'{}' has classes 1 to {} and never 0: its numbers seem to start at 1",
                    label.layout->name, last),
        "Classes are numbered from 0. The network has one output that is never right; names of classes, and "
        "whatever reads its answers later, are off by one.");
    found.finding.confidence = 0.8;
    found.finding.evidence = {
        {"least", 1}, {"most", static_cast<double>(last)}, {"classes", static_cast<double>(label.classes)}};
    found.finding.fixes.push_back({"Subtract 1 from every label"});
    j.addSample(found, 0, 0);
}

void judgeMissing(Judgement& j, const LabelField& label)
{
    const std::int64_t ignored = j.scan.parts[0]->fields[label.field].ignored;
    if (ignored == 0)
        return;
    const double share = static_cast<double>(ignored) / static_cast<double>(j.data(0).size());
    DataFinding& found = j.add(
        "data/label-mismatch", share > limits::kIgnoredLabels ? Severity::Warning : Severity::Info,
        j.data(0).source,
        fmt::format("{} ({}) have no label (−100), which losses pass over",
                    counted(ignored, "training sample"), percent(share)),
        "A sample without a label costs time and teaches nothing; a batch of nothing else has the loss nan.");
    found.finding.evidence = {
        {"samples", static_cast<double>(ignored)}, {"share", share}, {"threshold", limits::kIgnoredLabels}};
    for (std::size_t i = 0; i < j.scan.parts[0]->marks.size() && j.plan.target == label.field; ++i)
        if (j.scan.parts[0]->marks[i].value == static_cast<float>(kIgnoredLabel))
            j.addSample(found, 0, static_cast<std::int64_t>(i));
    found.sampleCount = ignored;
}

/// Weights that make every class count alike: n / (classes · n of the class), as scikit-learn's "balanced".
SuggestedFix balancingFix(const LabelField& label)
{
    std::string list;
    for (std::int64_t value = 0; value < label.classes; ++value) {
        const auto found = label.train.find(value);
        const double weight =
            found == label.train.end()
                ? 1
                : static_cast<double>(label.labelled) /
                      (static_cast<double>(label.train.size()) * static_cast<double>(found->second));
        list += fmt::format("{}{:.4g}", value == 0 ? "" : ",", weight);
    }
    return {"Let every class count alike in the loss",
            {"network." + label.use.loss + ".class_weight=[" + list + "]"}};
}

void judgeBalance(Judgement& j, const LabelField& label)
{
    const auto byCount = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto rarest = std::ranges::min_element(label.train, byCount);
    const auto commonest = std::ranges::max_element(label.train, byCount);
    const double ratio = static_cast<double>(commonest->second) / static_cast<double>(rarest->second);
    const double share = static_cast<double>(commonest->second) / static_cast<double>(label.labelled);
    if (ratio < limits::kImbalanceInfo)
        return;
    const Json& loader = j.graph.loader.params;
    const std::string sampler = loader.value("sampler", Json("")).is_string()
                                    ? loader.value("sampler", std::string())
                                    : std::string();
    const bool intended =
        label.use.weighted || (!sampler.empty() && sampler != "none" && sampler != "random");
    const bool grave = ratio >= limits::kImbalanceRatio || share >= limits::kMajority;
    DataFinding& found = j.add(
        "data/class-imbalance", grave && !intended ? Severity::Warning : Severity::Info, j.data(0).source,
        fmt::format("{} of the training samples are {}, {} are {}: always saying {} is right {} of the time",
                    percent(share), className(*label.layout, commonest->first), rarest->second,
                    className(*label.layout, rarest->first), className(*label.layout, commonest->first),
                    percent(share)),
        "A loss that counts every sample alike is made small by being right on the common class. Accuracy "
        "then looks good "
        "while the rare class is never found; judge by f1 or average precision, and let rare classes weigh "
        "more.");
    found.finding.evidence = {{"ratio", ratio},
                              {"majority", share},
                              {"ratio_threshold", limits::kImbalanceRatio},
                              {"majority_threshold", limits::kMajority}};
    if (!intended && label.use.classes > 0)
        found.finding.fixes.push_back(balancingFix(label));
    if (!intended)
        if (auto fix = setFix(j.project, j.graph.loader.id, "sampler", "class_balanced",
                              "Draw every class equally often"))
            found.finding.fixes.push_back(std::move(*fix));
    for (std::size_t i = 0; i < j.scan.parts[0]->marks.size() && j.plan.target == label.field; ++i)
        if (j.scan.parts[0]->marks[i].value == static_cast<float>(rarest->first))
            j.addSample(found, 0, static_cast<std::int64_t>(i));
}

void judgeCounts(Judgement& j, const LabelField& label)
{
    if (label.train.size() == 1) {
        DataFinding& found = j.add("data/label-single-class", Severity::Error, j.data(0).source,
                                   fmt::format("every training sample has the class {}",
                                               className(*label.layout, label.train.begin()->first)),
                                   "With one class there is nothing to tell apart: the loss falls to 0 and "
                                   "the network has learnt nothing.");
        found.finding.evidence = {{"classes", 1}, {"samples", static_cast<double>(label.labelled)}};
        j.addSample(found, 0, 0);
        return;
    }
    judgeBalance(j, label);
    const double each = static_cast<double>(label.labelled) / static_cast<double>(label.train.size());
    if (each >= limits::kFewPerClass)
        return;
    DataFinding& found =
        j.add("data/too-few-samples", Severity::Warning, j.data(0).source,
              fmt::format("{} classes have {} on average to be learnt from", label.train.size(),
                          numberText(each) + " training samples"),
              "A network learns a handful of samples by heart without finding what they have in common.");
    found.finding.evidence = {{"classes", static_cast<double>(label.train.size())},
                              {"samples_per_class", each},
                              {"threshold", limits::kFewPerClass}};
    j.addSample(found, 0, 0);
}

void countClasses(Judgement& j, const LabelField& label)
{
    ClassCounts counts{label.layout->name, label.layout->classNames, {}};
    std::int64_t classes = label.layout->classes;
    for (std::size_t part = 0; part < 3; ++part)
        if (j.has(part) && !j.scan.parts[part]->fields[label.field].classes.empty())
            classes = std::max(classes, j.scan.parts[part]->fields[label.field].classes.rbegin()->first + 1);
    constexpr std::int64_t kMostListed = 100000;
    classes = std::min(classes, kMostListed);
    for (std::size_t part = 0; part < 3; ++part) {
        if (!j.has(part))
            continue;
        counts.counts[part].assign(static_cast<std::size_t>(classes), 0);
        for (const auto& [value, count] : j.scan.parts[part]->fields[label.field].classes)
            if (value >= 0 && value < classes)
                counts.counts[part][static_cast<std::size_t>(value)] = count;
    }
    for (auto value = static_cast<std::int64_t>(counts.names.size()); value < classes; ++value)
        counts.names.push_back(std::to_string(value));
    j.result.classes.push_back(std::move(counts));
}

/// How much more often neighbours have one class than by chance; 1: sorted.
double agreementBeyondChance(const std::vector<SampleMarks>& marks, const LabelField& label)
{
    double chance = 0;
    for (const auto& [value, count] : label.train) {
        const double share = static_cast<double>(count) / static_cast<double>(label.labelled);
        chance += share * share;
    }
    std::int64_t same = 0;
    for (std::size_t i = 1; i < marks.size(); ++i)
        same += marks[i].value == marks[i - 1].value ? 1 : 0;
    const double agreement = static_cast<double>(same) / static_cast<double>(marks.size() - 1);
    return chance < 1 ? (agreement - chance) / (1 - chance) : 0;
}

void addSorted(Judgement& j, const std::string& message, const char* measure, double value, double threshold)
{
    DataFinding& found = j.add(
        "data/sorted-unshuffled", Severity::Warning, j.graph.loader.id, message,
        "A batch of neighbours then holds one class or a small range only. Every step pulls the network to "
        "what it saw last, and it forgets what came before.");
    found.finding.evidence = {{measure, value}, {"threshold", threshold}};
    j.addSample(found, 0, 0);
    if (auto fix =
            setFix(j.project, j.graph.loader.id, "shuffle", true, "Shuffle the training part each epoch"))
        found.finding.fixes.push_back(std::move(*fix));
}

} // namespace

void judgeLabels(Judgement& j)
{
    for (const LabelField& label : labelFields(j)) {
        countClasses(j, label);
        judgeMissing(j, label);
        if (judgeRange(j, label) || label.train.empty())
            continue;
        judgeNumbering(j, label);
        judgeCounts(j, label);
    }
}

void judgeOrder(Judgement& j)
{
    constexpr std::int64_t kFewest = 20;
    const Json& loader = j.graph.loader.params;
    const bool sampled = loader.contains("sampler") && loader["sampler"].is_string() &&
                         loader["sampler"] != "none" && loader["sampler"] != "sequential";
    if (loader.value("shuffle", false) || sampled || !j.plan.target || j.data(0).size() < kFewest)
        return;
    const auto& marks = j.scan.parts[0]->marks;
    const auto labels = labelFields(j);
    if (!labels.empty() && labels.front().field == *j.plan.target) {
        if (labels.front().train.size() < 2 || loader.value("batch_size", 1) >= j.data(0).size())
            return;
        const double excess = agreementBeyondChance(marks, labels.front());
        if (excess > limits::kSortedExcess)
            addSorted(j,
                      fmt::format("the training samples come sorted by '{}', and shuffle is off",
                                  labels.front().layout->name),
                      "agreement_beyond_chance", excess, limits::kSortedExcess);
        return;
    }
    // A time series comes in the order of time, and means to: its windows share rows.
    const RowSpan rows = j.data(0).dataset->rows(0);
    if (rows.last - rows.first > 1)
        return;
    std::int64_t rising = 0;
    std::int64_t falling = 0;
    for (std::size_t i = 1; i < marks.size(); ++i) {
        rising += marks[i].value >= marks[i - 1].value ? 1 : 0;
        falling += marks[i].value <= marks[i - 1].value ? 1 : 0;
    }
    const double share =
        static_cast<double>(std::max(rising, falling)) / static_cast<double>(marks.size() - 1);
    const bool constant = rising == falling;
    if (share >= limits::kSortedTarget && !constant)
        addSorted(j,
                  fmt::format("the training samples come sorted by '{}', and shuffle is off",
                              j.layouts()[*j.plan.target].name),
                  "share_in_order", share, limits::kSortedTarget);
}

void judgeBatches(Judgement& j)
{
    if (j.network.batchNorms.empty())
        return;
    const std::int64_t size = j.plan.data->batchSize;
    const std::int64_t samples = j.data(0).size();
    const bool single = size == 1 || (!j.plan.data->dropLast && samples % size == 1);
    if (!single)
        return;
    const bool stops = !j.network.needTwo.empty();
    const NodeId node = stops ? j.network.needTwo.front() : j.network.batchNorms.front();
    DataFinding& found =
        j.add("model/batchnorm-small-batch", stops ? Severity::Error : Severity::Warning, node,
              size == 1 ? fmt::format("batches have one sample, which '{}' normalizes by itself", node)
                        : fmt::format("the last batch of an epoch has one sample ({} = {} × {} + 1), which "
                                      "'{}' normalizes by itself",
                                      samples, samples / size, size, node),
              "BatchNorm takes mean and deviation from the batch. Of one value per channel there is no "
              "deviation, and the run stops; of "
              "one picture they are those of that picture, which spoils the running statistics that "
              "evaluation uses.");
    found.finding.evidence = {{"samples", static_cast<double>(samples)},
                              {"batch_size", static_cast<double>(size)}};
    if (size > 1) {
        if (auto fix = setFix(j.project, j.graph.loader.id, "drop_last", true,
                              "Leave the last batch out when it is not full"))
            found.finding.fixes.push_back(std::move(*fix));
    } else if (auto fix = setFix(j.project, j.graph.loader.id, "batch_size", 32, "Make batches of 32")) {
        found.finding.fixes.push_back(std::move(*fix));
    }
}

} // namespace athanor
