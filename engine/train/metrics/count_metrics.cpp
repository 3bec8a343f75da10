// Metrics of the confusion matrix, with torchmetrics' definitions: macro means are over the classes that occur in truth
// or prediction; a binary loss has precision, recall, F1, IoU and Dice of class 1.
#include "engine/train/metrics/metric_classes.h"

#include <torch/torch.h>

#include <spdlog/fmt/fmt.h>

namespace athanor {
namespace {

using torch::Tensor;

constexpr std::int64_t kMostShown = 100; // classes of a matrix that is told

/// Sums up true × predicted.
class CountMetric : public Metric {
public:
    explicit CountMetric(LossNode loss)
        : m_loss(std::move(loss))
    {
    }

    void add(const LossOutput& output) override
    {
        torch::NoGradGuard noGrad;
        const auto truth = trueClasses(m_loss, output.target).flatten().cpu();
        const auto predicted = predictedClasses(m_loss, output.input).flatten().cpu();
        const auto classes = classesOf(m_loss, output.input);
        const auto counted = truth.ge(0).logical_and(truth.ne(m_loss.ignoreIndex));
        const auto cells = (truth * classes + predicted).masked_select(counted);
        const auto counts = torch::bincount(cells, {}, classes * classes).view({classes, classes}).to(torch::kDouble);
        m_confusion = m_confusion.defined() ? m_confusion + counts : counts;
    }

    void reset() override { m_confusion = Tensor(); }

protected:
    [[nodiscard]] bool isBinary() const { return m_loss.task == LossTask::Binary; }
    [[nodiscard]] const Tensor& confusion() const { return m_confusion; }
    [[nodiscard]] bool isEmpty() const { return !m_confusion.defined() || m_confusion.sum().item<double>() == 0; }

private:
    LossNode m_loss;
    Tensor m_confusion; // true × predicted, double
};

enum class Averaging { Macro, Micro, Weighted };

/// A quotient per class of hits, false alarms and misses.
class QuotientMetric final : public CountMetric {
public:
    /// Of each class: hits, hits + false alarms (predicted), hits + misses (true).
    using Quotient = Tensor (*)(const Tensor& hits, const Tensor& predicted, const Tensor& truth);

    QuotientMetric(LossNode loss, Quotient quotient, Averaging averaging)
        : CountMetric(std::move(loss))
        , m_quotient(quotient)
        , m_averaging(averaging)
    {
    }

    [[nodiscard]] Tensor value() const override
    {
        if (isEmpty())
            return noValue();
        Tensor hits = confusion().diagonal(), predicted = confusion().sum(0), truth = confusion().sum(1);
        if (m_averaging == Averaging::Micro)
            return m_quotient(hits.sum(), predicted.sum(), truth.sum()).nan_to_num(0);
        const Tensor perClass = m_quotient(hits, predicted, truth).nan_to_num(0, 0, 0);
        if (m_averaging == Averaging::Weighted)
            return (perClass * truth).sum() / truth.sum();
        if (isBinary())
            return perClass[1];
        const Tensor occurs = (predicted + truth).gt(0);
        return perClass.masked_select(occurs).mean();
    }

private:
    Quotient m_quotient;
    Averaging m_averaging;
};

Tensor precision(const Tensor& hits, const Tensor& predicted, const Tensor& /*truth*/)
{
    return hits / predicted;
}
Tensor recall(const Tensor& hits, const Tensor& /*predicted*/, const Tensor& truth)
{
    return hits / truth;
}
Tensor f1(const Tensor& hits, const Tensor& predicted, const Tensor& truth)
{
    return 2 * hits / (predicted + truth);
}
Tensor intersectionOverUnion(const Tensor& hits, const Tensor& predicted, const Tensor& truth)
{
    return hits / (predicted + truth - hits);
}

/// (agreement − agreement by chance) / (1 − agreement by chance).
class CohenKappa final : public CountMetric {
public:
    using CountMetric::CountMetric;

    [[nodiscard]] Tensor value() const override
    {
        if (isEmpty())
            return noValue();
        const auto all = confusion().sum();
        const auto agreed = confusion().diagonal().sum() / all;
        const auto byChance = (confusion().sum(0) * confusion().sum(1)).sum() / (all * all);
        return (agreed - byChance) / (1 - byChance);
    }
};

/// Matthews' correlation of truth and prediction; 0 where one of them is constant.
class MatthewsCorrelation final : public CountMetric {
public:
    using CountMetric::CountMetric;

    [[nodiscard]] Tensor value() const override
    {
        if (isEmpty())
            return noValue();
        const auto all = confusion().sum();
        const auto predicted = confusion().sum(0), truth = confusion().sum(1);
        const auto covariance = confusion().diagonal().sum() * all - (predicted * truth).sum();
        const auto variances = (all * all - predicted.square().sum()) * (all * all - truth.square().sum());
        return (covariance / variances.sqrt()).nan_to_num(0, 0, 0);
    }
};

class ConfusionMatrix final : public CountMetric {
public:
    using CountMetric::CountMetric;

    [[nodiscard]] Tensor value() const override { return {}; }

    [[nodiscard]] std::string report() const override
    {
        if (isEmpty())
            return {};
        const auto classes = confusion().size(0);
        if (classes > kMostShown)
            return fmt::format("The confusion matrix has {} classes, too many to tell.", classes);
        std::string text = "Confusion matrix, a row per true class, a column per predicted one: [";
        for (std::int64_t row = 0; row < classes; ++row) {
            text += row > 0 ? ", [" : "[";
            for (std::int64_t column = 0; column < classes; ++column)
                text += fmt::format("{}{}", column > 0 ? ", " : "", confusion()[row][column].item<std::int64_t>());
            text += "]";
        }
        return text + "]";
    }
};

struct QuotientName {
    const char* name;
    QuotientMetric::Quotient quotient;
    Averaging averaging;
};
constexpr QuotientName kQuotients[]{
    {"precision", precision, Averaging::Macro},
    {"precision_micro", precision, Averaging::Micro},
    {"precision_weighted", precision, Averaging::Weighted},
    {"recall", recall, Averaging::Macro},
    {"recall_micro", recall, Averaging::Micro},
    {"recall_weighted", recall, Averaging::Weighted},
    {"f1", f1, Averaging::Macro},
    {"f1_micro", f1, Averaging::Micro},
    {"f1_weighted", f1, Averaging::Weighted},
    {"iou", intersectionOverUnion, Averaging::Macro},
    {"dice", f1, Averaging::Macro}, // the same number by the name that segmentation gives it
};

} // namespace

std::unique_ptr<Metric> makeCountMetric(const std::string& name, const LossNode& loss)
{
    for (const QuotientName& one : kQuotients)
        if (name == one.name)
            return std::make_unique<QuotientMetric>(loss, one.quotient, one.averaging);
    if (name == "cohen_kappa")
        return std::make_unique<CohenKappa>(loss);
    if (name == "mcc")
        return std::make_unique<MatthewsCorrelation>(loss);
    if (name == "confusion_matrix")
        return std::make_unique<ConfusionMatrix>(loss);
    return nullptr;
}

} // namespace athanor
