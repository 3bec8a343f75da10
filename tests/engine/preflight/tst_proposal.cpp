#include "engine/preflight/proposal.h"
#include "preflight_test.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

using namespace athanor;
namespace fs = std::filesystem;

namespace {

/// What is wrong with a proposed project, as one text; empty when it could be trained at once.
QString wrongWith(const Project& project)
{
    QString text;
    const auto tell = [&](const std::vector<Problem>& problems) {
        for (const Problem& problem : problems)
            if (problem.severity != Severity::Info)
                text += QString::fromStdString(problem.where + ": " + problem.message + "\n");
    };
    tell(checkData(project.data).problems);
    tell(checkTraining(project));
    const Result<std::unique_ptr<DataPipeline>> data = openData(project, 0);
    if (!data)
        return text + QString::fromStdString(data.error().text());
    tell(checkNetwork(project.network, (*data)->description().fields).problems);
    return text;
}

class ProposalTest : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    fs::path m_path;

    Proposal propose(const fs::path& input)
    {
        Result<Proposal> proposal = proposeProject(input, m_path);
        if (!proposal)
            throw std::runtime_error(proposal.error().text());
        const QString wrong = wrongWith(proposal->project);
        if (!wrong.isEmpty())
            throw std::runtime_error(wrong.toStdString());
        // What was proposed can be saved and loaded.
        const fs::path file = m_path / "saved.athanor";
        if (!saveProject(proposal->project, file) || !loadProject(file))
            throw std::runtime_error("it cannot be saved and loaded");
        return std::move(*proposal);
    }

    const Node& node(const Proposal& proposal, const std::string& kind)
    {
        for (const Graph* graph : {&proposal.project.data, &proposal.project.network})
            for (const Node& one : graph->nodes())
                if (one.kind == kind)
                    return one;
        throw std::runtime_error("no node " + kind);
    }

    int count(const Proposal& proposal, const std::string& kind)
    {
        int found = 0;
        for (const Graph* graph : {&proposal.project.data, &proposal.project.network})
            for (const Node& one : graph->nodes())
                found += one.kind == kind ? 1 : 0;
        return found;
    }

private Q_SLOTS:
    void init()
    {
        m_path = fs::path(m_folder.path().toStdString()) / QTest::currentTestFunction();
        fs::create_directories(m_path);
    }

    void classFolders()
    {
        copyScenes(m_path / "scenes");
        const Proposal proposal = propose(m_path / "scenes" / "train");
        QCOMPARE(proposal.kind, InputKind::ImageFolder);
        QCOMPARE(node(proposal, "ImageFolder").params["path"].get<std::string>(), std::string("scenes/train"));
        QCOMPARE(count(proposal, "Split"), 1);
        QCOMPARE(count(proposal, "RandomHorizontalFlip"), 1);
        QVERIFY(count(proposal, "BatchNorm2d") >= 4);
        QCOMPARE(node(proposal, "Linear").params["out_features"].get<int>(), 2);
        QVERIFY(proposal.recognized.find("2 folders of pictures") != std::string::npos);
        for (const ProposalChoice& choice : proposal.choices)
            QVERIFY2(!choice.what.empty() && !choice.chosen.empty() && !choice.why.empty(), choice.what.c_str());
        const PreflightResult result = preflight(proposal.project);
        QVERIFY2(alarms(result).isEmpty(), qPrintable(alarms(result)));
    }

    void splitFolders()
    {
        copyScenes(m_path / "scenes");
        const Proposal proposal = propose(m_path / "scenes");
        QCOMPARE(count(proposal, "ImageFolder"), 2);
        QCOMPARE(count(proposal, "Split"), 0);
        QCOMPARE(count(proposal, "Parts"), 1);
        const auto data = openData(proposal.project, 0);
        QCOMPARE((*data)->description().samples[0], std::int64_t{40});
        QCOMPARE((*data)->description().samples[1], std::int64_t{16});
    }

    void folderInAFolder()
    {
        copyScenes(m_path / "download" / "data" / "scenes");
        QCOMPARE(count(propose(m_path / "download"), "Parts"), 1);
    }

    void idxFiles()
    {
        const Proposal proposal = propose(fs::path(ATHANOR_SOURCE_DIR) / "resources/samples/data/t10k-images-idx3-ubyte.gz");
        QCOMPARE(proposal.kind, InputKind::Idx);
        QCOMPARE(count(proposal, "RandomHorizontalFlip"), 0); // digits must not be mirrored
        QCOMPARE(node(proposal, "Linear").params["out_features"].get<int>(), 10);
    }

    void tableWithoutHeader()
    {
        const Proposal proposal = propose(fs::path(ATHANOR_SOURCE_DIR) / "resources/samples/data/iris.csv");
        QCOMPARE(proposal.kind, InputKind::Table);
        const Json& params = node(proposal, "CsvTable").params;
        QVERIFY(params["header"] == false);
        QVERIFY(params["target"] == 4);
        QVERIFY(params["task"] == "classification");
        QCOMPARE(count(proposal, "Standardize"), 1);
        QCOMPARE(count(proposal, "CrossEntropyLoss"), 1);
        const PreflightResult result = preflight(proposal.project);
        QVERIFY2(alarms(result).isEmpty(), qPrintable(alarms(result)));
    }

    void tableOfGradesIsARegression()
    {
        const Proposal proposal = propose(fs::path(ATHANOR_SOURCE_DIR) / "resources/samples/data/winequality-red.csv");
        QVERIFY(node(proposal, "CsvTable").params["task"] == "regression");
        QCOMPARE(count(proposal, "MSELoss"), 1);
        QCOMPARE(proposal.project.training.init.size(), std::size_t{1}); // starts at the mean grade
    }

