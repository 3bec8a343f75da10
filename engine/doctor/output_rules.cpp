// The last activation against the loss, and the loss against the task.
#include "engine/doctor/patient.h"
#include "engine/graph/graph_rewrite.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace athanor {
namespace {

struct Range {
    double low;
    double high;
};

/// Between which values an activation's outputs lie.
std::optional<Range> rangeOf(const OutlineNode& node)
{
    constexpr double kAny = std::numeric_limits<double>::infinity();
    if (node.is("Sigmoid") || node.is("Hardsigmoid") || node.is("Softmax"))
        return Range{0, 1};
    if (node.is("Tanh") || node.is("Softsign"))
        return Range{-1, 1};
    if (node.is("ReLU") || node.is("Softplus"))
        return Range{0, kAny};
    if (node.is("ReLU6"))
        return Range{0, 6};
    if (node.is("LogSoftmax"))
        return Range{-kAny, 0};
    return std::nullopt;
}

SuggestedFix removal(const Patient& patient, const OutlineNode& node)
{
    SuggestedFix fix{"Remove " + node.id, {}, {}};
    const Graph& network = patient.project.network;
    if (network.find(node.id) != nullptr) // not a member of a group
        fix.graph = PartEdit{"network", removeEdit({network, layerCatalog()}, {node.id}, {}, Healing::Join)};
    return fix;
}

class OutputJudge {
public:
    OutputJudge(const Patient& patient, std::size_t loss, std::size_t origin, Findings& findings)
        : m_patient(patient), m_loss(patient.outline.nodes()[loss]), m_last(patient.outline.nodes()[origin]),
          m_lossIndex(loss), m_findings(findings)
    {}

    void judge()
    {
        if (m_loss.is("CrossEntropyLoss"))
            judgeScores();
        else if (m_loss.is("BCEWithLogitsLoss"))
            judgeBinaryScores();
        else if (m_loss.is("BCELoss"))
            judgeProbability();
        else if (m_loss.is("NLLLoss"))
            judgeLogProbabilities();
        else if (m_loss.is("MSELoss") || m_loss.is("L1Loss") || m_loss.is("SmoothL1Loss") || m_loss.is("HuberLoss"))
            judgeValues();
    }

private:
    void report(const std::string& message, const std::string& why, std::vector<SuggestedFix> fixes)
    {
        Finding finding = makeFinding("model/output-activation", Severity::Error, m_last.id, message, why);
        finding.fixes = std::move(fixes);
        finding.confidence = 0.97;
        m_findings.push_back(std::move(finding));
    }

    void judgeScores()
    {
        const std::string pair = m_last.id + " (" + (m_last.kind != nullptr ? m_last.kind->kind : "") + ") before " + m_loss.id;
        if (m_last.is("Softmax")) {
            const auto classes = static_cast<double>(classCount(m_patient));
            std::string floor;
            if (classes > 1)
                floor = " With " + shortNumber(classes) + " classes the loss cannot fall below " +
                        shortNumber(std::log(1 + (classes - 1) * std::exp(-1.0))) + ".";
            report("Softmax is applied twice: " + pair + ", which takes raw scores.",
                   "CrossEntropyLoss computes log(softmax(x)) itself. Scores that went through a softmax lie between 0 and 1, "
                   "so that the second one can hardly tell the classes apart, and the gradients are small." + floor,
                   {removal(m_patient, m_last)});
        } else if (m_last.is("ReLU") || m_last.is("ReLU6")) {
            report("The scores are cut off at 0: " + pair + ".",
                   "A class whose score is negative gets the score 0 and no gradient, so that it cannot be learnt any more. "
                   "CrossEntropyLoss takes raw scores of any sign.",
                   {removal(m_patient, m_last)});
        } else if (m_last.is("Sigmoid") || m_last.is("Tanh") || m_last.is("Hardsigmoid") || m_last.is("Softsign")) {
            report("The scores are squeezed: " + pair + ", which takes raw scores.",
                   "With scores between " + shortNumber(rangeOf(m_last)->low) + " and 1 the softmax within the loss can never "
                   "be sure of a class: the loss stays high however long the training goes on.",
                   {removal(m_patient, m_last)});
        }
    }

    void judgeBinaryScores()
    {
        if (!m_last.is("Sigmoid") && !m_last.is("Softmax") && !m_last.is("Hardsigmoid") && !m_last.is("ReLU") && !m_last.is("Tanh"))
            return;
        const bool twice = m_last.is("Sigmoid") || m_last.is("Hardsigmoid");
        report(std::string(twice ? "Sigmoid is applied twice: " : "The score is squeezed: ") + m_last.id + " (" +
                   m_last.kind->kind + ") before " + m_loss.id + ", which takes raw scores.",
               "BCEWithLogitsLoss applies the sigmoid itself. Of a number between 0 and 1 it makes one between 0.5 and 0.73: "
               "with balanced classes the loss cannot fall below 0.503.",
               {removal(m_patient, m_last)});
    }

