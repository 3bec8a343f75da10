#include "engine/graph/catalog_parts.h"

namespace athanor {
namespace {

using namespace part;

ParamSpec when()
{
    return choice("when", {"train", "eval", "always"}, "always",
                  "In which passes it acts: train, eval (validation and test) or always.");
}

NodeKind step(std::string kind, std::string title, std::string help, std::vector<ParamSpec> params)
{
    params.push_back(when());
    return {.kind = std::move(kind),
            .family = NodeFamily::Transform,
            .title = std::move(title),
            .help = std::move(help),
            .inputs = oneInput(),
            .outputs = oneOutput(),
            .params = std::move(params)};
}

} // namespace

std::vector<NodeKind> dataFittedSteps()
{
    return {
        step("Tokenize", "Tokenize",
             "Cuts `text` into `tokens`: whole numbers, 0 for padding, 1 for what the vocabulary does not have. The "
             "vocabulary is made of the training part only, the most frequent first.",
             {choice("method", {"word", "character", "sentencepiece"}, "word",
                     "Words and punctuation marks in small letters; single characters; or the pieces that "
                     "SentencePiece finds in the training part."),
              integer("max_tokens", 20000, "Size of the vocabulary at most, padding and unknown included.", 3),
              integer("min_frequency", 1, "How often a token occurs at least to be in the vocabulary.", 1),
              nullable(integer("max_length", nullptr, "Tokens kept of each text; null: all.", 1)),
              boolean("lower", true, "Takes capital letters as small ones (word and character).")}),
        step("Impute", "Fill in",
             "Replaces NaN in a table's columns, by numbers that are measured on the training part only.\n\nAs "
             "scikit-learn's `SimpleImputer`.",
             {choice("strategy", {"mean", "median", "most_frequent", "constant"}, "mean",
                     "What of the column is filled in."),
              real("fill_value", 0.0, "The number of strategy constant.")}),
    };
}

} // namespace athanor
