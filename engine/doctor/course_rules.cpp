// What the monitored training shows. All but the last rule speak only of a training that breaks or does not learn.
#include "engine/doctor/patient.h"
#include "engine/doctor/thresholds.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace athanor {
namespace {

/// The loss of a run in a few numbers.
struct Course {
    double first = 0; ///< at step 1
    double best = 0;  ///< lowest median of a twentieth of the run
    double last = 0;  ///< median of its last tenth: a run that learnt and then lost it has not learnt
    double highest = 0; ///< in the first tenth, but at least the first steps
    std::int64_t highestStep = 0;
    std::int64_t brokenStep = 0; ///< first step whose loss or gradient was not finite; 0: none
    double reference = 0; ///< what to improve on: the first loss, or what a guess costs if that is less
    [[nodiscard]] bool broken() const { return brokenStep > 0; }
    [[nodiscard]] bool learnt() const { return !broken() && last <= limits::kImproved * reference; }
};

Course courseOf(const Patient& patient)
{
    const RecordedSeries& loss = patient.recording->series("train/loss");
    Course course;
    for (const Event& event : patient.recording->events())
        if (event.kind == EventKind::NonFinite && course.brokenStep == 0)
            course.brokenStep = std::max<std::int64_t>(1, event.step);
    for (std::size_t i = 0; i < loss.values.size(); ++i)
        if (!std::isfinite(loss.values[i]) && (course.brokenStep == 0 || loss.steps[i] < course.brokenStep))
            course.brokenStep = loss.steps[i];
    if (loss.empty())
        return course;
    course.first = loss.values.front();
    const std::size_t piece = std::max<std::size_t>(1, loss.values.size() / 20);
    course.best = std::numeric_limits<double>::infinity();
    for (std::size_t from = 0; from < loss.values.size(); from += piece)
        if (const auto median = medianOf(loss, from, from + piece))
            course.best = std::min(course.best, *median);
    course.last = medianOf(loss, loss.values.size() - std::max<std::size_t>(1, loss.values.size() / 10), loss.values.size())
                      .value_or(std::numeric_limits<double>::infinity());
    const std::size_t early = std::max<std::size_t>(limits::kFirstSteps, loss.values.size() / 10);
    for (std::size_t i = 0; i < std::min(early, loss.values.size()); ++i)
        if (std::isfinite(loss.values[i]) && loss.values[i] > course.highest) {
            course.highest = loss.values[i];
            course.highestStep = loss.steps[i];
        }
    const auto guess = guessLoss(patient);
    course.reference = guess ? std::min(course.first, *guess) : course.first;
    return course;
}

class CourseJudge {
public:
    CourseJudge(const Patient& patient, Findings& findings)
        : m_patient(patient), m_recording(*patient.recording), m_findings(findings), m_course(courseOf(patient))
    {}

    void judge()
    {
        judgeChance();
        if (m_recording.steps() < 2 && !m_course.broken())
            return;
        if (m_course.learnt())
            return;
        judgeReduction();
        judgeClip();
        judgeDeadAtStart();
        judgeStart();
        judgeHighRate();
        judgeTime(m_patient, m_findings);
        judgeLowRate();
        judgeGradients();
        judgeDead();
        judgeRest();
    }

private:
    Finding& report(const char* rule, Severity severity, NodeId node, std::string message, std::string why, std::int64_t step)
    {
        Finding finding = makeFinding(rule, severity, std::move(node), std::move(message), std::move(why));
        finding.firstStep = step;
        finding.lastStep = m_recording.steps();
        finding.confidence = 0.8;
        finding.evidence = {{"loss_first", m_course.first}, {"loss_best", m_course.best}};
        m_findings.push_back(std::move(finding));
        return m_findings.back();
    }
    /// Of the weights of a node; 0 when there are none.
    [[nodiscard]] double gradient(const OutlineNode& node) const
    {
        const std::string name = "grad_norm/" + stateName(node, isRecurrent(node) ? "weight_ih_l0" : "weight");
        return medianUntil(m_recording.series(name), limits::kFirstSteps).value_or(0);
    }
    /// Largest of all weight matrices' medians.
    [[nodiscard]] double update(std::int64_t until) const
    {
        double largest = 0;
        for (const std::string& name : m_recording.names("update_ratio/"))
            if (name.find("weight") != std::string::npos)
                largest = std::max(largest, medianUntil(m_recording.series(name), until).value_or(0));
        return largest;
    }
    [[nodiscard]] std::string rateText() const { return shortNumber(optimizerNumber(m_patient.project, "lr")); }
    [[nodiscard]] SuggestedFix rateFix(double factor) const
    {
        const std::string rate = shortNumber(optimizerNumber(m_patient.project, "lr") * factor);
        return {"Set the learning rate to " + rate, {"training.optimizer.lr=" + rate}, {}};
    }

