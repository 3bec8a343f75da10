#include "engine/graph/script_extent.h"

#include <spdlog/fmt/fmt.h>

#include <cctype>
#include <charconv>
#include <limits>
#include <optional>

namespace athanor {
namespace {

constexpr Extent kLargest = std::numeric_limits<std::int32_t>::max();
constexpr int kDeepest = 64;

Error refused(std::string message, std::string hint = {})
{
    return {ErrorCode::InvalidArgument, std::move(message), {}, std::move(hint)};
}

// nullopt: unknown, which everything computed from it is too.
using Number = std::optional<std::int64_t>;

class ExtentReader {
public:
    ExtentReader(std::string_view text, const ExtentNames& names) : m_text(text), m_names(names) {}
    Result<Number> readAll();

private:
    Result<Number> readSum();
    Result<Number> readProduct();
    Result<Number> readFactor();
    Result<Number> readName();
    Result<std::int64_t> readDigits();
    bool take(std::string_view sign);
    void skipSpaces();
    [[nodiscard]] char current() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }
    [[nodiscard]] Error unexpected() const;

    std::string_view m_text;
    const ExtentNames& m_names;
    std::size_t m_at = 0;
    int m_depth = 0;
};

void ExtentReader::skipSpaces()
{
    while (current() == ' ' || current() == '\t')
        ++m_at;
}

bool ExtentReader::take(std::string_view sign)
{
    skipSpaces();
    if (m_text.substr(m_at, sign.size()) != sign)
        return false;
    m_at += sign.size();
    return true;
}

Error ExtentReader::unexpected() const
{
    const std::string hint = "write a whole number, a constant, x.size(1), or + - * // of them";
    if (m_at >= m_text.size())
        return refused(fmt::format("'{}' ends too early", m_text), hint);
    return refused(fmt::format("'{}' cannot be read from '{}' on", m_text, m_text.substr(m_at)), hint);
}

Result<Number> ExtentReader::readAll()
{
    auto number = readSum();
    skipSpaces();
    if (number.ok() && m_at < m_text.size())
        return unexpected();
    return number;
}

// Every part is at most 2^31 in size, so that neither sums nor products leave 64 bits.
Result<Number> bounded(Number number)
{
    if (number && (*number > kLargest || *number < -kLargest))
        return refused("the extent is beyond what a tensor can have");
    return number;
}

Result<Number> ExtentReader::readSum()
{
    auto left = readProduct();
    while (left.ok()) {
        const bool plus = take("+");
        if (!plus && !take("-"))
            break;
        const auto right = readProduct();
        if (!right.ok())
            return right;
        const bool known = *left && *right;
        left = bounded(known ? Number(plus ? **left + **right : **left - **right) : Number());
    }
    return left;
}

Result<Number> ExtentReader::readProduct()
{
    auto left = readFactor();
    while (left.ok()) {
        const bool divides = take("//");
        if (!divides && !take("*"))
            break;
        const auto right = readFactor();
        if (!right.ok())
            return right;
        if (divides && *right && **right <= 0)
            return refused(fmt::format("'{}' divides by {}", m_text, **right));
        if (!*left || !*right)
            left = Number();
        else if (!divides)
            left = bounded(**left * **right);
        else // Python rounds down, C++ towards zero
            left = Number((**left - (**left < 0 ? **right - 1 : 0)) / **right);
    }
    return left;
}

Result<std::int64_t> ExtentReader::readDigits()
{
    skipSpaces();
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(m_text.data() + m_at, m_text.data() + m_text.size(), number);
    if (error == std::errc::invalid_argument)
        return unexpected();
    if (error != std::errc() || number > kLargest || number < -kLargest)
        return refused("the extent is beyond what a tensor can have");
    m_at = static_cast<std::size_t>(end - m_text.data());
    return number;
}

Result<Number> ExtentReader::readFactor()
{
    if (take("(")) {
        if (++m_depth > kDeepest)
            return refused("the extent has too many parentheses");
        auto inner = readSum();
        --m_depth;
        if (inner.ok() && !take(")"))
            return unexpected();
        return inner;
    }
    skipSpaces();
    if (std::isalpha(static_cast<unsigned char>(current())) != 0 || current() == '_')
        return readName();
    const auto digits = readDigits();
    if (!digits.ok())
        return digits.error();
    return Number(*digits);
}

Result<Number> ExtentReader::readName()
{
    const std::size_t start = m_at;
    while (std::isalnum(static_cast<unsigned char>(current())) != 0 || current() == '_')
        ++m_at;
    const std::string name(m_text.substr(start, m_at - start));
    Result<Extent> found = Extent{0};
    if (take(".")) {
        if (!take("size") || !take("("))
            return unexpected();
        const auto axis = readDigits();
        if (!axis.ok())
            return axis.error();
        if (!take(")"))
            return unexpected();
        found = m_names.size(name, *axis);
    } else {
        found = m_names.constant(name);
    }
    if (!found.ok())
        return found.error();
    return *found == kUnknown ? Number() : Number(*found);
}

} // namespace

Result<Extent> evaluateExtent(std::string_view expression, const ExtentNames& names)
{
    const auto number = ExtentReader(expression, names).readAll();
    if (!number.ok())
        return number.error();
    if (!*number)
        return kUnknown;
    if (**number < 0)
        return refused(fmt::format("'{}' is {}, but an extent is at least 0", expression, **number));
    return **number;
}

} // namespace athanor
