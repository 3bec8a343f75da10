// Long random edit histories, through undo, redo, save and load: the graph stays sound, and undoing all of it
// brings back the first file byte for byte.
#include "edit_maker.h"

#include "engine/project/project.h"

#include <QtTest>

#include <array>
#include <set>

using namespace athanor;

namespace {

constexpr int kSequences = 1000;
constexpr int kEdits = 200;
constexpr std::size_t kEditKinds = std::variant_size_v<decltype(GraphEdit::what)>;

// A file with what files may hold: an edge into nothing, a null, an unknown key, an unknown kind, a comment, groups
// (one in another, one that is not there) and shared weights.
const char* const kStart = R"({
  "athanor": 1, "name": "start",
  "network": {
    "nodes": [{"id": "a", "kind": "Input", "params": {"field": "image"}}, {"id": "b", "kind": "ReLU", "mood": "kept"},
              {"id": "c", "kind": "BatchNorm2d", "params": {"momentum": null}}, {"id": "d", "kind": "Add"},
              {"id": "e", "kind": "Mystery", "params": {"deep": [1, {"x": 2}]}}, {"id": "g/f", "kind": "Tanh"},
              {"id": "h", "kind": "Group", "params": {"definition": "Block0"}},
              {"id": "i", "kind": "Shared", "params": {"of": "h"}},
              {"id": "j", "kind": "Group", "params": {"definition": "Nowhere"}}],
    "edges": [["a", "b"], ["b", "d"], ["c:output", "d:input"], ["d", "ghost:x"], ["e", "g/f"], ["g/f", "e"],
              ["a", "h:a"], ["h:c", "i:a"]],
    "groups": [{"name": "Block0", "colour": "kept", "edges": [["a", "b"], ["b", "c"]],
                "nodes": [{"id": "a", "kind": "GroupInput"}, {"id": "b", "kind": "Group", "params": {"definition": "Block1"}},
                          {"id": "c", "kind": "GroupOutput"}]},
               {"name": "Block1", "edges": [], "nodes": [{"id": "a", "kind": "GroupInput"}]}]},
  "layout": {"network": {"a": [1, 2], "c": [-3.5, 4]}, "groups": {"Block0": {"b": [7, 8.5]}},
             "comments": {"network": {"note1": {"text": "two\nlines", "rect": [0, 0, 99.5, 20]}},
                          "groups": {"Block1": {"note0": {"text": "", "rect": [0, 1, 2, 3]}}}}}})";

Project start()
{
    auto loaded = parseProject(kStart);
    return loaded ? loaded->project : Project{};
}

// What must hold of every graph, whatever was done to it; empty when it does.
std::string brokenInvariant(const Graph& graph)
{
    std::set<NodeId> ids;
    for (const Node& node : graph.nodes()) {
        if (!isValidNodeId(node.id))
            return "invalid name " + node.id;
        if (!ids.insert(node.id).second)
            return "two nodes are named " + node.id;
        if (!node.params.is_object())
            return "params of " + node.id + " are no object";
    }
    for (const auto& [id, position] : graph.positions())
        if (!ids.contains(id))
            return "a position of " + id + ", which is not there";
    const std::set<Edge> edges(graph.edges().begin(), graph.edges().end());
    if (edges.size() != graph.edges().size())
        return "an edge is there twice";
    for (const auto& [name, comment] : graph.comments())
        if (!isValidNodeId(name))
            return "invalid name of a comment " + name;
    std::set<std::string> names;
    for (const GroupDefinition& definition : graph.definitions()) {
        if (!isValidNodeId(definition.name) || !names.insert(definition.name).second)
            return "a group is named " + definition.name + ", as another one or as none may be";
        if (!definition.graph.definitions().empty())
            return "the group " + definition.name + " has definitions of its own";
        if (const std::string wrong = brokenInvariant(definition.graph); !wrong.empty())
            return wrong + " in " + definition.name;
    }
    return {};
}

// A project with its history: what the window's document does, without the window.
class History {
public:
    explicit History(unsigned seed) : m_maker(seed), m_project(start()), m_first(projectText(m_project)) {}

    // Empty, or what went wrong.
    std::string run()
    {
        for (int i = 0; i < kEdits; ++i) {
            std::string wrong = step();
            if (wrong.empty())
                wrong = brokenInvariant(m_project.network);
            if (!wrong.empty())
                return wrong + " after step " + std::to_string(i);
        }
        const std::string last = projectText(m_project);
        m_redo.clear(); // what could be redone lies behind it
        while (!m_undo.empty())
            if (!back())
                return "an undo step was refused";
        if (projectText(m_project) != m_first)
            return "undoing all does not bring back the first file";
        while (!m_redo.empty())
            if (!forth())
                return "a redo step was refused";
        return projectText(m_project) == last ? std::string() : "redoing all does not bring back the last file";
    }

    std::array<int, kEditKinds> applied{}; ///< per kind of edit

private:
    std::string step()
    {
        switch (m_maker.pick(20)) {
        case 0:
            return m_undo.empty() || back() ? std::string() : "an undo step was refused";
        case 1:
            return m_redo.empty() || forth() ? std::string() : "a redo step was refused";
        case 2:
            return reload();
        default:
            return editOnce();
        }
    }

    std::string editOnce()
    {
        const GraphEdit edit = m_maker.make(m_project.network);
        const Graph before = m_project.network;
        auto change = apply(m_project.network, edit);
        if (!change)
            return m_project.network == before ? std::string() : "a refused edit changed the graph";
        ++applied[edit.what.index()];
        m_undo.push_back({std::move(change->inverse)});
        m_redo.clear();
        return {};
    }

    bool move(std::vector<GraphEdit>& from, std::vector<GraphEdit>& to)
    {
        auto change = apply(m_project.network, from.back());
        if (!change)
            return false;
        from.pop_back();
        to.push_back(std::move(change->inverse));
        return true;
    }
    bool back() { return move(m_undo, m_redo); }
    bool forth() { return move(m_redo, m_undo); }

    // Goes on with what a file gives back; the history must fit it.
    std::string reload()
    {
        const std::string text = projectText(m_project);
        auto loaded = parseProject(text);
        if (!loaded)
            return "a saved file cannot be read: " + loaded.error().text();
        if (!(loaded->project.network == m_project.network))
            return "the graph is another after save and load";
        if (projectText(loaded->project) != text)
            return "saving again gives another file";
        m_project = std::move(loaded->project);
        return {};
    }

    EditMaker m_maker;
    Project m_project;
    std::string m_first;
    std::vector<GraphEdit> m_undo;
    std::vector<GraphEdit> m_redo;
};

} // namespace

class EditSequencesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void undoingAllBringsBackTheFirstFile();
};

void EditSequencesTest::undoingAllBringsBackTheFirstFile()
{
    std::array<int, kEditKinds> applied{};
    for (unsigned seed = 1; seed <= kSequences; ++seed) {
        History history(seed);
        const std::string wrong = history.run();
        QVERIFY2(wrong.empty(), (wrong + ", seed " + std::to_string(seed)).c_str());
        for (std::size_t kind = 0; kind < kEditKinds; ++kind)
            applied[kind] += history.applied[kind];
    }
    // A new kind of edit must be made above too, or this fails.
    for (std::size_t kind = 0; kind < kEditKinds; ++kind)
        QVERIFY2(applied[kind] > 500, ("kind of edit no. " + std::to_string(kind) + " was hardly ever made").c_str());
}

QTEST_APPLESS_MAIN(EditSequencesTest)
#include "tst_edit_sequences.moc"
