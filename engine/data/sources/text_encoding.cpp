#include "engine/data/sources/text_encoding.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace athanor {

namespace {

constexpr std::string_view kMark8 = "\xEF\xBB\xBF";
constexpr std::string_view kMark16Le = "\xFF\xFE";
constexpr std::string_view kMark16Be = "\xFE\xFF";

Error unreadable(std::string message)
{
    return {ErrorCode::Unreadable, std::move(message), {}, "Save it as text in UTF-8", {}};
}

/// Bytes of the UTF-8 character that starts there; 0 when it is none.
std::size_t characterLength(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    const std::size_t length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (length == 0 || first > 0xF4 || length > text.size())
        return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xC0U) != 0x80)
            return 0;
    const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
    const bool surrogate = first == 0xED && byte(1) > 0x9F;
    return overlong || surrogate || (first == 0xF4 && byte(1) > 0x8F) ? 0 : length;
}

void append(std::string& text, std::uint32_t code)
{
    const auto push = [&](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
    if (code < 0x80) {
        push(code);
    } else if (code < 0x800) {
        push(0xC0U | code >> 6U);
        push(0x80U | (code & 0x3FU));
    } else if (code < 0x10000) {
        push(0xE0U | code >> 12U);
        push(0x80U | (code >> 6U & 0x3FU));
        push(0x80U | (code & 0x3FU));
    } else {
        push(0xF0U | code >> 18U);
        push(0x80U | (code >> 12U & 0x3FU));
        push(0x80U | (code >> 6U & 0x3FU));
        push(0x80U | (code & 0x3FU));
    }
}

/// What Windows-1252 has in 0x80–0x9F, where Latin-1 has control characters that no table holds.
constexpr std::array<std::uint16_t, 32> kWindows = {
    0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x8D,   0x017D, 0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};

Result<std::string> fromUtf16(std::string_view bytes, bool bigEndian)
{
    if (bytes.size() % 2 != 0)
        return unreadable("It ends inside a character of UTF-16");
    const auto unit = [&](std::size_t at) {
        const std::uint32_t a = static_cast<unsigned char>(bytes[at]);
        const std::uint32_t b = static_cast<unsigned char>(bytes[at + 1]);
        return bigEndian ? a << 8U | b : b << 8U | a;
    };
    std::string text;
    for (std::size_t at = 0; at < bytes.size(); at += 2) {
        std::uint32_t code = unit(at);
        if (code >= 0xD800 && code < 0xE000) { // one half of a pair
            const std::uint32_t low = at + 3 < bytes.size() ? unit(at + 2) : 0;
            if (code >= 0xDC00 || low < 0xDC00 || low >= 0xE000)
                return unreadable("It holds half a character of UTF-16");
            code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
            at += 2;
        }
        append(text, code);
    }
    return text;
}

/// Text of Western languages in UTF-16 has zeros in every second byte: 1 the even ones (big-endian), 2 the odd
/// ones; 0: it is none.
int zerosOfUtf16(std::string_view bytes)
{
    const std::size_t count = std::min<std::size_t>(bytes.size(), 4096) / 2 * 2;
    std::array<std::size_t, 2> zeros{};
    for (std::size_t i = 0; i < count; ++i)
        zeros[i % 2] += bytes[i] == '\0' ? 1 : 0;
    if (count < 4)
        return 0;
    if (zeros[1] * 10 > count * 3 && zeros[0] * 20 < count)
        return 2;
    return zeros[0] * 10 > count * 3 && zeros[1] * 20 < count ? 1 : 0;
}

} // namespace

std::string latin1ToUtf8(std::string_view bytes)
{
    std::string text;
    text.reserve(bytes.size() + bytes.size() / 8);
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        append(text, byte >= 0x80 && byte < 0xA0 ? kWindows[byte - 0x80U] : byte);
    }
    return text;
}

bool looksLikeUtf16(std::string_view head, const std::string& encoding)
{
    return encoding == "utf-16" ||
           (encoding == "auto" &&
            (head.starts_with(kMark16Le) || head.starts_with(kMark16Be) || zerosOfUtf16(head) != 0));
}

std::int64_t lineOfBadUtf8(std::string_view text)
{
    constexpr std::uint64_t kHighBits = 0x8080808080808080ULL;
    for (std::size_t at = 0; at < text.size();) {
        std::uint64_t word = 0;
        if (text.size() - at >= sizeof word) {
            std::memcpy(&word, text.data() + at, sizeof word);
            if ((word & kHighBits) == 0) { // eight plain characters
                at += sizeof word;
                continue;
            }
        }
        const std::size_t length = characterLength(text.substr(at));
        if (length == 0)
            return 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
        at += length;
    }
    return 0;
}

Result<std::string> toUtf8(std::string bytes, const std::string& encoding)
{
    const bool find = encoding == "auto";
    if ((find || encoding == "utf-16") && (bytes.starts_with(kMark16Le) || bytes.starts_with(kMark16Be)))
        return fromUtf16(std::string_view(bytes).substr(2), bytes.starts_with(kMark16Be));
    const int zeros = zerosOfUtf16(bytes);
    if (encoding == "utf-16" || (find && zeros != 0))
        return fromUtf16(bytes, zeros == 1);
    if (bytes.find('\0') != std::string::npos)
        return unreadable("This is no text file (it holds zero bytes)");
    if (encoding == "latin-1")
        return latin1ToUtf8(bytes);
    if (const std::int64_t line = lineOfBadUtf8(bytes); line > 0)
        return find ? Result<std::string>(latin1ToUtf8(bytes))
                    : unreadable("Line " + std::to_string(line) + " holds characters that are not UTF-8");
    if (bytes.starts_with(kMark8))
        bytes.erase(0, kMark8.size());
    return bytes;
}

} // namespace athanor
