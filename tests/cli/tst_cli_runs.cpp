// runs list --where --sort, tag, note, rename, delete, restore: what scripts rely on.
#include "tests/cli/cli_runner.h"

#include <QTest>

using namespace athanor::test;
using nlohmann::json;

class TestCliRuns : public QObject {
    Q_OBJECT
    CliRunner m_cli;

    std::vector<int> listed(const QStringList& arguments) const
    {
        const CliResult result = m_cli.run(QStringList{"runs", "list", "--json"} + arguments);
        std::vector<int> ids;
        if (result.exitCode == 0)
            for (const json& run : result.json())
                ids.push_back(run["id"].get<int>());
        return ids;
    }

private Q_SLOTS:
    void initTestCase()
    {
        const QString project = m_cli.project("table");
        for (const char* rate : {"0.01", "0.0001", "0.001"}) {
            const QString set = QString("training.optimizer.lr=%1").arg(rate);
            QCOMPARE(m_cli.run({"train", project, "--steps", "3", "--json", "--set", set}).exitCode, 0);
        }
    }

    void runsAreFilteredAndSorted()
    {
        QCOMPARE(listed({}), (std::vector{3, 2, 1}));
        QCOMPARE(listed({"--where", "lr < 5e-3 and batch_size = 16 and status = finished"}), (std::vector{3, 2}));
        QCOMPARE(listed({"--sort", "lr"}), (std::vector{2, 3, 1}));
        QCOMPARE(listed({"--sort=-training.optimizer.lr"}), (std::vector{1, 3, 2}));
        QCOMPARE(listed({"--where", "train/loss < 1e9", "--sort", "id"}), (std::vector{1, 2, 3}));
        const CliResult wrong = m_cli.run({"runs", "list", "--json", "--where", "lr < 1 and status = done"});
        QCOMPARE(wrong.exitCode, 3);
        QCOMPARE(wrong.json()["error"]["where"].get<std::string>(), std::string("filter, column 21"));
        const CliResult unknown = m_cli.run({"runs", "list", "--json", "--where", "momentun > 1 or train/los > 2"});
        QCOMPARE(unknown.exitCode, 3);
    }

    void runsAreComparedReportedAndCarried()
    {
        for (const json& series : m_cli.run({"runs", "show", "1", "--json"}).json()["series"]) {
            if (series["name"] == "train/loss")
                QVERIFY(series["best"] == series["min"] && series["best_step"] == series["min_step"]);
            if (series["name"] == "train/accuracy" || series["name"] == "val/accuracy")
                QVERIFY(series["best"] == series["max"]);
        }
        const json compared = m_cli.run({"runs", "compare", "1", "2", "--json"}).json();
        QCOMPARE(compared["config"].size(), 1U);
        QVERIFY(compared["config"][0]["path"] == "training.optimizer.lr");
        QVERIFY(compared["config"][0]["values"].dump() == "[0.01,0.0001]");
        QVERIFY(compared["network"][0]["nodes"].empty());
        QVERIFY(!compared["metrics"].empty());
        QVERIFY(m_cli.run({"runs", "compare", "1", "2", "--ignore", "*.lr", "--json"}).json()["config"].empty());
        QVERIFY(m_cli.run({"runs", "compare", "1", "2"}).out.contains("training.optimizer.lr"));
        QCOMPARE(m_cli.run({"runs", "compare", "1", "99", "--json"}).exitCode, 3);

        QCOMPARE(m_cli.run({"runs", "report", "1", "2", "-o", m_cli.path("report.html"), "--over", "epoch"}).exitCode, 0);
        QFile report(m_cli.path("report.html"));
        QVERIFY(report.open(QIODevice::ReadOnly) && report.readAll().contains("<svg"));

        const json before = m_cli.run({"runs", "series", "1", "--json", "--all"}).json();
        const QStringList other{"--store", m_cli.path("other.sqlite"), "--json"};
        int id = 0;
        for (const char* format : {"csv", "json", "tensorboard", "capsule"}) {
            const QString target = m_cli.path(QStringLiteral("out-%1").arg(format));
            const CliResult out = m_cli.run({"runs", "export", "1", "--to", format, "-o", target, "--json"});
            QCOMPARE(out.exitCode, 0);
            const QString file = QString::fromStdString(out.json()["files"][0].get<std::string>());
            const CliResult in = m_cli.run(QStringList{"runs", "import", file} + other);
            QCOMPARE(in.exitCode, 0);
            QCOMPARE(in.json()["runs"][0].get<int>(), ++id);
            const json after = m_cli.run(QStringList{"runs", "series", QString::number(id), "--all"} + other).json();
            QVERIFY2(after["series"] == before["series"], format);
        }
        QCOMPARE(m_cli.run(QStringList{"runs", "verify"} + other).exitCode, 0);
        QCOMPARE(m_cli.run(QStringList{"runs", "import", m_cli.path("nowhere")} + other).exitCode, 3);
    }

    void runsAreTaggedNotedAndRenamed()
    {
        QCOMPARE(m_cli.run({"runs", "tag", "1", "2", "--add", "base", "--add", "it's \"1\""}).exitCode, 0);
        const json changed = m_cli.run({"runs", "tag", "2", "--remove", "base", "--json"}).json();
        QVERIFY(changed[0]["before"] == json::array({"base", "it's \"1\""}));
        QVERIFY(changed[0]["after"] == json::array({"it's \"1\""}));
        QCOMPARE(listed({"--where", "tag = base"}), std::vector{1});
        QCOMPARE(m_cli.run({"runs", "note", "1", "--text", "two\nlines"}).exitCode, 0);
        QCOMPARE(m_cli.run({"runs", "rename", "1", "2"}).exitCode, 0); // a name like an id
        QCOMPARE(listed({"--where", "name = 2 and note ~ LINES"}), std::vector{1});
        // One that is not there: nothing is changed.
        QCOMPARE(m_cli.run({"runs", "tag", "1", "99", "--add", "never"}).exitCode, 3);
        QVERIFY(listed({"--where", "tag = never"}).empty());
    }

    void deletedRunsComeBack()
    {
        QCOMPARE(m_cli.run({"runs", "delete", "1", "3"}).exitCode, 0);
        QCOMPARE(listed({}), std::vector{2});
        QCOMPARE(listed({"--trash", "--sort", "id"}), (std::vector{1, 3}));
        QCOMPARE(m_cli.run({"runs", "restore", "1", "2"}).exitCode, 3); // 2 is not in the trash: nothing comes back
        QCOMPARE(listed({}), std::vector{2});
        QCOMPARE(m_cli.run({"runs", "restore", "1"}).exitCode, 0);
        QCOMPARE(listed({}), (std::vector{2, 1}));
        QCOMPARE(m_cli.run({"runs", "delete", "2", "--for-good"}).exitCode, 3); // only what is in the trash
        QCOMPARE(m_cli.run({"runs", "delete", "3", "--for-good"}).exitCode, 0);
        QVERIFY(listed({"--trash"}).empty());
        QCOMPARE(m_cli.run({"runs", "verify"}).exitCode, 0);
    }
};

QTEST_GUILESS_MAIN(TestCliRuns)
#include "tst_cli_runs.moc"
