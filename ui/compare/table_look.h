// GUI thread. How the tables of a comparison look alike.
#pragma once

class QTableWidget;

namespace athanor {

/// Read only, striped, without a grid; Tab leaves it.
void useComparisonLook(QTableWidget& table);

} // namespace athanor
