#include "engine/train/metrics/metric_classes.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>

namespace athanor {
namespace {

using torch::Tensor;

class Accuracy final : public Metric {
public:
    explicit Accuracy(LossNode loss)
        : m_loss(std::move(loss))
    {
    }

    void add(const LossOutput& output) override
    {
        torch::NoGradGuard noGrad;
        if (isPlainTable(output))
            return addTable(output.input, output.target);
        const auto truth = trueClasses(m_loss, output.target);
        const auto counted = truth.ne(m_loss.ignoreIndex);
        const auto correct = predictedClasses(m_loss, output.input).eq(truth).logical_and(counted);
        const auto sums = torch::stack({correct.sum(), counted.sum()}).to(torch::kDouble);
        m_sums = m_sums.defined() ? m_sums + sums : sums;
    }

    [[nodiscard]] Tensor value() const override
    {
        if (m_sums.defined())
            return m_sums[0] / m_sums[1];
        if (m_count == 0)
            return noValue();
        return torch::tensor(static_cast<double>(m_correct) / static_cast<double>(m_count), torch::kDouble);
    }

    void reset() override
    {
        m_sums = Tensor();
        m_correct = m_count = 0;
    }

private:
    /// Scores N×C and indices in the processor's memory: a loop is several times quicker than four operations.
    bool isPlainTable(const LossOutput& output) const
    {
        return m_loss.task == LossTask::Classes && output.input.dim() == 2 && output.input.device().is_cpu() &&
               output.input.is_contiguous() && output.input.scalar_type() == torch::kFloat &&
               output.target.scalar_type() == torch::kLong && output.target.is_contiguous() && !m_sums.defined();
    }

    void addTable(const Tensor& input, const Tensor& target)
    {
        const auto classes = input.size(1);
        const float* scores = input.data_ptr<float>();
        const auto* truth = target.data_ptr<std::int64_t>();
        for (std::int64_t row = 0; row < input.size(0); ++row, scores += classes) {
            if (truth[row] == m_loss.ignoreIndex)
                continue;
            ++m_count;
            m_correct += highest(scores, classes) == truth[row] ? 1 : 0;
        }
    }

    /// As argmax: the first of equals, and NaN above everything.
    static std::int64_t highest(const float* scores, std::int64_t count)
    {
        std::int64_t best = 0;
        for (std::int64_t i = 1; i < count && !std::isnan(scores[best]); ++i)
            if (scores[i] > scores[best] || std::isnan(scores[i]))
                best = i;
        return best;
    }

    LossNode m_loss;
    Tensor m_sums; // correct, counted; of general tensors
    std::int64_t m_correct = 0;
    std::int64_t m_count = 0;
};

/// mae, mse and rmse: a mean over all elements.
class MeanError final : public Metric {
public:
    enum class Kind { Absolute, Squared, Root };
    explicit MeanError(Kind kind)
        : m_kind(kind)
    {
    }

    void add(const LossOutput& output) override
    {
        torch::NoGradGuard noGrad;
        const auto error = output.input.to(torch::kDouble) - output.target;
        const auto sum = m_kind == Kind::Absolute ? error.abs().sum() : error.square().sum();
        m_sum = m_sum.defined() ? m_sum + sum : sum;
        m_count += error.numel();
    }

    [[nodiscard]] Tensor value() const override
    {
        if (m_count == 0)
            return noValue();
        const auto mean = m_sum / static_cast<double>(m_count);
        return m_kind == Kind::Root ? mean.sqrt() : mean;
    }

    void reset() override
    {
        m_sum = Tensor();
        m_count = 0;
    }

private:
    Kind m_kind;
    Tensor m_sum;
    std::int64_t m_count = 0;
};

/// 1 − Σ(y − ŷ)² / Σ(y − ȳ)² per column, then the mean over the columns. A constant column counts 1 when it
/// is hit exactly, else 0, as in scikit-learn.
class Determination final : public Metric {
public:
    void add(const LossOutput& output) override
    {
        torch::NoGradGuard noGrad;
        const auto columns = output.input.dim() == 2 ? output.input.size(1) : 1;
        const auto predicted = output.input.to(torch::kDouble).reshape({-1, columns});
        const auto truth = output.target.to(torch::kDouble).reshape({-1, columns});
        if (!m_shift.defined()) {
            m_shift = truth.mean(0); // sums about a value near the mean do not cancel
            m_sum = m_squares = m_residual = torch::zeros_like(m_shift);
        }
        const auto distance = truth - m_shift;
        m_sum = m_sum + distance.sum(0);
        m_squares = m_squares + distance.square().sum(0);
        m_residual = m_residual + (truth - predicted).square().sum(0);
        m_count += truth.size(0);
    }

