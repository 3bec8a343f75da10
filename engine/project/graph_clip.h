// Any thread (pure functions). Parts of a graph as text: what copy puts on the clipboard and paste reads. It is a
// project file with nothing but these nodes, so it can be mailed, kept, or pasted into a file by hand.
#pragma once

#include "engine/project/project.h"

#include <set>

namespace athanor {

/// Which of a project's graphs.
enum class ClipPart { Data, Network };

struct ClipChoice {
    std::set<NodeId> nodes;
    std::set<std::string> comments;
};

/// The chosen nodes with the edges among them, their positions and the chosen comments.
/// Groups bring their definitions. `graph` is the project's of this part, or the inside of a group (insideOf()).
std::string clipText(const Graph& graph, ClipPart part, const ClipChoice& choice);

struct Clip {
    ClipPart part = ClipPart::Network;
    Graph graph;
};

/// Reads such a text, or a whole project file (its network, else its data). An error says why it is none.
Result<Clip> parseClip(std::string_view text);

struct Paste {
    GraphEdit edit;
    std::set<NodeId> nodes; ///< under their new names
    std::set<std::string> comments;
};

/// Adds what a clip holds. Names that are taken get the next free number (conv1 → conv2); nodes that share the
/// weights of another one in the clip share those of its copy. A definition of groups that is there already, and the
/// same, is used; another one of that name comes under a free name. The clip's top left corner comes to `at`;
/// without it, everything keeps its place. Edges that lead out of the clip are left out.
Paste pasteEdit(const Graph& graph, const Clip& clip, const std::optional<Position>& at);

} // namespace athanor
