"""Layers that weigh all inputs with all outputs."""
from math import prod

from kind_reference import Input, Reference


def some_tensor(draw):
    return [Input(draw.floats(draw.batch, *draw.extents(draw.int(0, 3))))]


def with_features(draw):
    return [Input(draw.floats(draw.batch, *draw.extents(draw.int(1, 3))))]


KINDS = {
    "Identity": Reference(some_tensor, takes_index=True),
    "Linear": Reference(
        with_features,
        ranks=set(range(2, 8)),
        inferred=lambda params, inputs: {"in_features": inputs[0].shape[-1]},
        macs=lambda module, inputs, outputs: module.in_features * prod(outputs[0].shape[1:])),
}
