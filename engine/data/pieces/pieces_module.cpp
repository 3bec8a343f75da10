// Any thread. SentencePiece behind a C interface, in a shared library of its own: libsentencepiece brings an older copy of
// protobuf whose names would take the place of those that LibTorch and OpenCV use.
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

/// Hands the texts to the trainer line by line, as it wants them.
class Lines final : public sentencepiece::SentenceIterator {
public:
    Lines(const char* const* lines, const std::size_t* sizes, std::size_t count)
        : m_lines(lines), m_sizes(sizes), m_count(count)
    {
        take();
    }
    bool done() const override { return m_at >= m_count; }
    void Next() override
    {
        ++m_at;
        take();
    }
    const std::string& value() const override { return m_line; }
    sentencepiece::util::Status status() const override { return {}; }

private:
    void take()
    {
        if (!done())
            m_line.assign(m_lines[m_at], m_sizes[m_at]);
    }
    const char* const* m_lines;
    const std::size_t* m_sizes;
    std::size_t m_count;
    std::size_t m_at = 0;
    std::string m_line;
};

void say(const std::string& text, char* error, std::size_t room)
{
    const std::size_t length = std::min(text.size(), room - 1);
    std::memcpy(error, text.data(), length);
    error[length] = '\0';
}

} // namespace

extern "C" {

/// A processor trained on these lines, or null with the reason in `error`. Pieces 0 and 1 are padding and unknown.
[[gnu::visibility("default")]] void* athanorPiecesTrain(const char* const* lines, const std::size_t* sizes, std::size_t count,
                                                        std::size_t vocabulary, char* error, std::size_t room)
{
    try {
        Lines source(lines, sizes, count);
        std::string model;
        const std::unordered_map<std::string, std::string> arguments = {
            {"vocab_size", std::to_string(vocabulary)},
            {"hard_vocab_limit", "false"}, // fewer where the texts do not give as many
            {"pad_id", "0"},
            {"unk_id", "1"},
            {"bos_id", "-1"},
            {"eos_id", "-1"},
            {"num_threads", "1"}, // the same pieces each time
            {"minloglevel", "2"}};
        auto status = sentencepiece::SentencePieceTrainer::Train(arguments, &source, &model);
        auto* processor = new sentencepiece::SentencePieceProcessor;
        if (status.ok())
            status = processor->LoadFromSerializedProto(model);
        if (status.ok())
            return processor;
        delete processor;
        say(status.ToString(), error, room);
    } catch (const std::exception& exception) {
        say(exception.what(), error, room);
    }
    return nullptr;
}

[[gnu::visibility("default")]] void athanorPiecesFree(void* processor)
{
    delete static_cast<sentencepiece::SentencePieceProcessor*>(processor);
}

[[gnu::visibility("default")]] int athanorPiecesCount(const void* processor)
{
    return static_cast<const sentencepiece::SentencePieceProcessor*>(processor)->GetPieceSize();
}

/// Lives as long as the processor.
[[gnu::visibility("default")]] const char* athanorPiecesName(const void* processor, int piece)
{
    return static_cast<const sentencepiece::SentencePieceProcessor*>(processor)->IdToPiece(piece).c_str();
}

/// Writes at most `room` pieces; returns how many. Thread-safe.
[[gnu::visibility("default")]] std::size_t athanorPiecesEncode(const void* processor, const char* text, std::size_t size,
                                                               int* pieces, std::size_t room)
{
    std::vector<int> all;
    if (!static_cast<const sentencepiece::SentencePieceProcessor*>(processor)->Encode({text, size}, &all).ok())
        return 0;
    const std::size_t count = std::min(all.size(), room);
    std::copy_n(all.begin(), count, pieces);
    return count;
}
}
