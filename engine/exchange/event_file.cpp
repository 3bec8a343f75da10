#include "engine/exchange/event_file.h"

#include "engine/exchange/crc32c.h"
#include "engine/exchange/event_wire.h"

#include <spdlog/fmt/fmt.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>

namespace athanor {
namespace {

// Field numbers of TensorFlow's event.proto, summary.proto and tensor.proto.
namespace field {
constexpr std::uint32_t kEventWallTime = 1;
constexpr std::uint32_t kEventStep = 2;
constexpr std::uint32_t kEventFileVersion = 3;
constexpr std::uint32_t kEventSummary = 5;
constexpr std::uint32_t kSummaryValue = 1;
constexpr std::uint32_t kValueTag = 1;
constexpr std::uint32_t kValueSimple = 2;
constexpr std::uint32_t kValueImage = 4;
constexpr std::uint32_t kValueHistogram = 5;
constexpr std::uint32_t kValueAudio = 6;
constexpr std::uint32_t kValueTensor = 8;
constexpr std::uint32_t kValueMetadata = 9;
constexpr std::uint32_t kMetadataPlugin = 1;
constexpr std::uint32_t kPluginName = 1;
constexpr std::uint32_t kTensorType = 1;
constexpr std::uint32_t kTensorShape = 2;
constexpr std::uint32_t kTensorContent = 4;
constexpr std::uint32_t kTensorFloats = 5;
constexpr std::uint32_t kTensorDoubles = 6;
constexpr std::uint32_t kTensorStrings = 8;
} // namespace field

constexpr std::uint64_t kTypeFloat = 1;
constexpr std::uint64_t kTypeDouble = 2;
constexpr std::size_t kHeader = 12; ///< of a record: its length and that one's checksum
constexpr std::size_t kFooter = 4;

struct Value {
    std::string tag;
    std::string plugin;
    std::string_view tensor;
    std::optional<double> number;
    std::string kind; ///< of what is no scalar
};

struct Tensor {
    std::uint64_t type = 0;
    std::string_view content;
    std::optional<double> number;
    std::optional<std::string> text;
};

Tensor readTensor(std::string_view message)
{
    Tensor tensor;
    WireReader reader(message);
    for (WireField one; reader.next(one);) {
        const bool isPacked = one.kind == WireField::Kind::Bytes;
        if (one.number == field::kTensorType)
            tensor.type = one.bits;
        else if (one.number == field::kTensorContent)
            tensor.content = one.bytes;
        else if (one.number == field::kTensorFloats && (!isPacked || one.bytes.size() >= 4))
            tensor.number = isPacked
                                ? std::bit_cast<float>(static_cast<std::uint32_t>(fixedAt(one.bytes, 0, 4)))
                                : one.asFloat();
        else if (one.number == field::kTensorDoubles && (!isPacked || one.bytes.size() >= 8))
            tensor.number = isPacked ? std::bit_cast<double>(fixedAt(one.bytes, 0, 8)) : one.asDouble();
        else if (one.number == field::kTensorStrings && !tensor.text)
            tensor.text = std::string(one.bytes);
    }
    if (!tensor.number && tensor.type == kTypeFloat && tensor.content.size() == 4)
        tensor.number = std::bit_cast<float>(static_cast<std::uint32_t>(fixedAt(tensor.content, 0, 4)));
    if (!tensor.number && tensor.type == kTypeDouble && tensor.content.size() == 8)
        tensor.number = std::bit_cast<double>(fixedAt(tensor.content, 0, 8));
    return tensor;
}

std::string pluginOf(std::string_view metadata)
{
    WireReader reader(metadata);
    for (WireField one; reader.next(one);) {
        if (one.number != field::kMetadataPlugin)
            continue;
        WireReader plugin(one.bytes);
        for (WireField inner; plugin.next(inner);)
            if (inner.number == field::kPluginName)
                return std::string(inner.bytes);
    }
    return {};
}

Value readValue(std::string_view message)
{
    Value value;
    WireReader reader(message);
    for (WireField one; reader.next(one);) {
        switch (one.number) {
        case field::kValueTag:
            value.tag = std::string(one.bytes);
            break;
        case field::kValueSimple:
            value.number = one.asFloat();
            break;
        case field::kValueTensor:
            value.tensor = one.bytes;
            break;
        case field::kValueMetadata:
            value.plugin = pluginOf(one.bytes);
            break;
        case field::kValueImage:
            value.kind = "image";
            break;
        case field::kValueHistogram:
            value.kind = "histogram";
            break;
        case field::kValueAudio:
            value.kind = "audio";
            break;
        default:
            break;
        }
    }
    return value;
}

/// Metadata stands in the first value of a tag only, so the plugin is remembered.
class LogFiller {
public:
    explicit LogFiller(EventLog& log) : m_log(log) {}

