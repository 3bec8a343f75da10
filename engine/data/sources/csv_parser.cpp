#include "engine/data/sources/csv_parser.h"

#include "engine/data/sources/csv_row_reader.h"
#include "engine/data/sources/text_encoding.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <thread>

namespace athanor {

namespace {

constexpr std::int64_t kBlock = std::int64_t{1} << 22;
constexpr std::int64_t kLongestRow = std::int64_t{1} << 28; // longer ones come of a quote that is never closed

/// Cuts the text into blocks that end where a row ends. Quotes that hold line ends are followed from the start, which
/// only one thread can do; without any quote in the text every line end will do.
class BlockCutter {
public:
    BlockCutter(const CsvContent& content, const CsvRules& rules, bool quotes)
        : m_content(content), m_rules(rules), m_quotes(quotes), m_at(rules.firstByte)
    {}

    /// The next block and its number; an empty text at the end.
    std::string next(std::int64_t& offset, std::size_t& number)
    {
        const std::scoped_lock lock(m_mutex);
        offset = m_at;
        number = m_number++;
        for (std::int64_t wanted = kBlock;; wanted *= 2) {
            std::string text = m_content.read(m_at, wanted);
            const bool last = static_cast<std::int64_t>(text.size()) < wanted;
            const std::size_t end = last ? text.size() : lastRowEnd(text);
            if (end == 0 && !last && wanted < kLongestRow)
                continue; // a row longer than that
            if (end > 0)
                text.resize(end);
            m_at += static_cast<std::int64_t>(text.size());
            return text;
        }
    }

    /// No more blocks: what they hold is not wanted.
    void stop()
    {
        const std::scoped_lock lock(m_mutex);
        m_at = m_content.size();
    }

private:
    /// Behind the last end of a row; 0: there is none.
    [[nodiscard]] std::size_t lastRowEnd(const std::string& text) const
    {
        if (m_quotes)
            return lastUnquotedEnd(text);
        if (const std::size_t at = text.rfind('\n'); at != std::string::npos)
            return at + 1;
        const std::size_t at = text.rfind('\r', text.size() - 2); // what follows the last one is not known
        return at == std::string::npos ? 0 : at + 1;
    }

    [[nodiscard]] std::size_t lastUnquotedEnd(const std::string& text) const
    {
        std::size_t end = 0;
        bool cellStart = true;
        for (std::size_t at = 0; at < text.size(); ++at) {
            const char c = text[at];
            if (cellStart && c == m_rules.quote) {
                at = behindQuoted(text, at);
                cellStart = false;
                --at;
            } else if (c == '\n' || c == '\r') {
                if (at + 1 < text.size())
                    end = at + (c == '\r' && text[at + 1] == '\n' ? 2 : 1);
                cellStart = true;
            } else {
                const bool separates = c == m_rules.separator || (m_rules.separator == ' ' && isBlank(c));
                cellStart = separates || (cellStart && isBlank(c));
            }
        }
        return end;
    }

    [[nodiscard]] std::size_t behindQuoted(const std::string& text, std::size_t at) const
    {
        for (++at; at < text.size(); ++at) {
            if (text[at] != m_rules.quote)
                continue;
            if (at + 1 >= text.size() || text[at + 1] != m_rules.quote)
                return at + 1;
            ++at;
        }
        return text.size();
    }

    const CsvContent& m_content;
    const CsvRules& m_rules;
    bool m_quotes;
    std::mutex m_mutex;
    std::int64_t m_at;
    std::size_t m_number = 0;
};

/// What one block became.
struct Piece {
    CsvBlock block;
    std::int64_t lines = 0;
    std::vector<std::deque<std::string>> texts;
    CsvFault fault;
};

class Pass {
public:
    Pass(const CsvContent& content, const CsvRules& rules, bool quotes, SpillArena& arena)
        : m_content(content), m_rules(rules), m_quotes(quotes), m_arena(arena), m_cutter(content, rules, quotes)
    {}

    void run()
    {
        const std::int64_t blocks = (m_content.size() - m_rules.firstByte) / kBlock + 1;
        const std::int64_t most = std::max(1U, std::min(16U, std::thread::hardware_concurrency()));
        std::vector<std::jthread> threads;
        for (std::int64_t i = 1; i < std::min(blocks, most); ++i)
            threads.emplace_back([this] { work(); });
        work();
    }

    [[nodiscard]] bool metQuotes() const { return m_metQuotes; }
    [[nodiscard]] bool metOtherEncoding() const { return m_metOtherEncoding; }
    std::map<std::size_t, Piece>& pieces() { return m_pieces; }

private:
    void work()
    {
        while (true) {
            std::int64_t offset = 0;
            std::size_t number = 0;
            std::string text = m_cutter.next(offset, number);
            if (text.empty())
                return;
            Piece piece = readBlock(std::move(text), offset);
            if (m_metQuotes || m_metOtherEncoding || piece.fault.kind != CsvFault::Kind::None)
                m_cutter.stop();
            const std::scoped_lock lock(m_mutex);
            m_pieces.emplace(number, std::move(piece));
        }
    }

