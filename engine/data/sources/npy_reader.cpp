#include "engine/data/sources/npy_reader.h"

#include "engine/base/regular_file.h"
#include "engine/data/archive.h"
#include "engine/data/dataset.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>

namespace athanor {

namespace {

Error unreadable(std::string message, std::string hint = "Write the file again with numpy.save")
{
    return {ErrorCode::Unreadable, std::move(message), {}, std::move(hint), {}};
}

const std::map<std::string, std::size_t> kSizes = {{"f4", 4}, {"f8", 8}, {"u1", 1},
                                                   {"i4", 4}, {"i8", 8}, {"b1", 1}};

/// What a header says: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
struct NpyHeader {
    std::string descr;
    bool fortran = false;
    std::vector<std::int64_t> shape;
};

/// Reads exactly the dictionary that NumPy writes, with its three keys in any order.
class HeaderParser {
public:
    explicit HeaderParser(std::string_view text) : m_text(text) {}

    bool parse(NpyHeader& header)
    {
        int seen = 0;
        if (!take('{'))
            return false;
        while (!take('}')) {
            std::string key;
            if (!takeString(key) || !take(':') || !takeValue(key, header))
                return false;
            ++seen;
            take(',');
        }
        skipBlanks();
        return seen == 3 && m_text.empty();
    }

private:
    void skipBlanks()
    {
        while (!m_text.empty() && (m_text.front() == ' ' || m_text.front() == '\n'))
            m_text.remove_prefix(1);
    }

    bool take(char c)
    {
        skipBlanks();
        if (m_text.empty() || m_text.front() != c)
            return false;
        m_text.remove_prefix(1);
        return true;
    }

    bool takeWord(std::string_view word)
    {
        skipBlanks();
        if (!m_text.starts_with(word))
            return false;
        m_text.remove_prefix(word.size());
        return true;
    }

    bool takeString(std::string& text)
    {
        if (!take('\''))
            return false;
        const std::size_t end = m_text.find('\'');
        if (end == std::string_view::npos)
            return false;
        text = m_text.substr(0, end);
        m_text.remove_prefix(end + 1);
        return true;
    }

    bool takeValue(const std::string& key, NpyHeader& header)
    {
        if (key == "descr") {
            skipBlanks();
            if (m_text.starts_with('[')) { // a structured array
                header.descr = "several fields";
                m_text.remove_prefix(std::min(m_text.size(), m_text.find(']') + 1));
                return true;
            }
            return takeString(header.descr);
        }
        if (key == "fortran_order") {
            header.fortran = takeWord("True");
            return header.fortran || takeWord("False");
        }
        return key == "shape" && takeShape(header.shape);
    }

    bool takeShape(std::vector<std::int64_t>& shape)
    {
        if (!take('('))
            return false;
        while (!take(')')) {
            skipBlanks();
            std::int64_t extent = -1;
            const auto read = std::from_chars(m_text.data(), m_text.data() + m_text.size(), extent);
            if (read.ec != std::errc() || extent < 0)
                return false;
            m_text.remove_prefix(static_cast<std::size_t>(read.ptr - m_text.data()));
            shape.push_back(extent);
            take(',');
        }
        return true;
    }

