#include "tests/engine/project/project_builder.h"

#include "engine/graph/graph_edit.h"
#include "engine/graph/param_check.h"

#include <QtTest>

using namespace athanor;

namespace {

std::string linesOf(const std::vector<Problem>& problems)
{
    std::string text;
    for (const Problem& problem : problems)
        text +=
            std::string(severityName(problem.severity)) + " " + problem.where + ": " + problem.message + "\n";
    return text;
}

std::string listOf(const std::vector<std::string>& words)
{
    std::string text;
    for (const std::string& word : words)
        text.append(text.empty() ? "" : ", ").append(word);
    return text;
}

std::string problemsOf(const std::string& training)
{
    return linesOf(checkTraining(projectOf(tableProjectText(training))));
}

} // namespace

class TrainingCheckTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void soundTraining();
    void ranges();
    void kinds();
    void optimizerRules();
    void schedules();
    void schedulesThatCycle();
    void averagingAndScaling();
    void initializers();
    void patternsMatchSomething();
    void metricsFitTheLoss();
    void monitors();
    void precisionAndDevice();
    void schemaIsPyTorchs();
};

void TrainingCheckTest::soundTraining()
{
    QCOMPARE(problemsOf("{}"), std::string());
    QCOMPARE(
        problemsOf(
            R"({"epochs": 3, "optimizer": {"kind": "Adam", "betas": [0.9, 0.99], "groups": [{"match": "fc1*", "lr": 0.1}]},
        "scheduler": [{"kind": "LinearLR", "interval": "step"}, {"kind": "CosineAnnealingLR", "T_max": 9}],
        "init": [{"match": "fc*", "kind": "kaiming_normal", "nonlinearity": "relu"}, {"match": "*.bias", "kind": "zeros"}], "metrics": ["accuracy", "f1"],
        "checkpoint": {"monitor": "val/f1"}, "early_stopping": {"monitor": "train/loss"}, "clip_grad_norm": 1})"),
        std::string());
}

void TrainingCheckTest::ranges()
{
    QCOMPARE(
        problemsOf(
            R"({"epochs": 0, "accumulate": 0, "clip_grad_norm": 0, "clip_grad_value": -1, "validate_every": 0,
        "checkpoint": {"keep": -1, "every": -5}, "early_stopping": {"patience": 0, "min_delta": -1}})"),
        std::string("error training/epochs: epochs must be at least 1, is 0\n"
                    "error training/accumulate: accumulate must be at least 1, is 0\n"
                    "error training/clip_grad_norm: clip_grad_norm must be above 0, is 0.0\n"
                    "error training/clip_grad_value: clip_grad_value must be above 0, is -1.0\n"
                    "error training/validate_every: validate_every must be at least 1, is 0\n"
                    "error training/checkpoint/every: every must be at least 1, is -5\n"
                    "error training/checkpoint/keep: keep must be at least 0, is -1\n"
                    "error training/early_stopping/patience: patience must be at least 1, is 0\n"
                    "error training/early_stopping/min_delta: min_delta must be at least 0, is -1.0\n"));
    QCOMPARE(problemsOf(R"({"epochs": 1, "steps": 1})"),
             std::string("error training/steps: epochs and steps are both set\n"));
}

void TrainingCheckTest::kinds()
{
    const auto problems = checkTraining(projectOf(tableProjectText(
        R"({"optimizer": {"kind": "adam"}, "scheduler": {"kind": "Step"}, "init": [{"match": "*", "kind": "kaiming"}, {"match": "", "kind": "normal", "sd": 1}], "metrics": ["acc"]})")));
    QCOMPARE(linesOf(problems), std::string("error training/metrics: metrics entry 1 must be one of " +
                                            listOf(metricNames()) + ", is \"acc\"\n"
                                            "error training/optimizer/kind: there is no optimizer 'adam'\n"
                                            "error training/scheduler/kind: there is no scheduler 'Step'\n"
                                            "error training/init/0/kind: there is no initializer 'kaiming'\n"
                                            "error training/init/1/match: matches nothing\n"
                                            "error training/init/1/sd: normal has no parameter 'sd'\n"));
    QCOMPARE(problems[1].hint, std::string("did you mean 'Adam'?"));
    QCOMPARE(
        problems[2].hint,
        "there are " + listOf(schedulerKinds()));
    QCOMPARE(problems[5].hint, std::string("did you mean 'std'?"));
}

