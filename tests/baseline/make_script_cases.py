#!/usr/bin/env python3
"""Writes what PyTorch computes for the sources of script nodes as JSON.

    python3 make_script_cases.py > ../data/script_cases.json

A source is run as plain Python with eager tensors, not by torch.jit, so that it is a second way to the same numbers.
{"cases": [{"name", "kind", "params", "inputs": [Tensor or null], "state": {name: Tensor}, "outputs": [Tensor],
"state_after": {name: Tensor}, "input_gradients": [Tensor or null], "gradients": {name: Tensor}}], "draws": {"params",
"seed", "state"}}; a Tensor is as in layer_cases.json. The gradients are those of Σᵢ Σ cos(position)·outputᵢ.
"""
import json
import math
import types
import typing

import numpy as np
import torch
from torch import Tensor


def short(value):
    """The fewest digits that give this float32 again."""
    return float(str(np.float32(value)))


def dump(tensor):
    if tensor is None:
        return None
    index = not tensor.is_floating_point()
    values = tensor.detach().flatten().tolist()
    return {"shape": list(tensor.shape), "values": values if index else [short(v) for v in values], "index": index}


def numbers(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(200 + seed + sum(shape)))


def run(name, source, inputs, state=None, buffers=(), constants=None, params=None, kind="Script"):
    """One case; `inputs` in the order of the arguments, a list for List[Tensor]."""
    state = {key: value.clone() for key, value in (state or {}).items()}
    names = {"torch": torch, "Tensor": Tensor, "math": math, **{n: getattr(typing, n) for n in ("Optional", "List", "Tuple")}}
    exec(source, names)
    inputs = [[v.clone() for v in value] if isinstance(value, list) else value if value is None else value.clone()
              for value in inputs]
    flat = [v for value in inputs for v in (value if isinstance(value, list) else [value])]
    for tensor in flat + [value for key, value in state.items() if key not in buffers]:
        if tensor is not None and tensor.is_floating_point():
            tensor.requires_grad_(True)
    before = {key: dump(value) for key, value in state.items()}
    own = types.SimpleNamespace(training=True, **(constants or {}), **state)
    for function in [f for f in names.values() if isinstance(f, types.FunctionType)]:
        arguments = function.__code__.co_varnames[:function.__code__.co_argcount]
        if arguments and arguments[0] == "self":
            setattr(own, function.__name__, types.MethodType(function, own))
    outputs = own.forward(*inputs)
    outputs = list(outputs) if isinstance(outputs, tuple) else [outputs]
    total = sum((o * torch.cos(torch.arange(o.numel()).view(o.shape).float())).sum() for o in outputs
                if o.is_floating_point())
    total.backward()
    declared = [{"name": key, "shape": list(value.shape), **({"buffer": True} if key in buffers else {})}
                for key, value in state.items()]
    return {
        "name": name, "kind": kind,
        "params": {"source": source, "parameters": declared, "constants": constants or {}, **(params or {})},
        "inputs": [dump(v) for v in flat], "state": before,
        "outputs": [dump(o) for o in outputs],
        "state_after": {key: dump(getattr(own, key)) for key in buffers},
        "input_gradients": [dump(v.grad) if v is not None and v.requires_grad else None for v in flat],
        "gradients": {key: dump(value.grad) for key, value in state.items() if key not in buffers},
    }


LINEAR = """\
def forward(self, x: Tensor) -> Tensor:
    return torch.matmul(x, self.weight.t()) + self.bias
"""

SEQUENCE = """\
def forward(self, x: Tensor) -> Tensor:
    h = torch.zeros(x.size(0), self.hidden)
    steps: List[Tensor] = []
    for t in range(x.size(1)):
        h = torch.tanh(torch.matmul(x[:, t], self.w_in) + torch.matmul(h, self.w_hidden) + self.bias)
        steps.append(h)
    return torch.stack(steps, 1)
"""

BRANCH_ON_SIZE = """\
def forward(self, x: Tensor) -> Tensor:
    if x.size(1) > 4:
        y = x[:, :4] * self.scale
    else:
        y = torch.cat([x, torch.zeros(x.size(0), 4 - x.size(1))], 1) / self.scale
    return y
"""

BRANCH_ON_VALUES = """\
def forward(self, x: Tensor) -> Tensor:
    y = x
    while float(y.abs().max()) > 1.0:
        y = y * 0.5
    if bool(y.sum() > 0):
        return torch.exp(y)
    return torch.sin(y)
"""

SEVERAL = """\
def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
    mean, spread = x.chunk(2, dim=1)
    return mean, torch.exp(spread * 0.5)
"""

OPTIONAL = """\
def forward(self, x: Tensor, mask: Optional[Tensor] = None) -> Tensor:
    scores = torch.matmul(x, x.transpose(1, 2)) / math.sqrt(float(x.size(2)))
    if mask is not None:
        scores = scores.masked_fill(mask.unsqueeze(1) == 0, -math.inf)
    return torch.matmul(torch.softmax(scores, -1), x)
"""

LISTED = """\
def forward(self, parts: List[Tensor], scale: Tensor) -> Tensor:
    total = torch.zeros_like(parts[0])
    for i, part in enumerate(parts):
        total = total + part * float(i + 1)
    return total * scale
"""

