// Any thread (pure functions). Working with groups: each function answers an edit of the whole graph, one undo
// step. `inside` names the definition that the nodes lie in; empty: the graph itself.
#pragma once

#include "engine/graph/graph_edit.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace athanor {

struct GroupEdit {
    GraphEdit edit;
    std::set<NodeId> nodes; ///< that the edit adds: what should be selected afterwards
};

/// A name that no definition has, made of `wish` ("Block"): `Block`, `Block2`, …
std::string freeDefinitionName(const Graph& graph, std::string_view wish);

/// Makes a group of nodes: a new definition, and an instance in their place. Edges that cross its border become
/// ports, one for each tensor. The nodes keep their names and places. Refused: no nodes; ports of the definition
/// that they lie in; a node that is not selected between two that are; shared weights across the border.
Result<GroupEdit> makeGroup(const Graph& graph, const std::string& inside, const std::set<NodeId>& nodes,
                            const std::string& name);

/// Puts the members of an instance in its place, all copies when it repeats; the definition goes when nothing else
/// uses it. Refused when it is no instance, or when another node shares its weights.
Result<GroupEdit> ungroup(const Graph& graph, const std::string& inside, const NodeId& instance);

/// Gives an instance a definition of its own, so that it no longer follows the others.
Result<GroupEdit> detachGroup(const Graph& graph, const std::string& inside, const NodeId& instance);

/// Adds another instance of a definition. Refused where the definition would hold itself.
Result<GroupEdit> placeGroup(const Graph& graph, const std::string& inside, const std::string& definition,
                             std::optional<Position> position);

/// Adds definitions that come from another project, with those that they hold. One that the graph has already, the
/// same in name and content (positions and comments aside), is used as it is; another of the same name makes the
/// newcomer take a free one. `names` tells the new name of each.
struct ImportedDefinitions {
    GraphEdit edit;
    std::map<std::string, std::string> names;
};
ImportedDefinitions importDefinitions(const Graph& graph, const std::vector<GroupDefinition>& definitions);

/// A definition with all that it holds, each before what holds it; empty when there is none of this name.
std::vector<GroupDefinition> withItsDefinitions(const Graph& graph, const std::string& definition);

/// Edits that turn edges into others: `now` is a part of `wanted` in the same order; the rest is drawn in its place.
std::vector<GraphEdit> drawMissing(const std::vector<Edge>& now, const std::vector<Edge>& wanted);

} // namespace athanor
