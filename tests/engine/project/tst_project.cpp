#include "tests/engine/project/project_builder.h"

#include "engine/graph/graph_edit.h"

#include <QtTest>

#include <sys/stat.h>

using namespace athanor;
namespace fs = std::filesystem;

namespace {

const std::string kVersion1 = ATHANOR_SOURCE_DIR "/tests/data/projects/v1.athanor";

std::string pathIn(const QTemporaryDir& folder, const char* name)
{
    return folder.filePath(name).toStdString();
}

} // namespace

class ProjectTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void version1Opens();
    void weightsMapIsKeptAndHashed();
    void savedFileIsByteEqual();
    void minimalFile();
    void handWrittenSpelling();
    void unknownKeysAreKeptAndNoted();
    void brokenFiles_data();
    void brokenFiles();
    void wrongTypesNameTheirPlace_data();
    void wrongTypesNameTheirPlace();
    void wrongNodeParametersOpen();
    void monitorSetsTheMode();
    void onlyWhatDiffersIsWritten();
    void filesThatCannotBeRead();
    void savingIsAtomic();
    void savingKeepsLinksAndPermissions();
    void pathsFollowTheFile();
    void hash();
};

void ProjectTest::version1Opens()
{
    const auto loaded = loadProject(kVersion1);
    QVERIFY2(loaded.ok(), loaded.ok() ? "" : loaded.error().text().c_str());
    const Project& project = loaded->project;
    QCOMPARE(project.name, std::string("Cells \"v1\""));
    QCOMPARE(project.file, fs::path(kVersion1));
    QCOMPARE(project.folder(), fs::path(kVersion1).parent_path());
    QCOMPARE(project.data.nodes().size(), std::size_t(5));
    QCOMPARE(project.data.nodes()[0].extra, Json({{"comment", "from the lab"}}));
    QCOMPARE(project.data.positions().at("cells").y, 12.5);
    QCOMPARE(project.network.edges().size(), std::size_t(6));
    QCOMPARE(project.network.find("gru")->kind, std::string("WarpDrive"));

    const TrainSpec& training = project.training;
    QVERIFY(training.steps == 5000 && !training.epochs);
    QCOMPARE(training.seed, std::uint64_t(9223372036854775807));
    QCOMPARE(training.device, std::string("cuda:1"));
    QVERIFY(!training.deterministic && training.frozenOnPurpose);
    QCOMPARE(training.optimizer.kind, std::string("AdamW"));
    QCOMPARE(training.optimizer.params["groups"][0]["match"], Json("block1*"));
    QCOMPARE(training.schedulers.size(), std::size_t(2));
    QCOMPARE(training.schedulers[0].interval, ScheduleInterval::Step);
    QCOMPARE(training.schedulers[1].scheduler.params, Json({{"T_max", 50}}));
    QCOMPARE(training.freeze, std::vector<std::string>{"block1*"});
    QCOMPARE(training.init.at(1).match, std::string("*.bias"));
    QCOMPARE(training.init.at(1).init, (KindSpec{"constant", {{"value", 0.5}}}));
    QVERIFY(training.clipGradNorm == 1.0 && training.clipGradValue == 0.5);
    QCOMPARE(training.accumulate, 2);
    QCOMPARE(training.precision, Precision::Bf16);
    QCOMPARE(training.metrics, (std::vector<std::string>{"accuracy", "f1"}));
    QCOMPARE(training.validateEvery, std::string("250"));
    QCOMPARE(training.checkpoint, (CheckpointSpec{"500", 3, "val/accuracy", MonitorMode::Max}));
    QCOMPARE(*training.earlyStopping, (EarlyStoppingSpec{"val/loss", MonitorMode::Min, 4, 0.001}));
    QCOMPARE(training.onNonFinite, NonFinitePolicy::Skip);
    QCOMPARE(training.weights, std::string("start/cells.pt"));
}

