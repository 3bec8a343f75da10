#include "tests/engine/project/project_builder.h"

#include <QtTest>

using namespace athanor;

class ProjectValues : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sets_data();
    void sets();
    void refuses_data();
    void refuses();
    void keepsEverythingElse();
    void changesTheKindOfANode();
    void changesTheKindOfAnOptimizer();
    void epochsAndStepsReplaceEachOther();
    void nullThatMeansSomething();
    void monitorTakesItsModeAlong();
    void listsOfSchedulersAndInitializers();
};

void ProjectValues::sets_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("line"); // what the saved file then holds
    const auto row = [](const char* path, const char* value, const char* line) {
        QTest::newRow((std::string(path) + "=" + value).c_str()) << path << value << line;
    };
    row("name", "digits", R"("name": "digits")");
    row("name", "\"a b\"", R"("name": "a b")");
    row("name", "7", R"("name": "7")");
    row("network.fc1.out_features", "64",
        R"({"id": "fc1", "kind": "Linear", "params": {"out_features": 64}})");
    row("network.fc1.bias", "false", R"("params": {"bias": false, "out_features": 16})");
    row("network.conv.kernel_size", "[3, 5]", R"("kernel_size": [3, 5])");
    row("network.conv.kernel_size.1", "7", R"("kernel_size": [3, 7])");
    row("network.conv.stride.0", "2", R"("stride": [2, 1])");
    row("network.conv.padding", "same", R"("padding": "same")");
    row("network.loss.label_smoothing", "0.1", R"("params": {"label_smoothing": 0.1})");
    row("network.loss.class_weight", "[1, 2, 3]", R"("class_weight": [1, 2, 3])");
    row("data.loader.batch_size", "8", R"("params": {"batch_size": 8})");
    row("data.table.target", "3", R"("target": 3)");
    row("data.table.target", "quality", R"("target": "quality")");
    row("data.table.path", "12", R"("path": "12")");
    row("data.table.ignore", "[\"id\"]", R"("ignore": ["id"])");
    row("data.table.ignore", "id", R"("ignore": ["id"])");
    row("data.table.header", "true", R"("header": true)");
    row("training.optimizer.lr", "0.01", R"("lr": 0.01)");
    row("training.optimizer.lr", "1e-3", R"("lr": 0.001)");
    row("training.optimizer.nesterov", "true", R"("nesterov": true)");
    row("training.optimizer", R"({"kind": "Adam", "lr": 0.5})",
        R"("optimizer": {"kind": "Adam", "lr": 0.5})");
    row("training.scheduler.kind", "ExponentialLR",
        R"("scheduler": {"interval": "epoch", "kind": "ExponentialLR"})");
    row("training.scheduler", R"([{"kind": "ConstantLR"}, {"kind": "StepLR", "step_size": 2}])",
        R"("scheduler": [{"interval": "epoch", "kind": "ConstantLR"}, )");
    row("training.epochs", "9", R"("epochs": 9)");
    row("training.seed", "123456789012", R"("seed": 123456789012)");
    row("training.device", "cuda:1", R"("device": "cuda:1")");
    row("training.clip_grad_norm", "1", R"("clip_grad_norm": 1.0)");
    row("training.metrics", R"(["accuracy", "f1"])", R"("metrics": ["accuracy", "f1"])");
    row("training.metrics", "f1", R"("metrics": ["f1"])");
    row("training.metrics.0", "f1", R"("metrics": ["f1"])");
    row("training.freeze", R"(["fc1*"])", R"("freeze": ["fc1*"])");
    row("training.validate_every", "100", R"("validate_every": 100)");
    row("training.precision", "bf16", R"("precision": "bf16")");
    row("training.checkpoint.keep", "5", R"("keep": 5)");
    row("training.checkpoint.every", "50", R"("every": 50)");
    row("training.early_stopping.patience", "3",
        R"("early_stopping": {"min_delta": 0.0, "mode": "min", "monitor": "val/loss", "patience": 3})");
    row("training.init", R"([{"match": "*", "kind": "zeros"}])",
        R"("init": [{"kind": "zeros", "match": "*"}])");
    row("training.on_non_finite", "stop", R"("on_non_finite": "stop")");
}

