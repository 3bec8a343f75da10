#include "engine/graph/script_limits.h"

#include "engine/graph/script_tokens.h"

#include <algorithm>
#include <vector>

namespace athanor {
namespace {

constexpr std::size_t kMostBytes = 256 * 1024;
constexpr std::ptrdiff_t kMostLines = 4000;
constexpr int kMostTokens = 3000; ///< in one logical line, commas and digits aside
constexpr std::size_t kMostBlocks = 100;

bool isDigit(const Token& token)
{
    return token.text.size() == 1 && token.text[0] >= '0' && token.text[0] <= '9';
}

// Counts along the source; the first excess ends it.
class ExcessFinder {
public:
    explicit ExcessFinder(std::string_view source) : m_source(source), m_tokens(source) {}
    std::optional<SourceProblem> find();

private:
    bool startLine(const Token& token);
    std::optional<SourceProblem> problem(const Token& token, const char* message, const char* hint) const
    {
        return SourceProblem{placeAt(m_source, token.start, token.text.size()), message, hint};
    }

    std::string_view m_source;
    Tokens m_tokens;
    std::vector<std::size_t> m_indents;
};

// False when the line lies in too many blocks.
bool ExcessFinder::startLine(const Token& token)
{
    const auto lineEnd = m_source.substr(0, token.start).rfind('\n');
    const std::size_t indent = token.start - (lineEnd == std::string_view::npos ? 0 : lineEnd + 1);
    while (!m_indents.empty() && m_indents.back() >= indent)
        m_indents.pop_back();
    m_indents.push_back(indent);
    return m_indents.size() <= kMostBlocks;
}

std::optional<SourceProblem> ExcessFinder::find()
{
    int depth = 0;
    int count = 0;
    bool isFirst = true;
    for (; !m_tokens.isEnd(); m_tokens.next()) {
        const Token& token = m_tokens.current();
        if (token.kind == Token::Kind::LineEnd) {
            isFirst = isFirst || depth <= 0;
            count = depth <= 0 ? 0 : count;
            continue;
        }
        if (isFirst && !startLine(token))
            return problem(token, "too many blocks lie in each other", "move the inner ones into a function");
        isFirst = false;
        depth += m_tokens.is("(") || m_tokens.is("[") || m_tokens.is("{") ? 1 : 0;
        depth -= m_tokens.is(")") || m_tokens.is("]") || m_tokens.is("}") ? 1 : 0;
        count += m_tokens.is(",") || isDigit(token) ? 0 : 1;
        if (count > kMostTokens)
            return problem(token, "this line is too long", "split it, or keep its numbers in a buffer");
    }
    return std::nullopt;
}

} // namespace

std::optional<SourceProblem> excessOf(std::string_view source)
{
    if (source.size() > kMostBytes || std::count(source.begin(), source.end(), '\n') > kMostLines)
        return SourceProblem{
            {1, 1, 0}, "the source is longer than 4000 lines or 256 KB", "split it over several nodes"};
    return nestingExcessOf(source);
}

std::optional<SourceProblem> nestingExcessOf(std::string_view source)
{
    return ExcessFinder(source).find();
}

} // namespace athanor
