// Groups in project files, and files of groups.
#include "tests/engine/project/project_builder.h"

#include "engine/graph/flat_graph.h"
#include "engine/graph/group_edit.h"
#include "engine/project/group_library.h"

#include <QTemporaryDir>

using namespace athanor;

class GroupFileTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void savesWhatItRead();
    void writesOneNodeAndEdgePerLine();
    void namesThePlaceOfAMistake_data();
    void namesThePlaceOfAMistake();
    void projectsWithoutGroupsStayAsTheyAre();
    void weightsAreNamedAfterInstances();
    void pathsInsideGroupsFollowTheFile();
    void theLibraryKeepsGroups();
    void aDamagedLibraryFileIsNamed();
};

void GroupFileTest::savesWhatItRead()
{
    const auto loaded = parseProject(groupProjectText());
    QVERIFY(loaded.ok());
    const Graph& network = loaded->project.network;
    QCOMPARE(network.definitions().size(), std::size_t(2));
    QCOMPARE(network.definitions()[0].name, std::string("Stage")); // the file's order
    QVERIFY((network.definition("Block")->positions().at("fc") == Position{256, 12.5}));
    QCOMPARE(network.definition("Stage")->comments().at("note1").text, std::string("twice"));
    const GraphCheck check = checkNetwork(
        network, {{{"features", TensorType{{kBatch, 4}}}, {"target", TensorType{{kBatch, 4}}}}, true});
    QVERIFY(check.ok());
    QCOMPARE(check.parameters, std::int64_t(2 * 20));

    const std::string text = projectText(loaded->project);
    const auto again = parseProject(text);
    QVERIFY(again.ok());
    QCOMPARE(projectText(again->project), text);
    QVERIFY(again->project.network == network);
    const Json saved = Json::parse(text);
    QCOMPARE(saved["network"]["groups"][1]["colour"].get<std::string>(), std::string("kept"));
    QVERIFY(saved["layout"]["groups"]["Gone"]["a"] == Json::array({1, 2}));
}

void GroupFileTest::writesOneNodeAndEdgePerLine()
{
    const std::string text = projectText(projectOf(groupProjectText()));
    for (const char* line :
         {"\n          {\"id\": \"act\", \"kind\": \"ReLU\"},\n", "\n          [\"fc\", \"act\"],\n",
          "\n        \"name\": \"Block\",\n", "\n        \"fc\": [256, 12.5]\n"})
        QVERIFY2(text.find(line) != std::string::npos, text.c_str());
}

void GroupFileTest::namesThePlaceOfAMistake_data()
{
    QTest::addColumn<QString>("groups");
    QTest::addColumn<QString>("where");
    const auto row = [](const char* name, const char* groups, const char* where) {
        QTest::newRow(name) << groups << where;
    };
    row("no list", R"({"Block": []})", "network/groups");
    row("no object", "[3]", "network/groups/0");
    row("no name", R"([{"nodes": []}])", "network/groups/0/name");
    row("a number for a name", R"([{"name": 3}])", "network/groups/0/name");
    row("a name with a slash", R"([{"name": "a/b"}])", "network/groups/a/b");
    row("the same name twice", R"([{"name": "A"}, {"name": "A"}])", "network/groups/A");
    row("a port twice",
        R"([{"name": "A", "nodes": [{"id": "in", "kind": "GroupInput"}, {"id": "in", "kind": "GroupInput"}]}])",
        "network/groups/A/in");
    row("edges that are none", R"([{"name": "A", "edges": [["a"]]}])", "network/groups/A/edges/0");
}

void GroupFileTest::namesThePlaceOfAMistake()
{
    QFETCH(QString, groups);
    QFETCH(QString, where);
    const auto loaded =
        parseProject(R"({"athanor": 1, "network": {"groups": )" + groups.toStdString() + "}}");
    QVERIFY(!loaded.ok());
    QCOMPARE(loaded.error().where, where.toStdString());
    QVERIFY(!loaded.error().message.empty());
}