void TrainingCheckTest::optimizerRules()
{
    const auto optimizer = [](const std::string& text) {
        return problemsOf(R"({"optimizer": )" + text + "}");
    };
    QCOMPARE(
        optimizer(R"({"kind": "SGD", "nesterov": true})"),
        std::string("error training/optimizer/nesterov: nesterov needs momentum above 0 and no dampening\n"));
    QCOMPARE(optimizer(R"({"kind": "SGD", "nesterov": true, "momentum": 0.9})"), std::string());
    QCOMPARE(
        optimizer(R"({"kind": "SGD", "nesterov": true, "momentum": 0.9, "dampening": 0.1})"),
        std::string("error training/optimizer/nesterov: nesterov needs momentum above 0 and no dampening\n"));
    QCOMPARE(
        optimizer(R"({"kind": "Adam", "lr": -1, "betas": [0.9, 1], "momentum": 0.9})"),
        std::string("error training/optimizer/betas: betas entry 2 must be at least 0 and below 1, is 1\n"
                    "error training/optimizer/lr: lr must be at least 0, is -1\n"
                    "error training/optimizer/momentum: Adam has no parameter 'momentum'\n"));
    QCOMPARE(optimizer(R"({"kind": "Adam", "betas": [0.9]})"),
             std::string("error training/optimizer/betas: betas must have 2 entries, has 1\n"));
    QCOMPARE(optimizer(R"({"kind": "Adam", "groups": [{"lr": 1}, 3, {"match": "fc1*", "rl": 1}]})"),
             std::string("error training/optimizer/groups/0/match: a group needs match\n"
                         "error training/optimizer/groups/1: a group must be an object\n"
                         "error training/optimizer/groups/2/rl: a group has no parameter 'rl'\n"));
    QCOMPARE(optimizer(R"({"kind": "Adam", "groups": 1})"),
             std::string("error training/optimizer/groups: groups must be a list\n"));
}

void TrainingCheckTest::schedules()
{
    const auto scheduler = [](const std::string& text) {
        return problemsOf(R"({"scheduler": )" + text + "}");
    };
    QCOMPARE(scheduler(R"({"kind": "StepLR"})"),
             std::string("error training/scheduler/step_size: StepLR needs step_size\n"));
    QCOMPARE(scheduler(R"({"kind": "MultiStepLR", "milestones": [5, 3]})"),
             std::string("error training/scheduler/milestones: the milestones do not rise\n"));
    QCOMPARE(
        scheduler(R"({"kind": "MultiStepLR", "milestones": [3, "x"]})"),
        std::string(
            "error training/scheduler/milestones: milestones entry 2 must be a whole number, is \"x\"\n"));
    QCOMPARE(
        scheduler(R"([{"kind": "StepLR", "step_size": 1}, {"kind": "LinearLR", "start_factor": 0}])"),
        std::string(
            "error training/scheduler/0: StepLR has no end, so what follows it never starts\n"
            "error training/scheduler/1/start_factor: start_factor must be above 0 and at most 1, is 0\n"));
}

