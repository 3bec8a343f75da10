// athanor-cli from end to end, as a script would use it.
#include "tests/cli/cli_runner.h"

#include <QTest>

#include <set>

using namespace athanor::test;
using nlohmann::json;

class TestCli : public QObject {
    Q_OBJECT
    CliRunner m_cli;

private Q_SLOTS:
    void trainsAndStores()
    {
        const CliResult result = m_cli.run({"train", m_cli.project("basic"), "--json", "--name", "first"});
        QCOMPARE(result.exitCode, 0);
        const json out = result.json();
        QCOMPARE(out["status"].get<std::string>(), "finished");
        // 180 training rows (0.75 of 240) in batches of 16: 12 steps an epoch, 4 epochs.
        QCOMPARE(out["steps"].get<int>(), 48);
        QCOMPARE(out["epochs"].get<double>(), 4.0);
        QVERIFY(out["metrics"]["val/accuracy"].get<double>() > 0.85);
        QVERIFY(out["best"]["val/accuracy"]["value"].get<double>() >= out["metrics"]["val/accuracy"].get<double>());
        QVERIFY(QFile::exists(QString::fromStdString(out["checkpoint"].get<std::string>())));
        QCOMPARE(out["findings"].size(), 0u);

        const json runs = m_cli.run({"runs", "list", "--json"}).json();
        QCOMPARE(runs.size(), 1u);
        QCOMPARE(runs[0]["name"].get<std::string>(), "first");
        QVERIFY(runs[0]["id"] == out["run"]);
        QVERIFY(runs[0]["summary"]["train/loss"] == out["metrics"]["train/loss"]);

        const json series = m_cli.run({"runs", "series", "first", "train/loss", "lr", "--json"}).json()["series"];
        std::vector<int> steps(48);
        for (int i = 0; i < 48; ++i)
            steps[static_cast<std::size_t>(i)] = i + 1;
        QCOMPARE(series["train/loss"]["steps"].get<std::vector<int>>(), steps);
        QCOMPARE(series["lr"]["values"].get<std::vector<double>>(), std::vector<double>(48, 0.01));

        const json part = m_cli.run({"runs", "series", "first", "train/loss", "--from", "10", "--to", "12", "--json"}).json();
        QCOMPARE(part["series"]["train/loss"]["steps"].get<std::vector<int>>(), (std::vector<int>{10, 11, 12}));
        QVERIFY(m_cli.run({"runs", "series", "first", "lr", "--csv"}).out.startsWith("series,step,value\nlr,1,0.01"));
        QVERIFY(m_cli.run({"runs", "verify", "--json"}).json()["clean"].get<bool>());
    }

    void sameSeedSameSeries()
    {
        std::set<QByteArray> outputs;
        for (const int workers : {0, 1, 3}) {
            const QString name = QString("workers%1").arg(workers);
            QCOMPARE(m_cli.run({"train", m_cli.project(name, json::object(), workers)}).exitCode, 0);
            const CliResult series = m_cli.run({"runs", "series", QString::fromStdString(newestRun()), "--json"});
            QCOMPARE(series.exitCode, 0);
            const json all = series.json()["series"];
            for (const char* name2 : {"train/loss", "val/accuracy", "grad_norm", "grad_norm/fc1.weight", "activation/relu/zeros",
                                      "bn_running_mean/bn/0", "update_ratio/fc2.bias"})
                QVERIFY2(all.contains(name2), name2);
            outputs.insert(series.out);
        }
        QCOMPARE(outputs.size(), 1u);
        QCOMPARE(m_cli.run({"train", m_cli.project("other", {{"seed", 6}})}).exitCode, 0);
        outputs.insert(m_cli.run({"runs", "series", QString::fromStdString(newestRun()), "--json"}).out);
        QCOMPARE(outputs.size(), 2u); // another seed is another curve
    }

