#include "session_record.h"

#include "engine/train/checkpoint.h"
#include "engine/train/run_parts.h"

#include <torch/torch.h>

#include <QTemporaryDir>
#include <QtTest>

#include <fstream>
#include <set>

using namespace athanor;

namespace {

class Folder {
public:
    [[nodiscard]] std::filesystem::path path() const { return m_folder.path().toStdString(); }
    [[nodiscard]] std::set<std::string> files() const
    {
        std::set<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(path()))
            names.insert(entry.path().filename().string());
        return names;
    }

private:
    QTemporaryDir m_folder;
};

Checkpoint sampleCheckpoint()
{
    Checkpoint checkpoint;
    checkpoint.semanticHash = "abc";
    checkpoint.step = 42;
    checkpoint.epoch = 3;
    checkpoint.batch = 7;
    checkpoint.seconds = 1.25;
    checkpoint.optimizerKind = "Adam";
    checkpoint.state = {{"fc.weight", torch::randn({3, 2})}, {"bn.num_batches_tracked", torch::tensor(5, torch::kLong)}};
    checkpoint.optimizer = {{"exp_avg/fc.weight", torch::randn({3, 2})}};
    checkpoint.generators = generatorStates();
    checkpoint.progress = {{"schedule", {{"scale", 0.1}}}};
    return checkpoint;
}

SessionOptions optionsFor(const Folder& folder)
{
    SessionOptions options;
    options.threads = 1;
    options.checkpointFolder = folder.path();
    return options;
}

Json richProject(Json more = Json::object())
{
    Json training{{"epochs", 4},
                  {"metrics", {"accuracy"}},
                  {"optimizer", {{"kind", "Adam"}, {"lr", 0.01}, {"amsgrad", true}}},
                  {"scheduler", {{"kind", "CosineAnnealingLR"}, {"T_max", 40}, {"interval", "step"}}},
                  {"early_stopping", {{"monitor", "val/loss"}, {"patience", 3}}},
                  {"checkpoint", {{"every", 3}, {"keep", 100}}}};
    training.update(more);
    return spiralProject(training);
}

} // namespace