void TrainingCheckTest::schedulesThatCycle()
{
    const auto training = [](const std::string& optimizer, const std::string& scheduler) {
        return problemsOf(R"({"optimizer": {"kind": ")" + optimizer + R"("}, "scheduler": )" + scheduler + "}");
    };
    QCOMPARE(training("AdamW", R"({"kind": "OneCycleLR", "max_lr": 0.1})"), std::string());
    QCOMPARE(training("Adagrad", R"({"kind": "OneCycleLR", "max_lr": 0.1})"),
             std::string("error training/scheduler/cycle_momentum: Adagrad has no momentum that OneCycleLR could change\n"));
    QCOMPARE(training("Adam", R"({"kind": "CyclicLR", "base_lr": 0.2, "max_lr": 0.1})"),
             std::string("error training/scheduler/cycle_momentum: Adam has no momentum that CyclicLR could change\n"
                         "error training/scheduler/max_lr: max_lr must not be below base_lr\n"));
    QCOMPARE(training("SGD", R"([{"kind": "StepLR", "step_size": 1, "duration": 3}, {"kind": "ConstantLR"}])"), std::string());
    QCOMPARE(training("SGD", R"([{"kind": "StepLR", "step_size": 1, "duration": 0}, {"kind": "ConstantLR"}])"),
             std::string("error training/scheduler/0/duration: duration must be at least 1, is 0\n"));
    QCOMPARE(training("SGD", R"({"kind": "LambdaLR", "lr_lambda": "0.9 ** epok"})"),
             std::string("error training/scheduler/lr_lambda: nothing is called 'epok' (character 8)\n"));
    QCOMPARE(training("SGD", R"({"kind": "ReduceLROnPlateau", "monitor": "val/acc"})"),
             std::string("error training/scheduler/monitor: no series 'val/acc' will be measured\n"));
    QCOMPARE(training("SGD", R"({"kind": "ReduceLROnPlateau", "factor": 1})"),
             std::string("error training/scheduler/factor: factor must be at least 0 and below 1, is 1\n"));
    QCOMPARE(training("SGD", R"({"kind": "ChainedScheduler", "schedulers": [{"kind": "OneCycleLR"}, {"kind": "StepLR"}]})"),
             std::string("error training/scheduler/schedulers/0/kind: there is no factor of a schedule 'OneCycleLR'\n"
                         "error training/scheduler/schedulers/1/step_size: StepLR needs step_size\n"));
}

void TrainingCheckTest::averagingAndScaling()
{
    QCOMPARE(problemsOf(R"({"averaging": {}, "checkpoint": {"monitor": "val/ema/loss"}, "grad_scaler": {}, "grad_noise": {},
                            "time_limit": 60, "hash_every": 10, "autocast_exclude": ["fc*"]})"),
             std::string());
    QCOMPARE(problemsOf(R"({"averaging": {"decay": 1, "every": 0, "start": -1}, "grad_scaler": {"backoff_factor": 1, "growth_factor": 1,
                            "growth_interval": 0, "init_scale": 0}, "grad_noise": {"eta": 0}, "time_limit": 0, "hash_every": 0,
                            "autocast_exclude": ["fd*"]})"),
             std::string("error training/time_limit: time_limit must be above 0, is 0.0\n"
                         "error training/hash_every: hash_every must be at least 1, is 0\n"
                         "error training/averaging/decay: decay must be at least 0 and below 1, is 1.0\n"
                         "error training/averaging/start: start must be at least 0, is -1\n"
                         "error training/averaging/every: every must be at least 1, is 0\n"
                         "error training/grad_scaler/init_scale: init_scale must be above 0, is 0.0\n"
                         "error training/grad_scaler/growth_factor: growth_factor must be above 1, is 1.0\n"
                         "error training/grad_scaler/backoff_factor: backoff_factor must be above 0 and below 1, is 1.0\n"
                         "error training/grad_scaler/growth_interval: growth_interval must be at least 1, is 0\n"
                         "error training/grad_noise/eta: eta must be above 0, is 0.0\n"
                         "warning training/autocast_exclude/0: 'fd*' matches no node of the network\n"));
    QCOMPARE(problemsOf(R"({"averaging": {"kind": "swa"}})"),
             std::string("warning training/averaging/use_buffers: BatchNorm's statistics of the newest weights do not fit "
                         "averaged ones\n"));
    QCOMPARE(problemsOf(R"({"optimizer": {"kind": "LBFGS"}, "precision": "fp16"})"),
             std::string("error training/precision: LBFGS evaluates each batch several times, which does not go with a scaled "
                         "loss\n"));
    QCOMPARE(problemsOf(R"({"optimizer": {"kind": "LBFGS", "groups": []}})"),
             std::string("error training/optimizer/groups: LBFGS has no parameter 'groups'\n"));
}

