#include "engine/graph/field_rules.h"

#include "engine/graph/param_check.h"

#include <algorithm>
#include <set>

namespace athanor {
namespace {

using State = std::optional<FieldState>;

// Entry `index` of a number or list; `fallback` when it is missing or of another type.
double numberAt(const Json& params, const char* name, std::size_t index, double fallback)
{
    const auto it = params.find(name);
    if (it == params.end())
        return fallback;
    const Json& entry = it->is_array() ? (index < it->size() ? (*it)[index] : it->back()) : *it;
    return entry.is_number() ? entry.get<double>() : fallback;
}

struct Window {
    double kernel = 1; ///< reach, dilation included
    double stride = 1;
    double padding = 0; ///< in front
};

void look(FieldAxis& field, const Window& window)
{
    field.start += ((window.kernel - 1) / 2 - window.padding) * field.jump;
    field.size += (window.kernel - 1) * field.jump;
    field.jump *= window.stride;
}

template <typename Change>
FieldState spatial(FieldState state, const Change& change)
{
    for (std::size_t d = 2; d < state.dims.size(); ++d)
        for (AxisTrace& trace : state.dims[d])
            change(trace.field, d - 2);
    return state;
}

void seeAll(FieldState& state, std::size_t dim)
{
    for (AxisTrace& trace : state.dims[dim])
        trace.field.whole = true;
}

// Every axis of every input whole, on the axis that is named.
State allOf(const FieldNode& node, std::size_t dim)
{
    FieldState all;
    all.dims.resize(node.output.dims.size());
    if (dim >= all.dims.size())
        return std::nullopt;
    std::set<std::size_t> axes;
    for (const State& input : node.inputs) {
        if (!input)
            return std::nullopt;
        for (const auto& traces : input->dims)
            for (const AxisTrace& trace : traces)
                axes.insert(trace.axis);
    }
    for (const std::size_t axis : axes)
        all.dims[dim].push_back({axis, {1, 1, 0, true}});
    return all;
}

Window windowOf(const Json& params, std::size_t axis)
{
    const double size = numberAt(params, "kernel_size", axis, 1);
    Window window;
    window.kernel = numberAt(params, "dilation", axis, 1) * (size - 1) + 1;
    window.stride = numberAt(params, "stride", axis, size); // pooling: the kernel when left out
    window.padding = numberAt(params, "padding", axis, 0);
    if (params.value("padding", Json()) == "same")
        window.padding = static_cast<double>(static_cast<std::int64_t>(window.kernel - 1) / 2);
    return window;
}

FieldState transposed(FieldState state, const Json& params)
{
    return spatial(std::move(state), [&](FieldAxis& field, std::size_t axis) {
        Window window = windowOf(params, axis);
        // Each output element meets every stride-th tap of the filter.
        const double taps = static_cast<double>((static_cast<std::int64_t>(window.kernel) - 1) /
                                                    static_cast<std::int64_t>(window.stride) + 1);
        const double step = field.jump / window.stride;
        field.start += (window.padding - (window.kernel - 1) / 2) * step;
        field.size += (taps - 1) * field.jump;
        field.jump = step;
    });
}

// Parts of the input that differ by one element when it does not divide: the longest counts.
FieldState adaptive(FieldState state, const FieldNode& node)
{
    return spatial(std::move(state), [&](FieldAxis& field, std::size_t axis) {
        const Extent in = node.types.front()->dims[axis + 2], out = node.output.dims[axis + 2];
        if (in < 1 || out < 1) {
            field.whole = true;
            return;
        }
        Extent longest = 1;
        for (Extent i = 0; i < out; ++i)
            longest = std::max(longest, ((i + 1) * in + out - 1) / out - i * in / out);
        field.whole = field.whole || longest == in;
        const double jump = field.jump;
        look(field, {static_cast<double>(longest), 1, 0});
        field.jump = jump * static_cast<double>(in) / static_cast<double>(out);
    });
}

FieldState resized(FieldState state, const FieldNode& node)
{
    const Json mode = node.params.value("mode", Json());
    const double taps = mode == "bicubic" ? 4 : mode == "nearest" || !mode.is_string() ? 1 : 2;
    return spatial(std::move(state), [&](FieldAxis& field, std::size_t axis) {
        const Extent in = node.types.front()->dims[axis + 2], out = node.output.dims[axis + 2];
        const double ratio = in > 0 && out > 0 ? static_cast<double>(in) / static_cast<double>(out) : 1;
        if (taps > 1)
            field.start += (ratio - 1) / 2 * field.jump;
        field.size += (taps - 1) * field.jump;
        field.jump *= ratio;
    });
}

// PyTorch's order: the last axis first, in front and behind.
FieldState padded(FieldState state, const Json& params)
{
    const std::size_t axes = state.dims.size() - 2;
    return spatial(std::move(state), [&](FieldAxis& field, std::size_t axis) {
        field.start -= numberAt(params, "padding", 2 * (axes - 1 - axis), 0) * field.jump;
    });
}

std::optional<std::size_t> axisOf(const Json& value, std::size_t rank)
{
    if (!isInteger(value))
        return std::nullopt;
    const auto written = value.get<std::int64_t>();
    const auto axis = written < 0 ? written + static_cast<std::int64_t>(rank) : written;
    return axis < 0 || axis >= static_cast<std::int64_t>(rank) ? std::nullopt
                                                                : std::optional(static_cast<std::size_t>(axis));
}

State flattened(FieldState state, const Json& params)
{
    const auto first = axisOf(params.value("start_dim", Json(1)), state.dims.size());
    const auto last = axisOf(params.value("end_dim", Json(-1)), state.dims.size());
    if (!first || !last || *first > *last)
        return std::nullopt;
    auto& merged = state.dims[*first];
    for (std::size_t d = *first + 1; d <= *last; ++d)
        merged.insert(merged.end(), state.dims[d].begin(), state.dims[d].end());
    const auto begin = state.dims.begin() + static_cast<std::ptrdiff_t>(*first);
    state.dims.erase(begin + 1, begin + static_cast<std::ptrdiff_t>(*last - *first) + 1);
    return state;
}

State permuted(const FieldState& state, const Json& params)
{
    const Json order = params.value("dims", Json());
    if (!order.is_array() || order.size() != state.dims.size())
        return std::nullopt;
    FieldState moved = state;
    for (std::size_t d = 0; d < order.size(); ++d) {
        const auto from = axisOf(order[d], state.dims.size());
        if (!from)
            return std::nullopt;
        moved.dims[d] = state.dims[*from];
    }
    return moved;
}

State reduced(FieldState state, const FieldNode& node)
{
    const Json dim = node.params.value("dim", Json());
    const Json list = dim.is_array() ? dim : Json::array({dim});
    std::set<std::size_t, std::greater<>> gone;
    for (const Json& entry : list) {
        const auto axis = axisOf(entry, state.dims.size());
        if (!axis)
            return allOf(node, node.output.dims.empty() ? 0 : node.output.dims.size() - 1);
        gone.insert(*axis);
        seeAll(state, *axis);
    }
    if (node.output.dims.size() == state.dims.size())
        return state;
    std::vector<AxisTrace> seen;
    for (const std::size_t axis : gone) {
        seen.insert(seen.end(), state.dims[axis].begin(), state.dims[axis].end());
        state.dims.erase(state.dims.begin() + static_cast<std::ptrdiff_t>(axis));
    }
    if (state.dims.size() != node.output.dims.size() || state.dims.empty())
        return std::nullopt;
    state.dims.back().insert(state.dims.back().end(), seen.begin(), seen.end()); // still seen, by every channel
    return state;
}

void join(FieldState& into, const FieldState& other)
{
    into.aligned = into.aligned && other.aligned;
    for (std::size_t d = 0; d < into.dims.size(); ++d)
        for (const AxisTrace& trace : other.dims[d]) {
            const auto mine = std::find_if(into.dims[d].begin(), into.dims[d].end(),
                                           [&](const AxisTrace& one) { return one.axis == trace.axis; });
            if (mine == into.dims[d].end()) {
                into.dims[d].push_back(trace);
                continue;
            }
            const bool fits = mine->field.whole || trace.field.whole ||
                              (mine->field.jump == trace.field.jump && mine->field.start == trace.field.start);
            into.aligned = into.aligned && fits;
            mine->field = larger(mine->field, trace.field);
        }
}

State joined(const FieldNode& node)
{
    FieldState whole;
    whole.dims.resize(node.output.dims.size());
    bool isFirst = true;
    for (const State& input : node.inputs) {
        if (!input || input->dims.size() != whole.dims.size())
            return std::nullopt;
        if (isFirst)
            whole = *input;
        else
            join(whole, *input);
        isFirst = false;
    }
    return isFirst ? std::nullopt : State(whole);
}

State sliced(FieldState state, const Json& params)
{
    const auto axis = axisOf(params.value("dim", Json(1)), state.dims.size());
    const double first = numberAt(params, "start", 0, 0), step = numberAt(params, "step", 0, 1);
    if (!axis || first < 0)
        return std::nullopt;
    for (AxisTrace& trace : state.dims[*axis]) {
        trace.field.start += first * trace.field.jump;
        trace.field.jump *= step;
    }
    return state;
}

State entered(const TensorType& type)
{
    FieldState state;
    state.dims.resize(type.dims.size());
    const std::size_t first = type.type == ElementType::Index ? 1 : 2; // token ids have no channels
    for (std::size_t d = first; d < type.dims.size(); ++d)
        state.dims[d].push_back({d - first, {}});
    return state;
}

bool isOneOf(const std::string& kind, std::initializer_list<const char*> kinds)
{
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

// Layers that change the order or number of axes.
State reshaped(const FieldNode& node)
{
    const FieldState& input = *node.inputs.front();
    if (node.kind == "Flatten")
        return flattened(input, node.params);
    if (node.kind == "Permute")
        return permuted(input, node.params);
    if (node.kind == "Slice")
        return sliced(input, node.params);
    if (node.kind == "Unsqueeze" || node.kind == "Embedding") {
        FieldState state = input;
        const auto axis = node.kind == "Embedding" ? std::optional(state.dims.size())
                                                   : axisOf(node.params.value("dim", Json()), state.dims.size() + 1);
        if (!axis)
            return std::nullopt;
        state.dims.insert(state.dims.begin() + static_cast<std::ptrdiff_t>(*axis), std::vector<AxisTrace>());
        return state;
    }
    const bool allWhole = std::all_of(input.dims.begin(), input.dims.end(), [](const auto& dim) {
        return std::all_of(dim.begin(), dim.end(), [](const AxisTrace& trace) { return trace.field.whole; });
    });
    return allWhole ? allOf(node, node.output.dims.size() - 1) : std::nullopt;
}

State layered(const FieldNode& node, const NodeKind& kind)
{
    const FieldState& input = *node.inputs.front();
    const bool sameRank = input.dims.size() == node.output.dims.size();
    const auto window = [&](FieldAxis& field, std::size_t axis) { look(field, windowOf(node.params, axis)); };
    if (node.kind.starts_with("ConvTranspose"))
        return transposed(input, node.params);
    if (node.kind.starts_with("Adaptive"))
        return sameRank ? State(adaptive(input, node)) : std::nullopt;
    if (kind.family == NodeFamily::Convolution || kind.family == NodeFamily::Pooling)
        return spatial(input, window);
    if (node.kind == "Upsample" || node.kind == "PixelShuffle")
        return sameRank ? State(resized(input, node)) : std::nullopt;
    if (node.kind.find("Pad") != std::string::npos && node.kind.ends_with("d") && input.dims.size() > 2)
        return padded(input, node.params);
    if (isOneOf(node.kind, {"Mean", "Sum", "Max", "Min"}))
        return reduced(input, node);
    if (isOneOf(node.kind, {"Linear", "Softmax", "LogSoftmax"}) && sameRank) {
        FieldState state = input;
        const auto axis = axisOf(node.params.value("dim", Json(-1)), state.dims.size());
        seeAll(state, node.kind == "Linear" ? state.dims.size() - 1 : axis.value_or(state.dims.size() - 1));
        return state;
    }
    switch (kind.family) {
    case NodeFamily::Recurrent:
    case NodeFamily::Attention:
        return allOf(node, 1);
    case NodeFamily::Combine:
        return node.kind == "MatMul" || node.kind == "Stack" ? allOf(node, node.output.dims.size() - 1) : joined(node);
    case NodeFamily::Activation:
    case NodeFamily::Normalization:
    case NodeFamily::Dropout:
        return input;
    default:
        return sameRank && isOneOf(node.kind, {"Identity", "PositionalEncoding", "GroupInput", "GroupOutput"})
                   ? State(input)
                   : reshaped(node);
    }
}

} // namespace

const FieldAxis& larger(const FieldAxis& a, const FieldAxis& b)
{
    if (a.whole != b.whole)
        return a.whole ? a : b;
    return a.size >= b.size ? a : b;
}

std::optional<FieldState> fieldState(const FieldNode& node)
{
    const NodeKind* kind = layerCatalog().find(node.kind);
    if (kind == nullptr || kind->isScript || kind->isLoss())
        return std::nullopt;
    if (kind->family == NodeFamily::Input)
        return entered(node.output);
    if (node.inputs.empty() || !node.inputs.front() || !node.types.front())
        return std::nullopt;
    return layered(node, *kind);
}

} // namespace athanor
