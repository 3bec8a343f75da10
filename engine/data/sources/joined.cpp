#include "engine/data/sources/joined.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace athanor {

namespace {

struct Member {
    std::unique_ptr<Dataset> dataset;
    std::string id;
    std::vector<std::int64_t> indices; ///< per sample, the member's own; empty: the same number
    std::size_t firstField = 0;

    [[nodiscard]] std::int64_t indexOf(std::int64_t sample) const
    {
        return indices.empty() ? sample : indices[static_cast<std::size_t>(sample)];
    }
};

std::vector<FieldLayout> layoutsOf(const std::vector<Member>& members)
{
    std::vector<FieldLayout> layouts;
    for (const Member& member : members)
        for (FieldLayout layout : member.dataset->fields()) {
            const bool taken = std::any_of(layouts.begin(), layouts.end(),
                                           [&](const FieldLayout& other) { return other.name == layout.name; });
            if (taken)
                layout.name = member.id + "_" + layout.name;
            layouts.push_back(std::move(layout));
        }
    return layouts;
}

class JoinedDataset final : public Dataset {
public:
    JoinedDataset(std::vector<Member> members, std::int64_t size)
        : Dataset(layoutsOf(members)), m_members(std::move(members)), m_size(size)
    {
        numberFields();
    }

    [[nodiscard]] std::int64_t size() const override { return m_size; }

    Status read(std::int64_t index, Sample& sample) const override
    {
        sample.resize(fields().size());
        Sample own;
        for (const Member& member : m_members) {
            own.resize(member.dataset->fields().size());
            for (std::size_t field = 0; field < own.size(); ++field)
                std::swap(own[field], sample[member.firstField + field]);
            const std::int64_t memberIndex = member.indexOf(index);
            if (const Status status = member.dataset->read(memberIndex, own); !status) {
                Error error = status.error();
                error.message = member.dataset->sampleName(memberIndex) + ": " + error.message;
                return error;
            }
            for (std::size_t field = 0; field < own.size(); ++field)
                std::swap(own[field], sample[member.firstField + field]);
        }
        return Done{};
    }

    [[nodiscard]] std::string sampleName(std::int64_t index) const override
    {
        std::string name;
        for (const Member& member : m_members)
            name += (name.empty() ? "" : " + ") + member.dataset->sampleName(member.indexOf(index));
        return name;
    }

    [[nodiscard]] std::int64_t indexValue(std::size_t field, std::int64_t index) const override
    {
        const Member& member = memberOf(field);
        return member.dataset->indexValue(field - member.firstField, member.indexOf(index));
    }

    [[nodiscard]] RowSpan rows(std::int64_t index) const override
    {
        return m_members.front().dataset->rows(m_members.front().indexOf(index));
    }

    [[nodiscard]] std::string filePath(std::int64_t index) const override
    {
        for (const Member& member : m_members)
            if (std::string path = member.dataset->filePath(member.indexOf(index)); !path.empty())
                return path;
        return {};
    }

    [[nodiscard]] std::vector<std::string> keyColumns() const override
    {
        std::vector<std::string> columns;
        for (const Member& member : m_members)
            for (const std::string& column : member.dataset->keyColumns())
                columns.push_back(column);
        return columns;
    }

    [[nodiscard]] std::string keyText(std::size_t column, std::int64_t index) const override
    {
        for (const Member& member : m_members) {
            const std::size_t count = member.dataset->keyColumns().size();
            if (column < count)
                return member.dataset->keyText(column, member.indexOf(index));
            column -= count;
        }
        return {};
    }

    Status learnFrom(const Dataset& training, const std::vector<std::int64_t>& samples) override
    {
        const auto* other = dynamic_cast<const JoinedDataset*>(&training);
        if (other == nullptr || other->m_members.size() != m_members.size())
            return invalid("It is put together otherwise than the training part",
                           "All parts need the same sources");
        for (std::size_t i = 0; i < m_members.size(); ++i) {
            std::vector<std::int64_t> own;
            for (const std::int64_t sample : samples)
                own.push_back(other->m_members[i].indexOf(sample));
            std::sort(own.begin(), own.end());
            own.erase(std::unique(own.begin(), own.end()), own.end());
            if (const Status status = m_members[i].dataset->learnFrom(*other->m_members[i].dataset, own); !status)
                return atNode(status.error(), m_members[i].id);
        }
        adoptLayouts();
        return Done{};
    }

protected:
    void mapClasses(std::size_t field, const std::vector<std::int64_t>& map) override
    {
        const Member& member = memberOf(field);
        const std::int64_t classes = map.empty() ? 0 : *std::max_element(map.begin(), map.end()) + 1;
        member.dataset->renumberClasses(field - member.firstField, map,
                                        std::vector<std::string>(static_cast<std::size_t>(classes)));
    }

private:
    static Error atNode(Error error, const std::string& id)
    {
        if (!error.where.starts_with("data/"))
            error.where = dataPlace(id, error.where);
        return error;
    }

    /// What the members have learned, but class names stay as they were unified here.
    void adoptLayouts()
    {
        std::vector<FieldLayout> layouts = layoutsOf(m_members);
        for (FieldLayout& layout : layouts)
            for (const FieldLayout& known : fields())
                if (known.name == layout.name && !known.classNames.empty()) {
                    layout.classNames = known.classNames;
                    layout.classes = known.classes;
                }
        setFields(std::move(layouts));
        numberFields();
    }

    void numberFields()
    {
        std::size_t field = 0;
        for (Member& member : m_members) {
            member.firstField = field;
            field += member.dataset->fields().size();
        }
    }

