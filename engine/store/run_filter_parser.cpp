// From the text of a filter to its tree.
#include "engine/store/run_filter.h"

#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>

namespace athanor {
namespace {

bool isSpace(char c)
{
    return std::isspace(static_cast<unsigned char>(c)) != 0;
}

bool isWordPart(char c)
{
    return !isSpace(c) && std::string_view("()=!<>~\"'").find(c) == std::string_view::npos;
}

std::optional<double> numberOf(std::string_view word)
{
    if (word == "true" || word == "false")
        return word == "true" ? 1.0 : 0.0;
    if (word.starts_with('+'))
        word.remove_prefix(1);
    double number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (end != word.data() + word.size() || word.empty() || error == std::errc::invalid_argument)
        return std::nullopt;
    if (error == std::errc::result_out_of_range) // 1e999, or 1e-999
        return word.find("e-") != std::string_view::npos ? 0.0 : std::numeric_limits<double>::infinity();
    return number;
}

} // namespace

/// Recursive descent; the first error stops it.
class RunFilterParser {
public:
    explicit RunFilterParser(std::string_view text) : m_text(text) {}

    Result<RunFilter> parse()
    {
        alternatives();
        skipSpace();
        if (!m_error && m_at < m_text.size())
            fail("'and' or 'or' should stand here", m_at);
        if (m_error)
            return *m_error;
        return std::move(m_filter);
    }

private:
    using Node = RunFilter::Node;
    using What = RunFilter::What;
    using Operator = RunFilter::Operator;

    static constexpr std::size_t kDeepest = 200;

    std::size_t alternatives()
    {
        std::size_t result = conjunction();
        while (!m_error && takesWord("or"))
            result = join(What::Or, result, conjunction());
        return result;
    }

    std::size_t conjunction()
    {
        std::size_t result = negation();
        while (!m_error && takesWord("and"))
            result = join(What::And, result, negation());
        return result;
    }

    std::size_t negation()
    {
        if (++m_depth > kDeepest)
            return fail("the filter is nested too deeply", m_at);
        std::size_t result = 0;
        if (takesWord("not")) {
            result = join(What::Not, negation(), 0);
        } else if (takes("(")) {
            result = alternatives();
            if (!m_error && !takes(")"))
                fail("')' is missing", m_at);
        } else {
            result = comparison();
        }
        --m_depth;
        return result;
    }

    std::size_t comparison()
    {
        skipSpace();
        Node node;
        node.column = m_at + 1;
        bool isQuoted = false;
        const auto name = token("a name", isQuoted);
        if (!name)
            return 0;
        if (!isQuoted && (*name == "and" || *name == "or"))
            return fail("a name should stand before '" + *name + "'", node.column - 1);
        node.name = *name;
        if (!takesOperator(node.comparison))
            return fail("a comparison should stand behind '" + *name + "'", m_at, "There are =, !=, <, <=, >, >= and ~.");
        skipSpace();
        const std::size_t valueAt = m_at;
        const auto value = token("a value", isQuoted);
        if (!value)
            return 0;
        const auto number = isQuoted ? std::nullopt : numberOf(*value);
        node.value = number && !isTextName(node.name) ? RunValue(*number) : RunValue(*value);
        return fits(node, valueAt) ? add(std::move(node)) : 0;
    }

    static bool isTextName(std::string_view name)
    {
        return name == "name" || name == "project" || name == "status" || name == "note" || name == "tag";
    }

    bool fits(Node& node, std::size_t valueAt)
    {
        const auto* text = std::get_if<std::string>(&node.value);
        const bool isNumberName = node.name == "id" || node.name == "seconds" || node.name == "steps" || node.name == "epochs";
        if (isNumberName && text)
            fail("'" + node.name + "' is a number, '" + *text + "' is none", valueAt);
        else if (node.comparison == Operator::Contains && !text)
            fail("~ looks for a text", valueAt, "Put it in quotes.");
        else if (node.name == "status" && node.comparison != Operator::Contains && !runStatusFromName(*text))
            fail("there is no status '" + *text + "'", valueAt,
                 "There are running, paused, finished, stopped, diverged, failed and interrupted.");
        return !m_error;
    }

    std::optional<std::string> token(const char* what, bool& isQuoted)
    {
        isQuoted = m_at < m_text.size() && (m_text[m_at] == '"' || m_text[m_at] == '\'');
        if (isQuoted)
            return quoted(m_text[m_at]);
        const std::size_t start = m_at;
        while (m_at < m_text.size() && isWordPart(m_text[m_at]))
            ++m_at;
        if (m_at > start)
            return std::string(m_text.substr(start, m_at - start));
        fail(std::string(what) + " should stand here", start);
        return std::nullopt;
    }

    /// A backslash takes the next character as it is.
    std::optional<std::string> quoted(char quote)
    {
        const std::size_t start = m_at++;
        std::string out;
        for (; m_at < m_text.size(); ++m_at) {
            if (m_text[m_at] == quote) {
                ++m_at;
                return out;
            }
            if (m_text[m_at] == '\\' && m_at + 1 < m_text.size())
                ++m_at;
            out += m_text[m_at];
        }
        fail("the closing quote is missing", start);
        return std::nullopt;
    }

    bool takesOperator(Operator& comparison)
    {
        constexpr std::array kOperators{
            std::pair{"==", Operator::Equal},     std::pair{"!=", Operator::Unequal},
            std::pair{"<=", Operator::LessEqual}, std::pair{">=", Operator::GreaterEqual},
            std::pair{"=", Operator::Equal},      std::pair{"<", Operator::Less},
            std::pair{">", Operator::Greater},    std::pair{"~", Operator::Contains},
        };
        for (const auto& [text, value] : kOperators)
            if (takes(text)) {
                comparison = value;
                return true;
            }
        return false;
    }

    bool takes(std::string_view text)
    {
        skipSpace();
        if (!m_text.substr(m_at).starts_with(text))
            return false;
        m_at += text.size();
        return true;
    }

    bool takesWord(std::string_view word)
    {
        skipSpace();
        const std::string_view rest = m_text.substr(m_at);
        if (!rest.starts_with(word) || (rest.size() > word.size() && isWordPart(rest[word.size()])))
            return false;
        m_at += word.size();
        return true;
    }

    void skipSpace()
    {
        while (m_at < m_text.size() && isSpace(m_text[m_at]))
            ++m_at;
    }

    std::size_t join(What what, std::size_t left, std::size_t right)
    {
        Node node;
        node.what = what;
        node.left = left;
        node.right = right;
        return add(std::move(node));
    }

    std::size_t add(Node node)
    {
        m_filter.m_nodes.push_back(std::move(node));
        return m_filter.m_nodes.size() - 1;
    }

    std::size_t fail(const std::string& message, std::size_t at, std::string hint = {})
    {
        if (!m_error) {
            std::string where = at >= m_text.size() ? "filter, at its end" : "filter";
            where += ", column " + std::to_string(at + 1);
            m_error = Error{ErrorCode::InvalidArgument, message, where, std::move(hint), {}};
        }
        return 0;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::size_t m_depth = 0;
    std::optional<Error> m_error;
    RunFilter m_filter;
};

Result<RunFilter> RunFilter::parse(std::string_view text)
{
    return RunFilterParser(text).parse();
}

} // namespace athanor