    bool addEvent(std::string_view message)
    {
        double wall = 0;
        std::int64_t step = 0;
        std::vector<std::string_view> summaries;
        WireReader reader(message);
        for (WireField one; reader.next(one);) {
            if (one.number == field::kEventWallTime)
                wall = one.asDouble();
            else if (one.number == field::kEventStep)
                step = static_cast<std::int64_t>(one.bits);
            else if (one.number == field::kEventSummary)
                summaries.push_back(one.bytes);
        }
        if (!reader.isSound())
            return false;
        ++m_log.records;
        if (wall > 0) {
            m_log.firstWall = m_log.firstWall == 0 ? wall : std::min(m_log.firstWall, wall);
            m_log.lastWall = std::max(m_log.lastWall, wall);
        }
        for (const std::string_view summary : summaries) {
            WireReader values(summary);
            for (WireField one; values.next(one);)
                if (one.number == field::kSummaryValue)
                    addValue(readValue(one.bytes), step, wall);
            if (!values.isSound())
                return false;
        }
        return true;
    }

private:
    void addValue(Value value, std::int64_t step, double wall)
    {
        if (!value.plugin.empty())
            m_plugins[value.tag] = value.plugin;
        if (!value.tensor.empty()) {
            const std::string& plugin = m_plugins[value.tag];
            const Tensor tensor = readTensor(value.tensor);
            if (plugin == "text" && tensor.text) {
                m_log.notes.push_back({value.tag, step, wall, *tensor.text});
                return;
            }
            if (plugin == "scalars" || (plugin.empty() && tensor.number))
                value.number = tensor.number;
            if (!value.number)
                value.kind = plugin.empty()           ? "tensor"
                             : plugin == "images"     ? "image"
                             : plugin == "histograms" ? "histogram"
                                                      : plugin;
        }
        if (!value.number) {
            ++m_log.leftOut[value.kind.empty() ? "empty" : value.kind];
            return;
        }
        auto [series, isNew] = m_log.scalars.try_emplace(value.tag);
        if (isNew)
            m_log.tags.push_back(value.tag);
        series->second.steps.push_back(step);
        series->second.values.push_back(*value.number);
    }

