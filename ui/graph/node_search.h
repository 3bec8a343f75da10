// Any thread (pure functions). Nodes of a graph by what is typed.
#pragma once

#include "ui/bridge/project_document.h"

#include <QString>

namespace athanor {

/// The nodes whose name, kind, title or output shape ("32×28×28", an x will do) hold the text, in the order of
/// the file; names that begin with it come first. Nothing for an empty text.
std::vector<NodeId> searchNodes(const ProjectDocument& document, GraphPart part, const QString& text);

} // namespace athanor
