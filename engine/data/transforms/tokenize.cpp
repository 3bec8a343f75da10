#include "engine/data/transforms/fitted_steps.h"
#include "engine/data/transforms/tokenizer.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace athanor {

namespace {

bool isText(const FieldLayout& layout)
{
    return layout.element == Element::UInt8 && layout.shape == std::vector<std::int64_t>{kVaries};
}

class Tokenize final : public Transform {
public:
    Tokenize(TokenizerPtr tokenizer, std::size_t most) : m_tokenizer(std::move(tokenizer)), m_most(most) {}

    [[nodiscard]] bool appliesTo(const FieldLayout& layout) const override { return isText(layout); }

    [[nodiscard]] Result<FieldLayout> outputLayout(const FieldLayout& input) const override
    {
        FieldLayout layout = input;
        if (layout.name.ends_with("text"))
            layout.name.replace(layout.name.size() - 4, 4, "tokens");
        layout.element = Element::Int64;
        layout.classNames = m_tokenizer->vocabulary();
        layout.classes = static_cast<std::int64_t>(layout.classNames.size());
        return layout;
    }

    /// An empty text becomes one unknown token: no network takes a sequence of length 0.
    Status apply(const Value& input, Value& output, SampleRandom&) const override
    {
        std::vector<std::int64_t> tokens;
        const auto* text = reinterpret_cast<const char*>(input.bytes());
        m_tokenizer->encode({text, static_cast<std::size_t>(input.count())}, m_most, tokens);
        if (tokens.empty())
            tokens.push_back(kUnknownToken);
        std::byte* out = output.write(Element::Int64, {static_cast<std::int64_t>(tokens.size())});
        std::memcpy(out, tokens.data(), tokens.size() * sizeof(std::int64_t));
        return Done{};
    }

private:
    TokenizerPtr m_tokenizer;
    std::size_t m_most; // tokens kept
};

} // namespace

Result<std::vector<TransformPtr>> fitTokenize(const PlanNode& node, const PartData& training)
{
    const std::vector<std::size_t> fields = training.chain.inputFields();
    const auto& layouts = training.chain.layouts();
    if (std::none_of(fields.begin(), fields.end(), [&](std::size_t field) { return isText(layouts[field]); }))
        return invalid("There is no field of texts to work on", "TextFolder and TextCsv yield texts");
    std::vector<std::string> texts;
    Sample sample;
    Value scratch;
    for (const std::int64_t index : training.samples) {
        if (const Status status = training.readSample(index, 0, sample, scratch); !status)
            return status.error();
        for (const std::size_t field : fields)
            if (isText(layouts[field]))
                texts.emplace_back(reinterpret_cast<const char*>(sample[field].bytes()),
                                   static_cast<std::size_t>(sample[field].count()));
    }
    const TokenizerOptions options{node.params.at("method").get<std::string>(),
                                   node.params.at("max_tokens").get<std::size_t>(),
                                   node.params.at("min_frequency").get<std::int64_t>(),
                                   node.params.at("lower").get<bool>()};
    const Result<TokenizerPtr> tokenizer = trainTokenizer(options, texts);
    if (!tokenizer)
        return tokenizer.error();
    const Json& length = node.params.at("max_length");
    const std::size_t most =
        length.is_null() ? std::numeric_limits<std::size_t>::max() : length.get<std::size_t>();
    return std::vector<TransformPtr>(fields.size(), std::make_shared<Tokenize>(*tokenizer, most));
}

} // namespace athanor
