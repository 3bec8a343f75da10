#include "session_record.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fstream>

using namespace athanor;

namespace {

const Problem* problemAt(const ProjectCheck& check, const std::string& where)
{
    for (const auto& problem : check.problems)
        if (problem.where == where)
            return &problem;
    return nullptr;
}

} // namespace

class TestProjectCheck : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aSoundProjectHasNoProblems()
    {
        const auto check = checkProject(projectOf(spiralProject()), true);
        QVERIFY2(check.problems.empty(), check.problems.empty() ? "" : check.problems.front().message.c_str());
        QVERIFY(check.ok() && check.dataOpened && check.network.ok());
        QCOMPARE(check.network.nodes.at("fc1").outputs.front()->text(), std::string("N×16"));
        QCOMPARE(check.network.parameters, std::int64_t{2 * 16 + 16 + 32 + 16 * 2 + 2});
    }

    void problemsOfAllPartsComeTogether()
    {
        Json project = spiralProject({{"epochs", 1}, {"optimizer", {{"kind", "Adamm"}}}});
        project["network"]["nodes"][1]["params"]["out_features"] = 0;
        project["data"]["nodes"][1]["params"]["train"] = 7;
        const auto check = checkProject(projectOf(project));
        QVERIFY(!check.ok());
        QVERIFY(problemAt(check, "training/optimizer/kind"));
        QVERIFY(problemAt(check, "network/fc1/out_features"));
        QVERIFY(problemAt(check, "data/split/train"));
    }

    void dataThatIsNotThereIsAProblemAndTheNetworkIsCheckedAllTheSame()
    {
        Json project = spiralProject();
        project["data"]["nodes"][0] = nodeJson("spirals", "CsvTable", {{"path", "no-such.csv"}, {"target", "y"}});
        project["network"]["nodes"][1]["params"]["out_features"] = 0;
        QTemporaryDir folder;
        const auto check = checkProject(projectOf(project, folder.path().toStdString()));
        QVERIFY(!check.ok() && !check.dataOpened);
        QVERIFY(problemAt(check, "network/fc1/out_features"));
        const bool named = std::ranges::any_of(check.problems, [](const Problem& problem) {
            return problem.where.starts_with("data") && (problem.message + problem.where).find("no-such.csv") != std::string::npos;
        });
        QVERIFY(named);
    }

    void singleSampleBatchesAreSeenBefore()
    {
        Json project = spiralProject();
        project["data"]["nodes"][2]["params"]["batch_size"] = 53; // 160 = 3 · 53 + 1
        auto check = checkProject(projectOf(project));
        const Problem* error = problemAt(check, "network/bn1");
        QVERIFY(error && error->severity == Severity::Error && !check.ok());
        Json shorter = project;
        shorter["training"].erase("epochs");
        shorter["training"]["steps"] = 3; // the fourth batch is never made
        check = checkProject(projectOf(shorter));
        const Problem* warning = problemAt(check, "network/bn1");
        QVERIFY(warning && warning->severity == Severity::Warning && check.ok());
        project["data"]["nodes"][2]["params"]["drop_last"] = true;
        QVERIFY(!problemAt(checkProject(projectOf(project)), "network/bn1"));
        project["data"]["nodes"][2]["params"]["drop_last"] = false;
        project["data"]["nodes"][2]["params"]["batch_size"] = 1;
        check = checkProject(projectOf(project));
        QVERIFY(problemAt(check, "network/bn1") && problemAt(check, "network/bn1")->severity == Severity::Error);
    }

    void whatTrainingRefusesIsSeenBefore_data()
    {
        QTest::addColumn<QString>("training"); // merged into it
        QTest::addColumn<QString>("where");
        QTest::newRow("no weights file") << R"({"weights": "nofile.pt"})" << "training/weights";
        QTest::newRow("fp16") << R"({"precision": "fp16"})" << "training/precision";
        QTest::newRow("no GPU") << R"({"device": "cuda"})" << "training/device";
        QTest::newRow("all frozen") << R"({"freeze": ["*"]})" << "training/freeze";
        QTest::newRow("a matrix into a bias") << R"({"init": [{"match": "*", "kind": "xavier_uniform"}]})"
                                              << "training/init/0";
    }
    void whatTrainingRefusesIsSeenBefore()
    {
        QFETCH(QString, training);
        QFETCH(QString, where);
        if (environmentReport()["cuda"].get<bool>() && (where == "training/precision" || where == "training/device"))
            QSKIP("This machine has a GPU.");
        Json project = spiralProject();
        project["training"].merge_patch(Json::parse(training.toStdString()));
        const auto check = checkProject(projectOf(project));
        const Problem* problem = problemAt(check, where.toStdString());
        QVERIFY(problem && problem->severity == Severity::Error);
    }

    void aNetworkWithoutParametersIsRefused()
    {
        Json project = spiralProject();
        project["network"] = {{"nodes", Json::array({nodeJson("x", "Input", {{"field", "features"}}), nodeJson("y", "Input", {{"field", "label"}}),
                                                     nodeJson("loss", "CrossEntropyLoss", Json::object())})},
                              {"edges", Json::array({Json::array({"x", "loss:input"}), Json::array({"y", "loss:target"})})}};
        const auto check = checkProject(projectOf(project));
        const Problem* problem = problemAt(check, "network");
        QVERIFY(problem && problem->severity == Severity::Error);
        QCOMPARE(problem->message, std::string("there is no parameter to train"));
    }

    void anEpochWithoutABatchIsRefused()
    {
        Json project = spiralProject();
        project["data"]["nodes"][2]["params"] = {{"batch_size", 500}, {"drop_last", true}};
        const auto check = checkProject(projectOf(project));
        QVERIFY(!check.ok() && problemAt(check, "data/loader/batch_size"));
    }

    void theEnvironmentIsReported()
    {
        const Json report = environmentReport();
        for (const char* key : {"libtorch", "blas", "cuda", "device", "cores", "threads"})
            QVERIFY2(report.contains(key), key);
        QVERIFY(report["threads"].get<int>() >= 1);
        for (const auto& problem : environmentProblems()) {
            QCOMPARE(problem.severity, Severity::Warning);
            QVERIFY(!problem.hint.empty());
        }
    }
};

QTEST_APPLESS_MAIN(TestProjectCheck)
#include "tst_project_check.moc"
