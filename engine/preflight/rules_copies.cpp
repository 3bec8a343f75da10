// Rules over equal samples: inside of a part, across parts, with other labels, and pictures that nearly are equal.
#include "engine/preflight/judge.h"
#include "engine/preflight/picture_marks.h"
#include "engine/preflight/thresholds.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace athanor {
namespace {

struct Place {
    std::uint64_t hash = 0;
    std::uint32_t part = 0;
    std::uint32_t position = 0;
};

enum class SampleKind { Picture, Text, Table };

SampleKind kindOf(const Judgement& j)
{
    if (j.plan.picture)
        return SampleKind::Picture;
    for (const std::size_t field : j.plan.inputs) {
        const FieldLayout& layout = j.data(0).dataset->fields()[field];
        if (layout.element == Element::UInt8 && layout.shape.size() == 1)
            return SampleKind::Text;
    }
    return SampleKind::Table;
}

std::string nounOf(SampleKind kind, std::int64_t count)
{
    return counted(count, kind == SampleKind::Picture ? "picture"
                          : kind == SampleKind::Text  ? "text"
                                                      : "row");
}

/// All samples that were read, equal ones together.
std::vector<Place> placesByHash(const Judgement& j)
{
    std::vector<Place> places;
    for (std::uint32_t part = 0; part < 3; ++part) {
        if (!j.has(part))
            continue;
        const auto& marks = j.scan.parts[part]->marks;
        for (std::uint32_t i = 0; i < marks.size(); ++i)
            if (marks[i].read && !marks[i].blank)
                places.push_back({marks[i].input, part, i});
    }
    std::ranges::sort(places, [](const Place& a, const Place& b) {
        return std::tie(a.hash, a.part, a.position) < std::tie(b.hash, b.part, b.position);
    });
    return places;
}

struct Pair {
    Place first;
    Place other;
};

/// What the groups of equal samples come to.
struct Copies {
    std::array<std::int64_t, 3> alsoInTrain{}; ///< samples of val and test that train has too
    std::int64_t inside = 0;                   ///< samples of train that are there before
    std::int64_t contradicting = 0;            ///< samples that have another target than their first copy
    std::vector<Pair> across;
    std::vector<Pair> within;
    std::vector<Pair> against;
};

void addGroup(const Judgement& j, std::span<const Place> group, Copies& copies)
{
    constexpr std::size_t kMost = DataFinding::kMostSamples;
    const Place& first = group.front();
    const auto target = [&](const Place& place) {
        return j.scan.parts[place.part]->marks[place.position].target;
    };
    for (const Place& other : group.subspan(1)) {
        if (first.part == 0 && other.part != 0) {
            ++copies.alsoInTrain[other.part];
            if (copies.across.size() < kMost)
                copies.across.push_back({first, other});
        } else if (other.part == 0) {
            ++copies.inside;
            if (copies.within.size() < kMost)
                copies.within.push_back({first, other});
        }
        if (!j.plan.targets.empty() && target(first) != target(other)) {
            ++copies.contradicting;
            if (copies.against.size() < kMost)
                copies.against.push_back({first, other});
        }
    }
}

Copies findCopies(const Judgement& j)
{
    const std::vector<Place> places = placesByHash(j);
    Copies copies;
    for (std::size_t first = 0; first < places.size();) {
        std::size_t last = first + 1;
        while (last < places.size() && places[last].hash == places[first].hash)
            ++last;
        if (last - first > 1)
            addGroup(j, std::span(places).subspan(first, last - first), copies);
        first = last;
    }
    return copies;
}

void addPairs(const Judgement& j, DataFinding& found, std::vector<Pair> pairs, const char* what)
{
    std::ranges::sort(pairs, {},
                      [](const Pair& pair) { return std::pair(pair.other.part, pair.other.position); });
    for (const Pair& pair : pairs)
        j.addSample(found, pair.other.part, pair.other.position,
                    fmt::format("{} {}: {}", what, kPartNames[pair.first.part],
                                j.rowName(pair.first.part, pair.first.position)));
}

constexpr const char* kWhyLeak = "What was trained on is known by heart. The validation value then tells how "
                                 "well the network remembers, not how well it does "
                                 "on what it has never seen, and looks better than it is.";

void judgeLeak(Judgement& j, const Copies& copies, SampleKind kind)
{
    const auto trainSize = static_cast<double>(j.data(0).size());
    const double distinct = 1 - static_cast<double>(copies.inside) / trainSize;
    for (std::size_t part = 1; part < 3; ++part) {
        const std::int64_t count = copies.alsoInTrain[part];
        if (count == 0)
            continue;
        const double share = static_cast<double>(count) / static_cast<double>(j.data(part).size());
        const double most = kind == SampleKind::Table  ? limits::kTableLeak
                            : kind == SampleKind::Text ? limits::kTextLeak
                                                       : 0;
        const bool byNature = kind == SampleKind::Table && distinct < limits::kTableDistinct;
        DataFinding& found =
            j.add("data/split-leak", share > most && !byNature ? Severity::Warning : Severity::Info,
                  j.data(part).source,
                  fmt::format("{} of {} ({}) {} in train too", nounOf(kind, count), kPartNames[part],
                              percent(share), count == 1 ? "is" : "are"),
                  kWhyLeak);
        found.finding.evidence = {
            {"samples", static_cast<double>(count)}, {"share", share}, {"threshold", most}};
        std::vector<Pair> pairs;
        std::ranges::copy_if(copies.across, std::back_inserter(pairs),
                             [&](const Pair& pair) { return pair.other.part == part; });
        addPairs(j, found, pairs, "the same as");
        found.sampleCount = count;
        found.finding.fixes.push_back({fmt::format("Remove the copies from {}", kPartNames[part])});
    }
}

void judgeInside(Judgement& j, const Copies& copies, SampleKind kind)
{
    if (copies.inside > 0) {
        const double share = static_cast<double>(copies.inside) / static_cast<double>(j.data(0).size());
        const bool grave = kind != SampleKind::Table && share > limits::kDuplicateShare;
        DataFinding& found =
            j.add("data/duplicates", grave ? Severity::Warning : Severity::Info, j.data(0).source,
                  fmt::format("{} of train ({}) {} there more than once", nounOf(kind, copies.inside),
                              percent(share), copies.inside == 1 ? "is" : "are"),
                  "Copies make their samples count more than others; and when parts are drawn from them at "
                  "random, a "
                  "copy of what was trained on comes into the validation part.");
        found.finding.evidence = {{"samples", static_cast<double>(copies.inside)},
                                  {"share", share},
                                  {"threshold", limits::kDuplicateShare}};
        addPairs(j, found, copies.within, "the same as");
        found.sampleCount = copies.inside;
    }
    if (copies.contradicting == 0)
        return;
    const double share = static_cast<double>(copies.contradicting) / static_cast<double>(j.allSamples());
    const bool grave = kind != SampleKind::Table || share > limits::kContradictingTable;
    const bool isClass = j.plan.target && j.layouts()[*j.plan.target].element == Element::Int64;
    DataFinding& found =
        j.add("data/label-noise", grave && isClass ? Severity::Warning : Severity::Info, j.data(0).source,
              fmt::format("{} {} another {} than an equal one", nounOf(kind, copies.contradicting),
                          copies.contradicting == 1 ? "has" : "have", isClass ? "label" : "target"),
              "Nobody can be right about both: the loss cannot fall below what the contradictions cost, and "
              "the network "
              "wastes its capacity on them.");
    found.finding.evidence = {{"samples", static_cast<double>(copies.contradicting)},
                              {"share", share},
                              {"threshold", kind == SampleKind::Table ? limits::kContradictingTable : 0}};
    addPairs(j, found, copies.against, "labelled unlike");
    found.sampleCount = copies.contradicting;
}

/// Pictures by a quarter of their difference hash: those that differ in up to 3 bits share at least one quarter.
class NearSearch {
public:
    explicit NearSearch(const Judgement& j) : m_judgement(j)
    {
        for (std::uint32_t part = 0; part < 3; ++part) {
            if (!j.has(part))
                continue;
            const auto& marks = j.scan.parts[part]->marks;
            for (std::uint32_t i = 0; i < marks.size(); ++i)
                if (marks[i].read && marks[i].pictured)
                    m_places.push_back({marks[i].look, part, i});
        }
    }