void ProjectTest::weightsMapIsKeptAndHashed()
{
    const std::string text = projectText(projectOf(tableProjectText()));
    QVERIFY(text.find("weights_map") == std::string::npos); // nothing to say
    Project project = projectOf(text);
    const std::string hash = semanticHash(project);
    project.training.weightsMap = {{"conv1.weight", "features.0.weight"}};
    const Project again = projectOf(projectText(project));
    QCOMPARE(again.training.weightsMap.size(), std::size_t(1));
    QCOMPARE(again.training.weightsMap.at("conv1.weight"), std::string("features.0.weight"));
    QVERIFY(semanticHash(again) == semanticHash(project) && semanticHash(again) != hash);
}

void ProjectTest::savedFileIsByteEqual()
{
    const auto loaded = loadProject(kVersion1);
    QVERIFY(loaded.ok());
    QCOMPARE(projectText(loaded->project), fileText(kVersion1));
    const std::string other = projectText(projectOf(tableProjectText()));
    QCOMPARE(projectText(projectOf(other)), other);
}

void ProjectTest::minimalFile()
{
    const auto loaded = parseProject(R"({"athanor": 1})", "some/where/digits.athanor");
    QVERIFY(loaded.ok());
    QCOMPARE(loaded->project.name, std::string("digits"));
    QVERIFY(loaded->notes.empty());
    QVERIFY(loaded->project.training == TrainSpec{});
    QCOMPARE(projectText(loaded->project),
             std::string("{\n  \"athanor\": 1,\n  \"data\": {\n    \"edges\": [],\n    \"nodes\": []\n  },\n "
                         " \"name\": \"digits\",\n"
                         "  \"network\": {\n    \"edges\": [],\n    \"nodes\": []\n  },\n  \"training\": {\n "
                         "   \"deterministic\": true,\n"
                         "    \"device\": \"auto\",\n    \"on_non_finite\": \"pause\",\n    \"optimizer\": "
                         "{\"kind\": \"SGD\", \"lr\": 0.01},\n"
                         "    \"seed\": 0\n  }\n}\n"));
    QVERIFY(Project().folder() == fs::current_path());
}

void ProjectTest::handWrittenSpelling()
{
    const auto loaded = parseProject(
        "\xEF\xBB\xBF"
        R"({"training": {"scheduler": {"kind": "StepLR", "step_size": 2}, "epochs": null, "early_stopping": null,
        "checkpoint": {"every": 7}, "validate_every": "epoch"}, "athanor": 1,
        "network": {"edges": [["a", "b"], ["a", "b"]], "nodes": [{"kind": "ReLU", "id": "a", "params": {}}, {"kind": "ReLU", "id": "b"}]}, "seed": 1, "seed": 2})");
    QVERIFY2(loaded.ok(), loaded.ok() ? "" : loaded.error().text().c_str());
    QCOMPARE(loaded->project.training.schedulers.size(), std::size_t(1));
    QCOMPARE(loaded->project.training.schedulers[0].interval, ScheduleInterval::Epoch);
    QVERIFY(!loaded->project.training.epochs && !loaded->project.training.earlyStopping);
    QCOMPARE(loaded->project.training.checkpoint.every, std::string("7"));
    QCOMPARE(loaded->project.network.edges().size(), std::size_t(1));
    std::string said;
    for (const Problem& note : loaded->notes)
        said += note.where + ": " + note.message + "\n";
    QCOMPARE(said, std::string("seed: the key 'seed' is unknown; it is kept, but has no effect\n"
                               "network/edges/1: the edge a → b is there twice\n"
                               "seed: is written twice in one object; the last one counts\n"));
}

void ProjectTest::unknownKeysAreKeptAndNoted()
{
    const auto loaded = loadProject(kVersion1);
    QVERIFY(loaded.ok());
    std::set<std::string> places;
    for (const Problem& note : loaded->notes) {
        QCOMPARE(note.severity, Severity::Warning);
        places.insert(note.where);
    }
    QCOMPARE(places, (std::set<std::string>{"author", "data/title", "data/cells/comment", "layout/zoom",
                                            "training/telemetry", "training/checkpoint/where"}));
    const auto near = parseProject(R"({"athanor": 1, "training": {"epoch": 3}})");
    QVERIFY(near.ok());
    QCOMPARE(near->notes.at(0).hint, std::string("did you mean 'epochs'?"));
}

