// Any thread. Inside engine/graph: the order in which nodes can be computed.
#pragma once

#include <cstddef>
#include <functional>
#include <queue>
#include <vector>

namespace athanor {

/// Indices 0 … count − 1 so that each comes after those that lead to it; ties in rising order. `nextOf(i)` are the
/// indices that i leads to, one for each edge. Members of cycles and what follows them are left out.
template <typename NextOf>
std::vector<std::size_t> topologicalSort(std::size_t count, NextOf nextOf)
{
    std::vector<std::size_t> waitsFor(count, 0);
    for (std::size_t i = 0; i < count; ++i)
        for (const std::size_t next : nextOf(i))
            ++waitsFor[next];
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < count; ++i)
        if (waitsFor[i] == 0)
            ready.push(i);
    std::vector<std::size_t> order;
    order.reserve(count);
    while (!ready.empty()) {
        const std::size_t node = ready.top();
        ready.pop();
        order.push_back(node);
        for (const std::size_t next : nextOf(node))
            if (--waitsFor[next] == 0)
                ready.push(next);
    }
    return order;
}

} // namespace athanor
