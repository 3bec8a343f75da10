"""Projects and their PyTorch twins: the same seed, modules in the same order, the same batches."""
import json
import math
import os
import subprocess

import numpy as np
import torch
from torch import nn


class Twin:
    """A chain of layers that exists as a project file and as PyTorch modules under the same names."""

    def __init__(self, layers, shape, classes, training, batch=32, samples=None, seed=7):
        self.layers = layers  # (id, kind, params, function that makes the module, or the function itself)
        self.training = dict(training, seed=seed, device="cpu", deterministic=True)
        self.batch = batch
        generator = np.random.default_rng(3)
        steps = training["steps"]
        count = samples or batch * steps
        self.x = generator.standard_normal((count, *shape)).astype(np.float32)
        self.y = generator.integers(0, classes, count).astype(np.int64)
        # A part of the label is in the input, so that there is something to learn.
        flat = self.x.reshape(count, -1)
        flat[np.arange(count), self.y] += 2
        self.seed = seed

    def write(self, folder):
        np.save(os.path.join(folder, "x.npy"), self.x)
        np.save(os.path.join(folder, "y.npy"), self.y)
        nodes = [{"id": "x", "kind": "Input", "params": {"field": "features"}}]
        nodes += [{"id": i, "kind": k, "params": p} for i, k, p, _ in self.layers]
        edges = [[a["id"], b["id"]] for a, b in zip(nodes, nodes[1:])] + [[nodes[-1]["id"], "loss:input"], ["y", "loss:target"]]
        nodes += [{"id": "y", "kind": "Input", "params": {"field": "label"}}, {"id": "loss", "kind": "CrossEntropyLoss"}]
        data = [{"id": "arrays", "kind": "NumpyFile", "params": {"fields": {"features": "x.npy", "label": "y.npy"}}},
                {"id": "loader", "kind": "Loader", "params": {"batch_size": self.batch, "shuffle": False}}]
        project = {"athanor": 1, "name": "twin", "data": {"nodes": data, "edges": [["arrays", "loader"]]},
                   "network": {"nodes": nodes, "edges": edges}, "training": self.training}
        file = os.path.join(folder, "twin.athanor")
        with open(file, "w") as out:
            json.dump(project, out)
        return file

    def trace(self, step_trace, folder, *options):
        """{series: {step: value}} of the session that trains the project."""
        output = os.path.join(folder, "trace.json")
        subprocess.run([step_trace, self.write(folder), output, *options], check=True, stderr=subprocess.DEVNULL)
        with open(output) as file:
            series = json.load(file)["series"]
        return {name: {step: float(value) for step, value in points} for name, points in series.items()}

    def model(self):
        torch.manual_seed(self.seed)
        model = nn.Module()
        for name, _, _, make in self.layers:
            model.add_module(name, make())
        return model

    def forward(self, model, x, watch=None):
        if watch is not None:
            watch("x", x)
        for name, *_ in self.layers:
            x = getattr(model, name)(x)
            if watch is not None:
                watch(name, x)
        return x

    def batches(self):
        for begin in range(0, len(self.x), self.batch):
            yield torch.from_numpy(self.x[begin:begin + self.batch]), torch.from_numpy(self.y[begin:begin + self.batch])


def optimizer_of(training, parameters):
    settings = dict(training["optimizer"])
    kind = settings.pop("kind")
    return getattr(torch.optim, kind)(parameters, **settings)


def mlp(training, batch=32):
    return Twin([("fc1", "Linear", {"out_features": 64}, lambda: nn.Linear(64, 64)),
                 ("act1", "ReLU", {}, nn.ReLU),
                 ("fc2", "Linear", {"out_features": 64}, lambda: nn.Linear(64, 64)),
                 ("act2", "Tanh", {}, nn.Tanh),
                 ("out", "Linear", {"out_features": 10}, lambda: nn.Linear(64, 10))], (64,), 10, training, batch)


def cnn(training, batch=16, dropout=0.0):
    drop = [("drop", "Dropout", {"p": dropout}, lambda: nn.Dropout(dropout))] if dropout else []
    return Twin([("conv1", "Conv2d", {"out_channels": 8, "kernel_size": 3, "padding": 1}, lambda: nn.Conv2d(1, 8, 3, padding=1)),
                 ("bn1", "BatchNorm2d", {}, lambda: nn.BatchNorm2d(8)),
                 ("act1", "ReLU", {}, nn.ReLU),
                 ("pool1", "MaxPool2d", {"kernel_size": 2}, lambda: nn.MaxPool2d(2)),
                 ("conv2", "Conv2d", {"out_channels": 16, "kernel_size": 3}, lambda: nn.Conv2d(8, 16, 3)),
                 ("bn2", "BatchNorm2d", {}, lambda: nn.BatchNorm2d(16)),
                 ("act2", "ReLU", {}, nn.ReLU),
                 ("pool2", "AvgPool2d", {"kernel_size": 2}, lambda: nn.AvgPool2d(2)),
                 ("flat", "Flatten", {}, nn.Flatten)] + drop +
                [("fc", "Linear", {"out_features": 10}, lambda: nn.Linear(16 * 2 * 2, 10))], (1, 12, 12), 10, training, batch)


class Report:
    """Collects differences; the worst one of each kind is printed."""

    def __init__(self):
        self.worst = {}
        self.failed = []

    def compare(self, what, ours, theirs, relative, absolute=0.0):
        if math.isnan(ours) and math.isnan(theirs) or ours == theirs:
            error = 0.0
        else:
            error = abs(ours - theirs) / max(abs(theirs), absolute / relative if relative else 0, 1e-300)
        kind = what.split(" ")[0].split("/")[0]
        if not error <= self.worst.get(kind, (-1.0, ""))[0]:
            self.worst[kind] = (error, what)
        if not error <= relative:
            self.failed.append(f"{what}: ours {ours!r}, PyTorch {theirs!r}")

    def finish(self):
        for kind, (error, what) in sorted(self.worst.items()):
            print(f"{kind:16} largest relative difference {error:.2e} ({what})")
        for line in self.failed[:20]:
            print("DIFFERS", line)
        print("equal" if not self.failed else f"{len(self.failed)} values differ")
        return 1 if self.failed else 0
