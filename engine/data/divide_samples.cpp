// How a Split node's parameters divide a data set.
#include "engine/data/split.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>

namespace athanor {

namespace {

using Indices = std::vector<std::int64_t>;

constexpr std::array<const char*, 3> kPartNames = {"train", "val", "test"};

/// The class of each sample by the field that stratify goes by; empty when there is none.
Indices classesOf(const Dataset& dataset)
{
    const auto& fields = dataset.fields();
    const auto field = std::find_if(fields.begin(), fields.end(), [](const FieldLayout& layout) {
        return layout.element == Element::Int64 && layout.shape.empty();
    });
    Indices classes;
    if (field == fields.end())
        return classes;
    for (std::int64_t index = 0; index < dataset.size(); ++index)
        classes.push_back(dataset.indexValue(static_cast<std::size_t>(field - fields.begin()), index));
    return classes;
}

std::string listOf(const std::vector<std::string>& names)
{
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : ", ") + name;
    return text;
}

std::optional<double> numberIn(const std::string& text)
{
    double number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return number;
}

/// One way to divide, over one data set.
class Divider {
public:
    Divider(const Dataset& dataset, const Json& split) : m_dataset(dataset), m_split(split) {}

    Result<DividedSamples> run()
    {
        for (std::size_t part = 0; part < m_shares.size(); ++part)
            m_shares[part] = m_split.at(kPartNames[part]).get<double>();
        if (m_shares[0] + m_shares[1] + m_shares[2] > 1 + 1e-6)
            return invalid("The shares of train, val and test add up to more than 1",
                           "Lower one of them; what is left over is not used", "train");
        DividedSamples divided;
        Result<std::array<Indices, 3>> parts = divide();
        if (!parts)
            return parts.error();
        divided.parts = std::move(*parts);
        leaveOutCrossing(divided);
        if (const Status status = checkNotEmpty(divided); !status)
            return status.error();
        return divided;
    }

private:
    [[nodiscard]] std::uint64_t seed() const { return m_split.at("seed").get<std::uint64_t>(); }
    [[nodiscard]] std::string by() const { return m_split.value("by", "random"); }

    Result<std::array<Indices, 3>> divide()
    {
        const std::int64_t folds = m_split.value("folds", std::int64_t{0});
        if (folds > 0)
            return divideFolds(folds);
        if (by() == "group" || by() == "folder") {
            const Result<Grouping> groups = grouping();
            if (!groups)
                return groups.error();
            return splitGroups(groups->of, groups->count, m_shares, seed());
        }
        if (by() == "time") {
            const Result<Indices> order = orderInTime();
            if (!order)
                return order.error();
            return splitOrdered(*order, m_shares);
        }
        const Result<Indices> classes = stratification();
        if (!classes)
            return classes.error();
        return splitSamples(m_dataset.size(), m_shares, *classes, seed());
    }

    /// Fold `fold` is the validation part, the others are the training part; shares do not count.
    Result<std::array<Indices, 3>> divideFolds(std::int64_t folds)
    {
        const auto chosen = m_split.value("fold", std::int64_t{0});
        if (folds < 2)
            return invalid("One fold leaves nothing to train on", "Use 2 folds or more, or 0 for none", "folds");
        if (chosen >= folds)
            return invalid("There is no fold " + std::to_string(chosen) + " among " + std::to_string(folds),
                           "Folds are numbered from 0", "fold");
        Result<Indices> dealt = foldOfEach(folds);
        if (!dealt)
            return dealt.error();
        std::array<Indices, 3> parts;
        for (std::int64_t index = 0; index < m_dataset.size(); ++index)
            parts[(*dealt)[static_cast<std::size_t>(index)] == chosen ? 1 : 0].push_back(index);
        m_shares = {1, 1, 0}; // neither may be empty
        return parts;
    }

    Result<Indices> foldOfEach(std::int64_t folds)
    {
        if (by() == "time")
            return invalid("Folds would train on what comes after the validation part",
                           "Set folds to 0, or by to another way", "folds");
        if (by() == "random") {
            const Result<Indices> classes = stratification();
            if (!classes)
                return classes.error();
            return dealFolds(m_dataset.size(), folds, *classes, seed());
        }
        const Result<Grouping> groups = grouping();
        if (!groups)
            return groups.error();
        const Indices foldOfGroup = dealFolds(groups->count, folds, {}, seed());
        Indices dealt;
        for (const std::int64_t group : groups->of)
            dealt.push_back(foldOfGroup[static_cast<std::size_t>(group)]);
        return dealt;
    }

    /// Empty: not stratified.
    Result<Indices> stratification() const
    {
        if (!m_split.at("stratify").get<bool>())
            return Indices();
        Indices classes = classesOf(m_dataset);
        if (classes.empty())
            return invalid("The data has no classes to stratify by",
                           "Set stratify to false; it is for classification", "stratify");
        return classes;
    }

    struct Grouping {
        Indices of; ///< group of each sample
        std::int64_t count = 0;
    };

