#include "script_tools.h"

#include "../session_record.h"

#include "engine/train/checkpoint.h"
#include "engine/train/compiled_network.h"
#include "engine/train/script/script_program.h"

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <fstream>

using namespace athanor;

namespace {

class Folder {
public:
    [[nodiscard]] std::filesystem::path path() const { return m_folder.path().toStdString(); }

private:
    QTemporaryDir m_folder;
};

constexpr const char* kCell =
    "def forward(self, x: Tensor) -> Tensor:\n"
    "    h = torch.zeros(x.size(0), self.hidden)\n"
    "    for t in range(x.size(1)):\n"
    "        h = torch.tanh(x[:, t].unsqueeze(1) * self.w_in + torch.matmul(h, self.w_hidden))\n"
    "    if self.training:\n"
    "        self.mean = 0.9 * self.mean + 0.1 * h.detach().mean(0)\n"
    "        h = torch.dropout(h, 0.2, True) + 0.01 * torch.randn_like(h)\n"
    "    return h - self.mean\n";
constexpr const char* kLoss =
    "def forward(self, input: Tensor, target: Tensor, hidden: Tensor) -> Tensor:\n"
    "    return torch.cross_entropy_loss(input, target) + self.share * hidden.pow(2).mean()\n";

/// Spirals through a recurrent script, a Linear and a script's loss.
Json scriptProject(Json training)
{
    training["seed"] = 5;
    if (!training.contains("optimizer"))
        training["optimizer"] = {{"kind", "Adam"}, {"lr", 0.02}};
    const Json cell{
        {"source", kCell},
        {"constants", {{"hidden", 12}}},
        {"parameters",
         Json::array({{{"name", "w_in"}, {"shape", {1, "hidden"}}},
                      {{"name", "w_hidden"}, {"shape", {"hidden", "hidden"}}, {"init", "orthogonal"}},
                      {{"name", "mean"}, {"shape", {"hidden"}}, {"buffer", true}}})}};
    Json network =
        chainJson({nodeJson("x", "Input", {{"field", "features"}}), nodeJson("cell", "Script", cell),
                   nodeJson("fc", "Linear", {{"out_features", 2}})});
    network["nodes"].push_back(nodeJson("y", "Input", {{"field", "label"}}));
    network["nodes"].push_back(
        nodeJson("loss", "ScriptLoss", {{"source", kLoss}, {"constants", {{"share", 0.01}}}}));
    for (const auto& edge : {Json{"fc", "loss:input"}, Json{"y", "loss:target"}, Json{"cell", "loss:hidden"}})
        network["edges"].push_back(edge);
    return {{"athanor", 1},
            {"name", "script"},
            {"data", spiralData()},
            {"network", network},
            {"training", std::move(training)}};
}

/// A network whose one layer is a saved module.
Json moduleProject(const std::string& file, bool trainable, Json training = Json::object())
{
    training.update({{"epochs", 2},
                     {"seed", 1},
                     {"checkpoint", {{"every", 1000}}},
                     {"optimizer", {{"kind", "SGD"}, {"lr", 0.1}}}});
    return {
        {"athanor", 1},
        {"name", "module"},
        {"data", spiralData()},
        {"network", networkJson("features",
                                {nodeJson("body", "ScriptModule", {{"file", file}, {"trainable", trainable}}),
                                 nodeJson("fc", "Linear", {{"out_features", 2}})},
                                "CrossEntropyLoss", "label")},
        {"training", std::move(training)}};
}

/// A module with a part, a buffer that it assigns, dropout and a weight that it holds twice, as torch.jit.save writes it.
void writeModule(const std::filesystem::path& file)
{
    torch::manual_seed(11);
    torch::jit::Module part("Part");
    part.register_parameter("weight", torch::randn({6, 2}).set_requires_grad(true), false);
    part.register_attribute("training", c10::BoolType::get(), true);
    part.define("def forward(self, x: Tensor) -> Tensor:\n    return torch.dropout(torch.matmul(x, "
                "self.weight.t()), 0.5, self.training)\n");
    torch::jit::Module module("Net");
    module.register_module("part", part);
    module.register_parameter("tied", part.attr("weight").toTensor(), false);
    module.register_buffer("seen", torch::zeros({1}));
    module.register_attribute("training", c10::BoolType::get(), true);
    module.define("def forward(self, x: Tensor) -> Tensor:\n"
                  "    if self.training:\n        self.seen = self.seen + 1\n"
                  "    return self.part.forward(x) + torch.matmul(x, self.tied.t())\n");
    module.save(file.string());
}

SessionOptions optionsFor(const Folder& folder)
{
    SessionOptions options;
    options.threads = 1;
    options.checkpointFolder = folder.path();
    return options;
}

std::map<std::string, torch::Tensor> lastState(const Json& project, const Folder& folder)
{
    std::filesystem::path newest;
    SessionOptions options = optionsFor(folder);
    options.checkpointWritten = [&](const CheckpointWritten& written) { newest = written.file; };
    const Record record = RunningSession(projectOf(project, folder.path()), options).finish();
    if (!record.problems.empty())
        throw std::runtime_error(record.problems.front().where + ": " + record.problems.front().message);
    return loadCheckpoint(newest)->state;
}

std::string firstProblem(const Json& project, const std::filesystem::path& folder)
{
    const ProjectCheck check = checkProject(projectOf(project, folder));
    return check.problems.empty() ? "" : check.problems.front().where + ": " + check.problems.front().message;
}

} // namespace