void ProjectTest::brokenFiles_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("message");
    QTest::newRow("empty") << QByteArray("")
                           << "line 1, column 1: syntax error while parsing value - unexpected end of input; "
                              "expected '[', '{', or a literal";
    QTest::newRow("comma") << QByteArray("{\"athanor\": 1,\n \"µ\": 2 \"b\": 3}") << "line 2, column 11: ";
    QTest::newRow("a NUL byte") << QByteArray("{\"athanor\": 1,\n \0}", 18) << "line 2, column 2: a NUL byte";
    QTest::newRow("no double") << QByteArray("{\"athanor\": 1, \"name\": \"\\\"1e999\",\n \"x\": 1e999}")
                               << "line 2, column 7: number overflow";
    QTest::newRow("UTF-16") << QByteArray("\xFF\xFE{\0\"\0", 6) << "is written in UTF-16, but must be UTF-8";
    QTest::newRow("UTF-16 unmarked") << QByteArray("{\0\"\0", 4) << "is written in UTF-16, but must be UTF-8";
    QTest::newRow("cut off") << QByteArray("{\"athanor\": 1,\n\"name\": \"x") << "line 2, column 11: ";
    QTest::newRow("single quotes") << QByteArray("{'athanor': 1}") << "line 1, column 2: ";
    QTest::newRow("not UTF-8") << QByteArray("{\"athanor\": 1, \"name\": \"\xff\xfe\"}")
                               << "line 1, column 25: ";
    QTest::newRow("number too large") << QByteArray("{\"athanor\": 1, \"x\": 1e999}") << "line 1, column 21: number overflow";
    QTest::newRow("too deep") << QByteArray("{\"athanor\": ") + QByteArray(100000, '[')
                              << "is nested more than 100 levels deep";
    QTest::newRow("a list") << QByteArray("[1]") << "is no Athanor project: it should hold one JSON object";
    QTest::newRow("something else") << QByteArray("{\"cells\": []}")
                                    << "is no Athanor project: the key \"athanor\"";
    QTest::newRow("version is a text") << QByteArray("{\"athanor\": \"1\"}") << "has no valid format version";
    QTest::newRow("version zero") << QByteArray("{\"athanor\": 0}") << "has no valid format version";
    QTest::newRow("newer") << QByteArray("{\"athanor\": 2}")
                           << "was made by a newer Athanor (format 2; this one reads up to 1)";
    QTest::newRow("much newer") << QByteArray("{\"athanor\": 99999999999999999999999}")
                                << "has no valid format version";
}

void ProjectTest::brokenFiles()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, message);
    const auto loaded = parseProject(text.toStdString(), "a/b.athanor");
    QVERIFY(!loaded.ok());
    QVERIFY2(QString::fromStdString(loaded.error().message).startsWith(message),
             loaded.error().text().c_str());
    QVERIFY(Json::accept(Json(loaded.error().message).dump())); // a message is text, whatever the file was
    QCOMPARE(loaded.error().where, std::string("b.athanor"));
    QCOMPARE(loaded.error().code, message.contains("newer") ? ErrorCode::Unsupported : ErrorCode::Unreadable);
}

