#include "engine/train/weights/weights_mapping.h"

#include <algorithm>
#include <functional>

namespace athanor {
namespace {

using Tensors = std::vector<WeightsTensor>;

/// The first few of `count` texts: "a, b, c and 7 more".
std::string someOf(std::size_t count, const std::function<std::string(std::size_t)>& text)
{
    constexpr std::size_t kShown = 5;
    std::string all;
    for (std::size_t i = 0; i < std::min(count, kShown); ++i)
        all.append(i > 0 ? ", " : "").append(text(i));
    if (count > kShown)
        all.append(" and ").append(std::to_string(count - kShown)).append(" more");
    return all;
}

std::string namesText(const std::vector<std::size_t>& indices, const Tensors& tensors)
{
    return someOf(indices.size(), [&](std::size_t i) { return tensors[indices[i]].name; });
}

std::string howRenamed(const WeightsMapping& mapping)
{
    const PrefixChange& prefix = mapping.prefix;
    std::string text;
    if (mapping.byHand > 0)
        text.append("by weights_map");
    if (!prefix.taken.empty())
        text.append(text.empty() ? "" : ", ");
    if (!prefix.taken.empty())
        text.append("prefix '").append(prefix.taken).append("' taken off");
    if (!prefix.put.empty())
        text.append(text.empty() ? "" : ", ").append("prefix '").append(prefix.put).append("' put before");
    return text;
}

Json tensorsJson(const std::vector<std::size_t>& indices, const Tensors& tensors)
{
    Json list = Json::array();
    for (const auto index : indices)
        list.push_back({{"name", tensors[index].name}, {"shape", tensors[index].shape}});
    return list;
}

} // namespace

Json mappingJson(const WeightsMapping& mapping, const Tensors& ours, const Tensors& theirs)
{
    Json matched = Json::array(), renamed = Json::array(), shapeDiffers = Json::array();
    for (const auto& pair : mapping.matched)
        matched.push_back(ours[pair.ours].name);
    for (const auto& pair : mapping.renamed)
        renamed.push_back({{"name", ours[pair.ours].name}, {"from", theirs[pair.theirs].name}});
    for (const auto& pair : mapping.shapeDiffers)
        shapeDiffers.push_back({{"name", ours[pair.ours].name},
                                {"shape", ours[pair.ours].shape},
                                {"from", theirs[pair.theirs].name},
                                {"file_shape", theirs[pair.theirs].shape}});
    Json prefix;
    if (!mapping.prefix.empty())
        prefix = {{"taken", mapping.prefix.taken}, {"put", mapping.prefix.put}};
    return {{"matched", std::move(matched)},
            {"renamed", std::move(renamed)},
            {"shape_differs", std::move(shapeDiffers)},
            {"missing", tensorsJson(mapping.missing, ours)},
            {"left_over", tensorsJson(mapping.leftOver, theirs)},
            {"prefix", std::move(prefix)},
            {"suggested", Json(mapping.suggested)}};
}

std::string mappingText(const WeightsMapping& mapping, const Tensors& ours, const Tensors& theirs)
{
    std::string text = std::to_string(mapping.loaded());
    text.append(" of the network's ").append(std::to_string(ours.size())).append(" tensors are loaded");
    if (!mapping.renamed.empty()) {
        text.append(", ").append(std::to_string(mapping.renamed.size())).append(" of them renamed (");
        text.append(howRenamed(mapping)).append(")");
    }
    text.append(".");
    if (!mapping.missing.empty())
        text.append(" Not in the file, so they start fresh: ")
            .append(namesText(mapping.missing, ours))
            .append(".");
    if (!mapping.shapeDiffers.empty()) {
        const auto one = [&](std::size_t i) {
            const auto& pair = mapping.shapeDiffers[i];
            return ours[pair.ours].name + " " + extentsText(ours[pair.ours].shape) + " against " +
                   extentsText(theirs[pair.theirs].shape);
        };
        text.append(" Of another shape in the file, so they start fresh: ");
        text.append(someOf(mapping.shapeDiffers.size(), one)).append(".");
    }
    if (!mapping.leftOver.empty())
        text.append(" Left over in the file: ").append(namesText(mapping.leftOver, theirs)).append(".");
    return text;
}

Error nothingFits(const WeightsMapping& mapping, const Tensors& ours, const Tensors& theirs)
{
    std::string message = "No tensor of the file fits this network. The network has ";
    message.append(
        someOf(ours.size(), [&](std::size_t i) { return ours[i].name + " " + extentsText(ours[i].shape); }));
    message.append("; the file has ");
    message.append(someOf(
        theirs.size(), [&](std::size_t i) { return theirs[i].name + " " + extentsText(theirs[i].shape); }));
    message.append(".");
    std::string hint =
        "Names and shapes must be those of the network; other names can be given in training.weights_map";
    if (!mapping.suggested.empty()) {
        const auto& [name, from] = *mapping.suggested.begin();
        hint.append(", such as {\"")
            .append(name)
            .append("\": \"")
            .append(from)
            .append("\"}; by order and shape all fit");
        hint.append(" (athanor-cli weights FILE PROJECT --json prints the whole map)");
    }
    return {ErrorCode::InvalidArgument, std::move(message), "training/weights", hint + ".", {}};
}

} // namespace athanor
