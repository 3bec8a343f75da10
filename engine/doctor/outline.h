// Any thread (plain data). A network as the rules look at it: flat, with its kinds and what follows what.
#pragma once

#include "engine/graph/graph_check.h"
#include "engine/project/project.h"

#include <map>
#include <string>
#include <vector>

namespace athanor {

/// A node of the flattened network.
struct OutlineNode {
    NodeId id;
    const NodeKind* kind = nullptr; ///< of the node whose weights it shares, where it does
    Json params;                    ///< complete
    std::vector<std::size_t> sources; ///< nodes that feed it, one per edge, in the order of its ports
    std::vector<std::string> ports;   ///< of its own, beside `sources`
    std::vector<std::size_t> users;
    std::optional<TensorType> output; ///< of its first port
    [[nodiscard]] bool is(std::string_view name) const { return kind != nullptr && kind->kind == name; }
};

class Outline {
public:
    /// `check` is checkNetwork's answer.
    Outline(const Graph& network, const GraphCheck& check);

    /// In topological order.
    [[nodiscard]] const std::vector<OutlineNode>& nodes() const { return m_nodes; }
    [[nodiscard]] std::vector<std::size_t> losses() const;
    /// What feeds a port; nothing when it is not connected.
    [[nodiscard]] std::optional<std::size_t> source(std::size_t node, std::string_view port) const;
    /// Going back from a node over what only passes numbers on (dropout, shapes): the first that does more.
    [[nodiscard]] std::size_t origin(std::size_t node) const;
    /// Nodes that a forward pass goes through before this one.
    [[nodiscard]] std::vector<std::size_t> upstream(std::size_t node) const;

private:
    std::vector<OutlineNode> m_nodes;
};

/// Dropout, Identity and what only rearranges numbers.
bool passesOn(const OutlineNode& node);
/// Linear, convolution: a matrix of weights times its input.
bool isWeighted(const OutlineNode& node);
/// Anything that is not an affine map of its inputs, batch normalization counting as one.
bool isNonlinear(const OutlineNode& node);
bool isRecurrent(const OutlineNode& node);
/// Whose output is exactly zero for half of its inputs.
bool isReluLike(const OutlineNode& node);
/// Weights that one output unit sums over; 0 when the sizes are not known.
double fanIn(const OutlineNode& node);
/// State name of a node's parameter: "block1.conv.weight".
std::string stateName(const OutlineNode& node, std::string_view parameter);

} // namespace athanor
