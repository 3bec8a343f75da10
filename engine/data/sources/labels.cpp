#include "engine/data/sources/labels.h"

#include "engine/data/sources/csv_text.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace athanor {

std::string className(std::string_view cell)
{
    const std::optional<double> number = cellNumber(cell);
    if (number && std::abs(*number) < 1e15 && *number == std::floor(*number))
        return std::to_string(static_cast<std::int64_t>(*number));
    return std::string(cell);
}

MemoryField classField(const std::string& field, const std::vector<std::string>& labels)
{
    FieldLayout layout{field, Element::Int64, {}};
    layout.classNames = sortedClassNames(labels);
    layout.classes = static_cast<std::int64_t>(layout.classNames.size());
    std::unordered_map<std::string, std::int64_t> numbers;
    for (const std::string& name : layout.classNames)
        numbers.emplace(name, static_cast<std::int64_t>(numbers.size()));
    MemoryField result = makeMemoryField(std::move(layout), static_cast<std::int64_t>(labels.size()));
    std::transform(labels.begin(), labels.end(), result.int64(),
                   [&](const std::string& label) { return numbers.at(label); });
    return result;
}

} // namespace athanor
