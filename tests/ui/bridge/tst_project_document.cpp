// The open project: undo, merging, load and save, the check on its worker thread.
#include "ui/bridge/graph_placement.h"
#include "ui/bridge/project_document.h"

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <condition_variable>
#include <mutex>

using namespace athanor;

namespace {

const char* const kTable = R"({
  "athanor": 1, "name": "Table", "surprise": 7,
  "data": {
    "nodes": [{"id": "table", "kind": "CsvTable", "params": {"path": "t.csv", "target": "y", "task": "regression"}},
              {"id": "split", "kind": "Split", "params": {"train": 0.5, "val": 0.5}},
              {"id": "loader", "kind": "Loader", "params": {"batch_size": 2}}],
    "edges": [["table", "split"], ["split", "loader"]]
  },
  "network": {
    "nodes": [{"id": "x", "kind": "Input", "params": {"field": "features"}},
              {"id": "fc", "kind": "Linear", "params": {"out_features": 1}},
              {"id": "y", "kind": "Input", "params": {"field": "target"}},
              {"id": "loss", "kind": "MSELoss"}],
    "edges": [["x", "fc"], ["fc", "loss:input"], ["y", "loss:target"]]
  },
  "training": {"epochs": 2, "optimizer": {"kind": "SGD", "lr": 0.1}}
})";

GraphEdit setOut(int value)
{
    return GraphEdit{edit::SetParameter{"fc", "out_features", value}};
}

} // namespace

class ProjectDocumentTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void loadLaysOutWithoutModifying();
    void failedLoadChangesNothing();
    void saveMakesClean();
    void savingElsewhereKeepsThePaths();
    void failedSaveElsewhereChangesNothing();
    void editsUndoToTheByte();
    void mergingEndsWithTheSession();
    void undoEndsMerging();
    void mergedBackToTheStartIsNoStep();
    void editThatChangesNothingIsNoStep();
    void refusedEditIsNoStep();
    void valuesUndo();
    void graphPathsAreRefused();
    void tellsWhatWasTouched();
    void checkIsDebouncedAndNewestWins();
    void movingChecksNothing();
    void throwingCheckIsAProblem();
    void destroyedWhileChecking();
    void realCheckOpensTheData();
    void partlyPlacedGraphsKeepTheirPlaces();
    void bigGraphsAreLaidOutAtOnce();

private:
    QString write(const char* name, const QByteArray& text) const
    {
        const QString path = m_folder->filePath(QString::fromLatin1(name));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) {
            qFatal("cannot write %s", qPrintable(path));
        }
        return path;
    }
    static int out(const ProjectDocument& document)
    {
        return document.project().network.find("fc")->params.at("out_features").get<int>();
    }
    static ProjectCheck noCheck(const Project&, const std::function<bool()>&) { return {}; }
    std::unique_ptr<ProjectDocument> opened()
    {
        auto document = std::make_unique<ProjectDocument>();
        document->setCheckFunction(&noCheck);
        if (const Status loaded = document->load(write("table.athanor", kTable)); !loaded) {
            qFatal("%s", loaded.error().text().c_str());
        }
        return document;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void ProjectDocumentTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
}

void ProjectDocumentTest::loadLaysOutWithoutModifying()
{
    ProjectDocument document;
    document.setCheckFunction(&noCheck);
    QVERIFY(!document.isOpen());
    QSignalSpy loaded(&document, &ProjectDocument::loaded);
    const QString file = write("table.athanor", kTable);
    QVERIFY(document.load(file).ok());
    QCOMPARE(loaded.count(), 1);
    QVERIFY(document.isOpen() && !document.isModified());
    QCOMPARE(document.filePath(), file);
    QCOMPARE(document.displayName(), QStringLiteral("Table"));
    for (const GraphPart part : {GraphPart::Data, GraphPart::Network}) {
        for (const Node& node : document.graph(part).nodes()) {
            QVERIFY2(document.graph(part).positions().contains(node.id), node.id.c_str());
        }
    }
    QCOMPARE(document.notes().size(), std::size_t(1));
    QVERIFY(document.notes()[0].message.find("surprise") != std::string::npos || document.notes()[0].where.find("surprise") != std::string::npos);
}