    EventLog& m_log;
    std::map<std::string, std::string> m_plugins; ///< by tag
};

Error cannotRead(const std::filesystem::path& file, const std::string& why)
{
    return {ErrorCode::Unreadable, "The event file cannot be read: " + why, file.string(), {}, {}};
}

} // namespace

Status readEventFile(const std::filesystem::path& file, EventLog& log)
{
    std::ifstream in(file, std::ios::binary);
    if (!in)
        return cannotRead(file, std::strerror(errno));
    LogFiller filler(log);
    std::uint64_t at = 0;
    const auto lost = [&](const std::string& what) {
        std::error_code ignored;
        const auto size = std::filesystem::file_size(file, ignored);
        log.problems.push_back(fmt::format("{}: {} at byte {}; the rest, {} bytes, is left out",
                                           file.string(), what, at, size - at));
    };
    std::string header(kHeader, '\0');
    std::string data;
    while (true) {
        in.read(header.data(), kHeader);
        if (in.gcount() == 0)
            return Done{};
        const bool isWhole = in.gcount() == static_cast<std::streamsize>(kHeader);
        const bool isSound =
            isWhole && maskedCrc32c(std::string_view(header).substr(0, 8)) == fixedAt(header, 8, 4);
        if (!isSound && at == 0)
            return Error{ErrorCode::Unreadable,
                         "This is no TensorBoard event file",
                         file.string(),
                         "Such files are called events.out.tfevents.…",
                         {}};
        if (!isWhole) {
            lost("it ends within a record");
            return Done{};
        }
        if (!isSound) {
            lost("a record's length has a wrong checksum");
            return Done{};
        }
        const std::uint64_t length = fixedAt(header, 0, 8);
        std::error_code ignored;
        if (length > std::filesystem::file_size(file, ignored)) {
            lost("it ends within a record");
            return Done{};
        }
        data.resize(length + kFooter);
        in.read(data.data(), static_cast<std::streamsize>(data.size()));
        if (in.gcount() != static_cast<std::streamsize>(data.size())) {
            lost("it ends within a record");
            return Done{};
        }
        const std::string_view message = std::string_view(data).substr(0, length);
        if (maskedCrc32c(message) != fixedAt(data, length, 4)) {
            lost("a record has a wrong checksum");
            return Done{};
        }
        if (!filler.addEvent(message))
            log.problems.push_back(
                fmt::format("{}: the record at byte {} is no event and is left out", file.string(), at));
        at += kHeader + data.size();
    }
}

Result<EventFileWriter> EventFileWriter::create(const std::filesystem::path& file, double wallSeconds)
{
    EventFileWriter writer(file);
    writer.m_out.open(file, std::ios::binary | std::ios::trunc);
    if (!writer.m_out)
        return writer.writeError();
    std::string event;
    addDouble(event, field::kEventWallTime, wallSeconds);
    addBytes(event, field::kEventFileVersion, "brain.Event:2");
    if (const Status written = writer.addRecord(event); !written)
        return written.error();
    return writer;
}

Status EventFileWriter::addScalar(const std::string& tag, std::int64_t step, double wallSeconds, double value)
{
    std::string one;
    addBytes(one, field::kValueTag, tag);
    const auto narrow = static_cast<float>(value);
    if (std::bit_cast<std::uint64_t>(static_cast<double>(narrow)) == std::bit_cast<std::uint64_t>(value)) {
        addFloat(one, field::kValueSimple, narrow);
    } else {
        std::string plugin;
        addBytes(plugin, field::kPluginName, "scalars");
        std::string metadata;
        addBytes(metadata, field::kMetadataPlugin, plugin);
        std::string content;
        appendFixed(content, std::bit_cast<std::uint64_t>(value), 8);
        std::string tensor;
        addVarint(tensor, field::kTensorType, kTypeDouble);
        addBytes(tensor, field::kTensorShape, {}); // a scalar has no dimensions
        addBytes(tensor, field::kTensorContent, content);
        addBytes(one, field::kValueTensor, tensor);
        addBytes(one, field::kValueMetadata, metadata);
    }
    std::string summary;
    addBytes(summary, field::kSummaryValue, one);
    std::string event;
    addDouble(event, field::kEventWallTime, wallSeconds);
    addVarint(event, field::kEventStep, static_cast<std::uint64_t>(step));
    addBytes(event, field::kEventSummary, summary);
    return addRecord(event);
}

Status EventFileWriter::addRecord(const std::string& event)
{
    std::string record;
    appendFixed(record, event.size(), 8);
    appendFixed(record, maskedCrc32c(record), 4);
    record += event;
    appendFixed(record, maskedCrc32c(event), 4);
    m_out.write(record.data(), static_cast<std::streamsize>(record.size()));
    return m_out ? Status(Done{}) : Status(writeError());
}

Status EventFileWriter::close()
{
    m_out.close();
    return m_out ? Status(Done{}) : Status(writeError());
}

Error EventFileWriter::writeError() const
{
    return {ErrorCode::Unreadable,
            std::string("The event file cannot be written: ") + std::strerror(errno),
            m_file.string(),
            "Choose a folder that can be written to.",
            {}};
}

} // namespace athanor
