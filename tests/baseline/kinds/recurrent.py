"""Recurrent layers, batch first, with all steps and the last state as outputs."""
import torch
from torch import nn

from kind_reference import Input, Reference


def sequence_case(draw):
    draw.params["batch_first"] = True  # here the batch is the first axis of everything
    draw.params["hidden_size"] = draw.int(2, 5)
    if draw.get("num_layers") == 1:
        draw.set("dropout", 0.0)
    if "proj_size" in draw.specs:
        draw.set("proj_size", draw.int(0, draw.params["hidden_size"] - 1))
    return [Input(draw.floats(draw.batch, draw.int(1, 5), draw.int(1, 4)))]


def with_last_state(kind):
    """The class with a forward that also gives the last layer's state at the end, both directions side by side."""
    base = getattr(nn, kind)

    def forward(self, x):
        output, state = base.forward(self, x)
        hidden = state[0] if isinstance(state, tuple) else state
        return output, torch.cat(list(hidden[-2 if self.bidirectional else -1:]), 1)

    return lambda params: type(kind, (base,), {"forward": forward})(**params)


def macs(module, inputs, outputs):
    weights = sum(p.numel() for name, p in module.named_parameters() if name.startswith("weight"))
    return weights * inputs[0].shape[1]


def wrong(draw):
    x = [Input(draw.floats(2, 3, 4))]
    yield "the batch as the second axis", {"hidden_size": 3}, x
    if "proj_size" in draw.specs:
        yield "a projection to more", {"hidden_size": 3, "proj_size": 3, "batch_first": True}, x


# PyTorch's constructors take any arguments and pass them on: there is no default to compare.
KINDS = {kind: Reference(sequence_case, make=with_last_state(kind), macs=macs, wrong=wrong, ranks={3},
                         inferred=lambda params, inputs: {"input_size": inputs[0].shape[2]})
         for kind in ("RNN", "LSTM", "GRU")}