void ProjectDocumentTest::failedLoadChangesNothing()
{
    auto document = opened();
    const std::string before = projectText(document->project());
    QSignalSpy loaded(document.get(), &ProjectDocument::loaded);
    for (const QString& bad : {write("broken.athanor", "{"), m_folder->filePath(QStringLiteral("missing.athanor")),
                               write("newer.athanor", R"({"athanor": 999})")}) {
        const Status status = document->load(bad);
        QVERIFY(!status.ok() && !status.error().message.empty());
    }
    QCOMPARE(loaded.count(), 0);
    QCOMPARE(projectText(document->project()), before);
}

void ProjectDocumentTest::saveMakesClean()
{
    auto document = opened();
    QSignalSpy modified(document.get(), &ProjectDocument::modifiedChanged);
    QVERIFY(document->push(GraphPart::Network, setOut(3), QStringLiteral("three")).ok());
    QVERIFY(document->isModified());
    const QString file = m_folder->filePath(QStringLiteral("copy.athanor"));
    QVERIFY(document->save(file).ok());
    QVERIFY(!document->isModified());
    QCOMPARE(document->filePath(), file);
    document->undoStack()->undo();
    QVERIFY(document->isModified());
    document->undoStack()->redo();
    QVERIFY(!document->isModified());
    QCOMPARE(modified.count(), 4);
    QVERIFY(modified[0][0].toBool() && !modified[1][0].toBool() && modified[2][0].toBool() && !modified[3][0].toBool());

    ProjectDocument other;
    other.setCheckFunction(&noCheck);
    QVERIFY(other.load(file).ok());
    QCOMPARE(out(other), 3);
    QVERIFY(other.project().network.positions() == document->project().network.positions());
    QVERIFY(!document->save(m_folder->filePath(QStringLiteral("no/such/folder/x.athanor"))).ok());
    QCOMPARE(document->filePath(), file);
}

/// The table is one folder up then, the fields of NumpyFile and the weights to start from as well.
void ProjectDocumentTest::savingElsewhereKeepsThePaths()
{
    auto document = opened();
    const Node arrays{"arrays", "NumpyFile", Json{{"fields", {{"image", "x.npy"}, {"label", "/abs/y.npy"}}}}, Json::object()};
    QVERIFY(document->push(GraphPart::Data, GraphEdit{edit::AddNode{arrays, Position{}, {}}}, QStringLiteral("a")).ok());
    QVERIFY(document->setValue(QStringLiteral("training.weights"), "start.pt", QStringLiteral("b")).ok());
    const Project before = document->project();
    QVERIFY(QDir(m_folder->path()).mkpath(QStringLiteral("deep/er")));
    const QString file = m_folder->filePath(QStringLiteral("deep/er/moved.athanor"));
    const int steps = document->undoStack()->count();
    QVERIFY(document->save(file).ok());
    QVERIFY(!document->isModified());
    QCOMPARE(document->undoStack()->count(), steps + 1);
    const Result<LoadedProject> saved = loadProject(file.toStdString());
    QVERIFY(saved.ok());
    const Project& project = saved->project;
    QCOMPARE(project.data.find("table")->params.at("path").get<std::string>(), std::string("../../t.csv"));
    QVERIFY(project.data.find("arrays")->params.at("fields") == Json({{"image", "../../x.npy"}, {"label", "/abs/y.npy"}}));
    QCOMPARE(project.training.weights, std::string("../../start.pt"));
    document->undoStack()->undo();
    QVERIFY(document->project().data == before.data && document->project().training == before.training);
    QVERIFY(document->isModified());
    document->undoStack()->redo();
    // In the same folder nothing is spelled anew.
    QVERIFY(document->save(m_folder->filePath(QStringLiteral("deep/er/again.athanor"))).ok());
    QCOMPARE(document->undoStack()->count(), steps + 1);
}

