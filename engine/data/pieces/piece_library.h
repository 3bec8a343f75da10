// Any thread. SentencePiece, loaded when it is first asked for (see pieces_module.cpp for why).
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace athanor {

/// A trained SentencePiece model (Kudo and Richardson 2018), unigram. Reading is thread-safe.
class PieceModel {
public:
    /// Trains on texts, line by line. Piece 0 is padding, 1 the unknown. Errors: the library is not there, the texts give no
    /// vocabulary.
    static Result<std::unique_ptr<PieceModel>> train(const std::vector<std::string>& texts, std::size_t vocabulary);
    ~PieceModel();
    PieceModel(const PieceModel&) = delete;
    PieceModel& operator=(const PieceModel&) = delete;

    [[nodiscard]] std::vector<std::string> vocabulary() const;
    /// At most `most` pieces.
    void encode(std::string_view text, std::size_t most, std::vector<std::int64_t>& tokens) const;

private:
    explicit PieceModel(void* processor) : m_processor(processor) {}
    void* m_processor;
};

} // namespace athanor