    Piece readBlock(std::string text, std::int64_t offset)
    {
        Piece piece;
        piece.block.offset = offset;
        piece.block.bytes = static_cast<std::int64_t>(text.size());
        if (text.find('\0') != std::string::npos) {
            piece.fault.kind = CsvFault::Kind::NoText;
        } else if (m_rules.latin1) {
            text = latin1ToUtf8(text);
        } else if (const std::int64_t bad = lineOfBadUtf8(text); bad > 0) {
            m_metOtherEncoding = m_metOtherEncoding || m_rules.mayBeLatin1;
            piece.fault.kind = CsvFault::Kind::Encoding;
            piece.fault.lines = bad - 1;
        }
        if (!m_quotes && m_rules.quote != '\0' && text.find(m_rules.quote) != std::string::npos)
            m_metQuotes = true;
        if (piece.fault.kind != CsvFault::Kind::None || m_metQuotes)
            return piece;
        piece.lines = countLines(text);
        CsvRowReader reader(m_rules, text);
        reader.read();
        piece.fault = reader.fault();
        if (piece.fault.kind != CsvFault::Kind::None)
            piece.fault.lines = countLines(std::string_view(text).substr(0, static_cast<std::size_t>(piece.fault.offset)));
        else
            store(reader, piece);
        return piece;
    }

    void store(CsvRowReader& reader, Piece& piece)
    {
        CsvBlock& block = piece.block;
        block.rows = static_cast<std::int64_t>(reader.rowOffsets().size());
        const auto keep = [&](auto& numbers, auto*& place) {
            const Result<const std::byte*> stored = m_arena.store(std::as_bytes(std::span(numbers)));
            if (stored) {
                place = reinterpret_cast<std::remove_reference_t<decltype(place)>>(*stored);
            } else {
                piece.fault.kind = CsvFault::Kind::Storage;
                piece.fault.text = stored.error().message;
            }
        };
        keep(reader.rowOffsets(), block.rowOffsets);
        keep(reader.numbers(), block.numbers);
        keep(reader.codes(), block.codes);
        piece.texts = std::move(reader.texts());
    }

    const CsvContent& m_content;
    const CsvRules& m_rules;
    bool m_quotes;
    SpillArena& m_arena;
    BlockCutter m_cutter;
    std::atomic<bool> m_metQuotes = false;
    std::atomic<bool> m_metOtherEncoding = false;
    std::mutex m_mutex;
    std::map<std::size_t, Piece> m_pieces;
};

/// The tables of all blocks as one per column.
void mergeTexts(Piece& piece, std::vector<std::map<std::string, std::int32_t>>& tables)
{
    tables.resize(piece.texts.size());
    for (std::size_t column = 0; column < piece.texts.size(); ++column) {
        std::vector<std::int32_t> codes;
        for (std::string& text : piece.texts[column]) {
            const auto next = static_cast<std::int32_t>(tables[column].size());
            codes.push_back(tables[column].emplace(std::move(text), next).first->second);
        }
        piece.block.globalCodes.push_back(std::move(codes));
    }
}

CsvColumns join(std::map<std::size_t, Piece>& pieces)
{
    CsvColumns columns;
    std::vector<std::map<std::string, std::int32_t>> tables;
    std::int64_t lines = 0;
    for (auto& [number, piece] : pieces) {
        if (piece.fault.kind != CsvFault::Kind::None) {
            columns.fault = piece.fault;
            columns.fault.offset += piece.block.offset;
            columns.fault.lines += lines;
            return columns;
        }
        mergeTexts(piece, tables);
        piece.block.firstRow = columns.rows;
        piece.block.firstLine = lines;
        lines += piece.lines;
        columns.rows += piece.block.rows;
        columns.blocks.push_back(std::move(piece.block));
    }
    for (const auto& table : tables) {
        std::vector<std::string> texts(table.size());
        for (const auto& [text, code] : table)
            texts[static_cast<std::size_t>(code)] = text;
        columns.texts.push_back(std::move(texts));
    }
    return columns;
}

} // namespace

CsvColumns parseCsv(const CsvContent& content, const CsvRules& given, std::size_t memoryLimit)
{
    CsvRules rules = given;
    bool quotes = false;
    while (true) { // the text is taken for plain until a quote or another encoding is met
        const auto arena = std::make_shared<SpillArena>(memoryLimit);
        Pass pass(content, rules, quotes, *arena);
        pass.run();
        if (pass.metQuotes()) {
            quotes = true;
        } else if (pass.metOtherEncoding()) {
            rules.latin1 = true;
        } else {
            CsvColumns columns = join(pass.pieces());
            columns.latin1 = rules.latin1;
            columns.arena = arena;
            return columns;
        }
        if (pass.metOtherEncoding())
            rules.latin1 = true;
    }
}

std::string blockText(const CsvContent& content, const CsvBlock& block, bool latin1)
{
    std::string text = content.read(block.offset, block.bytes);
    return latin1 ? latin1ToUtf8(text) : text;
}

} // namespace athanor
