// One fault each, planted into a sound training; and sound trainings that must raise no alarm.
#include "engine/doctor/doctor.h"
#include "engine/project/project.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <functional>
#include <stdexcept>

using namespace athanor;

namespace {

/// Two spirals' easier sister: rings that a small network tells apart within some epochs.
Json rings()
{
    return Json::parse(R"({
      "athanor": 1, "name": "rings",
      "data": {
        "nodes": [
          {"id": "rings", "kind": "Synthetic", "params": {"kind": "circles", "samples": 1200, "noise": 0.08, "seed": 3}},
          {"id": "split", "kind": "Split", "params": {"train": 0.75, "val": 0.25, "seed": 1}},
          {"id": "norm", "kind": "Standardize"},
          {"id": "loader", "kind": "Loader", "params": {"batch_size": 32, "shuffle": true}}
        ],
        "edges": [["rings", "split"], ["split", "norm"], ["norm", "loader"]]
      },
      "network": {
        "nodes": [
          {"id": "x", "kind": "Input", "params": {"field": "features"}},
          {"id": "fc1", "kind": "Linear", "params": {"out_features": 32}},
          {"id": "act1", "kind": "ReLU"},
          {"id": "fc2", "kind": "Linear", "params": {"out_features": 32}},
          {"id": "act2", "kind": "ReLU"},
          {"id": "fc3", "kind": "Linear", "params": {"out_features": 2}},
          {"id": "y", "kind": "Input", "params": {"field": "label"}},
          {"id": "loss", "kind": "CrossEntropyLoss"}
        ],
        "edges": [["x", "fc1"], ["fc1", "act1"], ["act1", "fc2"], ["fc2", "act2"], ["act2", "fc3"],
                  ["fc3", "loss:input"], ["y", "loss:target"]]
      },
      "training": {"epochs": 12, "seed": 5, "metrics": ["accuracy"],
                   "optimizer": {"kind": "SGD", "lr": 0.1, "momentum": 0.9}}
    })");
}

Json& node(Json& project, const std::string& id)
{
    for (Json& one : project["network"]["nodes"])
        if (one["id"] == id)
            return one;
    throw std::runtime_error(id);
}

/// Puts a node between the last layer and the loss.
void appendLast(Json& project, const char* kind, Json params = Json::object())
{
    project["network"]["nodes"].push_back({{"id", "last"}, {"kind", kind}, {"params", std::move(params)}});
    for (Json& edge : project["network"]["edges"])
        if (edge[0] == "fc3")
            edge[0] = "last";
    project["network"]["edges"].push_back(Json::array({"fc3", "last"}));
}

/// Only one output unit, for the binary losses.
void makeBinary(Json& project, const char* loss)
{
    node(project, "fc3")["params"]["out_features"] = 1;
    node(project, "loss")["kind"] = loss;
}

using Change = std::function<void(Json&)>;

struct Fault {
    const char* name;
    Change plant;
    const char* rule;
    const char* place; ///< the finding's node; empty: any
};

void set(Json& project, const char* pointer, Json value)
{
    project[Json::json_pointer(pointer)] = std::move(value);
}