void ProjectValues::sets()
{
    QFETCH(QString, path);
    QFETCH(QString, value);
    QFETCH(QString, line);
    Project project = projectOf(tableProjectText());
    const Status status = setProjectValue(project, path.toStdString(), value.toStdString());
    QVERIFY2(status.ok(), status.ok() ? "" : status.error().text().c_str());
    const std::string text = projectText(project);
    QVERIFY2(text.find(line.toStdString()) != std::string::npos, text.c_str());
    QCOMPARE(projectText(projectOf(text)), text);
}

void ProjectValues::refuses_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("where");
    QTest::addColumn<QString>("message");
    QTest::addColumn<QString>("hint");
    const auto row = [](const char* path, const char* value, const char* where, const char* message,
                        const char* hint) {
        QTest::newRow((std::string(path) + "=" + value).c_str()) << path << value << where << message << hint;
    };
    row("", "1", "", "there is no setting ''", "there are name, data, network, training");
    row("trainng.epochs", "1", "trainng/epochs", "there is no setting 'trainng'", "did you mean 'training'?");
    row("athanor", "2", "athanor", "there is no setting 'athanor'",
        "there are name, data, network, training");
    row("name.first", "x", "name/first", "there is nothing inside the name", "");
    row("network", "x", "network", "there is no node ''", "there are x, fc1, act, fc2, conv, norm, y, loss");
    row("network.fc3.bias", "true", "network/fc3/bias", "there is no node 'fc3'", "did you mean 'fc1'?");
    row("network.fc1", "{}", "network/fc1", "names a node, but none of its parameters",
        "there are in_features, out_features, bias");
    row("network.fc1.out_feature", "3", "network/fc1/out_feature", "there is no parameter 'out_feature'",
        "did you mean 'out_features'?");
    row("network.fc1.out_features", "three", "network/fc1/out_features",
        "out_features must be a whole number, is \"three\"", "write the number without quotes");
    row("network.fc1.out_features", "0", "network/fc1/out_features", "out_features must be at least 1, is 0",
        "");
    row("network.fc1.out_features", "2.5", "network/fc1/out_features",
        "out_features must be a whole number, is 2.5", "write it without a decimal point");
    row("network.fc1.out_features", "null", "network/fc1/out_features", "out_features must not be null", "");
    row("network.fc1.out_features.0", "3", "network/fc1/out_features/0", "there is nothing inside this value",
        "end the path before '0'");
    row("network.conv.kernel_size.2", "3", "network/conv/kernel_size/2",
        "the list has 2 entries, there is no '2'", "entries are counted from 0");
    row("network.conv.kernel_size.0", "0", "network/conv/kernel_size/0",
        "kernel_size entry 1 must be at least 1, is 0", "");
    row("network.act.kind", "Relu9", "network/act/kind", "there is no kind 'Relu9'", "did you mean 'ReLU'?");
    row("data.loader.batchsize", "8", "data/loader/batchsize", "there is no parameter 'batchsize'",
        "did you mean 'batch_size'?");
    row("training", "{}", "training", "names the whole training part",
        "name one setting, such as training.epochs");
    row("training.epoch", "3", "training/epoch", "there is no setting 'epoch'", "did you mean 'epochs'?");
    row("training.epochs", "0", "training/epochs", "epochs must be at least 1, is 0", "");
    row("training.epochs", "many", "training/epochs", "epochs must be a whole number, is \"many\"",
        "write the number without quotes");
    row("training.optimizer.rl", "1", "training/optimizer/rl", "there is no parameter 'rl'",
        "did you mean 'lr'?");
    row("training.optimizer.lr", "-1", "training/optimizer/lr", "lr must be at least 0, is -1", "");
    row("training.optimizer.lr", "fast", "training/optimizer/lr", "lr must be a number, is \"fast\"",
        "write the number without quotes");
    row("training.optimizer.kind", "Adamm", "training/optimizer/kind", "there is no kind 'Adamm'",
        "did you mean 'Adam'?");
    row("training.optimizer", R"({"kind": "Adam", "lr": "x"})", "training/optimizer/lr",
        "lr must be a number, is \"x\"", "write the number without quotes");
    row("training.optimizer", "Adam", "training/optimizer", "optimizer must be an object with a kind",
        "such as {\"kind\": …}");
    row("training.scheduler.gamma", "0.5", "training/scheduler/gamma", "no kind is set yet",
        "set its kind first: there are StepLR, MultiStepLR, ExponentialLR, CosineAnnealingLR, LinearLR, "
        "ConstantLR, CosineAnnealingWarmRestarts, OneCycleLR, CyclicLR, PolynomialLR, ReduceLROnPlateau, "
        "LambdaLR, ChainedScheduler");
    row("training.scheduler.1.gamma", "0.5", "training/scheduler/1/gamma", "there is no such entry",
        "the list has 0, counted from 0");
    row("training.checkpoint", R"({"evry": 3})", "training/checkpoint/evry",
        "there is no setting 'evry'; it is kept, but has no effect", "did you mean 'every'?");
    row("training.checkpoint.kep", "3", "training/checkpoint/kep", "there is no setting 'kep'",
        "did you mean 'keep'?");
    row("training.metrics", "acuracy", "training/metrics",
        "metrics entry 1 must be one of accuracy, top2_accuracy, top3_accuracy, top5_accuracy, top10_accuracy, "
        "precision, precision_micro, precision_weighted, recall, recall_micro, recall_weighted, f1, f1_micro, "
        "f1_weighted, roc_auc, average_precision, confusion_matrix, cohen_kappa, mcc, ece, perplexity, "
        "token_accuracy, iou, dice, mae, mse, rmse, r2, mape, is \"acuracy\"",
        "did you mean 'accuracy'?");
    row("training.init.0.std", "1", "training/init/0/std", "there is no such entry",
        "the list has 0, counted from 0");
    row("training.precision", "fp8", "training/precision",
        "precision must be one of fp32, bf16, fp16, is \"fp8\"", "");
    row("name", "\xff", "name", "is no valid UTF-8 text", "write PATH=VALUE in UTF-8");
}

