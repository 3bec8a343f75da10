#include "ui/bridge/group_place.h"

#include "engine/graph/groups.h"

#include <algorithm>
#include <charconv>

namespace athanor {
namespace {

/// The group instance that a node is or shares; nullptr for none.
const Node* groupOf(const Graph& level, const NodeId& id)
{
    const Node* node = level.find(id);
    if (node && isShared(*node)) {
        node = level.find(ownerOf(*node));
    }
    return node && isGroup(*node) ? node : nullptr;
}

} // namespace

GroupPlace placeAt(const Graph& network, const GroupPath& path)
{
    GroupPlace place;
    const Graph* level = &network;
    for (const OpenGroup& open : path) {
        const Node* group = groupOf(*level, open.instance);
        const Graph* inside = group ? network.definition(definitionOf(*group)) : nullptr;
        if (!inside) {
            break;
        }
        const std::int64_t repeat = repeatOf(*group);
        const OpenGroup own{open.instance, std::clamp<std::int64_t>(open.copy, 0, repeat - 1)};
        place.path.push_back(own);
        place.definition = definitionOf(*group);
        place.prefix += open.instance + "/";
        if (repeat > 1) {
            place.prefix += std::to_string(own.copy);
            place.prefix += "/";
        }
        level = inside;
    }
    return place;
}

std::optional<PlacedNode> findPlaced(const Graph& network, const std::string& flat)
{
    std::optional<PlacedNode> best;
    GroupPath path;
    std::string rest = flat;
    const Graph* level = &network;
    while (level) {
        // Ids of old files may hold '/': the longest one that is there is meant.
        std::size_t end = rest.size();
        while (end != std::string::npos && end > 0 && !level->find(rest.substr(0, end))) {
            end = rest.find_last_of("/:", end - 1);
        }
        if (end == std::string::npos || end == 0) {
            break;
        }
        const NodeId id = rest.substr(0, end);
        rest = end < rest.size() ? rest.substr(end + 1) : std::string();
        best = PlacedNode{path, id, rest};
        const Node* group = groupOf(*level, id);
        if (!group || rest.empty()) {
            break;
        }
        OpenGroup open{id, 0};
        if (repeatOf(*group) > 1) {
            const auto [number, failed] = std::from_chars(rest.data(), rest.data() + rest.size(), open.copy);
            if (failed == std::errc() && number != rest.data() + rest.size() && *number == '/') {
                rest.erase(0, static_cast<std::size_t>(number - rest.data()) + 1);
            }
        }
        path.push_back(open);
        level = network.definition(definitionOf(*group));
    }
    return best;
}

} // namespace athanor