HELPERS = """\
# a comment before everything
def gate(x: Tensor, steepness: float) -> Tensor:
    return torch.sigmoid(steepness * x)


def twice(x: Tensor) -> Tensor:
    return gate(x, 2.0) + gate(x, 1.0)


def blend(self, a: Tensor, b: Tensor) -> Tensor:
    return self.share * a + (1.0 - self.share) * b


def forward(self, x: Tensor) -> Tensor:
    \"\"\"Swish, and a blend.\"\"\"
    if self.turned and self.training:
        x = -x
    return self.blend(x * gate(x, self.steepness), twice(x))
"""

RUNNING = """\
def forward(self, x: Tensor) -> Tensor:
    if self.training:
        self.mean = 0.9 * self.mean + 0.1 * x.detach().mean(0)
        self.count.add_(1)
    return (x - self.mean) * self.gain
"""

INDICES = """\
def forward(self, tokens: Tensor) -> Tensor:
    picked = self.table[tokens]
    weight = (tokens != 0).to(torch.float32).unsqueeze(-1)
    return (picked * weight).sum(1) / weight.sum(1).clamp(min=1.0)
"""

NUMBERS = """\
def forward(self, x: Tensor) -> Tensor:
    angle = x * math.pi / torch.pi + math.e
    grid = torch.arange(x.size(1), dtype=torch.float32, device=x.device)
    return torch.cos(angle) * grid.to(torch.float64).to(torch.float)
"""

VAE = """\
def forward(self, input: Tensor, target: Tensor, mean: Tensor, logvar: Tensor) -> Tensor:
    rebuilt = torch.sum(torch.log1p(torch.exp(input)) - input * target) / input.size(0)
    distance = -0.5 * torch.sum(1 + logvar - mean.pow(2) - logvar.exp()) / input.size(0)
    return rebuilt + self.beta * distance
"""


def cases():
    yield run("linear", LINEAR, [numbers(3, 5)], {"weight": numbers(4, 5, seed=1), "bias": numbers(4)})
    weights = {"w_in": numbers(2, 3), "w_hidden": numbers(3, 3, seed=1), "bias": numbers(3)}
    for length in (1, 4):
        yield run(f"sequence of {length}", SEQUENCE, [numbers(2, length, 2)], weights, constants={"hidden": 3})
    for width in (3, 6):
        yield run(f"branch on size {width}", BRANCH_ON_SIZE, [numbers(2, width)], {"scale": numbers(4).abs() + 1}
                  if width == 6 else {"scale": numbers(1).abs() + 1})
    for factor in (3.0, -3.0):
        yield run(f"branch on values {factor}", BRANCH_ON_VALUES, [numbers(2, 3).abs() * factor])
    yield run("several outputs", SEVERAL, [numbers(3, 4)], params={"outputs": ["mean", "spread"]})
    attended = numbers(2, 3, 4)
    yield run("no mask", OPTIONAL, [attended, None])
    yield run("mask", OPTIONAL, [attended, torch.tensor([[1, 1, 0], [1, 0, 0]])])
    yield run("list", LISTED, [[numbers(2, 3, seed=i) for i in range(3)], numbers(2, 1)])
    yield run("helpers", HELPERS, [numbers(3, 3)], constants={"share": 0.25, "steepness": 3.0, "turned": True})
    yield run("running mean", RUNNING, [numbers(4, 3)],
              {"mean": numbers(3), "count": torch.zeros(1), "gain": numbers(3, seed=2)}, buffers=("mean", "count"))
    yield run("indices", INDICES, [torch.tensor([[1, 4, 0], [2, 0, 0]])], {"table": numbers(5, 2)})
    yield run("numbers", NUMBERS, [numbers(2, 4)])
    yield run("vae", VAE, [numbers(2, 6), numbers(2, 6, seed=3).sigmoid(), numbers(2, 3), numbers(2, 3, seed=1)],
              constants={"beta": 0.5}, kind="ScriptLoss")


def draws():
    """Declared tensors as they are drawn after a seed, in the order of the declaration."""
    declared = [{"name": "second", "shape": [4, 3]}, {"name": "first", "shape": [3, 2], "init": "xavier_normal"},
                {"name": "table", "shape": [5], "init": {"kind": "normal", "std": 0.02}}, {"name": "bias", "shape": [4]},
                {"name": "scale", "shape": [], "init": "ones"}, {"name": "seen", "shape": [2], "buffer": True}]
    torch.manual_seed(7)
    second = torch.nn.init.kaiming_uniform_(torch.empty(4, 3), a=math.sqrt(5))
    first = torch.nn.init.xavier_normal_(torch.empty(3, 2))
    table = torch.nn.init.normal_(torch.empty(5), std=0.02)
    state = {"second": second, "first": first, "table": table, "bias": torch.zeros(4), "scale": torch.ones(()),
             "seen": torch.zeros(2)}
    return {"params": {"source": "def forward(self, x: Tensor) -> Tensor:\n    return x * self.scale\n",
                       "parameters": declared}, "seed": 7, "state": {key: dump(value) for key, value in state.items()}}


print(json.dumps({"cases": list(cases()), "draws": draws()}, indent=1))