void TrainingCheckTest::initializers()
{
    const auto init = [](const std::string& text) { return problemsOf(R"({"init": [)" + text + "]}"); };
    // torch.nn.init refuses these shapes: "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"
    QCOMPARE(init(R"({"match": "fc1.*", "kind": "xavier_uniform"})"),
             std::string("error training/init/0: xavier_uniform cannot fill fc1.bias, which has one dimension\n"));
    QCOMPARE(init(R"({"match": "*.bias", "kind": "zeros"}, {"match": "norm.weight", "kind": "orthogonal"})"),
             std::string("error training/init/1: orthogonal cannot fill norm.weight, which has one dimension\n"));
    QCOMPARE(init(R"({"match": "*", "kind": "kaiming_normal"}, {"match": "*.bias", "kind": "zeros"},
                     {"match": "norm.weight", "kind": "ones"}, {"match": "norm.running*", "kind": "zeros"})"),
             std::string());
    QCOMPARE(init(R"({"match": "*", "kind": "constant"})"),
             std::string("error training/init/0/value: constant needs value\n"));
    QCOMPARE(init(R"({"match": "*", "kind": "uniform", "a": 2})"),
             std::string("error training/init/0/b: b must be above a\n"));
    QCOMPARE(init(R"({"match": "*", "kind": "normal", "std": -1})"),
             std::string("error training/init/0/std: std must be at least 0, is -1\n"));
}

void TrainingCheckTest::patternsMatchSomething()
{
    QCOMPARE(
        problemsOf(
            R"({"freeze": ["fc1*", "*.running_mean"], "init": [{"match": "fc?.bias", "kind": "zeros"}]})"),
        std::string());
    const auto problems = checkTraining(projectOf(tableProjectText(
        R"({"freeze": ["fc3*"], "init": [{"match": "*.wait", "kind": "zeros"}], "optimizer": {"kind": "SGD", "groups": [{"match": "fc1.weights"}]}})")));
    QCOMPARE(
        linesOf(problems),
        std::string(
            "warning training/freeze/0: 'fc3*' matches no weight of the network\n"
            "warning training/init/0/match: '*.wait' matches no weight of the network\n"
            "warning training/optimizer/groups/0/match: 'fc1.weights' matches no weight of the network\n"));
    QCOMPARE(problems[0].hint, std::string("did you mean 'fc1*'?"));
    QCOMPARE(problems[2].hint, std::string("did you mean 'fc1.weight'?"));
    QCOMPARE(problemsOf(R"({"freeze": ["fc*", "conv.*", "norm.weight", "norm.bias"]})"),
             std::string("error training/freeze: freezes every parameter, so there is none to train\n"));
    QCOMPARE(problemsOf(R"({"freeze": ["fc*", "conv.*", "norm.weight"]})"), std::string());
    Project unknown = projectOf(tableProjectText(R"({"freeze": ["fc3*"]})"));
    QVERIFY(apply(unknown.network,
                  {edit::AddNode{Node{"plug", "FromAPlugin", Json::object(), Json::object()}, {}, {}}})
                .ok());
    QCOMPARE(linesOf(checkTraining(unknown)), std::string());
}

void TrainingCheckTest::metricsFitTheLoss()
{
    QCOMPARE(problemsOf(R"({"metrics": ["r2", "accuracy", "accuracy"]})"),
             std::string("error training/metrics: r2 does not fit the loss, which is made for classes\n"
                         "warning training/metrics: accuracy is there twice\n"));
    Project regression = projectOf(tableProjectText(R"({"metrics": ["accuracy", "rmse"]})"));
    QVERIFY(setProjectValue(regression, "network.loss.kind", "MSELoss").ok());
    QCOMPARE(
        linesOf(checkTraining(regression)),
        std::string("error training/metrics: accuracy does not fit the loss, which is made for numbers\n"));
    QVERIFY(setProjectValue(regression, "network.loss.one_hot", "true").ok());
    QCOMPARE(linesOf(checkTraining(regression)), std::string());
    QVERIFY(setProjectValue(regression, "network.loss.one_hot", "false").ok());
    QVERIFY(setProjectValue(regression, "network.loss.kind", "HingeEmbeddingLoss").ok());
    QCOMPARE(linesOf(checkTraining(regression)),
             std::string("error training/metrics: accuracy does not fit the loss, which compares neither classes "
                         "nor numbers\nerror training/metrics: rmse does not fit the loss, which compares neither "
                         "classes nor numbers\n"));
    QVERIFY(apply(regression.network, {edit::RemoveNode{"loss"}}).ok());
    QCOMPARE(linesOf(checkTraining(regression)),
             std::string()); // the network's own check says what is missing
}

