#include "engine/data/transforms/tokenizer.h"

#include "engine/data/pieces/piece_library.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace athanor {

namespace {

struct Character {
    std::uint32_t code = 0;
    std::size_t bytes = 1;
};

/// Of text that is sound UTF-8; a byte that is not counts as a character of its own.
Character characterAt(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
    const std::uint32_t first = byte(0);
    const std::size_t bytes = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (bytes > text.size() || first < 0xC0)
        return {first, 1};
    std::uint32_t code = first & (0xFFU >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i)
        code = code << 6U | (byte(i) & 0x3FU);
    return {code, bytes};
}

bool isSpace(std::uint32_t code)
{
    return (code >= 9 && code <= 13) || (code >= 28 && code <= 32) || code == 0x85 || code == 0xA0 ||
           (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 || code == 0x202F ||
           code == 0x205F || code == 0x3000 || code == 0x1680;
}

bool isWord(std::uint32_t code)
{
    if (code < 0x80)
        return (code >= '0' && code <= '9') || (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') ||
               code == '_';
    if (code < 0xC0)
        return code == 0xAA || code == 0xB5 || code == 0xBA || code == 0xB2 || code == 0xB3 || code == 0xB9 ||
               (code >= 0xBC && code <= 0xBE);
    const bool punctuation = (code >= 0x2000 && code < 0x2070) || (code >= 0x20A0 && code < 0x20D0) ||
                             (code >= 0x2190 && code < 0x2C00) || (code >= 0x3000 && code < 0x3005) ||
                             (code >= 0x3008 && code < 0x3021) || (code >= 0xFF01 && code < 0xFF10) ||
                             (code >= 0x1F000 && code < 0x1FB00) || code == 0xFFFD;
    return !punctuation && code != 0xD7 && code != 0xF7;
}

std::uint32_t lowerCode(std::uint32_t code)
{
    const bool latin = (code >= 0xC0 && code <= 0xDE && code != 0xD7) || (code >= 'A' && code <= 'Z');
    const bool greek = code >= 0x391 && code <= 0x3A9 && code != 0x3A2;
    if (latin || greek || (code >= 0x410 && code <= 0x42F))
        return code + 32;
    if (code >= 0x400 && code <= 0x40F)
        return code + 80;
    const bool pairsEven = (code >= 0x100 && code <= 0x137 && code != 0x130) || (code >= 0x14A && code <= 0x177);
    const bool pairsOdd = (code >= 0x139 && code <= 0x148) || (code >= 0x179 && code <= 0x17E);
    if ((pairsEven && code % 2 == 0) || (pairsOdd && code % 2 == 1))
        return code + 1;
    return code == 0x178 ? 0xFF : code;
}

std::vector<std::string> charactersOf(std::string_view text)
{
    std::vector<std::string> characters;
    while (!text.empty()) {
        const std::size_t bytes = characterAt(text).bytes;
        characters.emplace_back(text.substr(0, bytes));
        text.remove_prefix(bytes);
    }
    return characters;
}

using Cut = std::vector<std::string> (*)(std::string_view);

class ListTokenizer final : public Tokenizer {
public:
    ListTokenizer(Cut cut, bool lower, std::vector<std::string> vocabulary)
        : m_cut(cut), m_lower(lower), m_vocabulary(std::move(vocabulary))
    {
        for (std::size_t i = 2; i < m_vocabulary.size(); ++i)
            m_numbers.emplace(m_vocabulary[i], static_cast<std::int64_t>(i));
    }

    void encode(std::string_view text, std::size_t most, std::vector<std::int64_t>& tokens) const override
    {
        tokens.clear();
        for (const std::string& token : m_cut(m_lower ? lowerText(text) : std::string(text))) {
            if (tokens.size() >= most)
                return;
            const auto number = m_numbers.find(token);
            tokens.push_back(number == m_numbers.end() ? kUnknownToken : number->second);
        }
    }
    [[nodiscard]] const std::vector<std::string>& vocabulary() const override { return m_vocabulary; }

private:
    Cut m_cut;
    bool m_lower;
    std::vector<std::string> m_vocabulary;
    std::unordered_map<std::string, std::int64_t> m_numbers;
};

class PieceTokenizer final : public Tokenizer {
public:
    explicit PieceTokenizer(std::unique_ptr<PieceModel> model) : m_model(std::move(model)), m_vocabulary(m_model->vocabulary()) {}

    void encode(std::string_view text, std::size_t most, std::vector<std::int64_t>& tokens) const override
    {
        m_model->encode(text, most, tokens);
    }
    [[nodiscard]] const std::vector<std::string>& vocabulary() const override { return m_vocabulary; }

private:
    std::unique_ptr<PieceModel> m_model;
    std::vector<std::string> m_vocabulary;
};

TokenizerPtr trainList(const TokenizerOptions& options, const std::vector<std::string>& texts)
{
    const Cut cut = options.method == "character" ? charactersOf : wordsOf;
    std::unordered_map<std::string, std::int64_t> counts;
    for (const std::string& text : texts)
        for (std::string& token : cut(options.lower ? lowerText(text) : text))
            ++counts[std::move(token)];
    std::vector<std::pair<std::string, std::int64_t>> ranked;
    for (auto& [token, count] : counts)
        if (count >= options.minFrequency)
            ranked.emplace_back(token, count);
    std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    std::vector<std::string> vocabulary = {"<pad>", "<unk>"};
    for (auto& [token, count] : ranked)
        if (vocabulary.size() < options.maxTokens)
            vocabulary.push_back(std::move(token));
    return std::make_shared<ListTokenizer>(cut, options.lower, std::move(vocabulary));
}

Result<TokenizerPtr> trainPieces(const TokenizerOptions& options, const std::vector<std::string>& texts)
{
    auto model = PieceModel::train(texts, static_cast<std::size_t>(options.maxTokens));
    if (!model)
        return model.error();
    return TokenizerPtr(std::make_shared<PieceTokenizer>(std::move(*model)));
}

} // namespace

std::string lowerText(std::string_view text)
{
    std::string lower;
    lower.reserve(text.size());
    while (!text.empty()) {
        const Character character = characterAt(text);
        const std::uint32_t code = lowerCode(character.code);
        if (code == character.code || character.bytes > 2)
            lower += text.substr(0, character.bytes);
        else if (code < 0x80)
            lower += static_cast<char>(code);
        else {
            lower += static_cast<char>(0xC0U | code >> 6U);
            lower += static_cast<char>(0x80U | (code & 0x3FU));
        }
        text.remove_prefix(character.bytes);
    }
    return lower;
}

std::vector<std::string> wordsOf(std::string_view text)
{
    std::vector<std::string> words;
    bool inWord = false;
    while (!text.empty()) {
        const Character character = characterAt(text);
        const bool word = isWord(character.code);
        if (word && inWord)
            words.back() += text.substr(0, character.bytes);
        else if (!isSpace(character.code))
            words.emplace_back(text.substr(0, character.bytes));
        inWord = word;
        text.remove_prefix(character.bytes);
    }
    return words;
}

Result<TokenizerPtr> trainTokenizer(const TokenizerOptions& options, const std::vector<std::string>& texts)
{
    return options.method == "sentencepiece" ? trainPieces(options, texts)
                                             : Result<TokenizerPtr>(trainList(options, texts));
}

} // namespace athanor