    /// The node of the data graph that the validation part is read from; of a Split, the Split.
    [[nodiscard]] NodeId validationSource() const
    {
        const Graph& data = m_patient.project.data;
        for (const Edge& edge : data.edges())
            if (edge.to.port == "val")
                return edge.from.node;
        for (const Node& node : data.nodes())
            if (node.kind == "Split")
                return node.id;
        return {};
    }

    /// Validation is worse than chance although the training part is learnt: the two do not mean the same.
    void judgeChance()
    {
        const std::int64_t classes = classCount(m_patient);
        const RecordedSeries& accuracy = m_recording.series("val/accuracy");
        const auto guess = guessLoss(m_patient);
        if (classes < 2 || accuracy.empty() || !guess || m_course.best > limits::kImprovedWell * *guess)
            return;
        const double last = accuracy.values.back();
        const double chance = 1.0 / static_cast<double>(classes);
        if (!(last < limits::kBelowChance * chance))
            return;
        Finding& finding =
            report("data/label-mismatch", Severity::Error, validationSource(),
                   "val/accuracy is " + shortNumber(last) + ", below the " + shortNumber(chance) +
                       " of a guess, while the training part is learnt.",
                   "A network that knows nothing is right by chance. Less than that means that it knows, but the labels of the "
                   "validation part are encoded otherwise than those of the training part (another order, a shift by one).",
                   accuracy.steps.back());
        finding.series = "val/accuracy";
        finding.evidence["accuracy"] = last;
        finding.evidence["chance"] = chance;
        finding.fixes = {{"Give the labels of both parts the same encoding", {}, {}}};
    }

    void judgeReduction()
    {
        for (const std::size_t index : m_patient.outline.losses()) {
            const OutlineNode& loss = m_patient.outline.nodes()[index];
            if (loss.params.value("reduction", Json("mean")) != Json("sum") || m_patient.data.batchSize < 2)
                continue;
            Finding& finding = report(
                "loss/reduction", Severity::Error, loss.id,
                loss.id + " adds up over the " + std::to_string(m_patient.data.batchSize) + " samples of a batch (reduction sum).",
                "The gradient is as many times larger than that of the mean as a batch has samples, and so is every step: the "
                "learning rate " + rateText() + " acts like " +
                    shortNumber(optimizerNumber(m_patient.project, "lr") * static_cast<double>(m_patient.data.batchSize)) + ".",
                m_course.broken() ? m_course.brokenStep : 1);
            finding.fixes = {{"Take the mean", {"network." + loss.id + ".reduction=mean"}, {}},
                             rateFix(1.0 / static_cast<double>(m_patient.data.batchSize))};
        }
    }

    void judgeClip()
    {
        const auto clip = m_patient.project.training.clipGradNorm;
        const auto norm = medianUntil(m_recording.series("grad_norm"), 0);
        if (!clip || !norm || isAdaptive(m_patient.project) || *norm < limits::kClipRatio * *clip)
            return;
        Finding& finding = report("optimization/clip-too-small", Severity::Error, {},
                                  "clip_grad_norm " + shortNumber(*clip) + " cuts gradients of norm " + shortNumber(*norm) + " to a " +
                                      shortNumber(*norm / *clip) + "th of their length.",
                                  "Clipping is for the rare large gradient. Here every step is cut: the weights move " +
                                      shortNumber(*norm / *clip) + " times slower than the learning rate says.",
                                  1);
        finding.series = "grad_norm";
        finding.evidence["grad_norm"] = *norm;
        finding.evidence["clip_grad_norm"] = *clip;
        finding.fixes = {{"Clip at 1", {"training.clip_grad_norm=1"}, {}}, {"Do not clip", {"training.clip_grad_norm=null"}, {}}};
    }

