// What a running session lets itself be told, and what it leaves for later: live changes, averages, forks, tools.
#include "session_record.h"

#include "engine/train/checkpoint.h"
#include "engine/train/lr_finder.h"
#include "engine/train/overfit.h"
#include "engine/train/weights/export_weights.h"
#include "engine/train/weights/weights_source.h"

#include <torch/torch.h>

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cmath>

using namespace athanor;
namespace fs = std::filesystem;

namespace {

Json sgd(double lr = 0.05)
{
    return {{"kind", "SGD"}, {"lr", lr}, {"momentum", 0.9}};
}

SessionOptions inFolder(const QTemporaryDir& folder, const char* name = "run")
{
    SessionOptions options;
    options.threads = 1;
    options.checkpointFolder = fs::path(folder.path().toStdString()) / name;
    return options;
}

fs::path newestIn(const fs::path& folder)
{
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().filename().string().starts_with("step-") && entry.path().extension() == ".pt")
            files.push_back(entry.path());
    std::ranges::sort(files);
    return files.empty() ? fs::path() : files.back();
}

Checkpoint loaded(const fs::path& file)
{
    auto checkpoint = loadCheckpoint(file);
    if (!checkpoint.ok())
        throw std::runtime_error(checkpoint.error().text());
    return *checkpoint;
}

/// Runs `steps` steps one by one from a paused session.
class Stepper {
public:
    Stepper(const Json& project, const SessionOptions& options)
        : m_running(projectOf(project), options)
    {
        m_running.session().post(command::Pause{});
        if (!m_running.waitFor(SessionState::Paused))
            throw std::runtime_error("the session did not pause");
    }
    void post(SessionCommand command) { m_running.session().post(std::move(command)); }
    void change(const std::string& path, Json value) { post(command::ChangeSetting{path, std::move(value)}); }
    void steps(std::int64_t count)
    {
        for (std::int64_t i = 0; i < count; ++i) {
            const auto before = m_running.session().progress().step;
            post(command::StepOnce{});
            if (!m_running.waitUntil([&] {
                    return m_running.session().progress().step > before && m_running.session().state() == SessionState::Paused;
                }))
                throw std::runtime_error("a step did not end");
        }
    }
    RunningSession& running() { return m_running; }
    Record finish()
    {
        post(command::Resume{});
        return m_running.finish();
    }

private:
    RunningSession m_running;
};

bool sameState(const std::map<std::string, torch::Tensor>& a, const std::map<std::string, torch::Tensor>& b)
{
    return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
        return x.first == y.first && torch::equal(x.second, y.second);
    });
}

double valueAt(const Record& record, const std::string& series, std::int64_t step)
{
    for (const auto& [at, value] : record.series.at(series))
        if (at == step)
            return value;
    throw std::runtime_error(series + " has no point there");
}

} // namespace

