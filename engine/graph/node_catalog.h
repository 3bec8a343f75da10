// Any thread (immutable once made). The kinds of nodes with ports, parameters, shape rules and help.
// Inspector, palette, checker and documentation are all generated from it.
#pragma once

#include "engine/base/json.h"
#include "engine/graph/shape.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace athanor {

enum class ParamType {
    Bool,
    Int,
    Real,
    Text,
    Choice,    ///< one of `choices`
    IntOrList, ///< PyTorch's int-or-tuple (kernel_size); a list has 1 or `listSize` entries; also one of
               ///< `choices` where there are any (padding "same")
    IntList,
    RealList,  ///< a number is read as a list of one
    TextList,  ///< each one of `choices` where there are any
    Path,      ///< file or folder, relative to the project file
    Source,    ///< a program's text, of many lines
    IntOrText, ///< a column by number or by name; the name one of `choices` where there are any
    Any,       ///< checked by the node itself
};

struct ParamSpec {
    std::string name; ///< PyTorch's name
    ParamType type = ParamType::Int;
    Json standard;                 ///< the default, as in PyTorch; null with `required` or `inferred`
    std::string help;              ///< one or two sentences; unit where there is one
    std::optional<double> minimum; ///< of each number
    std::optional<double> maximum;
    bool minimumExcluded = false; ///< e.g. eps > 0
    std::vector<std::string> choices = {};
    int listSize = 0; ///< IntOrList, lists: entries when given as a list; 0 = any
    bool required = false;
    bool inferred = false; ///< follows from the input's shape; when written it is checked
    bool allowsNull = false;
    bool live = false;            ///< can be changed while a run is on
    bool maximumExcluded = false; ///< e.g. betas < 1
};

struct PortSpec {
    std::string name; ///< "input", "target", "output", …
    bool optional = false;
    bool variadic = false; ///< takes any number of edges, in the order of the edges (Add, Concat)
    bool isTarget = false; ///< of a loss: what is compared with, not what the network says
};

/// What a shape rule sees of its node.
struct ShapeContext {
    /// Types per input edge, in port order (a variadic port's edges in edge order); nullopt = unknown.
    std::vector<std::optional<TensorType>> inputs;
    /// All parameters, the defaults filled in and lists widened (kernel_size 3 → [3, 3] when listSize is 2).
    Json params;
    /// Like `inputs`: whether an edge enters there at all; empty: everywhere.
    std::vector<bool> connected = {};
};

struct ShapeProblem {
    std::string parameter; ///< empty: the node as a whole
    std::string message;
    std::string hint;
};

/// What a shape rule says of its node.
struct ShapeResult {
    std::vector<std::optional<TensorType>> outputs; ///< one per output port
    Json inferred = Json::object();                 ///< in_channels, in_features, …
    std::vector<ShapeProblem> problems;
    std::int64_t parameters = 0; ///< trainable numbers
    std::int64_t macs = 0;       ///< multiply-accumulates per sample, forward
};

struct NodeKind;
/// Completes what the shape rule of an isScript kind left open, by running the node's program.
using ScriptTyper =
    std::function<ShapeResult(const NodeKind& kind, const ShapeContext& context, ShapeResult fromRule)>;

enum class NodeFamily {
    Input,
    Linear,
    Convolution,
    Pooling,
    Normalization,
    Activation,
    Dropout,
    Shape,
    Combine,
    Embedding,
    Recurrent,
    Attention,
    Loss,
    Script,
    Group, ///< groups, their ports, and what shares the weights of another node
    Source,
    Transform,
    Split,
    Loader,
    Unknown
};
std::string_view familyName(NodeFamily family); ///< "Convolution", …

/// The ports of one node.
struct NodePorts {
    std::vector<PortSpec> inputs;
    std::vector<PortSpec> outputs;
};

struct NodeKind {
    std::string kind; ///< PyTorch's class name, or ours where PyTorch has none
    NodeFamily family = NodeFamily::Unknown;
    std::string title; ///< "2-D convolution"
    std::string help;  ///< Markdown: what it computes, formula, source
    std::vector<PortSpec> inputs;
    std::vector<PortSpec> outputs;
    std::vector<ParamSpec> params;
    std::function<ShapeResult(const ShapeContext&)> shapeRule; ///< network kinds only
    /// Names of the layer's state in PyTorch ("weight", "running_mean"), given complete parameters; none when empty.
    std::function<std::vector<std::string>(const Json& params)> stateNames = {};
    /// Set where the ports follow from what was written (a script's arguments): `inputs` and `outputs` are those
    /// of a new node then, and a node's own are told by resolveKind(). Takes any params, sound or not.
    std::function<NodePorts(const Json& params)> portsOf = {};
    /// It computes what a program says: only running that tells what comes out (see ScriptTyper).
    bool isScript = false;

    [[nodiscard]] const ParamSpec* param(const std::string& name) const;
    /// The loss is the end of the network: nothing follows it.
    [[nodiscard]] bool isLoss() const { return family == NodeFamily::Loss; }
};

class NodeCatalog {
public:
    explicit NodeCatalog(std::vector<NodeKind> kinds);
    [[nodiscard]] const NodeKind* find(const std::string& kind) const;
    [[nodiscard]] const std::vector<NodeKind>& kinds() const { return m_kinds; }
    /// The nearest known kind by spelling ("Conv2D" → "Conv2d"), empty when nothing is near.
    [[nodiscard]] std::string nearest(const std::string& kind) const;

private:
    std::vector<NodeKind> m_kinds;
    std::map<std::string, std::size_t> m_index;
};

/// Layers and losses (layer_catalog.cpp).
const NodeCatalog& layerCatalog();
/// Data sources, transforms, Split, Parts, Loader (data_catalog.cpp).
const NodeCatalog& dataCatalog();

/// A node's parameters with the defaults filled in and IntOrList values widened to listSize; unknown keys
/// are kept. Values of a wrong type stay as they are (checkGraph names them).
Json completeParams(const NodeKind& kind, const Json& params);
Json completeParams(const std::vector<ParamSpec>& specs, const Json& params);

/// The catalog as the JSON that `athanor-cli layers --json` prints.
Json catalogJson(const NodeCatalog& catalog);

} // namespace athanor
