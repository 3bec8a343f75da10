// Applies single transforms, for comparison with torchvision (tests/baseline/compare_transforms.py).
// Reads one request per line from standard input and writes one answer per line:
//   {"catalog": true}                                → {"kinds": [{"kind", "params": {name: default}}]}
//   {"kind", "params", "element", "shape", "values"} → {"element", "shape", "values"}
//     with "draws": these numbers instead of drawn ones; with "repeat": as often, adds {"seconds"} per time
//   the same with "sampling": n                      → {"draws": [[…] × n]}, sample after sample
//   {"kind", "params", "element", "shape", "fit": [[…], …]}
//                                                    → {"values": [[…], …]}: measured on these, applied to these
// or {"error": text}. Elements: uint8 (H×W×C), float32 (C×H×W), int64 (a label).
#include "engine/data/fitted_transform.h"
#include "engine/graph/node_catalog.h"

#include <chrono>
#include <cstring>
#include <iostream>
#include <stdexcept>

using namespace athanor;

namespace {

template <typename T>
T orThrow(Result<T> result)
{
    if (!result)
        throw std::runtime_error(result.error().text());
    return std::move(*result);
}

Element elementOf(const Json& request)
{
    const auto name = request.at("element").get<std::string>();
    return name == "uint8" ? Element::UInt8 : (name == "int64" ? Element::Int64 : Element::Float32);
}

template <typename T>
void copyNumbers(const Json& values, std::byte* out)
{
    const auto numbers = values.get<std::vector<T>>();
    std::memcpy(out, numbers.data(), numbers.size() * sizeof(T));
}

Value valueOf(Element element, const std::vector<std::int64_t>& shape, const Json& values)
{
    Value value;
    std::byte* bytes = value.write(element, shape);
    if (static_cast<std::int64_t>(values.size()) != value.count())
        throw std::runtime_error("another number of values than the shape says");
    if (element == Element::UInt8)
        copyNumbers<std::uint8_t>(values, bytes);
    else if (element == Element::Float32)
        copyNumbers<float>(values, bytes);
    else
        copyNumbers<std::int64_t>(values, bytes);
    return value;
}

Json numbersOf(const Value& value)
{
    if (value.element() == Element::UInt8)
        return std::vector<int>(value.uint8(), value.uint8() + value.count());
    if (value.element() == Element::Float32)
        return std::vector<float>(value.float32(), value.float32() + value.count());
    return std::vector<std::int64_t>(value.int64(), value.int64() + value.count());
}

FieldLayout layoutOf(const Json& request)
{
    const Element element = elementOf(request);
    return {element == Element::Int64 ? "label" : "image", element,
            request.at("shape").get<std::vector<std::int64_t>>(), request.value("classes", std::int64_t{0}), {}, {}};
}

Json completed(const Json& request)
{
    const NodeKind* kind = dataCatalog().find(request.at("kind").get<std::string>());
    if (kind == nullptr)
        throw std::runtime_error("no such kind");
    return completeParams(*kind, request.value("params", Json::object()));
}

Json catalog()
{
    Json kinds = Json::array();
    for (const NodeKind& kind : dataCatalog().kinds())
        if (kind.family == NodeFamily::Transform)
            kinds.push_back(Json{{"kind", kind.kind}, {"params", completeParams(kind, Json::object())}});
    return Json{{"kinds", std::move(kinds)}};
}

/// Samples that a request holds.
class Listed final : public Dataset {
public:
    Listed(const FieldLayout& layout, const Json& samples) : Dataset({layout}), m_samples(samples) {}
    std::int64_t size() const override { return static_cast<std::int64_t>(m_samples.size()); }
    Status read(std::int64_t index, Sample& sample) const override
    {
        sample.resize(1);
        sample[0] = valueOf(fields()[0].element, fields()[0].shape, m_samples.at(static_cast<std::size_t>(index)));
        return Done{};
    }
    std::string sampleName(std::int64_t) const override { return "sample"; }
    std::int64_t indexValue(std::size_t, std::int64_t) const override { return 0; }

protected:
    void mapClasses(std::size_t, const std::vector<std::int64_t>&) override {}

private:
    Json m_samples;
};

Json fit(const Json& request)
{
    const Json& samples = request.at("fit");
    PartData part;
    part.dataset = std::make_shared<Listed>(layoutOf(request), samples);
    for (std::int64_t i = 0; i < part.dataset->size(); ++i)
        part.samples.push_back(i);
    part.chain = TransformChain(part.dataset->fields());
    const std::vector<TransformPtr> transforms =
        orThrow(fitTransform(PlanNode{"node", request.at("kind").get<std::string>(), completed(request)}, part));
    Json results = Json::array();
    SampleRandom unused({});
    for (const Json& sample : samples) {
        Value output;
        if (const Status status =
                transforms.at(0)->apply(valueOf(elementOf(request), part.dataset->fields()[0].shape, sample), output,
                                        unused);
            !status)
            throw std::runtime_error(status.error().text());
        results.push_back(numbersOf(output));
    }
    return Json{{"values", std::move(results)}};
}

TransformPtr transformFor(const Json& request)
{
    TransformPtr transform =
        orThrow(makeTransform(request.at("kind").get<std::string>(), completed(request)));
    const FieldLayout layout = layoutOf(request);
    orThrow(transform->outputLayout(layout));
    const TransformPtr own = transform->forField(layout);
    return own ? own : transform;
}

const RandomTransform& randomOf(const TransformPtr& transform)
{
    const auto* random = dynamic_cast<const RandomTransform*>(transform.get());
    if (random == nullptr)
        throw std::runtime_error("it draws nothing");
    return *random;
}

Json sample(const Json& request)
{
    const TransformPtr transform = transformFor(request);
    const FieldLayout layout = layoutOf(request);
    Json draws = Json::array();
    for (std::uint64_t i = 0; i < request.at("sampling").get<std::uint64_t>(); ++i) {
        SampleRandom random({7, 0, i, 3});
        draws.push_back(randomOf(transform).draw(layout.element, layout.shape, random));
    }
    return Json{{"draws", std::move(draws)}};
}

Json apply(const Json& request)
{
    const TransformPtr transform = transformFor(request);
    const FieldLayout layout = layoutOf(request);
    const Value input = valueOf(layout.element, layout.shape, request.at("values"));
    Value output;
    const std::uint64_t repeat = request.value("repeat", std::uint64_t{1});
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t i = 0; i < repeat; ++i) {
        SampleRandom random({1, 0, i, 3});
        const Status status = request.contains("draws")
                                  ? randomOf(transform).applyDrawn(input, request["draws"].get<Draws>(), output)
                                  : transform->apply(input, output, random);
        if (!status)
            throw std::runtime_error(status.error().text());
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    constexpr const char* kNames[] = {"uint8", "float32", "int64"};
    Json answer{{"element", kNames[static_cast<std::size_t>(output.element())]}, {"shape", output.shape()}};
    if (request.contains("repeat"))
        answer["seconds"] = seconds.count() / static_cast<double>(repeat);
    else
        answer["values"] = numbersOf(output);
    return answer;
}

Json answerTo(const Json& request)
{
    if (request.contains("catalog"))
        return catalog();
    if (request.contains("fit"))
        return fit(request);
    return request.contains("sampling") ? sample(request) : apply(request);
}

} // namespace

int main()
{
    for (std::string line; std::getline(std::cin, line);) {
        Json answer;
        try {
            answer = answerTo(Json::parse(line));
        } catch (const std::exception& problem) {
            answer = Json{{"error", problem.what()}};
        }
        std::cout << answer.dump() << std::endl;
    }
}
