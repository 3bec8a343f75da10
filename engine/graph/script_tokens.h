// Any thread. Inside engine/graph: a script's source in words and signs.
#pragma once

#include <string_view>

namespace athanor {

/// What a reader of Python sees: words, single signs, ends of lines; no comments, texts as one sign.
struct Token {
    enum class Kind { Word, Sign, Text, LineEnd, End } kind = Kind::End;
    std::string_view text;
    std::size_t start = 0;
    bool startsLine = false; ///< nothing before it, not even a space
};

class Tokens {
public:
    /// The source must outlive it.
    explicit Tokens(std::string_view source) : m_source(source) { next(); }

    [[nodiscard]] const Token& current() const { return m_token; }
    [[nodiscard]] bool is(std::string_view text) const
    {
        return m_token.kind != Token::Kind::Text && m_token.text == text;
    }
    [[nodiscard]] bool isEnd() const { return m_token.kind == Token::Kind::End; }
    void next();

private:
    std::size_t textEnd(std::size_t start) const;
    std::string_view m_source;
    std::size_t m_at = 0;
    Token m_token;
};

} // namespace athanor
