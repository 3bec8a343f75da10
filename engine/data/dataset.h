// Any thread (reading is const and thread-safe). What a source of samples offers to the pipeline. Torch-free.
#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace athanor {

/// How numbers are stored. UInt8 is a raw image (H×W×C, 0–255) or a channel-last copy of one; transforms or
/// the Loader turn it into Float32 (C×H×W).
enum class Element { UInt8, Float32, Int64 };
[[nodiscard]] std::size_t elementSize(Element element); ///< bytes

/// An extent of FieldLayout::shape that differs from sample to sample (the length of a text, the width of a
/// photo that no Resize has met yet).
inline constexpr std::int64_t kVaries = -1;

/// One field of a data set, as every sample has it.
struct FieldLayout {
    std::string name;
    Element element = Element::Float32;
    std::vector<std::int64_t> shape;      ///< of one sample, kVaries where it differs; empty: a single number
    std::int64_t classes = 0;             ///< Int64: number of classes when known, else 0
    std::vector<std::string> classNames;  ///< Int64: name per class, or empty
    std::vector<std::string> columnNames; ///< tables: name per column, or empty
};
[[nodiscard]] std::int64_t elementCount(const std::vector<std::int64_t>& shape);
/// Bytes of an array whose shape a file claims; nothing when no memory could hold it (above 2^48).
[[nodiscard]] std::optional<std::size_t> claimedBytes(const std::vector<std::int64_t>& shape,
                                                      std::size_t elementBytes);
[[nodiscard]] std::string shapeText(const std::vector<std::int64_t>& shape); ///< "28×28×1", "a number"

/// One field of one sample. The numbers are borrowed from the data set, or owned after write().
class Value {
public:
    [[nodiscard]] Element element() const { return m_element; }
    [[nodiscard]] const std::vector<std::int64_t>& shape() const { return m_shape; }
    [[nodiscard]] std::int64_t count() const { return elementCount(m_shape); }
    [[nodiscard]] std::size_t byteCount() const;
    [[nodiscard]] const std::byte* bytes() const { return m_bytes; }
    [[nodiscard]] const std::uint8_t* uint8() const { return reinterpret_cast<const std::uint8_t*>(m_bytes); }
    [[nodiscard]] const float* float32() const { return reinterpret_cast<const float*>(m_bytes); }
    [[nodiscard]] const std::int64_t* int64() const { return reinterpret_cast<const std::int64_t*>(m_bytes); }

    /// Points at numbers that outlive this value.
    void borrow(const FieldLayout& layout, const std::byte* bytes);
    /// Room for numbers of that shape, kept from sample to sample; the content is undefined.
    std::byte* write(Element element, const std::vector<std::int64_t>& shape);

private:
    Element m_element = Element::Float32;
    std::vector<std::int64_t> m_shape;
    const std::byte* m_bytes = nullptr; // m_own, or the data set's memory
    std::vector<std::byte> m_own;
};
using Sample = std::vector<Value>; ///< in the order of Dataset::fields()

/// `data/<node>` or `data/<node>/<parameter>`: the places of errors.
std::string dataPlace(const std::string& node, const std::string& parameter = {});

/// A user's mistake whose place the caller knows; `parameter` is the part of the place that is known here.
Error invalid(std::string message, std::string hint, std::string parameter = {});

/// Rows first … last − 1 of a source.
struct RowSpan {
    std::int64_t first = 0;
    std::int64_t last = 0;
};

class Dataset {
public:
    explicit Dataset(std::vector<FieldLayout> fields) : m_fields(std::move(fields)) {}
    virtual ~Dataset() = default;
    Dataset(const Dataset&) = delete;
    Dataset& operator=(const Dataset&) = delete;

    [[nodiscard]] const std::vector<FieldLayout>& fields() const { return m_fields; }
    [[nodiscard]] virtual std::int64_t size() const = 0; ///< samples
    /// Reads a sample; `index` in [0, size()). `sample` is reused from call to call, one per thread. Errors
    /// name the file.
    virtual Status read(std::int64_t index, Sample& sample) const = 0;
    /// Where the sample came from, for people: "iris.csv, line 18".
    [[nodiscard]] virtual std::string sampleName(std::int64_t index) const = 0;
    /// The number of a single-number Int64 field, without reading the rest of the sample.
    [[nodiscard]] virtual std::int64_t indexValue(std::size_t field, std::int64_t index) const = 0;
    /// The rows of the source that the sample is made of: itself, or the window of a time series. A Split
    /// keeps samples that share rows in one part.
    [[nodiscard]] virtual RowSpan rows(std::int64_t index) const { return {index, index + 1}; }
    /// The file that the sample was read from, when each has its own; empty otherwise.
    [[nodiscard]] virtual std::string filePath(std::int64_t) const { return {}; }
    /// Columns whose text a Split may group or order samples by (a patient, a date); empty: there are none.
    [[nodiscard]] virtual std::vector<std::string> keyColumns() const { return {}; }
    /// The text of keyColumns()[column] for a sample.
    [[nodiscard]] virtual std::string keyText(std::size_t /*column*/, std::int64_t /*index*/) const { return {}; }
    /// Learns what it fills in and numbers (means of columns, tables of categories) from these samples of
    /// `training`, which is this set itself or one of the same kind, opened and not yet learned or learned
    /// from the same samples. Called at most once, before reading starts; fields() may change by it.
    virtual Status learnFrom(const Dataset& /*training*/, const std::vector<std::int64_t>& /*samples*/)
    {
        return Done{};
    }
    /// Gives a named Int64 field other class numbers: class i becomes `map[i]`, `names` are the new names.
    void renumberClasses(std::size_t field, const std::vector<std::int64_t>& map,
                         const std::vector<std::string>& names);

protected:
    virtual void mapClasses(std::size_t field, const std::vector<std::int64_t>& map) = 0;
    void setFields(std::vector<FieldLayout> fields) { m_fields = std::move(fields); }

private:
    std::vector<FieldLayout> m_fields;
};

/// Sorts class names the way people count: as numbers when all of them are whole numbers, else by bytes.
/// Duplicates go.
std::vector<std::string> sortedClassNames(std::vector<std::string> names);

} // namespace athanor