void ProjectValues::refuses()
{
    QFETCH(QString, path);
    QFETCH(QString, value);
    QFETCH(QString, where);
    QFETCH(QString, message);
    QFETCH(QString, hint);
    Project project = projectOf(tableProjectText());
    const std::string before = projectText(project);
    // Qt turned the invalid byte into a replacement character: hand over the byte itself.
    const std::string raw =
        QTest::currentDataTag() == std::string("name=\xff") ? "\xff" : value.toStdString();
    const Status status = setProjectValue(project, path.toStdString(), raw);
    QVERIFY(!status.ok());
    QCOMPARE(QString::fromStdString(status.error().where), where);
    QCOMPARE(QString::fromStdString(status.error().message), message);
    QCOMPARE(QString::fromStdString(status.error().hint), hint);
    QCOMPARE(projectText(project), before);
}

void ProjectValues::keepsEverythingElse()
{
    const std::string file = ATHANOR_SOURCE_DIR "/tests/data/projects/v1.athanor";
    Project project = loadProject(file)->project;
    QVERIFY(setProjectValue(project, "training.optimizer.lr", "0.004").ok());
    QVERIFY(setProjectValue(project, "training.optimizer.groups.0.lr", "0.0002").ok());
    std::string expected = fileText(file);
    expected.replace(expected.find("\"lr\": 0.002"), 11, "\"lr\": 0.004");
    expected.replace(expected.find("\"lr\": 0.0001"), 12, "\"lr\": 0.0002");
    QCOMPARE(projectText(project), expected);
}

void ProjectValues::changesTheKindOfANode()
{
    Project project = projectOf(tableProjectText());
    const std::vector<Edge> edges = project.network.edges();
    QVERIFY(setProjectValue(project, "network.act.kind", "GELU").ok());
    QVERIFY(setProjectValue(project, "network.conv.kind", "ConvTranspose2d").ok());
    QVERIFY(setProjectValue(project, "network.norm.kind", "Identity").ok());
    QCOMPARE(project.network.nodes()[2].id, std::string("act"));
    QCOMPARE(project.network.nodes()[2].kind, std::string("GELU"));
    QCOMPARE(project.network.nodes()[4].params, Json({{"kernel_size", 3}, {"out_channels", 4}}));
    QVERIFY(project.network.edges() == edges);
}

void ProjectValues::changesTheKindOfAnOptimizer()
{
    Project project = projectOf(tableProjectText());
    QVERIFY(setProjectValue(project, "training.optimizer.kind", "AdamW").ok());
    QCOMPARE(project.training.optimizer, (KindSpec{"AdamW", {{"lr", 0.1}}})); // no momentum there
    QVERIFY(setProjectValue(project, "training.optimizer.betas.1", "0.95").ok());
    QCOMPARE(project.training.optimizer.params["betas"], Json({0.9, 0.95}));
    QVERIFY(checkTraining(project).empty());
}

