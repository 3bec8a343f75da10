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
