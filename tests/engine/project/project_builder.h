// Tests only. Projects from short JSON.
#pragma once

#include "engine/project/project.h"

#include <QtTest>

#include <fstream>
#include <sstream>
#include <string>

/// So that a failed comparison shows both texts.
template <>
inline char* QTest::toString(const std::string& text)
{
    return qstrdup(text.c_str());
}

namespace athanor {

/// A small sound project: a table, an MLP, classes. `training` replaces its training part.
inline std::string tableProjectText(
    const std::string& training =
        R"({"epochs": 3, "optimizer": {"kind": "SGD", "lr": 0.1, "momentum": 0.9}, "metrics": ["accuracy"]})")
{
    return R"({"athanor": 1, "name": "table",
 "data": {"nodes": [{"id": "table", "kind": "CsvTable", "params": {"path": "data/x.csv", "target": "y"}},
                    {"id": "split", "kind": "Split"}, {"id": "scale", "kind": "Standardize"},
                    {"id": "loader", "kind": "Loader", "params": {"batch_size": 32}}],
          "edges": [["table", "split"], ["split", "scale"], ["scale", "loader"]]},
 "network": {"nodes": [{"id": "x", "kind": "Input", "params": {"field": "features"}},
                       {"id": "fc1", "kind": "Linear", "params": {"out_features": 16}}, {"id": "act", "kind": "ReLU"},
                       {"id": "fc2", "kind": "Linear", "params": {"out_features": 3}},
                       {"id": "conv", "kind": "Conv2d", "params": {"out_channels": 4, "kernel_size": 3}},
                       {"id": "norm", "kind": "BatchNorm2d"},
                       {"id": "y", "kind": "Input", "params": {"field": "label"}}, {"id": "loss", "kind": "CrossEntropyLoss"}],
             "edges": [["x", "fc1"], ["fc1", "act"], ["act", "fc2"], ["fc2", "loss:input"], ["y", "loss:target"], ["conv", "norm"]]},
 "training": )" +
           training + "}";
}

/// A sound network with groups, one in the other, repeated and shared, and with a layout.
inline std::string groupProjectText()
{
    return R"({"athanor": 1, "name": "groups",
 "network": {"nodes": [{"id": "x", "kind": "Input", "params": {"field": "features"}},
                       {"id": "stage", "kind": "Group", "params": {"definition": "Stage"}},
                       {"id": "twin", "kind": "Shared", "params": {"of": "stage"}}, {"id": "sum", "kind": "Add"},
                       {"id": "y", "kind": "Input", "params": {"field": "target"}}, {"id": "loss", "kind": "MSELoss"}],
             "edges": [["x", "stage"], ["x", "twin:in"], ["stage:out", "sum"], ["twin", "sum"], ["sum", "loss:input"],
                       ["y", "loss:target"]],
             "groups": [{"name": "Stage", "nodes": [{"id": "in", "kind": "GroupInput"},
                                                    {"id": "blocks", "kind": "Group", "params": {"definition": "Block", "repeat": 2}},
                                                    {"id": "out", "kind": "GroupOutput"}],
                         "edges": [["in", "blocks"], ["blocks", "out"]]},
                        {"name": "Block", "colour": "kept",
                         "nodes": [{"id": "in", "kind": "GroupInput"}, {"id": "fc", "kind": "Linear", "params": {"out_features": 4}},
                                   {"id": "act", "kind": "ReLU"}, {"id": "out", "kind": "GroupOutput"}],
                         "edges": [["in", "fc"], ["fc", "act"], ["act", "out"]]}]},
 "layout": {"network": {"x": [0, 0]}, "groups": {"Block": {"fc": [256, 12.5]}, "Gone": {"a": [1, 2]}},
            "comments": {"groups": {"Stage": {"note1": {"text": "twice", "rect": [0, 0, 240, 120]}}}}}})";
}

inline Project projectOf(const std::string& text)
{
    auto loaded = parseProject(text);
    if (!loaded)
        qFatal("%s", loaded.error().text().c_str());
    return std::move(loaded->project);
}

inline std::string fileText(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

} // namespace athanor
