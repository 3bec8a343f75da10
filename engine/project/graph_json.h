// Any thread. Inside engine/project: one of a project's graphs, with its places on the canvas, to and from JSON.
#pragma once

#include "engine/graph/graph_check.h"

#include <string>
#include <vector>

namespace athanor {

/// What a file holds beside the graph.
struct GraphNotes {
    std::vector<Problem> problems;     ///< unknown keys that are kept, edges that are there twice
    Json extra = Json::object();       ///< unknown keys of the graph
    Json extraLayout = Json::object(); ///< positions of nodes that do not exist, as they stand in the layout
};

void noteUnknownKey(GraphNotes& notes, const std::string& where, const std::string& key,
                    const std::vector<std::string>& known);

/// Reads the graph `part` ("data" or "network") of a document; one that is missing is empty.
Result<Graph> graphFromJson(const Json& document, const std::string& part, GraphNotes& notes);

/// Nodes, edges and groups.
Json graphJson(const Graph& graph);
/// Adds positions and comments of the graph and its groups to the document's layout.
void addLayout(Json& layout, const std::string& part, const Graph& graph);

} // namespace athanor