const std::vector<Fault>& faults()
{
    static const std::vector<Fault> kFaults{
        {"softmax before cross entropy", [](Json& p) { appendLast(p, "Softmax", {{"dim", 1}}); }, "model/output-activation", "last"},
        {"ReLU before cross entropy", [](Json& p) { appendLast(p, "ReLU"); }, "model/output-activation", "last"},
        {"tanh before cross entropy", [](Json& p) { appendLast(p, "Tanh"); }, "model/output-activation", "last"},
        {"softmax over one unit",
         [](Json& p) {
             makeBinary(p, "BCELoss");
             appendLast(p, "Softmax", {{"dim", 1}});
         },
         "model/output-activation", "last"},
        {"sigmoid before a loss on scores",
         [](Json& p) {
             makeBinary(p, "BCEWithLogitsLoss");
             appendLast(p, "Sigmoid");
         },
         "model/output-activation", "last"},
        {"scores into BCELoss", [](Json& p) { makeBinary(p, "BCELoss"); }, "model/output-activation", "fc3"},
        {"scores into NLLLoss", [](Json& p) { node(p, "loss")["kind"] = "NLLLoss"; }, "model/output-activation", "fc3"},
        {"distance to classes",
         [](Json& p) {
             node(p, "loss")["kind"] = "MSELoss";
             node(p, "loss")["params"] = {{"one_hot", true}};
         },
         "loss/wrong-kind", "loss"},
        {"no activation",
         [](Json& p) {
             node(p, "act1")["kind"] = "Identity";
             node(p, "act2")["kind"] = "Identity";
         },
         "model/no-nonlinearity", "fc1"},
        {"softmax inside",
         [](Json& p) {
             node(p, "act1")["kind"] = "Softmax";
             node(p, "act1")["params"] = {{"dim", 1}};
         },
         "model/hidden-activation", "act1"},
        {"dropout of nearly all",
         [](Json& p) {
             node(p, "act2")["kind"] = "Dropout";
             node(p, "act2")["params"] = {{"p", 0.9}};
         },
         "model/dropout-too-high", "act2"},
        {"frozen and untrained", [](Json& p) { set(p, "/training/freeze", Json::array({"fc1.*", "fc2.*"})); },
         "model/frozen-untrained", "fc1"},
        {"all weights 0",
         [](Json& p) { set(p, "/training/init", Json::array({Json{{"match", "*"}, {"kind", "zeros"}}})); }, "model/init-symmetric",
         "fc1"},
        {"weights far too large",
         [](Json& p) { set(p, "/training/init", Json::array({Json{{"match", "*.weight"}, {"kind", "normal"}, {"std", 5.0}}})); },
         "model/init-too-large", ""},
        {"weights far too small",
         [](Json& p) { set(p, "/training/init", Json::array({Json{{"match", "*.weight"}, {"kind", "normal"}, {"std", 1e-4}}})); },
         "model/init-too-small", ""},
        {"biases that shut every unit",
         [](Json& p) { set(p, "/training/init", Json::array({Json{{"match", "*.bias"}, {"kind", "constant"}, {"value", -20.0}}})); },
         "model/init-dead-units", "act1"},
        {"decay that wins", [](Json& p) { set(p, "/training/optimizer/weight_decay", 0.5); }, "optimization/weight-decay-too-high", ""},
        {"schedule by the step",
         [](Json& p) {
             set(p, "/training/scheduler", Json{{"kind", "StepLR"}, {"step_size", 1}, {"gamma", 0.1}, {"interval", "step"}});
         },
         "optimization/schedule-collapses-lr", ""},
        {"clip to nearly nothing", [](Json& p) { set(p, "/training/clip_grad_norm", 1e-5); }, "optimization/clip-too-small", ""},
        {"learning rate far too low", [](Json& p) { set(p, "/training/optimizer/lr", 1e-7); }, "optimization/lr-too-low", ""},
        {"learning rate far too high", [](Json& p) { set(p, "/training/optimizer/lr", 30.0); }, "optimization/lr-too-high", ""},
        {"sum instead of mean",
         [](Json& p) {
             node(p, "loss")["params"] = {{"reduction", "sum"}};
             set(p, "/training/optimizer/lr", 0.5);
         },
         "loss/reduction", "loss"},
    };
    return kFaults;
}

const std::vector<std::pair<const char*, Change>>& healthy()
{
    static const std::vector<std::pair<const char*, Change>> kHealthy{
        {"as it is", [](Json&) {}},
        {"Adam", [](Json& p) { set(p, "/training/optimizer", Json{{"kind", "Adam"}, {"lr", 0.01}}); }},
        {"AdamW with decay",
         [](Json& p) { set(p, "/training/optimizer", Json{{"kind", "AdamW"}, {"lr", 0.01}, {"weight_decay", 0.1}}); }},
        {"log-softmax and NLL",
         [](Json& p) {
             appendLast(p, "LogSoftmax", {{"dim", 1}});
             node(p, "loss")["kind"] = "NLLLoss";
         }},
        {"sigmoid and BCE",
         [](Json& p) {
             makeBinary(p, "BCELoss");
             appendLast(p, "Sigmoid");
         }},
        {"half dropped",
         [](Json& p) {
             p["network"]["nodes"].push_back({{"id", "drop"}, {"kind", "Dropout"}, {"params", {{"p", 0.5}}}});
             for (Json& edge : p["network"]["edges"])
                 if (edge[0] == "act2")
                     edge[0] = "drop";
             p["network"]["edges"].push_back(Json::array({"act2", "drop"}));
         }},
        {"frozen on purpose",
         [](Json& p) {
             set(p, "/training/freeze", Json::array({"fc1.*"}));
             set(p, "/training/frozen_on_purpose", true);
         }},
        {"cosine", [](Json& p) { set(p, "/training/scheduler", Json{{"kind", "CosineAnnealingLR"}, {"T_max", 12}}); }},
        {"He and clipped",
         [](Json& p) {
             set(p, "/training/init", Json::array({Json{{"match", "*.weight"}, {"kind", "kaiming_normal"}}}));
             set(p, "/training/clip_grad_norm", 1.0);
         }},
        {"tanh", [](Json& p) { node(p, "act1")["kind"] = node(p, "act2")["kind"] = "Tanh"; }},
    };
    return kHealthy;
}

QString said(const Diagnosis& diagnosis)
{
    QString text;
    for (const Finding& finding : diagnosis.findings)
        text += QString::fromStdString(finding.rule + " at " + finding.node + ": " + finding.message) + '\n';
    return text;
}

} // namespace

class DoctorTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_cache;

    static Project projectOf(const Json& json)
    {
        Result<LoadedProject> loaded = parseProject(json.dump());
        if (!loaded)
            qFatal("%s", loaded.error().text().c_str());
        return loaded->project;
    }
    static Diagnosis examined(const Project& project)
    {
        Result<Diagnosis> diagnosis = diagnoseProject(project);
        if (!diagnosis)
            qFatal("%s", diagnosis.error().text().c_str());
        return std::move(*diagnosis);
    }

private Q_SLOTS:
    void initTestCase() { qputenv("XDG_CACHE_HOME", m_cache.path().toUtf8()); }

    void namesThePlantedFault_data()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < faults().size(); ++i)
            QTest::newRow(faults()[i].name) << static_cast<int>(i);
    }
    void namesThePlantedFault()
    {
        QFETCH(int, index);
        const Fault& fault = faults()[static_cast<std::size_t>(index)];
        Json json = rings();
        fault.plant(json);
        const Diagnosis diagnosis = examined(projectOf(json));
        QVERIFY2(diagnosis.sick(), fault.rule);
        const Finding& first = diagnosis.findings.front();
        QVERIFY2(first.rule == fault.rule, qPrintable(said(diagnosis)));
        if (*fault.place != '\0')
            QVERIFY2(first.node == fault.place, qPrintable(said(diagnosis)));
        QVERIFY(!first.why.empty() && !first.message.empty());
        QVERIFY2(!first.fixes.empty(), "no cure is offered");
    }

    /// Each cure that is a setting can be applied, and brings a training that is not sick any more.
    void curesWhatItNames_data() { namesThePlantedFault_data(); }
    void curesWhatItNames()
    {
        QFETCH(int, index);
        Json json = rings();
        faults()[static_cast<std::size_t>(index)].plant(json);
        Project project = projectOf(json);
        for (int attempt = 0; attempt < 3; ++attempt) { // a chain may have more than one link
            const Diagnosis diagnosis = examined(project);
            if (!diagnosis.sick())
                return;
            const Finding& first = diagnosis.findings.front();
            const auto usable = std::find_if(first.fixes.begin(), first.fixes.end(),
                                             [](const SuggestedFix& fix) { return !fix.edit.empty(); });
            if (usable == first.fixes.end()) {
                if (std::any_of(first.fixes.begin(), first.fixes.end(), [](const SuggestedFix& fix) { return fix.graph.has_value(); }))
                    QSKIP("its cure is a change of the drawing");
                QSKIP("its cure is for a person to choose");
            }
            for (const std::string& edit : usable->edit) {
                const auto equals = edit.find('=');
                const Status done = setProjectValue(project, edit.substr(0, equals), edit.substr(equals + 1));
                QVERIFY2(done.ok(), done.ok() ? "" : done.error().text().c_str());
            }
        }
        QVERIFY2(!examined(project).sick(), qPrintable(said(examined(project))));
    }

    void staysSilentOnHealth_data()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < healthy().size(); ++i)
            QTest::newRow(healthy()[i].first) << static_cast<int>(i);
    }
    void staysSilentOnHealth()
    {
        QFETCH(int, index);
        Json json = rings();
        healthy()[static_cast<std::size_t>(index)].second(json);
        const Diagnosis diagnosis = examined(projectOf(json));
        QVERIFY2(!diagnosis.sick(), qPrintable(said(diagnosis)));
        QCOMPARE(diagnosis.steps, std::int64_t(12 * 29)); // 900 samples by 32: 28 full batches and one of 4
    }

    void withoutTrainingItSaysWhatCanBeSeen()
    {
        Json json = rings();
        appendLast(json, "Softmax", {{"dim", 1}});
        DoctorOptions options;
        options.seconds = 0;
        const Result<Diagnosis> diagnosis = diagnoseProject(projectOf(json), options);
        QVERIFY(diagnosis.ok());
        QCOMPARE(diagnosis->steps, std::int64_t(0));
        QCOMPARE(diagnosis->findings.front().rule, std::string("model/output-activation"));
    }

    void itCanBeStopped()
    {
        std::stop_source source;
        source.request_stop();
        const Result<Diagnosis> diagnosis = diagnoseProject(projectOf(rings()), {}, source.get_token());
        QVERIFY(!diagnosis.ok());
        QCOMPARE(diagnosis.error().code, ErrorCode::Cancelled);
    }

    void aBrokenProjectIsAnError()
    {
        Json json = rings();
        node(json, "fc1")["params"]["in_features"] = 7;
        const Result<Diagnosis> diagnosis = diagnoseProject(projectOf(json));
        QVERIFY(!diagnosis.ok());
        QCOMPARE(QString::fromStdString(diagnosis.error().where), QStringLiteral("network/fc1/in_features"));
    }
};

QTEST_GUILESS_MAIN(DoctorTest)
#include "tst_doctor.moc"
