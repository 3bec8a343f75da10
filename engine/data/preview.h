// Any thread (immutable once opened). Looking at samples as they leave any node of the data graph. Torch-free.
#pragma once

#include "engine/data/data_pipeline.h"

#include <array>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace athanor {

class Value;
struct FieldLayout;

/// A sample at a node. Whoever makes or reads one includes engine/data/dataset.h; this header does not, since the
/// window also knows the samples of a series.
struct PreviewSample {
    std::int64_t index = 0; ///< in its data set, as in SampleRef and DataBatch::samples
    std::string name;       ///< "cat/0001.jpg"
    std::vector<Value> before;  ///< as it comes to the node; empty for a source
    std::vector<Value> after;   ///< as it leaves the node
    std::vector<Value> picture; ///< `after` without the steps that only scale numbers; empty: there are none
};

/// How often each class of an index field occurs, per part (empty: the part is not there) and class.
struct PreviewClasses {
    std::string field;
    std::vector<std::string> names;
    std::array<std::vector<std::int64_t>, 3> counts{};
};

class DataPreview {
public:
    ~DataPreview();
    DataPreview(const DataPreview&) = delete;
    DataPreview& operator=(const DataPreview&) = delete;

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
    [[nodiscard]] Result<std::vector<Value>> readAfter(const NodeId& node, DataPart part, std::int64_t position,
                                           std::uint64_t epoch) const;
    /// The position of an index of the data set in its part, −1: not there.
    [[nodiscard]] std::int64_t positionOf(const NodeId& node, DataPart part, std::int64_t index) const;

    /// Counts every label of every part; Cancelled when `stop` was requested meanwhile.
    [[nodiscard]] Result<std::vector<PreviewClasses>> classCounts(std::stop_token stop = {}) const;

private:
    struct Opened;
    explicit DataPreview(std::unique_ptr<const Opened> opened);
    static Result<std::shared_ptr<const DataPreview>> openGraph(const Project& project, std::stop_token stop);

    std::unique_ptr<const Opened> m_opened;
};

} // namespace athanor
