// Any thread (pure functions). Kinds of node by what is typed: kind, title, family and help.
#pragma once

#include "engine/graph/node_catalog.h"

#include <QString>

#include <functional>
#include <vector>

namespace athanor {

using KindFilter = std::function<bool(const NodeKind&)>; ///< empty: all kinds

/// The kinds that pass the filter and fit the pattern, the best first: a kind's own name before its title,
/// those before its family and a word of its help. An empty pattern leaves the catalog's order.
std::vector<const NodeKind*> searchKinds(const NodeCatalog& catalog, const QString& pattern,
                                         const KindFilter& filter = {});

/// The help without its markup, as a tooltip.
QString kindToolTip(const NodeKind& kind);

} // namespace athanor