    void judgeDeadAtStart()
    {
        for (const OutlineNode& node : m_patient.outline.nodes()) {
            const RecordedSeries& zeros = m_recording.series("activation/" + node.id + "/zeros");
            if (!isReluLike(node) || zeros.empty() || !(zeros.values.front() >= limits::kDeadAtStart))
                continue;
            Finding& finding = report("model/init-dead-units", Severity::Error, node.id,
                                      shortNumber(100 * zeros.values.front()) + " % of what leaves " + node.id +
                                          " is 0 in the first step already.",
                                      "A ReLU whose inputs are all negative puts out 0 and passes no gradient back, so nothing before "
                                      "it can ever learn. Here the initial weights and biases (training/init) make it so.",
                                      1);
            finding.evidence["zeros"] = zeros.values.front();
            finding.evidence["limit"] = limits::kDeadAtStart;
            if (!m_patient.project.training.init.empty())
                finding.fixes.push_back({"Leave the initial weights to the layers' own defaults", {"training.init=[]"}, {}});
            finding.fixes.push_back({"Make " + node.id + " a LeakyReLU", {"network." + node.id + ".kind=LeakyReLU"}, {}});
            return; // those behind it follow
        }
    }

    void judgeStart()
    {
        const auto guess = guessLoss(m_patient);
        if (!guess || !(m_course.first > limits::kStartHigh * *guess))
            return;
        Finding& finding = report("loss/start-too-high", Severity::Warning, {},
                                  "The first loss is " + shortNumber(m_course.first) + ", where a network that knows nothing pays " +
                                      shortNumber(*guess) + ".",
                                  "A new network should be unsure, not confidently wrong. Inputs, targets or initial weights that "
                                  "are far too large make it so, and the first steps are then so long that units die.",
                                  1);
        finding.series = "train/loss";
        finding.evidence["expected"] = *guess;
    }

    void judgeHighRate()
    {
        const double early = update(limits::kFirstSteps);
        const bool spiked = m_course.highest > limits::kSpike * m_course.first || m_course.broken();
        if (!(early > limits::kFastUpdate) && !(spiked && early > limits::kFastUpdate / 5))
            return;
        const std::int64_t step = m_course.broken() ? m_course.brokenStep : m_course.highestStep;
        Finding& finding = report("optimization/lr-too-high", Severity::Error, {},
                                  "With a learning rate of " + rateText() + " the weights change by " + shortNumber(100 * early) +
                                      " % a step at first, and the loss goes " +
                                      (m_course.broken() ? "to infinity" : "up to " + shortNumber(m_course.highest)) + " by step " +
                                      std::to_string(step) + ".",
                                  "Steps this long jump over the valley instead of going down into it. What comes after, dead units "
                                  "or a flat loss, is a consequence. Sound steps change the weights by about 0.1 %.",
                                  step);
        finding.series = "update_ratio";
        finding.evidence["update_ratio"] = early;
        finding.evidence["loss_highest"] = m_course.highest;
        finding.evidence["limit"] = limits::kFastUpdate;
        finding.fixes = {rateFix(0.1), rateFix(0.01), {"Limit the norm of the gradient", {"training.clip_grad_norm=1"}, {}}};
    }

    void judgeLowRate()
    {
        const double moving = update(0);
        const double norm = medianUntil(m_recording.series("grad_norm"), 0).value_or(0);
        if (m_course.broken() || m_recording.names("update_ratio/").empty() || !(moving < limits::kSlowUpdate) || norm < 1e-4)
            return;
        const double factor = std::pow(10, std::round(std::log10(1e-3 / std::max(moving, 1e-12))));
        Finding& finding = report("optimization/lr-too-low", Severity::Error, {},
                                  "With a learning rate of " + rateText() + " no weight changes by more than " +
                                      shortNumber(100 * moving) + " % a step.",
                                  "At this pace the weights need about " + shortNumber(1 / std::max(moving, 1e-12)) +
                                      " steps to change once over. Sound steps change them by about 0.1 %.",
                                  1);
        finding.series = "update_ratio";
        finding.evidence["update_ratio"] = moving;
        finding.evidence["limit"] = limits::kSlowUpdate;
        finding.fixes = {rateFix(factor), rateFix(factor / 10)};
    }

