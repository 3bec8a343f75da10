// `new` and `check --data`: from data to a project, and what is wrong with it.
#include "cli_runner.h"

#include <QtTest>

using namespace athanor::test;
using nlohmann::json;

class CliData : public QObject {
    Q_OBJECT

private:
    CliRunner m_cli;

    QString writeTable(const QString& name, int badRow)
    {
        QFile table(m_cli.path(name));
        if (!table.open(QIODevice::WriteOnly))
            qFatal("the temporary folder cannot be written");
        table.write("a,b,kind\n");
        for (int i = 0; i < 120; ++i)
            table.write(QByteArray::number(std::sin(i * 12.9898) + i % 2, 'f', 6) + "," +
                        (i == badRow ? QByteArray("nan") : QByteArray::number(std::cos(i * 7.1), 'f', 6)) + "," + (i % 2 ? "yes" : "no") + "\n");
        return m_cli.path(name);
    }

private Q_SLOTS:
    void newWritesAProjectThatTrains()
    {
        const QString file = m_cli.path("mine.athanor");
        const CliResult made = m_cli.run({"new", m_cli.path("table.csv"), "-o", file, "--name", "Mine", "--json"});
        QCOMPARE(made.exitCode, 0);
        const json document = made.json();
        QCOMPARE(document["kind"].get<std::string>(), std::string("table"));
        QCOMPARE(document["project"].get<std::string>(), file.toStdString());
        QVERIFY(document["choices"].size() >= 4);
        for (const json& choice : document["choices"])
            QVERIFY(choice.contains("what") && choice.contains("chosen") && choice.contains("why") && choice.contains("place"));
        const CliResult checked = m_cli.run({"check", file, "--data", "--json"});
        QCOMPARE(checked.exitCode, 0);
        const json result = checked.json();
        QVERIFY(result["problems"].empty());
        QCOMPARE(result["samples"]["train"].get<int>() + result["samples"]["val"].get<int>(), 240);
        QCOMPARE(result["classes"]["label"]["names"].get<std::vector<std::string>>(), (std::vector<std::string>{"no", "yes"}));
        for (const json& finding : result["findings"])
            QCOMPARE(finding["severity"].get<std::string>(), std::string("info"));
        const CliResult trained = m_cli.run({"train", file, "--json", "--set", "training.epochs=15", "--set", "training.scheduler=[]"});
        QCOMPARE(trained.exitCode, 0);
        QVERIFY(trained.json()["best"]["val/accuracy"]["value"].get<double>() > 0.9);

        QCOMPARE(m_cli.run({"new", m_cli.path("table.csv"), "-o", file}).exitCode, 3); // it is there already
        const CliResult forced = m_cli.run({"new", m_cli.path("table.csv"), "-o", file, "--force"});
        QCOMPARE(forced.exitCode, 0);
        QVERIFY(forced.out.contains("athanor-cli train"));
    }

    void newRefusesWhatItDoesNotKnow()
    {
        const CliResult missing = m_cli.run({"new", m_cli.path("nowhere"), "-o", m_cli.path("x.athanor"), "--json"});
        QCOMPARE(missing.exitCode, 3);
        QVERIFY(missing.json()["error"]["message"].get<std::string>().find("nowhere") != std::string::npos);
        QVERIFY(!QFile::exists(m_cli.path("x.athanor")));
        QCOMPARE(m_cli.run({"new", m_cli.path("table.csv")}).exitCode, 2);
    }

    void checkDataNamesTheCell()
    {
        const QString file = m_cli.path("sick.athanor");
        QCOMPARE(m_cli.run({"new", writeTable("sick.csv", 41), "-o", file}).exitCode, 0);
        // The proposal gives such cells their column's mean; here they stay as they are.
        const QString asTheyAre = "data.table.missing=nan";
        const CliResult checked = m_cli.run({"check", file, "--data", "--json", "--set", asTheyAre});
        QCOMPARE(checked.exitCode, 1);
        const json result = checked.json();
        const json& finding = result["findings"][0];
        QCOMPARE(finding["rule"].get<std::string>(), std::string("data/non-finite"));
        QCOMPARE(finding["severity"].get<std::string>(), std::string("error"));
        QCOMPARE(finding["samples"][0]["name"].get<std::string>(), std::string("sick.csv, line 43"));
        QCOMPARE(finding["sample_count"].get<int>(), 1);
        QCOMPARE(result["problems"].size(), std::size_t{1});
        QVERIFY(!m_cli.run({"check", file, "--json"}).json().contains("findings"));
        QCOMPARE(m_cli.run({"check", file, "--fresh"}).exitCode, 2); // only with --data
        const CliResult text = m_cli.run({"check", file, "--data", "--set", asTheyAre});
        QCOMPARE(text.exitCode, 1);
        QVERIFY(text.out.contains("data/non-finite"));
    }

    void secondTimeIsRemembered()
    {
        const QString file = m_cli.path("again.athanor");
        QCOMPARE(m_cli.run({"new", writeTable("again.csv", -1), "-o", file}).exitCode, 0);
        QTest::qWait(100);
        QVERIFY(!m_cli.run({"check", file, "--data"}).out.contains("looked at before"));
        QVERIFY(m_cli.run({"check", file, "--data"}).out.contains("looked at before"));
        QVERIFY(!m_cli.run({"check", file, "--data", "--fresh"}).out.contains("looked at before"));
        writeTable("again.csv", 3);
        QTest::qWait(100);
        QVERIFY(m_cli.run({"check", file, "--data"}).out.contains("data/non-finite"));
    }
};

QTEST_GUILESS_MAIN(CliData)
#include "tst_cli_data.moc"
