// Classes as vectors.
#include "engine/data/transforms/transform.h"

#include <algorithm>

namespace athanor {

namespace {

class OneHot final : public Transform {
public:
    explicit OneHot(std::int64_t classes) : m_classes(classes) {}

    bool isForLabels() const override { return true; }

    Result<FieldLayout> outputLayout(const FieldLayout& input) const override
    {
        const std::int64_t classes = m_classes > 0 ? m_classes : input.classes;
        if (classes < 1)
            return invalid("It is not known how many classes '" + input.name + "' has", "Set num_classes",
                           "num_classes");
        if (input.classes > classes)
            return invalid("'" + input.name + "' has " + std::to_string(input.classes) + " classes, num_classes is " +
                               std::to_string(classes),
                           "Set num_classes to −1, which takes the number there is", "num_classes");
        FieldLayout output{input.name, Element::Float32, input.shape, 0, {}, input.classNames};
        output.shape.push_back(classes);
        return output;
    }

    Status apply(const Value& input, Value& output, SampleRandom&) const override
    {
        std::vector<std::int64_t> shape = input.shape();
        shape.push_back(m_classes);
        const std::int64_t count = input.count();
        auto* out = reinterpret_cast<float*>(output.write(Element::Float32, shape));
        std::fill_n(out, count * m_classes, 0.0F);
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t label = input.int64()[i];
            if (label < 0 || label >= m_classes)
                return invalid("A label is " + std::to_string(label) + ", but there are " + std::to_string(m_classes) +
                                   " classes, counted from 0",
                               "Raise num_classes, or correct the label", "num_classes");
            out[i * m_classes + label] = 1;
        }
        return Done{};
    }

    std::shared_ptr<const Transform> forField(const FieldLayout& input) const override
    {
        return m_classes > 0 ? nullptr : std::make_shared<OneHot>(input.classes);
    }

private:
    std::int64_t m_classes; // below 1: as many as the field has
};

} // namespace

Result<TransformPtr> makeOneHot(const std::string& kind, const Json& params)
{
    if (kind != "OneHot")
        return TransformPtr();
    const auto classes = params.at("num_classes").get<std::int64_t>();
    if (classes == 0 || classes < -1)
        return invalid("num_classes must be −1 or above 0", "−1 takes the number of classes that the label has",
                       "num_classes");
    return TransformPtr(std::make_shared<OneHot>(classes));
}

} // namespace athanor