void TrainingCheckTest::monitors()
{
    QCOMPARE(problemsOf(R"({"checkpoint": {"monitor": "val/accuracy"}})"),
             std::string("error training/checkpoint/monitor: no series 'val/accuracy' will be measured\n"));
    QCOMPARE(
        checkTraining(projectOf(tableProjectText(R"({"checkpoint": {"monitor": "val/accuracy"}})")))[0].hint,
        std::string("add accuracy to metrics"));
    QCOMPARE(checkTraining(projectOf(tableProjectText(R"({"checkpoint": {"monitor": "val_loss"}})")))[0].hint,
             std::string("did you mean 'val/loss'?"));
    QCOMPARE(
        problemsOf(
            R"({"metrics": ["accuracy"], "early_stopping": {"monitor": "val/accuracy", "mode": "min"}})"),
        std::string("warning training/early_stopping/mode: takes the worst 'val/accuracy' for the best\n"));
    Project noValidation = projectOf(tableProjectText(R"({"early_stopping": {}})"));
    QVERIFY(setProjectValue(noValidation, "data.split.val", "0").ok());
    QCOMPARE(
        linesOf(checkTraining(noValidation)),
        std::string(
            "warning training/checkpoint/monitor: there is no validation part, so 'val/loss' is never measured\n"
            "error training/early_stopping/monitor: there is no validation part, so 'val/loss' is never "
            "measured\n"));
}

void TrainingCheckTest::precisionAndDevice()
{
    QCOMPARE(problemsOf(R"({"precision": "fp16", "device": "cpu"})"),
             std::string("error training/precision: fp16 needs a GPU\n"));
    QCOMPARE(problemsOf(R"({"precision": "fp16"})"), std::string());
    const auto onDevice = [](const std::string& device) {
        return problemsOf(Json{{"device", device}}.dump());
    };
    for (const char* good : {"auto", "cpu", "cuda", "cuda:0", "cuda:15"})
        QCOMPARE(onDevice(good), std::string());
    for (const std::string bad : {"", "gpu", "cuda:", "cuda:x", "cuda:1234", "CPU"})
        QCOMPARE(onDevice(bad), "error training/device: there is no device '" + bad + "'\n");
}

void TrainingCheckTest::schemaIsPyTorchs()
{
    const Json truth = Json::parse(fileText(ATHANOR_SOURCE_DIR "/tests/data/pytorch_defaults.json"));
    const auto compare = [&](const char* what, auto paramsOf, const std::vector<std::string>& kinds) {
        QCOMPARE(truth[what].size(), kinds.size());
        for (const std::string& kind : kinds) {
            const auto* params = paramsOf(kind);
            QVERIFY2(params != nullptr && truth[what].contains(kind), kind.c_str());
            for (const auto& [name, standard] : truth[what][kind].items()) {
                const std::string ours = kind == "constant" ? "value" : name; // the contract's name for `val`
                const auto spec = std::find_if(params->begin(), params->end(),
                                               [&](const ParamSpec& s) { return s.name == ours; });
                const std::string place = kind + "." + name;
                QVERIFY2(spec != params->end() && spec->help.size() > 4, place.c_str());
                if (place == "SGD.lr") // required in old versions, 0.001 since PyTorch 2
                    QCOMPARE(spec->standard, Json(0.001));
                else if (standard == "(required)")
                    QVERIFY2(spec->required, place.c_str());
                else
                    QVERIFY2(spec->standard == standard, place.c_str());
            }
        }
    };
    compare("optimizers", optimizerParams, optimizerKinds());
    compare("schedulers", schedulerParams, schedulerKinds());
    compare("initializers", initializerParams, initializerKinds());
    QVERIFY(optimizerParams("Tiger") == nullptr);
    for (const ParamSpec& spec : trainingParams())
        QVERIFY2(spec.help.size() > 8 && !checkValue(spec, spec.standard).has_value(), spec.name.c_str());
}

QTEST_APPLESS_MAIN(TrainingCheckTest)
#include "tst_training_check.moc"
