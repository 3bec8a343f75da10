#include "engine/exchange/event_folder.h"
#include "tests/engine/exchange/event_bytes.h"
#include "tests/engine/store/store_testing.h"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <bit>
#include <limits>
#include <set>

using namespace athanor;
using namespace athanor::testing;

class TestEventFolder : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path path(const QString& name) const { return m_folder->filePath(name).toStdString(); }
    void write(const QString& name, const QByteArray& bytes) const
    {
        QFile file(m_folder->filePath(name));
        QDir().mkpath(QFileInfo(file).path());
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            throw std::runtime_error("the test cannot write");
    }

private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void everyFolderIsARun()
    {
        write("logs/a/events.out.tfevents.1.host",
              versionRecord(1'700'000'000) + scalarRecord("loss", 1, 1'700'000'001, 0.5F));
        write("logs/a/events.out.tfevents.2.host",
              versionRecord(1'700'000'050) + scalarRecord("loss", 2, 1'700'000'060, 0.25F));
        write("logs/b/c/events.out.tfevents.1.host",
              versionRecord(1'700'000'000) + scalarRecord("acc", 7, 1'700'000'001, 1));
        write("logs/b/readme.txt", "nothing");
        const ImportReport report = valueOf(importEventFolder(path("runs.sqlite"), path("logs")));
        QCOMPARE(report.runs.size(), 2U);
        QCOMPARE(report.points, 3);
        const RunStore store = openStore(path("runs.sqlite"));
        const RunInfo a = valueOf(store.run(report.runs[0]));
        QCOMPARE(a.name, std::string("a"));
        QCOMPARE(a.status, RunStatus::Finished);
        QCOMPARE(a.startedMs, std::int64_t{1'700'000'000'000});
        QCOMPARE(a.seconds, 60.0);
        QCOMPARE(a.steps, 2);
        QCOMPARE(valueOf(store.run(report.runs[1])).name, std::string("b/c"));
        QCOMPARE(valueOf(store.points(a.id, "loss")).values, (std::vector<double>{0.5, 0.25}));
    }

    // A training that was restarted from step 2: both of its points are there.
    void stepsThatGoBackLoseNothing()
    {
        write("logs/events.out.tfevents.1",
              versionRecord() + scalarRecord("loss", 1, 1, 1) + scalarRecord("loss", 2, 2, 2) +
                  scalarRecord("loss", 3, 3, 3) + scalarRecord("loss", 2, 4, 20) +
                  scalarRecord("loss", 3, 5, 30));
        const ImportReport report = valueOf(importEventFolder(path("runs.sqlite"), path("logs")));
        const SeriesPoints points = valueOf(openStore(path("runs.sqlite")).points(report.runs[0], "loss"));
        QCOMPARE(points.steps, (std::vector<std::int64_t>{1, 2, 2, 3, 3}));
        QCOMPARE(points.values, (std::vector<double>{1, 2, 20, 3, 30}));
        QCOMPARE(valueOf(openStore(path("runs.sqlite")).run(report.runs[0])).name, std::string("logs"));
    }

    void anEmptyFolderSaysWhatIsLookedFor()
    {
        QDir(m_folder->path()).mkpath("logs");
        const auto report = importEventFolder(path("runs.sqlite"), path("logs"));
        QCOMPARE(report.error().code, ErrorCode::NotFound);
        QVERIFY(report.error().hint.find("tfevents") != std::string::npos);
        QVERIFY(!std::filesystem::exists(path("runs.sqlite")));
    }

    // What we write is read by a program that knows nothing of ours, and comes back bit for bit.
    void anIndependentReaderReadsWhatWeWrite()
    {
        const double kNaN = std::numeric_limits<double>::quiet_NaN();
        const double kInf = std::numeric_limits<double>::infinity();
        RunStore store = openStore(path("runs.sqlite"));
        NewRun fresh;
        fresh.name = "a/b ../c\n\"quoted\"";
        const RunId run = valueOf(store.startRun(fresh));
        const std::vector<double> values{0.5, 0.1, kNaN, kInf, -kInf, 1e300, -0.0, 3};
        RunStore::Flush flush;
        const std::vector<SeriesInfo> series{{"train/loss", "", SeriesRole::Essential}};
        const std::vector<Sample> samples = samplesOf(0, 1, values);
        flush.newSeries = series;
        flush.samples = samples;
        flush.steps = 8;
        flush.seconds = 80;
        valueOf(store.flush(run, flush));
        valueOf(store.finishRun(run, RunStatus::Finished));
        const std::array<RunId, 1> runs{run};
        const auto files = valueOf(exportEventFolder(store, runs, path("out")));
        QCOMPARE(files.size(), 1U);
        QCOMPARE(files[0].parent_path().parent_path(), path("out")); // no name leads out of the folder

        QProcess python;
        python.start(ATHANOR_PYTHON, {ATHANOR_SOURCE_DIR "/tests/engine/exchange/read_events.py",
                                      QString::fromStdString(files[0].string())});
        QVERIFY(python.waitForFinished(60'000));
        QVERIFY2(python.exitCode() == 0, python.readAllStandardError());
        const auto json = nlohmann::json::parse(python.readAllStandardOutput().toStdString());
        const auto& points = json["train/loss"];
        QCOMPARE(points.size(), values.size());
        const double start = static_cast<double>(valueOf(store.run(run)).startedMs) / 1000;
        for (std::size_t i = 0; i < values.size(); ++i) {
            QCOMPARE(points[i][0].get<std::int64_t>(), static_cast<std::int64_t>(i + 1));
            QVERIFY(qAbs(points[i][1].get<double>() - (start + 10.0 * static_cast<double>(i + 1))) < 1e-3);
            const QString bits =
                QStringLiteral("%1").arg(std::bit_cast<std::uint64_t>(values[i]), 16, 16, QLatin1Char('0'));
            if (!std::isnan(values[i]))
                QCOMPARE(QString::fromStdString(points[i][2].get<std::string>()), bits);
        }

        const ImportReport back = valueOf(importEventFolder(path("other.sqlite"), path("out")));
        QVERIFY(sameBits(valueOf(openStore(path("other.sqlite")).points(back.runs[0], "train/loss")).values,
                         values));
    }

    void namesThatAreEqualDoNotMeet()
    {
        RunStore store = openStore(path("runs.sqlite"));
        std::vector<RunId> runs;
        for (const char* name : {"same", "same", ".."}) {
            NewRun fresh;
            fresh.name = name;
            runs.push_back(valueOf(store.startRun(fresh)));
        }
        const auto files = valueOf(exportEventFolder(store, runs, path("out")));
        QCOMPARE(std::set<std::filesystem::path>(files.begin(), files.end()).size(), 3U);
        for (const auto& file : files)
            QCOMPARE(file.parent_path().parent_path(), path("out"));
    }

    void cancels()
    {
        write("logs/a/events.out.tfevents.1", versionRecord());
        ExchangeProgress progress;
        progress.cancelled = [] { return true; };
        QCOMPARE(importEventFolder(path("runs.sqlite"), path("logs"), progress).error().code,
                 ErrorCode::Cancelled);
    }
};

QTEST_APPLESS_MAIN(TestEventFolder)
#include "tst_event_folder.moc"
