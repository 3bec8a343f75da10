#include "engine/compare/overlay.h"

#include <QTest>

using namespace athanor;

namespace {

/// Four runs: Adam and SGD, two seeds each.
Comparison fourRuns()
{
    Comparison comparison;
    for (int i = 0; i < 4; ++i) {
        ComparedRun run;
        run.info.id = i + 1;
        run.info.name = "run " + std::to_string(i + 1);
        if (i == 3)
            run.info.tags = {"base", "night"};
        comparison.runs.push_back(std::move(run));
    }
    comparison.settings = {
        {"training.optimizer.kind", {Json("Adam"), Json("Adam"), Json("SGD"), Json("SGD")}},
        {"training.optimizer.momentum", {std::nullopt, std::nullopt, Json(0.9), Json(0.9)}},
        {"training.seed", {Json(1), Json(2), Json(1), Json(2)}}};
    return comparison;
}

const std::vector<SeriesPoints> kPoints{{{1, 2}, {1, 2}}, {{1, 2}, {3, 6}}, {{1, 2}, {10, 20}}, {}};

} // namespace

class TestOverlay : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void groups()
    {
        const Comparison comparison = fourRuns();
        QCOMPARE(groupRuns(comparison, {}).size(), 4U);
        const auto kinds = groupRuns(comparison, "training.optimizer.kind");
        QCOMPARE(kinds.size(), 2U);
        QCOMPARE(kinds[0].label, std::string("kind = Adam"));
        QCOMPARE(kinds[1].runs, (std::vector<std::size_t>{2, 3}));
        const auto seeds = groupRuns(comparison, kGroupBySeeds);
        QCOMPARE(seeds.size(), 2U);
        QCOMPARE(seeds[1].label, std::string("kind = SGD, momentum = 0.9"));
        const auto tags = groupRuns(comparison, kGroupByTag);
        QCOMPARE(tags.size(), 2U);
        QCOMPARE(tags[0].label, std::string("no tag"));
        QCOMPARE(tags[1].label, std::string("base, night"));
    }

    // Two runs of the same name are two runs.
    void namesNeedNotDiffer()
    {
        Comparison comparison = fourRuns();
        comparison.runs[1].info.name = comparison.runs[0].info.name;
        QCOMPARE(groupRuns(comparison, {}).size(), 4U);
    }

    // Adam: means 2 and 4 of 1, 3 and 2, 6; deviations sqrt(2) and sqrt(8).
    void meansWithBands()
    {
        const Comparison comparison = fourRuns();
        const auto groups = groupRuns(comparison, "training.optimizer.kind");
        OverlaySettings settings;
        auto lines = overlayLines(comparison, kPoints, groups, settings);
        QCOMPARE(lines.size(), 2U);
        QCOMPARE(lines[0].curve.y, (std::vector<double>{2, 4}));
        QVERIFY(qAbs(lines[0].high[1] - (4 + std::sqrt(8.0))) < 1e-12);
        QVERIFY(lines[1].low.empty()); // one of the two has the series
        QCOMPARE(lines[1].curve.y, (std::vector<double>{10, 20}));
        settings.band = BandKind::Range;
        lines = overlayLines(comparison, kPoints, groups, settings);
        QCOMPARE(lines[0].low, (std::vector<double>{1, 2}));
        QCOMPARE(lines[0].high, (std::vector<double>{3, 6}));
    }

    void differenceToABaseline()
    {
        const Comparison comparison = fourRuns();
        const auto groups = groupRuns(comparison, "training.optimizer.kind");
        OverlaySettings settings;
        settings.value = OverlayValue::Difference;
        settings.baseline = 1;
        settings.band = BandKind::Range;
        const auto lines = overlayLines(comparison, kPoints, groups, settings);
        QCOMPARE(lines.size(), 1U);
        QCOMPARE(lines[0].curve.y, (std::vector<double>{-8, -16}));
        QCOMPARE(lines[0].low, (std::vector<double>{-9, -18}));
    }

    void bestOfEachRunBeforeTheMean()
    {
        const Comparison comparison = fourRuns();
        OverlaySettings settings;
        settings.value = OverlayValue::BestSoFar;
        const auto lines = overlayLines(comparison, kPoints, groupRuns(comparison, kGroupBySeeds), settings);
        QCOMPARE(lines[0].curve.y, (std::vector<double>{2, 2}));
    }
};

QTEST_APPLESS_MAIN(TestOverlay)
#include "tst_overlay.moc"
