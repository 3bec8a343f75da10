// Metrics of scores and probabilities, with torchmetrics' definitions.
#include "engine/train/metrics/metric_classes.h"

#include <torch/torch.h>

#include <charconv>
#include <string_view>
#include <vector>

namespace athanor {
namespace {

using torch::Tensor;

/// Keeps every row: what a ranking needs.
class RowMetric : public Metric {
public:
    explicit RowMetric(LossNode loss)
        : m_loss(std::move(loss))
    {
    }

    void add(const LossOutput& output) override
    {
        torch::NoGradGuard noGrad;
        auto rows = classRows(m_loss, output);
        m_scores.push_back(std::move(rows.scores));
        m_truth.push_back(std::move(rows.truth));
    }

    void reset() override
    {
        m_scores.clear();
        m_truth.clear();
    }

    [[nodiscard]] Tensor value() const override
    {
        if (m_scores.empty())
            return noValue();
        const auto scores = torch::cat(m_scores).to(torch::kDouble), truth = torch::cat(m_truth);
        return truth.numel() == 0 ? noValue() : valueOf(scores, truth);
    }

protected:
    [[nodiscard]] virtual Tensor valueOf(const Tensor& scores, const Tensor& truth) const = 0;

private:
    LossNode m_loss;
    std::vector<Tensor> m_scores;
    std::vector<Tensor> m_truth;
};

/// How many positives and how many rows in all score at least as high, at each different score from the highest on.
struct Thresholds {
    Tensor hits;
    Tensor rows;
    double positives = 0;
    double all = 0;
};

Thresholds thresholdsOf(const Tensor& scores, const Tensor& isPositive)
{
    const auto [sorted, order] = scores.sort(/*dim=*/0, /*descending=*/true);
    const auto hits = isPositive.index_select(0, order).to(torch::kDouble).cumsum(0);
    const auto rows = torch::arange(1, scores.size(0) + 1, torch::kDouble);
    const auto last = scores.size(0) - 1;
    auto isEnd = torch::ones({scores.size(0)}, torch::kBool); // of a run of equal scores
    if (last > 0)
        isEnd.slice(0, 0, last).copy_(sorted.slice(0, 0, last).ne(sorted.slice(0, 1)));
    return {hits.masked_select(isEnd), rows.masked_select(isEnd), hits[last].item<double>(),
            static_cast<double>(scores.size(0))};
}

/// A number for each class against the others, and its mean over those that have one.
class OneAgainstOthers : public RowMetric {
public:
    using RowMetric::RowMetric;

protected:
    /// NaN when the class does not allow one.
    [[nodiscard]] virtual double ofClass(const Thresholds& thresholds) const = 0;

    [[nodiscard]] Tensor valueOf(const Tensor& scores, const Tensor& truth) const override
    {
        if (scores.dim() == 1)
            return torch::tensor(ofClass(thresholdsOf(scores, truth.eq(1))), torch::kDouble);
        std::vector<double> values;
        for (std::int64_t i = 0; i < scores.size(1); ++i)
            values.push_back(ofClass(thresholdsOf(scores.select(1, i), truth.eq(i))));
        return torch::tensor(values, torch::kDouble).nanmean();
    }
};

/// Area under the curve of true against false positives, by trapezoids.
class RocAuc final : public OneAgainstOthers {
public:
    using OneAgainstOthers::OneAgainstOthers;

protected:
    [[nodiscard]] double ofClass(const Thresholds& at) const override
    {
        const double negatives = at.all - at.positives;
        if (at.positives == 0 || negatives == 0)
            return std::numeric_limits<double>::quiet_NaN();
        const auto zero = torch::zeros({1}, torch::kDouble);
        const auto hits = torch::cat({zero, at.hits}) / at.positives;
        const auto alarms = torch::cat({zero, at.rows - at.hits}) / negatives;
        return torch::trapezoid(hits, alarms).item<double>();
    }
};

/// Σ (recall − recall before) · precision over the thresholds.
class AveragePrecision final : public OneAgainstOthers {
public:
    using OneAgainstOthers::OneAgainstOthers;

protected:
    [[nodiscard]] double ofClass(const Thresholds& at) const override
    {
        if (at.positives == 0)
            return std::numeric_limits<double>::quiet_NaN();
        const auto recall = torch::cat({torch::zeros({1}, torch::kDouble), at.hits / at.positives});
        return (recall.diff() * (at.hits / at.rows)).sum().item<double>();
    }
};

/// Expected calibration error over 15 bins of confidence: the mean distance between confidence and share of hits.
class CalibrationError final : public RowMetric {
public:
    using RowMetric::RowMetric;

protected:
    [[nodiscard]] Tensor valueOf(const Tensor& scores, const Tensor& truth) const override
    {
        constexpr std::int64_t kBins = 15;
        Tensor confidence = scores, isHit = truth.to(torch::kDouble);
        if (scores.dim() == 2) {
            const auto [highest, predicted] = scores.max(1);
            confidence = highest;
            isHit = predicted.eq(truth).to(torch::kDouble);
        }
        // As float32, in which torchmetrics puts them into its bins.
        const auto borders = torch::linspace(0, 1, kBins + 1, torch::kFloat);
        const auto bins = torch::bucketize(confidence.to(torch::kFloat), borders, false, /*right=*/true) - 1;
        const auto sum = [&](const Tensor& values) {
            return torch::zeros({kBins + 1}, torch::kDouble).index_add(0, bins, values);
        };
        return (sum(isHit) - sum(confidence)).abs().sum() / static_cast<double>(truth.numel());
    }
};

/// Share of rows whose class is among the k highest scores.
class TopAccuracy final : public Metric {
public:
    TopAccuracy(LossNode loss, std::int64_t k)
        : m_loss(std::move(loss))
        , m_k(k)
    {
    }

