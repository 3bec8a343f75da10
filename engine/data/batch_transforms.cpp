#include "engine/data/batch_transforms.h"

#include "engine/data/batch.h"
#include "engine/data/dataset.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace athanor {

namespace {

/// Gamma(a, 1).
double drawGamma(double a, SampleRandom& random)
{
    if (a < 1) // a gamma of a + 1, brought down by a power of a uniform number
        return drawGamma(a + 1, random) * std::pow(1.0 - random.uniform(), 1 / a);
    const double d = a - 1.0 / 3;
    const double c = 1 / std::sqrt(9 * d);
    while (true) {
        const double x = random.normal();
        const double v = std::pow(1 + c * x, 3);
        const double u = 1.0 - random.uniform();
        if (v > 0 && std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v))
            return d * v;
    }
}

/// The rows of a batch's float field, each with the numbers of the row before it (the last one before the first).
/// Plain loops: LibTorch's operations would start its threads inside of a worker.
class RolledRows {
public:
    explicit RolledRows(torch::Tensor& field)
        : m_numbers(field.data_ptr<float>()), m_rows(static_cast<std::size_t>(field.size(0))),
          m_row(m_rows > 0 ? static_cast<std::size_t>(field.numel()) / m_rows : 0),
          m_last(m_numbers + (m_rows > 0 ? (m_rows - 1) * m_row : 0), m_numbers + m_rows * m_row)
    {}

    /// Calls act(row, previous row) from the last row to the first, so that `previous` is still as it was.
    template <typename Act> void each(const Act& act)
    {
        for (std::size_t row = m_rows; row-- > 0;)
            act(m_numbers + row * m_row, row == 0 ? m_last.data() : m_numbers + (row - 1) * m_row, m_row);
    }

private:
    float* m_numbers;
    std::size_t m_rows;
    std::size_t m_row;
    std::vector<float> m_last;
};

void mixField(torch::Tensor& field, double lambda)
{
    const auto own = static_cast<float>(lambda);
    const auto other = static_cast<float>(1.0 - lambda);
    RolledRows(field).each([&](float* row, const float* previous, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i)
            row[i] = row[i] * own + previous[i] * other;
    });
}

bool isMixable(const std::string& name, const torch::Tensor& field)
{
    return name != "label" && !name.ends_with("mask") && field.scalar_type() == torch::kFloat32;
}

class Mixup final : public BatchTransform {
public:
    explicit Mixup(const Json& params) : m_p(params.at("p").get<double>()), m_alpha(params.at("alpha").get<double>())
    {}

    void apply(DataBatch& batch, SampleRandom& random) const override
    {
        if (random.uniform() >= m_p)
            return;
        const double lambda = drawBeta(m_alpha, random);
        for (auto& [name, field] : batch.fields)
            if (name == "label" || isMixable(name, field))
                mixField(field, lambda);
    }

private:
    double m_p;
    double m_alpha;
};

class CutMix final : public BatchTransform {
public:
    explicit CutMix(const Json& params) : m_p(params.at("p").get<double>()), m_alpha(params.at("alpha").get<double>())
    {}

    void apply(DataBatch& batch, SampleRandom& random) const override
    {
        if (random.uniform() >= m_p)
            return;
        const double lambda = drawBeta(m_alpha, random);
        torch::Tensor& image = batch.fields.at("image");
        const std::int64_t height = image.size(2);
        const std::int64_t width = image.size(3);
        const std::int64_t x = random.below(width);
        const std::int64_t y = random.below(height);
        const CutBox box = cutBox(lambda, x, y, width, height);
        paste(image, box);
        const double cut = static_cast<double>((box.right - box.left) * (box.bottom - box.top));
        mixField(batch.fields.at("label"), 1.0 - cut / static_cast<double>(width * height));
    }

private:
    static void paste(torch::Tensor& image, const CutBox& box)
    {
        const std::int64_t channels = image.size(1);
        const std::int64_t height = image.size(2);
        const std::int64_t width = image.size(3);
        RolledRows(image).each([&](float* row, const float* previous, std::size_t) {
            for (std::int64_t channel = 0; channel < channels; ++channel)
                for (std::int64_t y = box.top; y < box.bottom; ++y) {
                    const std::int64_t at = (channel * height + y) * width + box.left;
                    std::copy_n(previous + at, box.right - box.left, row + at);
                }
        });
    }

    double m_p;
    double m_alpha;
};

} // namespace

double drawBeta(double a, SampleRandom& random)
{
    const double x = drawGamma(a, random);
    const double y = drawGamma(a, random);
    return x + y > 0 ? x / (x + y) : 0.5;
}

CutBox cutBox(double lambda, std::int64_t middleX, std::int64_t middleY, std::int64_t width, std::int64_t height)
{
    const double half = 0.5 * std::sqrt(1.0 - lambda);
    const auto halfWidth = static_cast<std::int64_t>(half * static_cast<double>(width));
    const auto halfHeight = static_cast<std::int64_t>(half * static_cast<double>(height));
    return {std::max<std::int64_t>(0, middleX - halfWidth), std::max<std::int64_t>(0, middleY - halfHeight),
            std::min(width, middleX + halfWidth), std::min(height, middleY + halfHeight)};
}

Status labelsToProbabilities(DataBatch& batch, std::int64_t classes)
{
    const torch::Tensor indices = batch.fields.at("label");
    const std::int64_t rows = indices.size(0);
    torch::Tensor probabilities = torch::empty({rows, classes}, torch::kFloat32);
    auto* numbers = probabilities.data_ptr<float>();
    std::fill_n(numbers, rows * classes, 0.0F);
    const auto* label = indices.data_ptr<std::int64_t>();
    for (std::int64_t row = 0; row < rows; ++row) {
        if (label[row] < 0 || label[row] >= classes)
            return invalid("Sample " + std::to_string(batch.samples[static_cast<std::size_t>(row)]) +
                               " has the label " + std::to_string(label[row]) + ", but there are " +
                               std::to_string(classes) + " classes",
                           "Mixup and CutMix need a class for every sample");
        numbers[row * classes + label[row]] = 1.0F;
    }
    batch.fields["label"] = std::move(probabilities);
    return Done{};
}

bool isBatchKind(const std::string& kind)
{
    return kind == "Mixup" || kind == "CutMix";
}

BatchTransformPtr makeBatchTransform(const std::string& kind, const Json& params)
{
    if (kind == "Mixup")
        return std::make_shared<Mixup>(params);
    if (kind == "CutMix")
        return std::make_shared<CutMix>(params);
    return nullptr;
}

} // namespace athanor