void ProjectTest::wrongTypesNameTheirPlace_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("where");
    const auto row = [](const char* text, const char* where) { QTest::newRow(text) << text << where; };
    row(R"("name": 3)", "name");
    row(R"("data": [])", "data");
    row(R"("network": null)", "network");
    row(R"("network": {"nodes": {}})", "network/nodes");
    row(R"("network": {"nodes": [{"id": "a", "kind": "ReLU"}, 7]})", "network/nodes/1");
    row(R"("network": {"nodes": [{"kind": "ReLU"}]})", "network/nodes/0/id");
    row(R"("network": {"nodes": [{"id": 1, "kind": "ReLU"}]})", "network/nodes/0/id");
    row(R"("network": {"nodes": [{"id": "a"}]})", "network/nodes/0/kind");
    row(R"("network": {"nodes": [{"id": "a b", "kind": "ReLU"}]})", "network/a b");
    row(R"("network": {"nodes": [{"id": "a", "kind": "ReLU"}, {"id": "a", "kind": "ReLU"}]})", "network/a");
    row(R"("network": {"nodes": [{"id": "a", "kind": "ReLU", "params": []}]})", "network/a/params");
    row(R"("network": {"edges": "a"})", "network/edges");
    row(R"("network": {"edges": [["a", "b"], ["a"]]})", "network/edges/1");
    row(R"("network": {"edges": [["a", 2]]})", "network/edges/0");
    row(R"("data": {"edges": [["a", "b", "c"]]})", "data/edges/0");
    row(R"("layout": 1)", "layout");
    row(R"("layout": {"network": []})", "layout/network");
    row(R"("network": {"nodes": [{"id": "a", "kind": "ReLU"}]}, "layout": {"network": {"a": ["1", 2]}})",
        "layout/network/a");
    row(R"("training": [])", "training");
    row(R"("training": {"epochs": "three"})", "training/epochs");
    row(R"("training": {"epochs": 2.5})", "training/epochs");
    row(R"("training": {"steps": true})", "training/steps");
    row(R"("training": {"seed": -1})", "training/seed");
    row(R"("training": {"seed": 18446744073709551615})", "training/seed");
    row(R"("training": {"device": 0})", "training/device");
    row(R"("training": {"deterministic": 1})", "training/deterministic");
    row(R"("training": {"optimizer": "Adam"})", "training/optimizer");
    row(R"("training": {"optimizer": {"lr": 1}})", "training/optimizer/kind");
    row(R"("training": {"scheduler": "StepLR"})", "training/scheduler");
    row(R"("training": {"scheduler": [{"kind": "StepLR"}, {"kind": 1}]})", "training/scheduler/1/kind");
    row(R"("training": {"scheduler": {"kind": "StepLR", "interval": "hour"}})",
        "training/scheduler/interval");
    row(R"("training": {"freeze": "a*"})", "training/freeze");
    row(R"("training": {"freeze": [1]})", "training/freeze");
    row(R"("training": {"init": {}})", "training/init");
    row(R"("training": {"init": [{"kind": "normal"}]})", "training/init/0/match");
    row(R"("training": {"init": [{"match": "*"}]})", "training/init/0/kind");
    row(R"("training": {"clip_grad_norm": "1"})", "training/clip_grad_norm");
    row(R"("training": {"accumulate": 99999999999})", "training/accumulate");
    row(R"("training": {"accumulate": -99999999999})", "training/accumulate");
    row(R"("training": {"precision": "fp8"})", "training/precision");
    row(R"("training": {"precision": 16})", "training/precision");
    row(R"("training": {"metrics": {"accuracy": 1}})", "training/metrics");
    row(R"("training": {"validate_every": "sometimes"})", "training/validate_every");
    row(R"("training": {"validate_every": 1.5})", "training/validate_every");
    row(R"("training": {"checkpoint": []})", "training/checkpoint");
    row(R"("training": {"checkpoint": {"keep": "all"}})", "training/checkpoint/keep");
    row(R"("training": {"checkpoint": {"mode": "best"}})", "training/checkpoint/mode");
    row(R"("training": {"early_stopping": true})", "training/early_stopping");
    row(R"("training": {"early_stopping": {"patience": null}})", "training/early_stopping/patience");
    row(R"("training": {"on_non_finite": "ignore"})", "training/on_non_finite");
    row(R"("training": {"weights": 1})", "training/weights");
    row(R"("training": {"weights_map": ["conv1.weight"]})", "training/weights_map");
    row(R"("training": {"weights_map": {"conv1.weight": 1}})", "training/weights_map");
}

