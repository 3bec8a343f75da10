#!/usr/bin/env python3
"""Writes what PyTorch computes for networks with groups and shared weights as JSON.

    python3 make_group_cases.py > ../data/group_cases.json

{"cases": [{"name", "network", "fields": {name: Tensor}, "state": {name: Tensor}, "loss", "gradients": {name: Tensor},
"state_after": {name: Tensor}}]}; a Tensor is as in layer_cases.json. The network is a project's, the modules are made
by hand below, so that the names of their state are PyTorch's own.
"""
import json

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


def short(value):
    """The fewest digits that give this float32 again."""
    return float(str(np.float32(value)))


def dump(tensor):
    index = not tensor.is_floating_point()
    values = tensor.detach().flatten().tolist()
    return {"shape": list(tensor.shape), "values": values if index else [short(v) for v in values], "index": index}


def case(name, network, module, fields):
    state = {key: dump(value) for key, value in module.state_dict().items()}
    module.train()
    loss = F.mse_loss(module(fields), fields["target"])
    loss.backward()
    return {
        "name": name, "network": network, "fields": {key: dump(value) for key, value in fields.items()},
        "state": state, "loss": loss.item(),
        "gradients": {key: dump(value.grad) for key, value in module.named_parameters()},
        "state_after": {key: dump(value) for key, value in module.state_dict().items()},
    }


def node(id, kind, **params):
    return {"id": id, "kind": kind, "params": params}


def chain(*ids):
    return [[a, b] for a, b in zip(ids, ids[1:])]


ENDS = [node("x", "Input", field="x"), node("y", "Input", field="target"), node("loss", "MSELoss")]
NUMBERS = torch.Generator().manual_seed(5)


def numbers(*shape):
    return torch.randn(*shape, generator=NUMBERS)


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, width)
        self.norm = nn.BatchNorm1d(width)

    def forward(self, x):
        return x + torch.tanh(self.norm(self.fc(x)))


class Repeated(nn.Module):
    def __init__(self):
        super().__init__()
        self.stage = nn.Sequential(*[Residual(6) for _ in range(3)])
        self.head = nn.Linear(6, 2)

    def forward(self, fields):
        return self.head(self.stage(fields["x"]))


RESIDUAL = {
    "name": "Residual",
    "nodes": [node("in", "GroupInput"), node("fc", "Linear", out_features=6), node("norm", "BatchNorm1d"),
              node("act", "Tanh"), node("sum", "Add"), node("out", "GroupOutput")],
    "edges": chain("in", "fc", "norm", "act", "sum", "out") + [["in", "sum"]],
}


def repeated():
    network = {
        "nodes": ENDS + [node("stage", "Group", definition="Residual", repeat=3), node("head", "Linear", out_features=2)],
        "edges": chain("x", "stage", "head", "loss:input") + [["y", "loss:target"]],
        "groups": [RESIDUAL],
    }
    return case("repeated", network, Repeated(), {"x": numbers(8, 6), "target": numbers(8, 2)})


class Nested(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.ModuleDict({"block": Residual(6), "rest": nn.Sequential(Residual(6), Residual(6))})
        self.second = nn.ModuleDict({"block": Residual(6), "rest": nn.Sequential(Residual(6), Residual(6))})

    def forward(self, fields):
        x = fields["x"]
        for stage in (self.first, self.second):
            x = stage["rest"](stage["block"](x))
        return x


def nested():
    stage = {
        "name": "Stage",
        "nodes": [node("in", "GroupInput"), node("block", "Group", definition="Residual"),
                  node("rest", "Group", definition="Residual", repeat=2), node("out", "GroupOutput")],
        "edges": chain("in", "block", "rest", "out"),
    }
    network = {
        "nodes": ENDS + [node("first", "Group", definition="Stage"), node("second", "Group", definition="Stage")],
        "edges": chain("x", "first", "second", "loss:input") + [["y", "loss:target"]],
        "groups": [stage, RESIDUAL],
    }
    return case("nested", network, Nested(), {"x": numbers(8, 6), "target": numbers(8, 6)})


class Tower(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 4)
        self.norm = nn.BatchNorm1d(4)

    def forward(self, x):
        return F.relu(self.norm(self.fc(x)))


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.left = Tower()
        self.head = nn.Linear(8, 1)

    def forward(self, fields):
        return self.head(torch.cat([self.left(fields["x"]), self.left(fields["other"])], 1))


def siamese():
    tower = {
        "name": "Tower",
        "nodes": [node("in", "GroupInput"), node("fc", "Linear", out_features=4), node("norm", "BatchNorm1d"),
                  node("act", "ReLU"), node("out", "GroupOutput")],
        "edges": chain("in", "fc", "norm", "act", "out"),
    }
    network = {
        "nodes": ENDS + [node("z", "Input", field="other"), node("left", "Group", definition="Tower"),
                         node("right", "Shared", of="left"), node("join", "Concat"),
                         node("head", "Linear", out_features=1)],
        "edges": [["x", "left"], ["z", "right"], ["left", "join"], ["right", "join"]]
        + chain("join", "head", "loss:input") + [["y", "loss:target"]],
        "groups": [tower],
    }
    return case("siamese", network, Siamese(), {"x": numbers(8, 6), "other": numbers(8, 6), "target": numbers(8, 1)})


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 6)

    def forward(self, fields):
        return self.fc(torch.tanh(self.fc(fields["x"])))


def tied():
    # The node that shares stands before the one that owns the weights.
    network = {
        "nodes": ENDS + [node("first", "Shared", of="fc"), node("act", "Tanh"), node("fc", "Linear", out_features=6)],
        "edges": chain("x", "first", "act", "fc", "loss:input") + [["y", "loss:target"]],
    }
    return case("tied", network, Tied(), {"x": numbers(8, 6), "target": numbers(8, 6)})


torch.manual_seed(11)
print(json.dumps({"cases": [repeated(), nested(), siamese(), tied()]}, indent=None, separators=(",", ":")))
