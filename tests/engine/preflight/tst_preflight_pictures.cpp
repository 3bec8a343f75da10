#include "preflight_test.h"

#include "engine/data/image_io.h"
#include "engine/preflight/jpeg_lattice.h"
#include "engine/preflight/picture_marks.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace athanor;
namespace fs = std::filesystem;

namespace {

/// Decodes a picture, lets `change` work on it and writes it as a .ppm file, which loses nothing.
template <typename Change>
void rewrite(const fs::path& from, const fs::path& to, const Change& change)
{
    Value image;
    if (!readImage(from, ImageChannels::Rgb, image))
        throw std::runtime_error("unreadable " + from.string());
    std::string pixels(reinterpret_cast<const char*>(image.bytes()), image.byteCount());
    change(pixels);
    writeFile(to, "P6\n" + std::to_string(image.shape()[1]) + " " + std::to_string(image.shape()[0]) + "\n255\n" + pixels);
}

void exchangeRedAndBlue(std::string& pixels)
{
    for (std::size_t i = 0; i + 2 < pixels.size(); i += 3)
        std::swap(pixels[i], pixels[i + 2]);
}

class PreflightPictures : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    fs::path m_path;

private Q_SLOTS:
    void init()
    {
        m_path = fs::path(m_folder.path().toStdString()) / QTest::currentTestFunction();
        copyScenes(m_path);
    }

    void healthyPicturesAreSilent()
    {
        const PreflightResult result = preflight(pictureProject(m_path, scaledPictures()));
        QVERIFY2(alarms(result).isEmpty(), qPrintable(alarms(result)));
        QCOMPARE(result.samples[0], std::int64_t{40});
        QCOMPARE(result.classes.at(0).counts[1].at(1), std::int64_t{8});
    }

    void exchangedColours()
    {
        for (const char* file : {"train/sun/03.jpg", "train/tree/11.jpg"}) {
            rewrite(m_path / file, (m_path / file).replace_extension(".ppm"), exchangeRedAndBlue);
            fs::remove(m_path / file);
        }
        const PreflightResult result = preflight(pictureProject(m_path, scaledPictures()));
        const DataFinding* found = findingOf(result, "data/layout-scrambled");
        QVERIFY2(found != nullptr, qPrintable(alarms(result)));
        QCOMPARE(found->sampleCount, std::int64_t{2});
        std::set<std::string> names;
        for (const SampleRef& sample : found->samples)
            names.insert(sample.name);
        QVERIFY((names == std::set<std::string>{"sun/03.ppm", "tree/11.ppm"}));
    }

    void losslessCopiesAreNotTakenForExchanged()
    {
        for (int i = 0; i < 10; ++i) {
            const fs::path file = m_path / QString("train/sun/%1.jpg").arg(i, 2, 10, QChar('0')).toStdString();
            rewrite(file, fs::path(file).replace_extension(".ppm"), [](std::string&) {});
            fs::remove(file);
        }
        const PreflightResult result = preflight(pictureProject(m_path, scaledPictures()));
        QVERIFY2(findingOf(result, "data/layout-scrambled") == nullptr, qPrintable(alarms(result)));
    }

    void picturesInTwoParts()
    {
        for (int i = 0; i < 5; ++i)
            fs::copy_file(m_path / "train/tree" / QString("0%1.jpg").arg(i).toStdString(),
                          m_path / "val/tree" / QString("copy%1.jpg").arg(i).toStdString());
        const PreflightResult result = preflight(pictureProject(m_path, scaledPictures()));
        const DataFinding* found = findingOf(result, "data/split-leak");
        QVERIFY2(found != nullptr, qPrintable(alarms(result)));
        QCOMPARE(found->finding.severity, Severity::Warning);
        QCOMPARE(found->sampleCount, std::int64_t{5});
        QCOMPARE(found->samples.size(), std::size_t{5});
        QCOMPARE(found->samples[0].name, std::string("tree/copy0.jpg"));
        QVERIFY(found->samples[0].note.find("tree/00.jpg") != std::string::npos);
        QCOMPARE(found->samples[0].part, std::size_t{1});
    }

