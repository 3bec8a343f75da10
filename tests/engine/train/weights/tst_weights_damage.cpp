// Damaged and hostile files are refused or read; none crashes, hangs, fills the memory or has its code run.
#include "weights_corpus.h"

#include "engine/script/torch_errors.h"
#include "engine/train/weights/pickle.h"
#include "engine/train/weights/weights_source.h"

#include <caffe2/serialize/inline_container.h>
#include <torch/torch.h>

#include <QElapsedTimer>
#include <QtTest>

#include <map>
#include <memory>
#include <random>

using namespace athanor;
using namespace athanor::test;

namespace {

using Records = std::map<std::string, std::string>;

Records recordsOf(const std::filesystem::path& file)
{
    caffe2::serialize::PyTorchStreamReader archive(file.string());
    Records records;
    for (const auto& name : archive.getAllRecords()) {
        const auto [data, size] = archive.getRecord(name);
        records[name] = std::string(static_cast<const char*>(data.get()), size);
    }
    return records;
}

/// A sound archive of the records, so that what is wrong in them gets past the checksums.
std::string archiveOf(const Records& records)
{
    std::string bytes;
    caffe2::serialize::PyTorchStreamWriter archive([&bytes](const void* data, std::size_t size) {
        bytes.append(static_cast<const char*>(data), size);
        return size;
    });
    for (const auto& [name, content] : records)
        if (name != "version" && name.find("serialization_id") == std::string::npos)
            archive.writeRecord(name, content.data(), content.size());
    archive.writeEndOfFile();
    return bytes;
}

std::string mutated(std::string bytes, std::mt19937& random, int round)
{
    for (int i = 0; i < 1 + round % 4; ++i)
        bytes[random() % bytes.size()] ^= static_cast<char>(1U << random() % 8);
    if (round % 5 == 0)
        bytes.resize(random() % bytes.size());
    return bytes;
}

/// {"w": a tensor of the sizes, strides and offset over a storage of `elements` numbers}
std::string pickleOf(std::int64_t elements, const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& strides,
                     std::int64_t offset)
{
    const auto number = [](std::int64_t value) {
        return std::string("\x8a\x08") + std::string(reinterpret_cast<const char*>(&value), sizeof value);
    };
    const auto tuple = [&](const std::vector<std::int64_t>& values) {
        std::string text = "(";
        for (const auto value : values)
            text += number(value);
        return text + "t";
    };
    return "\x80\x02}\x8c\x01wctorch._utils\n_rebuild_tensor_v2\n((\x8c\x07storagectorch\nFloatStorage\n\x8c\x01"
           "0\x8c\x03" "cpu" +
           number(elements) + "tQ" + number(offset) + tuple(sizes) + tuple(strides) + "\x89)tRs.";
}

std::string repeated(const std::string& text, int times)
{
    std::string all;
    for (int i = 0; i < times; ++i)
        all += text;
    return all;
}

} // namespace

class TestWeightsDamage : public QObject {
    Q_OBJECT
    std::unique_ptr<WeightsCorpus> m_corpus;
    QTemporaryDir m_folder;

    [[nodiscard]] std::filesystem::path file() const { return m_folder.filePath("damaged").toStdString(); }

    /// The error's code; nullopt when the file is read.
    std::optional<ErrorCode> outcome(const std::string& bytes)
    {
        writeBytes(file(), bytes);
        const auto tensors = loadWeightsFile(file());
        if (tensors.ok())
            return std::nullopt;
        if (tensors.error().message.empty() || tensors.error().where != file().string())
            return ErrorCode::Internal;
        return tensors.error().code;
    }
    [[nodiscard]] static bool expected(const std::optional<ErrorCode>& code)
    {
        return !code || code == ErrorCode::Unreadable || code == ErrorCode::Unsupported;
    }

private Q_SLOTS:
    void initTestCase() { m_corpus = std::make_unique<WeightsCorpus>(); }
    void cleanup() { QVERIFY(!std::filesystem::exists("the-code-of-the-file-was-run")); }