void ProjectDocumentTest::failedSaveElsewhereChangesNothing()
{
    auto document = opened();
    const Project before = document->project();
    QVERIFY(!document->save(m_folder->filePath(QStringLiteral("no/such/folder/x.athanor"))).ok());
    QVERIFY(document->project().data == before.data);
    QCOMPARE(document->filePath(), QString::fromStdString(before.file.string()));
    QVERIFY(!document->isModified());
}

void ProjectDocumentTest::editsUndoToTheByte()
{
    auto document = opened();
    const std::string before = projectText(document->project());
    QVERIFY(document->push(GraphPart::Network, setOut(5), QStringLiteral("a")).ok());
    QVERIFY(document->push(GraphPart::Network, GraphEdit{edit::Rename{"fc", "head"}}, QStringLiteral("b")).ok());
    QVERIFY(document->push(GraphPart::Network, GraphEdit{edit::RemoveNode{"head"}}, QStringLiteral("c")).ok());
    QVERIFY(document->push(GraphPart::Data, GraphEdit{edit::Move{{{"split", Position{1, 2}}}}}, QStringLiteral("d")).ok());
    const std::string after = projectText(document->project());
    QCOMPARE(document->undoStack()->count(), 4);
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < 4; ++i) {
            document->undoStack()->undo();
        }
        QCOMPARE(projectText(document->project()), before);
        for (int i = 0; i < 4; ++i) {
            document->undoStack()->redo();
        }
        QCOMPARE(projectText(document->project()), after);
    }
}

void ProjectDocumentTest::mergingEndsWithTheSession()
{
    auto document = opened();
    const QString key = QStringLiteral("fc/out_features");
    for (int value = 2; value <= 9; ++value) {
        QVERIFY(document->push(GraphPart::Network, setOut(value), QStringLiteral("spin"), key).ok());
    }
    QCOMPARE(document->undoStack()->count(), 1);
    document->endMerge();
    QVERIFY(document->push(GraphPart::Network, setOut(10), QStringLiteral("spin"), key).ok());
    QCOMPARE(document->undoStack()->count(), 2);
    QVERIFY(document->push(GraphPart::Network, setOut(11), QStringLiteral("other"), QStringLiteral("other")).ok());
    QVERIFY(document->push(GraphPart::Network, setOut(12), QStringLiteral("none")).ok());
    QVERIFY(document->push(GraphPart::Network, setOut(13), QStringLiteral("none")).ok());
    QCOMPARE(document->undoStack()->count(), 5);
    for (const int expected : {12, 11, 10, 9, 1}) {
        document->undoStack()->undo();
        QCOMPARE(out(*document), expected);
    }
    document->undoStack()->redo();
    QCOMPARE(out(*document), 9);
}

void ProjectDocumentTest::undoEndsMerging()
{
    auto document = opened();
    const QString key = QStringLiteral("k");
    QVERIFY(document->push(GraphPart::Network, setOut(2), QStringLiteral("a"), key).ok());
    document->endMerge();
    QVERIFY(document->push(GraphPart::Network, setOut(3), QStringLiteral("b"), key).ok());
    document->undoStack()->undo();
    document->undoStack()->redo();
    QVERIFY(document->push(GraphPart::Network, setOut(4), QStringLiteral("c"), key).ok());
    QCOMPARE(document->undoStack()->count(), 3);
}

