// Any thread. The bytes of text files as UTF-8.
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace athanor {

/// Line of the first byte that is no UTF-8 text, from 1; 0 when all is well.
std::int64_t lineOfBadUtf8(std::string_view text);

/// Whether toUtf8 would take a text that starts like that for UTF-16.
bool looksLikeUtf16(std::string_view head, const std::string& encoding);

/// Bytes of Latin-1 as UTF-8.
std::string latin1ToUtf8(std::string_view bytes);

/// Text in `encoding` ("auto", "utf-8", "utf-16", "latin-1") as UTF-8 without its byte order mark. "auto" goes
/// by the mark, else takes UTF-16 for a text in which every second byte is mostly zero, UTF-8 where it is sound,
/// and Latin-1 (with the quotes and dashes of Windows-1252) otherwise. Fails for zero bytes (no text) and for
/// what the named encoding does not allow; the error has no place yet.
Result<std::string> toUtf8(std::string bytes, const std::string& encoding);

} // namespace athanor
