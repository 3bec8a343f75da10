#!/usr/bin/env python3
"""Writes a module as torch.jit.save does, and what it computes, for the test of saved modules.

    python3 write_script_module.py FOLDER

FOLDER/python.pt, and python.json: {"input", "output", "last", "state": {name: Tensor}} with Tensors as in layer_cases.json.
"""
import json
import pathlib
import sys
from typing import Optional

import torch
from torch import nn


class Body(nn.Module):
    """A recurrent layer behind a normalization, an argument that may be missing, and a part without gradients."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3)
        self.cell = nn.LSTM(3, 4, batch_first=True)

    def forward(self, x, scale: Optional[torch.Tensor] = None):
        with torch.no_grad():
            centre = x.mean()
        if scale is not None:
            x = x * scale
        steps, state = self.cell((self.norm(x) - centre).unsqueeze(1))
        return steps[:, 0], state[0][0]


def dump(tensor):
    return {"shape": list(tensor.shape), "values": tensor.detach().flatten().tolist(),
            "index": not tensor.is_floating_point()}


folder = pathlib.Path(sys.argv[1])
torch.manual_seed(3)
module = torch.jit.script(Body())
module(torch.randn(8, 3))  # running statistics unlike the first ones
module.eval()
module.save(str(folder / "python.pt"))
x = torch.randn(5, 3)
output, last = module(x)
(folder / "python.json").write_text(json.dumps({
    "input": dump(x), "output": dump(output), "last": dump(last),
    "state": {name: dump(tensor) for name, tensor in module.state_dict().items()}}))
