#include "engine/project/json_text.h"

#include <algorithm>
#include <optional>
#include <set>

namespace athanor {
namespace {

constexpr int kDeepest = 100;

struct TooDeep {};

// Watches the parser: how deep it is, and which keys an object holds already.
class ParseWatch {
public:
    bool operator()(int depth, Json::parse_event_t event, const Json& parsed)
    {
        using Event = Json::parse_event_t;
        if (depth > kDeepest)
            throw TooDeep{};
        if (event == Event::object_start) {
            m_keys.emplace_back();
            m_path.emplace_back();
        } else if (event == Event::object_end) {
            m_keys.pop_back();
            m_path.pop_back();
        } else if (event == Event::key) {
            m_path.back() = parsed.get<std::string>();
            if (!m_keys.back().insert(m_path.back()).second)
                twice.push_back(place());
        }
        return true;
    }
    std::vector<std::string> twice;

private:
    [[nodiscard]] std::string place() const
    {
        std::string text;
        for (const std::string& name : m_path)
            text += (text.empty() ? "" : "/") + name;
        return text;
    }
    std::vector<std::set<std::string>> m_keys; // of the objects that are open
    std::vector<std::string> m_path;           // the key that each of them is at
};

// "line 3, column 5" of a byte counted from 1.
std::string placeOf(std::string_view text, std::size_t byte)
{
    const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const auto start = before.rfind('\n');
    std::size_t column = 1;
    for (const char c : before.substr(start == std::string_view::npos ? 0 : start + 1))
        if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) // UTF-8: continuation bytes are no characters
            ++column;
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

// The library's text without its own number and place: "syntax error while parsing value - …". What it read
// last is left out: it may be bytes that are no text, and the place says it better.
std::string reasonOf(std::string what)
{
    what = what.substr(0, what.find("; last read"));
    for (const std::string_view mark : {"syntax error", "number overflow"})
        if (const auto at = what.find(mark); at != std::string::npos)
            return what.substr(at);
    const auto end = what.find("] ");
    return end == std::string::npos ? what : what.substr(end + 2);
}

Error broken(std::string message, std::string hint = "correct the file in a text editor")
{
    return Error{ErrorCode::Unreadable, std::move(message), {}, std::move(hint), {}};
}

// What the parser would take for the end of the text, or for nonsense.
std::optional<Error> checkBytes(std::string_view text)
{
    const bool marked = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
    const auto zero = text.find('\0');
    if (marked || zero < 2)
        return broken("is written in UTF-16, but must be UTF-8", "save it as UTF-8 in a text editor");
    if (zero != std::string_view::npos)
        return broken(placeOf(text, zero + 1) + ": a NUL byte, which no JSON holds");
    return std::nullopt;
}

// Where a number stands that is too large for any double; the library does not tell its place.
std::string placeOfOverflow(std::string_view text, const std::string& reason)
{
    const auto from = reason.find('\'') + 1;
    const std::string number = reason.substr(from, reason.find('\'', from) - from);
    bool inText = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (inText && text[i] == '\\')
            ++i;
        else if (text[i] == '"')
            inText = !inText;
        else if (!inText && text.substr(i).starts_with(number))
            return placeOf(text, i + 1) + ": ";
    }
    return {};
}

std::string inlineText(const Json& value)
{
    if (!value.is_structured())
        return value.dump(-1, ' ', false, Json::error_handler_t::replace);
    std::string text;
    for (const auto& [key, item] : value.items()) {
        text += text.empty() ? "" : ", ";
        if (value.is_object())
            text += Json(key).dump(-1, ' ', false, Json::error_handler_t::replace) + ": ";
        text += inlineText(item);
    }
    return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

// The lists of nodes and edges, of the network and of its groups, and the positions are opened, one entry per
// line; else only the outer two levels.
bool isOpened(const Json& value, const std::vector<std::string>& path)
{
    if (!value.is_structured() || value.empty())
        return false;
    if (path.size() < 2)
        return value.is_object();
    const bool graph = path[0] == "data" || path[0] == "network";
    const auto isList = [&](const std::string& key) {
        return (key == "nodes" || key == "edges") && value.is_array();
    };
    if (path.size() == 2)
        return (graph && (isList(path[1]) || (path[1] == "groups" && value.is_array()))) ||
               (path[0] == "layout" && value.is_object());
    if (path[1] != "groups")
        return false;
    if (path.size() == 3)
        return value.is_object();
    return path.size() == 4 && graph && isList(path[3]);
}

void write(std::string& out, const Json& value, std::vector<std::string>& path)
{
    if (!isOpened(value, path)) {
        out += inlineText(value);
        return;
    }
    const std::string indent(2 * path.size(), ' ');
    out += value.is_object() ? "{" : "[";
    bool first = true;
    for (const auto& [key, item] : value.items()) {
        out += (first ? "\n" : ",\n") + indent + "  ";
        first = false;
        if (value.is_object())
            out += inlineText(Json(key)) + ": ";
        path.push_back(key);
        write(out, item, path);
        path.pop_back();
    }
    out += "\n" + indent + (value.is_object() ? "}" : "]");
}

} // namespace

Result<ReadJson> readJson(std::string_view text)
{
    if (auto wrong = checkBytes(text))
        return std::move(*wrong);
    ParseWatch watch;
    try {
        ReadJson read;
        read.value = Json::parse(text.begin(), text.end(), std::ref(watch));
        read.twice = std::move(watch.twice);
        return read;
    } catch (const TooDeep&) {
        return broken("is nested more than " + std::to_string(kDeepest) + " levels deep");
    } catch (const Json::parse_error& error) {
        return broken(placeOf(text, error.byte) + ": " + reasonOf(error.what()));
    } catch (const Json::exception& error) {
        const std::string reason = reasonOf(error.what());
        return broken(placeOfOverflow(text, reason) + reason);
    }
}

std::string documentText(const Json& document)
{
    std::string text;
    std::vector<std::string> path;
    write(text, document, path);
    return text + "\n";
}

Json merged(Json under, const Json& over)
{
    if (!under.is_object() || !over.is_object())
        return over;
    for (const auto& [key, value] : over.items()) {
        const auto it = under.find(key);
        if (it == under.end())
            under[key] = value;
        else
            *it = merged(std::move(*it), value);
    }
    return under;
}

} // namespace athanor