void ProjectTest::wrongTypesNameTheirPlace()
{
    QFETCH(QString, text);
    QFETCH(QString, where);
    const auto loaded = parseProject("{\"athanor\": 1, " + text.toStdString() + "}");
    QVERIFY(!loaded.ok());
    QCOMPARE(QString::fromStdString(loaded.error().where), where);
    QCOMPARE(loaded.error().code, ErrorCode::Unreadable);
    QVERIFY(!loaded.error().message.empty());
}

void ProjectTest::wrongNodeParametersOpen()
{
    // A value that a layer cannot take is a problem of the check, not of the file: the window must open it.
    const Project project = projectOf(
        R"({"athanor": 1, "network": {"nodes": [{"id": "conv1", "kind": "Conv2d", "params": {"kernel_size": "big"}}]}})");
    const GraphCheck check = checkNetwork(project.network, {});
    QVERIFY(std::any_of(check.problems.begin(), check.problems.end(),
                        [](const Problem& p) { return p.where == "network/conv1/kernel_size"; }));
}

void ProjectTest::monitorSetsTheMode()
{
    const auto mode = [](const std::string& checkpoint) {
        return projectOf(R"({"athanor": 1, "training": {"checkpoint": )" + checkpoint + "}}")
            .training.checkpoint.mode;
    };
    QCOMPARE(mode(R"({"monitor": "val/accuracy"})"), MonitorMode::Max);
    QCOMPARE(mode(R"({"monitor": "val/r2"})"), MonitorMode::Max);
    QCOMPARE(mode(R"({"monitor": "val/mae"})"), MonitorMode::Min);
    QCOMPARE(mode(R"({"monitor": "val/accuracy", "mode": "min"})"), MonitorMode::Min);
    QCOMPARE(mode("{}"), MonitorMode::Min);
}

void ProjectTest::onlyWhatDiffersIsWritten()
{
    Project project = projectOf(tableProjectText());
    project.training.accumulate = 4;
    project.training.earlyStopping.emplace();
    const std::string text = projectText(project);
    QVERIFY(text.find("\n    \"accumulate\": 4,\n") != std::string::npos);
    QVERIFY(text.find("\n    \"early_stopping\": {\"min_delta\": 0.0, \"mode\": \"min\", \"monitor\": "
                      "\"val/loss\", \"patience\": 10},\n") != std::string::npos);
    QVERIFY(text.find("precision") == std::string::npos);
    // One node and one edge per line.
    QVERIFY(
        text.find("\n      {\"id\": \"fc1\", \"kind\": \"Linear\", \"params\": {\"out_features\": 16}},\n") !=
        std::string::npos);
    QVERIFY(text.find("\n      [\"fc2\", \"loss:input\"],\n") != std::string::npos);
}

void ProjectTest::filesThatCannotBeRead()
{
    QTemporaryDir folder;
    const auto missing = loadProject(pathIn(folder, "none.athanor"));
    QVERIFY(!missing.ok());
    QCOMPARE(missing.error().code, ErrorCode::NotFound);
    QCOMPARE(missing.error().where, pathIn(folder, "none.athanor"));
    QCOMPARE(loadProject(folder.path().toStdString()).error().code, ErrorCode::Unreadable);
    const std::string pipe = pathIn(folder, "pipe");
    QCOMPARE(mkfifo(pipe.c_str(), 0600), 0);
    for (const std::string& endless : {std::string("/dev/zero"), pipe})
        QCOMPARE(loadProject(endless).error().message, std::string("is a device, a pipe or a socket, not a file"));
}

void ProjectTest::savingIsAtomic()
{
    QTemporaryDir folder;
    const std::string file = pathIn(folder, "p.athanor");
    Project project = projectOf(tableProjectText());
    QVERIFY(saveProject(project, file).ok());
    QCOMPARE(fileText(file), projectText(project));
    project.name = "second";
    QVERIFY(saveProject(project, file).ok());
    QCOMPARE(loadProject(file)->project.name, std::string("second"));
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden),
             QStringList{"p.athanor"}); // no draft is left

    const Status nowhere = saveProject(project, pathIn(folder, "no/such/folder/p.athanor"));
    QVERIFY(!nowhere.ok());
    QVERIFY(nowhere.error().message.starts_with("cannot be saved there"));
    QVERIFY(!saveProject(project, folder.path().toStdString()).ok());
    QVERIFY(!saveProject(project, "/proc/p.athanor").ok());
}