void ProjectDocumentTest::mergedBackToTheStartIsNoStep()
{
    auto document = opened();
    const QString key = QStringLiteral("k");
    QVERIFY(document->push(GraphPart::Network, setOut(2), QStringLiteral("up"), key).ok());
    QVERIFY(document->push(GraphPart::Network, setOut(1), QStringLiteral("down"), key).ok());
    QVERIFY(!document->isModified());
    QVERIFY(!document->undoStack()->canUndo());
    QCOMPARE(out(*document), 1);
}

void ProjectDocumentTest::editThatChangesNothingIsNoStep()
{
    auto document = opened();
    QVERIFY(document->push(GraphPart::Network, setOut(1), QStringLiteral("same")).ok());
    QVERIFY(document->push(GraphPart::Network, GraphEdit{edit::Rename{"fc", "fc"}}, QStringLiteral("same")).ok());
    const auto place = document->project().network.positions().at("fc");
    QVERIFY(document->push(GraphPart::Network, GraphEdit{edit::Move{{{"fc", place}}}}, QStringLiteral("same")).ok());
    QVERIFY(document->setValue(QStringLiteral("training.epochs"), 2, QStringLiteral("same")).ok());
    QCOMPARE(document->undoStack()->count(), 0);
}

void ProjectDocumentTest::refusedEditIsNoStep()
{
    auto document = opened();
    const std::string before = projectText(document->project());
    QSignalSpy changed(document.get(), &ProjectDocument::graphChanged);
    QVERIFY(!document->push(GraphPart::Network, GraphEdit{edit::Rename{"fc", "x"}}, QStringLiteral("taken")).ok());
    QVERIFY(!document->push(GraphPart::Network, GraphEdit{edit::RemoveNode{"nobody"}}, QStringLiteral("gone")).ok());
    QVERIFY(!document->setValue(QStringLiteral("training.epochs"), "many", QStringLiteral("text")).ok());
    QVERIFY(!document->setValue(QStringLiteral("training.epoch"), 3, QStringLiteral("typo")).ok());
    QCOMPARE(changed.count(), 0);
    QCOMPARE(document->undoStack()->count(), 0);
    QCOMPARE(projectText(document->project()), before);
}

void ProjectDocumentTest::valuesUndo()
{
    auto document = opened();
    QSignalSpy changed(document.get(), &ProjectDocument::trainingChanged);
    const QString key = QStringLiteral("epochs");
    QVERIFY(document->setValue(QStringLiteral("training.epochs"), 5, QStringLiteral("e"), key).ok());
    QVERIFY(document->setValue(QStringLiteral("training.epochs"), 6, QStringLiteral("e"), key).ok());
    QVERIFY(document->setValue(QStringLiteral("name"), "Renamed", QStringLiteral("n")).ok());
    QVERIFY(document->setValue(QStringLiteral("training.optimizer"), Json{{"kind", "Adam"}, {"lr", 0.01}}, QStringLiteral("o")).ok());
    QCOMPARE(document->undoStack()->count(), 3);
    QCOMPARE(document->displayName(), QStringLiteral("Renamed"));
    QCOMPARE(document->project().training.optimizer.kind, std::string("Adam"));
    for (int i = 0; i < 3; ++i) {
        document->undoStack()->undo();
    }
    QCOMPARE(document->project().training.epochs, std::optional<std::int64_t>(2));
    QCOMPARE(document->project().training.optimizer.kind, std::string("SGD"));
    QCOMPARE(document->displayName(), QStringLiteral("Table"));
    QVERIFY(changed.count() >= 7);
}

void ProjectDocumentTest::graphPathsAreRefused()
{
    auto document = opened();
    const Status status = document->setValue(QStringLiteral("network.fc.out_features"), 4, QStringLiteral("path"));
    QVERIFY(!status.ok());
    QCOMPARE(out(*document), 1);
}

