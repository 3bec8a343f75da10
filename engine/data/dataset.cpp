#include "engine/data/dataset.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace athanor {

std::size_t elementSize(Element element)
{
    switch (element) {
    case Element::UInt8: return sizeof(std::uint8_t);
    case Element::Float32: return sizeof(float);
    case Element::Int64: return sizeof(std::int64_t);
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
    const bool numbers = std::all_of(names.begin(), names.end(), [](const auto& name) { return wholeNumber(name); });
    if (numbers)
        std::sort(names.begin(), names.end(),
                  [](const auto& a, const auto& b) { return *wholeNumber(a) < *wholeNumber(b); });
    else
        std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

} // namespace athanor
