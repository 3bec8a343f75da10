// Sources beyond the first five: what they yield, by hand or by pandas where that is said.
#include "data_test.h"

#include "engine/data/archive.h"
#include "engine/data/transforms/tokenizer.h"

#include <QTemporaryDir>
#include <QtTest>

#include <archive.h>
#include <archive_entry.h>
#include <opencv2/imgcodecs.hpp>

#include <cmath>

using namespace athanor;

namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;
using Row = std::vector<float>;
using Labels = std::vector<std::int64_t>;

const std::string kPeople = "age,sex,city,when,y\n20,m,Rome,2024-01-31,a\n,f,Oslo,2024-02-01,b\n"
                            "40,f,Rome,1969-12-31,a\n70,x,Oslo,2024-02-01 12:00,b\n";

Labels indices(std::int64_t count)
{
    Labels all;
    for (std::int64_t i = 0; i < count; ++i)
        all.push_back(i);
    return all;
}

std::string textOf(const Dataset& data, std::int64_t index)
{
    const auto bytes = numbersOf<std::uint8_t>(data, "text", index);
    return {bytes.begin(), bytes.end()};
}

void writeImage(const fs::path& file, int height, int width, int value)
{
    fs::create_directories(file.parent_path());
    cv::imwrite(file.string(), cv::Mat(height, width, CV_8UC3, cv::Scalar::all(value)));
}

} // namespace

class TestSources : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }
    void learnsMeansAndCategoriesFromTraining();
    void takesTheMedian();
    void givesIndicesForEmbeddings();
    void tellsKeysAndLines();
    void readsManyBlocks();
    void fillsInByImpute();
    void readsCifar();
    void transposesEmnist();
    void findsPartFolders();
    void lettingSizesVary();
    void readsImageLists();
    void windowsASeries();
    void zipsAndJoins();
    void readsTexts();
    void cutsWordsAsPythonDoes();
    void makesAVocabularyOfTraining();
    void trainsPieces();
    void makesCheckerboardAndPlane();
    void unpacksArchives();

