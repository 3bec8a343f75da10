// Any thread. The types of what is dragged onto a canvas or copied from one.
#pragma once

namespace athanor {

inline constexpr char kGraphMime[] = "application/x-athanor-graph"; ///< nodes as JSON text (graph_clip.h)
inline constexpr char kKindMime[] = "application/x-athanor-kind";   ///< a kind's name, UTF-8

} // namespace athanor
