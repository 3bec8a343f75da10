#include "engine/graph/script_tokens.h"

#include <algorithm>
#include <string>

namespace athanor {
namespace {

bool isNameStart(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool isNamePart(char c)
{
    return isNameStart(c) || (c >= '0' && c <= '9');
}

} // namespace

// Behind the closing quotation marks, or the end of what is left open.
std::size_t Tokens::textEnd(std::size_t start) const
{
    const char mark = m_source[start];
    const std::string triple(3, mark);
    const bool isLong = m_source.substr(start, 3) == triple;
    std::size_t at = start + (isLong ? 3 : 1);
    while (at < m_source.size()) {
        if (m_source[at] == '\\')
            at += 2;
        else if (!isLong && (m_source[at] == mark || m_source[at] == '\n'))
            return m_source[at] == mark ? at + 1 : at;
        else if (isLong && m_source.substr(at, 3) == triple)
            return at + 3;
        else
            ++at;
    }
    return m_source.size();
}

void Tokens::next()
{
    const auto take = [&](Token::Kind kind, std::size_t end) {
        const bool startsLine = m_at == 0 || m_source[m_at - 1] == '\n';
        m_token = {kind, m_source.substr(m_at, end - m_at), m_at, startsLine};
        m_at = std::min(end, m_source.size());
    };
    while (m_at < m_source.size()) {
        const char c = m_source[m_at];
        if (c == '#')
            m_at = std::min(m_source.find('\n', m_at), m_source.size());
        else if (c == ' ' || c == '\t' || c == '\r')
            ++m_at;
        else if (c == '\\' && m_source.substr(m_at, 2) == "\\\n")
            m_at += 2;
        else
            break;
    }
    if (m_at >= m_source.size())
        return take(Token::Kind::End, m_source.size());
    const char c = m_source[m_at];
    if (c == '\n')
        return take(Token::Kind::LineEnd, m_at + 1);
    if (c == '"' || c == '\'')
        return take(Token::Kind::Text, textEnd(m_at));
    if (m_source.substr(m_at, 2) == "->")
        return take(Token::Kind::Sign, m_at + 2);
    std::size_t end = m_at + 1;
    while (isNameStart(c) && end < m_source.size() && isNamePart(m_source[end]))
        ++end;
    take(isNameStart(c) ? Token::Kind::Word : Token::Kind::Sign, end);
}

} // namespace athanor
