// Any thread. The kinds that groups are drawn with, and what their nodes say.
#pragma once

#include "engine/graph/graph.h"

#include <cstdint>

namespace athanor {

inline constexpr const char* kGroupKind = "Group"; ///< an instance of a definition
inline constexpr const char* kGroupInputKind =
    "GroupInput"; ///< inside a definition: an input of its instances
inline constexpr const char* kGroupOutputKind = "GroupOutput"; ///< inside a definition: an output
inline constexpr const char* kSharedKind = "Shared";           ///< runs another node's layer on other inputs
inline constexpr std::int64_t kMostRepeats = 1000;

inline bool isGroup(const Node& node)
{
    return node.kind == kGroupKind;
}
inline bool isShared(const Node& node)
{
    return node.kind == kSharedKind;
}
/// A port of the definition that it lies in.
inline bool isGroupPort(const Node& node)
{
    return node.kind == kGroupInputKind || node.kind == kGroupOutputKind;
}

/// A text parameter as written ("definition", "of"); empty when it is missing or no text.
std::string writtenText(const Node& node, const char* parameter);
inline std::string definitionOf(const Node& instance)
{
    return writtenText(instance, "definition");
}
inline std::string ownerOf(const Node& shared)
{
    return writtenText(shared, "of");
}
/// How many copies run one after the other: 1 when nothing valid is written.
std::int64_t repeatOf(const Node& instance);

/// Names of a definition's ports, in their order.
std::vector<NodeId> groupInputs(const Graph& definition);
std::vector<NodeId> groupOutputs(const Graph& definition);

/// Names of the definitions that `body` holds instances of, and those that these hold in turn; also names that
/// no definition has.
std::vector<std::string> definitionsUsedBy(const Graph& root, const Graph& body);

/// Every node of the graph and of its definitions; `definition` is empty for the graph's own.
void forEachNode(const Graph& root,
                 const std::function<void(const std::string& definition, const Node& node)>& visit);

} // namespace athanor