    void overridesValues()
    {
        const QString project = m_cli.project("set");
        const CliResult result = m_cli.run({"train", project, "--json", "--set", "training.optimizer.lr=0.5", "--set",
                                            "network.fc1.out_features=4", "--steps", "3"});
        QCOMPARE(result.exitCode, 0);
        QCOMPARE(result.json()["steps"].get<int>(), 3);
        QCOMPARE(result.json()["metrics"]["lr"].get<double>(), 0.5);
        const CliResult check = m_cli.run({"check", project, "--json", "--set", "network.fc1.out_features=4"});
        QVERIFY(check.json()["shapes"]["fc1"] == json::parse(R"([["N", 4]])"));
        // 3·4+4 + 4+4 (BatchNorm) + 4·2+2
        QCOMPARE(check.json()["parameters"].get<int>(), 34);

        for (const char* wrong : {"training.optimizer.lrr=1", "training.optimizer.lr=fast", "network.nowhere.p=1", "nonsense=1"}) {
            const CliResult bad = m_cli.run({"train", project, "--json", "--set", wrong});
            QCOMPARE(bad.exitCode, 3);
            QVERIFY2(bad.json()["error"]["message"].get<std::string>().size() > 10, wrong);
        }
    }

    void reportsWrongUse()
    {
        QCOMPARE(m_cli.run({}).exitCode, 2);
        QCOMPARE(m_cli.run({"fly"}).exitCode, 2);
        QCOMPARE(m_cli.run({"train"}).exitCode, 2);
        QCOMPARE(m_cli.run({"train", "x.athanor", "--steps", "-3"}).exitCode, 2);
        QCOMPARE(m_cli.run({"--help"}).exitCode, 0);
        QCOMPARE(m_cli.run({"train", "missing.athanor"}).exitCode, 3);
        QCOMPARE(m_cli.run({"runs", "show", "no-such-run"}).exitCode, 3);
        const CliResult broken = m_cli.run({"check", writeFile("broken.athanor", "{\"athanor\": 1,\n \"network\": [}"), "--json"});
        QCOMPARE(broken.exitCode, 3);
        QVERIFY(QByteArray::fromStdString(broken.json()["error"].dump()).contains("line 2"));
        QCOMPARE(m_cli.run({"runs", "list", "--store", writeFile("noise.sqlite", QByteArray(5000, 'x'))}).exitCode, 3);
        QCOMPARE(QFile(m_cli.path("noise.sqlite")).size(), 5000);
    }

    void checkNamesAllProblems()
    {
        const QString file = m_cli.project("faulty");
        const CliResult result = m_cli.run({"check", file, "--json", "--set", "network.fc2.out_features=1", "--set", "network.drop.p=0.5"});
        QCOMPARE(result.exitCode, 1); // two classes do not fit one output
        bool atLoss = false;
        const json problems = result.json()["problems"];
        for (const json& problem : problems)
            atLoss |= problem["where"].get<std::string>().rfind("network/", 0) == 0 && problem["severity"] == "error";
        QVERIFY(atLoss);
        const CliResult train = m_cli.run({"train", file, "--json", "--set", "network.fc2.out_features=1"});
        QCOMPARE(train.exitCode, 3);
        QCOMPARE(train.json()["status"].get<std::string>(), "failed");
        QVERIFY(!train.json()["problems"].empty());
    }

    void checkOffersFixesAndASummary()
    {
        const QString file = m_cli.project("mended");
        const CliResult wrong = m_cli.run({"check", file, "--json", "--set", "network.fc1.in_features=5"});
        QCOMPARE(wrong.exitCode, 1);
        const json problem = wrong.json()["problems"][0];
        QCOMPARE(problem["where"].get<std::string>(), "network/fc1/in_features");
        QVERIFY(problem["fixes"][0]["edit"] == json({{"network", {{{"unset", {"fc1", "in_features"}}}}}}));
        const CliResult sound = m_cli.run({"check", file, "--json", "--summary", "--batch", "8"});
        QCOMPARE(sound.exitCode, 0);
        const json summary = sound.json()["summary"];
        QCOMPARE(summary["batch"].get<int>(), 8);
        QVERIFY(summary["parameters"] == sound.json()["parameters"]);
        QCOMPARE(summary["layers"][0]["kind"].get<std::string>(), "Input");
        QVERIFY(!m_cli.run({"check", file, "--json"}).json().contains("summary"));
        const CliResult text = m_cli.run({"check", file, "--summary"});
        QVERIFY(text.out.contains("Layer (kind)") && text.out.contains("Activations kept for the backward pass"));
        QCOMPARE(m_cli.run({"check", file, "--summary", "--batch", "0"}).exitCode, 2);
    }

