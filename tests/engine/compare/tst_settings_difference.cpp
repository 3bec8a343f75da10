#include "engine/compare/settings_difference.h"
#include "engine/project/project_settings.h"

#include <QTest>

#include <array>

using namespace athanor;

namespace {

Project projectOf(const std::string& training, const std::string& loader = R"({"batch_size": 32})")
{
    auto loaded = parseProject(
        R"({"athanor": 1, "name": "p", "data": {"nodes": [{"id": "loader", "kind": "Loader", "params": )" +
        loader +
        R"(}], "edges": []}, "network": {"nodes": [{"id": "fc", "kind": "Linear", "params": {"out_features": 3}}], "edges": []},
                               "training": )" +
        training + "}");
    if (!loaded)
        throw std::runtime_error(loaded.error().text());
    return loaded->project;
}

} // namespace

class TestSettingsDifference : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void defaultsAreSettingsToo()
    {
        const auto settings =
            settingsOf(projectOf(R"({"epochs": 3, "optimizer": {"kind": "Adam", "lr": 0.01}})"));
        QVERIFY(settings.at("training.optimizer.lr") == 0.01);
        QVERIFY(settings.at("training.optimizer.eps") == 1e-8); // torch.optim.Adam's default
        QVERIFY(settings.at("network.fc.bias") == true);
        QVERIFY(settings.at("data.loader.batch_size") == 32);
    }

    void onlyWhatDiffers()
    {
        const Project a = projectOf(R"({"epochs": 3, "seed": 1, "optimizer": {"kind": "SGD", "lr": 0.1}})");
        const Project b =
            projectOf(R"({"epochs": 3, "seed": 2, "optimizer": {"kind": "SGD", "lr": 0.1, "momentum": 0}})",
                      R"({"batch_size": 64})");
        const std::array<const Project*, 3> projects{&a, &b, nullptr};
        const auto all = settingsDifference(projects);
        QCOMPARE(all.size(), 2U); // momentum 0 is SGD's default
        QCOMPARE(all[0].path, std::string("data.loader.batch_size"));
        QVERIFY(*all[0].values[0] == 32 && *all[0].values[1] == 64 && !all[0].values[2]);
        QCOMPARE(all[1].path, std::string("training.seed"));
        const std::array<std::string, 1> ignored{"*.seed"};
        QCOMPARE(settingsDifference(projects, ignored).size(), 1U);
    }

    // What a further node is like is the graphs' difference.
    void ofANodeThatOthersLackOnlyTheKind()
    {
        const Project a = projectOf(R"({"epochs": 3})");
        Project b = a;
        b.network = {};
        const std::array<const Project*, 2> projects{&a, &b};
        const auto all = settingsDifference(projects);
        QCOMPARE(all.size(), 1U);
        QCOMPARE(all[0].path, std::string("network.fc.kind"));
        QVERIFY(!all[0].values[1]);
    }

    void whatOnlyOneHasDiffers()
    {
        const Project a = projectOf(R"({"epochs": 3, "optimizer": {"kind": "SGD", "lr": 0.1}})");
        const Project b = projectOf(R"({"epochs": 3, "optimizer": {"kind": "Adam", "lr": 0.1}})");
        const std::array<const Project*, 2> projects{&a, &b};
        const auto all = settingsDifference(projects);
        const auto momentum = std::find_if(
            all.begin(), all.end(), [](const auto& s) { return s.path == "training.optimizer.momentum"; });
        QVERIFY(momentum != all.end());
        QVERIFY(momentum->values[0].has_value() && !momentum->values[1].has_value());
    }
};

QTEST_APPLESS_MAIN(TestSettingsDifference)
#include "tst_settings_difference.moc"
