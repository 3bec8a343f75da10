// Points that are made on the spot. Each depends on the seed and its own number only.
#include "engine/data/memory_dataset.h"
#include "engine/data/sample_random.h"
#include "engine/data/sources/source.h"

#include <spdlog/fmt/fmt.h>

#include <cmath>

namespace athanor {

namespace {

constexpr double kPi = 3.141592653589793;

struct Point {
    double x = 0;
    double y = 0;
    std::int64_t label = 0;
};

Point polar(double radius, double angle, std::int64_t label)
{
    return {radius * std::cos(angle), radius * std::sin(angle), label};
}

/// Centres on a circle of radius 2, the first at the top.
Point blobs(SampleRandom&, std::int64_t label, std::int64_t classes)
{
    return polar(2, kPi / 2 + 2 * kPi * static_cast<double>(label) / static_cast<double>(classes), label);
}

/// Two half circles of radius 1 that reach into each other, as scikit-learn's make_moons.
Point moons(SampleRandom& random, std::int64_t label, std::int64_t)
{
    const double angle = kPi * random.uniform();
    return label == 0 ? polar(1, angle, 0) : Point{1 - std::cos(angle), 0.5 - std::sin(angle), 1};
}

/// Rings of radius 1 and 0.5.
Point circles(SampleRandom& random, std::int64_t label, std::int64_t)
{
    return polar(label == 0 ? 1 : 0.5, 2 * kPi * random.uniform(), label);
}

/// Arms of radius 0 to 1 in one and a quarter turns, evenly apart.
Point spirals(SampleRandom& random, std::int64_t label, std::int64_t classes)
{
    constexpr double kTurns = 1.25;
    const double radius = random.uniform();
    return polar(radius,
                 2 * kPi * (kTurns * radius + static_cast<double>(label) / static_cast<double>(classes)),
                 label);
}

/// The square from −1 to 1; the class tells whether the signs differ.
Point quadrants(SampleRandom& random, std::int64_t, std::int64_t)
{
    const double x = 2 * random.uniform() - 1;
    const double y = 2 * random.uniform() - 1;
    return {x, y, (x > 0) != (y > 0) ? 1 : 0};
}

/// The square from −1 to 1 in 4×4 squares, black and white in turn.
Point squares(SampleRandom& random, std::int64_t, std::int64_t)
{
    const double x = 2 * random.uniform() - 1;
    const double y = 2 * random.uniform() - 1;
    const auto square = [](double value) { return static_cast<std::int64_t>(std::floor((value + 1) * 2)); };
    return {x, y, (square(x) + square(y)) % 2};
}

using MakePoint = Point (*)(SampleRandom&, std::int64_t label, std::int64_t classes);
struct Shape {
    MakePoint make;
    bool anyClasses; // else two
};

Shape shapeOf(const std::string& kind)
{
    if (kind == "moons")
        return {moons, false};
    if (kind == "circles")
        return {circles, false};
    if (kind == "spirals")
        return {spirals, true};
    if (kind == "checkerboard")
        return {squares, false};
    return kind == "xor" ? Shape{quadrants, false} : Shape{blobs, true};
}

std::unique_ptr<Dataset> dataset(MemoryField inputs, MemoryField outputs, std::int64_t samples)
{
    std::vector<MemoryField> fields;
    fields.push_back(std::move(inputs));
    fields.push_back(std::move(outputs));
    return makeMemoryDataset(std::move(fields), samples,
                             [](std::int64_t index) { return "synthetic point " + std::to_string(index); });
}

/// x in [−1, 1), y = sin(2πx) + noise: two waves.
std::unique_ptr<Dataset> sine(std::int64_t samples, std::uint64_t seed, double noise)
{
    MemoryField features = makeMemoryField({"features", Element::Float32, {1}, 0, {}, {"x"}}, samples);
    MemoryField targets = makeMemoryField({"target", Element::Float32, {1}, 0, {}, {"y"}}, samples);
    for (std::int64_t i = 0; i < samples; ++i) {
        SampleRandom random({seed, static_cast<std::uint64_t>(i)});
        const double x = 2 * random.uniform() - 1;
        features.float32()[i] = static_cast<float>(x);
        targets.float32()[i] = static_cast<float>(std::sin(2 * kPi * x) + noise * random.normal());
    }
    return dataset(std::move(features), std::move(targets), samples);
}

/// Columns of a standard normal distribution, y = Σ w·x + noise, each w uniform in [0, 100), as scikit-learn's
/// make_regression with all columns informative.
std::unique_ptr<Dataset> plane(std::int64_t samples, std::int64_t columns, std::uint64_t seed, double noise)
{
    constexpr std::uint64_t kWeights = ~std::uint64_t{0}; // no point has that number
    FieldLayout layout{"features", Element::Float32, {columns}};
    std::vector<double> weights;
    SampleRandom draw({seed, kWeights});
    for (std::int64_t column = 0; column < columns; ++column) {
        layout.columnNames.push_back(fmt::format("x{}", column));
        weights.push_back(100 * draw.uniform());
    }
    MemoryField features = makeMemoryField(std::move(layout), samples);
    MemoryField targets = makeMemoryField({"target", Element::Float32, {1}, 0, {}, {"y"}}, samples);
    for (std::int64_t i = 0; i < samples; ++i) {
        SampleRandom random({seed, static_cast<std::uint64_t>(i)});
        double sum = 0;
        for (std::int64_t column = 0; column < columns; ++column) {
            const double x = random.normal();
            features.float32()[i * columns + column] = static_cast<float>(x);
            sum += weights[static_cast<std::size_t>(column)] * x;
        }
        targets.float32()[i] = static_cast<float>(sum + noise * random.normal());
    }
    return dataset(std::move(features), std::move(targets), samples);
}

std::unique_ptr<Dataset> labelledPoints(Shape shape, std::int64_t classes, std::int64_t samples,
                                        std::uint64_t seed, double noise)
{
    MemoryField features = makeMemoryField({"features", Element::Float32, {2}, 0, {}, {"x", "y"}}, samples);
    MemoryField labels = makeMemoryField({"label", Element::Int64, {}, classes, {}, {}}, samples);
    for (std::int64_t i = 0; i < samples; ++i) {
        SampleRandom random({seed, static_cast<std::uint64_t>(i)});
        const Point point = shape.make(random, i % classes, classes);
        features.float32()[2 * i] = static_cast<float>(point.x + noise * random.normal());
        features.float32()[2 * i + 1] = static_cast<float>(point.y + noise * random.normal());
        labels.int64()[i] = point.label;
    }
    return dataset(std::move(features), std::move(labels), samples);
}

} // namespace

OpenedDataset openSynthetic(const SourceNode& node)
{
    const auto kind = node.params.at("kind").get<std::string>();
    const auto samples = node.params.at("samples").get<std::int64_t>();
    const auto seed = node.params.at("seed").get<std::uint64_t>();
    const auto noise = node.params.at("noise").get<double>();
    if (kind == "sine")
        return sine(samples, seed, noise);
    if (kind == "linear")
        return plane(samples, node.params.at("n_features").get<std::int64_t>(), seed, noise);
    const Shape shape = shapeOf(kind);
    const std::int64_t classes = shape.anyClasses ? node.params.at("classes").get<std::int64_t>() : 2;
    return labelledPoints(shape, classes, samples, seed, noise);
}

} // namespace athanor