    void judgeProbability()
    {
        const auto& output = m_last.output;
        if (m_last.is("Softmax") && output && output->rank() >= 1 && output->dims.back() == 1) {
            report("A softmax over a single unit is always 1: " + m_last.id + ".",
                   "Softmax divides e^x by the sum over all units; with one unit that is 1 whatever the network says, and every "
                   "gradient is exactly 0. For two classes a single unit needs a sigmoid.",
                   {{"Make " + m_last.id + " a Sigmoid", {"network." + m_last.id + ".kind=Sigmoid"}}});
            return;
        }
        if (m_last.kind == nullptr || m_last.kind->family == NodeFamily::Script || m_last.kind->family == NodeFamily::Combine)
            return;
        const auto range = rangeOf(m_last);
        if (range && range->low >= 0 && range->high <= 1)
            return;
        report("BCELoss takes probabilities, but " + m_last.id + " (" + m_last.kind->kind + ") yields any number.",
               "The loss is the logarithm of what comes in; outside of 0 to 1 there is none.",
               {{"Use BCEWithLogitsLoss", {"network." + m_loss.id + ".kind=BCEWithLogitsLoss"}}});
    }

    void judgeLogProbabilities()
    {
        if (m_last.kind == nullptr || m_last.is("LogSoftmax") || m_last.kind->family == NodeFamily::Script ||
            m_last.kind->family == NodeFamily::Combine)
            return;
        report("NLLLoss takes logarithms of probabilities, but gets the output of " + m_last.id + " (" + m_last.kind->kind + ").",
               "The loss is minus the number at the right class. Without a log-softmax before it, it falls for ever as that "
               "number grows, and says nothing of the others.",
               {{"Use CrossEntropyLoss, which has the log-softmax built in", {"network." + m_loss.id + ".kind=CrossEntropyLoss"}}});
    }

    void judgeValues()
    {
        if (judgeTask())
            return;
        const auto range = rangeOf(m_last);
        const auto target = m_patient.outline.source(m_lossIndex, "target");
        if (!range || !target || !m_patient.outline.nodes()[*target].is("Input"))
            return;
        const auto field = m_patient.data.fields.find(
            m_patient.outline.nodes()[*target].params.value("field", std::string()));
        if (field == m_patient.data.fields.end() || field->second.count == 0)
            return;
        const FieldGlance& seen = field->second;
        const double slack = 0.02 * (seen.maximum - seen.minimum) + 1e-6;
        if (seen.minimum >= range->low - slack && seen.maximum <= range->high + slack)
            return;
        report(m_last.id + " (" + m_last.kind->kind + ") cannot reach the targets, which go from " +
                   shortNumber(seen.minimum) + " to " + shortNumber(seen.maximum) + ".",
               "Its outputs lie between " + shortNumber(range->low) + " and " + shortNumber(range->high) +
                   ". What lies outside can never be met; a regression ends in a linear layer.",
               {removal(m_patient, m_last)});
        m_findings.back().evidence = {{"target_minimum", seen.minimum}, {"target_maximum", seen.maximum}};
    }

    /// Class indices compared as numbers, or as one-hot vectors by their distance.
    bool judgeTask()
    {
        const auto target = m_patient.outline.source(m_lossIndex, "target");
        if (!target)
            return false;
        const auto& type = m_patient.outline.nodes()[*target].output;
        if (!type || type->type != ElementType::Index || type->classes < 2)
            return false;
        Finding finding = makeFinding(
            "loss/wrong-kind", Severity::Error, m_loss.id,
            m_loss.id + " (" + m_loss.kind->kind + ") measures distances, but the target is one of " +
                std::to_string(type->classes) + " classes.",
            "Squared distance to a class hardly punishes a confident mistake: behind a softmax its gradient vanishes just where "
            "the network is most wrong. Cross entropy is the loss of this task, on raw scores.");
        finding.fixes = {{"Use CrossEntropyLoss on raw scores", {"network." + m_loss.id + ".kind=CrossEntropyLoss"}}};
        m_findings.push_back(std::move(finding));
        return true;
    }

    const Patient& m_patient;
    const OutlineNode& m_loss;
    const OutlineNode& m_last;
    std::size_t m_lossIndex;
    Findings& m_findings;
};

} // namespace

void judgeOutputs(const Patient& patient, Findings& findings)
{
    for (const std::size_t loss : patient.outline.losses())
        if (const auto input = patient.outline.source(loss, "input"))
            OutputJudge(patient, loss, patient.outline.origin(*input), findings).judge();
}

} // namespace athanor
