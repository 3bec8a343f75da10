#include "engine/graph/graph_structure.h"

namespace athanor {
namespace {

bool keepsImages(NodeFamily family)
{
    return family == NodeFamily::Activation || family == NodeFamily::Normalization || family == NodeFamily::Dropout;
}

// Whether the image comes out of a convolution or a pooling, with nothing between that would have moved its axes.
bool comesFromConvolution(const std::vector<NodeView>& nodes, std::size_t index)
{
    for (std::size_t steps = 0; steps < nodes.size(); ++steps) { // a cycle ends too
        const NodeView& view = nodes[index];
        if (!view.kind)
            return false;
        if (view.kind->family == NodeFamily::Convolution || view.kind->family == NodeFamily::Pooling)
            return true;
        if (!keepsImages(view.kind->family) || view.inputs.empty() || view.inputs.front().size() != 1)
            return false;
        index = view.inputs.front().front().node;
    }
    return false;
}

} // namespace

void warnOfImagesIntoLinear(GraphStructure& structure)
{
    const std::vector<NodeView>& nodes = structure.nodes();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!nodes[i].kind || nodes[i].kind->kind != "Linear" || nodes[i].inputs.front().size() != 1)
            continue;
        const InputEdge& source = nodes[i].inputs.front().front();
        const NodeCheck* check = nodes[source.node].check;
        if (check == nullptr || source.port >= check->outputs.size())
            continue;
        const auto& type = check->outputs[source.port];
        if (type && type->rank() >= 4 && comesFromConvolution(nodes, source.node))
            structure.addProblem(i, {}, Severity::Warning,
                                 "works on the last axis of " + type->text() + " only, each row of the image alone",
                                 "put a Flatten before it, or AdaptiveAvgPool2d and Flatten");
    }
}

} // namespace athanor