    void divergingRunSaysSo()
    {
        const QString file = m_cli.project("boom", {{"on_non_finite", "stop"}, {"optimizer", {{"kind", "SGD"}, {"lr", 1e30}}}});
        const CliResult result = m_cli.run({"train", file, "--json"});
        QCOMPARE(result.exitCode, 1);
        const json out = result.json();
        QCOMPARE(out["status"].get<std::string>(), "diverged");
        QVERIFY(!out["findings"].empty());
        QCOMPARE(out["findings"][0]["rule"].get<std::string>(), "loss/non-finite");
        QVERIFY(out["metrics"].contains("train/loss"));
        QVERIFY(!out["metrics"].contains("val/loss")); // it ended before its first validation
        // The default policy pauses; without a window that ends the run the same way instead of hanging.
        const CliResult paused = m_cli.run({"train", m_cli.project("boom2", {{"optimizer", {{"kind", "SGD"}, {"lr", 1e30}}}}), "--json"}, 60000);
        QCOMPARE(paused.exitCode, 1);
        QCOMPARE(paused.json()["status"].get<std::string>(), "diverged");
    }

    void resumesBitForBit()
    {
        const QString file = m_cli.project("whole");
        QCOMPARE(m_cli.run({"train", file, "--name", "whole"}).exitCode, 0);
        // Stopped in the middle of an epoch (12 steps each), then continued to the same end.
        QCOMPARE(m_cli.run({"train", m_cli.project("half"), "--name", "half", "--steps", "30"}).exitCode, 0);
        const CliResult resumed = m_cli.run({"train", m_cli.project("half"), "--resume", "half", "--json"});
        QCOMPARE(resumed.exitCode, 0);
        QCOMPARE(resumed.json()["steps"].get<int>(), 48);
        const auto a = m_cli.run({"runs", "series", "whole", "train/loss", "grad_norm", "--json"}).json();
        const auto b = m_cli.run({"runs", "series", "half", "train/loss", "grad_norm", "--json"}).json();
        QVERIFY(a == b);
    }

    void printsTheCatalog()
    {
        const json layers = m_cli.run({"layers", "--json"}).json();
        bool found = false;
        for (const json& kind : layers)
            if (kind["kind"] == "Conv2d" && kind["graph"] == "network")
                for (const json& param : kind["params"])
                    found |= param["name"] == "stride" && param["default"] == 1;
        QVERIFY(found);
    }

    void fourProcessesShareAStore()
    {
        std::vector<std::unique_ptr<QProcess>> processes;
        for (int i = 0; i < 4; ++i) {
            processes.push_back(std::make_unique<QProcess>());
            const QString name = QString("parallel%1").arg(i);
            m_cli.start(*processes.back(), {"train", m_cli.project(name, {{"epochs", 20}}), "--name", name, "--threads", "1"});
        }
        for (const auto& process : processes) {
            QVERIFY(process->waitForFinished(120000));
            QCOMPARE(process->exitCode(), 0);
        }
        for (int i = 0; i < 4; ++i) {
            const json s = m_cli.run({"runs", "series", QString("parallel%1").arg(i), "train/loss", "--json"}).json();
            QCOMPARE(s["series"]["train/loss"]["steps"].size(), 240u);
        }
        QVERIFY(m_cli.run({"runs", "verify", "--json"}).json()["clean"].get<bool>());
    }

private:
    std::string newestRun() const { return m_cli.run({"runs", "list", "--json"}).json()[0]["id"].dump(); }
    QString writeFile(const QString& name, const QByteArray& content) const
    {
        QFile file(m_cli.path(name));
        if (file.open(QIODevice::WriteOnly))
            file.write(content);
        return file.fileName();
    }
};

QTEST_GUILESS_MAIN(TestCli)
#include "tst_cli.moc"