private:
    [[nodiscard]] fs::path folder() const { return m_folder->path().toStdString(); }
    [[nodiscard]] OpenedDataset open(const std::string& kind, const Json& params) const
    {
        return openSource(sourceNode(folder(), kind, params));
    }
    [[nodiscard]] OpenedDataset people(Json params) const
    {
        writeFile(folder() / "t.csv", kPeople);
        params["path"] = "t.csv";
        params["target"] = "y";
        params["types"] = {{"sex", "category"}, {"when", "date"}, {"city", "category"}};
        return open("CsvTable", params);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestSources::learnsMeansAndCategoriesFromTraining()
{
    const OpenedDataset data = people({{"missing", "mean"}});
    VERIFY_OK(data);
    VERIFY_OK((*data)->learnFrom(**data, {0, 1, 2})); // the last row, with sex x, is not in training
    QCOMPARE((*data)->fields()[0].columnNames, (Names{"age", "sex=f", "sex=m", "city=Oslo", "city=Rome", "when"}));
    // pandas: age[:3].mean() = 30; days since 1970 of Timestamps.
    QCOMPARE(numbersOf<float>(**data, "features", 1), (Row{30, 1, 0, 1, 0, 19754}));
    QCOMPARE(numbersOf<float>(**data, "features", 2), (Row{40, 1, 0, 0, 1, -1}));
    QCOMPARE(numbersOf<float>(**data, "features", 3), (Row{70, 0, 0, 1, 0, 19754.5F}));
    QCOMPARE(labelsOf(**data), (Labels{0, 1, 0, 1}));
}

void TestSources::takesTheMedian()
{
    const OpenedDataset data = people({{"missing", "median"}});
    VERIFY_OK(data);
    VERIFY_OK((*data)->learnFrom(**data, indices(4)));
    QCOMPARE(numbersOf<float>(**data, "features", 1)[0], 40.0F); // pandas: age.median()
}

void TestSources::givesIndicesForEmbeddings()
{
    const OpenedDataset data = people({{"missing", "nan"}, {"categories", "index"}});
    VERIFY_OK(data);
    VERIFY_OK((*data)->learnFrom(**data, {0, 1, 2}));
    QCOMPARE((*data)->fields()[0].columnNames, (Names{"age", "when"}));
    const std::size_t sex = fieldIndex(**data, "sex");
    QCOMPARE((*data)->fields()[sex].classNames, (Names{"(unknown)", "f", "m"}));
    QCOMPARE(numbersOf<std::int64_t>(**data, "sex", 0), Labels{2});
    QCOMPARE(numbersOf<std::int64_t>(**data, "sex", 3), Labels{0});
    QCOMPARE((*data)->indexValue(sex, 1), 1);
    QCOMPARE((*data)->indexValue(fieldIndex(**data, "city"), 0), 2);
    QVERIFY(std::isnan(numbersOf<float>(**data, "features", 1)[0]));
}

void TestSources::tellsKeysAndLines()
{
    writeFile(folder() / "k.csv", "id,x\n\n\"a, b\",1\n\"c\nd\",2\ne,3\n");
    const OpenedDataset data = open("CsvTable", {{"path", "k.csv"}, {"ignore", {"id"}}});
    VERIFY_OK(data);
    QCOMPARE((*data)->keyColumns(), (Names{"id", "x"}));
    QCOMPARE((*data)->keyText(0, 0), std::string("a, b"));
    QCOMPARE((*data)->keyText(0, 1), std::string("c\nd"));
    QCOMPARE((*data)->keyText(1, 2), std::string("3"));
    QCOMPARE((*data)->sampleName(2), std::string("k.csv, line 6"));
}

/// More than one block of text, so more than one thread: rows stay in their order, faults name their line.
void TestSources::readsManyBlocks()
{
    constexpr int kRows = 700000;
    std::string text = "i,half,name\n";
    for (int i = 0; i < kRows; ++i)
        text += std::to_string(i) + "," + std::to_string(i) + ".5,c" + std::to_string(i % 7) + "\n";
    writeFile(folder() / "big.csv", text);
    const OpenedDataset data = open("CsvTable", {{"path", "big.csv"}, {"target", "name"}});
    VERIFY_OK(data);
    QCOMPARE((*data)->size(), kRows);
    for (const int i : {0, 1, 299999, 350000, kRows - 1}) {
        QCOMPARE(numbersOf<float>(**data, "features", i),
                 (Row{static_cast<float>(i), static_cast<float>(i + 0.5)}));
        QCOMPARE((*data)->indexValue(1, i), i % 7);
        QCOMPARE((*data)->sampleName(i), "big.csv, line " + std::to_string(i + 2));
    }
    writeFile(folder() / "bad.csv", text + "1,2\n" + text.substr(12));
    const OpenedDataset bad = open("CsvTable", {{"path", "bad.csv"}, {"target", "name"}});
    COMPARE_ERROR(bad, "data/src/path", "line 700002: 2 cells");
    writeFile(folder() / "quoted.csv", text + "7,\"8\",\"c\n1\"\n");
    const OpenedDataset quoted = open("CsvTable", {{"path", "quoted.csv"}, {"target", "name"}});
    VERIFY_OK(quoted);
    QCOMPARE((*quoted)->size(), kRows + 1);
    QCOMPARE((*quoted)->fields()[1].classes, 8);
    QCOMPARE((*quoted)->sampleName(kRows), std::string("quoted.csv, line 700002"));
}

void TestSources::fillsInByImpute()
{
    writeFile(folder() / "t.csv", "a,b,y\n1,nan,0\n3,5,1\nnan,7,0\n2,9,1\n");
    const Project project =
        dataProject(folder(), {node("src", "CsvTable", {{"path", "t.csv"}, {"target", "y"}}),
                               node("split", "Split", {{"train", 1.0}, {"val", 0.0}}),
                               node("fill", "Impute", {{"strategy", "median"}}), node("loader", "Loader")});
    const auto data = openData(project, 0);
    VERIFY_OK(data);
    QCOMPARE((*data)->checkSamples(10, [](std::int64_t, std::int64_t) { return true; }).size(), std::size_t{0});
}

void TestSources::readsCifar()
{
    std::string record(3074, '\0');
    record[0] = 3;  // coarse
    record[1] = 42; // fine
    record[2] = 10;           // red of the first pixel
    record[2 + 1024] = 20;    // green
    record[2 + 2048] = 30;    // blue
    record[2 + 2048 + 1] = 5; // blue of the second
    writeFile(folder() / "train.bin", record + record);
    const OpenedDataset data = open("Cifar100Binary", {{"path", "."}, {"labels", "both"}});
    VERIFY_OK(data);
    QCOMPARE((*data)->size(), 2);
    const auto pixels = numbersOf<std::uint8_t>(**data, "image", 1);
    QCOMPARE((std::vector<std::uint8_t>(pixels.begin(), pixels.begin() + 6)),
             (std::vector<std::uint8_t>{10, 20, 30, 0, 0, 5}));
    QCOMPARE(labelsOf(**data), (Labels{42, 42}));
    QCOMPARE(numbersOf<std::int64_t>(**data, "coarse_label", 0), Labels{3});
    const OpenedDataset test = open("Cifar100Binary", {{"path", "."}, {"part", "test"}});
    COMPARE_ERROR(test, "data/src/path", "test.bin");
}

void TestSources::transposesEmnist()
{
    writeFile(folder() / "x", std::string("\0\0\x08\3\0\0\0\1\0\0\0\2\0\0\0\3", 16) + "\1\2\3\4\5\6");
    writeFile(folder() / "y", std::string("\0\0\x08\1\0\0\0\1\7", 9));
    const OpenedDataset data = open("MnistIdx", {{"images", "x"}, {"labels", "y"}, {"transposed", true}});
    VERIFY_OK(data);
    QCOMPARE((*data)->fields()[0].shape, (Labels{3, 2, 1}));
    QCOMPARE(numbersOf<std::uint8_t>(**data, "image", 0), (std::vector<std::uint8_t>{1, 4, 2, 5, 3, 6}));
}

void TestSources::findsPartFolders()
{
    for (const char* file : {"set/train/cat/1.png", "set/train/dog/2.png", "set/Val/cat/3.png", "set/test/dog/4.png"})
        writeImage(folder() / file, 2, 2, 9);
    const OpenedDataset all = open("ImageFolder", {{"path", "."}});
    VERIFY_OK(all);
    QCOMPARE((*all)->fields()[1].classNames, (Names{"cat", "dog"}));
    QCOMPARE((*all)->size(), 4);
    QCOMPARE((*all)->keyText(2, 0), std::string("Val"));
    const OpenedDataset train = open("ImageFolder", {{"path", "set"}, {"part", "train"}});
    VERIFY_OK(train);
    QCOMPARE(labelsOf(**train), (Labels{0, 1}));
    const OpenedDataset none = open("ImageFolder", {{"path", "."}, {"part", "dev"}});
    COMPARE_ERROR(none, "data/src/part", "It has Val, test, train");
}

void TestSources::lettingSizesVary()
{
    writeImage(folder() / "a/1.png", 2, 3, 9);
    writeImage(folder() / "a/2.png", 2, 5, 9);
    const OpenedDataset data = open("ImageFolder", {{"path", "."}});
    VERIFY_OK(data);
    QCOMPARE((*data)->fields()[0].shape, (Labels{2, kVaries, 3}));
}

void TestSources::readsImageLists()
{
    writeImage(folder() / "p/1.png", 2, 2, 10);
    writeImage(folder() / "p/2.png", 2, 2, 20);
    writeFile(folder() / "list.csv", "p/1.png,wet|cold\np/2.png,cold\n");
    const OpenedDataset classes = open("ImageList", {{"path", "list.csv"}});
    VERIFY_OK(classes); // no header: the first line names a file that is there
    QCOMPARE((*classes)->size(), 2);
    const OpenedDataset tags = open("ImageList", {{"path", "list.csv"}, {"task", "multi_label"}});
    VERIFY_OK(tags);
    QCOMPARE((*tags)->fields()[1].columnNames, (Names{"cold", "wet"}));
    QCOMPARE(numbersOf<float>(**tags, "target", 0), (Row{1, 1}));
    QCOMPARE(numbersOf<float>(**tags, "target", 1), (Row{1, 0}));
    QCOMPARE(numbersOf<std::uint8_t>(**tags, "image", 1)[0], std::uint8_t{20});
    writeFile(folder() / "n.csv", "file,x,y\n1.png,1.5,2\n2.png,3,4\n");
    const OpenedDataset values = open(
        "ImageList", {{"path", "n.csv"}, {"root", "p"}, {"image", "file"}, {"task", "regression"}, {"labels", {"y", "x"}}});
    VERIFY_OK(values);
    QCOMPARE(numbersOf<float>(**values, "target", 0), (Row{2, 1.5F}));
}

void TestSources::windowsASeries()
{
    writeFile(folder() / "s.csv", "t,v\n0,10\n1,11\n2,12\n3,13\n4,14\n5,15\n");
    const OpenedDataset data =
        open("SequenceWindows", {{"path", "s.csv"}, {"window", 2}, {"horizon", 2}, {"stride", 2}, {"target", "v"}});
    VERIFY_OK(data);
    QCOMPARE((*data)->size(), 2); // rows 0–3, 2–5
    QCOMPARE((*data)->fields()[0].shape, (Labels{2, 2}));
    QCOMPARE(numbersOf<float>(**data, "features", 1), (Row{2, 12, 3, 13}));
    QCOMPARE(numbersOf<float>(**data, "target", 1), (Row{14, 15}));
    QCOMPARE((*data)->rows(1).first, 2);
    QCOMPARE((*data)->rows(1).last, 6);
}

void TestSources::zipsAndJoins()
{
    writeImage(folder() / "p/a/7.png", 2, 2, 10);
    writeImage(folder() / "p/b/8.png", 2, 2, 20);
    writeFile(folder() / "t.csv", "id,x\n8,80\n9,90\n7,70\n");
    const auto project = [&](const char* kind, const Json& params, const Json& table) {
        Json other = {{"path", "t.csv"}, {"ignore", {"id"}}};
        other.update(table);
        return dataProject(folder(),
                           {node("pictures", "ImageFolder", {{"path", "p"}}), node("table", "CsvTable", other),
                            node("both", kind, params), node("split", "Split", {{"train", 0.5}, {"val", 0.5}}),
                            node("loader", "Loader")},
                           {"pictures -> both", "table -> both", "both -> split", "split -> loader"});
    };
    const auto joined = openData(project("Join", {{"on", {"stem", "id"}}}, Json::object()), 0);
    VERIFY_OK(joined);
    QVERIFY((*joined)->description().fields.fields.contains("features"));
    QVERIFY((*joined)->description().fields.fields.contains("image"));
    QCOMPARE((*joined)->description().samples[0] + (*joined)->description().samples[1], 2);
    const auto zipped = openData(project("Zip", Json::object(), Json::object()), 0);
    COMPARE_ERROR(zipped, "data/both", "'table' has 3 samples, but 'pictures' has 2");
    const auto keyless = openData(project("Join", {{"on", {"stem", "key"}}}, Json::object()), 0);
    COMPARE_ERROR(keyless, "data/both/on", "no key column 'key'");
    writeFile(folder() / "t.csv", "id,x\n8,80\n8,90\n");
    const auto twice = openData(project("Join", {{"on", {"stem", "id"}}}, Json::object()), 0);
    COMPARE_ERROR(twice, "data/both/on", "twice");
    writeFile(folder() / "t.csv", "id,x\n8,80\n5,90\n");
    const auto lacking = openData(project("Join", {{"on", {"stem", "id"}}}, Json::object()), 0);
    COMPARE_ERROR(lacking, "data/both/on", "its key '7' is not in 'table'");
}

void TestSources::readsTexts()
{
    writeFile(folder() / "x/neg/1.txt", "bad");
    writeFile(folder() / "x/pos/2.txt", "na\xEFve");
    const OpenedDataset files = open("TextFolder", {{"path", "x"}});
    VERIFY_OK(files);
    QCOMPARE(textOf(**files, 1), std::string("naïve"));
    QCOMPARE((*files)->fields()[1].classNames, (Names{"neg", "pos"}));
    writeFile(folder() / "t.csv", "text,stars\n\"so, so\",3\nfine,5\n");
    const OpenedDataset rows =
        open("TextCsv", {{"path", "t.csv"}, {"text", "text"}, {"target", "stars"}, {"task", "regression"}});
    VERIFY_OK(rows);
    QCOMPARE(textOf(**rows, 0), std::string("so, so"));
    QCOMPARE(numbersOf<float>(**rows, "target", 1), Row{5});
}

void TestSources::cutsWordsAsPythonDoes()
{
    // re.findall(r"\w+|[^\w\s]", text.lower())
    QCOMPARE(wordsOf(lowerText("Don't stop — naïve Ünïcode, 3.5€!")),
             (Names{"don", "'", "t", "stop", "—", "naïve", "ünïcode", ",", "3", ".", "5", "€", "!"}));
}

void TestSources::makesAVocabularyOfTraining()
{
    const auto tokenizer = trainTokenizer({"word", 4, 1, true}, {"b a b", "c a b"});
    VERIFY_OK(tokenizer);
    QCOMPARE((*tokenizer)->vocabulary(), (Names{"<pad>", "<unk>", "b", "a"}));
    Labels tokens;
    (*tokenizer)->encode("A c B", 10, tokens);
    QCOMPARE(tokens, (Labels{3, 1, 2}));
    (*tokenizer)->encode("A c B", 2, tokens);
    QCOMPARE(tokens, (Labels{3, 1}));
    const auto rare = trainTokenizer({"character", 100, 2, false}, {"aAb", "ab"});
    VERIFY_OK(rare);
    QCOMPARE((*rare)->vocabulary(), (Names{"<pad>", "<unk>", "a", "b"}));
}

void TestSources::trainsPieces()
{
    std::vector<std::string> texts;
    for (int i = 0; i < 200; ++i)
        texts.push_back("the cat sat on the mat and the dog lay on the log number " + std::to_string(i));
    const auto tokenizer = trainTokenizer({"sentencepiece", 60, 1, true}, texts);
    VERIFY_OK(tokenizer);
    QCOMPARE((*tokenizer)->vocabulary()[0], std::string("<pad>"));
    QCOMPARE((*tokenizer)->vocabulary()[1], std::string("<unk>"));
    Labels tokens;
    (*tokenizer)->encode("the cat", 100, tokens);
    std::string text;
    for (const std::int64_t token : tokens)
        text += (*tokenizer)->vocabulary()[static_cast<std::size_t>(token)];
    QCOMPARE(text, std::string("▁the▁cat")); // pieces joined are the text, blanks as ▁
    const auto nothing = trainTokenizer({"sentencepiece", 60, 1, true}, {});
    QVERIFY(!nothing.ok());
}

void TestSources::makesCheckerboardAndPlane()
{
    const OpenedDataset board = open("Synthetic", {{"kind", "checkerboard"}, {"noise", 0.0}, {"samples", 200}});
    VERIFY_OK(board);
    for (std::int64_t i = 0; i < 200; ++i) {
        const Row point = numbersOf<float>(**board, "features", i);
        const auto square = [](float x) { return static_cast<int>(std::floor((x + 1) / 0.5F)); };
        QCOMPARE((*board)->indexValue(1, i), (square(point[0]) + square(point[1])) % 2);
    }
    const OpenedDataset plane =
        open("Synthetic", {{"kind", "linear"}, {"noise", 0.0}, {"samples", 3}, {"n_features", 1}});
    VERIFY_OK(plane);
    const auto slope = [&](int i) {
        return numbersOf<float>(**plane, "target", i)[0] / numbersOf<float>(**plane, "features", i)[0];
    };
    QVERIFY(slope(0) >= 0 && slope(0) < 100);
    QVERIFY(std::abs(slope(1) / slope(0) - 1) < 1e-4 && std::abs(slope(2) / slope(0) - 1) < 1e-4);
}

void TestSources::unpacksArchives()
{
    const fs::path file = folder() / "set.tar.gz";
    const auto pack = [&](const std::vector<std::pair<std::string, std::string>>& entries) {
        archive* writer = archive_write_new();
        archive_write_add_filter_gzip(writer);
        archive_write_set_format_pax_restricted(writer);
        archive_write_open_filename(writer, file.c_str());
        for (const auto& [name, content] : entries) {
            archive_entry* entry = archive_entry_new();
            archive_entry_set_pathname(entry, name.c_str());
            archive_entry_set_size(entry, static_cast<std::int64_t>(content.size()));
            archive_entry_set_filetype(entry, AE_IFREG);
            archive_entry_set_perm(entry, 0644);
            archive_write_header(writer, entry);
            archive_write_data(writer, content.data(), content.size());
            archive_entry_free(entry);
        }
        archive_write_free(writer);
    };
    pack({{"a/x.txt", "hello"}, {"b.txt", ""}});
    QVERIFY(isArchive(file));
    std::int64_t told = 0;
    const auto files = unpackArchive(file, folder() / "out", {}, [&](const UnpackProgress& at) { told = at.size; });
    VERIFY_OK(files);
    QCOMPARE(*files, 2);
    QCOMPARE(told, static_cast<std::int64_t>(fs::file_size(file)));
    QCOMPARE(readFile(folder() / "out/a/x.txt"), std::string("hello"));
    std::stop_source stop;
    stop.request_stop();
    QCOMPARE(unpackArchive(file, folder() / "never", stop.get_token()).error().code, ErrorCode::Cancelled);
    for (const char* evil : {"../evil.txt", "a/../../evil.txt", "/tmp/athanor-evil.txt"}) {
        pack({{evil, "x"}});
        const auto refused = unpackArchive(file, folder() / "out");
        QVERIFY(!refused.ok());
        QVERIFY(QString::fromStdString(refused.error().message).contains("outside"));
        QVERIFY(!fs::exists(folder() / "evil.txt"));
    }
    fs::create_directory_symlink(folder(), folder() / "out/link");
    pack({{"link/evil.txt", "x"}});
    QVERIFY(!unpackArchive(file, folder() / "out").ok());
    QVERIFY(!fs::exists(folder() / "evil.txt"));
    const std::string whole = readFile(file);
    writeFile(file, whole.substr(0, whole.size() / 2));
    QVERIFY(!unpackArchive(file, folder() / "out").ok());
}

QTEST_APPLESS_MAIN(TestSources)
#include "tst_sources.moc"