void ProjectDocumentTest::tellsWhatWasTouched()
{
    auto document = opened();
    GraphPart part = GraphPart::Data;
    std::set<std::string> touched;
    bool semantic = false;
    int count = 0;
    connect(document.get(), &ProjectDocument::graphChanged, this, [&](GraphPart p, const std::set<std::string>& t, bool s) {
        part = p;
        touched = t;
        semantic = s;
        ++count;
    });
    QVERIFY(document->push(GraphPart::Network, setOut(2), QStringLiteral("a")).ok());
    QVERIFY(part == GraphPart::Network && semantic && count == 1);
    QCOMPARE(touched, std::set<std::string>{"fc"});
    QVERIFY(document->push(GraphPart::Data, GraphEdit{edit::Move{{{"split", Position{9, 9}}}}}, QStringLiteral("b")).ok());
    QVERIFY(part == GraphPart::Data && !semantic && count == 2);
    std::pair<std::string, std::string> renamed;
    connect(document.get(), &ProjectDocument::nodeRenamed, this, [&](GraphPart, const std::string& from, const std::string& to) { renamed = {from, to}; });
    QVERIFY(document->push(GraphPart::Network, GraphEdit{edit::Rename{"fc", "head"}}, QStringLiteral("c")).ok());
    QCOMPARE(renamed, (std::pair<std::string, std::string>("fc", "head")));
    document->undoStack()->undo();
    QCOMPARE(renamed, (std::pair<std::string, std::string>("head", "fc")));
}

void ProjectDocumentTest::checkIsDebouncedAndNewestWins()
{
    ProjectDocument document;
    std::mutex mutex; // guards `seen`
    std::vector<int> seen;
    std::atomic<bool> firstIsIn{false};
    std::atomic<bool> firstGaveUp{false};
    document.setCheckFunction([&](const Project& project, const std::function<bool()>& cancelled) {
        const int value = project.network.find("fc")->params.at("out_features").get<int>();
        {
            const std::lock_guard lock(mutex);
            seen.push_back(value);
        }
        if (value == 1) { // as slow as it takes until somebody wants another answer
            firstIsIn = true;
            while (!cancelled()) {
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
            }
            firstGaveUp = true;
        }
        ProjectCheck check;
        check.network.parameters = value;
        return check;
    });
    QSignalSpy checked(&document, &ProjectDocument::checked);
    QVERIFY(document.load(write("table.athanor", kTable)).ok());
    QVERIFY(document.isChecking());
    QTRY_VERIFY(firstIsIn);
    for (int value = 2; value <= 7; ++value) {
        QVERIFY(document.push(GraphPart::Network, setOut(value), QStringLiteral("n")).ok());
    }
    QTRY_VERIFY(!document.isChecking());
    QVERIFY(firstGaveUp);
    QCOMPARE(checked.count(), 1);
    QCOMPARE(document.check().network.parameters, std::int64_t(7));
    const std::lock_guard lock(mutex);
    QCOMPARE(seen, (std::vector<int>{1, 7}));
}

void ProjectDocumentTest::movingChecksNothing()
{
    auto document = opened();
    QTRY_VERIFY(!document->isChecking());
    QVERIFY(document->push(GraphPart::Network, GraphEdit{edit::Move{{{"fc", Position{500, 5}}}}}, QStringLiteral("m")).ok());
    QVERIFY(!document->isChecking());
    QVERIFY(document->push(GraphPart::Network, setOut(2), QStringLiteral("s")).ok());
    QVERIFY(document->isChecking());
}

void ProjectDocumentTest::throwingCheckIsAProblem()
{
    ProjectDocument document;
    document.setCheckFunction([](const Project&, const std::function<bool()>&) -> ProjectCheck { throw std::runtime_error("sand in the gears"); });
    QVERIFY(document.load(write("table.athanor", kTable)).ok());
    QTRY_VERIFY(!document.isChecking());
    QCOMPARE(document.check().problems.size(), std::size_t(1));
    QVERIFY(document.check().problems[0].message.find("sand in the gears") != std::string::npos);
}

