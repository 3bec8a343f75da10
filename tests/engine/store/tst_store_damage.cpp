// Copies of a store, each damaged in another way: nothing crashes, nothing wrong is given out as right, what is healthy stays.
#include "tests/engine/store/store_testing.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <random>

using namespace athanor;
using namespace athanor::testing;

namespace {

constexpr int kRuns = 4;
using Bytes = std::string;

struct Damage {
    std::string name;
    std::function<void(Bytes&)> bytes = {};
    std::string sql = {};
};

double valueAt(int run, int series, int step)
{
    if (step % 97 == 0)
        return std::numeric_limits<double>::quiet_NaN();
    return run + series * 0.1 + 1.0 / (step + 1) + std::sin(step);
}

/// The pages of a store are 4,096 bytes.
constexpr std::size_t kPage = 4096;

std::vector<Damage> damages()
{
    std::vector<Damage> out;
    const auto bytes = [&out](const char* name, std::function<void(Bytes&)> change) {
        out.push_back({name, std::move(change), {}});
    };
    const auto sql = [&out](const char* name, const char* statement) {
        out.push_back({name, {}, statement});
    };
    // the file's head
    bytes("magic", [](Bytes& b) { b[3] ^= 0x20; });
    bytes("page size", [](Bytes& b) { b[16] = 0x20; });
    bytes("page size 0", [](Bytes& b) { b[16] = b[17] = 0; });
    bytes("write version", [](Bytes& b) { b[18] = 9; });
    bytes("read version", [](Bytes& b) { b[19] = 9; });
    bytes("reserved space", [](Bytes& b) { b[20] = 100; });
    bytes("payload fraction", [](Bytes& b) { b[21] = 1; });
    bytes("page count", [](Bytes& b) { b[31] = static_cast<char>(b[31] + 9); });
    bytes("freelist", [](Bytes& b) {
        b[35] = 3;
        b[39] = 7;
    });
    bytes("schema format", [](Bytes& b) { b[47] = 99; });
    bytes("text encoding", [](Bytes& b) { b[59] = 2; });
    bytes("user version", [](Bytes& b) { b[63] = 77; });
    bytes("application id", [](Bytes& b) { b[70] ^= 1; });
    bytes("schema tree", [](Bytes& b) { b[100] = 77; });
    bytes("schema cells", [](Bytes& b) { b[103] = static_cast<char>(0xEE); });
    // cut and glued
    bytes("empty", [](Bytes& b) { b.clear(); });
    bytes("head only", [](Bytes& b) { b.resize(100); });
    bytes("one page", [](Bytes& b) { b.resize(kPage); });
    bytes("half", [](Bytes& b) { b.resize(b.size() / 2); });
    bytes("half a page less", [](Bytes& b) { b.resize(b.size() - kPage / 2); });
    bytes("a byte less", [](Bytes& b) { b.resize(b.size() - 1); });
    bytes("rubbish at the end", [](Bytes& b) { b += Bytes(3 * kPage, 'x'); });
    // pages
    for (const int percent : {10, 30, 50, 70, 90}) {
        const auto page = [percent](const Bytes& b) {
            return (b.size() / kPage * static_cast<std::size_t>(percent) / 100) * kPage;
        };
        out.push_back({"zeros at " + std::to_string(percent) + " %",
                       [page](Bytes& b) { b.replace(page(b), kPage, kPage, '\0'); },
                       {}});
        out.push_back({"ones at " + std::to_string(percent) + " %",
                       [page](Bytes& b) { b.replace(page(b), kPage, kPage, '\xFF'); },
                       {}});
        out.push_back({"a page twice at " + std::to_string(percent) + " %",
                       [page](Bytes& b) { b.replace(page(b), kPage, b.substr(page(b) - kPage, kPage)); },
                       {}});
    }
    bytes("last page of rubbish", [](Bytes& b) { b.replace(b.size() - kPage, kPage, kPage, '\x5A'); });
    // rows
    sql("checksum", "UPDATE block SET crc32 = crc32 + 1 WHERE rowid IN (SELECT rowid FROM block LIMIT 1)");
    sql("count", "UPDATE block SET count = count - 1 WHERE number = 0");
    sql("first step", "UPDATE block SET first_step = first_step + 1 WHERE number = 1");
    sql("last step", "UPDATE block SET last_step = last_step - 1 WHERE number = 1");
    sql("stride", "UPDATE block SET stride = 2 WHERE stride = 1 AND number = 0");
    sql("stride 0", "UPDATE block SET stride = 0 WHERE stride = 1 AND number = 0");
    sql("values cut", "UPDATE block SET \"values\" = substr(\"values\", 1, 100) WHERE number = 0");
    sql("no values", "UPDATE block SET \"values\" = x'' WHERE number = 1");
    sql("values as text", "UPDATE block SET \"values\" = 'text' WHERE number = 1");
    sql("steps where none belong",
        "UPDATE block SET steps = x'0101' WHERE stride IS NOT NULL AND number = 0");
    sql("negative count", "UPDATE block SET count = -5 WHERE number = 0");
    sql("huge count", "UPDATE block SET count = 4611686018427387904 WHERE number = 0");
    sql("a block gone", "DELETE FROM block WHERE number = 1");
    sql("the last block gone", "DELETE FROM block WHERE number = (SELECT max(number) FROM block)");
    sql("all blocks of a series", "DELETE FROM block WHERE series_id = 2");
    sql("a block of another series",
        "UPDATE block SET series_id = 1, number = 99 WHERE series_id = 3 AND number = 0");
    sql("summary count", "UPDATE series SET count = count + 1 WHERE id = 1");
    sql("summary min", "UPDATE series SET min = -1e9 WHERE id = 2");
    sql("summary max as text", "UPDATE series SET max = 'much' WHERE id = 2");
    sql("summary last", "UPDATE series SET last = 0 WHERE id = 3");
    sql("summary steps", "UPDATE series SET last_step = 3, min_step = 3, max_step = 3 WHERE id = 3");
    sql("role", "UPDATE series SET role = 'important' WHERE id = 1");
    sql("status", "UPDATE run SET status = 'happy' WHERE id = 1");
    sql("environment", "UPDATE run SET environment = '{' WHERE id = 1");
    sql("name is no UTF-8", "UPDATE run SET name = CAST(x'FFFE80' AS TEXT) WHERE id = 1");
    sql("seconds are text", "UPDATE run SET seconds = 'long' WHERE id = 1");
    sql("series of no run", "UPDATE series SET run_id = 999 WHERE id = 1");
    sql("blocks of no series", "UPDATE block SET series_id = 999 WHERE series_id = 1");
    sql("tag of no run", "INSERT INTO tag VALUES (999, 0, 'lost')");
    sql("trash of no run", "INSERT INTO trash VALUES (999, 5)");
    sql("a run gone, its series not", "DELETE FROM run WHERE id = 2");
    sql("a table gone", "DROP TABLE event");
    sql("marks gone", "DROP TABLE mark");
    return out;
}

Bytes readBytes(const std::filesystem::path& file)
{
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

class TestStoreDamage : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    Bytes m_good;
    std::map<std::pair<RunId, std::string>, SeriesPoints> m_points;

    /// Points that are given out without any error, but are not those that were stored.
    int wrongPoints(const RunStore& store, int& whole) const
    {
        int wrong = 0;
        whole = 0;
        for (const auto& [key, points] : m_points) {
            const auto read = store.points(key.first, key.second);
            if (!read)
                continue;
            const bool isSame = read->steps == points.steps && sameBits(read->values, points.values);
            wrong += isSame ? 0 : 1;
            whole += isSame ? 1 : 0;
        }
        return wrong;
    }

private Q_SLOTS:
    void initTestCase()
    {
        const std::filesystem::path file = m_folder.filePath("good.sqlite").toStdString();
        {
            RunStore store = openStore(file);
            for (int run = 0; run < kRuns; ++run) {
                NewRun fresh;
                fresh.projectText = std::string(2000, 'p');
                const RunId id = valueOf(store.startRun(fresh));
                std::vector<Sample> samples;
                std::vector<Event> events;
                for (int step = 1; step <= 1500; ++step) {
                    samples.push_back({0, step, valueAt(run, 0, step)});
                    samples.push_back({1, step * 3 + step % 2, valueAt(run, 1, step)}); // no stride
                    if (step % 50 == 0)
                        events.push_back({step, step, EventKind::EpochEnded, "Epoch ended", {}});
                }
                valueOf(store.flush(
                    id, flushOf({{"train/loss", "", SeriesRole::Essential}, {"odd", "", SeriesRole::Probe}},
                                samples, events)));
                valueOf(store.finishRun(id, RunStatus::Finished));
                for (const char* name : {"train/loss", "odd"})
                    m_points[{id, name}] = valueOf(store.points(id, name));
            }
            QVERIFY(valueOf(store.verify()).clean);
        }
        SQLite::Database(file.string(), SQLite::OPEN_READWRITE).execAndGet("PRAGMA journal_mode = DELETE");
        m_good = readBytes(file);
        QVERIFY(m_good.size() > 30 * kPage && m_good.size() % kPage == 0);
    }

    void atLeastFiftyKinds() { QVERIFY(damages().size() >= 50); }

    void isFoundOrHarmless_data()
    {
        QTest::addColumn<int>("index");
        const auto all = damages();
        for (std::size_t i = 0; i < all.size(); ++i)
            QTest::newRow(all[i].name.c_str()) << static_cast<int>(i);
    }

    void isFoundOrHarmless()
    {
        QFETCH(int, index);
        const Damage damage = damages()[static_cast<std::size_t>(index)];
        const std::filesystem::path file =
            m_folder.filePath(QStringLiteral("bad-%1.sqlite").arg(index)).toStdString();
        Bytes bytes = m_good;
        if (damage.bytes)
            damage.bytes(bytes);
        std::ofstream(file, std::ios::binary) << bytes;
        if (!damage.sql.empty())
            SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec(damage.sql);
        auto store = RunStore::open(file);
        if (!store) { // told at once; the file is as it was
            QVERIFY(!store.error().message.empty());
            if (damage.sql.empty())
                QCOMPARE(readBytes(file), bytes);
            return;
        }
        const auto report = store->verify();
        if (!report) {
            QVERIFY(!report.error().message.empty());
            return;
        }
        int whole = 0;
        const int wrong = wrongPoints(*store, whole);
        if (report->clean)
            QVERIFY2(wrong == 0 && (whole == 2 * kRuns || damage.name == "empty"),
                     "the store is called clean, but is not what it was");
        else
            QVERIFY(!report->problems.empty() || !report->repairs.empty());
        // What was repaired is sound now; what was lost is told again.
        const auto again = store->verify();
        QVERIFY(again.ok());
        QVERIFY2(again->repairs.empty(), again->repairs.empty() ? "" : again->repairs.front().c_str());
        int wholeAgain = 0;
        QCOMPARE(wrongPoints(*store, wholeAgain), wrong);
        QCOMPARE(wholeAgain, whole); // looking through harms nothing
    }

    // Three hundred single bits anywhere in the file: never a wrong point, unless it is told.
    void singleBits()
    {
        std::mt19937 random(20);
        int told = 0;
        for (int i = 0; i < 300; ++i) {
            Bytes bytes = m_good;
            const std::size_t at = random() % bytes.size();
            bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
            const std::filesystem::path file = m_folder.filePath("bit.sqlite").toStdString();
            for (const char* suffix : {"", "-wal", "-shm"})
                std::filesystem::remove(file.string() + suffix);
            std::ofstream(file, std::ios::binary) << bytes;
            auto store = RunStore::open(file);
            if (!store) {
                ++told;
                continue;
            }
            const auto report = store->verify();
            int whole = 0;
            const int wrong = wrongPoints(*store, whole);
            const bool isTold = !report || !report->clean;
            told += isTold ? 1 : 0;
            QVERIFY2(isTold || (wrong == 0 && whole == 2 * kRuns),
                     qPrintable(QStringLiteral("bit of byte %1").arg(at)));
        }
        QVERIFY(told > 100);
    }
};

QTEST_APPLESS_MAIN(TestStoreDamage)
#include "tst_store_damage.moc"