void GroupFileTest::projectsWithoutGroupsStayAsTheyAre()
{
    const std::string text = projectText(projectOf(tableProjectText()));
    QVERIFY(text.find("groups") == std::string::npos);
    // In a data graph the key is one that is not known, and kept.
    const auto data = parseProject(R"({"athanor": 1, "data": {"groups": [1]}})");
    QVERIFY(data.ok());
    QCOMPARE(data->notes.size(), std::size_t(1));
    QVERIFY(Json::parse(projectText(data->project))["data"]["groups"] == Json::array({1}));
}

void GroupFileTest::weightsAreNamedAfterInstances()
{
    Project project = projectOf(groupProjectText());
    const auto freezeProblem = [&](const char* pattern) {
        project.training.freeze = {pattern};
        for (const Problem& problem : checkTraining(project))
            if (problem.where == "training/freeze/0")
                return true;
        return false;
    };
    QVERIFY(!freezeProblem("stage.blocks.1.fc.weight"));
    QVERIFY(!freezeProblem("stage*"));
    QVERIFY(freezeProblem("twin*")); // its weights are the stage's
    QVERIFY(freezeProblem("stage.blocks.2*"));
}

void GroupFileTest::pathsInsideGroupsFollowTheFile()
{
    Project project = projectOf(R"({"athanor": 1, "network": {"groups": [{"name": "A", "nodes": [
        {"id": "net", "kind": "ScriptModule", "params": {"file": "nets/a.pt"}}]}]}})");
    project.file = "/home/a/x.athanor";
    const Project moved = relocated(project, "/home/b/x.athanor");
    QCOMPARE(moved.network.definition("A")->find("net")->params["file"].get<std::string>(),
             std::string("../a/nets/a.pt"));
}

void GroupFileTest::theLibraryKeepsGroups()
{
    QTemporaryDir temporary;
    const std::filesystem::path folder = std::filesystem::path(temporary.path().toStdString()) / "groups";
    QVERIFY(readGroupLibrary(folder).groups.empty());
    const Graph network = projectOf(groupProjectText()).network;
    QVERIFY(saveToGroupLibrary(folder, network, "Stage").ok());
    QVERIFY(saveToGroupLibrary(folder, network, "Block").ok());
    QVERIFY(!saveToGroupLibrary(folder, network, "Nobody").ok());
    const GroupLibrary library = readGroupLibrary(folder);
    QVERIFY(library.unreadable.empty());
    QCOMPARE(library.groups.size(), std::size_t(2));
    QCOMPARE(library.groups[1].name, std::string("Stage"));
    QCOMPARE(library.groups[1].definitions.size(), std::size_t(2)); // with the one that it holds

    Graph other;
    const ImportedDefinitions imported = importDefinitions(other, library.groups[1].definitions);
    QVERIFY(apply(other, imported.edit).ok());
    QVERIFY(*other.definition("Stage") == *network.definition("Stage"));
    QVERIFY(*other.definition("Block") == *network.definition("Block"));
    QCOMPARE(groupText(other, "Stage"), groupText(network, "Stage"));

    QVERIFY(removeFromGroupLibrary(folder, "Stage").ok());
    QVERIFY(!removeFromGroupLibrary(folder, "Stage").ok());
    QCOMPARE(readGroupLibrary(folder).groups.size(), std::size_t(1));
}

void GroupFileTest::aDamagedLibraryFileIsNamed()
{
    QTemporaryDir temporary;
    const std::filesystem::path folder(temporary.path().toStdString());
    std::ofstream(folder / "Broken.athanor-group") << "{";
    std::ofstream(folder / "Empty.athanor-group") << R"({"athanor": 1, "name": "Empty"})";
    std::ofstream(folder / "notes.txt") << "not one of them";
    const GroupLibrary library = readGroupLibrary(folder);
    QVERIFY(library.groups.empty());
    QCOMPARE(library.unreadable.size(), std::size_t(2));
    QVERIFY(library.unreadable[0].where.find("Broken.athanor-group") != std::string::npos);
    QVERIFY(library.unreadable[1].message.find("'Empty'") != std::string::npos);
}

QTEST_APPLESS_MAIN(GroupFileTest)
#include "tst_group_file.moc"