void ProjectDocumentTest::destroyedWhileChecking()
{
    std::atomic<bool> isIn{false};
    {
        ProjectDocument document;
        document.setCheckFunction([&](const Project&, const std::function<bool()>& cancelled) {
            isIn = true;
            while (!cancelled()) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
            return ProjectCheck();
        });
        QVERIFY(document.load(write("table.athanor", kTable)).ok());
        QTRY_VERIFY(isIn);
    }
    QCoreApplication::processEvents(); // an answer to a document that is gone must not arrive
}

void ProjectDocumentTest::realCheckOpensTheData()
{
    write("t.csv", "a,b,y\n1,2,3\n2,3,4\n3,4,5\n4,5,6\n");
    ProjectDocument document;
    QVERIFY(document.load(write("table.athanor", kTable)).ok());
    QTRY_VERIFY_WITH_TIMEOUT(!document.isChecking(), 30000);
    QVERIFY(document.check().dataOpened);
    const auto& outputs = document.check().network.nodes.at("x").outputs;
    QVERIFY(!outputs.empty() && outputs[0]);
    QCOMPARE(outputs[0]->text(), std::string("N×2")); // columns a and b
    QCOMPARE(document.check().network.parameters, std::int64_t(3));

    QVERIFY(QFile::remove(m_folder->filePath(QStringLiteral("t.csv"))));
    QVERIFY(document.push(GraphPart::Network, setOut(2), QStringLiteral("again")).ok());
    QTRY_VERIFY_WITH_TIMEOUT(!document.isChecking(), 30000);
    QVERIFY(!document.check().dataOpened && !document.check().ok());
}

void ProjectDocumentTest::partlyPlacedGraphsKeepTheirPlaces()
{
    Graph graph;
    for (const char* id : {"a", "b", "c"}) {
        QVERIFY(apply(graph, GraphEdit{edit::AddNode{Node{id, "ReLU"}, {}, {}}}).ok());
    }
    QVERIFY(apply(graph, GraphEdit{edit::Connect{Edge{{"a", ""}, {"b", ""}}, {}}}).ok());
    QVERIFY(apply(graph, GraphEdit{edit::Connect{Edge{{"b", ""}, {"c", ""}}, {}}}).ok());
    QVERIFY(apply(graph, GraphEdit{edit::Move{{{"a", Position{100, 50}}}}}).ok());
    const auto missing = missingPositions(graph);
    QCOMPARE(missing.size(), std::size_t(2));
    QVERIFY(missing.at("b").x > 100 && missing.at("b").y == 50);
    QVERIFY(missing.at("c").x > missing.at("b").x);
    for (const auto& [id, place] : missing) {
        QVERIFY(apply(graph, GraphEdit{edit::Move{{{id, place}}}}).ok());
    }
    QVERIFY(missingPositions(graph).empty());
}

void ProjectDocumentTest::bigGraphsAreLaidOutAtOnce()
{
    constexpr int kCount = 2000;
    const auto name = [](int i) { return std::string("n").append(std::to_string(i)); };
    Json nodes = Json::array();
    Json edges = Json::array();
    for (int i = 0; i < kCount; ++i) {
        nodes.push_back({{"id", name(i)}, {"kind", "ReLU"}});
        if (i > 0)
            edges.push_back(Json::array({name(i - 1), name(i)}));
    }
    const Json file = {{"athanor", 1}, {"network", {{"nodes", std::move(nodes)}, {"edges", std::move(edges)}}}};
    const auto parsed = parseProject(file.dump());
    QVERIFY(parsed.ok());
    const auto places = layOut(parsed->project.network);
    QCOMPARE(places.size(), std::size_t(kCount));
    for (int i = 1; i < kCount; ++i) {
        QVERIFY(places.at(name(i)).x > places.at(name(i - 1)).x + kNodeSize.width);
    }
}

QTEST_GUILESS_MAIN(ProjectDocumentTest)
#include "tst_project_document.moc"