class TestCheckpoint : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void comesBackAsItWas()
    {
        const Folder folder;
        const Checkpoint saved = sampleCheckpoint();
        const auto file = folder.path() / "deeper" / "a.pt";
        QVERIFY(saveCheckpoint(saved, file).ok());
        const auto loaded = loadCheckpoint(file);
        QVERIFY2(loaded.ok(), loaded.ok() ? "" : loaded.error().text().c_str());
        QCOMPARE(loaded->step, saved.step);
        QCOMPARE(loaded->epoch, saved.epoch);
        QCOMPARE(loaded->batch, saved.batch);
        QCOMPARE(loaded->seconds, saved.seconds);
        QCOMPARE(loaded->semanticHash, saved.semanticHash);
        QCOMPARE(loaded->optimizerKind, saved.optimizerKind);
        QCOMPARE(loaded->progress, saved.progress);
        QCOMPARE(loaded->state.size(), std::size_t{2});
        QVERIFY(torch::equal(loaded->state.at("fc.weight"), saved.state.at("fc.weight")));
        QCOMPARE(loaded->state.at("bn.num_batches_tracked").item<int>(), 5);
        QVERIFY(torch::equal(loaded->optimizer.at("exp_avg/fc.weight"), saved.optimizer.at("exp_avg/fc.weight")));
        QVERIFY(torch::equal(loaded->generators.at("cpu"), saved.generators.at("cpu")));
    }

    void otherFilesAreRefused()
    {
        const Folder folder;
        QCOMPARE(loadCheckpoint(folder.path() / "none.pt").error().code, ErrorCode::NotFound);
        const auto refused = [&](const std::string& content) {
            const auto file = folder.path() / "bad.pt";
            std::ofstream(file, std::ios::binary) << content;
            const auto loaded = loadCheckpoint(file);
            return !loaded.ok() && loaded.error().code == ErrorCode::Unreadable && loaded.error().where == file.string();
        };
        QVERIFY(refused(""));
        QVERIFY(refused("this is no archive"));
        const auto file = folder.path() / "whole.pt";
        QVERIFY(saveCheckpoint(sampleCheckpoint(), file).ok());
        std::ifstream stream(file, std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
        for (const std::size_t size : {bytes.size() / 4, bytes.size() / 2, bytes.size() - 100})
            QVERIFY(refused(bytes.substr(0, size)));
        for (std::size_t at = 0; at < bytes.size(); at += 97) {
            std::string damaged = bytes;
            damaged[at] = static_cast<char>(damaged[at] ^ 1);
            QVERIFY2(refused(damaged), std::to_string(at).c_str());
        }
        for (std::size_t size = 1; size < 3 * 4096; size += 301)
            QVERIFY(refused(std::string(size, 'a')));
        c10::Dict<std::string, torch::Tensor> plain;
        plain.insert("w", torch::ones({1}));
        const auto other = torch::pickle_save(plain);
        QVERIFY(refused(std::string(other.begin(), other.end())));
    }

    void aFolderThatCannotBeWrittenIsNamed()
    {
        const auto status = saveCheckpoint(sampleCheckpoint(), "/proc/no/such/place.pt");
        QVERIFY(!status.ok());
        QVERIFY(QString::fromStdString(status.error().where).startsWith("/proc/no/such/place.pt"));
    }

    void keepsTheNewestAndTheBest()
    {
        const Folder folder;
        const CheckpointFolder checkpoints(folder.path(), 2);
        for (const int step : {5, 10, 15, 20, 25})
            std::ofstream(checkpoints.fileFor(step)) << "x";
        std::ofstream(folder.path() / "notes.txt") << "x";
        checkpoints.prune(10, 25);
        QCOMPARE(folder.files(), (std::set<std::string>{"notes.txt", "step-00000010.pt", "step-00000020.pt", "step-00000025.pt"}));
        CheckpointFolder(folder.path(), 0).prune(-1, 25); // nothing is best: the newest stays
        QCOMPARE(folder.files(), (std::set<std::string>{"notes.txt", "step-00000025.pt"}));
        // Left from before the run went on from step 10: what is written now must stay.
        std::ofstream(checkpoints.fileFor(15)) << "x";
        checkpoints.prune(-1, 15);
        QCOMPARE(folder.files(), (std::set<std::string>{"notes.txt", "step-00000015.pt", "step-00000025.pt"}));
    }

    /// The store's index of checkpoints is written a little later; until then the older ones are what it knows.
    void youngOnesMakeNoOlderOneSuperfluous()
    {
        QTemporaryDir temporary;
        const std::filesystem::path path = temporary.path().toStdString();
        const CheckpointFolder folder(path, 2);
        for (int step = 1; step <= 5; ++step)
            std::ofstream(folder.fileFor(step)) << "x";
        folder.prune(-1, 5, std::chrono::hours(1));
        QVERIFY(std::filesystem::exists(folder.fileFor(1)));
        const auto old = std::filesystem::file_time_type::clock::now() - std::chrono::hours(2);
        for (int step = 1; step <= 4; ++step)
            std::filesystem::last_write_time(folder.fileFor(step), old);
        folder.prune(-1, 5, std::chrono::hours(1));
        QVERIFY(!std::filesystem::exists(folder.fileFor(2)) && std::filesystem::exists(folder.fileFor(3)));
        folder.prune(-1, 5);
        QVERIFY(!std::filesystem::exists(folder.fileFor(3)) && std::filesystem::exists(folder.fileFor(4)));
    }

    void aRunWritesThem()
    {
        const Folder folder;
        std::vector<CheckpointWritten> told;
        SessionOptions options = optionsFor(folder);
        options.checkpointWritten = [&](const CheckpointWritten& written) { told.push_back(written); };
        const Record record = runSession(richProject({{"checkpoint", {{"every", "epoch"}, {"keep", 1}, {"monitor", "val/loss"}}}}), options);
        QCOMPARE(record.end, SessionEnd::Completed);
        QCOMPARE(record.count(EventKind::CheckpointWritten), static_cast<int>(told.size()));
        const auto& losses = record.series.at("val/loss");
        const auto best = std::ranges::min_element(losses, {}, &std::pair<std::int64_t, double>::second);
        const auto newestBest = std::ranges::find_if(told.rbegin(), told.rend(), &CheckpointWritten::best);
        QVERIFY(newestBest != told.rend());
        QCOMPARE(newestBest->step, best->first);
        QCOMPARE(newestBest->monitored, best->second);
        QVERIFY(std::filesystem::exists(newestBest->file) && std::filesystem::exists(told.back().file));
        QCOMPARE(told.back().step, std::int64_t{40});
        QVERIFY(folder.files().size() <= 2);
    }

    void goesOnBitForBit_data()
    {
        QTest::addColumn<int>("step");
        QTest::addColumn<QString>("more");
        for (const int step : {3, 9, 30, 39})
            QTest::newRow(qPrintable(QString("from step %1").arg(step))) << step << "{}";
        QTest::newRow("accumulated") << 6 << R"({"accumulate": 3, "scheduler": {"kind": "StepLR", "step_size": 1, "gamma": 0.5}})";
        QTest::newRow("SGD") << 12 << R"({"optimizer": {"kind": "SGD", "lr": 0.05, "momentum": 0.9}})";
        QTest::newRow("validation by steps") << 12 << R"({"validate_every": 5})";
    }
    void goesOnBitForBit()
    {
        QFETCH(int, step);
        QFETCH(QString, more);
        const Json project = richProject(Json::parse(more.toStdString()));
        const Folder folder;
        const Record whole = runSession(project, optionsFor(folder));
        const Folder other;
        SessionOptions options = optionsFor(other);
        options.resumeFrom = CheckpointFolder(folder.path(), 1).fileFor(step);
        options.workers = 2;
        const Record rest = runSession(project, options);
        QVERIFY2(rest.problems.empty(), rest.problems.empty() ? "" : rest.problems.front().message.c_str());
        QVERIFY(!rest.series.at("train/loss").empty());
        QCOMPARE(rest.series.at("train/loss").front().first, std::int64_t{step} + 1);
        VERIFY_SAME(whole, rest, difference, step + 1);
        for (const auto& [name, points] : rest.series) // what the first run has said by then is not said again
            QVERIFY2(points.empty() || points.front().first > step, name.c_str());
        QCOMPARE(rest.end, whole.end);
        const auto last = CheckpointFolder(folder.path(), 1).fileFor(whole.lastStep());
        const auto a = loadCheckpoint(last);
        const auto b = loadCheckpoint(other.path() / last.filename());
        QVERIFY(a.ok() && b.ok());
        for (const auto& [name, tensor] : a->state)
            QVERIFY2(torch::equal(tensor, b->state.at(name)), name.c_str());
    }

    void aStoppedRunGoesOnBitForBit()
    {
        const Json project = richProject({{"epochs", 30}, {"checkpoint", {{"every", 1000}}}, {"early_stopping", {{"patience", 1000}}}});
        const Folder unused;
        const Record whole = runSession(project, optionsFor(unused));
        const Folder folder;
        std::filesystem::path newest;
        SessionOptions options = optionsFor(folder);
        options.checkpointWritten = [&](const CheckpointWritten& written) { newest = written.file; };
        Record joined;
        for (int part = 0; part < 12; ++part) {
            RunningSession running(projectOf(project), options);
            QTest::qWait(3 * part);
            if (part < 11)
                running.session().post(command::Stop{});
            const Record record = running.finish();
            for (const auto& [name, points] : record.series) {
                joined.infos[name] = record.infos.at(name);
                auto& all = joined.series[name];
                all.insert(all.end(), points.begin(), points.end());
            }
            options.resumeFrom = newest;
        }
        VERIFY_SAME(whole, joined, difference);
    }

    void aWithheldOrFinishedRunHasNothingLeftToDo()
    {
        const Folder folder;
        const Record whole = runSession(richProject(), optionsFor(folder));
        SessionOptions options = optionsFor(folder);
        options.resumeFrom = CheckpointFolder(folder.path(), 1).fileFor(whole.lastStep());
        const Record again = runSession(richProject(), options);
        QVERIFY(again.end == SessionEnd::Completed || again.end == SessionEnd::EarlyStopped);
        QVERIFY(again.series.at("train/loss").empty());
    }

    void anotherNetworkIsRefusedAndAnotherProjectTold()
    {
        const Folder folder;
        runSession(richProject(), optionsFor(folder));
        SessionOptions options = optionsFor(folder);
        options.resumeFrom = CheckpointFolder(folder.path(), 1).fileFor(30);
        Json wider = richProject();
        wider["network"]["nodes"][1]["params"]["out_features"] = 24;
        const Record refused = runSession(wider, options);
        QCOMPARE(refused.state, SessionState::Failed);
        QVERIFY(QString::fromStdString(refused.problems.back().message).contains("another shape"));
        const Record told = runSession(richProject({{"epochs", 6}}), options);
        QCOMPARE(told.state, SessionState::Finished);
        QVERIFY(told.saying("project has changed") != nullptr);
        const Record adamless = runSession(richProject({{"optimizer", {{"kind", "SGD"}, {"lr", 0.1}, {"momentum", 0.9}}}}), options);
        QCOMPARE(adamless.state, SessionState::Failed);
    }

    void weightsStartANewRun()
    {
        const Folder folder;
        runSession(richProject(), optionsFor(folder));
        const auto file = CheckpointFolder(folder.path(), 1).fileFor(30);
        const auto checkpoint = loadCheckpoint(file);
        SessionOptions options;
        options.threads = 1;
        options.steps = 1;
        Json training{{"weights", file.string()}, {"optimizer", {{"kind", "SGD"}, {"lr", 0.0}}}};
        const Record record = runSession(spiralProject(training), options);
        const auto& mean = checkpoint->state.at("bn1.running_mean");
        const double momentum = record.series.at("bn_running_mean/bn1/0").front().second - 0.9 * mean[0].item<double>();
        QVERIFY(record.state == SessionState::Finished && std::abs(momentum) < 1.0 && mean[0].item<double>() != 0);

        Json wider = spiralProject(training);
        wider["network"]["nodes"][5]["params"]["out_features"] = 3; // another head
        const Record partly = runSession(wider, options);
        QCOMPARE(partly.state, SessionState::Finished);
        QVERIFY(partly.saying("fc2.weight") != nullptr);
        training["weights"] = "no-such-file.pt";
        const Record none = runSession(spiralProject(training), options);
        QCOMPARE(none.state, SessionState::Failed);
        QCOMPARE(none.problems.back().where, std::string("training/weights"));
    }

    void savesOnCommand()
    {
        const Folder folder;
        SessionOptions options = optionsFor(folder);
        RunningSession running(projectOf(richProject({{"epochs", 100000}, {"checkpoint", {{"every", 1000000}}}, {"early_stopping", nullptr}})), options);
        running.session().post(command::Pause{});
        QVERIFY(running.waitFor(SessionState::Paused));
        running.session().post(command::StepOnce{});
        running.session().post(command::SaveCheckpoint{});
        QVERIFY(running.waitUntil([&] { return folder.files().contains("step-00000001.pt"); }));
        running.session().post(command::Stop{});
        QVERIFY(running.finish().count(EventKind::CheckpointWritten) >= 1);
    }
};

QTEST_APPLESS_MAIN(TestCheckpoint)
#include "tst_checkpoint.moc"
