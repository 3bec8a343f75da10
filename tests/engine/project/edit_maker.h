// Random edits of a graph, for tests of what must hold after any of them.
#pragma once

#include "engine/graph/graph_edit.h"

#include <array>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace athanor {

// Sensible and senseless edits, over few names so that they meet each other.
class EditMaker {
public:
    explicit EditMaker(unsigned seed) : m_random(seed) {}
    std::size_t pick(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(m_random); }

    GraphEdit make(const Graph& graph, int depth = 0)
    {
        switch (pick(depth < 2 ? 14 : 9)) {
        case 0:
            return {edit::AddNode{newNode(graph), place(), index()}};
        case 1:
            return {edit::RemoveNode{id(graph)}};
        case 2:
            return {edit::Connect{{{id(graph), port()}, {id(graph), port()}}, std::nullopt}};
        case 3:
            return {edit::Connect{{{id(graph), port()}, {id(graph), port()}}, index()}};
        case 4:
            return {edit::Disconnect{graph.edges().empty() ? Edge{} : graph.edges()[pick(graph.edges().size())]}};
        case 5:
            return {edit::SetParameter{id(graph), pick(2) ? "momentum" : "eps", value()}};
        case 6:
            return {edit::Move{{{id(graph), place()}, {id(graph), place()}}}};
        case 7:
            return {edit::Rename{id(graph), id(graph)}};
        case 8:
            return {edit::SetComment{numbered("note"), comment()}};
        case 9:
            return {edit::AddDefinition{{numbered("Block"), inside(graph), Json::object()}, index()}};
        case 10:
            return {edit::RemoveDefinition{numbered("Block")}};
        case 11:
            return {edit::RenameDefinition{numbered("Block"), pick(8) ? numbered("Block") : "Nowhere"}};
        case 12:
            return inDefinition(graph, depth);
        default:
            break;
        }
        edit::Sequence sequence;
        for (std::size_t i = pick(4); i > 0; --i)
            sequence.edits.push_back(make(graph, depth + 1));
        return {std::move(sequence)};
    }

private:
    Node newNode(const Graph& graph)
    {
        switch (pick(6)) {
        case 0:
            return {id(graph), "Group", Json{{"definition", numbered("Block")}}, Json::object()};
        case 1:
            return {id(graph), "Shared", Json{{"of", id(graph)}}, Json::object()};
        case 2:
            return {id(graph), pick(2) ? "GroupInput" : "GroupOutput", Json::object(), Json::object()};
        default:
            return {id(graph), pick(2) ? "ReLU" : "Add", Json{{"p", pick(3)}}, Json::object()};
        }
    }
    // A definition like another one, or an empty one.
    Graph inside(const Graph& graph)
    {
        const auto& all = graph.definitions();
        return pick(3) == 0 || all.empty() ? Graph() : all[pick(all.size())].graph;
    }
    GraphEdit inDefinition(const Graph& graph, int depth)
    {
        const std::string name = numbered("Block");
        const Graph* inner = graph.definition(name);
        edit::InDefinition in{name, {}};
        for (std::size_t i = 1 + pick(2); i > 0; --i)
            in.edits.push_back(make(inner ? *inner : graph, depth + 1));
        return {std::move(in)};
    }
    std::string numbered(const char* stem)
    {
        std::string text = stem;
        return text += std::to_string(pick(3));
    }
    // Mostly one that is there, so that long histories do not die out.
    NodeId id(const Graph& graph)
    {
        if (pick(4) != 0 && !graph.nodes().empty())
            return graph.nodes()[pick(graph.nodes().size())].id;
        return pick(8) == 0 ? "group/" + numbered("n") : std::string(1, static_cast<char>('a' + pick(16)));
    }
    std::string port() { return pick(3) == 0 ? "input" : ""; }
    std::optional<std::size_t> index() { return pick(2) ? std::optional(pick(8)) : std::nullopt; }
    std::optional<Position> place()
    {
        return pick(3) ? std::optional(Position{static_cast<double>(pick(900)) / 4, -0.5}) : std::nullopt;
    }
    std::optional<Json> value()
    {
        const std::array<std::optional<Json>, 5> values{std::nullopt, Json(), Json(1), Json("x"), Json({1, 2.5})};
        return values[pick(values.size())];
    }
    std::optional<Comment> comment()
    {
        if (pick(4) == 0)
            return std::nullopt;
        return Comment{"text \"" + numbered("t") + "\"\n", pick(2) ? "Linear" : "", static_cast<double>(pick(50)), 0.25,
                       100, static_cast<double>(pick(99))};
    }
    std::mt19937 m_random;
};

} // namespace athanor
