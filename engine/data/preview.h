// Any thread (immutable once opened). Looking at samples as they leave any node of the data graph. Torch-free.
#pragma once

#include "engine/data/data_plan.h"
#include "engine/data/pipeline_builder.h"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace athanor {

/// A sample at a node.
struct PreviewSample {
    std::int64_t index = 0; ///< in its data set, as in SampleRef and DataBatch::samples
    std::string name;       ///< "cat/0001.jpg"
    Sample before;          ///< as it comes to the node; empty for a source
    Sample after;           ///< as it leaves the node
    Sample picture;         ///< `after` without the steps that only scale numbers; empty: there are none
};

/// How often each class of an index field occurs, per part (empty: the part is not there) and class.
struct PreviewClasses {
    std::string field;
    std::vector<std::string> names;
    std::array<std::vector<std::int64_t>, 3> counts{};
};

class DataPreview {
public:
    /// Opens the sources and fits what must be fitted, once for all nodes. When the graph as a whole cannot be
    /// opened, opens what `node` depends on, so that the part above a mistake can still be looked at. The error is that
    /// of the node itself, its place is `data/<node>/<parameter>`. Cancelled when `stop` was requested meanwhile;
    /// a source's own opening is waited for.
    static Result<std::shared_ptr<const DataPreview>> open(const Project& project, const NodeId& node,
                                                           std::stop_token stop = {});

    /// False for a node that nothing was opened for: it leads nowhere, or comes after a mistake.
    [[nodiscard]] bool shows(const NodeId& node) const;
    /// Samples that pass the node, per part.
    [[nodiscard]] std::array<std::int64_t, 3> sizes(const NodeId& node) const;
    /// A transform; others change nothing.
    [[nodiscard]] bool isTransform(const NodeId& node) const;
    /// False for a transform that its `when` leaves out in this part.
    [[nodiscard]] bool isActive(const NodeId& node, DataPart part) const;
    /// Fields as they leave the node (shows(), sizes()[part] > 0).
    [[nodiscard]] std::vector<FieldLayout> layouts(const NodeId& node, DataPart part) const;

    /// Sample `position` of the part, 0 … sizes()[part] − 1; random steps draw as in `epoch`. Errors name the file.
    [[nodiscard]] Result<PreviewSample> read(const NodeId& node, DataPart part, std::int64_t position,
                                             std::uint64_t epoch) const;
    /// The same without what lies before.
    [[nodiscard]] Result<Sample> readAfter(const NodeId& node, DataPart part, std::int64_t position,
                                           std::uint64_t epoch) const;
    /// The position of an index of the data set in its part, −1: not there.
    [[nodiscard]] std::int64_t positionOf(const NodeId& node, DataPart part, std::int64_t index) const;

    /// Counts every label of every part; Cancelled when `stop` was requested meanwhile.
    [[nodiscard]] Result<std::vector<PreviewClasses>> classCounts(std::stop_token stop = {}) const;

private:
    DataPreview() = default;
    struct Way {
        std::vector<PlanNode> steps; ///< transforms in order; the ordinal of a step is its place
        std::vector<NodeId> nodes;   ///< all nodes that lead to the Loader in this part
    };
    static Result<std::shared_ptr<const DataPreview>> openGraph(const Project& project, std::stop_token stop);
    [[nodiscard]] std::uint64_t stepsThrough(const NodeId& node, std::size_t part) const;
    [[nodiscard]] bool passes(const NodeId& node, std::size_t part) const;
    Status readThrough(std::size_t part, std::uint64_t end, const std::set<std::string>& without,
                       std::int64_t index, std::uint64_t epoch, Sample& sample) const;

    Graph m_graph;
    OpenedData m_data;
    std::array<Way, 3> m_ways;
    std::map<NodeId, std::set<NodeId>> m_above; ///< what each node depends on, itself included
};

} // namespace athanor