    [[nodiscard]] const Member& memberOf(std::size_t field) const
    {
        std::size_t member = m_members.size() - 1;
        while (member > 0 && m_members[member].firstField > field)
            --member;
        return m_members[member];
    }

    std::vector<Member> m_members;
    std::int64_t m_size;
};

Error joinError(const PlanNode& node, const std::string& parameter, std::string message, std::string hint)
{
    return node.error(ErrorCode::InvalidArgument, parameter, std::move(message), std::move(hint));
}

OpenedDataset zip(const PlanNode& node, std::vector<Member> members)
{
    const std::int64_t size = members.front().dataset->size();
    for (const Member& member : members)
        if (member.dataset->size() != size)
            return joinError(node, {},
                             "'" + member.id + "' has " + std::to_string(member.dataset->size()) +
                                 " samples, but '" + members.front().id + "' has " + std::to_string(size),
                             "Zip puts equally long sources side by side; use Join to match them by a key");
    return std::unique_ptr<Dataset>(std::make_unique<JoinedDataset>(std::move(members), size));
}

/// The texts of a member's key column, sample by sample.
Result<std::vector<std::string>> keysOf(const PlanNode& node, const Member& member, const std::string& column)
{
    const std::vector<std::string> columns = member.dataset->keyColumns();
    const auto found = std::find(columns.begin(), columns.end(), column);
    if (found == columns.end()) {
        std::string list;
        for (const std::string& name : columns)
            list += (list.empty() ? "" : ", ") + name;
        return joinError(node, "on", "'" + member.id + "' has no key column '" + column + "'",
                         list.empty() ? "A source of this kind has none; Zip goes by the order instead"
                                      : "It has " + list);
    }
    std::vector<std::string> keys;
    for (std::int64_t i = 0; i < member.dataset->size(); ++i)
        keys.push_back(member.dataset->keyText(static_cast<std::size_t>(found - columns.begin()), i));
    return keys;
}

using KeyTable = std::unordered_map<std::string, std::int64_t>;

Result<KeyTable> uniqueKeys(const PlanNode& node, const Member& member, const std::vector<std::string>& keys)
{
    KeyTable table;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto index = static_cast<std::int64_t>(i);
        if (const auto [at, isNew] = table.emplace(keys[i], index); !isNew)
            return joinError(node, "on",
                             "'" + member.id + "' has the key '" + keys[i] + "' twice: " +
                                 member.dataset->sampleName(at->second) + " and " +
                                 member.dataset->sampleName(index),
                             "Only the first source of a Join may repeat a key");
    }
    return table;
}

OpenedDataset join(const PlanNode& node, std::vector<Member> members)
{
    const Json& on = node.params.at("on");
    if (!on.is_array() || (on.size() != 1 && on.size() != members.size()))
        return joinError(node, "on", "needs one key column, or one for each of the " +
                                         std::to_string(members.size()) + " sources",
                         "such as [\"id\"]");
    const auto column = [&](std::size_t member) {
        return on[on.size() == 1 ? 0 : member].get<std::string>();
    };
    const Result<std::vector<std::string>> keys = keysOf(node, members[0], column(0));
    if (!keys)
        return keys.error();
    std::vector<KeyTable> tables;
    for (std::size_t i = 1; i < members.size(); ++i) {
        const Result<std::vector<std::string>> own = keysOf(node, members[i], column(i));
        if (!own)
            return own.error();
        Result<KeyTable> table = uniqueKeys(node, members[i], *own);
        if (!table)
            return table.error();
        tables.push_back(std::move(*table));
    }
    const bool mayDrop = node.params.at("how") == "inner";
    for (std::size_t sample = 0; sample < keys->size(); ++sample) {
        const std::string& key = (*keys)[sample];
        const auto without = std::find_if(tables.begin(), tables.end(),
                                          [&](const KeyTable& table) { return !table.contains(key); });
        const auto index = static_cast<std::int64_t>(sample);
        if (without != tables.end()) {
            if (mayDrop)
                continue;
            const Member& lacking = members[static_cast<std::size_t>(without - tables.begin()) + 1];
            return joinError(node, "on",
                             members[0].dataset->sampleName(index) + ": its key '" + key +
                                 "' is not in '" + lacking.id + "'",
                             "Set how to inner to leave out what has no partner");
        }
        members[0].indices.push_back(index);
        for (std::size_t i = 1; i < members.size(); ++i)
            members[i].indices.push_back(tables[i - 1].at(key));
    }
    const auto size = static_cast<std::int64_t>(members[0].indices.size());
    if (size == 0)
        return joinError(node, "on", "No key of '" + members[0].id + "' is in all other sources",
                         "Do the columns hold the same keys, written alike?");
    return std::unique_ptr<Dataset>(std::make_unique<JoinedDataset>(std::move(members), size));
}

} // namespace

OpenedDataset openBranch(const PlanBranch& branch, const std::filesystem::path& folder)
{
    const PlanNode& node = branch.source;
    if (node.kind != "Join" && node.kind != "Zip")
        return openSource({node.id, node.kind, node.params, folder});
    std::vector<Member> members;
    for (const PlanBranch& joined : branch.joined) {
        OpenedDataset dataset = openBranch(joined, folder);
        if (!dataset)
            return dataset.error();
        Member member;
        member.dataset = std::move(*dataset);
        member.id = joined.source.id;
        members.push_back(std::move(member));
    }
    if (members.size() < 2)
        return joinError(node, {}, "has " + std::to_string(members.size()) + " sources",
                         "Connect at least two");
    return node.kind == "Zip" ? zip(node, std::move(members)) : join(node, std::move(members));
}

} // namespace athanor