    void nearlyThePictureOfTraining()
    {
        rewrite(m_path / "train/tree/05.jpg", m_path / "val/tree/alike.ppm", [](std::string& pixels) {
            for (char& level : pixels)
                level = static_cast<char>(level & ~1);
        });
        const PreflightResult result = preflight(pictureProject(m_path, scaledPictures()));
        const DataFinding* found = findingOf(result, "data/split-leak");
        QVERIFY2(found != nullptr, qPrintable(alarms(result)));
        QCOMPARE(found->samples.at(0).name, std::string("tree/alike.ppm"));
        QVERIFY(found->samples.at(0).note.find("tree/05.jpg") != std::string::npos);
    }

    void onePictureWithTwoLabels()
    {
        fs::copy_file(m_path / "train/tree/04.jpg", m_path / "train/sun/again.jpg");
        const PreflightResult result = preflight(pictureProject(m_path, scaledPictures()));
        const DataFinding* found = findingOf(result, "data/label-noise");
        QVERIFY2(found != nullptr, qPrintable(alarms(result)));
        QCOMPARE(found->finding.severity, Severity::Warning);
    }

    void cutOffFile()
    {
        fs::resize_file(m_path / "train/tree/09.jpg", 400);
        const PreflightResult result = preflight(pictureProject(m_path, scaledPictures()));
        const DataFinding* found = findingOf(result, "data/unreadable-sample");
        QVERIFY2(found != nullptr, qPrintable(alarms(result)));
        QCOMPARE(found->finding.severity, Severity::Error);
        QCOMPARE(found->samples.at(0).name, std::string("tree/09.jpg"));
        QCOMPARE(result.problems.size(), std::size_t{1});
        QVERIFY(result.hasErrors());
    }

    void cutOffFileBehindStandardize()
    {
        fs::resize_file(m_path / "train/tree/09.jpg", 400);
        const PreflightResult result = preflight(pictureProject(m_path, {node("tensor", "ToTensor"), node("norm", "Standardize")}));
        QVERIFY2(findingOf(result, "data/unreadable-sample") != nullptr, qPrintable(alarms(result)));
    }

    void anotherSize()
    {
        writeFile(m_path / "train/sun/big.ppm", "P6\n50 50\n255\n" + std::string(7500, 'x'));
        const PreflightResult result = preflight(pictureProject(m_path, scaledPictures()));
        const DataFinding* found = findingOf(result, "data/shape-differs");
        QVERIFY2(found != nullptr, qPrintable(alarms(result)));
        QVERIFY(found->finding.message.find("48×48 to 50×50") != std::string::npos);
        QCOMPARE(found->samples.at(0).name, std::string("sun/big.ppm"));
        QVERIFY(found->finding.fixes.at(0).graph.has_value());
    }

    void blackPicture()
    {
        rewrite(m_path / "train/sun/05.jpg", m_path / "train/sun/black.ppm", [](std::string& pixels) { pixels.assign(pixels.size(), '\0'); });
        const PreflightResult result = preflight(pictureProject(m_path, scaledPictures()));
        const DataFinding* found = findingOf(result, "data/constant-input");
        QVERIFY2(found != nullptr, qPrintable(alarms(result)));
        QCOMPARE(found->samples.at(0).name, std::string("sun/black.ppm"));
    }

    void pixelsNotScaled()
    {
        Project project = pictureProject(m_path, {});
        const PreflightResult result = preflight(project);
        const DataFinding* found = findingOf(result, "data/badly-scaled-input");
        QVERIFY2(found != nullptr, qPrintable(alarms(result)));
        QVERIFY(apply(project.data, found->finding.fixes.at(0).graph->edit).ok());
        QVERIFY2(alarms(preflight(project)).isEmpty(), qPrintable(alarms(preflight(project))));
    }

    void wrongStatistics()
    {
        const PreflightResult result = preflight(
            pictureProject(m_path, {node("tensor", "ToTensor"), node("norm", "Normalize", {{"mean", {125.0}}, {"std", {62.0}}})}));
        QVERIFY2(findingOf(result, "data/badly-scaled-input") != nullptr, qPrintable(alarms(result)));
        QCOMPARE(findingOf(result, "data/badly-scaled-input")->finding.node, std::string("norm"));
    }

