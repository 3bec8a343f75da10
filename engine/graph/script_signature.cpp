#include "engine/graph/script_signature.h"

#include "engine/graph/script_tokens.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace athanor {
namespace {

constexpr std::string_view kExample = "def forward(self, x: Tensor) -> Tensor:";

// Recursive descent through `def forward(…) -> …:`.
class SignatureReader {
public:
    explicit SignatureReader(std::string_view source) : m_source(source), m_tokens(source) {}
    ScriptSignature read();

private:
    bool findForward();
    void readArguments();
    void readArgument(bool first);
    void readSelf(const Token& name, bool isAnnotated);
    void addArgument(const Token& name, const std::string& type, const Token& typeStart);
    std::string readType();
    void skipDefault();
    void readResults();
    void report(const Token& token, std::string message, std::string hint = {});
    [[nodiscard]] bool endsArgument() const
    {
        return m_tokens.is(",") || m_tokens.is(")") || m_tokens.isEnd();
    }
    void skipLineEnds()
    {
        while (m_tokens.current().kind == Token::Kind::LineEnd)
            m_tokens.next();
    }

    std::string_view m_source;
    Tokens m_tokens;
    ScriptSignature m_signature;
};

void SignatureReader::report(const Token& token, std::string message, std::string hint)
{
    m_signature.problems.push_back(
        {placeAt(m_source, token.start, token.text.size()), std::move(message), std::move(hint)});
}

ScriptSignature SignatureReader::read()
{
    if (findForward()) {
        readArguments();
        readResults();
    }
    return std::move(m_signature);
}

bool SignatureReader::findForward()
{
    Token indented;
    for (; !m_tokens.isEnd(); m_tokens.next()) {
        if (!m_tokens.is("def"))
            continue;
        const Token def = m_tokens.current();
        m_tokens.next();
        if (!m_tokens.is("forward"))
            continue;
        if (!def.startsLine) {
            indented = def;
            continue;
        }
        const Token name = m_tokens.current();
        m_signature.forward = placeAt(m_source, name.start, name.text.size());
        m_tokens.next();
        if (m_tokens.is("("))
            return true;
        report(name, "forward has no arguments in parentheses", fmt::format("write {}", kExample));
        return false;
    }
    if (indented.kind == Token::Kind::Word)
        report(indented, "def forward must start at the left edge", "remove what stands before def");
    else
        m_signature.problems.push_back(
            {{1, 1, 0}, "there is no function forward", fmt::format("write {}", kExample)});
    return false;
}

void SignatureReader::readArguments()
{
    const Token open = m_tokens.current();
    m_tokens.next();
    skipLineEnds();
    if (m_tokens.is(")"))
        report(open, "forward needs self as its first argument", fmt::format("write {}", kExample));
    for (bool first = true; !m_tokens.is(")"); first = false) {
        if (m_tokens.isEnd()) {
            report(open, "the parenthesis of forward's arguments is never closed");
            return;
        }
        readArgument(first);
        if (m_tokens.is(","))
            m_tokens.next();
        skipLineEnds();
    }
    m_tokens.next();
}

void SignatureReader::readArgument(bool first)
{
    const Token name = m_tokens.current();
    if (name.kind != Token::Kind::Word) {
        const bool isStar = m_tokens.is("*");
        report(name, isStar ? "a script has no * arguments" : "an argument's name is missing",
               isStar ? "name each argument: every one is a port" : "write name: Tensor");
        m_tokens.next(); // always forward, whatever it is
        while (!endsArgument())
            m_tokens.next();
        return;
    }
    m_tokens.next();
    skipLineEnds();
    const bool isAnnotated = m_tokens.is(":");
    Token typeStart = m_tokens.current();
    std::string type = "Tensor"; // what TorchScript takes it for
    if (isAnnotated) {
        m_tokens.next();
        typeStart = m_tokens.current();
        type = readType();
    }
    if (m_tokens.is("="))
        skipDefault();
    if (!endsArgument()) {
        report(m_tokens.current(), "a comma or a closing parenthesis is missing before this");
        while (!endsArgument())
            m_tokens.next();
        return;
    }
    if (first)
        readSelf(name, isAnnotated);
    else
        addArgument(name, type, typeStart);
}

void SignatureReader::readSelf(const Token& name, bool isAnnotated)
{
    if (name.text != "self" || isAnnotated)
        report(name, "forward's first argument must be self, without a type",
               fmt::format("write {}", kExample));
}

void SignatureReader::addArgument(const Token& name, const std::string& type, const Token& typeStart)
{
    const std::string word(name.text);
    const auto sameName = [&](const ScriptArgument& other) { return other.name == word; };
    if (std::any_of(m_signature.arguments.begin(), m_signature.arguments.end(), sameName)) {
        report(name, fmt::format("there are two arguments called {}", word));
        return;
    }
    if (type == "Tensor")
        m_signature.arguments.push_back({word, ScriptValue::Tensor});
    else if (type == "Optional[Tensor]")
        m_signature.arguments.push_back({word, ScriptValue::OptionalTensor});
    else if (type == "List[Tensor]")
        m_signature.arguments.push_back({word, ScriptValue::TensorList});
    else if (type.empty())
        report(typeStart, fmt::format("the type of {} is missing", word), "write Tensor");
    else
        report(typeStart, fmt::format("{} is a {}, but only tensors flow along edges", word, type),
               "use Tensor, Optional[Tensor] or List[Tensor]; numbers belong into constants, as self.name");
}

// Without spaces and the names of modules before it.
std::string SignatureReader::readType()
{
    std::string type;
    int depth = 0;
    bool afterWord = false;
    while (!m_tokens.isEnd()) {
        const bool isWord = m_tokens.current().kind == Token::Kind::Word;
        if (isWord && afterWord)
            break; // two words without a sign between them are two things
        afterWord = isWord;
        if (depth == 0 && (endsArgument() || m_tokens.is("=") || m_tokens.is(":") || m_tokens.is("->")))
            break;
        if (m_tokens.is("[") || m_tokens.is("("))
            ++depth;
        if (m_tokens.is("]") || m_tokens.is(")"))
            --depth;
        if (m_tokens.current().kind != Token::Kind::LineEnd)
            type += m_tokens.current().text;
        else if (depth == 0)
            break;
        m_tokens.next();
    }
    for (const std::string_view module : {"torch.", "typing."})
        for (auto at = type.find(module); at != std::string::npos; at = type.find(module))
            type.erase(at, module.size());
    return type;
}

void SignatureReader::skipDefault()
{
    int depth = 0;
    while (!m_tokens.isEnd() && (depth > 0 || !endsArgument())) {
        depth += m_tokens.is("(") || m_tokens.is("[") ? 1 : 0;
        depth -= m_tokens.is(")") || m_tokens.is("]") ? 1 : 0;
        m_tokens.next();
    }
    skipLineEnds();
}

void SignatureReader::readResults()
{
    if (!m_tokens.is("->")) {
        if (!m_tokens.is(":") && m_signature.problems.empty())
            report(m_tokens.current(), "a colon is missing behind the arguments of forward",
                   fmt::format("write {}", kExample));
        return;
    }
    m_tokens.next();
    const Token start = m_tokens.current();
    const std::string type = readType();
    if (!m_tokens.is(":"))
        report(m_tokens.current(), "a colon is missing behind the type that forward returns");
    constexpr std::string_view kTuple = "Tuple[";
    if (type == "Tensor")
        m_signature.results = 1;
    else if (type.starts_with(kTuple) && type.ends_with("]")) {
        int results = 0;
        std::string_view rest = std::string_view(type).substr(kTuple.size());
        rest.remove_suffix(1);
        while (rest.starts_with("Tensor")) {
            ++results;
            rest.remove_prefix(6);
            if (!rest.starts_with(","))
                break;
            rest.remove_prefix(1);
        }
        if (rest.empty() && results > 0)
            m_signature.results = results;
    }
    if (!m_signature.results)
        report(start,
               type.empty() ? "the type that forward returns is missing"
                            : fmt::format("forward returns {}, but only tensors flow along edges", type),
               "return Tensor, or Tuple[Tensor, Tensor] for several ports");
}

} // namespace

int characterCount(std::string_view text)
{
    return static_cast<int>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

SourcePlace placeAt(std::string_view source, std::size_t start, std::size_t length)
{
    const std::string_view before = source.substr(0, start);
    const auto lineStart = before.rfind('\n');
    const auto column = lineStart == std::string_view::npos ? before : before.substr(lineStart + 1);
    const std::string_view text = source.substr(std::min(start, source.size()), length);
    return {static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1, characterCount(column) + 1,
            characterCount(text.substr(0, text.find('\n')))};
}

std::string placedText(const SourceProblem& problem)
{
    if (problem.place.line == 0)
        return problem.message;
    if (problem.place.column == 0)
        return fmt::format("line {}: {}", problem.place.line, problem.message);
    return fmt::format("line {}, column {}: {}", problem.place.line, problem.place.column, problem.message);
}

ScriptSignature readSignature(std::string_view source)
{
    return SignatureReader(source).read();
}

} // namespace athanor