    void judgeGradients()
    {
        std::vector<const OutlineNode*> layers;
        for (const OutlineNode& node : m_patient.outline.nodes())
            if (isWeighted(node) && gradient(node) >= 0 &&
                !m_recording.series("grad_norm/" + stateName(node, "weight")).empty())
                layers.push_back(&node);
        if (layers.size() < 3)
            return;
        const auto perElement = [&](const OutlineNode& node) {
            return gradient(node) / std::sqrt(std::max(1.0, fanIn(node)));
        };
        const double first = perElement(*layers.front());
        const double last = perElement(*layers.back());
        if (!(last > 0) || (first > limits::kGradientFall * last && first < last / limits::kGradientFall))
            return;
        const bool vanishes = first < last;
        NodeId culprit = layers.front()->id;
        for (const OutlineNode& node : m_patient.outline.nodes())
            if (vanishes && (node.is("Sigmoid") || node.is("Tanh"))) {
                culprit = node.id;
                break;
            }
        Finding& finding =
            report(vanishes ? "model/vanishing-gradient" : "model/exploding-gradient", Severity::Error, culprit,
                   "The gradient falls from " + shortNumber(gradient(*layers.back())) + " at " + layers.back()->id + " to " +
                       shortNumber(gradient(*layers.front())) + " at " + layers.front()->id + ", over " +
                       std::to_string(layers.size()) + " layers.",
                   vanishes ? "Each layer multiplies the gradient with its weights and its activation's slope, which is at most "
                              "1/4 for a sigmoid. After so many of them the first layers learn nothing."
                            : "Each layer makes the gradient larger; the first ones jump about.",
                   1);
        if (!vanishes)
            finding.message = "The gradient grows from " + shortNumber(gradient(*layers.back())) + " at " + layers.back()->id + " to " +
                              shortNumber(gradient(*layers.front())) + " at " + layers.front()->id + ".";
        finding.series = "grad_norm/" + stateName(*layers.front(), "weight");
        finding.evidence["ratio"] = first / last;
        finding.evidence["limit"] = limits::kGradientFall;
        for (const OutlineNode& node : m_patient.outline.nodes())
            if (vanishes && (node.is("Sigmoid") || node.is("Tanh")) && node.id.find('/') == std::string::npos)
                finding.fixes.push_back({"Make " + node.id + " a ReLU", {"network." + node.id + ".kind=ReLU"}, {}});
        if (!vanishes)
            finding.fixes.push_back({"Limit the norm of the gradient", {"training.clip_grad_norm=1"}, {}});
    }

    void judgeDead()
    {
        const std::int64_t late = m_recording.steps() * 3 / 4;
        for (const OutlineNode& node : m_patient.outline.nodes()) {
            const RecordedSeries& zeros = m_recording.series("activation/" + node.id + "/zeros");
            const auto share = medianAfter(zeros, late);
            if (!isReluLike(node) || !share || !(*share >= limits::kDead))
                continue;
            const auto since = std::find_if(zeros.values.begin(), zeros.values.end(),
                                            [](double value) { return value >= limits::kDead; });
            Finding& finding = report("model/dead-units", Severity::Warning, node.id,
                                      shortNumber(100 * *share) + " % of what leaves " + node.id + " is 0, since step " +
                                          std::to_string(zeros.steps[static_cast<std::size_t>(since - zeros.values.begin())]) + ".",
                                      "A unit of a ReLU whose input is negative for every sample passes no gradient back and stays "
                                      "so. One step that was too long is enough.",
                                      zeros.steps[static_cast<std::size_t>(since - zeros.values.begin())]);
            finding.evidence["zeros"] = *share;
            finding.fixes = {rateFix(0.1), {"Make " + node.id + " a LeakyReLU", {"network." + node.id + ".kind=LeakyReLU"}, {}}};
            return;
        }
    }

    /// It is sick, and nothing above says why.
    void judgeRest()
    {
        if (m_course.broken()) {
            Finding& finding = report("loss/non-finite", Severity::Error, {},
                                      "The loss or a gradient is not finite at step " + std::to_string(m_course.brokenStep) + ".",
                                      "From there on no number means anything. Usual causes: steps that are too long, a value of the "
                                      "data that is not finite, a logarithm or a division at 0.",
                                      m_course.brokenStep);
            finding.series = "train/loss";
            finding.fixes = {rateFix(0.1), {"Limit the norm of the gradient", {"training.clip_grad_norm=1"}, {}}};
            return;
        }
        Finding& finding = report("optimization/plateau", Severity::Warning, {},
                                  "The loss stays at " + shortNumber(m_course.best) + " over " + std::to_string(m_recording.steps()) +
                                      " steps; it began with " + shortNumber(m_course.first) + ".",
                                  "Nothing is learnt. See whether the network can learn a single batch by heart (athanor-cli overfit), "
                                  "and which learning rates make the loss fall (athanor-cli lr-find).",
                                  1);
        finding.series = "train/loss";
        finding.fixes = {rateFix(10), rateFix(0.1)};
    }

    const Patient& m_patient;
    const Recording& m_recording;
    Findings& m_findings;
    const Course m_course;
};

} // namespace

void judgeCourse(const Patient& patient, Findings& findings)
{
    if (patient.recording != nullptr && !patient.recording->series("train/loss").empty())
        CourseJudge(patient, findings).judge();
}

} // namespace athanor