    void sortedPictures()
    {
        Project project = pictureProject(m_path, scaledPictures());
        QVERIFY(setProjectValue(project, "data.loader.shuffle", "false").ok());
        const PreflightResult result = preflight(project);
        QVERIFY2(findingOf(result, "data/sorted-unshuffled") != nullptr, qPrintable(alarms(result)));
        QCOMPARE(findingOf(result, "data/sorted-unshuffled")->finding.fixes.at(0).edit.at(0), std::string("data.loader.shuffle=true"));
    }

    void marksOfAPicture()
    {
        // Left half black, right half white: each row of the hash rises once, at the border.
        std::vector<std::uint8_t> pixels;
        for (int i = 0; i < 36 * 36; ++i)
            pixels.push_back(i % 36 < 18 ? 0 : 255);
        const PictureMarks marks = pictureMarks(pixels.data(), 36, 36, 1);
        QVERIFY(!marks.blank);
        QCOMPARE(int{marks.small[0]}, 0);
        QCOMPARE(int{marks.small[7]}, 255);
        QCOMPARE(std::popcount(marks.look), 16); // 9 cells of 4 columns: the middle one is grey, so it rises twice
        QCOMPARE(smallContrast(marks.small), 127.5);
        QCOMPARE(lookDistance(marks.look, ~marks.look), 64);
    }

    void memoryIsQuickAndNeverStale()
    {
        PreflightOptions options;
        options.memory = m_path / "memory";
        const Project project = pictureProject(m_path, scaledPictures());
        QTest::qWait(100); // files that changed in this moment are not trusted
        const Result<PreflightResult> first = runPreflight(project, options);
        QVERIFY(first.ok());
        QVERIFY(!first->remembered);
        const Result<PreflightResult> second = runPreflight(project, options);
        QVERIFY(second->remembered);
        QVERIFY(preflightJson(*first) == preflightJson(*second));
        fs::copy_file(m_path / "train/tree/00.jpg", m_path / "val/tree/new.jpg");
        QTest::qWait(100);
        const Result<PreflightResult> third = runPreflight(project, options);
        QVERIFY(!third->remembered);
        QVERIFY(findingOf(*third, "data/split-leak") != nullptr);
        // The findings come back whole, with samples and fixes.
        const Result<PreflightResult> fourth = runPreflight(project, options);
        QVERIFY(fourth->remembered);
        QVERIFY(preflightJson(*third) == preflightJson(*fourth));
        // A file written over with as many bytes and its old time is a new file all the same.
        const auto time = fs::last_write_time(m_path / "val/tree/new.jpg");
        std::string bytes = readFile(m_path / "val/tree/new.jpg");
        bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
        writeFile(m_path / "val/tree/new.jpg", bytes);
        fs::last_write_time(m_path / "val/tree/new.jpg", time);
        QTest::qWait(100);
        QVERIFY(!runPreflight(project, options)->remembered);
        Project other = project;
        QVERIFY(setProjectValue(other, "data.loader.shuffle", "false").ok());
        QVERIFY(!runPreflight(other, options)->remembered);
    }

    void stopsWhenAsked()
    {
        std::stop_source source;
        source.request_stop();
        PreflightOptions options;
        options.useMemory = false;
        const Result<PreflightResult> result = runPreflight(pictureProject(m_path, scaledPictures()), options, source.get_token());
        QVERIFY(!result.ok());
        QCOMPARE(result.error().code, ErrorCode::Cancelled);
    }

    void sameWithAnyNumberOfThreads()
    {
        const Project project = pictureProject(m_path, scaledPictures());
        PreflightOptions options;
        options.useMemory = false;
        options.threads = 1;
        const Result<PreflightResult> one = runPreflight(project, options);
        options.threads = 5;
        const Result<PreflightResult> five = runPreflight(project, options);
        QVERIFY(preflightJson(*one)["classes"] == preflightJson(*five)["classes"]);
        QCOMPARE(one->findings.size(), five->findings.size());
    }
};

} // namespace

QTEST_GUILESS_MAIN(PreflightPictures)
#include "tst_preflight_pictures.moc"
