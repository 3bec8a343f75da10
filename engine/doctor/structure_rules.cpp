// What can be seen in the drawing and in the settings of freezing and initial weights.
#include "engine/doctor/patient.h"
#include "engine/doctor/thresholds.h"
#include "engine/graph/name_match.h"

#include <algorithm>
#include <cmath>

namespace athanor {
namespace {

/// Goes on over everything without weights; true when a weighted layer follows.
bool weightsFollow(const Outline& outline, std::size_t node)
{
    return std::ranges::any_of(outline.nodes()[node].users, [&](std::size_t user) {
        const OutlineNode& next = outline.nodes()[user];
        if (isWeighted(next))
            return true;
        const bool goesOn = passesOn(next) || (next.kind != nullptr && (next.kind->family == NodeFamily::Pooling ||
                                                                        next.kind->family == NodeFamily::Normalization));
        return goesOn && weightsFollow(outline, user);
    });
}

void judgeNonlinearity(const Patient& patient, Findings& findings)
{
    for (const std::size_t loss : patient.outline.losses()) {
        const auto input = patient.outline.source(loss, "input");
        if (!input)
            continue;
        std::vector<std::size_t> path = patient.outline.upstream(*input);
        path.push_back(*input);
        NodeId first;
        int layers = 0;
        for (const std::size_t index : path) {
            const OutlineNode& node = patient.outline.nodes()[index];
            if (isWeighted(node) && ++layers == 1)
                first = node.id;
            if (isNonlinear(node) && index != patient.outline.origin(*input))
                layers = -1000;
        }
        if (layers < 2)
            continue;
        Finding finding = makeFinding(
            "model/no-nonlinearity", Severity::Error, first,
            std::to_string(layers) + " layers follow each other from " + first + " to " + patient.outline.nodes()[loss].id +
                " without an activation between them.",
            "A product of matrices is one matrix: however many linear layers follow each other, together they are a single "
            "one, and can only draw straight lines between classes.");
        finding.evidence = {{"layers", layers}};
        finding.fixes = {{"Put a ReLU behind each layer but the last", {}}};
        findings.push_back(std::move(finding));
    }
}

void judgeHidden(const Patient& patient, Findings& findings)
{
    std::vector<NodeId> found;
    for (std::size_t i = 0; i < patient.outline.nodes().size(); ++i) {
        const OutlineNode& node = patient.outline.nodes()[i];
        if ((node.is("Softmax") || node.is("LogSoftmax")) && weightsFollow(patient.outline, i))
            found.push_back(node.id);
    }
    if (found.empty())
        return;
    std::string all;
    for (const NodeId& id : found)
        all += (all.empty() ? "" : ", ") + id;
    Finding finding = makeFinding("model/hidden-activation", Severity::Error, found.front(),
                                  "A softmax stands between layers as their activation: " + all + ".",
                                  "Softmax makes the units share 1 among them: of n units each gets about 1/n, nearly alike for "
                                  "every sample, and the gradient shrinks by as much at each of them.");
    for (const NodeId& id : found)
        finding.fixes.push_back({"Make " + id + " a ReLU", {"network." + id + ".kind=ReLU"}});
    findings.push_back(std::move(finding));
}

void judgeDropout(const Patient& patient, Findings& findings)
{
    const OutlineNode* worst = nullptr;
    double highest = 0;
    int count = 0;
    for (const OutlineNode& node : patient.outline.nodes()) {
        if (node.kind == nullptr || node.kind->family != NodeFamily::Dropout || !node.params.contains("p"))
            continue;
        const Json& share = node.params.at("p");
        if (!share.is_number() || share.get<double>() < limits::kDropout)
            continue;
        ++count;
        if (share.get<double>() > highest) {
            highest = share.get<double>();
            worst = &node;
        }
    }
    if (worst == nullptr)
        return;
    Finding finding = makeFinding("model/dropout-too-high", Severity::Warning, worst->id,
                                  worst->id + " drops " + shortNumber(100 * highest) + " % of its units" +
                                      (count > 1 ? ", and " + std::to_string(count - 1) + " more do alike" : "") + ".",
                                  "What is left is too little to compute with: each step trains another small part of the "
                                  "network, very noisily. Rates of 0.2 to 0.5 are usual.");
    finding.evidence = {{"p", highest}, {"limit", limits::kDropout}};
    for (const OutlineNode& node : patient.outline.nodes())
        if (node.kind != nullptr && node.kind->family == NodeFamily::Dropout && node.params.value("p", Json(0.0)).is_number() &&
            node.params.value("p", 0.0) >= limits::kDropout)
            finding.fixes.push_back({"Lower p of " + node.id + " to 0.25", {"network." + node.id + ".p=0.25"}});
    findings.push_back(std::move(finding));
}

/// The last entry of `init` that reaches a state name.
const InitSpec* initOf(const TrainSpec& spec, const std::string& name)
{
    const InitSpec* found = nullptr;
    for (const InitSpec& init : spec.init)
        if (matchesGlob(init.match, name))
            found = &init;
    return found;
}

bool isConstant(const InitSpec& init)
{
    return init.init.kind == "zeros" || init.init.kind == "ones" || init.init.kind == "constant";
}

/// Standard deviation that an entry draws with; nothing when it follows the layer's size, or is no draw.
std::optional<double> writtenDeviation(const InitSpec& init)
{
    const auto number = [&](const char* name, double standard) {
        const auto found = init.init.params.find(name);
        return found != init.init.params.end() && found->is_number() ? found->get<double>() : standard;
    };
    if (init.init.kind == "normal" || init.init.kind == "trunc_normal")
        return number("std", 1);
    if (init.init.kind == "uniform")
        return (number("b", 1) - number("a", 0)) / std::sqrt(12.0);
    return std::nullopt;
}

const SuggestedFix kDefaultInit{"Leave the initial weights to the layers' own defaults", {"training.init=[]"}, {}};

void judgeSymmetry(const Patient& patient, const std::vector<const OutlineNode*>& layers, Findings& findings)
{
    std::string names;
    NodeId first;
    for (std::size_t i = 0; i + 1 < layers.size(); ++i) { // the last layer may start at 0
        const InitSpec* init = initOf(patient.project.training, stateName(*layers[i], "weight"));
        if (init == nullptr || !isConstant(*init))
            continue;
        names += (names.empty() ? "" : ", ") + layers[i]->id;
        if (first.empty())
            first = layers[i]->id;
    }
    if (names.empty())
        return;
    Finding finding = makeFinding("model/init-symmetric", Severity::Error, first,
                                  "training/init gives all weights of a layer one value: " + names + ".",
                                  "Units with equal weights compute the same, get the same gradient and stay equal for ever; "
                                  "at 0 there is not even a gradient. Random initial weights break the symmetry.");
    finding.fixes = {kDefaultInit};
    findings.push_back(std::move(finding));
}

void judgeScale(const Patient& patient, const std::vector<const OutlineNode*>& layers, Findings& findings)
{
    const OutlineNode* worst = nullptr;
    double ratio = 1;
    for (const OutlineNode* layer : layers) {
        const InitSpec* init = initOf(patient.project.training, stateName(*layer, "weight"));
        const double fan = fanIn(*layer);
        const auto deviation = init != nullptr ? writtenDeviation(*init) : std::nullopt;
        if (!deviation || fan <= 0 || *deviation <= 0)
            continue;
        const double here = *deviation / std::sqrt(2 / fan);
        if (worst == nullptr || std::abs(std::log(here)) > std::abs(std::log(ratio))) {
            worst = layer;
            ratio = here;
        }
    }
    const bool large = ratio > limits::kInitLarge;
    if (worst == nullptr || (!large && ratio > limits::kInitSmall))
        return;
    Finding finding = makeFinding(
        large ? "model/init-too-large" : "model/init-too-small", Severity::Error, worst->id,
        "training/init draws the weights of " + worst->id + " " + shortNumber(large ? ratio : 1 / ratio) + " times too " +
            (large ? "large" : "small") + " for its " + shortNumber(fanIn(*worst)) + " inputs.",
        "A sum over n inputs keeps its size when the weights have a standard deviation of √(2/n) (He et al. 2015). Otherwise "
        "every layer makes the signal, and the gradient, that many times larger or smaller.");
    finding.evidence = {{"ratio_to_he", ratio}, {"fan_in", fanIn(*worst)},
                        {"limit", large ? limits::kInitLarge : limits::kInitSmall}};
    finding.fixes = {kDefaultInit};
    findings.push_back(std::move(finding));
}

} // namespace

void judgeActivations(const Patient& patient, Findings& findings)
{
    judgeNonlinearity(patient, findings);
    judgeHidden(patient, findings);
    judgeDropout(patient, findings);
}

void judgeFreezing(const Patient& patient, Findings& findings)
{
    const TrainSpec& spec = patient.project.training;
    if (spec.freeze.empty() || spec.frozenOnPurpose || !spec.weights.empty())
        return;
    std::string names;
    NodeId first;
    for (const OutlineNode& node : patient.outline.nodes()) {
        if (!isWeighted(node) && !isRecurrent(node))
            continue;
        const std::string weight = stateName(node, isRecurrent(node) ? "weight_ih_l0" : "weight");
        if (std::ranges::none_of(spec.freeze, [&](const std::string& glob) { return matchesGlob(glob, weight); }))
            continue;
        names += (names.empty() ? "" : ", ") + node.id;
        if (first.empty())
            first = node.id;
    }
    if (first.empty())
        return;
    Finding finding = makeFinding("model/frozen-untrained", Severity::Error, first,
                                  "training/freeze holds layers at their random initial weights: " + names + ".",
                                  "Frozen layers keep what they have learnt elsewhere. These were never trained, and no weights "
                                  "are loaded (training/weights), so what follows sees noise.");
    finding.fixes = {{"Train all layers", {"training.freeze=[]"}},
                     {"It is meant so", {"training.frozen_on_purpose=true"}}};
    findings.push_back(std::move(finding));
}

void judgeInitials(const Patient& patient, Findings& findings)
{
    if (patient.project.training.init.empty() || !patient.project.training.weights.empty())
        return;
    std::vector<const OutlineNode*> layers;
    for (const OutlineNode& node : patient.outline.nodes())
        if (isWeighted(node))
            layers.push_back(&node);
    judgeSymmetry(patient, layers, findings);
    judgeScale(patient, layers, findings);
}

} // namespace athanor
