// GUI thread. What the tests of the canvas and the inspector share: a small network, opened.
#pragma once

#include "engine/train/project_fixes.h"
#include "ui/bridge/project_document.h"
#include "ui/theme/theme.h"

#include <QTest>

namespace athanor::test {

/// Two convolution blocks and two linear layers on 1×28×28 images with 10 classes.
inline const char* const kSmallCnn = R"({
  "athanor": 1, "name": "Small CNN",
  "data": {
    "nodes": [
      {"id": "digits", "kind": "MnistIdx", "params": {"images": "i.gz", "labels": "l.gz"}},
      {"id": "split", "kind": "Split", "params": {"train": 0.8, "val": 0.2}},
      {"id": "loader", "kind": "Loader", "params": {"batch_size": 64}}
    ],
    "edges": [["digits", "split"], ["split", "loader"]]
  },
  "network": {
    "nodes": [
      {"id": "image", "kind": "Input", "params": {"field": "image"}},
      {"id": "conv1", "kind": "Conv2d", "params": {"out_channels": 32, "kernel_size": 3, "padding": 1}},
      {"id": "relu1", "kind": "ReLU"},
      {"id": "pool1", "kind": "MaxPool2d", "params": {"kernel_size": 2}},
      {"id": "flat", "kind": "Flatten"},
      {"id": "fc1", "kind": "Linear", "params": {"out_features": 128}},
      {"id": "fc2", "kind": "Linear", "params": {"out_features": 10}},
      {"id": "label", "kind": "Input", "params": {"field": "label"}},
      {"id": "loss", "kind": "CrossEntropyLoss"}
    ],
    "edges": [["image", "conv1"], ["conv1", "relu1"], ["relu1", "pool1"], ["pool1", "flat"], ["flat", "fc1"],
              ["fc1", "fc2"], ["fc2", "loss:input"], ["label", "loss:target"]]
  },
  "training": {"epochs": 3, "seed": 1, "optimizer": {"kind": "Adam", "lr": 0.001}, "metrics": ["accuracy"]}
})";

/// Checks without data on disk: the fields are those of the digits.
inline ProjectCheck checkDigits(const Project& project, const std::function<bool()>&)
{
    FieldTypes fields;
    fields.known = true;
    fields.fields["image"] = TensorType{{kBatch, 1, 28, 28}};
    fields.fields["label"] = TensorType{{kBatch}, ElementType::Index, 10};
    ProjectCheck check;
    check.dataOpened = true;
    check.stepsPerEpoch = 10;
    check.network = checkNetwork(project.network, fields);
    check.problems = check.network.problems;
    suggestProjectFixes(project, fields, {}, check);
    for (Problem& problem : checkTraining(project)) {
        check.problems.push_back(std::move(problem));
    }
    return check;
}

inline Edge edge(const char* from, const char* to)
{
    return {PortRef::parse(from), PortRef::parse(to)};
}

inline QString dump(const Json& json)
{
    return QString::fromStdString(json.dump());
}

struct OpenProject {
    OpenProject()
    {
        theme.setScheme(ColorScheme::Light);
        document.setCheckFunction(&checkDigits);
    }
    /// Opens a project given as text and waits for its check.
    void open(const char* text = kSmallCnn)
    {
        Result<LoadedProject> parsed = parseProject(text);
        QVERIFY2(parsed.ok(), parsed.ok() ? "" : parsed.error().text().c_str());
        document.setProject(parsed->project);
        waitForCheck();
    }
    void waitForCheck() { QTRY_VERIFY(!document.isChecking()); }
    [[nodiscard]] Json parameter(const char* node, const char* name, GraphPart part = GraphPart::Network) const
    {
        const Node* found = document.graph(part).find(node);
        return found && found->params.contains(name) ? found->params.at(name) : Json();
    }
    [[nodiscard]] Position position(const char* node) const
    {
        return document.graph(GraphPart::Network).positions().at(node);
    }

    Theme theme;
    ProjectDocument document;
    Selection selection;
};

} // namespace athanor::test
