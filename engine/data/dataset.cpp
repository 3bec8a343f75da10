#include "engine/data/dataset.h"

#include <algorithm>
#include <charconv>

namespace athanor {

std::size_t elementSize(Element element)
{
    switch (element) {
    case Element::UInt8:
        return sizeof(std::uint8_t);
    case Element::Float32:
        return sizeof(float);
    case Element::Int64:
        return sizeof(std::int64_t);
    }
    return 1;
}

std::int64_t elementCount(const std::vector<std::int64_t>& shape)
{
    std::int64_t count = 1;
    for (const std::int64_t extent : shape)
        count *= extent;
    return count;
}

std::optional<std::size_t> claimedBytes(const std::vector<std::int64_t>& shape, std::size_t elementBytes)
{
    constexpr std::size_t kMost = std::size_t{1} << 48;
    std::size_t bytes = elementBytes;
    for (const std::int64_t extent : shape) {
        if (extent != 0 && bytes > kMost / static_cast<std::size_t>(extent))
            return std::nullopt;
        bytes *= static_cast<std::size_t>(extent);
    }
    return bytes;
}

std::string shapeText(const std::vector<std::int64_t>& shape)
{
    if (shape.empty())
        return "a number";
    std::string text;
    for (const std::int64_t extent : shape)
        text += (text.empty() ? "" : "×") + std::to_string(extent);
    return text;
}

std::size_t Value::byteCount() const
{
    return static_cast<std::size_t>(count()) * elementSize(m_element);
}

void Value::borrow(const FieldLayout& layout, const std::byte* bytes)
{
    m_element = layout.element;
    m_shape = layout.shape;
    m_bytes = bytes;
}

std::byte* Value::write(Element element, const std::vector<std::int64_t>& shape)
{
    m_element = element;
    m_shape = shape;
    if (m_own.size() < byteCount())
        m_own.resize(byteCount());
    m_bytes = m_own.data();
    return m_own.data();
}

std::string dataPlace(const std::string& node, const std::string& parameter)
{
    return "data/" + node + (parameter.empty() ? "" : "/" + parameter);
}

Error invalid(std::string message, std::string hint, std::string parameter)
{
    return {ErrorCode::InvalidArgument, std::move(message), std::move(parameter), std::move(hint), {}};
}

void Dataset::renumberClasses(std::size_t field, const std::vector<std::int64_t>& map,
                              const std::vector<std::string>& names)
{
    mapClasses(field, map);
    m_fields[field].classNames = names;
    m_fields[field].classes = static_cast<std::int64_t>(names.size());
}

namespace {

std::optional<std::int64_t> wholeNumber(const std::string& text)
{
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

} // namespace

std::vector<std::string> sortedClassNames(std::vector<std::string> names)
{
    const bool numbers =
        std::all_of(names.begin(), names.end(), [](const auto& name) { return wholeNumber(name); });
    if (numbers)
        std::sort(names.begin(), names.end(),
                  [](const auto& a, const auto& b) { return *wholeNumber(a) < *wholeNumber(b); });
    else
        std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

} // namespace athanor
