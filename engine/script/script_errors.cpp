#include "engine/script/script_errors.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

namespace athanor {
namespace {

std::vector<std::string_view> linesOf(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (true) {
        const auto end = text.find('\n');
        lines.push_back(text.substr(0, end));
        if (end == std::string_view::npos)
            return lines;
        text.remove_prefix(end + 1);
    }
}

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view kSpaces = " \t\r\n";
    const auto start = text.find_first_not_of(kSpaces);
    if (start == std::string_view::npos)
        return {};
    return text.substr(start, text.find_last_not_of(kSpaces) - start + 1);
}

/// The line number of `  File "script", line 3…`; nothing for other lines and files.
std::optional<int> lineNumber(std::string_view line)
{
    const std::string start = fmt::format("File \"{}\", line ", kScriptFile);
    line = trimmed(line);
    if (!line.starts_with(start))
        return std::nullopt;
    int number = 0;
    const auto digits = line.substr(start.size());
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return error == std::errc() ? std::optional(number) : std::nullopt;
}

bool isFileLine(std::string_view line)
{
    return trimmed(line).starts_with("File \"");
}

bool isMarkLine(std::string_view line)
{
    const auto marks = trimmed(line.substr(0, line.find("<--- HERE")));
    return !marks.empty() && marks.find_first_not_of('~') == std::string_view::npos;
}

/// Bytes of a source line before and under the marks, as characters.
void placeMarks(std::string_view markLine, std::string_view sourceLine, SourcePlace& place)
{
    const auto start = markLine.find('~');
    const auto end = markLine.find_first_not_of('~', start);
    const auto length = (end == std::string_view::npos ? markLine.size() : end) - start;
    place.column = characterCount(sourceLine.substr(0, start)) + 1;
    place.length = start < sourceLine.size() ? characterCount(sourceLine.substr(start, length)) : 0;
}

/// Where a passage of the message that starts at a file line points to.
SourcePlace placeIn(const std::vector<std::string_view>& lines, std::size_t fileLine, std::string_view source)
{
    SourcePlace place{*lineNumber(lines[fileLine]), 0, 0};
    const auto sourceLines = linesOf(source);
    const auto index = static_cast<std::size_t>(place.line) - 1;
    if (place.line < 1 || index >= sourceLines.size())
        return place;
    for (std::size_t i = fileLine + 1; i < lines.size() && !isFileLine(lines[i]); ++i)
        if (isMarkLine(lines[i])) {
            placeMarks(lines[i], sourceLines[index], place);
            break;
        }
    return place;
}

bool takeAway(std::string& text, std::string_view part, std::string_view replacement = {})
{
    const auto at = text.find(part);
    if (at == std::string::npos)
        return false;
    text.replace(at, part.size(), replacement);
    return true;
}

/// The first sentence without the compiler's own names for things.
std::string cleaned(std::string_view text)
{
    std::string message(trimmed(text));
    for (const std::string_view noise :
         {"Here are some suggestions:", "The following variants are available:", "The original call is:",
          "Exception raised from"})
        message = message.substr(0, message.find(noise));
    takeAway(message, " Did you forget to initialize an attribute in __init__()?");
    takeAway(message, "Function was not annotated as having type None, but does not return along all paths",
             "the function does not return on every way through it");
    takeAway(message, "Unknown builtin op: aten::", "there is no torch.");
    takeAway(message, "undefined value ", "unknown name ");
    takeAway(message, "RuntimeError: ");
    takeAway(message, "AssertionError: ");
    const auto unit = message.find(" (of Python compilation unit at");
    if (unit != std::string::npos && message.find(')', unit) != std::string::npos)
        message.erase(unit, message.find(')', unit) - unit + 1);
    takeAway(message, "'__torch__.Script' object has no attribute or method", "self has no");
    takeAway(message, "found 'indent'", "found the end of the line");
    takeAway(message, "found 'newline'", "found the end of the line");
    takeAway(message, "found 'dedent'", "found the end of the block");
    takeAway(message, "found 'eof'", "found the end of the source");
    takeAway(message, "found 'ident'", "found a name");
    takeAway(message, " here:", " here");
    std::string clean(trimmed(message));
    while (!clean.empty() && (clean.back() == ':' || clean.back() == '.'))
        clean.pop_back();
    return clean;
}

/// The first of the compiler's "Expected a value of type …" when it refuses a call.
std::string callProblem(std::string_view message)
{
    for (const std::string_view line : linesOf(message)) {
        const auto text = trimmed(line);
        if (text.starts_with("Expected ") || text.starts_with("Argument ") ||
            text.starts_with("Unknown keyword") || text.starts_with("Schema not found"))
            return std::string(text.substr(0, text.find_last_not_of('.') + 1));
    }
    return {};
}

/// The builtins that the compiler suggests, as they are written.
std::string suggestions(std::string_view message)
{
    std::string names;
    int count = 0;
    for (const std::string_view line : linesOf(message)) {
        const auto text = trimmed(line);
        if (text.starts_with("aten::") && text.find('(') == std::string_view::npos && count++ < 3)
            names += (names.empty() ? "torch." : ", torch.") + std::string(text.substr(6));
    }
    return names.empty() ? names : fmt::format("did you mean {}?", names);
}

std::string hintFor(std::string_view message)
{
    struct Hint {
        std::string_view part;
        const char* hint;
    };
    static constexpr Hint kHints[] = {
        {"unknown name F", "there is no F here: write torch.relu(x), torch.softmax(x, 1), …"},
        {"unknown name nn",
         "layers are nodes of their own: declare weights in parameters, and use torch.* functions"},
        {"unknown name np", "there is no numpy here: use torch.*"},
        {"unknown name ",
         "names are arguments, variables, functions of this source, torch, math and Python's builtins"},
        {"self has no", "declare it in parameters (a tensor) or constants (a number)"},
        {"'import'", "nothing can be imported: torch and math are there"},
        {"'class'", "only functions can be defined here"},
        {"not defined in the false branch", "give it a value in both branches, or before the if"},
        {"not defined in the true branch", "give it a value in both branches, or before the if"},
        {"does not return on every way", "end every way through the function with a return"},
        {"called recursively", "use a for or while loop"},
        {"attribute lookup is not defined on builtin",
         "write torch.relu(x) instead of torch.nn.functional.relu(x)"},
        {"is not a tensor", "use torch functions on tensors only"},
    };
    for (const Hint& entry : kHints)
        if (message.find(entry.part) != std::string_view::npos)
            return entry.hint;
    return {};
}

/// LibTorch's words for an allocation that failed.
bool isOfMemory(std::string_view message)
{
    return message.find("can't allocate memory") != std::string_view::npos ||
           message.find("out of memory") != std::string_view::npos;
}

/// What failed at run time stands behind the traceback.
std::string runtimeText(const std::vector<std::string_view>& lines)
{
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
        const auto at = line->find("Error: ");
        if (at == std::string_view::npos || line->find(' ') < at)
            continue;
        std::string text(*line);
        for (auto next = line.base(); next != lines.end() && !trimmed(*next).empty(); ++next)
            text.append(1, ' ').append(trimmed(*next));
        return text;
    }
    return "it fails when it is run";
}

} // namespace

