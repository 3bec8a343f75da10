#include "engine/train/weights/weights_mapping.h"

#include "engine/graph/name_match.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>

namespace athanor {
namespace {

using Tensors = std::vector<WeightsTensor>;
using Index = std::unordered_map<std::string_view, std::size_t>;

/// What wraps a network in PyTorch and shows in the names of its state.
constexpr std::array<std::string_view, 8> kWrappers{
    "module.", "model.", "net.", "network.", "_orig_mod.", "backbone.", "state_dict.", "_forward_module."};
constexpr std::size_t kMostPrefixes = 64; ///< tried on each side
constexpr int kDeepestPrefix = 3;         ///< its components

Index indexOf(const Tensors& tensors)
{
    Index index;
    for (std::size_t i = 0; i < tensors.size(); ++i)
        index.emplace(tensors[i].name, i);
    return index;
}

std::vector<std::string> namesOf(const Tensors& tensors)
{
    std::vector<std::string> names;
    for (const auto& tensor : tensors)
        names.push_back(tensor.name);
    return names;
}

/// The name under the change; nullopt when the change does not touch it. A prefix goes before whole layers
/// only: that "features.0.weight" and "fc1.weight" both end in "weight" says nothing.
std::optional<std::string> changedName(const std::string& name, const PrefixChange& change)
{
    if (!name.starts_with(change.taken))
        return std::nullopt;
    if (!change.put.empty() && name.find('.', change.taken.size()) == std::string::npos)
        return std::nullopt;
    return change.put + name.substr(change.taken.size());
}

/// "a.", "a.b.", "a.b.c." of every name "a.b.c.d", the short ones first.
std::set<std::string> prefixesOf(const Tensors& tensors)
{
    std::set<std::string> prefixes;
    std::vector<std::size_t> ends(tensors.size()); // how far each name was taken
    for (int depth = 0; depth < kDeepestPrefix; ++depth)
        for (std::size_t i = 0; i < tensors.size() && prefixes.size() < kMostPrefixes; ++i) {
            const auto dot = ends[i] == std::string::npos ? ends[i] : tensors[i].name.find('.', ends[i]);
            ends[i] = dot == std::string::npos ? dot : dot + 1;
            if (dot != std::string::npos)
                prefixes.insert(tensors[i].name.substr(0, dot + 1));
        }
    return prefixes;
}

/// Wrappers around wrappers: "module.model.".
bool isWrapper(std::string_view prefix)
{
    while (!prefix.empty()) {
        const auto found =
            std::ranges::find_if(kWrappers, [&](auto wrapper) { return prefix.starts_with(wrapper); });
        if (found == kWrappers.end())
            return false;
        prefix.remove_prefix(found->size());
    }
    return true;
}

class Mapper {
public:
    Mapper(const Tensors& ours, const Tensors& theirs)
        : m_ours(ours), m_theirs(theirs), m_ourIndex(indexOf(ours)), m_theirIndex(indexOf(theirs)),
          m_ourDone(ours.size()), m_theirDone(theirs.size())
    {}

    Result<WeightsMapping> map(const WeightsMap& byHand);

private:
    Status takeByHand(const WeightsMap& byHand);
    void takeByName(const PrefixChange& change);
    void take(std::size_t ours, std::size_t theirs);
    [[nodiscard]] std::size_t fitting(const PrefixChange& change) const;
    [[nodiscard]] PrefixChange bestPrefix() const;
    [[nodiscard]] std::vector<PrefixChange> candidates() const;

