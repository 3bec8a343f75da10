#include "engine/base/log.h"

#include <QtTest>

#include <atomic>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

using namespace athanor;

namespace {

std::string fileText(const std::string& path)
{
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

} // namespace

class LogTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void listenersGetEveryLine();
    void fileGetsTheDetail();
    void fileThatCannotBeWritten();
    void listenersComeAndGoWhileOthersLog();
};

void LogTest::listenersGetEveryLine()
{
    startLog(spdlog::level::err);
    std::vector<LogLine> lines;
    const int id = addLogSink([&](const LogLine& line) { lines.push_back(line); });
    spdlog::info("epoch {} done", 3);
    spdlog::debug("detail");
    QCOMPARE(lines.size(), std::size_t(2));
    QCOMPARE(lines[0].text, std::string("epoch 3 done"));
    QCOMPARE(lines[0].level, spdlog::level::info);
    QCOMPARE(lines[1].level, spdlog::level::debug);
    QVERIFY(lines[0].wallMilliseconds > 1577836800000 &&
            lines[0].wallMilliseconds <= lines[1].wallMilliseconds);
    removeLogSink(id);
    spdlog::info("nobody listens");
    QCOMPARE(lines.size(), std::size_t(2));
}

void LogTest::fileGetsTheDetail()
{
    QTemporaryDir folder;
    const std::string path = folder.filePath("athanor.log").toStdString();
    startLog(spdlog::level::off, path);
    spdlog::debug("a detail");
    spdlog::warn("a warning"); // warnings are flushed at once
    const std::string text = fileText(path);
    QVERIFY2(text.find(" D a detail\n") != std::string::npos, text.c_str());
    QVERIFY2(text.find(" W a warning\n") != std::string::npos, text.c_str());
    startLog(spdlog::level::off);
}

void LogTest::fileThatCannotBeWritten()
{
    startLog(spdlog::level::off, "/proc/none/athanor.log");
    int lines = 0;
    const int id = addLogSink([&](const LogLine&) { ++lines; });
    spdlog::info("still here");
    QCOMPARE(lines, 1);
    removeLogSink(id);
}

void LogTest::listenersComeAndGoWhileOthersLog()
{
    startLog(spdlog::level::off);
    constexpr int kLines = 500;
    std::atomic<int> heard{0};
    const int id = addLogSink([&](const LogLine&) { ++heard; });
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 3; ++t)
            threads.emplace_back([] {
                for (int i = 0; i < kLines; ++i)
                    spdlog::info("line {}", i);
            });
        for (int i = 0; i < 100; ++i)
            removeLogSink(addLogSink([](const LogLine&) {}));
    }
    QCOMPARE(heard.load(), 3 * kLines);
    removeLogSink(id);
}

QTEST_APPLESS_MAIN(LogTest)
#include "tst_log.moc"
