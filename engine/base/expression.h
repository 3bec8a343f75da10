// Any thread (immutable once parsed). Arithmetic that a person writes: schedules, conditions, filters.
#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace athanor {

/// An expression over named numbers, written as in Python: `min(1, (step + 1) / 500) * 0.95 ** epoch`.
///
/// Numbers; + - * / // % ** and parentheses; < <= > >= == !=, `and`, `or`, `not`, `a if c else b`; the
/// constants pi, e, inf, nan, true, false; abs, ceil, cos, exp, floor, isfinite, isnan, log, log10, log2,
/// max, min, pow, round, sign, sin, sqrt, tan, tanh. A name that is no word stands in quotes: 'val/loss' < 0.1.
/// Comparisons give 1 or 0. Division by zero is infinite or NaN; nothing throws.
class Expression {
public:
    /// InvalidArgument when it is not an expression over `variables`: the message tells what and at which
    /// character (from 1), the hint the nearest known name.
    static Result<Expression> parse(std::string_view text, std::vector<std::string> variables);

    /// Its value for these numbers, one per variable in the order given to parse().
    [[nodiscard]] double evaluate(std::span<const double> values) const;

    /// Whether the variable stands in it.
    [[nodiscard]] bool uses(std::string_view variable) const;

private:
    friend class ExpressionParser;

    enum class What { Number, Variable, Unary, Binary, Choice };
    using Function = double (*)(double, double);
    struct Node {
        What what = What::Number;
        double number = 0;
        std::size_t variable = 0;
        Function function = nullptr; ///< a Unary one ignores its second number
        std::size_t children[3] = {0, 0, 0};
    };
    [[nodiscard]] double valueOf(std::size_t node, std::span<const double> values) const;

    std::vector<std::string> m_variables;
    std::vector<Node> m_nodes; ///< children before their parents; the last one is the whole
};

} // namespace athanor