    std::string_view m_text;
};

Result<NpyHeader> readHeader(std::istream& file)
{
    std::array<char, 8> start{};
    if (!file.read(start.data(), start.size()) || std::string_view(start.data(), 6) != "\x93NUMPY")
        return unreadable("it is not a .npy file",
                          "NumpyFile reads arrays written by numpy.save (not .npz, not text)");
    const int version = start[6];
    if (version < 1 || version > 3)
        return unreadable("it has the unknown format version " + std::to_string(version));
    std::array<unsigned char, 4> length{};
    file.read(reinterpret_cast<char*>(length.data()), version == 1 ? 2 : 4);
    const std::size_t size = length[0] | length[1] << 8U | length[2] << 16U | std::size_t{length[3]} << 24U;
    constexpr std::size_t kLongest = 1U << 20; // ours are below 200 bytes
    if (!file || size > kLongest)
        return unreadable("its header is damaged");
    std::string text(size, '\0');
    NpyHeader header;
    if (!file.read(text.data(), static_cast<std::streamsize>(size)) || !HeaderParser(text).parse(header))
        return unreadable("its header is damaged");
    return header;
}

/// The plain type name of '<f4'; an error for what cannot be read.
Result<std::string> plainType(const std::string& descr)
{
    const std::string type = descr.size() == 3 ? descr.substr(1) : std::string();
    const std::string hint =
        "Save it as float32, float64, uint8, int32, int64 or bool: array.astype('float32')";
    if (descr.starts_with("|O"))
        return unreadable("it holds Python objects, which are not read", hint);
    if (!kSizes.contains(type))
        return unreadable("it holds numbers of the type '" + descr + "', which are not read", hint);
    if (descr.front() == '>' && kSizes.at(type) > 1)
        return unreadable("its numbers are big-endian ('" + descr + "')",
                          "Save array.astype('<" + type + "')");
    return type;
}

/// Fortran order has the first axis fastest; ours is C order.
std::vector<std::byte> toCOrder(const std::vector<std::byte>& fortran, const std::vector<std::int64_t>& shape,
                                std::size_t elementBytes)
{
    std::vector<std::byte> result(fortran.size());
    std::vector<std::size_t> stride(shape.size(), elementBytes); // in the Fortran array
    for (std::size_t axis = 1; axis < shape.size(); ++axis)
        stride[axis] = stride[axis - 1] * static_cast<std::size_t>(shape[axis - 1]);
    std::vector<std::int64_t> index(shape.size(), 0);
    std::size_t from = 0;
    for (std::size_t to = 0; to < result.size(); to += elementBytes) {
        std::memcpy(result.data() + to, fortran.data() + from, elementBytes);
        for (std::size_t axis = shape.size(); axis-- > 0;) {
            from += stride[axis];
            if (++index[axis] < shape[axis])
                break;
            from -= stride[axis] * static_cast<std::size_t>(shape[axis]);
            index[axis] = 0;
        }
    }
    return result;
}

/// `size` is that of all there is in `file`.
Result<NpyArray> readArray(std::istream& file, std::uintmax_t size)
{
    const Result<NpyHeader> header = readHeader(file);
    if (!header)
        return header.error();
    const Result<std::string> type = plainType(header->descr);
    if (!type)
        return type.error();
    const std::size_t elementBytes = kSizes.at(*type);
    const std::uintmax_t present = size - static_cast<std::uintmax_t>(file.tellg());
    const std::optional<std::size_t> wanted = claimedBytes(header->shape, elementBytes);
    if (!wanted || present != *wanted)
        return unreadable("its header promises " + shapeText(header->shape) + " numbers of " +
                          std::to_string(elementBytes) + " bytes, but " + std::to_string(present) +
                          " bytes follow: it is damaged or incomplete");
    NpyArray array{*type, header->shape, std::vector<std::byte>(*wanted)};
    if (!file.read(reinterpret_cast<char*>(array.numbers.data()), static_cast<std::streamsize>(*wanted)))
        return unreadable("it cannot be read to its end");
    if (header->fortran && header->shape.size() > 1)
        array.numbers = toCOrder(array.numbers, array.shape, elementBytes);
    return array;
}

} // namespace

Result<NpyArray> readNpy(const std::filesystem::path& path)
{
    if (const std::string why = whyNoFile(path); !why.empty())
        return unreadable("it " + why, "Name a file");
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return unreadable("it cannot be opened", "Check that you may read it");
    std::error_code ignored;
    return readArray(file, std::filesystem::file_size(path, ignored));
}

Result<NpyArray> readNpz(const std::filesystem::path& path, const std::string& name)
{
    // DEFLATE makes at most 1032 of one byte; numbers that mean anything shrink far less.
    constexpr std::int64_t kMostTimes = 200;
    constexpr std::int64_t kHarmless = std::int64_t{1} << 28;
    std::error_code ignored;
    const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path, ignored));
    Result<std::string> content = readArchived(path, name + ".npy", std::max(kHarmless, size * kMostTimes));
    if (!content) {
        const bool missing = content.error().code == ErrorCode::NotFound;
        return Error{content.error().code, missing ? "it holds no array '" + name + "'" : content.error().message, {},
                     missing ? "numpy.load(file).files lists what it holds" : content.error().hint,
                     content.error().details};
    }
    const std::uintmax_t bytes = content->size();
    std::istringstream stream(std::move(*content));
    return readArray(stream, bytes);
}

} // namespace athanor