void ProjectValues::epochsAndStepsReplaceEachOther()
{
    Project project = projectOf(tableProjectText());
    QVERIFY(setProjectValue(project, "training.steps", "100").ok());
    QVERIFY(project.training.steps == 100 && !project.training.epochs);
    QVERIFY(setProjectValue(project, "training.epochs", "2").ok());
    QVERIFY(project.training.epochs == 2 && !project.training.steps);
    QVERIFY(setProjectValue(project, "training.epochs", "null").ok());
    QVERIFY(!project.training.epochs && !project.training.steps);
}

void ProjectValues::nullThatMeansSomething()
{
    Project project = projectOf(tableProjectText());
    QVERIFY(
        setProjectValue(project, "network.norm.momentum", "null").ok()); // a plain mean, not the default 0.1
    QCOMPARE(project.network.find("norm")->params, Json({{"momentum", nullptr}}));
    QVERIFY(setProjectValue(project, "network.norm.momentum", "0.2").ok());
    QCOMPARE(project.network.find("norm")->params, Json({{"momentum", 0.2}}));
    QVERIFY(setProjectValue(project, "data.table.target", "null").ok()); // the default: none
    QVERIFY(!project.data.find("table")->params.contains("target"));
    QVERIFY(setProjectValue(project, "training.clip_grad_norm", "2").ok());
    QVERIFY(setProjectValue(project, "training.clip_grad_norm", "null").ok());
    QVERIFY(!project.training.clipGradNorm);
    QVERIFY(setProjectValue(project, "training.early_stopping.patience", "2").ok());
    QVERIFY(setProjectValue(project, "training.early_stopping", "null").ok());
    QVERIFY(!project.training.earlyStopping);
}

void ProjectValues::monitorTakesItsModeAlong()
{
    Project project = projectOf(tableProjectText());
    QVERIFY(setProjectValue(project, "training.checkpoint.monitor", "val/accuracy").ok());
    QCOMPARE(project.training.checkpoint.mode, MonitorMode::Max);
    QVERIFY(setProjectValue(project, "training.checkpoint.mode", "min").ok());
    QCOMPARE(project.training.checkpoint.mode, MonitorMode::Min);
}

void ProjectValues::listsOfSchedulersAndInitializers()
{
    Project project = projectOf(tableProjectText());
    QVERIFY(setProjectValue(project, "training.scheduler.kind", "LinearLR").ok());
    QVERIFY(setProjectValue(project, "training.scheduler.total_iters", "3").ok());
    QVERIFY(setProjectValue(project, "training.scheduler.interval", "step").ok());
    QVERIFY(setProjectValue(project, "training.scheduler.1.kind", "CosineAnnealingLR").ok());
    QVERIFY(setProjectValue(project, "training.scheduler.1.T_max", "20").ok());
    QCOMPARE(project.training.schedulers.size(), std::size_t(2));
    QCOMPARE(project.training.schedulers[0],
             (SchedulerSpec{{"LinearLR", {{"total_iters", 3}}}, ScheduleInterval::Step}));
    QCOMPARE(project.training.schedulers[1],
             (SchedulerSpec{{"CosineAnnealingLR", {{"T_max", 20}}}, ScheduleInterval::Epoch}));
    const Status which = setProjectValue(project, "training.scheduler.T_max", "20");
    QVERIFY(!which.ok());
    QCOMPARE(which.error().hint, std::string("say which by its number, from 0"));
    QVERIFY(setProjectValue(project, "training.init", R"([{"match": "*", "kind": "normal"}])").ok());
    QVERIFY(setProjectValue(project, "training.init.0.std", "0.5").ok());
    QVERIFY(setProjectValue(project, "training.init.0.match", "fc*").ok());
    QCOMPARE(project.training.init.at(0), (InitSpec{"fc*", {"normal", {{"std", 0.5}}}}));
    QVERIFY(setProjectValue(project, "training.scheduler", "null").ok());
    QVERIFY(project.training.schedulers.empty());
}

QTEST_APPLESS_MAIN(ProjectValues)
#include "tst_project_values.moc"