SourceProblem problemOfMessage(std::string_view message, std::string_view source)
{
    const auto lines = linesOf(message);
    const bool ran = message.find("Traceback of TorchScript") != std::string_view::npos;
    std::optional<std::size_t> at;
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (lineNumber(lines[i]) &&
            (ran || !at)) // the innermost call is the last; a compiler's first is the cause
            at = i;
    SourceProblem problem;
    if (at)
        problem.place = placeIn(lines, *at, source);
    if (ran) {
        problem.message = cleaned(runtimeText(lines));
    } else {
        const auto firstFile = std::find_if(lines.begin(), lines.end(), isFileLine);
        const auto head =
            firstFile == lines.end()
                ? message
                : message.substr(0, static_cast<std::size_t>(firstFile->data() - message.data()));
        problem.message = cleaned(head);
        problem.hint = suggestions(head);
        if (const std::string call = callProblem(head); !call.empty())
            problem.message = call;
    }
    if (problem.hint.empty())
        problem.hint = hintFor(problem.message);
    return problem;
}

ScriptError::ScriptError(SourceProblem problem, std::string where, std::string details)
    : PlacedError({isOfMemory(problem.message) ? ErrorCode::OutOfMemory : ErrorCode::InvalidArgument, placedText(problem), std::move(where), problem.hint,
                   std::move(details)}),
      m_problem(std::move(problem))
{}

} // namespace athanor