    const Tensors& m_ours;
    const Tensors& m_theirs;
    Index m_ourIndex;
    Index m_theirIndex;
    std::vector<bool> m_ourDone;
    std::vector<bool> m_theirDone;
    WeightsMapping m_mapping;
};

void Mapper::take(std::size_t ours, std::size_t theirs)
{
    const bool fits = m_ours[ours].shape == m_theirs[theirs].shape;
    const bool sameName = m_ours[ours].name == m_theirs[theirs].name;
    auto& list = !fits ? m_mapping.shapeDiffers : sameName ? m_mapping.matched : m_mapping.renamed;
    list.push_back({ours, theirs});
    m_ourDone[ours] = true;
    m_theirDone[theirs] = true;
}

Status Mapper::takeByHand(const WeightsMap& byHand)
{
    const auto unknown = [](const std::string& side, const std::string& name, const Tensors& tensors) {
        return Error{ErrorCode::InvalidArgument,
                     "weights_map names '" + name + "', which " + side + " does not have.",
                     "training/weights_map",
                     didYouMean(name, namesOf(tensors)),
                     {}};
    };
    for (const auto& [ourName, theirName] : byHand) {
        const auto ours = m_ourIndex.find(ourName);
        const auto theirs = m_theirIndex.find(theirName);
        if (ours == m_ourIndex.end())
            return unknown("the network", ourName, m_ours);
        if (theirs == m_theirIndex.end())
            return unknown("the file", theirName, m_theirs);
        take(ours->second, theirs->second);
    }
    m_mapping.byHand = m_mapping.renamed.size();
    return Done{};
}

/// How many more tensors fit by name and shape under the change.
std::size_t Mapper::fitting(const PrefixChange& change) const
{
    std::size_t count = 0;
    for (std::size_t i = 0; i < m_theirs.size(); ++i) {
        const auto name = m_theirDone[i] ? std::nullopt : changedName(m_theirs[i].name, change);
        const auto found = name ? m_ourIndex.find(*name) : m_ourIndex.end();
        const bool fits = found != m_ourIndex.end() && !m_ourDone[found->second] &&
                          m_ours[found->second].shape == m_theirs[i].shape;
        count += fits ? 1 : 0;
    }
    return count;
}

std::vector<PrefixChange> Mapper::candidates() const
{
    std::vector<PrefixChange> changes;
    const auto ours = prefixesOf(m_ours);
    for (const auto& taken : prefixesOf(m_theirs)) {
        changes.push_back({taken, ""});
        const auto has = [&](const WeightsTensor& tensor) { return tensor.name.starts_with(taken); };
        if (isWrapper(taken) || std::ranges::all_of(m_theirs, has))
            for (const auto& put : ours)
                changes.push_back({taken, put});
    }
    for (const auto& put : ours)
        changes.push_back({"", put});
    return changes;
}

/// The change that lets the most tensors fit; none when that is no more than without, or when it is not the
/// only one and none of the best takes off just a wrapper.
PrefixChange Mapper::bestPrefix() const
{
    std::size_t most = fitting({});
    std::vector<PrefixChange> best(1); // the one that changes nothing
    for (const auto& change : candidates()) {
        if (change.taken == change.put)
            continue;
        const auto count = fitting(change);
        if (count > most)
            best.clear();
        if (count > most || (count == most && count > 0 && !best.front().empty()))
            best.push_back(change);
        most = std::max(most, count);
    }
    if (best.size() == 1)
        return best.front();
    const auto wrapper = std::ranges::find_if(
        best, [](const PrefixChange& change) { return change.put.empty() && isWrapper(change.taken); });
    return wrapper != best.end() ? *wrapper : PrefixChange{};
}

void Mapper::takeByName(const PrefixChange& change)
{
    for (std::size_t i = 0; i < m_theirs.size(); ++i) {
        const auto name = m_theirDone[i] ? std::nullopt : changedName(m_theirs[i].name, change);
        const auto found = name ? m_ourIndex.find(*name) : m_ourIndex.end();
        if (found != m_ourIndex.end() && !m_ourDone[found->second])
            take(found->second, i);
    }
}

Result<WeightsMapping> Mapper::map(const WeightsMap& byHand)
{
    if (auto status = takeByHand(byHand); !status.ok())
        return status.error();
    m_mapping.prefix = bestPrefix();
    if (!m_mapping.prefix.empty())
        takeByName(m_mapping.prefix);
    takeByName({});
    for (std::size_t i = 0; i < m_ours.size(); ++i)
        if (!m_ourDone[i])
            m_mapping.missing.push_back(i);
    for (std::size_t i = 0; i < m_theirs.size(); ++i)
        if (!m_theirDone[i])
            m_mapping.leftOver.push_back(i);
    const auto byOurs = [](const MappedTensor& tensor) { return tensor.ours; };
    for (auto* list : {&m_mapping.matched, &m_mapping.renamed, &m_mapping.shapeDiffers})
        std::ranges::sort(*list, {}, byOurs);
    suggestMap(m_mapping, m_ours, m_theirs);
    return std::move(m_mapping);
}

} // namespace

Result<WeightsMapping> mapWeights(const std::vector<WeightsTensor>& ours,
                                  const std::vector<WeightsTensor>& theirs, const WeightsMap& byHand)
{
    return Mapper(ours, theirs).map(byHand);
}

} // namespace athanor
