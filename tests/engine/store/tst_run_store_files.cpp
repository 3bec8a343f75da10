#include "engine/store/run_store.h"

#include "tests/engine/store/store_testing.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <QFile>
#include <QTemporaryDir>

#include <csignal>
#include <sys/resource.h>
#include <unistd.h>

using namespace athanor;
using namespace athanor::testing;

namespace {

QByteArray contentOf(const std::filesystem::path& file)
{
    QFile in(QString::fromStdString(file.string()));
    return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
}

void write(const std::filesystem::path& file, const QByteArray& content)
{
    QFile out(QString::fromStdString(file.string()));
    if (!out.open(QIODevice::WriteOnly))
        throw std::runtime_error("cannot write " + file.string());
    out.write(content);
}

/// While it lives, no file of this process can grow beyond `bytes`: what a full disk does, and a quota.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes)
    {
        m_handler = std::signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit limit{bytes, m_before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit()
    {
        setrlimit(RLIMIT_FSIZE, &m_before);
        std::signal(SIGXFSZ, m_handler);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

private:
    rlimit m_before{};
    sighandler_t m_handler = SIG_DFL;
};

const NewRun kRun{"a", "p", "", "", "", Json::object()};
const std::vector<SeriesInfo> kSeries{{"train/loss", "", SeriesRole::Essential}};

} // namespace

class TestRunStoreFiles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_temporary = std::make_unique<QTemporaryDir>();
        m_folder = m_temporary->path().toStdString();
        m_file = m_folder / "runs.sqlite";
    }

    void aStoreIsMadeWithItsFolders()
    {
        const auto file = m_folder / "a" / "b" / "runs.sqlite";
        VERIFY_OK(RunStore::open(file));
        SQLite::Database db(file.string());
        QCOMPARE(db.execAndGet("PRAGMA user_version").getInt(), 3);
        QCOMPARE(db.execAndGet("PRAGMA application_id").getInt(), 0x41544852);
        QCOMPARE(db.execAndGet("PRAGMA journal_mode").getString(), std::string("wal"));
    }

    void anEmptyFileBecomesAStore()
    {
        write(m_file, {});
        VERIFY_OK(RunStore::open(m_file));
    }