    /// Pairs of a picture and an earlier one that looks the same; each picture at most once.
    std::vector<Pair> run()
    {
        std::vector<bool> taken(m_places.size(), false);
        std::vector<Pair> pairs;
        for (unsigned quarter = 0; quarter < 4; ++quarter)
            searchQuarter(quarter * 16, taken, pairs);
        return pairs;
    }

private:
    void searchQuarter(unsigned shift, std::vector<bool>& taken, std::vector<Pair>& pairs)
    {
        std::vector<std::uint32_t> order(m_places.size());
        for (std::uint32_t i = 0; i < order.size(); ++i)
            order[i] = i;
        const auto key = [&](std::uint32_t i) { return m_places[i].hash >> shift & 0xffffU; };
        std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
            return std::pair(key(a), a) < std::pair(key(b), b);
        });
        constexpr std::size_t kReach = 64; // a quarter that very many share says nothing
        for (std::size_t i = 0; i < order.size(); ++i)
            for (std::size_t k = i + 1; k < order.size() && k <= i + kReach && key(order[k]) == key(order[i]);
                 ++k)
                if (!taken[order[k]] && isNear(m_places[order[i]], m_places[order[k]])) {
                    taken[order[k]] = true;
                    pairs.push_back({m_places[order[i]], m_places[order[k]]});
                }
    }

    [[nodiscard]] bool isNear(const Place& a, const Place& b) const
    {
        const auto& one = *m_judgement.scan.parts[a.part];
        const auto& other = *m_judgement.scan.parts[b.part];
        return lookDistance(a.hash, b.hash) <= limits::kNearBits &&
               one.marks[a.position].input != other.marks[b.position].input &&
               smallDistance(one.small[a.position], other.small[b.position]) <= limits::kNearLevels;
    }

    const Judgement& m_judgement;
    std::vector<Place> m_places;
};

} // namespace

