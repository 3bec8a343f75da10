#include "engine/base/expression.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace athanor {
namespace {

using Function = double (*)(double, double);

double truth(bool value)
{
    return value ? 1.0 : 0.0;
}

// Python's: the sign of the remainder is the divisor's.
double pythonRemainder(double a, double b)
{
    const double rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// Python's: halves go to the even neighbour.
double roundHalfEven(double a, double)
{
    return a - std::remainder(a, 1.0);
}

struct NamedFunction {
    const char* name;
    std::size_t least; ///< arguments
    std::size_t most;  ///< more than 2: taken two by two
    Function function;
};

constexpr std::size_t kMany = 64;

const std::array kFunctions{
    NamedFunction{"abs", 1, 1, [](double a, double) { return std::abs(a); }},
    NamedFunction{"ceil", 1, 1, [](double a, double) { return std::ceil(a); }},
    NamedFunction{"cos", 1, 1, [](double a, double) { return std::cos(a); }},
    NamedFunction{"exp", 1, 1, [](double a, double) { return std::exp(a); }},
    NamedFunction{"floor", 1, 1, [](double a, double) { return std::floor(a); }},
    NamedFunction{"isfinite", 1, 1, [](double a, double) { return truth(std::isfinite(a)); }},
    NamedFunction{"isnan", 1, 1, [](double a, double) { return truth(std::isnan(a)); }},
    NamedFunction{"log", 1, 1, [](double a, double) { return std::log(a); }},
    NamedFunction{"log10", 1, 1, [](double a, double) { return std::log10(a); }},
    NamedFunction{"log2", 1, 1, [](double a, double) { return std::log2(a); }},
    NamedFunction{"max", 1, kMany, [](double a, double b) { return std::isnan(a) || a > b ? a : b; }},
    NamedFunction{"min", 1, kMany, [](double a, double b) { return std::isnan(a) || a < b ? a : b; }},
    NamedFunction{"pow", 2, 2, [](double a, double b) { return std::pow(a, b); }},
    NamedFunction{"round", 1, 1, roundHalfEven},
    NamedFunction{"sign", 1, 1, [](double a, double) { return truth(a > 0) - truth(a < 0); }},
    NamedFunction{"sin", 1, 1, [](double a, double) { return std::sin(a); }},
    NamedFunction{"sqrt", 1, 1, [](double a, double) { return std::sqrt(a); }},
    NamedFunction{"tan", 1, 1, [](double a, double) { return std::tan(a); }},
    NamedFunction{"tanh", 1, 1, [](double a, double) { return std::tanh(a); }},
};

struct NamedConstant {
    const char* name;
    double value;
};
constexpr std::array kConstants{
    NamedConstant{"pi", 3.14159265358979323846},
    NamedConstant{"e", 2.71828182845904523536},
    NamedConstant{"inf", std::numeric_limits<double>::infinity()},
    NamedConstant{"nan", std::numeric_limits<double>::quiet_NaN()},
    NamedConstant{"true", 1},
    NamedConstant{"false", 0},
};

struct Operator {
    const char* text; ///< the longer ones first
    Function function;
};
constexpr std::array kComparisons{
    Operator{"<=", [](double a, double b) { return truth(a <= b); }},
    Operator{">=", [](double a, double b) { return truth(a >= b); }},
    Operator{"==", [](double a, double b) { return truth(a == b); }},
    Operator{"!=", [](double a, double b) { return truth(a != b); }},
    Operator{"<", [](double a, double b) { return truth(a < b); }},
    Operator{">", [](double a, double b) { return truth(a > b); }},
};

constexpr std::size_t kDeepest = 200;
constexpr std::size_t kLongest = 10'000;

bool isWordStart(char c)
{
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool isWordPart(char c)
{
    return isWordStart(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

} // namespace

/// Recursive descent; the first error ends it, everything after that yields nothing of use.
class ExpressionParser {
public:
    ExpressionParser(std::string_view text, std::vector<std::string> variables) : m_text(text)
    {
        m_result.m_variables = std::move(variables);
    }

    Result<Expression> parse()
    {
        if (m_text.size() > kLongest)
            return Error{ErrorCode::InvalidArgument, "the expression is too long"};
        choice();
        skipSpace();
        if (!m_error && m_at < m_text.size())
            unexpected();
        if (m_error)
            return *m_error;
        return std::move(m_result);
    }

private:
    using Index = std::size_t;
    using Node = Expression::Node;

    Index fail(const std::string& what, std::string hint = {})
    {
        if (!m_error)
            m_error = Error{ErrorCode::InvalidArgument,
                            std::string(what).append(" (character ").append(std::to_string(m_at + 1)).append(")"), {},
                            std::move(hint), {}};
        m_at = m_text.size();
        return number(0);
    }

    Index unexpected()
    {
        std::string what("'");
        what.append(m_text.substr(m_at, 1)).append("' is not expected here");
        return fail(what);
    }

    Index add(const Node& node)
    {
        m_result.m_nodes.push_back(node);
        return m_result.m_nodes.size() - 1;
    }
    Index number(double value)
    {
        Node node;
        node.number = value;
        return add(node);
    }
    Index unary(Function function, Index child)
    {
        Node node;
        node.what = Expression::What::Unary;
        node.function = function;
        node.children[0] = child;
        return add(node);
    }
    Index binary(Function function, Index left, Index right)
    {
        Node node;
        node.what = Expression::What::Binary;
        node.function = function;
        node.children[0] = left;
        node.children[1] = right;
        return add(node);
    }

    void skipSpace()
    {
        while (m_at < m_text.size() && std::isspace(static_cast<unsigned char>(m_text[m_at])) != 0)
            ++m_at;
    }
    bool takes(std::string_view symbol)
    {
        skipSpace();
        if (m_text.substr(m_at, symbol.size()) != symbol)
            return false;
        m_at += symbol.size();
        return true;
    }
    bool takesWord(std::string_view word)
    {
        skipSpace();
        const std::size_t end = m_at + word.size();
        if (m_text.substr(m_at, word.size()) != word || (end < m_text.size() && isWordPart(m_text[end])))
            return false;
        m_at = end;
        return true;
    }

    Index choice()
    {
        if (++m_depth > kDeepest)
            return fail("the expression is nested too deeply");
        Index result = either();
        if (takesWord("if")) {
            Node node;
            node.what = Expression::What::Choice;
            node.children[0] = either();
            node.children[1] = result;
            if (!takesWord("else"))
                return fail("'else' is missing", "write a if condition else b");
            node.children[2] = choice();
            result = add(node);
        }
        --m_depth;
        return result;
    }

    Index either()
    {
        Index result = both();
        while (takesWord("or"))
            result = binary([](double a, double b) { return truth(a != 0 || b != 0); }, result, both());
        return result;
    }

    Index both()
    {
        Index result = negation();
        while (takesWord("and"))
            result = binary([](double a, double b) { return truth(a != 0 && b != 0); }, result, negation());
        return result;
    }

    Index negation()
    {
        if (++m_depth > kDeepest)
            return fail("the expression is nested too deeply");
        const Index result = takesWord("not")
                                 ? unary([](double a, double) { return truth(a == 0); }, negation())
                                 : comparison();
        --m_depth;
        return result;
    }

    Index comparison()
    {
        const Index left = sum();
        for (const Operator& one : kComparisons)
            if (takes(one.text)) {
                const Index result = binary(one.function, left, sum());
                for (const Operator& other : kComparisons)
                    if (takes(other.text))
                        return fail("comparisons cannot be chained", "join them by and");
                return result;
            }
        return left;
    }

    Index sum()
    {
        Index result = product();
        while (true) {
            if (takes("+"))
                result = binary([](double a, double b) { return a + b; }, result, product());
            else if (takes("-"))
                result = binary([](double a, double b) { return a - b; }, result, product());
            else
                return result;
        }
    }

    Index product()
    {
        Index result = signedPower();
        while (true) {
            if (takes("//"))
                result = binary([](double a, double b) { return std::floor(a / b); }, result, signedPower());
            else if (takes("/"))
                result = binary([](double a, double b) { return a / b; }, result, signedPower());
            else if (takes("%"))
                result = binary(pythonRemainder, result, signedPower());
            else if (takes("*"))
                result = binary([](double a, double b) { return a * b; }, result, signedPower());
            else
                return result;
        }
    }

    // A sign binds less than a power: -2 ** 2 is -4, and 2 ** -1 is 0.5.
    Index signedPower()
    {
        if (++m_depth > kDeepest)
            return fail("the expression is nested too deeply");
        Index result = 0;
        if (takes("-")) {
            result = unary([](double a, double) { return -a; }, signedPower());
        } else if (takes("+")) {
            result = signedPower();
        } else {
            result = atom();
            if (takes("**"))
                result = binary([](double a, double b) { return std::pow(a, b); }, result, signedPower());
        }
        --m_depth;
        return result;
    }

    Index atom()
    {
        skipSpace();
        if (m_at >= m_text.size())
            return fail(m_text.empty() ? "the expression is empty" : "the expression ends too early");
        const char c = m_text[m_at];
        if (takes("(")) {
            const Index inside = choice();
            return takes(")") ? inside : fail("')' is missing");
        }
        if (c == '\'' || c == '"')
            return quoted(c);
        if (isWordStart(c))
            return word();
        return literal();
    }

    Index literal()
    {
        double value = 0;
        const char* begin = m_text.data() + m_at;
        const char* end = m_text.data() + m_text.size();
        const auto [stopped, error] = std::from_chars(begin, end, value);
        if (error != std::errc() || stopped == begin || *begin == '-')
            return unexpected();
        m_at += static_cast<std::size_t>(stopped - begin);
        return number(value);
    }

    Index quoted(char quote)
    {
        const auto end = m_text.find(quote, m_at + 1);
        if (end == std::string_view::npos)
            return fail("the closing quote is missing");
        const std::string name(m_text.substr(m_at + 1, end - m_at - 1));
        const auto found = variable(name);
        if (!found)
            return unknown(name);
        m_at = end + 1;
        return *found;
    }

    Index word()
    {
        std::size_t end = m_at;
        while (end < m_text.size() && isWordPart(m_text[end]))
            ++end;
        const std::string name(m_text.substr(m_at, end - m_at));
        std::size_t next = end;
        while (next < m_text.size() && std::isspace(static_cast<unsigned char>(m_text[next])) != 0)
            ++next;
        if (next < m_text.size() && m_text[next] == '(')
            return call(name, next + 1);
        std::optional<Index> found = variable(name);
        for (const NamedConstant& constant : kConstants)
            if (!found && name == constant.name)
                found = number(constant.value);
        if (!found)
            return unknown(name);
        m_at = end;
        return *found;
    }

    Index call(const std::string& name, std::size_t behindParenthesis)
    {
        const auto function = std::find_if(kFunctions.begin(), kFunctions.end(),
                                           [&](const NamedFunction& one) { return name == one.name; });
        if (function == kFunctions.end())
            return fail(std::string("there is no function '").append(name).append("'"), "there are abs, ceil, cos, exp, floor, isfinite, isnan, log, "
                                                               "log10, log2, max, min, pow, round, sign, sin, sqrt, "
                                                               "tan and tanh");
        const std::size_t start = m_at;
        m_at = behindParenthesis;
        std::vector<Index> arguments;
        if (!takes(")")) {
            do
                arguments.push_back(choice());
            while (takes(","));
            if (!takes(")"))
                return fail("')' is missing");
        }
        if (arguments.size() < function->least || arguments.size() > function->most) {
            m_at = start;
            std::string what = name;
            what.append(" takes ").append(std::to_string(function->least)).append(function->most > 2 ? " or more" : "");
            return fail(what.append(" arguments, has ").append(std::to_string(arguments.size())));
        }
        if (function->most == 1)
            return unary(function->function, arguments[0]);
        Index result = arguments[0];
        for (std::size_t i = 1; i < arguments.size(); ++i)
            result = binary(function->function, result, arguments[i]);
        return result;
    }

    std::optional<Index> variable(const std::string& name)
    {
        const auto& names = m_result.m_variables;
        const auto found = std::find(names.begin(), names.end(), name);
        if (found == names.end())
            return std::nullopt;
        Node node;
        node.what = Expression::What::Variable;
        node.variable = static_cast<std::size_t>(found - names.begin());
        return add(node);
    }

    Index unknown(const std::string& name)
    {
        std::string names;
        for (const std::string& known : m_result.m_variables)
            names.append(names.empty() ? "there are " : ", ").append(known);
        return fail(std::string("nothing is called '").append(name).append("'"), names);
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::size_t m_depth = 0;
    std::optional<Error> m_error;
    Expression m_result;
};

Result<Expression> Expression::parse(std::string_view text, std::vector<std::string> variables)
{
    return ExpressionParser(text, std::move(variables)).parse();
}

double Expression::evaluate(std::span<const double> values) const
{
    return valueOf(m_nodes.size() - 1, values);
}

double Expression::valueOf(std::size_t index, std::span<const double> values) const
{
    const Node& node = m_nodes[index];
    switch (node.what) {
    case What::Number:
        return node.number;
    case What::Variable:
        return values[node.variable];
    case What::Unary:
        return node.function(valueOf(node.children[0], values), 0);
    case What::Binary:
        return node.function(valueOf(node.children[0], values), valueOf(node.children[1], values));
    case What::Choice:
        break;
    }
    return valueOf(node.children[valueOf(node.children[0], values) != 0 ? 1 : 2], values);
}

bool Expression::uses(std::string_view variable) const
{
    return std::any_of(m_nodes.begin(), m_nodes.end(), [&](const Node& node) {
        return node.what == What::Variable && m_variables[node.variable] == variable;
    });
}

} // namespace athanor