    [[nodiscard]] Tensor value() const override
    {
        if (m_count == 0)
            return noValue();
        const auto total = m_squares - m_sum.square() / static_cast<double>(m_count);
        const auto constant = m_residual.eq(0).to(torch::kDouble);
        return torch::where(total.gt(0), 1 - m_residual / total, constant).mean();
    }

    void reset() override
    {
        m_shift = m_sum = m_squares = m_residual = Tensor();
        m_count = 0;
    }

private:
    Tensor m_shift;
    Tensor m_sum;
    Tensor m_squares;
    Tensor m_residual;
    std::int64_t m_count = 0;
};

/// Mean of |ŷ − y| / |y|, the divisor at least 1.17e-6 as in torchmetrics.
class MeanPercentage final : public Metric {
public:
    void add(const LossOutput& output) override
    {
        torch::NoGradGuard noGrad;
        const auto truth = output.target.to(torch::kDouble);
        const auto share = (output.input.to(torch::kDouble) - truth).abs() / truth.abs().clamp_min(1.17e-6);
        m_sum = m_sum.defined() ? m_sum + share.sum() : share.sum();
        m_count += share.numel();
    }

    [[nodiscard]] Tensor value() const override
    {
        return m_count == 0 ? noValue() : m_sum / static_cast<double>(m_count);
    }

    void reset() override
    {
        m_sum = Tensor();
        m_count = 0;
    }

private:
    Tensor m_sum;
    std::int64_t m_count = 0;
};

std::unique_ptr<Metric> makeValueMetric(const std::string& name)
{
    if (name == "mae")
        return std::make_unique<MeanError>(MeanError::Kind::Absolute);
    if (name == "mse")
        return std::make_unique<MeanError>(MeanError::Kind::Squared);
    if (name == "rmse")
        return std::make_unique<MeanError>(MeanError::Kind::Root);
    if (name == "r2")
        return std::make_unique<Determination>();
    return name == "mape" ? std::make_unique<MeanPercentage>() : nullptr;
}

} // namespace

Tensor noValue()
{
    return torch::tensor(std::numeric_limits<double>::quiet_NaN(), torch::kDouble);
}

Tensor predictedClasses(const LossNode& loss, const Tensor& input)
{
    if (loss.task == LossTask::Binary)
        return input.gt(loss.probabilities ? 0.5 : 0.0).to(torch::kLong);
    return input.argmax(1);
}

Tensor trueClasses(const LossNode& loss, const Tensor& target)
{
    if (loss.task == LossTask::Binary)
        return target.gt(0.5).to(torch::kLong);
    return target.is_floating_point() ? target.argmax(1) : target;
}

std::int64_t classesOf(const LossNode& loss, const Tensor& input)
{
    return loss.task == LossTask::Binary ? 2 : input.size(1);
}

ClassRows classRows(const LossNode& loss, const LossOutput& output)
{
    ClassRows rows;
    rows.truth = trueClasses(loss, output.target).flatten().cpu();
    const auto input = output.input.to(torch::kCPU, torch::kFloat);
    if (loss.task == LossTask::Binary) {
        rows.scores = (loss.probabilities ? input : input.sigmoid()).flatten();
    } else {
        const auto table = input.movedim(1, -1).reshape({-1, input.size(1)});
        // One-hot targets may be met by probabilities themselves; scores of a class loss never are.
        const bool areProbabilities =
            loss.task == LossTask::Values && table.ge(0).logical_and(table.le(1)).all().item<bool>();
        rows.scores = areProbabilities ? table : table.softmax(1);
    }
    const auto counted = rows.truth.ge(0).logical_and(rows.truth.ne(loss.ignoreIndex));
    if (!counted.all().item<bool>()) {
        const auto kept = counted.nonzero().flatten();
        rows.scores = rows.scores.index_select(0, kept);
        rows.truth = rows.truth.index_select(0, kept);
    }
    return rows;
}

std::unique_ptr<Metric> makeMetric(const std::string& name, const LossNode& loss)
{
    if (loss.task == LossTask::Other)
        return nullptr;
    if (loss.task == LossTask::Values && !loss.oneHot)
        return makeValueMetric(name);
    if (name == "accuracy" || name == "token_accuracy")
        return std::make_unique<Accuracy>(loss);
    if (auto metric = makeCountMetric(name, loss))
        return metric;
    return makeRankMetric(name, loss);
}

bool isStepMetric(const std::string& name)
{
    static const std::set<std::string> cheap{"accuracy", "token_accuracy", "mae", "mse", "rmse", "mape"};
    return cheap.contains(name) || (name.starts_with("top") && name.ends_with("_accuracy"));
}

} // namespace athanor
