#include "session_record.h"

#include "engine/train/checkpoint.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace athanor;

namespace {

std::filesystem::path pathOf(const QTemporaryDir& folder)
{
    return folder.path().toStdString();
}

SessionOptions quickOptions()
{
    SessionOptions options;
    options.threads = 1;
    return options;
}

/// Long enough that commands arrive in its middle.
Json longProject()
{
    return spiralProject({{"epochs", 100000}});
}

std::int64_t stepOf(RunningSession& running)
{
    return running.session().progress().step;
}

} // namespace

class TestTrainingSession : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void runsToItsEnd()
    {
        const Record record = runSession(spiralProject({{"epochs", 3}, {"metrics", {"accuracy", "f1"}}}));
        QCOMPARE(record.end, SessionEnd::Completed);
        QCOMPARE(record.state, SessionState::Finished);
        // 160 training samples in batches of 16: 10 steps an epoch.
        QCOMPARE(record.series.at("train/loss").size(), std::size_t{30});
        QCOMPARE(record.lastStep(), std::int64_t{30});
        for (const char* name : {"train/accuracy", "lr", "epoch", "grad_norm", "grad_norm/fc1.weight", "time/step", "time/data_wait",
                                 "time/probes", "samples_per_second", "activation/x/mean", "activation/drop1/zeros",
                                 "bn_running_mean/bn1/0", "bn_running_var/bn1/15", "update_ratio/fc2.weight"})
            QVERIFY2(record.series.contains(name) && record.series.at(name).size() == 30, name);
        QCOMPARE(record.series.at("val/loss").size(), std::size_t{3});
        QCOMPARE(record.series.at("val/accuracy").back().first, std::int64_t{30});
        QVERIFY(record.series.contains("val/f1") && !record.series.contains("train/f1"));
        QVERIFY(!record.series.contains("activation/y/mean") && !record.series.contains("activation/loss/mean"));
        QCOMPARE(record.count(EventKind::EpochEnded), 3);
        QCOMPARE(record.count(EventKind::ValidationEnded), 3);
        QCOMPARE(record.series.at("epoch").back().second, 3.0);
        QCOMPARE(record.progress.step, std::int64_t{30});
        QCOMPARE(record.progress.totalSteps, std::int64_t{30});
    }

    void stepsDecideTheLength()
    {
        const Record record = runSession(spiralProject({{"steps", 25}}));
        QCOMPARE(record.lastStep(), std::int64_t{25});
        // Two ends of epochs, and once more for the last weights.
        QCOMPARE(record.series.at("val/loss").size(), std::size_t{3});
        QCOMPARE(record.series.at("val/loss").back().first, std::int64_t{25});
        SessionOptions options;
        options.steps = 7;
        QCOMPARE(runSession(spiralProject({{"epochs", 3}}), options).lastStep(), std::int64_t{7});
    }

    void validatesEverySoManySteps()
    {
        const Record record = runSession(spiralProject({{"epochs", 1}, {"validate_every", 4}}));
        std::vector<std::int64_t> steps;
        for (const auto& point : record.series.at("val/loss"))
            steps.push_back(point.first);
        QCOMPARE(steps, (std::vector<std::int64_t>{4, 8, 10}));
    }

    void pausesAndStepsExactly()
    {
        RunningSession running(projectOf(longProject()), quickOptions());
        QVERIFY(running.waitUntil([&] { return stepOf(running) > 5; }));
        running.session().post(command::Pause{});
        QVERIFY(running.waitFor(SessionState::Paused));
        const auto paused = stepOf(running);
        QTest::qWait(50);
        QCOMPARE(stepOf(running), paused);
        for (int i = 1; i <= 3; ++i) {
            running.session().post(command::StepOnce{});
            QVERIFY(running.waitUntil([&] { return stepOf(running) == paused + i; }));
            QVERIFY(running.waitFor(SessionState::Paused));
            QTest::qWait(20);
            QCOMPARE(stepOf(running), paused + i);
        }
        running.session().post(command::Resume{});
        QVERIFY(running.waitUntil([&] { return stepOf(running) > paused + 5; }));
        running.session().post(command::Stop{});
        const Record record = running.finish();
        QCOMPARE(record.end, SessionEnd::Stopped);
        QCOMPARE(record.state, SessionState::Finished);
    }

    void severalStepsThatArePostedAtOnceAreAllDone()
    {
        RunningSession running(projectOf(longProject()), quickOptions());
        running.session().post(command::Pause{});
        QVERIFY(running.waitFor(SessionState::Paused));
        const std::int64_t paused = stepOf(running);
        for (int i = 0; i < 13; ++i) // beyond the end of an epoch, with its validation
            running.session().post(command::StepOnce{});
        QVERIFY(running.waitUntil([&] { return stepOf(running) == paused + 13; }));
        QVERIFY(running.waitFor(SessionState::Paused));
        QTest::qWait(20);
        QCOMPARE(stepOf(running), paused + 13);
    }

    void stopsQuicklyWhilePausedAndByDestruction()
    {
        QElapsedTimer timer;
        {
            RunningSession running(projectOf(longProject()), quickOptions());
            running.session().post(command::Pause{});
            QVERIFY(running.waitFor(SessionState::Paused));
            timer.start();
        }
        QVERIFY2(timer.elapsed() < 5000, "destruction did not end the run");
    }

    void stopsAtTheEndOfTheEpoch()
    {
        RunningSession running(projectOf(longProject()), quickOptions());
        QVERIFY(running.waitUntil([&] { return stepOf(running) > 3; }));
        running.session().post(command::StopAfterEpoch{});
        const Record record = running.finish();
        QCOMPARE(record.end, SessionEnd::Stopped);
        QCOMPARE(record.lastStep() % 10, std::int64_t{0});
        QCOMPARE(record.series.at("val/loss").back().first, record.lastStep());
    }

    void takesALearningRateAtTheNextStep()
    {
        RunningSession running(projectOf(longProject()), quickOptions());
        running.session().post(command::Pause{});
        QVERIFY(running.waitFor(SessionState::Paused));
        running.session().post(command::StepOnce{});
        running.session().post(command::SetLearningRate{0.0125});
        running.session().post(command::StepOnce{});
        QVERIFY(running.waitUntil([&] { return stepOf(running) == 2; }));
        running.session().post(command::Stop{});
        const Record record = running.finish();
        QCOMPARE(record.series.at("lr"), (Points{{1, 0.05}, {2, 0.0125}}));
        QCOMPARE(record.count(EventKind::SettingChanged), 1);
        QCOMPARE(record.first(EventKind::SettingChanged)->where, std::string("training/optimizer/lr"));
    }

    void sameSeedSameNumbers_data()
    {
        QTest::addColumn<int>("workers");
        QTest::newRow("again") << 0;
        QTest::newRow("one worker") << 1;
        QTest::newRow("three workers") << 3;
    }
    void sameSeedSameNumbers()
    {
        QFETCH(int, workers);
        SessionOptions options = quickOptions();
        options.workers = 0;
        const Record first = runSession(spiralProject({{"epochs", 3}, {"metrics", {"accuracy"}}}), options);
        options.workers = workers;
        VERIFY_SAME(first, runSession(spiralProject({{"epochs", 3}, {"metrics", {"accuracy"}}}), options), difference);
        const Record other = runSession(spiralProject({{"epochs", 3}, {"seed", 6}}), options);
        QVERIFY(other.series.at("train/loss") != first.series.at("train/loss"));
    }

    void pausingChangesNothing()
    {
        const Json project = spiralProject({{"epochs", 2}, {"metrics", {"accuracy"}}});
        const Record plain = runSession(project, quickOptions());
        RunningSession running(projectOf(project), quickOptions());
        for (int i = 0; i < 5; ++i) {
            running.session().post(command::Pause{});
            running.session().post(command::StepOnce{});
            running.session().post(command::Resume{});
            QTest::qWait(2);
        }
        VERIFY_SAME(plain, running.finish(), difference);
    }

    void probesChangeNothing()
    {
        QTemporaryDir folder;
        const auto weightsAfter = [&](bool probes) {
            SessionOptions options = quickOptions();
            options.probes = probes;
            options.checkpointFolder = pathOf(folder) / (probes ? "on" : "off");
            const Record record = runSession(spiralProject({{"epochs", 2}, {"clip_grad_norm", 0.5}}), options);
            const auto checkpoint = loadCheckpoint(options.checkpointFolder / "step-00000020.pt");
            return std::make_pair(record, checkpoint.ok() ? checkpoint.value() : Checkpoint{});
        };
        const auto [withProbes, on] = weightsAfter(true);
        const auto [without, off] = weightsAfter(false);
        QVERIFY(on.state.size() == 9); // 4 of the Linears, 5 of the BatchNorm
        QVERIFY(!without.series.contains("grad_norm") && withProbes.series.contains("grad_norm"));
        QCOMPARE(withProbes.series.at("train/loss"), without.series.at("train/loss"));
        for (const auto& [name, tensor] : on.state)
            QVERIFY2(torch::equal(tensor, off.state.at(name)), name.c_str());
        QVERIFY(torch::equal(on.generators.at("cpu"), off.generators.at("cpu")));
    }

    void earlyStoppingEndsTheRun()
    {
        // A rate of 0 never improves: the first validation is the best, three more are patience.
        const Record record = runSession(spiralProject(
            {{"epochs", 50}, {"optimizer", {{"kind", "SGD"}, {"lr", 0.0}}}, {"early_stopping", {{"monitor", "train/loss"}, {"patience", 3}}}}));
        QCOMPARE(record.end, SessionEnd::EarlyStopped);
        QVERIFY(record.lastStep() < 500);
    }

    void refusesASecondRun()
    {
        RunningSession running(projectOf(longProject()), quickOptions());
        QVERIFY(running.waitUntil([&] { return stepOf(running) > 0; }));
        const Record second = runSession(spiralProject(), quickOptions());
        QCOMPARE(second.state, SessionState::Failed);
        QVERIFY(QString::fromStdString(second.problems.at(0).message).contains("Another run"));
        running.session().post(command::Stop{});
        running.finish();
        QCOMPARE(runSession(spiralProject(), quickOptions()).end, SessionEnd::Completed);
    }

    void problemsEndARunBeforeItsFirstStep()
    {
        Json project = spiralProject();
        project["network"]["nodes"][1]["params"]["out_features"] = 0;
        const Record record = runSession(project);
        QCOMPARE(record.state, SessionState::Failed);
        QVERIFY(!record.problems.empty());
        QCOMPARE(record.problems.front().where, std::string("network/fc1/out_features"));
        QCOMPARE(record.count(EventKind::Failed), 1);
    }

    void deviceAndPrecisionThatAreNotHereAreNamed()
    {
        const Record cuda = runSession(spiralProject({{"epochs", 1}, {"device", "cuda:7"}}));
        QCOMPARE(cuda.state, SessionState::Failed);
        QCOMPARE(cuda.problems.back().where, std::string("training/device"));
        const Record half = runSession(spiralProject({{"epochs", 1}, {"precision", "fp16"}, {"device", "auto"}}));
        if (!torch::cuda::is_available()) {
            QCOMPARE(half.state, SessionState::Failed);
            QCOMPARE(half.problems.back().where, std::string("training/precision"));
        }
    }

    void trainsInBf16()
    {
        const Record record = runSession(spiralProject({{"epochs", 2}, {"precision", "bf16"}, {"device", "cpu"}}));
        QCOMPARE(record.end, SessionEnd::Completed);
        const Record plain = runSession(spiralProject({{"epochs", 2}, {"device", "cpu"}}));
        const double a = record.series.at("train/loss").front().second;
        const double b = plain.series.at("train/loss").front().second;
        QVERIFY(a != b && std::abs(a - b) < 0.05 * b);
    }

    void explodingRunFollowsItsPolicy()
    {
        const auto training = [](const char* policy) {
            return Json{{"steps", 20}, {"optimizer", {{"kind", "SGD"}, {"lr", 1e30}}}, {"on_non_finite", policy}};
        };
        const Record stopped = runSession(spiralProject(training("stop")));
        QCOMPARE(stopped.end, SessionEnd::Diverged);
        QCOMPARE(stopped.count(EventKind::NonFinite), 1);
        QVERIFY(stopped.lastStep() < 20);
        const Record skipped = runSession(spiralProject(training("skip")));
        QCOMPARE(skipped.lastStep(), std::int64_t{20});
        QCOMPARE(skipped.count(EventKind::NonFinite), 1); // one streak, told once
        const Record continued = runSession(spiralProject(training("continue")));
        QCOMPARE(continued.lastStep(), std::int64_t{20});
        QVERIFY(std::isnan(continued.series.at("train/loss").back().second));

        RunningSession running(projectOf(spiralProject(training("pause"))), quickOptions());
        QVERIFY(running.waitFor(SessionState::Paused));
        const auto step = stepOf(running);
        QCOMPARE(step, stopped.lastStep());
        running.session().post(command::Resume{});
        QVERIFY(running.waitUntil([&] { return stepOf(running) == step + 1; }));
        running.session().post(command::Stop{});
        QCOMPARE(running.finish().end, SessionEnd::Stopped);
    }
};

QTEST_APPLESS_MAIN(TestTrainingSession)
#include "tst_training_session.moc"