    void add(const LossOutput& output) override
    {
        torch::NoGradGuard noGrad;
        const auto rows = classRows(m_loss, output);
        m_count += rows.truth.numel();
        if (rows.scores.dim() == 1 || rows.scores.size(1) <= m_k) {
            m_hits += rows.truth.numel(); // with so few classes each is among them
            return;
        }
        const auto highest = std::get<1>(rows.scores.topk(m_k, 1));
        m_hits += highest.eq(rows.truth.unsqueeze(1)).any(1).sum().item<std::int64_t>();
    }

    [[nodiscard]] Tensor value() const override
    {
        if (m_count == 0)
            return noValue();
        return torch::tensor(static_cast<double>(m_hits) / static_cast<double>(m_count), torch::kDouble);
    }

    void reset() override { m_hits = m_count = 0; }

private:
    LossNode m_loss;
    std::int64_t m_k;
    std::int64_t m_hits = 0;
    std::int64_t m_count = 0;
};

/// exp of the mean negative log-likelihood of the true classes.
class Perplexity final : public Metric {
public:
    explicit Perplexity(LossNode loss)
        : m_loss(std::move(loss))
    {
    }

    void add(const LossOutput& output) override
    {
        torch::NoGradGuard noGrad;
        const auto rows = classRows(m_loss, output);
        if (rows.truth.numel() == 0)
            return;
        const auto likelihood = rows.scores.dim() == 1
                                    ? torch::where(rows.truth.eq(1), rows.scores, 1 - rows.scores)
                                    : rows.scores.gather(1, rows.truth.unsqueeze(1)).squeeze(1);
        m_sum -= likelihood.to(torch::kDouble).log().sum().item<double>();
        m_count += rows.truth.numel();
    }

    [[nodiscard]] Tensor value() const override
    {
        if (m_count == 0)
            return noValue();
        return torch::tensor(std::exp(m_sum / static_cast<double>(m_count)), torch::kDouble);
    }

    void reset() override
    {
        m_sum = 0;
        m_count = 0;
    }

private:
    LossNode m_loss;
    double m_sum = 0;
    std::int64_t m_count = 0;
};

/// 5 of "top5_accuracy"; 0 for another name.
std::int64_t topOf(std::string_view name)
{
    std::int64_t k = 0;
    if (name.starts_with("top") && name.ends_with("_accuracy"))
        std::from_chars(name.data() + 3, name.data() + name.size(), k);
    return k;
}

} // namespace

std::unique_ptr<Metric> makeRankMetric(const std::string& name, const LossNode& loss)
{
    if (name == "roc_auc")
        return std::make_unique<RocAuc>(loss);
    if (name == "average_precision")
        return std::make_unique<AveragePrecision>(loss);
    if (name == "ece")
        return std::make_unique<CalibrationError>(loss);
    if (name == "perplexity")
        return std::make_unique<Perplexity>(loss);
    if (const auto k = topOf(name); k > 0)
        return std::make_unique<TopAccuracy>(loss, k);
    return nullptr;
}

} // namespace athanor