class TestScriptSession : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aScriptNetworkLearns()
    {
        const Record record = runSession(scriptProject({{"epochs", 30}}));
        QVERIFY2(record.problems.empty(),
                 record.problems.empty() ? "" : record.problems.front().message.c_str());
        const auto& loss = record.series.at("val/loss");
        QVERIFY(loss.back().second < 0.97 * loss.front().second);
        for (const char* name : {"grad_norm/cell.w_in", "update_ratio/cell.w_hidden", "activation/cell/mean"})
            QVERIFY2(record.series.contains(name) && !record.series.at(name).empty(), name);
        QVERIFY(!record.series.contains("grad_norm/cell.mean"));
        QVERIFY(record.series.at("grad_norm/cell.w_in").front().second > 0);
    }

    void theSameSeedGivesTheSameCurve()
    {
        const Record first = runSession(scriptProject({{"epochs", 4}}));
        SessionOptions options;
        options.workers = 2;
        const Record second = runSession(scriptProject({{"epochs", 4}}), options);
        VERIFY_SAME(first, second, difference);
    }

    void checkingDuringARunDoesNotChangeIt()
    {
        const Json project = scriptProject({{"epochs", 6}});
        const Record quiet = runSession(project);
        SessionOptions options;
        options.threads = 1;
        RunningSession running(projectOf(project), options);
        int checks = 0;
        while (running.session().state() != SessionState::Finished &&
               running.session().state() != SessionState::Failed) {
            Json edited = project;
            edited["network"]["nodes"][1]["params"]["source"] =
                std::string(kCell) + "    # " + std::to_string(++checks) + "\n";
            QVERIFY(checkProject(projectOf(edited)).ok()); // runs the script, which draws random numbers
        }
        QVERIFY(checks > 0);
        VERIFY_SAME(quiet, running.finish(), difference);
    }

    void goesOnInTheMiddleOfAnEpoch()
    {
        const Json project = scriptProject({{"epochs", 4}, {"checkpoint", {{"every", 3}, {"keep", 100}}}});
        const Folder folder;
        const Record whole = runSession(project, optionsFor(folder));
        const Folder other;
        SessionOptions options = optionsFor(other);
        options.resumeFrom = CheckpointFolder(folder.path(), 1).fileFor(18); // 10 steps an epoch
        const Record rest = runSession(project, options);
        QVERIFY2(rest.problems.empty(), rest.problems.empty() ? "" : rest.problems.front().message.c_str());
        QCOMPARE(rest.series.at("train/loss").front().first, std::int64_t{19});
        VERIFY_SAME(whole, rest, difference, 19);
    }

    void patternsReachAScriptsWeights()
    {
        const Folder folder;
        const auto state = lastState(
            scriptProject(
                {{"epochs", 1},
                 {"freeze", {"cell.w_in"}},
                 {"init", Json::array({{{"match", "cell.w_in"}, {"kind", "constant"}, {"value", 0.25}}})}}),
            folder);
        QVERIFY(torch::equal(state.at("cell.w_in"), torch::full({1, 12}, 0.25)));
        QVERIFY(state.contains("cell.w_hidden") && state.contains("cell.mean"));
        QVERIFY(state.at("cell.mean").abs().sum().item<double>() > 0); // the script assigned it
    }

    void aSavedModuleStaysAsItIsOrTrains()
    {
        const Folder folder;
        writeModule(folder.path() / "net.pt");
        const auto original = torch::jit::load((folder.path() / "net.pt").string());
        const auto weight = original.attr("tied").toTensor();
        const auto frozen = lastState(moduleProject("net.pt", false), folder);
        const std::string name = frozen.contains("body.tied") ? "body.tied" : "body.part.weight";
        QVERIFY(torch::equal(frozen.at(name), weight));
        QCOMPARE(frozen.at("body.seen").item<float>(),
                 0.0F); // evaluation mode: it counts only while training
        const auto trained = lastState(moduleProject("net.pt", true), folder);
        QVERIFY(!torch::equal(trained.at(name), weight));
        QCOMPARE(trained.at("body.seen").item<float>(), 20.0F); // 2 epochs of 10 steps
        // A pattern for all weights is not meant for those that came with a file.
        const Json init{{"init", Json::array({{{"match", "*"}, {"kind", "zeros"}}})}};
        const auto zeroed = lastState(moduleProject("net.pt", false, init), folder);
        QVERIFY(torch::equal(zeroed.at(name), weight));
    }

    void aSavedModuleIsTypedAndCounted()
    {
        const Folder folder;
        writeModule(folder.path() / "net.pt");
        ProjectCheck check = checkProject(projectOf(moduleProject("net.pt", true), folder.path()));
        QVERIFY2(check.ok(), check.problems.empty() ? "" : check.problems[0].message.c_str());
        QCOMPARE(check.network.nodes.at("body").outputs.at(0)->text(), std::string("N×6"));
        QCOMPARE(check.network.nodes.at("body").parameters, std::int64_t{12}); // the tied weight counts once
        check = checkProject(projectOf(moduleProject("net.pt", false), folder.path()));
        QCOMPARE(check.network.nodes.at("body").parameters, std::int64_t{0});
        Json project = moduleProject("net.pt", false);
        project["network"]["nodes"][1]["params"]["outputs"] = {"a", "b"};
        QVERIFY(
            QString::fromStdString(firstProblem(project, folder.path())).contains("network/body/outputs"));
    }

    void aModuleFromPythonComputesTheSame()
    {
        const Folder folder;
        const QString script = QStringLiteral(ATHANOR_SOURCE_DIR "/tests/baseline/write_script_module.py");
        const QString target = QString::fromStdString(folder.path().string());
        QCOMPARE(
            QProcess::execute(QStringLiteral("/usr/bin/python3"), {QStringLiteral("-B"), script, target}), 0);
        std::ifstream stream(folder.path() / "python.json");
        const Json golden = Json::parse(stream);
        const auto program = ScriptProgram::load(folder.path() / "python.pt", false);
        QCOMPARE(program->results(), 2);
        QCOMPARE(program->requiredArguments(), 1);
        QCOMPARE(program->arguments(), 2);
        program->module()->train(); // frozen: its normalization stays with the running statistics
        const Tensors outputs = program->run({tensorOf(golden["input"])});
        COMPARE_TENSORS(outputs[0], tensorOf(golden["output"]), 1e-6);
        COMPARE_TENSORS(outputs[1], tensorOf(golden["last"]), 1e-6);
        std::size_t named = 0;
        for (const auto& one : program->module()->named_parameters()) {
            QVERIFY2(golden["state"].contains(one.key()), one.key().c_str());
            COMPARE_TENSORS(one.value(), tensorOf(golden["state"][one.key()]), 0);
            ++named;
        }
        for (const auto& one : program->module()->named_buffers()) {
            QVERIFY2(golden["state"].contains(one.key()), one.key().c_str());
            ++named;
        }
        QCOMPARE(named, golden["state"].size());
        // Trainable: a step in training mode moves the statistics, and gradients reach the weights.
        const auto trainable = ScriptProgram::load(folder.path() / "python.pt", true);
        trainable->module()->train();
        const auto before = trainable->module()->named_buffers()["norm.running_mean"].clone();
        trainable->run({tensorOf(golden["input"])})[0].sum().backward();
        QVERIFY(!torch::equal(trainable->module()->named_buffers()["norm.running_mean"], before));
        for (const auto& one : trainable->module()->named_parameters())
            QVERIFY2(one.value().grad().defined(), one.key().c_str());
    }

    void otherFilesAreRefused()
    {
        const Folder folder;
        const auto problemWith = [&](const std::string& file) {
            return QString::fromStdString(firstProblem(moduleProject(file, false), folder.path()));
        };
        QVERIFY2(problemWith("none.pt").startsWith("network/body/file: there is no file"),
                 qPrintable(problemWith("none.pt")));
        QVERIFY(problemWith(".").contains("not a file"));
        std::ofstream(folder.path() / "empty.pt").close();
        QVERIFY(problemWith("empty.pt").contains("empty"));
        std::ofstream(folder.path() / "text.pt") << "this is no archive, whatever it is called";
        QVERIFY(problemWith("text.pt").contains("damaged, or no TorchScript file"));
        writeModule(folder.path() / "whole.pt");
        std::ifstream stream(folder.path() / "whole.pt", std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
        for (std::size_t share = 1; share < 10; ++share) {
            std::ofstream(folder.path() / "cut.pt", std::ios::binary)
                << bytes.substr(0, bytes.size() * share / 10);
            QVERIFY(problemWith("cut.pt").contains("network/body/file"));
        }
        Checkpoint weights;
        weights.state["w"] = torch::ones({2});
        QVERIFY(saveCheckpoint(weights, folder.path() / "weights.pt").ok());
        QVERIFY2(problemWith("weights.pt").contains("no program"), qPrintable(problemWith("weights.pt")));
    }

    void aModuleThatReachesOutIsRefused()
    {
        const Folder folder;
        torch::jit::Module module("Bad");
        const std::string target = (folder.path() / "written").string();
        module.define("def forward(self, x: Tensor) -> Tensor:\n    torch.save(x, '" + target +
                      "')\n    return x\n");
        module.save((folder.path() / "bad.pt").string());
        const auto problem =
            QString::fromStdString(firstProblem(moduleProject("bad.pt", false), folder.path()));
        QVERIFY2(problem.contains("save") && problem.contains("reaches out"), qPrintable(problem));
        QVERIFY(!std::filesystem::exists(target));
    }

    void doubleWeightsCannotBeTrained()
    {
        const Folder folder;
        torch::jit::Module module("Double");
        module.register_parameter("weight", torch::ones({2, 2}, torch::kDouble), false);
        module.define(
            "def forward(self, x: Tensor) -> Tensor:\n    return torch.matmul(x, self.weight.float())\n");
        module.save((folder.path() / "double.pt").string());
        QVERIFY(QString::fromStdString(firstProblem(moduleProject("double.pt", true), folder.path()))
                    .contains("Double"));
    }

    void mistakesNameTheNodeAndItsParameter()
    {
        Json project = scriptProject({{"epochs", 1}});
        project["network"]["nodes"][1]["params"]["source"] =
            "def forward(self, x: Tensor) -> Tensor:\n    return x * y\n";
        const Project broken = projectOf(project);
        const ProjectCheck check = checkProject(broken);
        QVERIFY(!check.problems.empty());
        QCOMPARE(check.problems[0].where, std::string("network/cell/source"));
        QCOMPARE(check.problems[0].message, std::string("line 2, column 16: unknown name y"));
        // The same wall when a network is built without a look before.
        FieldTypes fields;
        fields.fields["features"] = TensorType{{kBatch, 2}};
        const auto network = CompiledNetwork::compile(broken.network, checkNetwork(broken.network, fields));
        QVERIFY(!network.ok());
        QCOMPARE(network.error().where, std::string("network/cell/source"));
    }

    void aFailureInTheMiddleOfARunNamesTheLine()
    {
        Json project = scriptProject({{"epochs", 2}});
        project["network"]["nodes"][1]["params"]["source"] =
            "def forward(self, x: Tensor) -> Tensor:\n    if x.size(0) > 3:\n        assert False, 'too many "
            "samples'\n"
            "    return torch.matmul(x[:, :1], self.w_in)\n";
        const Record record = runSession(project);
        QCOMPARE(record.state, SessionState::Failed);
        QVERIFY(!record.problems.empty());
        QCOMPARE(record.problems.back().where, std::string("network/cell/source"));
        QVERIFY(QString::fromStdString(record.problems.back().message)
                    .contains("line 3, column 9: too many samples"));
    }

    void aStopEndsARunThatIsStuckInALoop()
    {
        Json project = scriptProject({{"epochs", 2}});
        // Small batches, as a check tries them, pass; those of the run never end.
        project["network"]["nodes"][1]["params"]["source"] =
            "def forward(self, x: Tensor) -> Tensor:\n    while x.size(0) > 3:\n        x = x + 1\n"
            "    return torch.matmul(x[:, :1], self.w_in)\n";
        SessionOptions options;
        options.threads = 1;
        RunningSession running(projectOf(project), options);
        QVERIFY(running.waitFor(SessionState::Running));
        QTest::qSleep(500); // a stop before the first step would find no loop
        running.session().post(command::Stop{});
        const Record record = running.finish();
        QCOMPARE(record.state, SessionState::Failed);
        QVERIFY(QString::fromStdString(record.problems.back().message)
                    .contains("line 2, column 5: the loop did not end"));
    }

    void aVariationalAutoencoderTrains()
    {
        const Json encoder{
            {"source",
             "def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:\n    return x[:, :1], x[:, 1:]\n"},
            {"outputs", {"mean", "logvar"}}};
        const Json sample{
            {"source",
             "def forward(self, mean: Tensor, logvar: Tensor) -> Tensor:\n    if self.training:\n"
             "        return mean + torch.exp(0.5 * logvar) * torch.randn_like(mean)\n    return mean\n"}};
        const Json loss{
            {"source",
             "def forward(self, input: Tensor, target: Tensor, mean: Tensor, logvar: Tensor) -> Tensor:\n"
             "    rebuilt = torch.sum((input - target) ** 2) / input.size(0)\n"
             "    return rebuilt - 0.05 * torch.sum(1 + logvar - mean ** 2 - torch.exp(logvar)) / "
             "input.size(0)\n"}};
        Json network{{"nodes",
                      {nodeJson("x", "Input", {{"field", "features"}}),
                       nodeJson("enc", "Linear", {{"out_features", 2}}), nodeJson("split", "Script", encoder),
                       nodeJson("sample", "Script", sample), nodeJson("dec", "Linear", {{"out_features", 2}}),
                       nodeJson("loss", "ScriptLoss", loss)}},
                     {"edges", Json::array()}};
        for (const auto& [from, to] :
             std::vector<std::pair<std::string, std::string>>{{"x", "enc"},
                                                              {"enc", "split"},
                                                              {"split:mean", "sample:mean"},
                                                              {"split:logvar", "sample:logvar"},
                                                              {"sample", "dec"},
                                                              {"dec", "loss:input"},
                                                              {"x", "loss:target"},
                                                              {"split:mean", "loss:mean"},
                                                              {"split:logvar", "loss:logvar"}})
            network["edges"].push_back({from, to});
        Json project = scriptProject({{"epochs", 20}});
        project["network"] = network;
        const ProjectCheck check = checkProject(projectOf(project));
        QVERIFY2(check.ok(),
                 check.problems.empty() ? "" : (check.problems[0].where + check.problems[0].message).c_str());
        QCOMPARE(check.network.nodes.at("sample").outputs.at(0)->text(), std::string("N×1"));
        const Record record = runSession(project);
        QVERIFY2(record.problems.empty(),
                 record.problems.empty() ? "" : record.problems.front().message.c_str());
        QVERIFY(record.series.at("val/loss").back().second < record.series.at("val/loss").front().second);
    }
};

QTEST_APPLESS_MAIN(TestScriptSession)
#include "tst_script_session.moc"