    /// Samples of one text in the column, or of one folder, are a group, numbered as they first occur.
    Result<Grouping> grouping() const
    {
        const bool isFolder = by() == "folder";
        std::size_t column = 0;
        if (!isFolder) {
            const Result<std::size_t> found = keyColumn();
            if (!found)
                return found.error();
            column = *found;
        }
        Grouping out;
        std::map<std::string, std::int64_t> numbers;
        for (std::int64_t index = 0; index < m_dataset.size(); ++index) {
            const std::string path = isFolder ? m_dataset.filePath(index) : std::string();
            if (isFolder && path.empty())
                return invalid("Its samples do not come from a file each", "Set by to random or group", "by");
            const std::string text =
                isFolder ? std::filesystem::path(path).parent_path().string() : m_dataset.keyText(column, index);
            out.of.push_back(numbers.emplace(text, static_cast<std::int64_t>(numbers.size())).first->second);
        }
        out.count = static_cast<std::int64_t>(numbers.size());
        return out;
    }

    Result<std::size_t> keyColumn() const
    {
        const auto name = m_split.value("column", std::string());
        const std::vector<std::string> columns = m_dataset.keyColumns();
        const auto found = std::find(columns.begin(), columns.end(), name);
        if (found != columns.end())
            return static_cast<std::size_t>(found - columns.begin());
        if (columns.empty())
            return invalid("The data has no columns to go by", "Only tables have; set by to random", "by");
        return invalid(name.empty() ? "It does not say which column to go by"
                                    : "The data has no column '" + name + "'",
                       "One of " + listOf(columns), "column");
    }

    /// By the column when there is one: as numbers when all of them are, else as texts, which orders ISO dates.
    /// Without a column the samples stand in order already.
    Result<Indices> orderInTime() const
    {
        Indices order(static_cast<std::size_t>(m_dataset.size()));
        std::iota(order.begin(), order.end(), 0);
        if (m_split.value("column", std::string()).empty())
            return order;
        const Result<std::size_t> column = keyColumn();
        if (!column)
            return column.error();
        std::vector<std::string> texts;
        std::vector<double> numbers;
        for (const std::int64_t index : order) {
            texts.push_back(m_dataset.keyText(*column, index));
            if (const auto number = numberIn(texts.back()))
                numbers.push_back(*number);
        }
        const auto at = [](std::int64_t index) { return static_cast<std::size_t>(index); };
        if (numbers.size() == texts.size())
            std::stable_sort(order.begin(), order.end(),
                             [&](auto a, auto b) { return numbers[at(a)] < numbers[at(b)]; });
        else
            std::stable_sort(order.begin(), order.end(),
                             [&](auto a, auto b) { return texts[at(a)] < texts[at(b)]; });
        return order;
    }

    /// A window is left out when rows of it belong to windows of an earlier part (train before val before test).
    void leaveOutCrossing(DividedSamples& divided) const
    {
        const bool windows = m_dataset.size() > 0 && [&] {
            const RowSpan first = m_dataset.rows(0);
            return first.last - first.first > 1;
        }();
        if (!windows)
            return;
        std::map<std::int64_t, std::size_t> ownerOf; // row → part
        for (std::size_t part = 0; part < divided.parts.size(); ++part) {
            Indices kept;
            for (const std::int64_t index : divided.parts[part])
                if (!meetsOther(ownerOf, index, part))
                    kept.push_back(index);
            divided.leftOut += static_cast<std::int64_t>(divided.parts[part].size() - kept.size());
            for (const std::int64_t index : kept) {
                const RowSpan rows = m_dataset.rows(index);
                for (std::int64_t row = rows.first; row < rows.last; ++row)
                    ownerOf.emplace(row, part);
            }
            divided.parts[part] = std::move(kept);
        }
    }

    bool meetsOther(const std::map<std::int64_t, std::size_t>& ownerOf, std::int64_t index, std::size_t part) const
    {
        const RowSpan rows = m_dataset.rows(index);
        for (auto row = ownerOf.lower_bound(rows.first); row != ownerOf.end() && row->first < rows.last; ++row)
            if (row->second != part)
                return true;
        return false;
    }

    Status checkNotEmpty(const DividedSamples& divided) const
    {
        for (std::size_t part = 0; part < divided.parts.size(); ++part) {
            if (!divided.parts[part].empty() || (part > 0 && m_shares[part] <= 0))
                continue;
            std::string text = "No sample is left for ";
            text += kPartNames[part];
            text += " of the " + std::to_string(m_dataset.size()) + " there are";
            if (divided.leftOut > 0)
                text += "; " + std::to_string(divided.leftOut) + " windows are left out, since they would cross parts";
            return invalid(std::move(text),
                           divided.leftOut > 0 ? "Set by to time, raise its share, or make the windows shorter"
                                               : "Raise its share",
                           kPartNames[part]);
        }
        return Done{};
    }

    const Dataset& m_dataset;
    const Json& m_split;
    std::array<double, 3> m_shares{};
};

} // namespace

Result<DividedSamples> divideSamples(const Dataset& dataset, const Json& split)
{
    return Divider(dataset, split).run();
}

} // namespace athanor
