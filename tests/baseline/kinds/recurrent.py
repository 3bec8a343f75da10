"""Recurrent layers, batch first, with all steps and the last states as outputs, and a mask of valid steps."""
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from kind_reference import Input, Reference


def mask_of(draw, steps):
    """A mask of sequences that have different lengths, the longest not always the whole."""
    lengths = torch.tensor([draw.int(1, steps) for _ in range(draw.batch)])
    valid = torch.arange(steps)[None, :] < lengths[:, None]
    return valid.long() if draw.chance(0.5) else valid.float()


def sequence_case(draw):
    draw.params["batch_first"] = True  # here the batch is the first axis of everything
    draw.params["hidden_size"] = draw.int(2, 5)
    if draw.get("num_layers") == 1:
        draw.set("dropout", 0.0)
    if "proj_size" in draw.specs:
        draw.set("proj_size", draw.int(0, draw.params["hidden_size"] - 1))
    steps = draw.int(1, 6)
    inputs = [Input(draw.floats(draw.batch, steps, draw.int(1, 4)))]
    if draw.chance(0.5):
        inputs.append(Input(mask_of(draw, steps), "mask"))
    return inputs


def with_last_states(kind):
    """The class with a forward that packs by a mask and gives the last layer's states, both directions side by side."""
    base = getattr(nn, kind)

    def forward(self, x, mask=None):
        if mask is None:
            output, state = base.forward(self, x)
        else:
            packed = pack_padded_sequence(x, mask.long().sum(1), batch_first=True, enforce_sorted=False)
            output, state = base.forward(self, packed)
            output, _ = pad_packed_sequence(output, batch_first=True, total_length=x.shape[1])
        states = state if isinstance(state, tuple) else (state,)
        directions = 2 if self.bidirectional else 1
        return output, *(torch.cat(list(last[-directions:]), 1) for last in states)

    return lambda params: type(kind, (base,), {"forward": forward})(**params)


def macs(module, inputs, outputs):
    weights = sum(p.numel() for name, p in module.named_parameters() if name.startswith("weight"))
    return weights * inputs[0].shape[1]


def wrong(draw):
    x = Input(draw.floats(2, 3, 4))
    sound = {"hidden_size": 3, "batch_first": True}
    yield "the batch as the second axis", {"hidden_size": 3}, [x]
    yield "a mask of another length", sound, [x, Input(torch.ones(2, 4), "mask")]
    yield "a mask of vectors", sound, [x, Input(torch.ones(2, 3, 1), "mask")]
    yield "a sequence without a valid step", sound, [x, Input(torch.tensor([[1.0, 1, 1], [0, 0, 0]]), "mask")]
    yield "padding before the sequence", sound, [x, Input(torch.tensor([[1, 1, 1], [0, 1, 1]]), "mask")]
    yield "a hole in the sequence", sound, [x, Input(torch.tensor([[1, 0, 1], [1, 1, 1]]), "mask")]
    if "proj_size" in draw.specs:
        yield "a projection to more", {**sound, "proj_size": 3}, [x]


# PyTorch's constructors take any arguments and pass them on: there is no default to compare.
KINDS = {kind: Reference(sequence_case, make=with_last_states(kind), macs=macs, wrong=wrong, ranks={3},
                         inferred=lambda params, inputs: {"input_size": inputs[0].shape[2]})
         for kind in ("RNN", "LSTM", "GRU")}