    void namedTargetAndRowNumbers()
    {
        std::string csv = "id,class,width,height\n";
        for (int i = 0; i < 60; ++i)
            csv += QString("%1,%2,%3,%4\n").arg(i).arg(i % 2 ? "round" : "flat").arg(0.1 * i + i % 3).arg(i % 7 + 0.5).toStdString();
        writeFile(m_path / "shapes.csv", csv);
        const Proposal proposal = propose(m_path / "shapes.csv");
        const Json& params = node(proposal, "CsvTable").params;
        QVERIFY(params["target"] == "class");
        QVERIFY(params["ignore"] == Json::array({"id"}));
        QVERIFY(!proposal.notes.empty());
        QCOMPARE(proposal.project.name, std::string("shapes"));
    }

    void numpyPair()
    {
        std::vector<float> x(400);
        std::vector<std::int64_t> y(100);
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = static_cast<float>((i * 37) % 11);
        for (std::size_t i = 0; i < y.size(); ++i)
            y[i] = static_cast<std::int64_t>(i % 3);
        writeNpy(m_path / "x_train.npy", x, "(100, 4)");
        writeNpy(m_path / "y_train.npy", y, "(100,)");
        const Proposal proposal = propose(m_path / "x_train.npy");
        QCOMPARE(proposal.kind, InputKind::Numpy);
        QCOMPARE(count(proposal, "CrossEntropyLoss"), 1);
    }

    void categoriesAndMissingCells()
    {
        std::string csv = "sex,size,weight,price\n";
        for (int i = 0; i < 80; ++i)
            csv += QString("%1,%2,%3,%4\n").arg(i % 3 == 0 ? "M" : i % 3 == 1 ? "F" : "I")
                       .arg(i % 9 == 4 ? QString() : QString::number(0.3 * (i % 11))).arg(i % 7).arg(10 + 0.37 * i).toStdString();
        writeFile(m_path / "shells.csv", csv);
        const Proposal proposal = propose(m_path / "shells.csv");
        const Json& params = node(proposal, "CsvTable").params;
        QVERIFY(params["target"] == "price");
        QVERIFY(params["types"]["sex"] == "category");
        QVERIFY(params["missing"] == "mean");
        QCOMPARE(count(proposal, "MSELoss"), 1);
    }

    void timeSeries()
    {
        std::string csv = "Month,Passengers\n";
        for (int i = 0; i < 96; ++i)
            csv += QString("%1-%2,%3\n").arg(1950 + i / 12).arg(i % 12 + 1, 2, 10, QChar('0'))
                       .arg(100 + i + 10 * std::sin(i * 0.5236)).toStdString();
        writeFile(m_path / "air.csv", csv);
        const Proposal proposal = propose(m_path / "air.csv");
        QCOMPARE(proposal.kind, InputKind::TimeSeries);
        QVERIFY(node(proposal, "SequenceWindows").params["window"] == 12);
    }

    void textFolders()
    {
        for (int i = 0; i < 20; ++i) {
            writeFile(m_path / "reviews/pos" / (std::to_string(i) + ".txt"), "a fine film number " + std::to_string(i));
            writeFile(m_path / "reviews/neg" / (std::to_string(i) + ".txt"), "a dull and bad film number " + std::to_string(i));
        }
        const Proposal proposal = propose(m_path / "reviews");
        QCOMPARE(proposal.kind, InputKind::TextFolder);
        QCOMPARE(count(proposal, "Tokenize"), 1);
        QCOMPARE(count(proposal, "Embedding"), 1);
    }

    void archiveIsUnpackedBesideTheProject()
    {
        copyScenes(m_path / "source" / "scenes");
        const QString archive = QString::fromStdString((m_path / "scenes.tar.gz").string());
        QCOMPARE(QProcess::execute("tar", {"czf", archive, "-C", QString::fromStdString((m_path / "source").string()), "scenes"}), 0);
        const Proposal proposal = propose(archive.toStdString());
        QCOMPARE(proposal.kind, InputKind::ImageFolder);
        QCOMPARE(proposal.project.name, std::string("scenes"));
        QCOMPARE(node(proposal, "ImageFolder").params["path"].get<std::string>(), std::string("scenes/scenes/train"));
        QCOMPARE(node(propose(archive.toStdString()), "ImageFolder").params["path"].get<std::string>(),
                 std::string("scenes-2/scenes/train"));
        QFile::resize(archive, 2000);
        QVERIFY(!proposeProject(archive.toStdString(), m_path).ok());
        QVERIFY(!fs::exists(m_path / "scenes-3")); // nothing half unpacked is left
    }

    void errorsSayWhatWasLookedFor()
    {
        const Result<Proposal> nothing = proposeProject(m_path / "missing", m_path);
        QCOMPARE(nothing.error().code, ErrorCode::NotFound);
        writeFile(m_path / "mixed/readme.md", "hello");
        const Result<Proposal> unknown = proposeProject(m_path / "mixed", m_path);
        QVERIFY(!unknown.ok());
        QVERIFY(unknown.error().message.find("readme.md") != std::string::npos);
        writeFile(m_path / "empty.csv", "");
        QVERIFY(!proposeProject(m_path / "empty.csv", m_path).ok());
        writeFile(m_path / "one.csv", "a\n1\n2\n");
        QVERIFY(!proposeProject(m_path / "one.csv", m_path).ok());
        std::stop_source source;
        source.request_stop();
        copyScenes(m_path / "scenes");
        QCOMPARE(proposeProject(m_path / "scenes", m_path, {}, source.get_token()).error().code, ErrorCode::Cancelled);
    }
};

} // namespace

QTEST_GUILESS_MAIN(ProposalTest)
#include "tst_proposal.moc"
