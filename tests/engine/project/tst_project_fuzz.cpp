// Damaged project files: a clear error or a project that can be checked and saved, never a crash.
#include "tests/engine/project/project_builder.h"

#include <QtTest>

#include <random>

using namespace athanor;

namespace {

// What every caller does with a project that opened.
void useIt(const LoadedProject& loaded)
{
    const Project& project = loaded.project;
    checkData(project.data);
    checkNetwork(project.network, {});
    checkNetwork(project.network, {{{"image", TensorType{{kBatch, 3, 32, 32}}},
                                    {"features", TensorType{{kBatch, 4}}},
                                    {"label", TensorType{{kBatch}, ElementType::Index, 10}}},
                                   true});
    checkTraining(project);
    semanticHash(project);
    const std::string text = projectText(project);
    const auto again = parseProject(text, project.file);
    QVERIFY2(again.ok(), text.c_str());
    QCOMPARE(projectText(again->project), text);
}

class Damage {
public:
    explicit Damage(unsigned seed) : m_random(seed) {}
    std::size_t pick(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(m_random); }

    std::string bytes(std::string text)
    {
        for (std::size_t n = 1 + pick(6); n > 0 && !text.empty(); --n) {
            const std::size_t at = pick(text.size());
            switch (pick(5)) {
            case 0:
                text[at] = static_cast<char>(pick(256));
                break;
            case 1:
                text.erase(at, 1 + pick(20));
                break;
            case 2:
                text.insert(at, text.substr(pick(text.size()), pick(40)));
                break;
            case 3:
                text.resize(at + 1);
                break;
            default:
                text[at] = "{}[],:\"0-9eE.\\ntf"[pick(17)];
                break;
            }
        }
        return text;
    }

    // Puts something else in the place of one value anywhere in the document.
    void value(Json& json)
    {
        if (json.is_structured() && !json.empty() && pick(8) != 0) {
            auto it = json.begin();
            std::advance(it, static_cast<std::ptrdiff_t>(pick(json.size())));
            return value(*it);
        }
        static const Json strange = Json::parse(
            R"([null, true, 0, -1, 1.5, 1e308, -1e308, 9223372036854775807, -9223372036854775808, 18446744073709551615, "", "nan", "a:b:c", ":",
                "loss", "Conv2d", "val/loss", [], {}, [[]], [1, [2]], {"id": 1}, {"kind": "ReLU"}, ["a", "a"], [1, 2, 3, 4, 5, 6, 7, 8], "\u0000", "same"])");
        json = strange[pick(strange.size())];
    }

private:
    std::mt19937 m_random;
};

std::vector<std::string> samples()
{
    return {fileText(ATHANOR_SOURCE_DIR "/tests/data/projects/v1.athanor"), tableProjectText(), groupProjectText()};
}

} // namespace

class ProjectFuzz : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void truncated();
    void damagedBytes();
    void wrongTypesEverywhere();
    void everyValueReplaced();
    void settingAtRandom();
};

void ProjectFuzz::truncated()
{
    for (const std::string& text : samples())
        for (std::size_t size = 0; size < text.rfind('}'); ++size) {
            const auto loaded = parseProject(std::string_view(text).substr(0, size));
            QVERIFY(!loaded.ok());
            QVERIFY(loaded.error().message.starts_with("line "));
        }
}

void ProjectFuzz::damagedBytes()
{
    Damage damage(11);
    int opened = 0;
    for (const std::string& text : samples())
        for (int i = 0; i < 1500; ++i) {
            const auto loaded = parseProject(damage.bytes(text));
            if (loaded) {
                ++opened;
                useIt(*loaded);
            } else {
                QVERIFY(!Json(loaded.error().text()).dump().empty()); // throws when it is no valid text
            }
        }
    QVERIFY(opened > 40); // else nothing behind the parser was tried
}

void ProjectFuzz::wrongTypesEverywhere()
{
    Damage damage(12);
    int opened = 0, refused = 0;
    for (const std::string& text : samples()) {
        const Json sound = Json::parse(text);
        for (int i = 0; i < 1500; ++i) {
            Json document = sound;
            for (std::size_t n = 1 + damage.pick(3); n > 0; --n)
                damage.value(document);
            const auto loaded = parseProject(document.dump());
            loaded ? ++opened : ++refused;
            if (loaded)
                useIt(*loaded);
            else
                QVERIFY2(!loaded.error().message.empty(), document.dump().c_str());
        }
    }
    QVERIFY2(opened > 400 && refused > 400, (std::to_string(opened) + " " + std::to_string(refused)).c_str());
}

void ProjectFuzz::everyValueReplaced()
{
    // Systematically: each value of the file once by each of these, so that no place is missed.
    const std::vector<Json> replacements{nullptr, -3, 0.25, "text", Json::array(), Json::object(), true, "in", "Stage"};
    for (const std::string& text : samples()) {
        const Json sound = Json::parse(text);
        const Json flat = sound.flatten();
        for (const auto& [pointer, old] : flat.items())
            for (const Json& replacement : replacements) {
                Json document = sound;
                document[Json::json_pointer(pointer)] = replacement;
                const auto loaded = parseProject(document.dump());
                if (loaded)
                    useIt(*loaded);
                else
                    QVERIFY2(!loaded.error().where.empty() || pointer == "/athanor", pointer.c_str());
            }
    }
}

void ProjectFuzz::settingAtRandom()
{
    Damage damage(13);
    const std::vector<std::string> words{
        "training",  "network", "data",    "name",        "optimizer",
        "scheduler", "init",    "groups",  "checkpoint",  "early_stopping",
        "kind",      "lr",      "0",       "1",           "99999999999999999999",
        "-1",        "",        "monitor", "metrics",     "freeze",
        "betas",     "fc1",     "conv",    "kernel_size", "momentum",
        "norm",      "table",   "target",  "fields",      "more",
        "cells",     "stage",   "blocks",  "fc",          "repeat",
        "twin",      "of",      "definition"};
    const std::vector<std::string> values{"1",
                                          "-1",
                                          "0.5",
                                          "null",
                                          "true",
                                          "\"x\"",
                                          "x",
                                          "[]",
                                          "{}",
                                          "[1]",
                                          "[\"a\"]",
                                          "1e999",
                                          "[[[[",
                                          "SGD",
                                          "ReLU",
                                          R"({"kind": "StepLR"})",
                                          R"([{"kind": "normal", "match": "*"}])",
                                          "9223372036854775808",
                                          "",
                                          "\x80"};
    std::vector<Project> projects;
    std::vector<std::string> before;
    for (const std::string& text : samples()) {
        projects.push_back(projectOf(text));
        before.push_back(projectText(projects.back()));
    }
    int set = 0;
    for (int i = 0; i < 16000; ++i) {
        std::string path;
        for (std::size_t n = 1 + damage.pick(4); n > 0; --n)
            path += (path.empty() ? "" : ".") + words[damage.pick(words.size())];
        const std::size_t which = damage.pick(projects.size());
        Project project = projects[which];
        const Status status = setProjectValue(project, path, values[damage.pick(values.size())]);
        if (status) {
            ++set;
            useIt({project, {}});
        } else {
            QVERIFY2(!status.error().message.empty(), path.c_str());
            QCOMPARE(projectText(project), before[which]);
        }
    }
    QVERIFY2(set > 50, std::to_string(set).c_str());
}

QTEST_APPLESS_MAIN(ProjectFuzz)
#include "tst_project_fuzz.moc"
