// Any thread (immutable once made). Texts cut into tokens.
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace athanor {

inline constexpr std::int64_t kPaddingToken = 0;
inline constexpr std::int64_t kUnknownToken = 1;

class Tokenizer {
public:
    virtual ~Tokenizer() = default;
    /// Numbers of the text's tokens, in its order, at most `most` of them.
    virtual void encode(std::string_view text, std::size_t most, std::vector<std::int64_t>& tokens) const = 0;
    /// Text of each number; the first two are "<pad>" and "<unk>".
    [[nodiscard]] virtual const std::vector<std::string>& vocabulary() const = 0;
};
using TokenizerPtr = std::shared_ptr<const Tokenizer>;

struct TokenizerOptions {
    std::string method = "word"; ///< word, character, sentencepiece
    std::size_t maxTokens = 20000;
    std::int64_t minFrequency = 1;
    bool lower = true;
};
/// A vocabulary of these texts. Fails for SentencePiece where the texts are too few for the size that is asked.
Result<TokenizerPtr> trainTokenizer(const TokenizerOptions& options, const std::vector<std::string>& texts);

/// As Python's re.findall(r"\w+|[^\w\s]", text): runs of letters, digits and _; every other character that is not blank.
std::vector<std::string> wordsOf(std::string_view text);
/// Capital letters of Latin, Greek and Cyrillic as small ones.
std::string lowerText(std::string_view text);

} // namespace athanor
