// Weights in and out of athanor-cli, against Python.
#include "tests/cli/cli_runner.h"

#include <QTest>

using namespace athanor::test;
using nlohmann::json;

class TestCliWeights : public QObject {
    Q_OBJECT
    CliRunner m_cli;
    QString m_checkpoint;

    static CliResult python(const QStringList& arguments)
    {
        QProcess process;
        process.start("/usr/bin/python3", arguments);
        process.waitForFinished(120'000);
        return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
    }
    /// Has Python write a file in the tests' folder.
    void write(const QString& file, const QString& content)
    {
        const CliResult result = python({"-c", QString("import torch\ntorch.save(%1, '%2')").arg(content, m_cli.path(file))});
        QVERIFY2(result.exitCode == 0, result.err.constData());
    }

private Q_SLOTS:
    void initTestCase()
    {
        const CliResult trained = m_cli.run({"train", m_cli.project("base"), "--name", "base", "--json"});
        QCOMPARE(trained.exitCode, 0);
        m_checkpoint = QString::fromStdString(trained.json()["checkpoint"].get<std::string>());
    }

    void exportsWhatPythonReads()
    {
        const json state = m_cli.run({"export", "base", "--to", "state-dict", "-o", "out.pt", "--checkpoint", "newest", "--json"}).json();
        const json tensors =
            m_cli.run({"export", "base", "--to", "safetensors", "-o", "out.safetensors", "--checkpoint", "newest", "--json"}).json();
        for (const json& out : {state, tensors}) {
            QVERIFY(out["verified"] == true && out["max_difference"] == 0.0);
            QCOMPARE(out["tensors"].get<int>(), 9); // two of each Linear, five of the BatchNorm
            QCOMPARE(out["step"].get<int>(), 48);
        }
        const CliResult compared =
            python({QStringLiteral(ATHANOR_SOURCE_DIR "/tests/baseline/compare_exports.py"),
                    QString::fromStdString(state["checkpoint"].get<std::string>()), m_cli.path("out.pt"), m_cli.path("out.safetensors")});
        QVERIFY2(compared.exitCode == 0, compared.err.constData());
        QCOMPARE(compared.json()["tensors"].get<int>(), 9);
    }

    void exportsTheBestByItself()
    {
        const json best = m_cli.run({"export", "base", "--to", "safetensors", "-o", "best.safetensors", "--json"}).json();
        QVERIFY(best["best"].get<bool>());
        QVERIFY(QFile::exists(QString::fromStdString(best["checkpoint"].get<std::string>())));
        QCOMPARE(m_cli.run({"export", "base", "--to", "safetensors", "-o", "x", "--checkpoint", "7"}).exitCode, 3);
        QCOMPARE(m_cli.run({"export", "nobody", "--to", "safetensors", "-o", "x"}).exitCode, 3);
        QCOMPARE(m_cli.run({"export", "base", "--to", "pickle", "-o", "x"}).exitCode, 2);
        QCOMPARE(m_cli.run({"export", "base", "--to", "safetensors", "-o", "no/such/folder/x"}).exitCode, 3);
    }

    void trainsOnFromEachKindOfFile()
    {
        QCOMPARE(m_cli.run({"export", "base", "--to", "state-dict", "-o", "again.pt", "--checkpoint", "newest"}).exitCode, 0);
        QCOMPARE(m_cli.run({"export", "base", "--to", "safetensors", "-o", "again.safetensors", "--checkpoint", "newest"}).exitCode, 0);
        QByteArray series;
        for (const QString& file : {m_checkpoint, QString("again.pt"), QString("again.safetensors")}) {
            const QString project = m_cli.project("onward", {{"weights", file.toStdString()}, {"epochs", 1}});
            const CliResult result = m_cli.run({"train", project, "--json"});
            QVERIFY2(result.exitCode == 0, result.err.constData());
            QVERIFY(result.err.contains("9 of the network's 9 tensors are loaded"));
            const QString run = QString::number(result.json()["run"].get<int>());
            const QByteArray now = m_cli.run({"runs", "series", run, "--json"}).out;
            QVERIFY(series.isEmpty() || series == now); // the same weights, so the same run
            series = now;
            const json events = m_cli.run({"runs", "show", run, "--json"}).json()["events"];
            QVERIFY(std::any_of(events.begin(), events.end(), [&](const json& event) {
                return event["where"] == "training/weights" &&
                       QString::fromStdString(event["text"].get<std::string>()).contains(QFileInfo(file).fileName());
            }));
        }
    }

    void listsTensors()
    {
        write("list.pt", "{'epoch': 3, 'state_dict': {'a.weight': torch.ones(2, 3).half(), 'n': torch.tensor(4)}}");
        const json out = m_cli.run({"weights", "list.pt", "--json"}).json();
        QVERIFY(out == json::parse(R"({"file": "list.pt", "format": "PyTorch file", "entry": "state_dict", "notes": [], "tensors": [
            {"name": "a.weight", "shape": [2, 3], "type": "float16", "device": "cpu"},
            {"name": "n", "shape": [], "type": "int64", "device": "cpu"}]})"));
        QVERIFY(m_cli.run({"weights", "list.pt"}).out.contains("a.weight"));
        const CliResult missing = m_cli.run({"weights", "none.pt", "--json"});
        QCOMPARE(missing.exitCode, 3);
        QVERIFY(QByteArray(missing.out + missing.err).contains("none.pt"));
    }

    void reportsHowAFileFits()
    {
        const QString project = m_cli.project("fits");
        write("wrapped.pt", "{'module.fc1.weight': torch.ones(16, 3), 'module.fc1.bias': torch.ones(16), 'module.fc2.weight': "
                            "torch.ones(7, 16), 'module.more': torch.ones(1)}");
        const CliResult result = m_cli.run({"weights", "wrapped.pt", project, "--json"});
        QCOMPARE(result.exitCode, 0);
        const json mapping = result.json()["mapping"];
        QVERIFY(mapping["renamed"] == json::parse(R"([{"name": "fc1.weight", "from": "module.fc1.weight"},
                                                      {"name": "fc1.bias", "from": "module.fc1.bias"}])"));
        QVERIFY(mapping["prefix"] == json({{"taken", "module."}, {"put", ""}}));
        QCOMPARE(mapping["shape_differs"][0]["name"].get<std::string>(), "fc2.weight");
        QCOMPARE(mapping["missing"].size(), 6u); // fc2.bias and the BatchNorm's five
        QCOMPARE(mapping["left_over"][0]["name"].get<std::string>(), "module.more");

        write("other.pt", "{'features.0.weight': torch.ones(16, 3), 'features.0.bias': torch.ones(16)}");
        const CliResult nothing = m_cli.run({"weights", "other.pt", project, "--json"});
        QCOMPARE(nothing.exitCode, 1);
        const json suggested = nothing.json()["mapping"]["suggested"];
        QVERIFY(suggested == json({{"fc1.weight", "features.0.weight"}, {"fc1.bias", "features.0.bias"}}));
        QCOMPARE(m_cli.run({"train", project, "--set", "training.weights=other.pt"}).exitCode, 3);
        const CliResult byHand = m_cli.run({"train", project, "--steps", "1", "--set", "training.weights=other.pt", "--set",
                                            QString::fromStdString("training.weights_map=" + suggested.dump())});
        QVERIFY2(byHand.exitCode == 0, byHand.err.constData());
        QVERIFY(byHand.err.contains("2 of them renamed (by weights_map)"));
    }
};

QTEST_GUILESS_MAIN(TestCliWeights)
#include "tst_cli_weights.moc"