class TestLiveSession : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theFirstEventTellsHowToRepeat()
    {
        const Record record = runSession(spiralProject({{"steps", 2}, {"seed", 41}}));
        QVERIFY(!record.events.empty());
        const QString text = QString::fromStdString(record.events.front().text);
        for (const char* part : {"seed 41", "device cpu", "1 threads", "deterministic", "LibTorch", "project "})
            QVERIFY2(text.contains(part), qPrintable(text));
    }

    void settingsChangeAtTheNextStep()
    {
        Stepper session(spiralProject({{"steps", 12}, {"optimizer", sgd()}}), {});
        session.steps(3);
        session.change("training.clip_grad_norm", 0.001);
        session.steps(2);
        session.change("training.optimizer.weight_decay", 0.25);
        session.change("training.optimizer.lr", 0.5);
        session.change("network.drop1.p", 0.9);
        session.steps(1);
        session.change("training.optimizer.nesterov", true); // fixed
        session.change("training.clip_grad_norm", -1);       // out of range
        session.change("network.drop1.q", 1);
        const Record record = session.finish();
        QCOMPARE(record.state, SessionState::Finished);
        QCOMPARE(record.count(EventKind::SettingChanged), 4);
        const Event* clip = record.saying("clip_grad_norm none → 0.001 from step 4 on");
        QVERIFY(clip && clip->step == 3 && clip->where == "training/clip_grad_norm");
        QVERIFY(record.saying("optimizer.weight_decay 0 → 0.25 from step 6 on"));
        QVERIFY(record.saying("Learning rate 0.05 → 0.5 from step 6 on"));
        QVERIFY(record.saying("drop1.p 0.2 → 0.9 from step 6 on"));
        QVERIFY(record.saying("This cannot be changed while a run is on"));
        QVERIFY(record.saying("clip_grad_norm must be above 0"));
        QCOMPARE(record.series.at("clip/norm").front().first, std::int64_t(4)); // from its first step on
        QVERIFY(valueAt(record, "clip/norm", 4) > 0.9);
        QCOMPARE(valueAt(record, "lr", 5), 0.05);
        QCOMPARE(valueAt(record, "lr", 6), 0.5);
    }

    void frozenLayersStayAndOthersGoOn()
    {
        QTemporaryDir folder;
        auto options = inFolder(folder);
        Stepper session(spiralProject({{"steps", 20}, {"optimizer", {{"kind", "Adam"}, {"lr", 0.01}}}, {"checkpoint", {{"every", 1}, {"keep", 100}}}}), options);
        session.steps(4);
        session.change("training.freeze", Json::array({"fc1.*"}));
        session.steps(4);
        session.change("training.freeze", Json::array());
        session.steps(1);
        session.change("training.freeze", Json::array({"*"})); // nothing would be left
        session.finish();
        const auto at = [&](int step) { return loaded(options.checkpointFolder / ("step-" + QString("%1").arg(step, 8, 10, QChar('0')).toStdString() + ".pt")); };
        const auto fourth = at(4), fifth = at(5), eighth = at(8), ninth = at(9);
        QVERIFY(torch::equal(fourth.state.at("fc1.weight"), eighth.state.at("fc1.weight")));
        QVERIFY(!torch::equal(fourth.state.at("fc2.weight"), fifth.state.at("fc2.weight")));
        QVERIFY(!torch::equal(eighth.state.at("fc1.weight"), ninth.state.at("fc1.weight")));
        QCOMPARE(fifth.optimizer.at("step/fc2.weight").item<std::int64_t>(), std::int64_t(5)); // Adam has forgotten nothing
        QCOMPARE(fifth.optimizer.count("exp_avg/fc1.weight"), 0U);
        QCOMPARE(ninth.optimizer.at("step/fc1.weight").item<std::int64_t>(), std::int64_t(1)); // and begins anew here
    }

    void aNewBatchSizeCountsFromTheNextEpoch()
    {
        // 160 samples: 10 batches of 16 in the first epoch, 5 of 32 in the second.
        Stepper session(spiralProject({{"epochs", 2}, {"optimizer", sgd()}}), {});
        session.steps(3);
        session.change("data.loader.batch_size", 32);
        const Record record = session.finish();
        QVERIFY(record.saying("Batch size 16 → 32 from epoch 2 on"));
        QCOMPARE(record.lastStep(), std::int64_t(15));
        QCOMPARE(record.end, SessionEnd::Completed);
    }

    void aChangeIsTakenBack()
    {
        QTemporaryDir folder;
        const Json project = spiralProject({{"steps", 10}, {"optimizer", sgd()}, {"checkpoint", {{"every", 1}, {"keep", 100}}}, {"hash_every", 1}});
        const Record plain = runSession(project, inFolder(folder, "plain"));
        Stepper session(project, inFolder(folder, "changed"));
        session.steps(4);
        session.change("training.optimizer.lr", 1.0);
        session.steps(3);
        session.post(command::Revert{});
        const Record record = session.finish();
        QCOMPARE(record.state, SessionState::Finished);
        QVERIFY(record.saying("is taken back: from step 8 on the run goes on from its state at step 4"));
        QCOMPARE(record.lastStep(), std::int64_t(13)); // three steps were taken back
        for (std::int64_t step = 1; step <= 4; ++step)
            QCOMPARE(valueAt(record, "weights_hash", step), valueAt(plain, "weights_hash", step));
        QVERIFY(valueAt(record, "weights_hash", 6) != valueAt(plain, "weights_hash", 6));
        for (std::int64_t step = 5; step <= 10; ++step) {
            QCOMPARE(valueAt(record, "weights_hash", step + 3), valueAt(plain, "weights_hash", step));
            QCOMPARE(valueAt(record, "train/loss", step + 3), valueAt(plain, "train/loss", step));
        }
        Stepper none(spiralProject({{"steps", 2}}), {});
        none.post(command::Revert{});
        QVERIFY(none.finish().saying("There is no change to take back"));
    }

    void changesAreMadeAgainWhenARunIsResumed()
    {
        QTemporaryDir folder;
        const Json project = spiralProject({{"steps", 24}, {"optimizer", sgd()}, {"checkpoint", {{"every", 5}, {"keep", 100}}}, {"hash_every", 1}});
        auto options = inFolder(folder);
        Stepper session(project, options);
        session.steps(3);
        session.change("training.optimizer.weight_decay", 0.1);
        session.steps(4);
        session.change("network.drop1.p", 0.6);
        session.change("training.clip_grad_value", 0.05);
        session.steps(2);
        session.change("data.loader.batch_size", 8);
        session.steps(2); // the second epoch begins after step 10
        session.change("training.optimizer.lr", 0.2);
        session.steps(2);
        session.post(command::Revert{});
        const Record whole = session.finish();
        QCOMPARE(whole.state, SessionState::Finished);
        for (const int from : {5, 10, 15, 20}) {
            auto again = options;
            again.resumeFrom = options.checkpointFolder / ("step-" + QString("%1").arg(from, 8, 10, QChar('0')).toStdString() + ".pt");
            again.checkpointFolder = fs::path(folder.path().toStdString()) / ("again" + std::to_string(from));
            fs::copy(options.checkpointFolder, again.checkpointFolder);
            const Record resumed = runSession(project, again);
            QCOMPARE(resumed.state, SessionState::Finished);
            VERIFY_SAME(resumed, whole, difference, from + 1);
        }
    }

    void averagedWeightsAreValidatedKeptAndExported()
    {
        QTemporaryDir folder;
        const auto options = inFolder(folder);
        const Record record = runSession(spiralProject({{"epochs", 3}, {"optimizer", sgd()}, {"metrics", {"accuracy"}}, {"averaging", {{"decay", 0.9}}},
                                                        {"checkpoint", {{"monitor", "val/ema/loss"}}}}),
                                         options);
        QCOMPARE(record.state, SessionState::Finished);
        QCOMPARE(record.series.at("val/ema/loss").size(), record.series.at("val/loss").size());
        QVERIFY(record.series.at("val/ema/loss").back().second != record.series.at("val/loss").back().second);
        QCOMPARE(record.series.at("val/ema/accuracy").size(), 3U);
        const auto file = newestIn(options.checkpointFolder);
        const auto checkpoint = loaded(file);
        QCOMPARE(checkpoint.averaged.size(), checkpoint.state.size());
        QVERIFY(!torch::equal(checkpoint.averaged.at("fc1.weight"), checkpoint.state.at("fc1.weight")));
        const fs::path out = fs::path(folder.path().toStdString()) / "ema.safetensors";
        QVERIFY(exportWeights(file, WeightsTarget::Safetensors, out, WeightsChoice::Averaged).ok());
        const auto written = loadWeightsFile(out);
        QVERIFY(written.ok() && sameState(*written, checkpoint.averaged));
        // Without averaging, the trained weights are the same ones.
        const Record plain = runSession(spiralProject({{"epochs", 3}, {"optimizer", sgd()}, {"metrics", {"accuracy"}}}), inFolder(folder, "plain"));
        QCOMPARE(plain.series.at("train/loss"), record.series.at("train/loss"));
        QCOMPARE(plain.series.at("val/loss"), record.series.at("val/loss"));
        QCOMPARE(exportWeights(newestIn(inFolder(folder, "plain").checkpointFolder), WeightsTarget::Safetensors, out, WeightsChoice::Averaged).error().code,
                 ErrorCode::NotFound);
    }

    void everythingGoesOnBitForBit_data()
    {
        QTest::addColumn<QString>("training");
        const auto row = [](const char* name, const Json& training) { QTest::newRow(name) << QString::fromStdString(training.dump()); };
        row("ema, accumulation, noise, clipping", {{"averaging", {{"decay", 0.8}, {"use_buffers", true}}}, {"accumulate", 3}, {"grad_noise", {{"eta", 0.1}}}, {"clip_grad_norm", 0.5}});
        row("swa, one cycle", {{"averaging", {{"kind", "swa"}, {"every", 3}}}, {"scheduler", {{"kind", "OneCycleLR"}, {"max_lr", 0.3}}}});
        row("scaler", {{"grad_scaler", {{"init_scale", 1e38}, {"growth_interval", 4}}}});
        row("plateau", {{"scheduler", {{"kind", "ReduceLROnPlateau"}, {"patience", 0}, {"threshold", 0.5}}}, {"validate_every", 3}});
        for (const char* kind : {"RAdam", "NAdam", "Adamax", "Adagrad", "Adadelta", "RMSprop", "Lion", "LBFGS"})
            row(kind, {{"optimizer", {{"kind", kind}, {"lr", 0.01}}}});
        row("bf16", {{"precision", "bf16"}, {"autocast_exclude", {"fc2"}}});
    }
    void everythingGoesOnBitForBit()
    {
        QFETCH(QString, training);
        Json settings = Json::parse(training.toStdString());
        settings["steps"] = 17;
        settings["hash_every"] = 1;
        settings["checkpoint"] = {{"every", 4}, {"keep", 100}};
        const Json project = spiralProject(settings);
        QTemporaryDir folder;
        const auto options = inFolder(folder);
        const Record whole = runSession(project, options);
        QCOMPARE(whole.state, SessionState::Finished);
        for (const int from : {4, 12}) {
            auto again = options;
            again.resumeFrom = options.checkpointFolder / ("step-" + QString("%1").arg(from, 8, 10, QChar('0')).toStdString() + ".pt");
            again.checkpointFolder = fs::path(folder.path().toStdString()) / ("again" + std::to_string(from));
            const Record resumed = runSession(project, again);
            QCOMPARE(resumed.state, SessionState::Finished);
            VERIFY_SAME(resumed, whole, difference, from + 1);
        }
    }

    void aScaledLossChangesNothingWhereNothingOverflows()
    {
        // A scale that is a power of two and never changes: not one bit may differ.
        const Json plain{{"steps", 15}, {"optimizer", sgd()}};
        Json scaled = plain;
        scaled["grad_scaler"] = {{"init_scale", 1024}, {"growth_interval", 1000}};
        const Record a = runSession(spiralProject(plain)), b = runSession(spiralProject(scaled));
        QCOMPARE(a.series.at("train/loss"), b.series.at("train/loss"));
        QCOMPARE(valueAt(b, "scaler/scale", 15), 1024.0);
        QCOMPARE(valueAt(b, "scaler/skipped", 15), 0.0);
    }

    void noiseChangesTheWeightsAndNotTheDropout()
    {
        const Record none = runSession(spiralProject({{"steps", 3}, {"optimizer", sgd(0)}}));
        const Record noisy = runSession(spiralProject({{"steps", 3}, {"optimizer", sgd(0)}, {"grad_noise", {{"eta", 5}}}}));
        QCOMPARE(none.series.at("train/loss"), noisy.series.at("train/loss")); // at a rate of 0 only dropout could differ
        const Record moved = runSession(spiralProject({{"steps", 3}, {"optimizer", sgd()}, {"grad_noise", {{"eta", 5}}}}));
        const Record again = runSession(spiralProject({{"steps", 3}, {"optimizer", sgd()}, {"grad_noise", {{"eta", 5}}}}));
        QVERIFY(moved.series.at("train/loss") != runSession(spiralProject({{"steps", 3}, {"optimizer", sgd()}})).series.at("train/loss"));
        QCOMPARE(moved.series.at("train/loss"), again.series.at("train/loss"));
    }

    void theBestWeightsAreTheResultAndTheNewestGoOn()
    {
        QTemporaryDir folder;
        const auto options = inFolder(folder);
        Json training{{"epochs", 12}, {"optimizer", sgd(2.0)}, {"early_stopping", {{"patience", 2}, {"restore_best", true}}}, {"checkpoint", {{"keep", 100}}}};
        const Record record = runSession(spiralProject(training), options);
        QCOMPARE(record.end, SessionEnd::EarlyStopped);
        const auto& losses = record.series.at("val/loss");
        const auto best = std::ranges::min_element(losses, {}, [](const auto& point) { return point.second; });
        QVERIFY(best->first < losses.back().first);
        QVERIFY(record.saying("The run ends with the weights of step " + std::to_string(best->first) + ", the best."));
        const auto last = loaded(newestIn(options.checkpointFolder));
        QCOMPARE(last.step, losses.back().first);
        const auto ofBest = loaded(options.checkpointFolder / ("step-" + QString("%1").arg(best->first, 8, 10, QChar('0')).toStdString() + ".pt"));
        QVERIFY(sameState(last.state, ofBest.state));
        QVERIFY(!sameState(last.live, ofBest.state));
        QCOMPARE(last.live.size(), last.state.size());
    }

    void limitsOfTimeEndARun()
    {
        Json training{{"steps", 1'000'000}, {"time_limit", 0.2}};
        const Record record = runSession(spiralProject(training));
        QCOMPARE(record.end, SessionEnd::Completed);
        QVERIFY(record.saying("The time limit of 0.2 s is reached"));
        QVERIFY(record.progress.seconds >= 0.2 && record.lastStep() < 1'000'000);

        RunningSession running(projectOf(spiralProject({{"steps", 1'000'000}})), {});
        running.session().post(command::StopAt{std::chrono::system_clock::now() + std::chrono::milliseconds(300)});
        running.session().post(command::Pause{}); // a pause does not hold it up
        const Record stopped = running.finish();
        QCOMPARE(stopped.end, SessionEnd::Stopped);
        QVERIFY(stopped.saying("The time to stop at has come"));
    }

    void aForkWithoutAChangeIsTheSameRun()
    {
        QTemporaryDir folder;
        const Json project = spiralProject({{"steps", 20}, {"optimizer", sgd()}, {"checkpoint", {{"every", 6}, {"keep", 100}}}, {"hash_every", 1}});
        const auto options = inFolder(folder);
        const Record whole = runSession(project, options);
        auto fork = inFolder(folder, "fork");
        fork.resumeFrom = options.checkpointFolder / "step-00000006.pt";
        fork.fork = true;
        VERIFY_SAME(runSession(project, fork), whole, difference, 7);

        Json changed = project;
        changed["training"]["optimizer"] = {{"kind", "AdamW"}, {"lr", 0.01}};
        changed["network"]["nodes"].push_back(nodeJson("extra", "Linear", {{"out_features", 2}}));
        for (auto& edge : changed["network"]["edges"])
            if (edge == Json::array({"fc2", "loss:input"}))
                edge = Json::array({"fc2", "extra"});
        changed["network"]["edges"].push_back({"extra", "loss:input"});
        changed["data"]["nodes"][2]["params"]["batch_size"] = 8;
        fork.checkpointFolder /= "2";
        const Record other = runSession(changed, fork);
        QCOMPARE(other.state, SessionState::Finished);
        QCOMPARE(other.series.at("train/loss").front().first, std::int64_t(7));
        QVERIFY(other.saying("The optimizer starts fresh: it was SGD and is AdamW now"));
        QVERIFY(other.saying("tensors come from the checkpoint; the others start fresh"));
    }

    void aCheckpointThatFailsStopsTheRunOrNot()
    {
        QTemporaryDir folder;
        auto options = inFolder(folder);
        options.checkpointFolder = "/proc/nowhere";
        Json training{{"steps", 4}, {"checkpoint", {{"every", 2}}}};
        const Record stopped = runSession(spiralProject(training), options);
        QCOMPARE(stopped.state, SessionState::Failed);
        training["checkpoint"]["on_error"] = "continue";
        const Record went = runSession(spiralProject(training), options);
        QCOMPARE(went.state, SessionState::Finished);
        QCOMPARE(went.lastStep(), std::int64_t(4));
        QVERIFY(went.saying("The run goes on without this checkpoint"));
    }

    void aStepWithoutMemoryLeavesThePausedSessionAlive()
    {
        Json project = spiralProject({{"steps", 3}});
        project["network"] = networkJson("features",
                                         {nodeJson("fc1", "Linear", {{"out_features", 2}}),
                                          nodeJson("big", "Script", {{"source", "def forward(self, x: Tensor) -> Tensor:\n    if self.training and x.size(0) == 16:\n"
                                                                                "        return x + torch.zeros([1 << 45]).sum()\n    return x\n"}})},
                                         "CrossEntropyLoss", "label");
        RunningSession running(projectOf(project), {});
        QVERIFY(running.waitFor(SessionState::Paused));
        QCOMPARE(running.session().progress().step, std::int64_t(0));
        running.session().post(command::Stop{});
        const Record record = running.finish();
        QCOMPARE(record.end, SessionEnd::Stopped);
        QVERIFY(record.saying("A batch has 16 samples. The run is paused before step 1"));
        SessionOptions unattended;
        unattended.unattended = true;
        QCOMPARE(runSession(projectOf(project), unattended).state, SessionState::Failed);
    }

    void aCurveOfRatesIsJudged()
    {
        std::vector<double> rates, falls, flat, broken;
        for (int i = 0; i < 80; ++i) {
            const double decade = -6 + 7.0 * i / 79;
            rates.push_back(std::pow(10, decade));
            falls.push_back(decade < -1 ? 1 + 1.5 / (1 + std::exp(4 * (decade + 2.5))) : 1 + 20 * (decade + 1));
            flat.push_back(2 + 0.05 * ((i * 7919) % 13 - 6));
            broken.push_back(std::nan(""));
        }
        const auto found = judgedCurve(rates, falls);
        QVERIFY2(found.suggestion, found.reason.c_str());
        QVERIFY2(*found.suggestion > 1e-3 && *found.suggestion < 3e-2, found.reason.c_str()); // steepest at 10^-2.5, smoothed a little later
        QVERIFY(!judgedCurve(rates, flat).suggestion);
        QVERIFY(!judgedCurve(rates, broken).suggestion);
        QVERIFY(!judgedCurve({}, {}).suggestion);
        falls[20] = std::numeric_limits<double>::infinity(); // one broken batch is left out
        QVERIFY(judgedCurve(rates, falls).suggestion);
    }

    void toolsLeaveNoTrace()
    {
        const Project project = projectOf(spiralProject({{"steps", 12}, {"optimizer", sgd()}, {"hash_every", 1}}));
        const Record before = runSession(project);
        torch::manual_seed(99);
        const auto generator = torch::rand({4});
        torch::manual_seed(99);
        LrFindOptions search;
        search.threads = 1;
        const auto curve = findLearningRate(project, search);
        QVERIFY2(curve.ok(), curve.ok() ? "" : curve.error().text().c_str());
        QVERIFY(curve->rates.size() > 20 && curve->rates.front() == 1e-7);
        const auto fit = overfitBatch(project, {0, 800, 1});
        QVERIFY2(fit.ok(), fit.ok() ? "" : fit.error().text().c_str());
        QVERIFY2(fit->passed, qPrintable(QString("%1 → %2 in %3").arg(fit->lossFirst).arg(fit->lossLast).arg(fit->steps)));
        QVERIFY(torch::equal(torch::rand({4}), generator));
        VERIFY_SAME(runSession(project), before, difference);
    }

    void whatCannotLearnDoesNotPass()
    {
        Json project = spiralProject({{"steps", 12}, {"optimizer", sgd(0)}});
        const auto still = overfitBatch(projectOf(project), {8, 20, 1});
        QVERIFY(still.ok() && !still->passed);
        QCOMPARE(still->samples, std::int64_t(8));
        QCOMPARE(still->steps, std::int64_t(20));
        project["training"]["metrics"] = {"mae"};
        QCOMPARE(overfitBatch(projectOf(project), {}).ok(), true); // metrics are left out, as nothing is measured
        project["training"]["optimizer"]["lr"] = -1;
        QCOMPARE(overfitBatch(projectOf(project), {}).error().where, std::string("training/optimizer/lr"));
        RunningSession running(projectOf(spiralProject({{"steps", 100'000}})), {});
        QVERIFY(running.waitFor(SessionState::Running));
        QCOMPARE(overfitBatch(projectOf(spiralProject()), {}).error().code, ErrorCode::Busy);
        running.session().post(command::Stop{});
        running.finish();
    }
};

QTEST_APPLESS_MAIN(TestLiveSession)
#include "tst_live_session.moc"
