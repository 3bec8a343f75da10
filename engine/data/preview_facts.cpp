#include "engine/data/preview_facts.h"

#include "engine/data/dataset.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

namespace athanor {

namespace {

constexpr std::int64_t kMostNumbers = 20'000'000; ///< of a table that are looked at: a few seconds

double numberAt(const Value& value, std::int64_t i)
{
    switch (value.element()) {
    case Element::UInt8: return value.uint8()[i];
    case Element::Int64: return static_cast<double>(value.int64()[i]);
    case Element::Float32: break;
    }
    return static_cast<double>(value.float32()[i]);
}

/// The first of two looks: everything but the histogram, which needs the range.
class Gatherer {
public:
    void add(double number)
    {
        ++m_facts.count;
        if (std::isnan(number)) {
            ++m_facts.nans;
            return;
        }
        if (std::isinf(number)) {
            ++m_facts.infinities;
            return;
        }
        ++m_finite;
        m_least = std::min(m_least, number);
        m_greatest = std::max(m_greatest, number);
        const double step = number - m_mean; // Welford: no sum of squares that would lose digits
        m_mean += step / static_cast<double>(m_finite);
        m_squares += step * (number - m_mean);
    }
    void addDistinct(double number)
    {
        add(number);
        if (std::isfinite(number) && static_cast<std::int64_t>(m_distinct.size()) < TensorFacts::kMostDistinct)
            m_distinct.insert(number == 0 ? 0.0 : number);
    }
    [[nodiscard]] TensorFacts facts() const
    {
        TensorFacts facts = m_facts;
        facts.distinct = static_cast<std::int64_t>(m_distinct.size());
        if (m_finite == 0)
            return facts;
        facts.least = m_least;
        facts.greatest = m_greatest;
        facts.mean = m_mean;
        facts.deviation = std::sqrt(m_squares / static_cast<double>(m_finite));
        facts.histogram.assign(TensorFacts::kBins, 0);
        return facts;
    }

private:
    TensorFacts m_facts;
    std::int64_t m_finite = 0;
    double m_least = std::numeric_limits<double>::infinity();
    double m_greatest = -std::numeric_limits<double>::infinity();
    double m_mean = 0;
    double m_squares = 0;
    std::unordered_set<double> m_distinct;
};

void count(TensorFacts& facts, double number)
{
    if (!std::isfinite(number) || facts.histogram.empty())
        return;
    const double range = facts.greatest - facts.least;
    const double share = range > 0 ? (number - facts.least) / range : 0;
    const auto bin = static_cast<std::size_t>(share * static_cast<double>(TensorFacts::kBins));
    // A file that changed meanwhile may hold numbers beyond the range.
    ++facts.histogram[std::min(bin, TensorFacts::kBins - 1)];
}

} // namespace

TensorFacts factsOf(const std::vector<const Value*>& values)
{
    Gatherer gatherer;
    for (const Value* value : values)
        for (std::int64_t i = 0; i < value->count(); ++i)
            gatherer.add(numberAt(*value, i));
    TensorFacts facts = gatherer.facts();
    for (const Value* value : values)
        for (std::int64_t i = 0; i < value->count(); ++i)
            count(facts, numberAt(*value, i));
    return facts;
}

Result<TableFacts> tableFacts(const DataPreview& preview, const NodeId& node, DataPart part, std::size_t field,
                              std::int64_t mostRows, std::stop_token stop,
                              const std::function<void(double)>& progress)
{
    const FieldLayout layout = preview.layouts(node, part).at(field);
    const auto columns = static_cast<std::size_t>(std::max<std::int64_t>(0, elementCount(layout.shape)));
    const std::int64_t all = preview.sizes(node)[static_cast<std::size_t>(part)];
    const std::int64_t bound = kMostNumbers / std::max<std::int64_t>(1, static_cast<std::int64_t>(columns));
    TableFacts table;
    table.rows = std::min({all, mostRows, std::max<std::int64_t>(100, bound)});
    std::vector<Gatherer> gatherers(columns);
    for (int look = 0; look < 2; ++look) {
        for (std::int64_t row = 0; row < table.rows; ++row) {
            if (stop.stop_requested())
                return Error{ErrorCode::Cancelled, "Looking at the columns was stopped", {}, {}, {}};
            const std::int64_t position = row * all / table.rows;
            const Result<Sample> sample = preview.readAfter(node, part, position, 0);
            if (!sample)
                return sample.error();
            const Value& value = (*sample)[field];
            const auto width = std::min(columns, static_cast<std::size_t>(value.count()));
            for (std::size_t column = 0; column < width; ++column) {
                const double number = numberAt(value, static_cast<std::int64_t>(column));
                if (look == 0)
                    gatherers[column].addDistinct(number);
                else
                    count(table.columns[column].facts, number);
            }
            if (progress && row % 1024 == 0)
                progress(0.5 * (look + static_cast<double>(row) / static_cast<double>(table.rows)));
        }
        for (std::size_t column = 0; look == 0 && column < columns; ++column)
            table.columns.push_back({column < layout.columnNames.size() ? layout.columnNames[column]
                                     : columns == 1                     ? layout.name
                                                    : layout.name + "[" + std::to_string(column) + "]",
                                     gatherers[column].facts()});
    }
    return table;
}

} // namespace athanor
