// GUI thread. Opens the script editor on a node of the document.
#pragma once

#include "ui/bridge/project_document.h"

class QWidget;

namespace athanor {

class Theme;

/// Opens a window-modal dialog above `parent`; what is applied there becomes one undo step. Nothing happens when the
/// node is not there or has no source.
void editSource(ProjectDocument& document, GraphPart part, const NodeId& node, const Theme& theme, QWidget* parent);

} // namespace athanor