    void aFileThatIsNoStoreIsLeftAsItIs_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("text") << QByteArray("These are my notes, and they are longer than a header.\n").repeated(40);
        QTest::newRow("short text") << QByteArray("hello");
        QTest::newRow("zeros") << QByteArray(8192, '\0');
        QTest::newRow("a header and nothing else") << QByteArray("SQLite format 3\0", 16);
    }
    void aFileThatIsNoStoreIsLeftAsItIs()
    {
        QFETCH(QByteArray, content);
        write(m_file, content);
        const auto store = RunStore::open(m_file);
        QVERIFY(!store.ok());
        QVERIFY2(store.error().code == ErrorCode::Unreadable, store.error().text().c_str());
        QCOMPARE(store.error().where, m_file.string());
        QVERIFY(!store.error().hint.empty());
        QCOMPARE(contentOf(m_file), content);
    }

    void aDatabaseOfAnotherProgramIsLeftAsItIs()
    {
        SQLite::Database(m_file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
            .exec("CREATE TABLE mine (a); INSERT INTO mine VALUES (1)");
        const QByteArray before = contentOf(m_file);
        const auto store = RunStore::open(m_file);
        QVERIFY(!store.ok() && store.error().code == ErrorCode::Unreadable);
        QVERIFY(store.error().message.find("another program") != std::string::npos);
        QCOMPARE(contentOf(m_file), before);
    }

    void aNewerStoreIsRefused()
    {
        VERIFY_OK(RunStore::open(m_file));
        SQLite::Database(m_file.string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 4");
        const auto store = RunStore::open(m_file);
        QVERIFY(!store.ok() && store.error().code == ErrorCode::Unsupported);
        QVERIFY(store.error().message.find("newer Athanor (version 4") != std::string::npos);
        QCOMPARE(SQLite::Database(m_file.string()).execAndGet("PRAGMA user_version").getInt(), 4);
    }

    void aTruncatedStoreIsRefusedAndLeftAsItIs()
    {
        {
            RunStore store = openStore(m_file);
            const RunId run = valueOf(store.startRun(kRun));
            VERIFY_OK(store.flush(run, flushOf(kSeries, samplesOf(0, 1, std::vector<double>(20'000, 0.5)))));
        }
        const QByteArray whole = contentOf(m_file);
        QVERIFY(whole.size() > 100'000);
        for (const qsizetype size : {whole.size() / 2, qsizetype(5000), qsizetype(4096), qsizetype(2000)}) {
            write(m_file, whole.left(size));
            const auto store = RunStore::open(m_file);
            QVERIFY2(!store.ok(), QByteArray::number(size).constData());
            QVERIFY2(store.error().code == ErrorCode::Unreadable, store.error().text().c_str());
            QCOMPARE(contentOf(m_file), whole.left(size));
        }
        write(m_file, whole);
        QVERIFY(valueOf(openStore(m_file).verify()).clean);
    }

    void aPlaceThatCannotBeWrittenIsAClearError()
    {
        write(m_folder / "file", "x");
        for (const auto& file : {m_folder / "file" / "runs.sqlite", std::filesystem::path("/proc/athanor/runs.sqlite"),
                                 std::filesystem::path("/proc/runs.sqlite"), m_folder}) {
            const auto store = RunStore::open(file);
            QVERIFY2(!store.ok(), file.c_str());
            QVERIFY2(store.error().code == ErrorCode::Unsupported, store.error().text().c_str());
            QVERIFY(store.error().hint.find("--store") != std::string::npos);
        }
    }

    void aReadOnlyFileIsAClearError()
    {
        if (geteuid() == 0)
            QSKIP("The permissions of files do not bind the administrator.");
        VERIFY_OK(RunStore::open(m_file));
        QFile::setPermissions(QString::fromStdString(m_file.string()), QFile::ReadOwner);
        const auto store = RunStore::open(m_file);
        QVERIFY(!store.ok() && store.error().code == ErrorCode::Unsupported);
    }

    void readingMakesNothing()
    {
        const auto nowhere = m_folder / "a" / "runs.sqlite";
        QVERIFY(RunStore::openToRead(nowhere).error().code == ErrorCode::NotFound);
        QVERIFY(!std::filesystem::exists(nowhere.parent_path()));
        write(m_file, {});
        QVERIFY(RunStore::openToRead(m_file).error().code == ErrorCode::NotFound);
        QCOMPARE(contentOf(m_file), QByteArray());
        write(m_file, "hello");
        QVERIFY(RunStore::openToRead(m_file).error().code == ErrorCode::Unreadable);
    }

    void aStoreIsReadWhileItIsWritten()
    {
        RunStore store = openStore(m_file);
        const RunId run = valueOf(store.startRun(kRun));
        VERIFY_OK(store.flush(run, flushOf(kSeries, samplesOf(0, 1, {1, 2}))));
        const RunStore reader = valueOf(RunStore::openToRead(m_file));
        VERIFY_OK(store.flush(run, flushOf({}, samplesOf(0, 3, {3}))));
        QCOMPARE(valueOf(reader.points(run, "train/loss")).values, (std::vector<double>{1, 2, 3}));
    }

    void aWriteProtectedStoreIsRead()
    {
        const auto store = m_folder / "a 100%?#" / "runs.sqlite";
        {
            RunStore writer = openStore(store);
            const RunId run = valueOf(writer.startRun(kRun));
            VERIFY_OK(writer.flush(run, flushOf(kSeries, samplesOf(0, 1, {1, 2}))));
        }
        using std::filesystem::perms;
        const perms readAll = perms::owner_read | perms::group_read | perms::others_read;
        std::filesystem::permissions(store, readAll);
        std::filesystem::permissions(store.parent_path(),
                                     readAll | perms::owner_exec | perms::group_exec | perms::others_exec);
        std::filesystem::permissions(m_folder, perms::all);
        // The administrator may write everywhere, so he reads as somebody else.
        const bool isRoot = geteuid() == 0;
        if (isRoot && seteuid(65534) != 0)
            QSKIP("This process cannot become another user.");
        const auto reader = RunStore::openToRead(store);
        const auto values = reader.ok() ? reader.value().points(1, "train/loss") : Result<SeriesPoints>(reader.error());
        if (isRoot)
            QCOMPARE(seteuid(0), 0);
        std::filesystem::permissions(store.parent_path(), perms::owner_all);
        VERIFY_OK(values);
        QCOMPARE(values.value().values, (std::vector<double>{1, 2}));
    }

    void aDeletedStoreTakesNothingMore()
    {
        RunStore store = openStore(m_file);
        const RunId run = valueOf(store.startRun(kRun));
        std::filesystem::rename(m_file, m_folder / "away.sqlite");
        QVERIFY(store.flush(run, flushOf(kSeries, samplesOf(0, 1, {1}))).error().code == ErrorCode::NotFound);
        QVERIFY(store.finishRun(run, RunStatus::Finished).error().code == ErrorCode::NotFound);
        std::filesystem::rename(m_folder / "away.sqlite", m_file);
        VERIFY_OK(store.flush(run, flushOf(kSeries, samplesOf(0, 1, {1}))));
    }

    void aFullDiskLosesNothingThatIsTriedAgain()
    {
        RunStore store = openStore(m_file);
        const RunId run = valueOf(store.startRun(kRun));
        const auto first = samplesOf(0, 1, std::vector<double>(700, 1.0));
        VERIFY_OK(store.flush(run, flushOf(kSeries, first)));
        const auto second = samplesOf(0, 701, std::vector<double>(60'000, 2.0));
        const std::vector<SeriesInfo> news{{"lr", "", SeriesRole::Essential}};
        {
            const FileSizeLimit full(200'000);
            for (int attempt = 0; attempt < 3; ++attempt) {
                const auto flushed = store.flush(run, flushOf(news, second));
                QVERIFY(!flushed.ok());
                QVERIFY2(flushed.error().message.find("disk") != std::string::npos ||
                             flushed.error().hint.find("disk") != std::string::npos,
                         flushed.error().text().c_str());
                QCOMPARE(valueOf(store.points(run, "train/loss")).values.size(), std::size_t(700));
            }
        }
        VERIFY_OK(store.flush(run, flushOf(news, second)));
        const auto points = valueOf(store.points(run, "train/loss"));
        QCOMPARE(points.values.size(), std::size_t(60'700));
        QCOMPARE(points.steps.back(), std::int64_t(60'700));
        QVERIFY(valueOf(store.verify()).clean);
    }

    void aBusyStoreSaysSoAndCanBeTriedAgain()
    {
        RunStore store = openStore(m_file);
        store.setBusyTimeout(std::chrono::milliseconds(20));
        const RunId run = valueOf(store.startRun(kRun));
        const auto samples = samplesOf(0, 1, {1, 2, 3});
        {
            SQLite::Database other(m_file.string(), SQLite::OPEN_READWRITE);
            other.exec("BEGIN IMMEDIATE");
            const auto flushed = store.flush(run, flushOf(kSeries, samples));
            QVERIFY(!flushed.ok() && flushed.error().code == ErrorCode::Busy);
            QCOMPARE(valueOf(store.runs()).size(), std::size_t(1)); // reading goes on
            other.exec("ROLLBACK");
        }
        VERIFY_OK(store.flush(run, flushOf(kSeries, samples)));
        QCOMPARE(valueOf(store.points(run, "train/loss")).values, (std::vector<double>{1, 2, 3}));
    }

    void theDefaultFileFollowsTheEnvironment()
    {
        qputenv("ATHANOR_STORE", "/somewhere/my.sqlite");
        QCOMPARE(RunStore::defaultFile().string(), std::string("/somewhere/my.sqlite"));
        qunsetenv("ATHANOR_STORE");
        qputenv("XDG_DATA_HOME", "/data");
        QCOMPARE(RunStore::defaultFile().string(), std::string("/data/athanor/runs.sqlite"));
        qunsetenv("XDG_DATA_HOME");
        qputenv("HOME", "/home/me");
        QCOMPARE(RunStore::defaultFile().string(), std::string("/home/me/.local/share/athanor/runs.sqlite"));
    }

private:
    std::unique_ptr<QTemporaryDir> m_temporary;
    std::filesystem::path m_folder;
    std::filesystem::path m_file;
};

QTEST_APPLESS_MAIN(TestRunStoreFiles)
#include "tst_run_store_files.moc"
