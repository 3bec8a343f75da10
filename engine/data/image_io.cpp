#include "engine/data/image_io.h"

#include "engine/base/regular_file.h"

#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <mutex>
#include <optional>

namespace athanor {

namespace {

using Bytes = std::vector<std::uint8_t>;

Error unreadable(std::string message)
{
    return {
        ErrorCode::Unreadable, std::move(message), {}, "Replace the file or take it out of the folder", {}};
}

std::optional<Bytes> readBytes(const std::filesystem::path& file)
{
    if (!whyNoFile(file).empty())
        return std::nullopt;
    std::ifstream stream(file, std::ios::binary | std::ios::ate);
    if (!stream)
        return std::nullopt;
    Bytes bytes(static_cast<std::size_t>(stream.tellg()));
    stream.seekg(0);
    if (!stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())))
        return std::nullopt;
    return bytes;
}

/// Walks a JPEG file from marker to marker to its end-of-image marker. The decoder would fill what is missing
/// with grey and succeed.
bool isWholeJpeg(const Bytes& bytes)
{
    std::size_t at = 2;
    while (at + 4 <= bytes.size()) {
        if (bytes[at] != 0xFF)
            return false;
        const std::uint8_t marker = bytes[at + 1];
        if (marker == 0xFF) { // padding
            ++at;
            continue;
        }
        at += 2U + (bytes[at + 2] << 8U | bytes[at + 3]);
        if (marker != 0xDA) // start of scan: compressed data follow
            continue;
        while (true) {
            const void* found =
                at < bytes.size() ? std::memchr(bytes.data() + at, 0xFF, bytes.size() - at) : nullptr;
            if (found == nullptr)
                return false;
            at = static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - bytes.data());
            if (at + 1 >= bytes.size())
                return false;
            const std::uint8_t next = bytes[at + 1];
            if (next == 0xD9)
                return true;
            const bool isData =
                next == 0 || next == 0xFF || (next >= 0xD0 && next <= 0xD7); // stuffing, restarts
            if (!isData)
                break;
            at += next == 0xFF ? 1 : 2;
        }
    }
    return false;
}

/// A PNG file ends with the chunk IEND.
bool isWholePng(const Bytes& bytes)
{
    static constexpr std::array<std::uint8_t, 4> kEnd = {'I', 'E', 'N', 'D'};
    return std::search(bytes.begin(), bytes.end(), kEnd.begin(), kEnd.end()) != bytes.end();
}

bool isWhole(const Bytes& bytes)
{
    static constexpr std::array<std::uint8_t, 4> kPng = {0x89, 'P', 'N', 'G'};
    if (bytes.size() > 3 && bytes[0] == 0xFF && bytes[1] == 0xD8)
        return isWholeJpeg(bytes);
    if (bytes.size() > 8 && std::equal(kPng.begin(), kPng.end(), bytes.begin()))
        return isWholePng(bytes);
    return true;
}

/// Pixels that a PNG file's header promises: a few bytes of it can ask for gigabytes of memory.
std::uint64_t promisedPixels(const Bytes& bytes)
{
    constexpr std::size_t kSizes = 16; // where width and height stand
    if (bytes.size() < kSizes + 8 || bytes[0] != 0x89 || bytes[1] != 'P')
        return 0;
    const auto extent = [&](std::size_t at) {
        return std::uint64_t{bytes[at]} << 24U | std::uint64_t{bytes[at + 1]} << 16U |
               std::uint64_t{bytes[at + 2]} << 8U | bytes[at + 3];
    };
    return extent(kSizes) * extent(kSizes + 4);
}

/// Why bytes that are a picture will not be read; empty when they may.
std::string whyNotRead(const Bytes& bytes)
{
    constexpr std::uint64_t kMostPixels = 178956970; // as Pillow, which takes more for an attack
    static constexpr std::array<std::uint8_t, 4> kGif = {'G', 'I', 'F', '8'};
    if (bytes.empty())
        return "The file is empty";
    if (bytes.size() > kGif.size() && std::equal(kGif.begin(), kGif.end(), bytes.begin()))
        return "The file is a GIF, which is not read: save it as PNG";
    if (promisedPixels(bytes) > kMostPixels)
        return "The image has more than 178 million pixels";
    return isWhole(bytes) ? "" : "The image file is cut off";
}

/// Blue-green-red rows as OpenCV has them → red-green-blue, or grey, without gaps.
void copyPixels(const cv::Mat& picture, ImageChannels channels, Value& image)
{
    const std::int64_t depth = channels == ImageChannels::Gray ? 1 : 3;
    auto* out =
        reinterpret_cast<std::uint8_t*>(image.write(Element::UInt8, {picture.rows, picture.cols, depth}));
    for (int y = 0; y < picture.rows; ++y) {
        const std::uint8_t* in = picture.ptr<std::uint8_t>(y);
        for (int x = 0; x < picture.cols; ++x, in += 3) {
            if (channels == ImageChannels::Gray) {
                *out++ = grayLevel(in[2], in[1], in[0]);
            } else {
                *out++ = in[2];
                *out++ = in[1];
                *out++ = in[0];
            }
        }
    }
}

} // namespace

Status readImage(const std::filesystem::path& file, ImageChannels channels, Value& image)
{
    // OpenCV's own threads would fight with the training thread; the data workers are the parallel part.
    static std::once_flag once;
    std::call_once(once, [] { cv::setNumThreads(1); });

    const std::optional<Bytes> content = readBytes(file);
    if (!content)
        return unreadable("The file cannot be read");
    const Bytes& bytes = *content;
    if (const std::string why = whyNotRead(bytes); !why.empty())
        return unreadable(why);
    const cv::Mat picture = cv::imdecode(bytes, cv::IMREAD_COLOR);
    if (picture.empty())
        return unreadable("The file is damaged, or no image of a kind that can be read");
    copyPixels(picture, channels, image);
    return Done{};
}

} // namespace athanor
