// What athanor-cli does when it is used wrongly, or when files, stores and outputs fail it.
#include "tests/cli/cli_runner.h"

#include <QDir>
#include <QTest>

#include <csignal>
#include <set>

using namespace athanor::test;
using nlohmann::json;

class TestCliErrors : public QObject {
    Q_OBJECT
    CliRunner m_cli;

private Q_SLOTS:
    void wrongUseIsOneDocumentToo_data()
    {
        QTest::addColumn<QStringList>("arguments");
        const QString project = m_cli.project("use");
        QTest::newRow("no command") << QStringList{};
        QTest::newRow("unknown command") << QStringList{"fly"};
        QTest::newRow("no project") << QStringList{"train"};
        QTest::newRow("csv and json") << QStringList{"runs", "series", "1", "--csv"};
        QTest::newRow("empty store") << QStringList{"runs", "list", "--store", ""};
        QTest::newRow("no PATH=VALUE") << QStringList{"check", project, "--set", "foo"};
        QTest::newRow("empty setting") << QStringList{"check", project, "--set", ""};
        QTest::newRow("setting forgotten") << QStringList{"check", project, "--set"};
        QTest::newRow("too many steps") << QStringList{"train", project, "--steps", "99999999999999999999"};
        QTest::newRow("no steps") << QStringList{"train", project, "--steps", "0"};
        QTest::newRow("too many threads") << QStringList{"train", project, "--threads", "100000"};
        QTest::newRow("too many workers") << QStringList{"train", project, "--workers", "100000"};
        QTest::newRow("empty run") << QStringList{"train", project, "--resume", ""};
        QTest::newRow("resumed and named") << QStringList{"train", project, "--resume", "a", "--name", "b"};
    }
    void wrongUseIsOneDocumentToo()
    {
        QFETCH(QStringList, arguments);
        const CliResult result = m_cli.run(arguments + QStringList{"--json"});
        QCOMPARE(result.exitCode, 2);
        const std::string message = result.json()["error"]["message"].get<std::string>();
        QVERIFY2(!message.empty() && message.size() < 200, message.c_str());
    }

    void outputThatIsLostIsAnError_data()
    {
        QTest::addColumn<QString>("command");
        for (const char* command : {"layers >/dev/full", "layers --json >/dev/full", "runs list --json >/dev/full",
                                    "runs list >&-", "check use.athanor >/dev/full"})
            QTest::newRow(command) << QString(command);
    }
    void outputThatIsLostIsAnError()
    {
        QFETCH(QString, command);
        m_cli.project("use");
        QProcess shell;
        shell.setWorkingDirectory(m_cli.path("."));
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("ATHANOR_STORE", m_cli.path("none.sqlite"));
        shell.setProcessEnvironment(environment);
        shell.start("/bin/sh", {"-c", QString("'%1' %2").arg(ATHANOR_CLI, command)});
        QVERIFY(shell.waitForFinished(60000));
        QCOMPARE(shell.exitCode(), 3);
        QVERIFY(shell.readAllStandardError().contains("could not be written"));
    }

    void readingMakesNoStore()
    {
        const CliResult usual = m_cli.run({"runs", "list", "--json"});
        QCOMPARE(usual.exitCode, 0);
        QVERIFY(usual.json() == json::array());
        QVERIFY(!QFile::exists(m_cli.path("runs.sqlite")));
        const QString named = m_cli.path("nowhere/x.sqlite");
        for (const QStringList& command : {QStringList{"runs", "list"}, {"runs", "show", "1"}, {"runs", "verify"}})
            QCOMPARE(m_cli.run(command + QStringList{"--store", named}).exitCode, 3);
        QVERIFY(!QDir(m_cli.path("nowhere")).exists());
        const QString pipe = m_cli.path("pipe");
        QCOMPARE(QProcess::execute("mkfifo", {pipe}), 0);
        QCOMPARE(m_cli.run({"check", pipe}, 20000).exitCode, 3);
    }

    void everyNoteIsAProblem()
    {
        const QString file = m_cli.project("notes", {{"telemetry", 1}});
        QFile project(file);
        QVERIFY(project.open(QIODevice::ReadWrite));
        QByteArray text = project.readAll();
        text.replace("\"seed\": 5", "\"seed\": 4, \"seed\": 5");
        project.resize(0);
        project.seek(0);
        project.write(text);
        project.close();
        const CliResult result = m_cli.run({"check", file, "--json"});
        QCOMPARE(result.exitCode, 0); // warnings
        std::set<std::string> places;
        const json problems = result.json()["problems"];
        for (const json& problem : problems) {
            QCOMPARE(problem["severity"].get<std::string>(), std::string("warning"));
            places.insert(problem["where"].get<std::string>());
        }
        QVERIFY2(places == (std::set<std::string>{"training/seed", "training/telemetry"}), result.out.constData());
    }

    void aResumeThatCannotStartChangesNothing()
    {
        const QString file = m_cli.project("good");
        const CliResult trained = m_cli.run({"train", file, "--name", "a\x1b[31mgood", "--steps", "30", "--json"});
        QCOMPARE(trained.exitCode, 0);
        const auto stored = [&] { return m_cli.run({"runs", "show", "1", "--json"}).out; };
        const QByteArray before = stored();
        QVERIFY(!m_cli.run({"runs", "list"}).out.contains('\x1b'));
        QCOMPARE(m_cli.run({"train", file, "--resume", "1", "--set", "network.fc1.out_features=4"}).exitCode, 3);
        QCOMPARE(stored(), before);
        const QString checkpoint = QString::fromStdString(trained.json()["checkpoint"].get<std::string>());
        QVERIFY(QFile::resize(checkpoint, 1000));
        const CliResult damaged = m_cli.run({"train", file, "--resume", "1", "--json"});
        QCOMPARE(damaged.exitCode, 3);
        QCOMPARE(damaged.json()["status"].get<std::string>(), std::string("failed"));
        QCOMPARE(stored(), before);
    }

    void aStoreThatIsDeletedIsNoticed()
    {
        const QString file = m_cli.project("long", {{"epochs", 1000000}});
        const QString store = m_cli.path("deleted.sqlite");
        QProcess process;
        m_cli.start(process, {"train", file, "--store", store, "--json", "--threads", "1", "--no-probes"});
        QTRY_VERIFY_WITH_TIMEOUT(m_cli.run({"runs", "series", "1", "lr", "--csv", "--store", store}).out.count('\n') > 1, 60000);
        for (const char* more : {"", "-wal", "-shm"})
            QFile::remove(store + more);
        kill(static_cast<pid_t>(process.processId()), SIGTERM);
        QVERIFY(process.waitForFinished(30000));
        QCOMPARE(process.exitCode(), 3);
        const json out = json::parse(process.readAllStandardOutput().toStdString());
        QCOMPARE(out["status"].get<std::string>(), std::string("stopped"));
        QVERIFY(out["error"]["message"].get<std::string>().find("deleted") != std::string::npos);
        QVERIFY(!QFile::exists(store));
    }
};

QTEST_GUILESS_MAIN(TestCliErrors)
#include "tst_cli_errors.moc"
