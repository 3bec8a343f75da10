"""Layers that weigh all inputs with all outputs."""
from math import prod

from kind_reference import Input, Reference


def some_tensor(draw):
    return [Input(draw.floats(draw.batch, *draw.extents(draw.int(0, 3))))]


def with_features(draw):
    return [Input(draw.floats(draw.batch, *draw.extents(draw.int(1, 3))))]


def pair_case(draw):
    places = draw.extents(draw.int(0, 2), 1, 3)
    return [Input(draw.floats(draw.batch, *places, draw.int(1, 5)), f"input{i}") for i in (1, 2)]


def wrong_pair(draw):
    x = Input(draw.floats(3, 2, 4), "input1")
    yield "another number of places", {"out_features": 2}, [x, Input(draw.floats(3, 3, 4), "input2")]
    yield "another rank", {"out_features": 2}, [x, Input(draw.floats(3, 4), "input2")]
    yield "class indices as the second", {"out_features": 2}, [x, Input(draw.indices(3, 3, 2, 4), "input2", 3)]
    yield "another second width", {"out_features": 2, "in2_features": 5}, [x, Input(draw.floats(3, 2, 4), "input2")]


KINDS = {
    "Bilinear": Reference(
        pair_case,
        inferred=lambda params, inputs: {"in1_features": inputs[0].shape[-1], "in2_features": inputs[1].shape[-1]},
        macs=lambda module, inputs, outputs: module.in1_features * module.in2_features * prod(outputs[0].shape[1:]),
        wrong=wrong_pair),
    "Identity": Reference(some_tensor, takes_index=True),
    "Linear": Reference(
        with_features,
        ranks=set(range(2, 8)),
        inferred=lambda params, inputs: {"in_features": inputs[0].shape[-1]},
        macs=lambda module, inputs, outputs: module.in_features * prod(outputs[0].shape[1:])),
}
