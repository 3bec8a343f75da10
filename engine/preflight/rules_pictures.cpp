// Rules over what pictures show and texts say.
#include "engine/preflight/judge.h"
#include "engine/preflight/thresholds.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace athanor {
namespace {

void judgeBlank(Judgement& j)
{
    DataFinding* found = nullptr;
    std::int64_t count = 0;
    for (std::size_t part = 0; part < 3; ++part) {
        if (!j.has(part))
            continue;
        const auto& marks = j.scan.parts[part]->marks;
        for (std::size_t i = 0; i < marks.size(); ++i) {
            if (!marks[i].blank)
                continue;
            if (found == nullptr)
                found = &j.add("data/constant-input", Severity::Warning, j.data(part).source, {},
                               "A picture of one colour shows nothing, but has a label: the network learns "
                               "that nothing means that class. "
                               "Usually the file was damaged or the camera closed.");
            ++count;
            j.addSample(*found, part, static_cast<std::int64_t>(i), "one colour only");
        }
    }
    if (found == nullptr)
        return;
    const double share = static_cast<double>(count) / static_cast<double>(j.allSamples());
    found->finding.message = fmt::format("{} ({}) {} one colour only", counted(count, "picture"),
                                         percent(share), count == 1 ? "has" : "have");
    found->finding.evidence = {{"samples", static_cast<double>(count)}, {"share", share}};
    found->finding.fixes.push_back({"Remove or replace them"});
}

void judgeColourOrder(Judgement& j)
{
    if (!j.plan.lattice)
        return;
    struct Turned {
        float evidence;
        std::size_t part;
        std::int64_t position;
    };
    std::vector<Turned> turned;
    for (std::size_t part = 0; part < 3; ++part) {
        if (!j.has(part))
            continue;
        const auto& marks = j.scan.parts[part]->marks;
        for (std::size_t i = 0; i < marks.size(); ++i)
            if (marks[i].order > limits::kOrderEvidence)
                turned.push_back({marks[i].order, part, static_cast<std::int64_t>(i)});
    }
    const auto count = static_cast<std::int64_t>(turned.size());
    const double share = static_cast<double>(count) / static_cast<double>(j.allSamples());
    if (count == 0)
        return;
    std::ranges::stable_sort(turned, std::greater{}, &Turned::evidence);
    DataFinding& found =
        j.add("data/layout-scrambled", Severity::Warning, j.data(turned.front().part).source,
              fmt::format("{} ({}) {} red and blue exchanged (BGR instead of RGB); the first is {}",
                          counted(count, "picture"), percent(share), count == 1 ? "has" : "have",
                          j.rowName(turned.front().part, turned.front().position)),
              "Some programs keep the colours in the order blue, green, red (OpenCV does). Where some "
              "pictures are stored that "
              "way and others are not, skies are orange in a part of the data, and colour misleads. It was "
              "told by the "
              "traces of JPEG, which fit the other order of the colours only.");
    found.finding.confidence = 0.95;
    found.finding.evidence = {{"samples", static_cast<double>(count)},
                              {"share", share},
                              {"evidence", turned.front().evidence},
                              {"threshold", limits::kOrderEvidence}};
    for (const Turned& picture : turned)
        j.addSample(found, picture.part, picture.position, "red and blue exchanged");
    found.finding.fixes.push_back({"Exchange red and blue in these files"});
}

/// Pictures of several sizes that reach the network as they are.
void judgeSizes(Judgement& j)
{
    const auto& shape = j.layouts()[*j.plan.picture].shape;
    if (std::ranges::find(shape, kVaries) == shape.end())
        return;
    struct Seen {
        std::int64_t area;
        std::size_t part;
        std::int64_t position;
    };
    std::vector<Seen> seen;
    for (std::size_t part = 0; part < 3; ++part)
        for (std::size_t i = 0; j.has(part) && i < j.scan.parts[part]->marks.size(); ++i) {
            const SampleMarks& marks = j.scan.parts[part]->marks[i];
            if (marks.height > 0)
                seen.push_back(
                    {std::int64_t{marks.height} * marks.width, part, static_cast<std::int64_t>(i)});
        }
    if (seen.empty())
        return;
    std::ranges::stable_sort(seen, std::greater{}, &Seen::area);
    const auto sizeOf = [&](const Seen& one) {
        const SampleMarks& marks = j.scan.parts[one.part]->marks[static_cast<std::size_t>(one.position)];
        return fmt::format("{}×{}", marks.height, marks.width);
    };
    if (seen.front().area == seen.back().area)
        return;
    DataFinding& found = j.add(
        "data/shape-differs", Severity::Warning, j.data(0).source,
        fmt::format("the pictures differ in size, from {} to {}, and nothing makes them alike",
                    sizeOf(seen.back()), sizeOf(seen.front())),
        "Pictures of one batch must have one size: smaller ones are filled up at the edges, and the network "
        "sees edges that are not there, or cannot take them at all.");
    found.finding.evidence = {{"smallest", static_cast<double>(seen.back().area)},
                              {"largest", static_cast<double>(seen.front().area)}};
    for (const Seen& one : seen)
        j.addSample(found, one.part, one.position, sizeOf(one));
    const Seen& middle = seen[seen.size() / 2];
    const SampleMarks& marks = j.scan.parts[middle.part]->marks[static_cast<std::size_t>(middle.position)];
    found.finding.fixes.push_back(
        insertBeforeLoader(j.project, "Resize", {{"size", {marks.height, marks.width}}}));
}

} // namespace

void judgePictures(Judgement& j)
{
    if (!j.plan.picture)
        return;
    judgeSizes(j);
    judgeBlank(j);
    judgeColourOrder(j);
}

void judgeTexts(Judgement& j)
{
    for (std::size_t field = 0; field < j.layouts().size(); ++field) {
        const FieldLayout& layout = j.layouts()[field];
        if (layout.element != Element::Int64 || layout.shape.empty() ||
            !j.network.inputs.contains(layout.name))
            continue;
        for (std::size_t part = 0; part < 3; ++part) {
            if (!j.has(part) || j.scan.parts[part]->fields[field].tokens == 0)
                continue;
            const FieldScan& scan = j.scan.parts[part]->fields[field];
            const double unknown = static_cast<double>(scan.unknown) / static_cast<double>(scan.tokens);
            if (unknown > limits::kUnknownTokens) {
                DataFinding& found = j.add("data/vocabulary-coverage", Severity::Warning, j.data(part).source,
                                           fmt::format("{} of the words of {} are not in the vocabulary",
                                                       percent(unknown), kPartNames[part]),
                                           "A word that the vocabulary lacks is the same unknown word to the "
                                           "network, whatever it says. When many "
                                           "are, the texts of this part mean nothing.");
                found.finding.evidence = {{"share", unknown}, {"threshold", limits::kUnknownTokens}};
                j.addSample(found, part, 0);
            }
            if (scan.empty > 0) {
                DataFinding& found =
                    j.add("data/constant-input", Severity::Warning, j.data(part).source,
                          fmt::format("{} of {} {} empty", counted(scan.empty, "text"), kPartNames[part],
                                      scan.empty == 1 ? "is" : "are"),
                          "A text without a word has a label all the same, and nothing to tell it by.");
                found.finding.evidence = {{"samples", static_cast<double>(scan.empty)}};
                found.sampleCount = scan.empty;
            }
        }
    }
}

} // namespace athanor
