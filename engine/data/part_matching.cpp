#include "engine/data/part_matching.h"

#include <algorithm>

namespace athanor {

namespace {

std::string fieldList(const Dataset& dataset)
{
    std::string text;
    for (const FieldLayout& field : dataset.fields())
        text += (text.empty() ? "'" : ", '") + field.name + "'";
    return text;
}

Error mismatch(const NamedDataset& part, std::string message, std::string hint)
{
    return {ErrorCode::InvalidArgument, std::move(message), dataPlace(part.source), std::move(hint), {}};
}

Status compareFields(const NamedDataset& first, const NamedDataset& other)
{
    const auto& expected = first.dataset->fields();
    const auto& fields = other.dataset->fields();
    const auto sameField = [](const FieldLayout& a, const FieldLayout& b) {
        return a.name == b.name && a.element == b.element;
    };
    if (!std::equal(fields.begin(), fields.end(), expected.begin(), expected.end(), sameField))
        return mismatch(other,
                        "Its fields " + fieldList(*other.dataset) + " are not those of " + first.source +
                            " (" + fieldList(*first.dataset) + "), or hold other kinds of numbers",
                        "All parts need the same fields");
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const auto& names = fields[i].columnNames;
        const auto& expectedNames = expected[i].columnNames;
        if (names.size() != expectedNames.size())
            return mismatch(other,
                            "It has " + std::to_string(names.size()) + " columns of " + fields[i].name +
                                ", but " + first.source + " has " + std::to_string(expectedNames.size()),
                            "All parts need the same columns");
        const auto different = std::mismatch(names.begin(), names.end(), expectedNames.begin());
        if (different.first != names.end())
            return mismatch(other,
                            "Its column '" + *different.first + "' stands where " + first.source + " has '" +
                                *different.second + "'",
                            "All parts need the same columns in the same order");
    }
    return Done{};
}

void unifyClasses(const std::vector<NamedDataset>& parts, std::size_t field)
{
    std::vector<std::string> all;
    for (const NamedDataset& part : parts) {
        const auto& names = part.dataset->fields()[field].classNames;
        all.insert(all.end(), names.begin(), names.end());
    }
    all = sortedClassNames(std::move(all));
    for (const NamedDataset& part : parts) {
        std::vector<std::int64_t> map;
        for (const std::string& name : part.dataset->fields()[field].classNames)
            map.push_back(std::find(all.begin(), all.end(), name) - all.begin());
        part.dataset->renumberClasses(field, map, all);
    }
}

} // namespace

Status matchParts(const std::vector<NamedDataset>& parts)
{
    for (std::size_t i = 1; i < parts.size(); ++i)
        if (const Status status = compareFields(parts.front(), parts[i]); !status)
            return status;
    for (std::size_t field = 0; parts.size() > 1 && field < parts.front().dataset->fields().size(); ++field)
        if (!parts.front().dataset->fields()[field].classNames.empty())
            unifyClasses(parts, field);
    return Done{};
}

} // namespace athanor