void judgeCopies(Judgement& j)
{
    const auto isConstant = [](const DataFinding& found) { return found.finding.rule == "data/constant-input"; };
    if (j.plan.inputs.empty() || std::ranges::any_of(j.result.findings, isConstant))
        return; // where all inputs are one, their being equal follows
    const Copies copies = findCopies(j);
    const SampleKind kind = kindOf(j);
    judgeLeak(j, copies, kind);
    judgeInside(j, copies, kind);
}

void judgeNearCopies(Judgement& j)
{
    if (!j.plan.picture)
        return;
    std::array<std::vector<Pair>, 3> across;
    std::vector<Pair> inside;
    for (const Pair& pair : NearSearch(j).run()) {
        if (pair.first.part == 0 && pair.other.part > 0)
            across[pair.other.part].push_back(pair);
        else if (pair.first.part == pair.other.part)
            inside.push_back(pair);
    }
    for (std::size_t part = 1; part < 3; ++part) {
        if (across[part].empty())
            continue;
        const auto count = static_cast<std::int64_t>(across[part].size());
        const double share = static_cast<double>(count) / static_cast<double>(j.data(part).size());
        DataFinding& found =
            j.add("data/split-leak", share > limits::kNearLeak ? Severity::Warning : Severity::Info,
                  j.data(part).source,
                  fmt::format("{} of {} ({}) {} nearly the same as one of train", counted(count, "picture"),
                              kPartNames[part], percent(share), count == 1 ? "is" : "are"),
                  kWhyLeak);
        found.finding.confidence = 0.8;
        found.finding.evidence = {{"samples", static_cast<double>(count)},
                                  {"share", share},
                                  {"threshold", limits::kNearLeak},
                                  {"near", 1}};
        addPairs(j, found, across[part], "looks like");
        found.finding.fixes.push_back({fmt::format("Remove the copies from {}", kPartNames[part])});
    }
    if (inside.empty())
        return;
    DataFinding& found = j.add("data/duplicates", Severity::Info, j.data(0).source,
                               fmt::format("{} nearly the same as another one of the same part",
                                           counted(static_cast<std::int64_t>(inside.size()), "picture") +
                                               (inside.size() == 1 ? " is" : " are")),
                               "Pictures of one scene tell little more than one of them; when parts are "
                               "drawn at random they come to lie in "
                               "two parts.");
    found.finding.evidence = {{"samples", static_cast<double>(inside.size())}, {"near", 1}};
    addPairs(j, found, inside, "looks like");
}

} // namespace athanor
