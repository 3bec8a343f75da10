"""Losses that are written in TorchScript; layers are compared by tests of their own (engine/train/script)."""
import torch
from torch import nn

from kind_reference import Input, Reference

DISTANCE = """\
def forward(self, input: Tensor, target: Tensor) -> Tensor:
    return torch.mean((input - target).abs() ** self.power) * self.factor
"""
LEARNED = """\
def forward(self, input: Tensor, target: Tensor) -> Tensor:
    error = torch.mean((input - target) ** 2, 0)
    total = torch.zeros([])
    for i in range(error.size(0)):
        total = total + torch.exp(-self.spread[i]) * error[i] + self.spread[i]
    return total
"""


class Distance(nn.Module):
    def __init__(self, constants, weight):
        super().__init__()
        self.constants, self.weight = constants, weight

    def forward(self, output, target):
        return self.weight * torch.mean((output - target).abs() ** self.constants["power"]) * self.constants["factor"]


class Learned(nn.Module):
    """A spread for each output, which is trained."""

    def __init__(self, outputs, weight):
        super().__init__()
        self.spread = nn.Parameter(torch.zeros(outputs))
        self.factor = weight

    def forward(self, output, target):
        return self.factor * (torch.exp(-self.spread) * torch.mean((output - target) ** 2, 0) + self.spread).sum()


def case(draw):
    outputs = draw.int(1, 4)
    draw.params.pop("parameters", None)
    draw.params.pop("constants", None)
    if draw.chance(0.5):
        draw.params["source"] = DISTANCE
        draw.params["constants"] = {"power": draw.pick(1, 2, 3), "factor": 0.5}
    else:
        draw.params["source"] = LEARNED
        draw.params["parameters"] = [{"name": "spread", "shape": ["input.size(1)"]}]
        draw.params["constants"] = {"outputs": outputs}
    return [Input(draw.floats(draw.batch, outputs)), Input(draw.floats(draw.batch, outputs), "target")]


def make(settings):
    weight = settings.get("weight", 1)
    if "parameters" in settings:
        return Learned(settings["constants"]["outputs"], weight)
    return Distance(settings["constants"], weight)


KINDS = {"ScriptLoss": Reference(case, make, takes_index=True)}
