// The default board, and the layout that is kept.
#include "ui/plot/board_layout.h"

#include <QTest>

using namespace athanor;

namespace {

std::vector<SeriesInfo> infosOf(const std::vector<std::string>& names)
{
    std::vector<SeriesInfo> infos;
    for (const std::string& name : names)
        infos.push_back({name, {}, SeriesRole::Probe});
    return infos;
}

PlotContents contentsOfId(const char* id, const std::vector<SeriesInfo>& infos)
{
    for (const PlotSpec& spec : defaultPlots()) {
        if (spec.id == QLatin1String(id))
            return contentsOf(spec, infos);
    }
    return {};
}

QStringList idsOf(const BoardLayout& layout)
{
    QStringList ids;
    for (const PlotSpec& spec : layout.plots())
        ids << spec.id;
    return ids;
}

} // namespace

class TestBoardLayout : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyProbeHasItsPlot()
    {
        const auto infos = infosOf({"train/loss", "val/loss", "train/accuracy", "val/accuracy", "lr", "grad_norm",
                                    "grad_norm/fc.weight", "update_ratio/fc.weight", "activation/fc/mean",
                                    "activation/fc/std", "activation/fc/zeros", "activation/fc/max",
                                    "bn_running_mean/bn/0", "bn_running_var/bn/0"});
        using Names = std::vector<std::string>;
        QCOMPARE(contentsOfId("loss", infos).series, (Names{"train/loss", "val/loss"}));
        QCOMPARE(contentsOfId("metrics", infos).series, (Names{"train/accuracy", "val/accuracy"}));
        QCOMPARE(contentsOfId("lr", infos).series, (Names{"lr"}));
        QCOMPARE(contentsOfId("grad_norm", infos).series, (Names{"grad_norm"}));
        QCOMPARE(contentsOfId("grad_norms", infos).series, (Names{"grad_norm/fc.weight"}));
        QCOMPARE(contentsOfId("update_ratios", infos).series, (Names{"update_ratio/fc.weight"}));
        QCOMPARE(contentsOfId("activation_mean", infos).series, (Names{"activation/fc/mean"}));
        QCOMPARE(contentsOfId("activation_std", infos).series, (Names{"activation/fc/std"}));
        QCOMPARE(contentsOfId("zeros", infos).series, (Names{"activation/fc/zeros"}));
        QCOMPARE(contentsOfId("bn_mean", infos).series, (Names{"bn_running_mean/bn/0"}));
        QCOMPARE(contentsOfId("bn_var", infos).series, (Names{"bn_running_var/bn/0"}));
        const std::vector<SeriesInfo> machine{{"time/step", "ms", SeriesRole::Machine},
                                              {"samples_per_second", "1/s", SeriesRole::Machine}};
        QCOMPARE(contentsOfId("throughput", machine).series, (Names{"samples_per_second"}));
        QCOMPARE(contentsOfId("times", machine).series, (Names{"time/step"}));
        QCOMPARE(contentsOfId("times", machine).unit, QStringLiteral("ms"));
    }

    void manySeriesAreSpreadAndCounted()
    {
        std::vector<std::string> names;
        for (int i = 0; i < 96; ++i)
            names.push_back("bn_running_mean/bn/" + std::to_string(i));
        const PlotContents channels = contentsOfId("bn_mean", infosOf(names));
        QCOMPARE(channels.series.size(), kCurvesByDefault);
        QCOMPARE(channels.matching, std::size_t{96});
        QCOMPARE(channels.series[1], std::string("bn_running_mean/bn/12"));

        names.clear();
        for (int i = 0; i < 30; ++i) {
            names.push_back("grad_norm/l" + std::to_string(i) + ".bias");
            names.push_back("grad_norm/l" + std::to_string(i) + ".weight");
        }
        for (const std::string& name : contentsOfId("grad_norms", infosOf(names)).series)
            QVERIFY(name.ends_with(".weight"));
        names.resize(10); // five weights, five biases
        const auto few = contentsOfId("grad_norms", infosOf(names)).series;
        QCOMPARE(few.size(), kCurvesByDefault);
        QCOMPARE(std::count_if(few.begin(), few.end(), [](const auto& name) { return name.ends_with(".weight"); }), 5);
    }

    void aUsersPlotHasItsSeriesAndATitle()
    {
        const auto infos = infosOf({"grad_norm/a.weight", "grad_norm/b.weight", "lr"});
        const PlotContents one = contentsOf(PlotSpec::ofSeries({QStringLiteral("lr")}), infos);
        QCOMPARE(one.title, QStringLiteral("lr"));
        const PlotContents two = contentsOf(
            PlotSpec::ofSeries({QStringLiteral("grad_norm/a.weight"), QStringLiteral("grad_norm/b.weight")}), infos);
        QCOMPARE(two.title, QStringLiteral("grad_norm"));
        QCOMPARE(two.series.size(), std::size_t{2});
        QVERIFY(contentsOf(PlotSpec::ofSeries({QStringLiteral("gone")}), infos).series.empty());
    }

    void theLayoutIsKept()
    {
        BoardLayout layout;
        QVERIFY(layout.isDefault());
        layout.close(QStringLiteral("zeros"));
        layout.add(PlotSpec::ofSeries({QStringLiteral("a/b"), QStringLiteral("a/c")}));
        layout.move(QStringLiteral("lr"), QStringLiteral("loss"));
        PlotSpec* loss = layout.find(QStringLiteral("loss"));
        loss->isLogarithmic = true;
        loss->smoothingSpan = 50;
        loss->hiddenSeries = {QStringLiteral("val/loss")};
        const BoardLayout read = BoardLayout::fromJson(layout.toJson());
        QVERIFY(read.plots() == layout.plots());
        QVERIFY(!read.isDefault());
        QCOMPARE(read.plots().front().id, QStringLiteral("lr"));
        QVERIFY(!idsOf(read).contains(QStringLiteral("zeros")));
        // Moved to the end.
        layout.move(QStringLiteral("lr"), QString());
        QCOMPARE(layout.plots().back().id, QStringLiteral("lr"));
    }

    void defaultPlotsTheLayoutDoesNotKnowAreAdded()
    {
        const BoardLayout read = BoardLayout::fromJson(R"({"plots": [{"id": "lr"}], "closed": ["loss"]})");
        QCOMPARE(read.plots().front().id, QStringLiteral("lr"));
        QVERIFY(idsOf(read).contains(QStringLiteral("metrics")));
        QVERIFY(!idsOf(read).contains(QStringLiteral("loss")));
    }

    void damagedLayoutsGiveTheDefault()
    {
        for (const char* text : {"", "{", "[]", "{\"plots\": 3", "{\"other\": 1}"})
            QVERIFY2(BoardLayout::fromJson(text).isDefault(), text);
        const BoardLayout strange =
            BoardLayout::fromJson(R"({"plots": [{"id": "unknown"}, 7, {"id": "user:x"}, {"id": "lr"}, {"id": "lr"}]})");
        QCOMPARE(strange.plots().size(), defaultPlots().size());
    }
};

QTEST_APPLESS_MAIN(TestBoardLayout)
#include "tst_board_layout.moc"
