#include "engine/train/weights/state_search.h"

#include "engine/base/json.h"
#include "engine/train/weights/weights_errors.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

namespace athanor {
namespace {

using Kind = PickleValue::Kind;

constexpr const char* kOurKey = "athanor_checkpoint";
constexpr std::int64_t kOurFormat = 1;
constexpr int kDeepest = 6; ///< dictionaries in dictionaries; a pickle may even hold itself
/// A small pickle can refer to one dictionary very often; what is listed stays bounded all the same.
constexpr std::size_t kMostEntries = 2'000'000;
constexpr std::size_t kMostNameBytes = std::size_t{256} << 20;

/// Under these keys training scripts keep the state of their network, the usual ones first.
constexpr std::array kUsualKeys{"state_dict", "model_state_dict", "model_state",    "model",     "net",
                                "network",    "net_state_dict",   "weights",        "params",    "parameters",
                                "module",     "ema_state_dict",   "state_dict_ema", "model_ema", "ema"};

/// Calls `visit(key, value)` for the text keys of a dictionary.
template <typename Visit>
void forEach(const PickleValue& dict, const Visit& visit)
{
    for (std::size_t i = 0; dict.kind == Kind::Dict && i + 1 < dict.items.size(); i += 2)
        if (dict.items[i]->kind == Kind::Text)
            visit(dict.items[i]->text, *dict.items[i + 1]);
}

bool holdsTensors(const PickleValue& value)
{
    bool holds = false;
    forEach(value, [&](const std::string&, const PickleValue& entry) {
        holds = holds || entry.kind == Kind::Tensor;
    });
    return holds;
}

/// An optimizer's state is no state of the network.
bool isOptimizer(const PickleValue& value)
{
    return value.find("param_groups") != nullptr && value.find("state") != nullptr;
}

bool isText(const std::string& bytes)
{
    return Json(bytes).dump(-1, ' ', false, Json::error_handler_t::ignore) ==
           Json(bytes).dump(-1, ' ', false, Json::error_handler_t::replace);
}

class StateSearch {
public:
    FoundState find(const PickleValue& root);

private:
    const PickleValue* usualEntry(const PickleValue& dict, int depth);
    void collect(const PickleValue& dict, const std::string& prefix, int depth);
    void noteOthers(const PickleValue& root, const PickleValue& chosen);
    void dropRepeated();

    void count(std::size_t nameBytes);

    FoundState m_found;
    std::set<const PickleValue*> m_searched;
    std::size_t m_entries = 0;
    std::size_t m_nameBytes = 0;
    std::size_t m_others = 0; // entries of the chosen dictionary that are no tensors
    std::string m_firstOther;
};

/// The dictionary under a usual key, or under one in it; sets the path.
const PickleValue* StateSearch::usualEntry(const PickleValue& dict, int depth)
{
    for (const char* key : kUsualKeys) {
        const PickleValue* value = dict.find(key);
        const bool isState = value != nullptr && value->kind == Kind::Dict && !isOptimizer(*value);
        if (!isState || !m_searched.insert(value).second)
            continue;
        const std::string before = m_found.entry;
        m_found.entry.append(before.empty() ? "" : ".").append(key);
        if (holdsTensors(*value))
            return value;
        if (const PickleValue* inner = depth < kDeepest ? usualEntry(*value, depth + 1) : nullptr)
            return inner;
        m_found.entry = before;
    }
    return nullptr;
}

void StateSearch::count(std::size_t nameBytes)
{
    m_nameBytes += nameBytes;
    if (++m_entries > kMostEntries || m_nameBytes > kMostNameBytes)
        throwUnsupported("The file lists more than two million tensors, or names of unheard-of length.",
                         kSaveStateDict);
}

/// Tensors by dotted name: a state_dict has them at once, {"encoder": …, "decoder": …} one level deeper.
void StateSearch::collect(const PickleValue& dict, const std::string& prefix, int depth)
{
    forEach(dict, [&](const std::string& key, const PickleValue& value) {
        count(prefix.size() + key.size());
        if (!isText(key))
            throwDamaged("a name of a tensor is no text");
        if (isOptimizer(value))
            return;
        if (value.kind == Kind::Tensor)
            m_found.tensors.emplace_back(prefix + key, &value);
        else if (value.kind == Kind::Dict && depth < kDeepest)
            collect(value, prefix + key + ".", depth + 1);
        else if (m_others++ == 0)
            m_firstOther = prefix + key;
    });
}

/// A key that is set twice has the last value.
void StateSearch::dropRepeated()
{
    std::map<std::string_view, std::size_t> last;
    for (std::size_t i = 0; i < m_found.tensors.size(); ++i)
        last[m_found.tensors[i].first] = i;
    if (last.size() == m_found.tensors.size())
        return;
    std::vector<std::pair<std::string, const PickleValue*>> kept;
    for (std::size_t i = 0; i < m_found.tensors.size(); ++i)
        if (last[m_found.tensors[i].first] == i)
            kept.push_back(m_found.tensors[i]);
    m_found.tensors = std::move(kept);
}

void StateSearch::noteOthers(const PickleValue& root, const PickleValue& chosen)
{
    std::string names;
    forEach(root, [&](const std::string& key, const PickleValue& value) {
        if (&value != &chosen && value.kind == Kind::Dict && holdsTensors(value) && !m_found.ours)
            names.append(names.empty() ? "" : ", ").append(spelled(key));
    });
    if (!names.empty() && &chosen != &root)
        m_found.notes.push_back("The file has tensors under other keys too, which are not used: " + names +
                                ".");
    if (m_others > 0 && (&chosen != &root || m_others < m_found.tensors.size()))
        m_found.notes.push_back("Left out, as they are no plain tensors: " + spelled(m_firstOther) +
                                (m_others > 1 ? " and " + std::to_string(m_others - 1) + " more" : "") + ".");
}

FoundState StateSearch::find(const PickleValue& root)
{
    if (root.kind == Kind::Tensor)
        throwUnsupported("The file holds a single tensor without a name.", kSaveStateDict);
    if (root.kind != Kind::Dict)
        throwUnsupported("The file holds no dictionary of tensors.", kSaveStateDict);
    if (const PickleValue* format = root.find(kOurKey)) {
        if (format->kind != Kind::Int || format->integer > kOurFormat)
            throwUnsupported("This checkpoint was written by a newer Athanor.", "Update Athanor.");
        m_found.ours = true;
    }
    const PickleValue* chosen = usualEntry(root, 0);
    if (chosen == nullptr)
        chosen = &root;
    collect(*chosen, "", 0);
    dropRepeated();
    if (m_found.tensors.empty())
        throwUnsupported("The file holds no tensors by name.", kSaveStateDict);
    noteOthers(root, *chosen);
    return std::move(m_found);
}

} // namespace

FoundState findState(const PickleValue& root)
{
    return StateSearch().find(root);
}

} // namespace athanor