    void mutatedFilesDoNoHarm_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name : {"under_model.pt", "views.pt", "protocol4.pt", "types.pt", "object.pt", "weights.safetensors",
                                 "types.safetensors", "legacy.pt"})
            QTest::newRow(name) << QString(name);
    }
    void mutatedFilesDoNoHarm()
    {
        QFETCH(QString, name);
        const std::string whole = m_corpus->bytes(name.toStdString());
        std::mt19937 random(1);
        int refused = 0;
        for (int round = 0; round < 200; ++round) {
            const auto code = outcome(mutated(whole, random, round));
            QVERIFY2(expected(code), qPrintable(QString("round %1").arg(round)));
            refused += code ? 1 : 0;
        }
        QVERIFY(refused > 100);
    }

    /// The checksums of the archive stop most damage; a hostile file has right ones.
    void mutatedPicklesDoNoHarm_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name : {"under_model.pt", "views.pt", "protocol4.pt", "types.pt", "object.pt", "parameters.pt"})
            QTest::newRow(name) << QString(name);
    }
    void mutatedPicklesDoNoHarm()
    {
        QFETCH(QString, name);
        const Records records = recordsOf(m_corpus->file(name.toStdString()));
        std::mt19937 random(2);
        int refused = 0;
        for (int round = 0; round < 400; ++round) {
            Records changed = records;
            changed["data.pkl"] = mutated(records.at("data.pkl"), random, round);
            if (changed["data.pkl"].empty())
                continue;
            const auto code = outcome(archiveOf(changed));
            QVERIFY2(expected(code), qPrintable(QString("round %1").arg(round)));
            refused += code ? 1 : 0;
        }
        QVERIFY(refused > 100);
    }

    void everyTruncationIsDamage_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("views.pt") << QString("views.pt");
        QTest::newRow("weights.safetensors") << QString("weights.safetensors");
    }
    void everyTruncationIsDamage()
    {
        QFETCH(QString, name);
        const std::string whole = m_corpus->bytes(name.toStdString());
        QVERIFY(!outcome(whole));
        for (std::size_t size = 0; size < whole.size(); ++size)
            QVERIFY2(outcome(whole.substr(0, size)) == ErrorCode::Unreadable, qPrintable(QString::number(size)));
    }

    void everyFlippedBitOfDataIsSeen()
    {
        const std::string whole = m_corpus->bytes("state_dict.pt");
        Records records = recordsOf(m_corpus->file("state_dict.pt"));
        const auto at = whole.find(records.at("data/0"));
        QVERIFY(at != std::string::npos && records.at("data/0").size() == 6 * 4);
        for (std::size_t bit = 0; bit < 6 * 4 * 8; ++bit) {
            std::string bytes = whole;
            bytes[at + bit / 8] ^= static_cast<char>(1U << bit % 8);
            QCOMPARE(outcome(bytes), std::optional(ErrorCode::Unreadable));
        }
    }

    void tensorsStayInTheirData_data()
    {
        using List = QList<qint64>;
        QTest::addColumn<qint64>("elements");
        QTest::addColumn<List>("sizes");
        QTest::addColumn<List>("strides");
        QTest::addColumn<qint64>("offset");
        QTest::addColumn<bool>("fits");
        const qint64 big = qint64{1} << 62;
        QTest::newRow("all") << qint64{4} << List{2, 2} << List{2, 1} << qint64{0} << true;
        QTest::newRow("the last") << qint64{4} << List{} << List{} << qint64{3} << true;
        QTest::newRow("stretched") << qint64{4} << List{qint64{1} << 40} << List{0} << qint64{0} << true;
        QTest::newRow("none beyond the end") << qint64{4} << List{0, 7} << List{7, 1} << qint64{4} << true;
        QTest::newRow("behind the last") << qint64{4} << List{} << List{} << qint64{4} << false;
        QTest::newRow("too many") << qint64{4} << List{5} << List{1} << qint64{0} << false;
        QTest::newRow("too far") << qint64{4} << List{2} << List{4} << qint64{0} << false;
        QTest::newRow("more elements than data") << qint64{400} << List{400} << List{1} << qint64{0} << false;
        QTest::newRow("as many as there are numbers") << big << List{big} << List{1} << qint64{0} << false;
        QTest::newRow("product of sizes") << qint64{4} << List{big, big} << List{0, 0} << qint64{0} << false;
        QTest::newRow("product with a stride") << qint64{4} << List{3} << List{big} << qint64{0} << false;
        QTest::newRow("negative size") << qint64{4} << List{-1} << List{1} << qint64{0} << false;
        QTest::newRow("negative stride") << qint64{4} << List{2} << List{-1} << qint64{3} << false;
        QTest::newRow("negative offset") << qint64{4} << List{1} << List{1} << qint64{-1} << false;
        QTest::newRow("negative elements") << qint64{-4} << List{1} << List{1} << qint64{0} << false;
        QTest::newRow("too many dimensions") << qint64{4} << List(65, 1) << List(65, 1) << qint64{0} << false;
        QTest::newRow("sizes and strides") << qint64{4} << List{2, 2} << List{1} << qint64{0} << false;
    }
    void tensorsStayInTheirData()
    {
        QFETCH(qint64, elements);
        QFETCH(QList<qint64>, sizes);
        QFETCH(QList<qint64>, strides);
        QFETCH(qint64, offset);
        QFETCH(bool, fits);
        const auto pickle = pickleOf(elements, {sizes.begin(), sizes.end()}, {strides.begin(), strides.end()}, offset);
        const auto code = outcome(archiveOf({{"data.pkl", pickle}, {"data/0", std::string(16, '\1')}}));
        QVERIFY(fits ? !code : code == ErrorCode::Unreadable);
    }

    void bombsAreRefused_data()
    {
        QTest::addColumn<QByteArray>("pickle");
        const auto row = [](const char* name, const std::string& pickle) { QTest::newRow(name) << QByteArray::fromStdString(pickle); };
        const std::string start("\x80\x02", 2);
        row("a million tuples in each other", start + ")" + repeated("\x85", 1'000'000) + ".");
        row("a million lists in each other", start + repeated("]", 1'000'000) + repeated("a", 999'999) + ".");
        row("a dictionary in itself", start + std::string("}q\0\x8c\x05modelh\0sh\0.", 16));
        // Each level holds the one below twelve times: 12^40 entries.
        std::string level = start + std::string("}q\0", 3);
        for (char i = 1; i < 40; ++i) {
            level += std::string("}q") + i + "(";
            for (char key = 'a'; key < 'm'; ++key)
                level += std::string("\x8c\x01") + key + "h" + static_cast<char>(i - 1);
            level += "u";
        }
        row("dictionaries that grow", level + ".");
        // An OrderedDict of a long list, again and again.
        row("copies of a list", start + "](" + repeated("\x8c\x01wN\x86", 20'000) + "e" + std::string("q\0", 2) +
                                    repeated(std::string("0ccollections\nOrderedDict\nh\0\x85R", 30), 20'000) + ".");
        row("a text longer than the file", start + "X\xff\xff\xff\x7f" "abc.");
        row("a number longer than the file", start + "\x8b\xff\xff\xff\x7f" "abc.");
        row("a memo that was never set", start + "j\xff\xff\xff\xff.");
        row("nothing on the stack", start + "0.");
        row("a mark too few", start + "t.");
        row("a call of a text", start + "\x8c\x01w)R.");
        row("a name that is no text", start + "}\x8c\x01\xff" "ctorch\nfloat32\ns.");
        row("another protocol", std::string("\x80\x07}.", 4));
        row("no end", start + "}");
        row("rebuild in rebuild", start + "ctorch._tensor\n_rebuild_from_type_v2\n(ctorch._tensor\n_rebuild_from_type_v2\nN)t\x81.");
    }
    void bombsAreRefused()
    {
        QFETCH(QByteArray, pickle);
        QElapsedTimer timer;
        timer.start();
        const auto code = outcome(archiveOf({{"data.pkl", pickle.toStdString()}}));
        QVERIFY(code == ErrorCode::Unreadable || code == ErrorCode::Unsupported);
        QVERIFY(timer.elapsed() < 60'000); // seconds at most, even on a busy machine
    }

    void onlyTheWhiteListIsRead_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name : {"os system", "builtins eval", "__builtin__ exec", "torch load", "torch.hub load", "subprocess Popen",
                                 "torch.FloatStorage x", "collections OrderedDict.fromkeys", "builtins getattr"})
            QTest::newRow(name) << QString(name);
    }
    void onlyTheWhiteListIsRead()
    {
        QFETCH(QString, name);
        const std::string global = QString("c" + name).replace(' ', '\n').toStdString() + "\n";
        QCOMPARE(outcome(archiveOf({{"data.pkl", "\x80\x02}\x8c\x01w" + global + "\x8c\x04true\x85Rs."}})), std::optional(ErrorCode::Unsupported));
        QVERIFY(QString::fromStdString(loadWeightsFile(file()).error().message).contains(QString(name).replace(' ', '.')));
    }

    void archivesWithLiesAreRefused()
    {
        const std::string whole = m_corpus->bytes("state_dict.pt");
        const auto end = whole.rfind("PK\x05\x06");
        const auto entry = whole.rfind("PK\x01\x02");
        const auto changed = [&](std::size_t at, const std::string& bytes) { return std::string(whole).replace(at, bytes.size(), bytes); };
        const std::string huge("\xfe\xff\xff\xff", 4);
        for (const std::size_t field : {20U, 24U, 42U}) // stored size, size, place
            QCOMPARE(outcome(changed(entry + field, huge)), std::optional(ErrorCode::Unreadable));
        for (const std::size_t field : {12U, 16U}) // of the directory: size, place
            QCOMPARE(outcome(changed(end + field, huge)), std::optional(ErrorCode::Unreadable));
        QCOMPARE(outcome(changed(end + 10, std::string("\xfe\xff", 2))), std::optional(ErrorCode::Unreadable)); // entries
        const auto end64 = whole.rfind("PK\x06\x06"); // PyTorch writes both ends
        QVERIFY(end64 != std::string::npos && end64 > entry);
        for (const std::size_t field : {32U, 40U, 48U}) { // of the large directory: entries, size, place
            QCOMPARE(outcome(changed(end64 + field, huge)), std::optional(ErrorCode::Unreadable));
            QCOMPARE(outcome(changed(end64 + field + 4, huge)), std::optional(ErrorCode::Unreadable));
        }
        for (const std::size_t byte : {8U, 12U, 15U}) // of the locator: where the large end is
            QCOMPARE(outcome(changed(end - 20 + byte, "\x7f")), std::optional(ErrorCode::Unreadable));
        Records twice{{"data.pkl", pickleOf(1, {1}, {1}, 0)}, {"data/0", std::string(4, 'a')}, {"data/1", std::string(4, 'b')}};
        std::string bytes = archiveOf(twice);
        for (auto at = bytes.find("data/1"); at != std::string::npos; at = bytes.find("data/1"))
            bytes[at + 5] = '0';
        QCOMPARE(outcome(bytes), std::optional(ErrorCode::Unreadable));
    }
};

QTEST_GUILESS_MAIN(TestWeightsDamage)
#include "tst_weights_damage.moc"
