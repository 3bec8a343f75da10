#include "engine/exchange/crc32c.h"
#include "engine/exchange/event_file.h"
#include "tests/engine/exchange/event_bytes.h"
#include "tests/engine/store/store_testing.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <limits>

using namespace athanor;
using namespace athanor::testing;

class TestEventFile : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path write(const QByteArray& bytes) const
    {
        QFile file(m_folder.filePath("events.out.tfevents.1"));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            throw std::runtime_error("the test cannot write");
        file.close();
        return file.fileName().toStdString();
    }
    static EventLog readAll(const std::filesystem::path& file)
    {
        EventLog log;
        valueOf(readEventFile(file, log));
        return log;
    }

private Q_SLOTS:
    // RFC 3720, B.4, and the check value of the polynomial's catalogue entry.
    void checksumsOfTheStandard()
    {
        QCOMPARE(crc32c("123456789"), 0xE3069283U);
        QCOMPARE(crc32c(std::string(32, '\0')), 0x8A9136AAU);
        QCOMPARE(crc32c(std::string(32, '\xFF')), 0x62A8AB43U);
        std::string rising;
        for (int i = 0; i < 32; ++i)
            rising += static_cast<char>(i);
        QCOMPARE(crc32c(rising), 0x46DD794EU);
    }

    void simpleValuesOfPyTorch()
    {
        const EventLog log = readAll(write(
            versionRecord() + scalarRecord("loss", 1, 1001.5, 0.5F) + scalarRecord("acc", 1, 1001.5, 0.25F) +
            scalarRecord("loss", 2, 1002.5, std::numeric_limits<float>::quiet_NaN()) +
            scalarRecord("loss", 5'000'000'000, 1003, -std::numeric_limits<float>::infinity())));
        QCOMPARE(log.tags, (std::vector<std::string>{"loss", "acc"}));
        QCOMPARE(log.scalars.at("loss").steps, (std::vector<std::int64_t>{1, 2, 5'000'000'000}));
        QCOMPARE(log.scalars.at("loss").values[0], 0.5);
        QVERIFY(std::isnan(log.scalars.at("loss").values[1]));
        QVERIFY(std::isinf(log.scalars.at("loss").values[2]));
        QCOMPARE(log.records, 5);
        QCOMPARE(log.firstWall, 1000.0);
        QCOMPARE(log.lastWall, 1003.0);
        QVERIFY(log.problems.empty() && log.leftOut.empty());
    }

    void tensorsOfTensorFlow()
    {
        const QByteArray content =
            varintField(1, 1) + bytesField(2, {}) + bytesField(4, raw(0.75F)); // DT_FLOAT
        const QByteArray packed = varintField(1, 1) + bytesField(2, {}) + bytesField(5, raw(0.125F));
        const QByteArray twice =
            varintField(1, 2) + bytesField(2, {}) + doubleField(6, 0.1); // DT_DOUBLE, not packed
        const EventLog log =
            readAll(write(versionRecord() + tensorRecord("a", 1, 1, content, "scalars") +
                          tensorRecord("a", 2, 1, packed, {}) + tensorRecord("a", 3, 1, twice, {})));
        QCOMPARE(log.scalars.at("a").values, (std::vector<double>{0.75, 0.125, 0.1}));
    }

    void textsAreNotesAndTheRestIsCounted()
    {
        const QByteArray text = varintField(1, 7) + bytesField(8, "hello **there**");
        const EventLog log = readAll(write(
            versionRecord() + tensorRecord("why", 3, 1234, text, "text") +
            valueRecord(1, 1, bytesField(1, "pic") + bytesField(4, "image")) +
            valueRecord(1, 1, bytesField(1, "h") + bytesField(5, "histo")) +
            tensorRecord("h2", 1, 1, varintField(1, 2) + bytesField(4, QByteArray(72, 'x')), "histograms")));
        QCOMPARE(log.notes.size(), 1U);
        QCOMPARE(log.notes[0].text, std::string("hello **there**"));
        QCOMPARE(log.notes[0].step, 3);
        QCOMPARE(log.leftOut.at("image"), 1);
        QCOMPARE(log.leftOut.at("histogram"), 2);
    }

    // Wherever the writer was killed, what is whole is there.
    void aCutFileGivesWhatIsWhole()
    {
        const QByteArray first = versionRecord() + scalarRecord("loss", 1, 1, 1);
        const QByteArray second = scalarRecord("loss", 2, 2, 2);
        for (qsizetype cut = 1; cut < second.size(); ++cut) {
            const EventLog log = readAll(write(first + second.left(cut)));
            QCOMPARE(log.scalars.at("loss").values, std::vector<double>{1});
            QCOMPARE(log.problems.size(), 1U);
        }
    }

    // Each bit of a record is covered by a checksum: no flipped one goes unseen, and none makes up a value.
    void noFlippedBitGoesUnseen()
    {
        const QByteArray good =
            versionRecord() + scalarRecord("loss", 1, 1, 1) + scalarRecord("loss", 2, 2, 2);
        const qsizetype start = (versionRecord() + scalarRecord("loss", 1, 1, 1)).size();
        for (qsizetype at = start; at < good.size(); ++at) {
            for (int bit = 0; bit < 8; ++bit) {
                QByteArray bad = good;
                bad[at] = static_cast<char>(bad[at] ^ (1 << bit));
                const EventLog log = readAll(write(bad));
                QCOMPARE(log.scalars.at("loss").values, std::vector<double>{1});
                QCOMPARE(log.problems.size(), 1U);
            }
        }
    }

    void whatIsNoEventFileIsRefused()
    {
        EventLog log;
        QCOMPARE(readEventFile(write("step,loss\n1,2\n"), log).error().code, ErrorCode::Unreadable);
        QVERIFY(!readEventFile(m_folder.filePath("missing").toStdString(), log).ok());
        valueOf(readEventFile(write(""), log)); // made, and nothing written yet
    }

    void aSoundRecordThatIsNoEventIsToldAndSkipped()
    {
        const EventLog log =
            readAll(write(versionRecord() + record("\xFF\xFF") + scalarRecord("loss", 2, 2, 2)));
        QCOMPARE(log.problems.size(), 1U);
        QCOMPARE(log.scalars.at("loss").values, std::vector<double>{2});
    }
};

QTEST_APPLESS_MAIN(TestEventFile)
#include "tst_event_file.moc"