void ProjectTest::savingKeepsLinksAndPermissions()
{
    QTemporaryDir folder;
    const std::string file = pathIn(folder, "p.athanor"), link = pathIn(folder, "link.athanor");
    const Project project = projectOf(tableProjectText());
    QVERIFY(saveProject(project, file).ok());
    QCOMPARE(::chmod(file.c_str(), 0640), 0);
    fs::create_symlink("p.athanor", link);
    QVERIFY(saveProject(project, link).ok());
    QVERIFY(fs::is_symlink(link));
    struct stat status = {};
    QCOMPARE(::stat(file.c_str(), &status), 0);
    QCOMPARE(status.st_mode & 0777, 0640u);
}

void ProjectTest::pathsFollowTheFile()
{
    Project project = loadProject(kVersion1)->project;
    project.file = "/home/a/projects/cells.athanor";
    QVERIFY(apply(project.data, {edit::SetParameter{
                                    "more", "fields", Json{{"image", "/abs/x.npy"}, {"label", "val/../y.npy"}}}})
                .ok());
    const Project moved = relocated(project, "/home/a/other/deep/new.athanor");
    QCOMPARE(moved.file, fs::path("/home/a/other/deep/new.athanor"));
    QCOMPARE(moved.data.find("cells")->params["path"], Json("../../projects/cells/train"));
    QCOMPARE(moved.data.find("more")->params["fields"],
             Json({{"image", "/abs/x.npy"}, {"label", "../../projects/y.npy"}}));
    QCOMPARE(moved.training.weights, std::string("../../projects/start/cells.pt"));
    QCOMPARE(relocated(moved, project.file).data.find("cells")->params["path"], Json("cells/train"));
}

void ProjectTest::hash()
{
    Project project = projectOf(tableProjectText());
    project.file = "/home/a/p.athanor";
    const std::string before = semanticHash(project);
    QCOMPARE(before.size(), std::size_t(32));

    Project same = project;
    same.name = "another";
    same.extra["note"] = 1;
    same.training.extra["note"] = 1;
    same.training.optimizer.params["dampening"] = 0;
    QVERIFY(apply(same.network, {edit::Move{{{"fc1", Position{1, 1}}}}}).ok());
    QVERIFY(apply(same.data, {edit::SetParameter{"table", "path", "/home/a/data/../data/x.csv"}}).ok());
    QCOMPARE(semanticHash(same), before);
    QCOMPARE(semanticHash(relocated(project, "/home/a/p.athanor")), before);

    std::set<std::string> hashes{before};
    const std::vector<std::function<void(Project&)>> changes{
        [](Project& p) { p.training.seed = 5; },
        [](Project& p) { p.training.optimizer.params["lr"] = 0.2; },
        [](Project& p) { p.training.epochs = 4; },
        [](Project& p) { p.training.freeze = {"fc1*"}; },
        [](Project& p) {
            p.training.schedulers.push_back({{"StepLR", {{"step_size", 1}}}, ScheduleInterval::Epoch});
        },
        [](Project& p) { p.training.weights = "w.pt"; },
        [](Project& p) {
            QVERIFY(apply(p.network, {edit::SetParameter{"fc1", "out_features", 17}}).ok());
        },
        [](Project& p) {
            QVERIFY(apply(p.data, {edit::SetParameter{"split", "seed", 1}}).ok());
        },
        [](Project& p) {
            QVERIFY(apply(p.data, {edit::SetParameter{"table", "path", "other.csv"}}).ok());
        }};
    for (const auto& change : changes) {
        Project changed = project;
        change(changed);
        QVERIFY(hashes.insert(semanticHash(changed)).second);
    }
}

QTEST_APPLESS_MAIN(ProjectTest)
#include "tst_project.moc"
